//! Corner cases of the streams, which random stalls do not reach: an output or a status held up
//! until nothing moves, reset in the middle of codewords, and errors that the solver gives up.

use floatgate_cosim::ecc::{
    Top,
    corners::{self, CornerError},
};
use floatgate_model::config::NamedCode;
use rayon::prelude::*;

use crate::codes;

const SEED: u64 = 7;

/// Codewords longer than this take long, and hold nothing that shorter ones do not.
const LONGEST_BYTES: u32 = 1024;

/// Runs a corner in the configurations of short codewords, side by side.
fn in_each(corner: impl Fn(&NamedCode) -> Result<(), CornerError> + Sync) {
    let mut codes = codes();
    codes.retain(|code| code.config.k_max_bytes <= LONGEST_BYTES);
    codes.par_iter().for_each(|code| corner(code).unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn an_output_held_until_nothing_moves_loses_no_word() {
    in_each(|code| corners::held_output(code, SEED));
}

#[test]
fn a_status_held_until_nothing_moves_is_not_lost() {
    in_each(|code| {
        Top::ALL.iter().try_for_each(|&top| match (top, code.config.k_max_bytes) {
            (Top::Decoder, 513..) => Ok(()),
            _ => corners::held_status(code, top, SEED),
        })
    });
}

#[test]
fn a_reset_in_the_middle_of_a_codeword_leaves_nothing_behind() {
    in_each(|code| {
        let period = code.config.codeword_period().0;
        let after = [1, 2, 3, 5, 8, 13, period / 2, period, period + 3, 2 * period + 1];
        Top::ALL.iter().try_for_each(|&top| corners::resets(code, top, SEED, after))
    });
}

#[test]
fn errors_that_the_solver_gives_up_are_uncorrectable() {
    in_each(|code| corners::given_up(code, SEED));
}
