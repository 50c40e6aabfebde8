//! Clocks that the codec RTL takes: latency of codewords on their own, and the period at which
//! they follow each other without a gap.
//!
//! In: a configuration, a strength, a number of errors, and data. Out: samples in clocks, one per
//! codeword. Every codeword is checked on the way: a latency of wrong data is worth nothing.

use floatgate_hal::units::{Cycles, Strength};
use floatgate_model::config::NamedCode;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;
use verilated::Stalls;

use crate::ecc::lockstep::errors_anywhere;
use crate::ecc::stimulus::GoldenCodes;
use crate::ecc::{Corrected, Message, Passage, Received, RtlDecoder, RtlEncoder, Status};

/// What is measured: codewords of one strength over given data.
#[derive(Clone, Debug)]
pub struct Load<'a> {
    /// Strength of all codewords.
    pub strength: Strength,
    /// Data of each codeword.
    pub data: &'a [Vec<u8>],
    /// Errors injected into each codeword, at seeded positions.
    pub errors: usize,
    /// Seed of the positions.
    pub seed: u64,
}

/// Encoder figures.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderClocks {
    /// From the first word accepted to the last word out, of each codeword on its own.
    pub latencies: Vec<Cycles>,
    /// Between the last words of codewords that follow without a gap, mean.
    pub period_clocks: f64,
}

/// Decoder figures; latencies count from the last word accepted, for each codeword on its own.
#[derive(Clone, Debug, PartialEq)]
pub struct DecoderClocks {
    /// To the first corrected word.
    pub first_word: Vec<Cycles>,
    /// To the last corrected word.
    pub last_word: Vec<Cycles>,
    /// To the status.
    pub status: Vec<Cycles>,
    /// Between the last words in of codewords that follow without a gap, mean.
    pub period_clocks: f64,
}

/// Why a measurement ended.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// An assertion failed, or a stream stood still.
    #[error("{code}: {source}")]
    Rtl {
        /// Name of the configuration.
        code: String,
        /// What happened.
        source: verilated::Error,
    },
    /// The RTL did its work wrong.
    #[error("{code}: codeword {index} of strength {strength} with {errors} errors: {what}")]
    Wrong {
        /// Name of the configuration.
        code: String,
        /// Number of the codeword.
        index: usize,
        /// Strength.
        strength: Strength,
        /// Errors injected.
        errors: usize,
        /// What was wrong.
        what: &'static str,
    },
}

/// Clocks between events of codewords that follow without a gap, from the second codeword on: the
/// first one finds an empty pipeline.
fn mean_period(passages: &[Passage], event: impl Fn(&Passage) -> u64) -> f64 {
    let settled = &passages[1..];
    let (first, last) = (event(&settled[0]), event(&settled[settled.len() - 1]));
    (last - first) as f64 / (settled.len() - 1) as f64
}

/// Measures the encoder.
///
/// # Errors
/// [`MeasureError`], also where the parity is not the software codec's.
///
/// # Panics
/// With fewer than three codewords.
pub fn encoder(code: &NamedCode, load: &Load<'_>) -> Result<EncoderClocks, MeasureError> {
    assert!(load.data.len() >= 3, "a period needs three codewords");
    let rtl = |source| MeasureError::Rtl { code: code.name.clone(), source };
    let mut golden = GoldenCodes::new(&code.config);
    let mut encoder = RtlEncoder::new(code, load.seed).map_err(rtl)?;
    let messages: Vec<Message> = load
        .data
        .iter()
        .map(|data| Message { strength: load.strength, data: data.clone() })
        .collect();
    let mut latencies = Vec::with_capacity(messages.len());
    for (index, message) in messages.iter().enumerate() {
        let encoded =
            encoder.encode(std::slice::from_ref(message), Stalls::default()).map_err(rtl)?;
        if encoded[0].parity != golden.received(message).parity {
            let (strength, what) = (load.strength, "the parity is not the software codec's");
            let code = code.name.clone();
            return Err(MeasureError::Wrong { code, index, strength, errors: 0, what });
        }
        let passage = encoded[0].passage;
        latencies.push(Cycles(passage.last_out_clock - passage.first_in_clock));
    }
    let together = encoder.encode(&messages, Stalls::default()).map_err(rtl)?;
    let passages: Vec<Passage> = together.iter().map(|encoded| encoded.passage).collect();
    Ok(EncoderClocks { latencies, period_clocks: mean_period(&passages, |p| p.last_out_clock) })
}

