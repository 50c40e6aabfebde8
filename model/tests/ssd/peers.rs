//! What other simulators measure on the same drive.

use std::path::PathBuf;
use std::sync::Arc;

use floatgate_model::array::Contents;
use floatgate_model::config::{Load, RunConfig};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::Bound;
use floatgate_model::ssd::{RunResult, run};

pub(crate) fn project(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(path)
}

/// A shipped run with fewer requests.
pub(crate) fn shipped(name: &str, requests: u64) -> RunResult {
    let path = project(&format!("configs/peers/{name}.ron"));
    let config = RunConfig::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let drive = config.load_drive(&path, &project("configs/drives"));
    let drive = drive.unwrap_or_else(|error| panic!("{error}"));
    let Load::Workload(mut workload) = config.load else { panic!("{name} is a workload") };
    workload.flows[0].phases[0].until = Bound::Requests(requests);
    let flows = workload.sources(Capacity::of_bytes(drive.user_bytes())).expect("it fits");
    run(&drive, Contents::Owner, flows, config.seed, &Arc::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// MQSim 7ec40e3 and SimpleSSD 2.0 on the same geometry and times, in requests per second.
#[test]
fn reads_and_writes_take_the_time_that_mqsim_and_simplessd_give() {
    let cases: [(&str, u64, &[f64]); 3] = [
        ("d1", 100_000, &[63_148.0, 62_705.0]),
        ("d2", 100_000, &[80_092.0]),
        ("d3", 600_000, &[10_208.0, 10_164.0]),
    ];
    for (name, requests, peers) in cases {
        let iops = shipped(name, requests).iops();
        for peer in peers {
            assert!((iops / peer - 1.0).abs() < 0.015, "{name}: {iops:.0}, others {peer}");
        }
    }
}
