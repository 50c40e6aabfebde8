//! Corner cases of the codec's streams, which random stalls do not reach: an output or a status
//! held up for as long as anything still moves, reset in the middle of codewords, noise in the bits
//! that fill a word, and bounds on clocks.
//!
//! In: a configuration and a seed. Out: nothing, or the first thing that is not as the software
//! codec says. Words are compared as they stand on the wires, fill and last marks included.

use floatgate_hal::units::{BitCount, Cycles, Strength};
use floatgate_model::config::NamedCode;
use floatgate_model::ecc::BitIndex;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;
use verilated::{Command, Input, Model, Output};

use super::encoder::command;
use super::lockstep::expect;
use super::stimulus::{ErrorPattern, GoldenCodes, random_message};
use super::words::push_words;
use super::{Message, Received, Status, Top, admission, model_name};
use crate::measure::{self, Load, MeasureError};

/// What went wrong in a corner.
#[derive(Debug, Error)]
pub enum CornerError {
    /// A failing assertion.
    #[error("{0}")]
    Rtl(#[from] verilated::Error),
    /// A measurement found wrong data.
    #[error("{0}")]
    Measure(#[from] MeasureError),
    /// Wrong words, statuses, or clocks.
    #[error("{model}, {corner}: {what}")]
    Wrong {
        /// The model.
        model: String,
        /// The corner.
        corner: String,
        /// What was wrong.
        what: String,
    },
}

/// Everything that passes the four streams of a top: what is sent, and what must come.
#[derive(Clone, Debug, Default)]
struct Traffic {
    commands: Vec<Command>,
    input: Vec<u64>,
    /// Words with their last marks.
    output: Vec<(u64, bool)>,
    statuses: Vec<u16>,
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
    fn encoder(code: &NamedCode, golden: &mut GoldenCodes, messages: &[Message]) -> Self {
        let p = code.config.p;
        let mut traffic = Self::default();
        for message in messages {
            traffic.commands.push(command(message.strength, message.data.len()));
            let refused = admission(code, message.strength, message.data.len());
            traffic.statuses.push(status_word(refused.unwrap_or(Status::Ok { corrected_bits: 0 })));
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
    fn decoder(
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
                traffic.statuses.push(status_word(refused));
                continue;
            }
            let mut received = golden.received(message);
            let bch = golden.code(message.strength, received.message.len());
            let (k, r) = (bch.data_bits(), bch.parity_bits());
            let positions = pattern(index).draw(rng, message.strength, k, r);
            golden.flip(&mut received, &positions);
            let (status, data) = expect(code, golden, &received);
            traffic.statuses.push(status_word(status));
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

fn status_word(status: Status) -> u16 {
    match status {
        Status::Ok { corrected_bits } => u16::from(corrected_bits),
        Status::Uncorrectable => 1 << 8,
        Status::CrcMismatch => 2 << 8,
        Status::LengthZero => 4 << 8,
        Status::LengthOver => 5 << 8,
        Status::StrengthRange => 6 << 8,
    }
}

/// What has come so far, and the readiness that depends on it.
#[derive(Default)]
struct Seen {
    clocks: u64,
    input: usize,
    output: Vec<(u64, bool)>,
    statuses: Vec<u16>,
}

/// A top driven edge by edge.
struct Bench {
    model: Model,
    cmd: [Input; 3],
    s: [Input; 2],
    ready: [Input; 2],
    taken: [Output; 2],
    m: [Output; 3],
    sts: [Output; 2],
}

impl Bench {
    fn new(top: &str, code: &NamedCode, seed: u64) -> Result<Self, CornerError> {
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
    fn run(
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
    fn check(
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

/// Clocks in which any traffic of so many codewords is through, with time to spare.
fn ample_clocks(code: &NamedCode, codewords: usize) -> u64 {
    let config = &code.config;
    let one = config.codeword_period().0 + config.key_equation(Strength(config.t_max as u16)).0;
    (codewords as u64 + 2) * (2 * one + 16)
}

/// Codewords of the greatest length and strength.
fn longest(code: &NamedCode, rng: &mut ChaCha8Rng, count: usize) -> Vec<Message> {
    let longest = |_| {
        let mut data = vec![0; code.config.k_max_bytes as usize];
        rng.fill(&mut data[..]);
        Message { strength: Strength(code.config.t_max as u16), data }
    };
    (0..count).map(longest).collect()
}

/// A top, with codewords of all kinds and refused commands between them.
fn mixed(code: &NamedCode, top: Top, seed: u64) -> Result<(Bench, Traffic), CornerError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut golden = GoldenCodes::new(&code.config);
    let strongest = Strength(code.config.t_max as u16);
    let refused = [
        Message { strength: strongest, data: Vec::new() },
        Message { strength: Strength(0), data: vec![0] },
        Message { strength: Strength(strongest.0 + 1), data: vec![0] },
        Message { strength: strongest, data: vec![0; code.config.k_max_bytes as usize + 1] },
    ];
    let mut messages = Vec::new();
    for turn in 0..12 {
        messages.push(random_message(&mut rng, code));
        if turn > 3 {
            messages.push(refused[turn % refused.len()].clone());
        }
    }
    let traffic = match top {
        Top::Encoder => Traffic::encoder(code, &mut golden, &messages),
        Top::Decoder => {
            let pattern = |index: usize| ErrorPattern::ALL[index % ErrorPattern::ALL.len()];
            Traffic::decoder(code, &mut golden, &messages, pattern, &mut rng)
        }
    };
    Ok((Bench::new(top.module(), code, seed)?, traffic))
}

/// The decoder's output held up behind every number of words about the end of a codeword, until
/// nothing moves any more.
///
/// # Errors
/// [`CornerError`].
pub fn held_output(code: &NamedCode, seed: u64) -> Result<(), CornerError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut golden = GoldenCodes::new(&code.config);
    let hold_clocks = ample_clocks(code, 3);
    for pattern in [ErrorPattern::Clean, ErrorPattern::Full] {
        let messages = longest(code, &mut rng, 6);
        let traffic = Traffic::decoder(code, &mut golden, &messages, |_| pattern, &mut rng);
        let mut bench = Bench::new(Top::Decoder.module(), code, seed)?;
        let packet = traffic.output.len() / messages.len();
        let clocks = ample_clocks(code, 6) + hold_clocks;
        for held_at in packet.saturating_sub(3)..=packet + 1 {
            let corner = format!("output held behind {held_at} words");
            let mut held = 0;
            bench.check(&corner, &traffic, clocks, |seen| {
                let hold = seen.output.len() == held_at && held < hold_clocks;
                held += u64::from(hold);
                [!hold, true]
            })?;
        }
    }
    Ok(())
}

/// The status held up until nothing moves any more, behind every number of statuses.
///
/// # Errors
/// [`CornerError`].
pub fn held_status(code: &NamedCode, top: Top, seed: u64) -> Result<(), CornerError> {
    let (mut bench, traffic) = mixed(code, top, seed)?;
    let hold_clocks = ample_clocks(code, 3);
    let clocks = ample_clocks(code, traffic.commands.len()) + hold_clocks;
    for held_at in 0..traffic.statuses.len() {
        let corner = format!("status held behind {held_at} others");
        let mut held = 0;
        bench.check(&corner, &traffic, clocks, |seen| {
            let hold = seen.statuses.len() == held_at && held < hold_clocks;
            held += u64::from(hold);
            [true, !hold]
        })?;
    }
    Ok(())
}

/// Reset after so many clocks of traffic; what is sent after it must not notice.
///
/// # Errors
/// [`CornerError`].
pub fn resets(
    code: &NamedCode,
    top: Top,
    seed: u64,
    after_clocks: impl IntoIterator<Item = u64>,
) -> Result<(), CornerError> {
    let (mut bench, traffic) = mixed(code, top, seed)?;
    let clocks = ample_clocks(code, traffic.commands.len());
    for after in after_clocks {
        bench.run(&traffic, after, |seen| [seen.clocks % 3 != 0, seen.clocks % 4 != 0])?;
        bench.model.reset(1)?;
        let corner = format!("reset after {after} clocks");
        bench.check(&corner, &traffic, clocks, |_| [true, true])?;
    }
    Ok(())
}

/// The clocks that the encoder may take: none idle between codewords.
///
/// # Errors
/// [`CornerError`].
pub fn encoder_bounds(code: &NamedCode, seed: u64) -> Result<(), CornerError> {
    let limits = Limits::new(code, seed, Top::Encoder);
    let load = Load { strength: limits.strength, data: &limits.data, errors: 0, seed };
    limits.check("period", measure::encoder(code, &load)?.period_clocks, limits.words)
}

/// The clocks that the decoder may take: none idle between codewords, where the solver is not
/// slower than the words come; the first word without errors within 8, the last one with errors 8
/// behind key equation and search, and the status 4 behind that where no error is in the parity.
///
/// # Errors
/// [`CornerError`].
pub fn decoder_bounds(code: &NamedCode, seed: u64) -> Result<(), CornerError> {
    let limits = Limits::new(code, seed, Top::Decoder);
    let solver = code.config.key_equation(limits.strength).0;
    let search = u64::from(code.config.k_max().0.div_ceil(code.config.p_c));
    let measure = |errors| {
        let load = Load { strength: limits.strength, data: &limits.data, errors, seed };
        measure::decoder(code, &load)
    };
    let worst =
        |latencies: &[Cycles]| latencies.iter().map(|latency| latency.0).max().unwrap_or(0) as f64;
    let clean = measure(0)?;
    limits.check("period without errors", clean.period_clocks, limits.words)?;
    limits.check("first word without errors", worst(&clean.first_word), 8)?;
    limits.check("status without errors", worst(&clean.status), search + 8)?;
    let full = measure(usize::from(limits.strength.0))?;
    limits.check("period", full.period_clocks, u64::max(limits.words, solver + 2))?;
    limits.check("last word", worst(&full.last_word), solver + search + 8)?;
    let early = early_status(code, &limits.data[0], seed)?;
    limits.check("status behind the last word", early as f64, 4)
}

/// What the bounds are measured on: codewords of the greatest length and strength.
struct Limits {
    model: String,
    strength: Strength,
    data: Vec<Vec<u8>>,
    /// Words of a codeword as it comes.
    words: u64,
}

impl Limits {
    fn new(code: &NamedCode, seed: u64, top: Top) -> Self {
        let config = &code.config;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let strength = Strength(config.t_max as u16);
        let parts = [config.k_max(), config.parity(strength)];
        Self {
            model: model_name(top.module(), code),
            strength,
            data: longest(code, &mut rng, 10).into_iter().map(|message| message.data).collect(),
            words: parts.iter().map(|bits| u64::from(bits.0.div_ceil(config.p))).sum(),
        }
    }

    fn check(&self, corner: &str, is: f64, most: u64) -> Result<(), CornerError> {
        if is <= most as f64 {
            return Ok(());
        }
        let what = format!("{is} clocks, at most {most} are allowed");
        Err(CornerError::Wrong { model: self.model.clone(), corner: corner.to_owned(), what })
    }
}

/// Clocks from the last word to the status of a codeword whose one error is its first bit.
fn early_status(code: &NamedCode, data: &[u8], seed: u64) -> Result<u64, CornerError> {
    let mut golden = GoldenCodes::new(&code.config);
    let strength = Strength(code.config.t_max as u16);
    let mut received: Received = golden.received(&Message { strength, data: data.to_vec() });
    golden.flip(&mut received, &[BitIndex(0)]);
    let mut decoder = super::RtlDecoder::new(code, seed)?;
    let corrected = decoder.decode(&[received], verilated::Stalls::default())?;
    let passage = corrected[0].passage;
    Ok(passage.status_clock - passage.last_out_clock)
}