/// Measures the decoder.
///
/// # Errors
/// [`MeasureError`], also where a codeword is not restored.
///
/// # Panics
/// With fewer than three codewords, or more errors than the strength.
pub fn decoder(code: &NamedCode, load: &Load<'_>) -> Result<DecoderClocks, MeasureError> {
    assert!(load.data.len() >= 3, "a period needs three codewords");
    assert!(load.errors <= usize::from(load.strength.0), "latency of what can't be corrected");
    let rtl = |source| MeasureError::Rtl { code: code.name.clone(), source };
    let received = received(code, load);
    let mut decoder = RtlDecoder::new(code, load.seed).map_err(rtl)?;
    let mut clocks = DecoderClocks {
        first_word: Vec::new(),
        last_word: Vec::new(),
        status: Vec::new(),
        period_clocks: 0.0,
    };
    for (index, codeword) in received.iter().enumerate() {
        let corrected =
            decoder.decode(std::slice::from_ref(codeword), Stalls::default()).map_err(rtl)?;
        check(code, load, index, &corrected[0])?;
        let passage = corrected[0].passage;
        clocks.first_word.push(Cycles(passage.first_out_clock - passage.last_in_clock));
        clocks.last_word.push(Cycles(passage.last_out_clock - passage.last_in_clock));
        clocks.status.push(Cycles(passage.status_clock - passage.last_in_clock));
    }
    let together = decoder.decode(&received, Stalls::default()).map_err(rtl)?;
    for (index, corrected) in together.iter().enumerate() {
        check(code, load, index, corrected)?;
    }
    let passages: Vec<Passage> = together.iter().map(|corrected| corrected.passage).collect();
    clocks.period_clocks = mean_period(&passages, |p| p.last_in_clock);
    Ok(clocks)
}

/// The load's codewords, with their errors.
fn received(code: &NamedCode, load: &Load<'_>) -> Vec<Received> {
    let mut rng = ChaCha8Rng::seed_from_u64(load.seed);
    let mut golden = GoldenCodes::new(&code.config);
    let with_errors = load.data.iter().map(|data| {
        let message = Message { strength: load.strength, data: data.clone() };
        let mut received = golden.received(&message);
        let bits = golden.code(load.strength, received.message.len()).codeword_bits();
        golden.flip(&mut received, &errors_anywhere(&mut rng, bits.0, load.errors));
        received
    });
    with_errors.collect()
}

fn check(
    code: &NamedCode,
    load: &Load<'_>,
    index: usize,
    corrected: &Corrected,
) -> Result<(), MeasureError> {
    let status = Status::Ok { corrected_bits: load.errors as u8 };
    let what = if corrected.status != status {
        "the status is not that all errors were corrected"
    } else if corrected.data != load.data[index] {
        "the data are not restored"
    } else {
        return Ok(());
    };
    let Load { strength, errors, .. } = *load;
    Err(MeasureError::Wrong { code: code.name.clone(), index, strength, errors, what })
}

/// Codewords with more errors than the strength, and how many of them passed as good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miscorrected {
    /// Codewords tried.
    pub codewords: u64,
    /// Those that came out with a good status; their data are wrong.
    pub passed: u64,
}

/// Counts miscorrections of the decoder at a number of errors above the strength.
///
/// # Errors
/// [`MeasureError::Rtl`].
pub fn miscorrection(code: &NamedCode, load: &Load<'_>) -> Result<Miscorrected, MeasureError> {
    let rtl = |source| MeasureError::Rtl { code: code.name.clone(), source };
    let received = received(code, load);
    let mut decoder = RtlDecoder::new(code, load.seed).map_err(rtl)?;
    let corrected = decoder.decode(&received, Stalls::default()).map_err(rtl)?;
    let good = corrected.iter().filter(|c| matches!(c.status, Status::Ok { .. })).count();
    Ok(Miscorrected { codewords: corrected.len() as u64, passed: good as u64 })
}
