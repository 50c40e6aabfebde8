//! The timing tables against the lists of facts, which were gathered from other implementations.

use floatgate_hal::units::Picoseconds;
use floatgate_model::pins::{NvddrTimings, Parameter, SdrTimings, Timings};

/// Rows of a list: parameter, mode, least and most in picoseconds. Rows for every mode are times of
/// a part, and those of EZ NAND are none of a raw die.
fn rows(list: &str) -> Vec<(String, u8, Option<u64>, Option<u64>)> {
    let ps = |text: &str| text.parse::<f64>().ok().map(|ns| (ns * 1_000.0).round() as u64);
    let mut rows = Vec::new();
    for line in list.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let Ok(mode) = fields[1].parse() else { continue };
        if !fields[0].ends_with("_EZ") {
            rows.push((fields[0].to_owned(), mode, ps(fields[2]), ps(fields[3])));
        }
    }
    rows
}

fn compare(list: &str, timings: fn(u8) -> Timings, count: usize) {
    let rows = rows(list);
    assert_eq!(rows.len(), count);
    for (name, mode, least, most) in rows {
        let parameter = Parameter::ALL.iter().find(|parameter| parameter.name() == name);
        let &parameter = parameter.unwrap_or_else(|| panic!("{name} is in no table"));
        let timings = timings(mode);
        // The list has no longest clock period; the text beside it has.
        let bounds = (timings.min(parameter), timings.max(parameter));
        let most = if parameter == Parameter::Ck { bounds.1.map(|ps| ps.0) } else { most };
        let expected = (least.map(Picoseconds), most.map(Picoseconds));
        assert_eq!(bounds, expected, "{name} in mode {mode}");
    }
}

#[test]
fn sdr_is_as_the_facts_have_it() {
    compare(include_str!("../data/onfi/sdr_timings.csv"), SdrTimings::mode, 228);
}

#[test]
fn nvddr_is_as_the_facts_have_it() {
    compare(include_str!("../data/onfi/nvddr_timings.csv"), NvddrTimings::mode, 180);
}

#[test]
fn the_clock_has_a_longest_period() {
    let longest = [100, 50, 30, 20, 15, 12];
    for (mode, longest_ns) in (0..).zip(longest) {
        let timings = NvddrTimings::mode(mode);
        assert_eq!(timings.max(Parameter::Ck), Some(Picoseconds(longest_ns * 1_000)));
    }
}

#[test]
fn fast_modes_want_edo() {
    let wants: Vec<bool> =
        (0..6).map(|mode| SdrTimings::wants_edo(&SdrTimings::mode(mode))).collect();
    assert_eq!(wants, [false, false, false, false, true, true]);
}
