//! The list of faults: each row of severity error whose stimulus is on the pins has a test here
//! that asks for its rule; the other rows have theirs with the die.

use std::path::Path;

use floatgate_hal::flash::address::DieIndex;
use floatgate_model::die::Rule;

use crate::plain::{host, nvddr, sdr};

const LIST: &str = include_str!("../data/onfi/bad_master.csv");

/// Classes of the list whose stimulus is on the pins, and single rows that the die knows best.
const CLASSES: [&str; 3] = ["sdr timing", "bus", "interface"];
const OF_THE_DIE: [&str; 5] = ["P09", "P10", "P11", "I01", "I20"];

/// Faults of NV-DDR2 and NV-DDR3, which no die of the model talks: it refuses to be set to them.
const OF_OTHER_INTERFACES: [&str; 2] = ["I21", "I22"];

/// Bounds of another mode than the host's are no rule of their own: whichever is broken names the
/// die's mode.
const OF_ANY_BOUND: &str = "T30";

fn sources() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pins");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn every_error_on_the_pins_has_its_test() {
    let sources = sources();
    let mut count = 0;
    for line in LIST.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (code, class) = (fields[0], fields[1]);
        let is_error = line.ends_with(",error");
        let is_elsewhere = OF_THE_DIE.contains(&code) || OF_OTHER_INTERFACES.contains(&code);
        if !CLASSES.contains(&class) || !is_error || is_elsewhere || code == OF_ANY_BOUND {
            continue;
        }
        let asked = format!("Rule::{code}");
        assert!(sources.contains(&asked), "no test asks for {code}: {line}");
        count += 1;
    }
    assert_eq!(count, 53);
}

/// A bound of the die's mode is held against a host that is faster, in either interface.
#[test]
fn the_mode_of_the_die_decides() {
    for (die, faster) in [(sdr(0), sdr(3)), (nvddr(0), nvddr(5))] {
        let mut host = host(1, die, Default::default());
        host.set_mode(faster);
        host.select(DieIndex(0));
        host.command(0x90);
        host.address(&[0]);
        host.flush();
        let found = host.channel_mut().drain_diagnostics();
        let is_named = |rule: Rule| {
            let mode = format!("mode {})", die.mode);
            let of_rule = |text: &str| text.ends_with(&mode);
            found.iter().any(|one| one.diagnostic.rule == rule && of_rule(&one.diagnostic.text))
        };
        let rule = if die == sdr(0) { Rule::T01 } else { Rule::I04 };
        assert!(is_named(rule), "{die:?}: {found:#?}");
    }
}
