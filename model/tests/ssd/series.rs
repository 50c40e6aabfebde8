//! A run over time.

use floatgate_hal::units::Picoseconds;
use floatgate_model::config::{DriveConfig, WriteBuffer};
use floatgate_model::host::workload::{Bound, KindWeights, Pace};
use floatgate_model::ssd::{RunResult, Sample};

use crate::contract::{checked, mixed, small};

/// Samples that there are, with the ends of their windows.
fn samples(result: &RunResult) -> Vec<(Picoseconds, &Sample)> {
    let samples = &result.series.samples;
    let end = |index: usize| Picoseconds((index as u64 + 1) * samples.width().0);
    let records = samples.records().iter().enumerate();
    records.filter_map(|(index, sample)| Some((end(index), sample.as_ref()?))).collect()
}

#[test]
fn windows_add_up_to_the_run() {
    let buffer = WriteBuffer { pages: 24, flushers: 4, flush_above: 16, flush_down_to: 8 };
    let result = checked(&DriveConfig { buffer, ..small() }, &mixed(8000, 8, 3));
    let (host, windows) = (&result.host, result.series.host.records());
    assert!(windows.len() > 60, "{} windows", windows.len());
    let sum =
        |of: fn(&floatgate_model::ssd::HostWindow) -> u64| windows.iter().map(of).sum::<u64>();
    assert_eq!(sum(|window| window.reads.requests()), host.reads.count());
    assert_eq!(sum(|window| window.writes.requests()), host.writes.count());
    assert_eq!(sum(|window| window.reads.bytes), host.bytes_read);
    assert_eq!(sum(|window| window.writes.bytes), host.bytes_written);
    for window in windows.iter().filter(|window| window.reads.requests() > 0) {
        let mean_ps = window.reads.mean_ps().unwrap();
        let [least, p99] = [0.0, 99.0].map(|percent| window.reads.percentile(percent).unwrap());
        assert!(0.98 * least.0 as f64 <= mean_ps && least <= p99, "{least:?} {mean_ps} {p99:?}");
    }
    let samples = samples(&result);
    let (_, last) = samples[samples.len() - 1];
    assert_eq!(last.drive, result.drive);
    assert_eq!((&last.dies, &last.channels), (&result.dies, &result.channels));
    assert!(samples.iter().any(|(_, sample)| (1..=24).contains(&sample.buffered)));
    for pair in samples.windows(2) {
        let ((_, before), (end, after)) = (pair[0], pair[1]);
        let passed = after.at.0 - before.at.0;
        assert!(after.at <= Picoseconds(end.0 + result.series.samples.width().0));
        for (before, after) in before.dies.iter().zip(&after.dies) {
            assert!(
                after.0 - before.0 <= passed,
                "a die worked {} of {passed}",
                after.0 - before.0
            );
        }
    }
}

#[test]
fn phases_begin_with_their_first_requests() {
    let mut workload = mixed(300, 4, 1);
    workload.flows.truncate(1);
    let first = workload.flows[0].phases[0].clone();
    let mut open = first.clone();
    open.until = Bound::Requests(50);
    open.kinds = KindWeights { read: 1, write: 0, trim: 0 };
    let mut last = first.clone();
    last.pace = Pace::Closed { queue_depth: 1, think_ns: 5000 };
    workload.flows[0].phases = vec![first, open, last];
    let result = checked(&small(), &workload);
    let phases = &result.series.phases;
    let order: Vec<(u32, u32)> = phases.iter().map(|start| (start.flow, start.phase)).collect();
    assert_eq!(order, [(0, 0), (0, 1), (0, 2)]);
    let ended = |index: usize| {
        let host = phases[index].sample.host;
        host.reads + host.writes + host.others
    };
    assert_eq!(ended(0), 0);
    // At most four requests were under way when the next phase began.
    assert!((297..=300).contains(&ended(1)) && (347..=350).contains(&ended(2)));
    // Those are all the writes that ended in the phase of reads.
    let writes = phases[2].writes.since(&phases[1].writes).count();
    let reads = phases[2].reads.since(&phases[1].reads).count();
    assert!(writes <= 4 && reads >= 46, "{reads} reads, {writes} writes");
}
