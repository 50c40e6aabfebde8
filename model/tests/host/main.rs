//! The host: workload generators against closed forms, trace readers against each other.

mod generators;
mod workload_files;

use std::fs;

use floatgate_hal::units::Picoseconds;
use floatgate_model::host::workload::{Generator, Workload};
use floatgate_model::host::{Capacity, Request};

/// Reads a workload from the text of a file.
#[track_caller]
fn workload(text: &str) -> Workload {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("workload.ron");
    fs::write(&path, text).unwrap();
    Workload::load(&path).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The one flow of a workload with one phase, given as the phase's fields.
#[track_caller]
fn one_phase(fields: &str, capacity: Capacity) -> Generator {
    let text = format!("(seed: 7, flows: [(name: \"one\", phases: [({fields})])])");
    let mut sources = workload(&text).sources(capacity).unwrap();
    assert_eq!(sources.len(), 1);
    sources.remove(0)
}

/// All requests of a source that is asked again at each arrival, as in an open loop.
fn all(source: &mut Generator) -> Vec<Request> {
    let mut now = Picoseconds(0);
    std::iter::from_fn(|| {
        let request = source.next(now)?;
        assert!(request.arrival >= now, "{request:?} arrives before the one ahead of it");
        now = request.arrival;
        Some(request)
    })
    .collect()
}
