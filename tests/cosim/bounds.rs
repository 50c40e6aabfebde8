//! Clocks of the RTL against its bounds, at every configuration, for the weakest, a middle and the
//! strongest code.

use floatgate_cosim::measure::{self, Load};
use floatgate_hal::units::{Cycles, Strength};
use floatgate_model::config::NamedCode;
use rayon::prelude::*;

use crate::codes;

/// Clocks that a codeword may take beyond the words of the stream.
const PERIOD_SPARE_CLOCKS: f64 = 4.0;
/// Clocks from the last word in to the first word out where there is no error.
const FIRST_WORD_CLOCKS: u64 = 8;
/// Clocks beyond key equation and search to the last corrected word.
const LAST_WORD_SPARE_CLOCKS: u64 = 8;

/// Configurations at full length; the tiny one has more clocks of key equation than of words.
fn measured() -> Vec<(NamedCode, Strength)> {
    let codes = codes().into_iter().filter(|code| code.name != "n23-m5-t3");
    codes
        .flat_map(|code| {
            let strengths: Vec<Strength> = code.config.strengths().collect();
            let picked = [0, strengths.len() / 2, strengths.len() - 1].map(|i| strengths[i]);
            let mut picked = picked.to_vec();
            picked.dedup();
            picked.into_iter().map(move |t| (code.clone(), t)).collect::<Vec<_>>()
        })
        .collect()
}

fn data(code: &NamedCode) -> Vec<Vec<u8>> {
    let bytes = code.config.k_max_bytes as usize;
    (0..5_usize).map(|i| (0..bytes).map(|j| (j * 31 + i * 17) as u8).collect()).collect()
}

/// Words of a codeword on the stream.
fn words(code: &NamedCode, t: Strength) -> f64 {
    let config = &code.config;
    f64::from((config.k_max().0 + config.parity(t).0).div_ceil(config.p))
}

#[test]
fn encoder_takes_a_word_a_clock() {
    measured().par_iter().for_each(|(code, t)| {
        let data = data(code);
        let load = Load { strength: *t, data: &data, errors: 0, seed: 1 };
        let clocks = measure::encoder(code, &load).unwrap();
        let bound = words(code, *t) + PERIOD_SPARE_CLOCKS;
        assert!(
            clocks.period_clocks <= bound,
            "{} t = {t}: {} clocks, bound {bound}",
            code.name,
            clocks.period_clocks
        );
    });
}

#[test]
fn decoder_takes_a_word_a_clock_with_and_without_errors() {
    measured().par_iter().for_each(|(code, t)| {
        let data = data(code);
        for errors in [0, usize::from(t.0)] {
            let load = Load { strength: *t, data: &data, errors, seed: 1 };
            let clocks = measure::decoder(code, &load).unwrap();
            let bound = words(code, *t) + PERIOD_SPARE_CLOCKS;
            let period = clocks.period_clocks;
            assert!(
                period <= bound,
                "{} t = {t}, {errors} errors: {period} clocks, bound {bound}",
                code.name
            );
            check_latency(code, *t, errors, &clocks);
        }
    });
}

fn check_latency(code: &NamedCode, t: Strength, errors: usize, clocks: &measure::DecoderClocks) {
    let config = &code.config;
    let place = format!("{} t = {t}, {errors} errors", code.name);
    let search = u64::from((8 * config.k_max_bytes).div_ceil(config.p_c));
    if errors == 0 {
        let first = clocks.first_word.iter().max().unwrap();
        assert!(first.0 <= FIRST_WORD_CLOCKS, "{place}: first word after {first}");
    } else {
        let Cycles(key_equation) = config.key_equation(t);
        let bound = key_equation + search + LAST_WORD_SPARE_CLOCKS;
        let last = clocks.last_word.iter().max().unwrap();
        assert!(last.0 <= bound, "{place}: last word after {last}, bound {bound}");
    }
}

/// A codeword without errors does not wait for what is not there to be corrected.
#[test]
fn latency_depends_on_the_errors() {
    let code = crate::code("b512-m13-t24");
    let data = data(&code);
    let latency = |errors| {
        let load = Load { strength: Strength(8), data: &data, errors, seed: 3 };
        *measure::decoder(&code, &load).unwrap().first_word.iter().max().unwrap()
    };
    assert!(latency(0) < Cycles(10));
    assert!(latency(1) > Cycles(100), "one error costs the key equation");
}
