//! Corner cases of the streams, in every configuration: what random stalls do not reach.

use floatgate_cosim::ecc::{Top, corners};
use rayon::prelude::*;

use crate::codes;

const SEED: u64 = 7;

/// Runs a corner in every configuration, side by side.
fn in_all(
    corner: impl Fn(&floatgate_model::config::NamedCode) -> Result<(), corners::CornerError> + Sync,
) {
    codes().par_iter().for_each(|code| corner(code).unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn output_held_until_nothing_moves() {
    in_all(|code| corners::held_output(code, SEED));
}

#[test]
fn status_held_until_nothing_moves() {
    in_all(|code| {
        corners::held_status(code, Top::Encoder, SEED)?;
        // A large decoder's codewords take long, and hold nothing that a small one's do not.
        if code.config.k_max_bytes <= 512 {
            corners::held_status(code, Top::Decoder, SEED)
        } else {
            Ok(())
        }
    });
}

#[test]
fn reset_in_the_middle_of_codewords() {
    in_all(|code| {
        let period = code.config.codeword_period().0;
        let after = [1, 2, 3, 5, 8, 13, period / 2, period, period + 3, 2 * period + 1];
        Top::ALL.iter().try_for_each(|&top| corners::resets(code, top, SEED, after))
    });
}

#[test]
fn bounds_on_clocks() {
    in_all(|code| {
        corners::encoder_bounds(code, SEED)?;
        corners::decoder_bounds(code, SEED)
    });
}
