//! The batched call: commands and words in, words and statuses out, one crossing into C++.

/// One codeword's command: the code's strength and the length of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Strength t in correctable bits.
    pub strength: u8,
    /// Length of the data in bytes.
    pub bytes: u16,
}

/// How often this side of a stream withholds valid or ready.
///
/// Valid, once raised, stays up until the beat; while it is withheld the data lines carry noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stall {
    /// Probability in 1/256 for each clock.
    pub per_256: u8,
    /// Seed of the stream's own sequence.
    pub seed: u64,
}

/// The stalls of all four streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    /// Commands into the model: valid is withheld.
    pub command: Stall,
    /// Words into the model: valid is withheld.
    pub input: Stall,
    /// Words out of the model: ready is withheld.
    pub output: Stall,
    /// Statuses out of the model: ready is withheld.
    pub status: Stall,
}

impl Stalls {
    /// The same probability on each stream, each with its own sequence.
    pub fn uniform(per_256: u8, seed: u64) -> Self {
        let stall =
            |stream: u64| Stall { per_256, seed: seed.wrapping_mul(4).wrapping_add(stream) };
        Self { command: stall(0), input: stall(1), output: stall(2), status: stall(3) }
    }
}

/// What to send through the streams of a model, and what to wait for.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// Commands, in order.
    pub commands: &'a [Command],
    /// Words of the s_* stream, right-aligned, in order.
    pub words: &'a [u64],
    /// Number of statuses to wait for.
    pub statuses: usize,
    /// Number of packets (words with m_last_o) to wait for. A rejected command has none.
    pub packets: usize,
    /// Stalls on each stream.
    pub stalls: Stalls,
    /// Clocks without a beat on any stream that count as a deadlock.
    pub idle_limit_clocks: u64,
    /// Ends the call after so many clocks, complete or not.
    pub limit_clocks: Option<u64>,
}

impl<'a> Batch<'a> {
    /// A batch without stalls that waits for one status and one packet for each command.
    pub fn new(commands: &'a [Command], words: &'a [u64]) -> Self {
        Self {
            commands,
            words,
            statuses: commands.len(),
            packets: commands.len(),
            stalls: Stalls::default(),
            idle_limit_clocks: 100_000,
            limit_clocks: None,
        }
    }
}

/// What came out of a batch. Clock numbers count rising edges from the model's construction; a
/// beat's number is that of the edge at which it was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamOutput {
    /// Clock number of each command taken.
    pub command_clocks: Vec<u64>,
    /// Clock number of each word taken.
    pub input_clocks: Vec<u64>,
    /// Words of the m_* stream, right-aligned.
    pub words: Vec<u64>,
    /// Clock number of each word of `words`.
    pub word_clocks: Vec<u64>,
    /// For each word with m_last_o the index behind it in `words`.
    pub packet_ends: Vec<usize>,
    /// Statuses, as sts_data_o.
    pub statuses: Vec<u16>,
    /// Clock number of each status.
    pub status_clocks: Vec<u64>,
    /// Clocks that the call took.
    pub clocks: u64,
    /// Whether all was sent and received; false where `limit_clocks` ended the call.
    pub complete: bool,
}

impl StreamOutput {
    /// The words of each packet that has ended.
    pub fn packets(&self) -> impl Iterator<Item = &[u64]> {
        let starts = std::iter::once(0).chain(self.packet_ends.iter().copied());
        starts.zip(&self.packet_ends).map(|(start, &end)| &self.words[start..end])
    }
}
