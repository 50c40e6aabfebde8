//! The mutation check: faults put into the RTL one at a time, and what notices them.
//!
//! In: `mutants.ron`, and a model of each mutant; arguments, where there are any, choose mutants by
//! number or by a word of their line. Out: a line for each mutant with the check that kills it, the
//! survivors, and a summary; the exit code is 1 where a mutant survives that is not argued to be
//! equivalent, or dies although it is. The checks are those of `tests/cosim`, on small
//! elaborations: lockstep with the software codec, golden vectors of independent implementations,
//! the corners of the streams, and the bounds on clocks.

mod golden;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use floatgate_cosim::ecc::{Top, bounds, corners, lockstep};
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
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mutants: Vec<(usize, Mutant)> = table::read()
        .into_iter()
        .enumerate()
        .filter(|(index, mutant)| {
            let is_it = |text: &String| match text.parse::<usize>() {
                Ok(number) => number == *index,
                Err(_) => line(*index, mutant).contains(text),
            };
            wanted.is_empty() || wanted.iter().any(is_it)
        })
        .collect();
    let results: Vec<Option<Killed>> =
        mutants.par_iter().map(|(index, mutant)| run(*index, mutant)).collect();
    report(&mutants, &results)
}

/// What names a mutant.
fn line(index: usize, mutant: &Mutant) -> String {
    format!("{index:3} {:?} {}: {}", mutant.on, mutant.file, mutant.why)
}

fn run(index: usize, mutant: &Mutant) -> Option<Killed> {
    let tops: Vec<Top> =
        Top::ALL.into_iter().filter(|top| mutant.tops().contains(&top.module())).collect();
    check(mutant.on, &mutant.on.code(Some(index)), &tops)
}

/// A check, and how it failed.
type Check<'a> = &'a dyn Fn() -> Result<(), String>;

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
    let of_decoder = |corner: &dyn Fn() -> Result<(), corners::CornerError>| {
        each(&|top| match top {
            Top::Encoder => Ok(()),
            Top::Decoder => corner(),
        })
    };
    let golden = || golden::check(elaboration, code, tops);
    let given_up = || of_decoder(&|| corners::given_up(code, seed));
    let held_output = || of_decoder(&|| corners::held_output(code, seed));
    let held_status = || each(&|top| corners::held_status(code, top, seed));
    let resets = || each(&|top| corners::resets(code, top, seed, 1..=RESET_CLOCKS));
    let bounds = || {
        let of = |top, strength| match top {
            Top::Encoder => bounds::encoder(code, strength, seed),
            Top::Decoder => bounds::decoder(code, strength, seed),
        };
        let mut all = tops.iter().flat_map(|&top| code.config.strengths().map(move |t| (top, t)));
        all.try_for_each(|(top, t)| of(top, t)).map_err(|error| error.to_string())
    };
    let checks: [(&'static str, Check<'_>); 7] = [
        ("lockstep", &lockstep),
        ("golden vectors", &golden),
        ("errors given up", &given_up),
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

fn report(mutants: &[(usize, Mutant)], results: &[Option<Killed>]) -> ExitCode {
    let (mut killed, mut equivalent, mut wrong) = (0, 0, 0);
    for ((index, mutant), result) in mutants.iter().zip(results) {
        let place = line(*index, mutant);
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
                let Mutant { snippet, replacement, .. } = mutant;
                println!("{place}\n      SURVIVED: `{replacement}` for `{snippet}`");
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
