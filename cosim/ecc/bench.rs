//! A top of the codec driven edge by edge, with readiness that may depend on what has come.
//!
//! In: messages, and layouts of errors for the decoder. Out: words, statuses and clocks, or the
//! first thing that is not as the software codec says. Words are compared as they stand on the
//! wires, fill and last marks included.

use floatgate_hal::units::BitCount;
use floatgate_model::config::NamedCode;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use verilated::{Command, Input, Model, Output};

use super::corners::CornerError;
use super::encoder::command;
use super::lockstep::expect;
use super::stimulus::{ErrorPattern, GoldenCodes};
use super::words::push_words;
use super::{Message, Status, admission, model_name};

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
    pub(super) model: Model,
    cmd: [Input; 3],
    s: [Input; 2],
    ready: [Input; 2],
    taken: [Output; 2],
    m: [Output; 3],
    sts: [Output; 2],
}

impl Bench {
    pub(super) fn new(top: &str, code: &NamedCode, seed: u64) -> Result<Self, CornerError> {
        let mut model = Model::new(&model_name(top, code), seed)?;
        model.reset(2)?;
        Ok(Self {
            cmd: [
                model.input("cmd_valid_i")?,
                model.input("cmd_strength_i")?,
                model.input("cmd_bytes_i")?,
            ],
            s: [model.input("s_valid_i")?, model.input("s_data_i")?],
            ready: [model.input("m_ready_i")?, model.input("sts_ready_i")?],
            taken: [model.output("cmd_ready_o")?, model.output("s_ready_o")?],
            m: [model.output("m_valid_o")?, model.output("m_data_o")?, model.output("m_last_o")?],
            sts: [model.output("sts_valid_o")?, model.output("sts_data_o")?],
            model,
        })
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
            let command = traffic.commands.get(next_command);
            let word = traffic.input.get(seen.input);
            let [m_ready, sts_ready] = ready(&seen);
            let model = &mut self.model;
            model.set(self.cmd[0], command.is_some().into());
            if let Some(command) = command {
                model.set(self.cmd[1], command.strength.into());
                model.set(self.cmd[2], command.bytes.into());
            }
            model.set(self.s[0], word.is_some().into());
            model.set(self.s[1], *word.unwrap_or(&0));
            model.set(self.ready[0], m_ready.into());
            model.set(self.ready[1], sts_ready.into());
            model.set_clock(false)?;
            next_command += usize::from(command.is_some() && model.get(self.taken[0]) != 0);
            seen.input += usize::from(word.is_some() && model.get(self.taken[1]) != 0);
            if m_ready && model.get(self.m[0]) != 0 {
                seen.output.push((model.get(self.m[1]), model.get(self.m[2]) != 0));
            }
            if sts_ready && model.get(self.sts[0]) != 0 {
                seen.statuses.push(model.get(self.sts[1]) as u16);
            }
            model.set_clock(true)?;
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
        let model = self.model.name().to_owned();
        Err(CornerError::Wrong { model, corner: corner.to_owned(), what })
    }
}
