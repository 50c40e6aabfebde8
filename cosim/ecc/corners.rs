//! Corner cases of the codec, which random codewords and stalls do not reach: an output or a status
//! held up for as long as anything still moves, reset in the middle of codewords, noise in the bits
//! that fill a word, and errors that make the key-equation solver give up.
//!
//! In: a configuration and a seed. Out: nothing, or the first thing that is not as the software
//! codec or the algebra says.

use floatgate_hal::units::Strength;
use floatgate_model::config::NamedCode;
use floatgate_model::ecc::{BchCode, BitIndex, Field, generator};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;
use verilated::Stalls;

use super::bench::{Bench, Traffic};
use super::stimulus::{ErrorPattern, GoldenCodes, random_message};
use super::{Message, RtlDecoder, Status, Top, model_name};

/// What went wrong in a corner.
#[derive(Debug, Error)]
pub enum CornerError {
    /// A failing assertion.
    #[error("{0}")]
    Rtl(#[from] verilated::Error),
    /// Wrong words or statuses.
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
    Ok((Bench::new(top, code, seed)?, traffic))
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
        let mut bench = Bench::new(Top::Decoder, code, seed)?;
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
        bench.streams.model.reset(1)?;
        let corner = format!("reset after {after} clocks");
        bench.check(&corner, &traffic, clocks, |_| [true, true])?;
    }
    Ok(())
}

/// Errors that make the key-equation solver give up, in every other codeword; those between have t
/// errors. One pattern of that kind is the generator polynomial of the code one weaker, wherever it
/// stands: S_1 to S_{2t-2} are zero and S_{2t-1} is not, so the locator's length jumps from 0 to
/// 2t - 1, which is more than t where t > 1. Such a codeword must leave as it came, uncorrectable.
///
/// # Errors
/// [`CornerError`].
pub fn given_up(code: &NamedCode, seed: u64) -> Result<(), CornerError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut golden = GoldenCodes::new(&code.config);
    let mut received = Vec::new();
    let mut expected = Vec::new();
    for strength in code.config.strengths().filter(|t| t.0 > 1) {
        let message = Message { strength, ..random_message(&mut rng, code) };
        let sent = golden.received(&message);
        let bch = golden.code(strength, sent.message.len());
        let mut with = |positions: &[BitIndex]| {
            let mut codeword = sent.clone();
            golden.flip(&mut codeword, positions);
            codeword
        };
        let hopeless = with(&weaker_generator(&mut rng, code, &bch));
        let (k, r) = (bch.data_bits(), bch.parity_bits());
        let full = with(&ErrorPattern::Full.draw(&mut rng, strength, k, r));
        expected.push((Status::Uncorrectable, hopeless.message.clone()));
        expected.push((Status::Ok { corrected_bits: strength.0 as u8 }, sent.message));
        received.extend([hopeless, full]);
    }
    let decoded = RtlDecoder::new(code, seed)?.decode(&received, Stalls::default())?;
    for (index, (is, (status, message))) in decoded.iter().zip(&expected).enumerate() {
        if is.status != *status || !message.starts_with(&is.data) {
            let model = model_name(Top::Decoder.module(), code);
            let corner = format!("a solver that gives up, codeword {index}");
            let what = format!("status {:?}, not {status:?}, or other data", is.status);
            return Err(CornerError::Wrong { model, corner, what });
        }
    }
    Ok(())
}

/// Where the generator polynomial of the next weaker code has its terms, moved to anywhere in a
/// codeword.
fn weaker_generator(rng: &mut ChaCha8Rng, code: &NamedCode, bch: &BchCode) -> Vec<BitIndex> {
    let field = Field::of_degree(code.config.m);
    let terms = generator(field, u32::from(bch.strength().0) - 1);
    // The codeword's last bit is the coefficient of x^0.
    let first = rng.random_range(terms.len()..=bch.codeword_bits().0 as usize);
    terms.iter_ones().map(|term| BitIndex((first - 1 - term) as u32)).collect()
}
