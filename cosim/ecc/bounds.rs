//! Bounds on the clocks that the codec takes, and whether it keeps them.
//!
//! In: a configuration, a strength and a seed; the codewords are of the greatest length. Out:
//! nothing, or the first bound that is exceeded. Latencies are those of codewords on their own.

use floatgate_hal::units::{Cycles, Strength};
use floatgate_model::config::NamedCode;
use floatgate_model::ecc::BitIndex;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;
use verilated::Stalls;

use super::stimulus::GoldenCodes;
use super::{Message, Passage, Received, RtlDecoder, RtlEncoder, Top, model_name};
use crate::measure::{self, Load, MeasureError};

/// Between codewords without errors, where these are not longer: the key-equation solver's least.
const CLEAN_PERIOD: Cycles = Cycles(3);
/// From the last word in to the first word out where there is no error.
const CLEAN_FIRST_WORD: Cycles = Cycles(8);
/// Beyond search, and key equation where there are errors, to the last word out.
const LAST_WORD_SPARE: Cycles = Cycles(8);
/// From the last word of the message to the status where all errors are in the message.
const EARLY_STATUS: Cycles = Cycles(2);
/// From a rejected command to its status.
const ENCODER_REJECTION: Cycles = Cycles(3);
/// The same for the decoder, whose status passes the pipeline.
const DECODER_REJECTION: Cycles = Cycles(8);

/// Codewords of a measurement.
const CODEWORDS: usize = 5;

/// A bound that is not kept, or why it could not be looked at.
#[derive(Debug, Error)]
pub enum BoundError {
    /// A failing assertion.
    #[error("{0}")]
    Rtl(#[from] verilated::Error),
    /// A measurement found wrong data.
    #[error("{0}")]
    Measure(#[from] MeasureError),
    /// Too many clocks.
    #[error("{model}, strength {strength}: {what} takes {clocks} clocks, at most {most} allowed")]
    Exceeded {
        /// The model.
        model: String,
        /// Strength of the codewords.
        strength: Strength,
        /// What was measured.
        what: &'static str,
        /// How long it took.
        clocks: f64,
        /// How long it may take.
        most: u64,
    },
}

/// Clocks of the longest codeword on the stream, message and parity in words of their own.
fn words(code: &NamedCode, strength: Strength) -> Cycles {
    let parts = [code.config.k_max(), code.config.parity(strength)];
    Cycles(parts.iter().map(|bits| u64::from(bits.0.div_ceil(code.config.p))).sum())
}

/// Clocks between codewords in the decoder that follow without a gap: none idle, where the
/// key-equation solver is not slower than the words come.
pub fn decoder_period(code: &NamedCode, strength: Strength) -> Cycles {
    words(code, strength).max(Cycles(code.config.key_equation(strength).0 + 2))
}

/// The encoder's: no idle clock between codewords, and the status of a rejected command.
///
/// # Errors
/// [`BoundError`].
pub fn encoder(code: &NamedCode, strength: Strength, seed: u64) -> Result<(), BoundError> {
    let bound = Bound { code, top: Top::Encoder, strength };
    let data = data(code, seed);
    let measured = measure::encoder(code, &Load { strength, data: &data, errors: 0, seed })?;
    bound.check("a codeword among others", measured.period_clocks, words(code, strength))?;
    let rejected = Message { strength: Strength(0), data: vec![0] };
    let encoded = RtlEncoder::new(code, seed)?.encode(&[rejected], Stalls::default())?;
    bound.check("a rejection", rejection_clocks(&encoded[0].passage), ENCODER_REJECTION)
}

/// The decoder's: no idle clock between codewords, with and without errors; first and last word
/// out; the status where no error is in the parity, where the search goes on behind the message
/// only as long as errors are missing; and the status of a rejected command.
///
/// # Errors
/// [`BoundError`].
pub fn decoder(code: &NamedCode, strength: Strength, seed: u64) -> Result<(), BoundError> {
    let bound = Bound { code, top: Top::Decoder, strength };
    let data = data(code, seed);
    let worst = |latencies: &[Cycles]| latencies.iter().max().map_or(0.0, |most| most.0 as f64);
    let search = u64::from(code.config.k_max().0.div_ceil(code.config.p_c));
    let search = Cycles(search + LAST_WORD_SPARE.0);

    let clean = measure::decoder(code, &Load { strength, data: &data, errors: 0, seed })?;
    let period = words(code, strength).max(CLEAN_PERIOD);
    bound.check("a codeword without errors", clean.period_clocks, period)?;
    bound.check("the first word without errors", worst(&clean.first_word), CLEAN_FIRST_WORD)?;
    bound.check("the status without errors", worst(&clean.status), search)?;

    let errors = usize::from(strength.0);
    let full = measure::decoder(code, &Load { strength, data: &data, errors, seed })?;
    bound.check("a codeword with t errors", full.period_clocks, decoder_period(code, strength))?;
    let solved = Cycles(code.config.key_equation(strength).0 + search.0);
    bound.check("the last word with t errors", worst(&full.last_word), solved)?;

    let mut golden = GoldenCodes::new(&code.config);
    let sent = golden.received(&Message { strength, data: data[0].clone() });
    let mut received = sent.clone();
    golden.flip(&mut received, &[BitIndex(0)]);
    let mut decoder = RtlDecoder::new(code, seed)?;
    let passage = decoder.decode(&[received], Stalls::default())?[0].passage;
    // The CRC is message and does not go out.
    let words_of = |bits: u32| u64::from(bits.div_ceil(code.config.p_c));
    let unseen = words_of(code.config.k_max().0) - words_of(8 * code.config.k_max_bytes);
    let status_clocks = passage.status_clock.saturating_sub(passage.last_out_clock);
    let early = Cycles(EARLY_STATUS.0 + unseen);
    bound.check("the status behind the message", status_clocks as f64, early)?;

    let rejected = Received { strength: Strength(0), ..sent };
    let passage = decoder.decode(&[rejected], Stalls::default())?[0].passage;
    bound.check("a rejection", rejection_clocks(&passage), DECODER_REJECTION)
}

fn rejection_clocks(passage: &Passage) -> f64 {
    (passage.status_clock - passage.command_clock) as f64
}

/// Random data of the greatest length.
fn data(code: &NamedCode, seed: u64) -> Vec<Vec<u8>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut longest = vec![0; code.config.k_max_bytes as usize];
    let codewords = (0..CODEWORDS).map(|_| {
        rng.fill(&mut longest[..]);
        longest.clone()
    });
    codewords.collect()
}

/// What is bounded.
struct Bound<'a> {
    code: &'a NamedCode,
    top: Top,
    strength: Strength,
}

impl Bound<'_> {
    fn check(&self, what: &'static str, clocks: f64, most: Cycles) -> Result<(), BoundError> {
        if clocks <= most.0 as f64 {
            return Ok(());
        }
        let model = model_name(self.top.module(), self.code);
        Err(BoundError::Exceeded { model, strength: self.strength, what, clocks, most: most.0 })
    }
}
