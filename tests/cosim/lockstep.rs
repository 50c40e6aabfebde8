//! RTL codec against software codec: all configurations, strengths, lengths, error counts 0 to 2t,
//! bursts, edge positions, rejected commands and random stalls.

use floatgate_cosim::ecc::lockstep::{self, Tally};
use floatgate_model::config::{CodeConfig, NamedCode};
use rayon::prelude::*;

use crate::codes;

/// Codewords of all configurations together; FLOATGATE_LOCKSTEP_SCALE multiplies them.
const CODEWORDS: usize = 21_000;

/// Codewords of a configuration: the same simulated bits for each, but at least this many.
const CODEWORDS_MIN: usize = 250;

/// Codewords of one run; several runs of a configuration go side by side with other seeds.
const RUN: usize = 500;

/// How the codewords are shared out: small codes get most, since large ones take long.
fn shares(codes: &[NamedCode], total: usize) -> Vec<usize> {
    let weight = |config: &CodeConfig| {
        let clocks = f64::from(config.n_max().0) / f64::from(config.p);
        1.0 / (clocks * f64::from(config.t_max + 8))
    };
    let sum: f64 = codes.iter().map(|code| weight(&code.config)).sum();
    let spare = total - codes.len() * CODEWORDS_MIN;
    codes
        .iter()
        .map(|code| CODEWORDS_MIN + (spare as f64 * weight(&code.config) / sum).ceil() as usize)
        .collect()
}

#[test]
fn rtl_and_model_agree() {
    let scale: usize = std::env::var("FLOATGATE_LOCKSTEP_SCALE")
        .map_or(1, |scale| scale.parse().expect("FLOATGATE_LOCKSTEP_SCALE is a number"));
    let codes = codes();
    let mut runs = Vec::new();
    for (code, share) in codes.iter().zip(shares(&codes, CODEWORDS * scale)) {
        for (index, first) in (0..share).step_by(RUN).enumerate() {
            runs.push((code, index as u64 + 1, RUN.min(share - first)));
        }
    }
    runs.sort_by_key(|(code, _, _)| std::cmp::Reverse(code.config.n_max().0));
    let tally = runs
        .par_iter()
        .map(|&(code, seed, codewords)| {
            lockstep::run(code, seed, codewords).unwrap_or_else(|error| panic!("{error}"))
        })
        .reduce(Tally::default, |mut sum, tally| {
            sum.add(&tally);
            sum
        });
    println!("{} codewords: {:#?}", tally.codewords, tally.outcomes);
    assert!(tally.codewords >= 20_000, "only {} codewords", tally.codewords);
    for outcome in ["ok", "uncorrectable", "crc mismatch", "rejected"] {
        assert!(tally.ended(outcome) >= 1, "no codeword ended as {outcome}");
    }
}

/// The run that a failure names: FLOATGATE_LOCKSTEP=code:seed:codewords.
#[test]
fn lockstep_of_one() {
    let Ok(wanted) = std::env::var("FLOATGATE_LOCKSTEP") else { return };
    let parts: Vec<&str> = wanted.split(':').collect();
    let [name, seed, codewords] = parts[..] else {
        panic!("`{wanted}` is not code:seed:codewords")
    };
    let code = crate::code(name);
    let (seed, codewords) = (seed.parse().unwrap(), codewords.parse().unwrap());
    lockstep::run(&code, seed, codewords).unwrap_or_else(|error| panic!("{error}"));
}
