//! The house rules, checked: who depends on whom, sizes, words that stand for unfinished work,
//! where `unsafe` may stand, links of the documentation, and the test plan. Nothing is simulated.

mod layers;
mod links;
mod sizes;
mod testplan;
mod tree;
mod words;

/// Fails with a list where there is something to list.
#[track_caller]
fn none(what: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{} {what}:\n{}", faults.len(), faults.join("\n"));
}
