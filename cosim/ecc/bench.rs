//! A top of the codec driven edge by edge, with readiness that may depend on what has come.
//!
//! In: messages, and layouts of errors for the decoder. Out: words, statuses and clocks, or the
//! first thing that is not as the software codec says. Words are compared as they stand on the
//! wires, fill and last marks included.

use floatgate_hal::units::BitCount;
use floatgate_model::config::NamedCode;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use verilated::Command;

use super::corners::CornerError;
use super::encoder::command;
use super::lockstep::expect;
use super::stimulus::{ErrorPattern, GoldenCodes};
use super::streams::{Offer, Streams};
use super::words::push_words;
use super::{Message, Status, Top, admission};

/// Everything that passes the four streams of a top: what is sent, and what must come.
#[derive(Clone, Debug, Default)]
pub(super) struct Traffic {
    pub(super) commands: Vec<Command>,
    input: Vec<u64>,
    /// Words with their last marks.
    pub(super) output: Vec<(u64, bool)>,
    pub(super) statuses: Vec<u16>,
}

impl Traffic {
    /// Appends the words of a packet, whose parts each start a word of their own.
    fn packet(&mut self, parts: &[&[u8]], width_bits: u32) {
        let mut words = Vec::new();
        parts.iter().for_each(|part| push_words(&mut words, part, width_bits));
        let last = words.len() - 1;
        self.output.extend(words.into_iter().enumerate().map(|(at, word)| (word, at == last)));
    }

    /// What the encoder must make of the messages.
    pub(super) fn encoder(
        code: &NamedCode,
        golden: &mut GoldenCodes,
        messages: &[Message],
    ) -> Self {
        let p = code.config.p;
        let mut traffic = Self::default();
        for message in messages {
            traffic.commands.push(command(message.strength, message.data.len()));
            let refused = admission(code, message.strength, message.data.len());
            traffic.statuses.push(refused.unwrap_or(Status::Ok { corrected_bits: 0 }).word());
            if refused.is_none() {
                push_words(&mut traffic.input, &message.data, p);
                let encoded = golden.received(message);
                traffic.packet(&[&encoded.message, &encoded.parity], p);
            }
        }
        traffic
    }

    /// What the decoder must make of the messages' codewords with errors in them, and noise where
    /// words are filled.
    pub(super) fn decoder(
        code: &NamedCode,
        golden: &mut GoldenCodes,
        messages: &[Message],
        pattern: impl Fn(usize) -> ErrorPattern,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let config = &code.config;
        let mut traffic = Self::default();
        for (index, message) in messages.iter().enumerate() {
            traffic.commands.push(command(message.strength, message.data.len()));
            if let Some(refused) = admission(code, message.strength, message.data.len()) {
                traffic.statuses.push(refused.word());
                continue;
            }
            let mut received = golden.received(message);
            let bch = golden.code(message.strength, received.message.len());
            let (k, r) = (bch.data_bits(), bch.parity_bits());
            let positions = pattern(index).draw(rng, message.strength, k, r);
            golden.flip(&mut received, &positions);
            let (status, data) = expect(code, golden, &received);
            traffic.statuses.push(status.word());
            traffic.packet(&[&data], config.p_c);
            push_noisy(&mut traffic.input, &received.message, k, config.p, rng);
            push_noisy(&mut traffic.input, &received.parity, r, config.p, rng);
        }
        traffic
    }
}

/// Appends words, the last one filled up with noise.
fn push_noisy(
    words: &mut Vec<u64>,
    bytes: &[u8],
    bits: BitCount,
    width_bits: u32,
    rng: &mut ChaCha8Rng,
) {
    push_words(words, bytes, width_bits);
    let fill = bits.0.next_multiple_of(width_bits) - bits.0;
    let last = words.last_mut().expect("a codeword has words");
    *last |= rng.random::<u64>() & ((1 << fill) - 1);
}

/// What has come so far, and the readiness that depends on it.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) clocks: u64,
    input: usize,
    pub(super) output: Vec<(u64, bool)>,
    pub(super) statuses: Vec<u16>,
}

/// A top driven edge by edge.
pub(super) struct Bench {
    pub(super) streams: Streams,
}

impl Bench {
    pub(super) fn new(top: Top, code: &NamedCode, seed: u64) -> Result<Self, CornerError> {
        Ok(Self { streams: Streams::new(top, code, seed)? })
    }

    /// Sends the traffic for so many clocks, with the readiness of output and status as told.
    pub(super) fn run(
        &mut self,
        traffic: &Traffic,
        clocks: u64,
        mut ready: impl FnMut(&Seen) -> [bool; 2],
    ) -> Result<Seen, CornerError> {
        let mut seen = Seen::default();
        let mut next_command = 0;
        while seen.clocks < clocks {
            let offer = Offer {
                command: traffic.commands.get(next_command).copied(),
                word: traffic.input.get(seen.input).copied(),
                ready: ready(&seen),
            };
            let beats = self.streams.clock(&offer)?;
            next_command += usize::from(beats.command);
            seen.input += usize::from(beats.word);
            seen.output.extend(beats.output);
            seen.statuses.extend(beats.status);
            seen.clocks += 1;
        }
        Ok(seen)
    }

    /// Sends the traffic and compares all that comes.
    pub(super) fn check(
        &mut self,
        corner: &str,
        traffic: &Traffic,
        clocks: u64,
        ready: impl FnMut(&Seen) -> [bool; 2],
    ) -> Result<(), CornerError> {
        let seen = self.run(traffic, clocks, ready)?;
        let differs = seen.output.iter().zip(&traffic.output).position(|(is, want)| is != want);
        let what = if let Some(at) = differs {
            format!("word {at} is {:x?}, not {:x?}", seen.output[at], traffic.output[at])
        } else if seen.output.len() != traffic.output.len() || seen.input != traffic.input.len() {
            format!(
                "{} words in and {} out, not {} and {}",
                seen.input,
                seen.output.len(),
                traffic.input.len(),
                traffic.output.len()
            )
        } else if seen.statuses != traffic.statuses {
            format!("statuses {:x?}, not {:x?}", seen.statuses, traffic.statuses)
        } else {
            return Ok(());
        };
        let model = self.streams.model.name().to_owned();
        Err(CornerError::Wrong { model, corner: corner.to_owned(), what })
    }
}
