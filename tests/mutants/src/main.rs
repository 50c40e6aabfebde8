//! The mutation check: faults put into the RTL one at a time, and what notices them.
//!
//! In: `mutants.ron`, and a model of each mutant. Out: a line for each mutant with the check that
//! kills it, the survivors, and a summary; the exit code is 1 where a mutant survives that is not
//! argued to be equivalent, or dies although it is. The checks are those of `tests/cosim`, on
//! small elaborations: lockstep with the software codec, golden vectors of independent
//! implementations, and the corners of the streams.

mod golden;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use floatgate_cosim::ecc::{Top, corners, lockstep};
use floatgate_model::config::NamedCode;
use rayon::prelude::*;
use table::{Elaboration, Mutant};

/// Codewords of a lockstep run, and the runs.
const CODEWORDS: usize = 240;
const SEEDS: std::ops::RangeInclusive<u64> = 1..=4;

/// Resets after each of so many clocks: three codewords of the longest elaboration.
const RESET_CLOCKS: u64 = 70;

/// The check that failed, and how.
struct Killed {
    check: &'static str,
    how: String,
}

fn main() -> ExitCode {
    // A model that does impossible things may panic its driver; that is a way to die.
    std::panic::set_hook(Box::new(|_| {}));
    for elaboration in Elaboration::ALL {
        let code = elaboration.code(None);
        if let Some(killed) = check(elaboration, &code, &Top::ALL) {
            println!("the RTL as it is fails in {}: {}", killed.check, killed.how);
            return ExitCode::FAILURE;
        }
    }
    if cfg!(feature = "coverage") {
        return ExitCode::SUCCESS;
    }
    let mutants = table::read();
    let results: Vec<Option<Killed>> =
        mutants.par_iter().enumerate().map(|(index, mutant)| run(index, mutant)).collect();
    report(&mutants, &results)
}

fn run(index: usize, mutant: &Mutant) -> Option<Killed> {
    let tops: Vec<Top> =
        Top::ALL.into_iter().filter(|top| mutant.tops().contains(&top.module())).collect();
    check(mutant.on, &mutant.on.code(Some(index)), &tops)
}

/// Runs the checks until one fails.
fn check(elaboration: Elaboration, code: &NamedCode, tops: &[Top]) -> Option<Killed> {
    let seed = 1;
    let lockstep = || {
        SEEDS
            .map(|seed| lockstep::run_tops(code, tops, seed, CODEWORDS))
            .try_for_each(|run| run.map(drop).map_err(|error| error.to_string()))
    };
    let each = |corner: &dyn Fn(Top) -> Result<(), corners::CornerError>| {
        tops.iter().try_for_each(|&top| corner(top)).map_err(|error| error.to_string())
    };
    let golden = || golden::check(elaboration, code, tops);
    let held_output = || {
        each(&|top| match top {
            Top::Encoder => Ok(()),
            Top::Decoder => corners::held_output(code, seed),
        })
    };
    let held_status = || each(&|top| corners::held_status(code, top, seed));
    let resets = || each(&|top| corners::resets(code, top, seed, 1..=RESET_CLOCKS));
    let bounds = || {
        each(&|top| match top {
            Top::Encoder => corners::encoder_bounds(code, seed),
            Top::Decoder => corners::decoder_bounds(code, seed),
        })
    };
    let checks: [(&'static str, &dyn Fn() -> Result<(), String>); 6] = [
        ("lockstep", &lockstep),
        ("golden vectors", &golden),
        ("held output", &held_output),
        ("held status", &held_status),
        ("resets", &resets),
        ("bounds on clocks", &bounds),
    ];
    checks.into_iter().find_map(|(name, check)| {
        let how = match catch_unwind(AssertUnwindSafe(check)) {
            Ok(Ok(())) => return None,
            Ok(Err(how)) => how,
            Err(panic) => panic
                .downcast_ref::<String>()
                .cloned()
                .unwrap_or_else(|| "the driver panics".to_owned()),
        };
        Some(Killed { check: name, how })
    })
}

fn report(mutants: &[Mutant], results: &[Option<Killed>]) -> ExitCode {
    let (mut killed, mut equivalent, mut wrong) = (0, 0, 0);
    for (index, (mutant, result)) in mutants.iter().zip(results).enumerate() {
        let place = format!("{index:3} {:?} {}: {}", mutant.on, mutant.file, mutant.why);
        match (result, &mutant.equivalent) {
            (Some(Killed { check, how }), None) => {
                killed += 1;
                let how = how.lines().next().unwrap_or_default();
                println!("{place}\n      killed by {check}: {how}");
            }
            (None, Some(reason)) => {
                equivalent += 1;
                println!("{place}\n      equivalent: {reason}");
            }
            (None, None) => {
                wrong += 1;
                println!("{place}\n      SURVIVED: `{}`", mutant.replacement);
            }
            (Some(Killed { check, how }), Some(_)) => {
                wrong += 1;
                println!("{place}\n      NOT EQUIVALENT, killed by {check}: {how}");
            }
        }
    }
    println!(
        "{} mutants: {killed} killed, {equivalent} equivalent, {wrong} survived or wrongly argued",
        mutants.len()
    );
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
