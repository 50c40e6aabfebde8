//! Whole drives against MQSim and SimpleSSD: the workloads on which these were measured
//! (`configs/peers`), in requests per second of processor time, beside what the host sees.
//!
//! Speed is net of what it takes to build and fill a drive, which is told apart. The peers' figures
//! were measured on another machine, so the ratio of speeds says little; that of IOPS, which are
//! simulated, says whether the drives agree. Arguments: names of workloads, none means all.

use std::path::Path;
use std::sync::Arc;

use floatgate_hal::units::Picoseconds;
use floatgate_model::array::Contents;
use floatgate_model::config::{Load, RunConfig};
use floatgate_model::host::Capacity;
use floatgate_model::ssd::{Ready, RunResult};
use rustix::time::{ClockId, clock_gettime};

/// A workload, and what MQSim 7ec40e3 makes of it: requests per second of processor time, and of
/// simulated time.
const PEERS: [(&str, f64, f64); 9] = [
    ("a1", 42e3, 108_410.0),
    ("a2", 290e3, 73_540.0),
    ("a3", 110e3, 25_217.0),
    ("a4", 29e3, 38_434.0),
    ("d1", 380e3, 63_148.0),
    ("d2", 508e3, 80_092.0),
    ("d3", 538e3, 10_208.0),
    ("d4", 397e3, 7_176.0),
    ("d7", 162e3, 497.0),
];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    println!(
        "      requests per CPU s       IOPS  MQSim's  ratio     WA  steps per request  set-up s"
    );
    for (name, speed, iops) in PEERS {
        if !asked.is_empty() && !asked.iter().any(|asked| asked == name) {
            continue;
        }
        let (set_up, seconds, result) = measure(name);
        let requests = result.host.completed() as f64;
        println!(
            "{name:4} {:10.0} ({:4.2} of MQSim's) {:8.0} {iops:8.0} {:6.3} {:6.3} {:6.1} \
             {set_up:16.2}",
            requests / seconds,
            requests / seconds / speed,
            result.iops(),
            result.iops() / iops,
            result.write_amplification().unwrap_or(f64::NAN),
            result.steps as f64 / requests,
        );
    }
}

/// Runs a workload; tells the processor time to build and fill the drive, and that of the requests.
fn measure(name: &str) -> (f64, f64, RunResult) {
    let configs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs"));
    let path = configs.join(format!("peers/{name}.ron"));
    let config = RunConfig::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let drive = config.load_drive(&path, &configs.join("drives"));
    let drive = drive.unwrap_or_else(|error| panic!("{error}"));
    let capacity = Capacity::of_bytes(drive.user_bytes());
    let Load::Workload(workload) = config.load else { panic!("{name} is no workload") };
    let flows = workload.sources(capacity).expect("a workload that fits");
    let start = processor_s();
    let ready = Ready::new(&drive, Contents::Owner, flows, config.seed);
    let ready = ready.unwrap_or_else(|error| panic!("{error}"));
    let is_ready = processor_s();
    let result = ready.run(&Arc::default()).unwrap_or_else(|error| panic!("{error}"));
    let end = processor_s();
    assert!(result.span > Picoseconds(0), "time passes");
    (is_ready - start, end - is_ready, result)
}

/// Processor time of this process so far.
fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
