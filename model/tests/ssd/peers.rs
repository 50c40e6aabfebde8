//! What other simulators measure on the same drive, and what their users reported.

use std::path::PathBuf;
use std::sync::Arc;

use floatgate_model::array::Contents;
use floatgate_model::config::{DriveConfig, Load, Precondition, RunConfig, TopologyConfig};
use floatgate_model::host::trace::{Devices, Fold, TraceConfig, TraceSource};
use floatgate_model::host::workload::{Bound, Gaps, KindWeights, Pace, Pattern, Rate, Workload};
use floatgate_model::host::{Capacity, RequestSource};
use floatgate_model::ssd::{RunResult, run};

use crate::contract::{checked, mixed, small};

fn project(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(path)
}

/// A shipped run with fewer requests.
fn shipped(name: &str, requests: u64) -> RunResult {
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

/// MQSim#6, #9, #15, #26: crashes with one request, with one of everything, with small pages.
#[test]
fn the_smallest_drives_and_runs_work() {
    let mut config = small();
    config.topology = TopologyConfig {
        channels: 1,
        dies_per_channel: 1,
        planes: 1,
        blocks_per_plane: 64,
        pages_per_block: 16,
        page_bytes: 512,
        joined_planes: false,
    };
    assert_eq!(checked(&config, &mixed(1, 1, 1)).submitted, 2);
    let trace = TraceConfig {
        devices: Devices::Concatenated,
        fold: Fold::Wrap,
        ..TraceConfig::new(project("traces/tpcc-small.mqsim"))
    };
    config.topology.page_bytes = 2048;
    let capacity = Capacity::of_bytes(config.user_bytes());
    let source = TraceSource::open(&trace, capacity).unwrap_or_else(|error| panic!("{error}"));
    let result = run(&config, Contents::Stamps, vec![source], 1, &Arc::default());
    let result = result.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((result.submitted, result.host.completed()), (6999, 6999));
    assert!(result.breaches.is_empty() && result.drive.collections > 0, "{result:?}");
}

/// MQSim#17: a load of 2^31 bytes a second and more. The link is what holds it up here, and is used
/// to the full.
#[test]
fn a_load_beyond_the_link_takes_all_of_it() {
    let mut config = small();
    config.link.mb_per_s = 100.0;
    config.precondition = Precondition::Filled(1.0);
    let mut workload = mixed(3000, 1, 1);
    workload.flows.truncate(1);
    let phase = &mut workload.flows[0].phases[0];
    phase.pace = Pace::Open { rate: Rate::BytesPerSecond(8_000_000_000), gaps: Gaps::Exponential };
    phase.kinds = KindWeights { read: 1, write: 0, trim: 0 };
    phase.pattern = Pattern::Uniform;
    let result = checked(&config, &workload);
    let rate = result.host.bytes_read as f64 / (result.span.0 as f64 / 1e12);
    assert!((0.95e8..=1e8).contains(&rate), "{rate} B/s");
}

/// SimpleSSD#24: reads of what was never written were served from nowhere without a word.
#[test]
fn reads_of_nothing_are_counted() {
    let mut workload = mixed(500, 4, 1);
    for flow in &mut workload.flows {
        flow.phases[0].kinds = KindWeights { read: 1, write: 0, trim: 0 };
    }
    let result = checked(&small(), &workload);
    assert_eq!(result.operations.reads.iter().sum::<u64>(), 0);
    assert!(result.drive.unmapped_reads >= result.submitted);
}

/// FEMU#189, snu-csl/nvmevirt#4: collection ends before there is room, or stops for ever. A drive
/// that is nearly full is overwritten ten times.
#[test]
fn a_drive_with_little_spare_is_overwritten_ten_times() {
    let config = DriveConfig {
        topology: TopologyConfig { blocks_per_plane: 64, ..small().topology },
        precondition: Precondition::Filled(1.0),
        ..small()
    };
    let config = DriveConfig {
        ftl: floatgate_model::config::TranslationConfig {
            over_provisioning_percent: 10.0,
            ..config.ftl
        },
        ..config
    };
    let mut workload: Workload = mixed(5 * u64::from(config.user_pages()), 16, 1);
    for flow in &mut workload.flows {
        let phase = &mut flow.phases[0];
        phase.kinds = KindWeights { read: 0, write: 1, trim: 0 };
        phase.pattern = Pattern::Uniform;
        phase.sizes = floatgate_model::host::workload::Sizes::Bytes(2048);
    }
    let result = checked(&config, &workload);
    let amplification = result.write_amplification().expect("pages were written");
    assert!(amplification > 3.0, "{amplification}");
}

/// The same requests through a boxed source, as the command has it.
#[test]
fn a_trace_and_a_workload_are_sources_alike() {
    let config = small();
    let sources = mixed(200, 4, 1).sources(Capacity::of_bytes(config.user_bytes()));
    let boxed: Vec<Box<dyn RequestSource>> = sources
        .expect("it fits")
        .into_iter()
        .map(|source| Box::new(source) as Box<dyn RequestSource>)
        .collect();
    let result = run(&config, Contents::Owner, boxed, 1, &Arc::default()).expect("it is served");
    assert_eq!(result.host.completed(), checked(&config, &mixed(200, 4, 1)).host.completed());
}
