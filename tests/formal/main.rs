//! Proofs about the codec's RTL by Yosys: stream stages and control by induction, the arithmetic
//! of small fields for all inputs, that of the large ones by dense simulation.
//!
//! In: `ecc-rtl/*.sv`, and the properties in `ecc-rtl/formal`. A file there that has the name of a
//! module is bound into it: its text stands behind the module's own, so that it sees all signals.
//! A file in `formal/cut` takes the place of a module of which a proof needs to know less. Out:
//! a failed test where a property does not hold, with the solver's words; and one that says that
//! a property can't fail, where a fault put into the RTL on purpose goes unnoticed.
//!
//! Where Yosys or a solver is missing, a test says so in one line and passes. The usual run proves;
//! with `FLOATGATE_FORMAL=all`, which `make formal` sets, the faults are tried and GF(2^8) is
//! proved too, which takes minutes.

mod dense;
mod proof;
mod table;

use proof::{Proof, Tools};

/// Whether everything is asked for, however long it takes.
fn is_all() -> bool {
    std::env::var("FLOATGATE_FORMAL").is_ok_and(|choice| choice == "all")
}

/// Proves, and then, where all is asked for, lets the proof fail on each of its faults.
fn check(proof: &Proof) {
    let Some(tools) = Tools::find() else { return };
    proof.hold(&tools);
    for fault in proof.faults.iter().filter(|_| is_all()) {
        proof.fail_on(&tools, fault);
    }
}

macro_rules! proofs {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { check(&table::$name()); })*
    };
}

proofs!(
    framer_of_a_decoder,
    framer_of_an_encoder_with_crc,
    framer_of_the_512_byte_code,
    framer_of_fixed_strength,
    key_equation_control_on_one_lane,
    key_equation_control_on_two_lanes,
    key_equation_control_on_three_lanes,
    crc_behind_bytes,
    crc_behind_words,
    crc_behind_wide_words,
    correction_of_words_as_they_come,
    correction_of_pairs_of_words,
    correction_with_crc,
    memory_of_the_message,
);

#[test]
fn arithmetic_of_small_fields() {
    let Some(tools) = Tools::find() else { return };
    for m in 4..=7 {
        proof::arithmetic(&tools, m);
    }
    if is_all() {
        proof::arithmetic_fails_on_faults(&tools);
    }
}

#[test]
fn arithmetic_of_gf_256() {
    let Some(tools) = Tools::find() else { return };
    if is_all() {
        proof::arithmetic(&tools, 8);
    } else {
        println!("skipped: `make formal` proves it");
    }
}

#[test]
fn arithmetic_of_large_fields() {
    dense::compare();
}
