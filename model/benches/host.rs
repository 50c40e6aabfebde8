//! What requests cost before any device sees them: generators by pattern and pace, trace readers by
//! format, in processor time, best of the rounds.
//!
//! Arguments: words of which a line's name must hold one, none means all.

use std::hint::black_box;
use std::path::Path;

use floatgate_hal::units::Picoseconds;
use floatgate_model::config::Fault;
use floatgate_model::host::trace::{Devices, TraceConfig, TraceSource};
use floatgate_model::host::workload::Workload;
use floatgate_model::host::{Capacity, RequestSource};
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 3;
const REQUESTS: u64 = 5_000_000;
/// How often a trace is read in a round.
const READINGS: u64 = 50;
/// 512 GiB.
const DEVICE: Capacity = Capacity::of_bytes(512 << 30);
/// Room for the sixteen disks of the sample.
const LARGE: Capacity = Capacity::of_bytes(16 << 40);

const CLOSED: &str = "pace: Closed(queue_depth: 16)";
const OPEN: &str = "pace: Open(rate: BytesPerSecond(8000000000), gaps: Fixed)";
const POISSON: &str = "pace: Open(rate: RequestsPerSecond(1000000), gaps: Exponential)";
const FIXED_SIZE: &str = "sizes: Bytes(4096), kinds: (read: 1)";
const MIXED: &str = "sizes: Jesd219Enterprise, kinds: (read: 2, write: 3), fua_share: 0.01";

const WORKLOADS: [(&str, &str, &str, &str); 9] = [
    ("sequential", "Sequential", CLOSED, FIXED_SIZE),
    ("uniform", "Uniform", CLOSED, FIXED_SIZE),
    ("zipf-0.99", "Zipf(theta: 0.99)", CLOSED, FIXED_SIZE),
    ("zipf-1.2", "Zipf(theta: 1.2)", CLOSED, FIXED_SIZE),
    ("hot-cold", "HotCold(space: 0.2, accesses: 0.8)", CLOSED, FIXED_SIZE),
    ("jesd219", "Jesd219Enterprise", CLOSED, MIXED),
    ("uniform-open", "Uniform", OPEN, FIXED_SIZE),
    ("uniform-poisson", "Uniform", POISSON, FIXED_SIZE),
    ("zipf-mixed-poisson", "Zipf(theta: 0.99)", POISSON, MIXED),
];

const TRACES: [&str; 7] = [
    "tpcc-small.mqsim",
    "tpcc-small.msr.csv",
    "tpcc-small.spc",
    "tpcc-small.systor17.csv",
    "tpcc-small.fiu",
    "tpcc-small.blkparse",
    "tpcc-small.iolog",
];

fn main() {
    // Cargo adds `--bench`.
    let words: Vec<_> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    for (name, pattern, pace, rest) in WORKLOADS.iter().filter(|line| wanted(line.0)) {
        let phase = format!("until: Requests({REQUESTS}), {pace}, pattern: {pattern}, {rest}");
        let text = format!("(seed: 1, flows: [(name: \"f\", phases: [({phase})])])");
        let workload: Workload = ron::from_str(&text).expect("a workload");
        let ns = best_of(|| generate(&workload).expect("fits the device"));
        println!("{name:24} {ns:7.1} ns/request {:7.1} M requests/s", 1000.0 / ns);
    }
    for name in TRACES.iter().filter(|name| wanted(name)) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces").join(name);
        // Its disks have about 150 GB each; read once, as a fold would need.
        let config = TraceConfig { devices: Devices::One(device(name)), ..TraceConfig::new(path) };
        let ns = best_of(|| read(&config));
        println!("{name:24} {ns:7.1} ns/line    {:7.1} M lines/s", 1000.0 / ns);
    }
}

/// Disk 4 of tpcc-small, as the form calls it.
fn device(name: &str) -> String {
    match name.rsplit_once("small.").map_or("", |(_, form)| form) {
        "msr.csv" => "tpcc,4",
        "fiu" => "8 4",
        "blkparse" => "8,64",
        "iolog" => "/dev/d4",
        _ => "4",
    }
    .to_owned()
}

/// Nanoseconds of processor time per item; the work says how many items it did.
fn best_of(mut work: impl FnMut() -> u64) -> f64 {
    let round = |_| {
        let begin = processor_time_ns();
        let count = work();
        (processor_time_ns() - begin) / count as f64
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

fn processor_time_ns() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn generate(workload: &Workload) -> Result<u64, Fault> {
    let mut source = workload.sources(DEVICE)?.remove(0);
    let mut now = Picoseconds(0);
    let mut count = 0;
    while let Some(request) = source.next(now) {
        now = black_box(request).arrival;
        count += 1;
    }
    Ok(count)
}

fn read(config: &TraceConfig) -> u64 {
    let mut lines = 0;
    for _ in 0..READINGS {
        let mut source = TraceSource::open(config, LARGE).expect("the sample is there");
        while let Some(request) = source.next_request(Picoseconds(0)).expect("well-formed") {
            black_box(request);
        }
        lines += source.counts().lines;
    }
    lines
}
