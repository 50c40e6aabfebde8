//! Whole drives against MQSim and SimpleSSD: the workloads on which these were measured
//! (`configs/peers`), in requests per second of processor time, beside what the host sees.
//!
//! Speed is net of what it takes to build and fill a drive, which is told apart. The peers' figures
//! were measured on another machine, so the ratio of speeds says little; that of IOPS, which are
//! simulated, says whether the drives agree. Memory is the peak of the process, also for each page
//! of the flash. Arguments: names of workloads, none means all; or `growth`, for how time and
//! memory grow with the number of requests and with the drive's capacity.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use floatgate_hal::units::Picoseconds;
use floatgate_model::array::Contents;
use floatgate_model::config::{DriveConfig, Load, RunConfig};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::Bound;
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
    if asked.iter().any(|asked| asked == "growth") {
        return growth();
    }
    let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    println!(
        "     requests per CPU s         IOPS  MQSim's  ratio     WA  steps per request  set-up s  \
         MB   B a page"
    );
    for (name, speed, iops) in PEERS.into_iter().filter(|(name, ..)| is_asked(name)) {
        let (config, drive) = load(name);
        let Measured { set_up_s, run_s, peak_bytes, result } = measure(&config, &drive);
        let requests = result.host.completed() as f64;
        println!(
            "{name:4} {:10.0} ({:4.2} of MQSim's) {:8.0} {iops:8.0} {:6.3} {:6.3} {:6.1} \
             {set_up_s:16.2} {:8.0} {:6.1}",
            requests / run_s,
            requests / run_s / speed,
            result.iops(),
            result.iops() / iops,
            result.write_amplification().unwrap_or(f64::NAN),
            result.steps as f64 / requests,
            peak_bytes / 1e6,
            peak_bytes / pages(&drive),
        );
    }
}

/// Random writes on a full drive: more of them, then on drives of more blocks.
fn growth() {
    println!("random writes on full drives of 28 % spare");
    println!("       GiB  requests (M)  ns a request  set-up s     MB  B a page");
    let lengths = [1, 10, 100].map(|millions| (512, millions));
    let sizes = [2048, 8192, 32_768].map(|blocks| (blocks, 4));
    for (blocks_per_plane, millions) in lengths.into_iter().chain(sizes) {
        let (mut config, mut drive) = load("d7");
        drive.topology.blocks_per_plane = blocks_per_plane;
        let Load::Workload(workload) = &mut config.load else { panic!("d7 is a workload") };
        let phase = &mut workload.flows[0].phases[0];
        phase.until = Bound::Requests(1_000_000 * millions);
        let Measured { set_up_s, run_s, peak_bytes, .. } = measure(&config, &drive);
        println!(
            "{:10.0} {millions:13} {:13.0} {set_up_s:9.2} {:6.0} {:9.1}",
            drive.flash_bytes() as f64 / f64::from(1 << 30),
            1e3 * run_s / millions as f64,
            peak_bytes / 1e6,
            peak_bytes / pages(&drive),
        );
    }
}

/// Pages of a drive's flash.
fn pages(drive: &DriveConfig) -> f64 {
    (drive.flash_bytes() / u64::from(drive.topology.page_bytes)) as f64
}

/// What a run took.
struct Measured {
    /// Processor time to build and fill the drive.
    set_up_s: f64,
    /// Processor time of the requests.
    run_s: f64,
    peak_bytes: f64,
    result: RunResult,
}

/// A workload and its drive.
fn load(name: &str) -> (RunConfig, DriveConfig) {
    let configs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs"));
    let path = configs.join(format!("peers/{name}.ron"));
    let config = RunConfig::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let drive = config.load_drive(&path, &configs.join("drives"));
    (config, drive.unwrap_or_else(|error| panic!("{error}")))
}

fn measure(config: &RunConfig, drive: &DriveConfig) -> Measured {
    let capacity = Capacity::of_bytes(drive.user_bytes());
    let Load::Workload(workload) = &config.load else { panic!("it is no workload") };
    let flows = workload.sources(capacity).expect("a workload that fits");
    forget_peak();
    let start_s = processor_s();
    let ready = Ready::new(drive, Contents::Owner, flows, config.seed);
    let ready = ready.unwrap_or_else(|error| panic!("{error}"));
    let ready_s = processor_s();
    let result = ready.run(&Arc::default()).unwrap_or_else(|error| panic!("{error}"));
    let end_s = processor_s();
    assert!(result.span > Picoseconds(0), "time passes");
    let peak_bytes = peak_bytes();
    Measured { set_up_s: ready_s - start_s, run_s: end_s - ready_s, peak_bytes, result }
}

/// The most memory that this process has used since its peak was forgotten.
fn peak_bytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is there");
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    1024.0 * kib
}

fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").expect("Linux allows it");
}

/// Processor time of this process so far.
fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
