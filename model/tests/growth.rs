//! Memory of a run: what a drive needs, whatever the number of requests. Other simulators grew by
//! 30 bytes for each request that was ever outstanding (MQSim#59).

use std::fs;
use std::path::Path;
use std::sync::Arc;

use floatgate_model::array::Contents;
use floatgate_model::config::{DriveConfig, WriteBuffer};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::{
    Bound, Flow, KindWeights, Pace, Pattern, Phase, Region, Sizes, Workload,
};
use floatgate_model::ssd::run;

/// The most that this process has used, in bytes.
fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is there");
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    1024 * kib
}

fn run_of(drive: &DriveConfig, requests: u64) {
    let phase = Phase {
        name: String::new(),
        until: Bound::Requests(requests),
        pace: Pace::Closed { queue_depth: 64, think_ns: 0 },
        region: Region::default(),
        pattern: Pattern::Uniform,
        sizes: Sizes::Bytes(8192),
        kinds: KindWeights { read: 1, write: 1, trim: 0 },
        flush_every_writes: 0,
        fua_share: 0.0,
    };
    let flow = Flow { name: "mixed".into(), phases: vec![phase] };
    let workload = Workload { seed: 1, flows: vec![flow] };
    let flows = workload.sources(Capacity::of_bytes(drive.user_bytes())).expect("it fits");
    let result = run(drive, Contents::Owner, flows, 1, &Arc::default());
    let result = result.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(result.host.completed(), requests);
}

/// The first run fills the windows of the time series, whose number has a bound.
#[test]
fn three_times_the_requests_need_no_more_memory() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/drives/peer-d7.ron");
    let drive = DriveConfig::load(path).unwrap_or_else(|error| panic!("{error}"));
    let buffer = WriteBuffer { pages: 256, flushers: 32, flush_above: 128, flush_down_to: 64 };
    let drive = DriveConfig { buffer, ..drive };
    run_of(&drive, 1_000_000);
    let before = peak_bytes();
    run_of(&drive, 3_000_000);
    let more = peak_bytes() - before;
    assert!(more < 1 << 20, "{more} bytes more");
}
