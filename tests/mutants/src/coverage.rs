//! Line and toggle coverage of the codec's RTL over the regressions' stimuli.
//!
//! In: the files that the models wrote ($VERILATED_COVERAGE_DIR). Out: a table, per file the lines
//! and toggles seen, and the rest by name; the exit code is 1 where a line was not seen, save those
//! in `exclusions.ron`, or where that excludes too much.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;
use verilated as _; // the models are linked in, though none runs here

/// Lines that no stimulus reaches, and why.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exclusion {
    /// File in `ecc-rtl`.
    file: String,
    /// Texts of which each line contains one.
    texts: Vec<String>,
    /// Why they are not reached.
    reason: String,
}

/// Points of a file: whether each was seen in any model.
#[derive(Default)]
struct Points {
    lines: BTreeMap<u32, bool>,
    toggles: BTreeMap<String, bool>,
}

fn main() -> ExitCode {
    let dir = std::env::var_os("VERILATED_COVERAGE_DIR").expect("VERILATED_COVERAGE_DIR is set");
    let mut files: BTreeMap<String, Points> = BTreeMap::new();
    for entry in std::fs::read_dir(&dir).expect("the folder of the models' files") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a text file");
        text.lines().filter(|line| line.starts_with("C '")).for_each(|line| add(&mut files, line));
    }
    report(&files)
}

/// Adds one record: `C '<fields>' <count>`, a field being 0x01, its name, 0x02, its value.
fn add(files: &mut BTreeMap<String, Points>, record: &str) {
    let (fields, count) = record[3..].rsplit_once("' ").expect("a record ends with its count");
    let fields: BTreeMap<&str, &str> =
        fields.split('\u{1}').filter_map(|field| field.split_once('\u{2}')).collect();
    let field = |name: &str| fields.get(name).copied().unwrap_or_default();
    let Some(name) = Path::new(field("f")).file_name() else { return };
    let points = files.entry(name.to_string_lossy().into_owned()).or_default();
    let is_seen = count.trim() != "0";
    let line: u32 = field("l").parse().unwrap_or(0);
    if field("page").starts_with("v_toggle") {
        *points.toggles.entry(format!("{line} {}", field("o"))).or_default() |= is_seen;
    } else {
        *points.lines.entry(line).or_default() |= is_seen;
    }
}

fn report(files: &BTreeMap<String, Points>) -> ExitCode {
    let exclusions: Vec<Exclusion> = ron::from_str(include_str!("../exclusions.ron"))
        .unwrap_or_else(|error| panic!("tests/mutants/exclusions.ron:{error}"));
    let (mut missed, mut excluded, mut steady) = (Vec::new(), Vec::new(), Vec::new());
    println!("{:24} {:>13} {:>15}", "file", "lines", "toggles");
    for (name, points) in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ecc-rtl").join(name);
        let source = std::fs::read_to_string(&path).unwrap_or_default();
        for (&line, _) in points.lines.iter().filter(|(_, seen)| !**seen) {
            let text = source.lines().nth(line as usize - 1).unwrap_or_default().trim();
            let is_of =
                |e: &&Exclusion| e.file == *name && e.texts.iter().any(|part| text.contains(part));
            match exclusions.iter().find(is_of) {
                Some(Exclusion { reason, .. }) => excluded.push(format!("{name}:{line}: {reason}")),
                None => missed.push(format!("{name}:{line}: {text}")),
            }
        }
        let still = points.toggles.iter().filter(|(_, seen)| !**seen);
        steady.extend(still.map(|(signal, _)| format!("{name}:{signal}")));
        let seen = |all: &mut dyn Iterator<Item = &bool>| all.filter(|seen| **seen).count();
        println!(
            "{name:24} {:>6} of {:>3} {:>6} of {:>5}",
            seen(&mut points.lines.values()),
            points.lines.len(),
            seen(&mut points.toggles.values()),
            points.toggles.len()
        );
    }
    steady.iter().for_each(|signal| println!("never toggles: {signal}"));
    excluded.iter().for_each(|line| println!("excluded: {line}"));
    missed.iter().for_each(|line| println!("not reached: {line}"));
    let texts: usize = exclusions.iter().map(|exclusion| exclusion.texts.len()).sum();
    println!("{} lines not reached, {} excluded", missed.len(), excluded.len());
    if texts > excluded.len() {
        println!("tests/mutants/exclusions.ron excludes lines that are reached or not there");
        return ExitCode::FAILURE;
    }
    if missed.is_empty() && !files.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
