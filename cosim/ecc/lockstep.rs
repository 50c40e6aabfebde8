//! The RTL codec against the software codec, codeword by codeword.
//!
//! In: a configuration, a seed and a number of codewords. Out: a tally, or the first codeword on
//! which the two part, with the line that runs it again. Compared are the parity, the data that
//! leave, also those of an uncorrectable codeword, and the status with its count, which is zero for
//! an uncorrectable one; clocks are bounded in [`super::bounds`].

use std::collections::BTreeMap;
use std::fmt;

use floatgate_hal::units::Strength;
use floatgate_model::config::NamedCode;
use floatgate_model::ecc::{BitIndex, verified_data};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;
use verilated::Stalls;

use super::stimulus::{ErrorPattern, GoldenCodes, random_message};
use super::{
    Corrected, Encoded, Message, Received, RtlDecoder, RtlEncoder, Status, Top, admission,
};

/// Codewords that are sent without a pause between them.
const BATCH: usize = 24;

/// How often each outcome was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Codewords through the decoder.
    pub codewords: usize,
    /// Of each layout of errors, how many ended in which kind of status.
    pub outcomes: BTreeMap<(String, &'static str), usize>,
}

impl Tally {
    fn count(&mut self, pattern: Option<ErrorPattern>, status: Status) {
        let pattern = pattern.map_or("Rejected".to_owned(), |pattern| format!("{pattern:?}"));
        let outcome = match status {
            Status::Ok { .. } => "ok",
            Status::Uncorrectable => "uncorrectable",
            Status::CrcMismatch { .. } => "crc mismatch",
            _ => "rejected",
        };
        self.codewords += 1;
        *self.outcomes.entry((pattern, outcome)).or_default() += 1;
    }

    /// Adds another run's counts.
    pub fn add(&mut self, other: &Self) {
        self.codewords += other.codewords;
        for (key, count) in &other.outcomes {
            *self.outcomes.entry(key.clone()).or_default() += count;
        }
    }

    /// Number of codewords that ended in a kind of status.
    pub fn ended(&self, outcome: &str) -> usize {
        self.outcomes.iter().filter(|((_, o), _)| *o == outcome).map(|(_, count)| count).sum()
    }
}

/// Why a lockstep run ended early.
#[derive(Debug, Error)]
pub enum LockstepError {
    /// An assertion failed or a stream stood still.
    #[error("{place}: {source}")]
    Rtl {
        /// Configuration and seed.
        place: Place,
        /// What happened.
        source: verilated::Error,
    },
    /// The two codecs part.
    #[error("{place}: codeword {index} of strength {strength}, {bytes} data bytes: {what}")]
    Mismatch {
        /// Configuration and seed.
        place: Place,
        /// Number of the codeword in the run.
        index: usize,
        /// Its strength.
        strength: Strength,
        /// Length of its data.
        bytes: usize,
        /// What differs.
        what: String,
    },
}

/// Where in the regressions a run stands; prints the line that runs it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the configuration.
    pub code: String,
    /// Seed of the run.
    pub seed: u64,
    /// Codewords of the run.
    pub codewords: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, seed, codewords } = self;
        write!(
            f,
            "{code} (again: FLOATGATE_LOCKSTEP={code}:{seed}:{codewords} \
             cargo test --release --test cosim lockstep_of_one)"
        )
    }
}

/// What is sent to the decoder, and what the software codec says of it.
struct Case {
    pattern: Option<ErrorPattern>,
    received: Received,
    expected: (Status, Vec<u8>),
}

/// Runs encoder and decoder of a configuration against the software codec.
///
/// # Errors
/// [`LockstepError`] with the first difference.
pub fn run(code: &NamedCode, seed: u64, codewords: usize) -> Result<Tally, LockstepError> {
    run_tops(code, &Top::ALL, seed, codewords)
}

/// The same with some of the tops, on the same stimuli.
///
/// # Errors
/// [`LockstepError`] with the first difference.
pub fn run_tops(
    code: &NamedCode,
    tops: &[Top],
    seed: u64,
    codewords: usize,
) -> Result<Tally, LockstepError> {
    let place = Place { code: code.name.clone(), seed, codewords };
    let rtl = |source| LockstepError::Rtl { place: place.clone(), source };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut golden = GoldenCodes::new(&code.config);
    let has = |top| tops.contains(&top);
    let mut encoder =
        has(Top::Encoder).then(|| RtlEncoder::new(code, seed)).transpose().map_err(rtl)?;
    let mut decoder =
        has(Top::Decoder).then(|| RtlDecoder::new(code, seed)).transpose().map_err(rtl)?;
    let mut tally = Tally::default();
    for first in (0..codewords).step_by(BATCH) {
        let count = BATCH.min(codewords - first);
        let messages: Vec<Message> = (0..count).map(|_| draw_message(&mut rng, code)).collect();
        let stall_per_256 = *[0, 0, 32, 128, 224].get(rng.random_range(0..5)).unwrap_or(&0);
        let stalls = Stalls::uniform(stall_per_256, rng.random());
        let encoded = match &mut encoder {
            Some(encoder) => encoder.encode(&messages, stalls).map_err(rtl)?,
            None => Vec::new(),
        };
        let cases: Vec<Case> = messages
            .iter()
            .map(|message| draw_case(&mut rng, code, &mut golden, message))
            .collect();
        let received: Vec<Received> = cases.iter().map(|case| case.received.clone()).collect();
        let corrected = match &mut decoder {
            Some(decoder) => decoder.decode(&received, stalls).map_err(rtl)?,
            None => Vec::new(),
        };
        for i in 0..count {
            let message = &messages[i];
            let encoded = encoded
                .get(i)
                .map_or(Ok(()), |encoded| compare_encoded(code, &mut golden, message, encoded));
            encoded
                .and_then(|()| match corrected.get(i) {
                    Some(corrected) => compare_corrected(&cases[i], corrected),
                    None => Ok(()),
                })
                .map_err(|what| LockstepError::Mismatch {
                    place: place.clone(),
                    index: first + i,
                    strength: message.strength,
                    bytes: message.data.len(),
                    what,
                })?;
            tally.count(cases[i].pattern, cases[i].expected.0);
        }
    }
    Ok(tally)
}

