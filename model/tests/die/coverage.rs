//! The list of faults: every row of severity error has a test that is named after its code, here
//! or with the pins.

use std::collections::BTreeMap;
use std::path::Path;

use floatgate_model::die::{Rule, Severity};

const LIST: &str = include_str!("../data/onfi/bad_master.csv");

/// Rows whose stimulus is between the cycles or on the pins; `model/tests/pins` drives them.
const OF_THE_PINS: &[&str] = &[
    "T01", "T02", "T03", "T04", "T05", "T06", "T07", "T08", "T09", "T10", "T11", "T12", "T13",
    "T14", "T15", "T16", "T17", "T18", "T19", "T20", "T21", "T22", "T23", "T24", "T25", "T26",
    "T27", "T28", "T29", "T30", "P01", "P02", "P03", "P04", "P05", "P06", "P07", "P08", "I03",
    "I04", "I05", "I06", "I07", "I08", "I09", "I10", "I11", "I12", "I13", "I14", "I15", "I16",
    // NV-DDR2 and NV-DDR3, which no part of the model has.
    "I21", "I22",
];

/// A line of a CSV file with quoted fields.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("one at least").push(c),
        }
    }
    fields
}

/// Code, expected diagnostic, severity.
fn rows() -> Vec<(String, String, String)> {
    let row = |line: &str| {
        let fields = fields(line);
        (fields[0].clone(), fields[5].clone(), fields[6].clone())
    };
    LIST.lines().skip(1).map(row).collect()
}

/// The words before the colons of a row's expected diagnostic.
pub(crate) fn tags_of(code: &str) -> Vec<String> {
    let rows = rows();
    let row = rows.iter().find(|row| row.0 == code).expect("a code of the list");
    let words = row.1.split([':', ' ', ';']);
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn rules_are_those_of_the_list() {
    let rows = rows();
    assert_eq!(rows.len(), Rule::ALL.len());
    for ((code, _, severity), rule) in rows.iter().zip(Rule::ALL) {
        assert_eq!(code, rule.code());
        let is_error = rule.severity() == Severity::Error;
        assert_eq!(severity == "error", is_error, "{code}");
    }
}

#[test]
fn every_error_has_its_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/die");
    let mut tests = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let mut lines = text.lines();
        while lines.by_ref().any(|line| line == "#[test]") {
            let name = lines.next().and_then(|line| line.strip_prefix("fn ")).unwrap_or_default();
            let code = name.split('_').next().unwrap_or_default().to_uppercase();
            tests.insert(code, name.to_owned());
        }
    }
    for (code, behaviour, severity) in rows() {
        let tested = tests.contains_key(&code);
        let of_the_pins = OF_THE_PINS.contains(&code.as_str());
        assert!(!(tested && of_the_pins), "{code} is tested here and left to the pins");
        assert!(tested || of_the_pins || severity != "error", "{code} has no test: {behaviour}");
    }
}
