//! `tests/testplan.ron`: what is to be tested, and by which tests. Every test that the plan names
//! is there, every co-simulation test is named, and only what comes later has no test.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::none;
use crate::sizes::function_name;
use crate::tree::{Source, root, sources};

/// When a testpoint is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Stage {
    /// The codec works at all.
    V1,
    /// Every feature and every limit of it.
    V2,
    /// Proof, mutation and measurement beyond the usual run.
    V3,
    /// Not yet.
    Later,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Testpoint {
    /// Unique, in snake case.
    name: String,
    /// Stimulus and check.
    desc: String,
    stage: Stage,
    /// Tests as `folder::module::function`, the folder that of `tests`, or a crate's name for the
    /// tests that stand in it.
    tests: Vec<String>,
}

fn plan() -> Vec<Testpoint> {
    let path = root().join("tests/testplan.ron");
    let text = std::fs::read_to_string(&path).expect("the test plan is there");
    ron::from_str(&text).unwrap_or_else(|error| panic!("{}:{error}", path.display()))
}

/// Folders of the crates' sources and tests, and how the plan calls them.
const PLACES: [(&str, &str); 14] = [
    ("tests/cosim", "cosim"),
    ("tests/formal", "formal"),
    ("tests/tidy", "tidy"),
    ("tests/mutants/src", "mutants"),
    ("cli/tests/command", "command"),
    ("cli/report/tests/it", "report"),
    ("cli/report/src", "report::unit"),
    ("cosim/verilated/tests/bindings", "bindings"),
    ("cosim/verilated/build/src", "verilated_build::unit"),
    ("cosim", "cosim::unit"),
    ("firmware/tests/it", "firmware"),
    ("firmware/src", "firmware::unit"),
    ("model/tests", "model"),
    ("model/src", "model::unit"),
];

/// Name of the module that a source file is, as the plan writes it.
fn module(source: &Source) -> Option<String> {
    let (folder, place) = PLACES.iter().find(|(folder, _)| source.path.starts_with(folder))?;
    let inner = source.path.strip_prefix(folder).expect("it starts so").with_extension("");
    let parts = inner.iter().map(|part| part.to_str().expect("text"));
    let parts = parts.filter(|part| !["main", "mod", "lib"].contains(part));
    Some([*place].into_iter().chain(parts).collect::<Vec<_>>().join("::"))
}

/// Names of the functions under `#[test]` in a file, and of those that `proofs!` makes from its
/// list.
fn tests_in(source: &Source) -> Vec<String> {
    let listed = source.text.split_once("\nproofs!(").and_then(|(_, list)| list.split_once(')'));
    let names = listed.into_iter().flat_map(|(list, _)| list.split(','));
    let mut tests: Vec<String> =
        names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let mut lines = source.text.lines().map(str::trim_start);
    while lines.by_ref().any(|line| line == "#[test]") {
        let name = lines.by_ref().find_map(function_name).expect("an attribute has its function");
        tests.push(name.to_owned());
    }
    tests
}

fn tests() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for source in sources(&["rs"]) {
        if let Some(module) = module(&source) {
            all.extend(tests_in(&source).iter().map(|test| format!("{module}::{test}")));
        }
    }
    all
}

#[test]
fn tests_of_the_plan_are_there() {
    let there = tests();
    let mut faults = Vec::new();
    for point in plan() {
        for test in point.tests.iter().filter(|&test| !there.contains(test)) {
            faults.push(format!("{}: {test}", point.name));
        }
    }
    none("tests that are not there", &faults);
}

#[test]
fn tests_of_the_codec_and_its_command_are_in_the_plan() {
    let planned: BTreeSet<String> = plan().into_iter().flat_map(|point| point.tests).collect();
    let must = |test: &&String| {
        let place = test.split("::").next().unwrap_or_default();
        let is_unit = test.starts_with("cosim::unit::");
        ["cosim", "command", "formal", "bindings"].contains(&place) && !is_unit
    };
    let faults: Vec<String> =
        tests().iter().filter(must).filter(|&test| !planned.contains(test)).cloned().collect();
    none("tests that no testpoint names", &faults);
}

#[test]
fn testpoints_are_whole() {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for point in plan() {
        let name = &point.name;
        if point.tests.is_empty() != (point.stage == Stage::Later) {
            faults.push(format!("{name}: {:?} with {} tests", point.stage, point.tests.len()));
        }
        if point.desc.len() < 40 || !point.desc.ends_with('.') {
            faults.push(format!("{name}: its description is no sentence"));
        }
        if !seen.insert(name.clone()) {
            faults.push(format!("{name}: twice"));
        }
    }
    none("incomplete testpoints", &faults);
}
