//! The host: workload generators against closed forms, trace readers against each other.

mod flows;
mod paces;
mod patterns;
mod permutations;
mod trace_forms;
mod trace_lines;
mod trace_use;
mod workload_files;

use std::fs;

use floatgate_hal::units::Picoseconds;
use floatgate_model::host::trace::{TraceConfig, TraceError, TraceSource};
use floatgate_model::host::workload::{Generator, Workload};
use floatgate_model::host::{Capacity, Request, RequestSource};
use tempfile::TempDir;

const GIB: u64 = 1 << 30;

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

/// All requests of a generator that is asked again at each arrival, as in an open loop.
fn all(source: &mut Generator) -> Vec<Request> {
    requests(source).unwrap()
}

/// All requests of a source that is asked again at each arrival, as in an open loop.
fn requests(source: &mut impl RequestSource) -> Result<Vec<Request>, Box<TraceError>> {
    let mut requests: Vec<Request> = Vec::new();
    let mut now = Picoseconds(0);
    while let Some(request) = source.next_request(now)? {
        assert!(request.arrival >= now, "{request:?} arrives before the one ahead of it");
        now = request.arrival;
        requests.push(request);
    }
    Ok(requests)
}

/// A trace of these bytes, in a folder that lives as long as the first value.
fn trace_file(bytes: impl AsRef<[u8]>) -> (TempDir, TraceConfig) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t");
    fs::write(&path, bytes).unwrap();
    (dir, TraceConfig::new(path))
}

/// The requests of a trace on a device of 1 GiB, or the line that refuses it, without its folder.
fn replay(
    bytes: impl AsRef<[u8]>,
    set: impl FnOnce(&mut TraceConfig),
) -> Result<Vec<Request>, String> {
    let (dir, mut config) = trace_file(bytes);
    set(&mut config);
    let line = |error: Box<TraceError>| {
        let line = error.to_string().replace(&format!("{}/", dir.path().display()), "");
        assert_eq!(line.lines().count(), 1, "{line}");
        line
    };
    let mut source = TraceSource::open(&config, Capacity::of_bytes(GIB)).map_err(line)?;
    requests(&mut source).map_err(line)
}

/// Chi-square of counts against the probabilities that they should have.
fn chi_square(counts: &[u64], probabilities: &[f64]) -> f64 {
    assert_eq!(counts.len(), probabilities.len());
    let total = counts.iter().sum::<u64>() as f64;
    let terms = counts.iter().zip(probabilities).map(|(&count, probability)| {
        let expected = total * probability;
        assert!(expected > 5.0, "too few draws for chi-square: {expected}");
        (count as f64 - expected).powi(2) / expected
    });
    terms.sum()
}

/// A bound that chi-square exceeds once in some 30,000 seeds: four standard deviations, by Wilson
/// and Hilferty's approximation.
fn chi_square_bound(classes: usize) -> f64 {
    let degrees = (classes - 1) as f64;
    let ninth = 2.0 / (9.0 * degrees);
    degrees * (1.0 - ninth + 4.0 * ninth.sqrt()).powi(3)
}

#[track_caller]
fn assert_distributed(counts: &[u64], probabilities: &[f64]) {
    let sum: f64 = probabilities.iter().sum();
    assert!((sum - 1.0).abs() < 1e-9, "the probabilities add up to {sum}");
    let (value, bound) = (chi_square(counts, probabilities), chi_square_bound(counts.len()));
    assert!(value < bound, "chi-square {value:.1} of {bound:.1}: {counts:?}");
}
