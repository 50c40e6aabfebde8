//! Clocks of the RTL against its bounds, at every configuration, for the weakest, a middle and the
//! strongest code.

use floatgate_cosim::ecc::bounds;
use floatgate_cosim::measure::{self, Load};
use floatgate_hal::units::{Cycles, Strength};
use floatgate_model::config::NamedCode;
use rayon::prelude::*;

use crate::codes;

const SEED: u64 = 1;

/// Clocks that a codeword may take beyond the bits of the stream.
const PERIOD_SPARE: Cycles = Cycles(4);

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

#[test]
fn encoder_takes_a_word_a_clock() {
    measured().par_iter().for_each(|(code, t)| {
        bounds::encoder(code, *t, SEED).unwrap_or_else(|error| panic!("{error}"));
    });
}

#[test]
fn decoder_takes_a_word_a_clock_with_and_without_errors() {
    measured().par_iter().for_each(|(code, t)| {
        let config = &code.config;
        let bits = config.k_max().0 + config.parity(*t).0;
        let most = Cycles(u64::from(bits.div_ceil(config.p)) + PERIOD_SPARE.0);
        let period = bounds::decoder_period(code, *t);
        assert!(period <= most, "{} t = {t}: period {period:?}, at most {most:?}", code.name);
        bounds::decoder(code, *t, SEED).unwrap_or_else(|error| panic!("{error}"));
    });
}

/// A codeword without errors does not wait for what is not there to be corrected.
#[test]
fn latency_depends_on_the_errors() {
    let code = crate::code("b512-m13-t24");
    let data: Vec<Vec<u8>> = (0..3).map(|i| vec![0x5a ^ i; 512]).collect();
    let latency = |errors| {
        let load = Load { strength: Strength(8), data: &data, errors, seed: 3 };
        *measure::decoder(&code, &load).unwrap().first_word.iter().max().unwrap()
    };
    assert!(latency(0) < Cycles(10));
    assert!(latency(1) > Cycles(100), "one error costs the key equation");
}