/// A message, or one in thirty times one that is to be rejected.
fn draw_message(rng: &mut ChaCha8Rng, code: &NamedCode) -> Message {
    let mut message = random_message(rng, code);
    let config = &code.config;
    match rng.random_range(0..90) {
        0 => message.data.clear(),
        1 => message.data = vec![0; config.k_max_bytes as usize + 1],
        2 => message.strength = refused_strength(rng, code),
        _ => {}
    }
    message
}

/// A strength that the configuration refuses: none, one more than it has, and in a fixed one any
/// other.
fn refused_strength(rng: &mut ChaCha8Rng, code: &NamedCode) -> Strength {
    let all = (0..=code.config.t_max as u16 + 1).map(Strength);
    let refused: Vec<Strength> = all.filter(|&t| admission(code, t, 1).is_some()).collect();
    refused[rng.random_range(0..refused.len())]
}

fn draw_case(
    rng: &mut ChaCha8Rng,
    code: &NamedCode,
    golden: &mut GoldenCodes,
    message: &Message,
) -> Case {
    if let Some(status) = admission(code, message.strength, message.data.len()) {
        let received = Received {
            strength: message.strength,
            message: vec![0; message.data.len() + if code.config.crc { 4 } else { 0 }],
            parity: Vec::new(),
        };
        return Case { pattern: None, received, expected: (status, Vec::new()) };
    }
    let pattern = ErrorPattern::ALL[rng.random_range(0..ErrorPattern::ALL.len())];
    let mut received = golden.received(message);
    let bch = golden.code(message.strength, received.message.len());
    let positions = pattern.draw(rng, message.strength, bch.data_bits(), bch.parity_bits());
    golden.flip(&mut received, &positions);
    let expected = expect(code, golden, &received);
    Case { pattern: Some(pattern), received, expected }
}

/// Status and data that the software codec predicts for the decoder, which flips what it finds
/// before it knows whether that is all.
pub fn expect(
    code: &NamedCode,
    golden: &mut GoldenCodes,
    received: &Received,
) -> (Status, Vec<u8>) {
    let bch = golden.code(received.strength, received.message.len());
    let located = bch.locate(&received.message, &received.parity);
    let mut fixed = received.clone();
    golden.flip(&mut fixed, &located.positions);
    let data_bytes = fixed.message.len() - if code.config.crc { 4 } else { 0 };
    let checked = !code.config.crc || verified_data(&fixed.message).is_some();
    let flipped_bits = located.positions.len() as u8;
    let status = match (located.is_correctable(), checked) {
        (false, _) => Status::Uncorrectable,
        (true, false) => Status::CrcMismatch { flipped_bits },
        (true, true) => Status::Ok { corrected_bits: flipped_bits },
    };
    fixed.message.truncate(data_bytes);
    (status, fixed.message)
}

fn compare_encoded(
    code: &NamedCode,
    golden: &mut GoldenCodes,
    message: &Message,
    encoded: &Encoded,
) -> Result<(), String> {
    if let Some(status) = admission(code, message.strength, message.data.len()) {
        return equal("encoder's status", &encoded.status, &status);
    }
    let expected = golden.received(message);
    equal("encoder's status", &encoded.status, &Status::Ok { corrected_bits: 0 })?;
    equal("encoder's message", &encoded.message, &expected.message)?;
    equal("parity", &encoded.parity, &expected.parity)
}

fn compare_corrected(case: &Case, corrected: &Corrected) -> Result<(), String> {
    let pattern = case.pattern;
    let (status, data) = &case.expected;
    equal(&format!("decoder's status ({pattern:?})"), &corrected.status, status)?;
    let differs = corrected.data.iter().zip(data).position(|(rtl, model)| rtl != model);
    match differs {
        Some(byte) => Err(format!("decoder's data ({pattern:?}) differ first in byte {byte}")),
        None => equal("length of the decoder's data", &corrected.data.len(), &data.len()),
    }
}

fn equal<T: PartialEq + fmt::Debug>(what: &str, rtl: &T, model: &T) -> Result<(), String> {
    if rtl == model { Ok(()) } else { Err(format!("{what}: RTL {rtl:02x?}, model {model:02x?}")) }
}

/// Positions of `count` errors anywhere in a codeword, for sweeps and tests.
pub fn errors_anywhere(rng: &mut ChaCha8Rng, codeword_bits: u32, count: usize) -> Vec<BitIndex> {
    rand::seq::index::sample(rng, codeword_bits as usize, count)
        .into_iter()
        .map(|position| BitIndex(position as u32))
        .collect()
}
