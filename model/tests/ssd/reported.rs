//! What users of other simulators and open controllers reported, each with the test that it became.
//!
//! | | reported | test |
//! |---|---|---|
//! | 1 | requests lost, exit code 0 (MQSim#30) | here, two tests |
//! | 2 | a victim with a program under way (MQSim PR#67) | here |
//! | 3 | rates of whole seconds only (MQSim#13, #74) | here |
//! | 4 | preconditioning without end (MQSim#20, #48, #78) | `precondition.rs` |
//! | 5 | what over-provisioning means, a hidden reserve (MQSim#49) | here; `contract.rs` |
//! | 6 | crashes on small drives and short runs (MQSim#9, #15, #26) | here |
//! | 7 | loads of 2^31 bytes a second (MQSim#17) | here |
//! | 8 | memory that grows with the run (MQSim#59) | `tests/growth.rs` |
//! | 9 | suspension that does nothing (MQSim PR#62) | here; `die_suspend.rs` |
//! | 10 | examples that never collect (MQSim_CXL#1, wiscsee#2) | here |
//! | 11 | multi-plane programs that count half (SimpleSSD#8) | here |
//! | 12 | reads of nothing (SimpleSSD-Standalone#24) | here |
//! | 13 | traces that become something else (MQSim#46, SimpleSSD#17) | here; `tests/host` |
//! | 14 | collection that ends too soon (FEMU#189, nvmevirt#4) | here |
//! | 15 | data lost at power-off, half-written drives (Cosmos+#5, #11) | here; `power_cuts.rs` |

use std::rc::Rc;
use std::sync::Arc;

use floatgate_firmware::ftl::{BlockState, Ftl, Stream, VictimPolicy};
use floatgate_hal::array::{BlockId, Lpn, UnitIndex};
use floatgate_model::array::{Contents, PlanesTogether};
use floatgate_model::config::{
    DieConfig, DriveConfig, Precondition, SuspendConfig, TopologyConfig,
};
use floatgate_model::host::trace::{Devices, Fold, TraceConfig, TraceSource};
use floatgate_model::host::workload::{Gaps, KindWeights, Pace, Pattern, Rate, Sizes, Workload};
use floatgate_model::host::{Capacity, RequestSource};
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::{Ssd, run};

use crate::contract::{checked, mixed, small};
use crate::die_suspend::SUSPEND;
use crate::peers::{project, shipped};
use crate::power_cuts::start;

/// One flow of one kind of requests of a page each.
fn pages(requests: u64, queue_depth: u32, pattern: Pattern, kinds: KindWeights) -> Workload {
    let mut workload = mixed(requests, queue_depth, 1);
    workload.flows.truncate(1);
    let phase = &mut workload.flows[0].phases[0];
    (phase.pattern, phase.kinds, phase.sizes) = (pattern, kinds, Sizes::Bytes(2048));
    (phase.flush_every_writes, phase.fua_share) = (0, 0.0);
    workload
}

const READS: KindWeights = KindWeights { read: 1, write: 0, trim: 0 };
const WRITES: KindWeights = KindWeights { read: 0, write: 1, trim: 0 };

/// The small drive, full.
fn full() -> DriveConfig {
    DriveConfig { precondition: Precondition::Filled(1.0), ..small() }
}

/// 1: at 16 outstanding 12 of a million requests were lost, at 64 it was 55; with FIFO victims the
/// run ended with every slot of the queue stuck.
#[test]
fn every_request_is_complete_at_any_depth() {
    for victim in [VictimPolicy::Fifo, VictimPolicy::Greedy] {
        let mut config = full();
        config.ftl.victim = victim;
        for depth in [1, 16, 64] {
            let writes = 4 * u64::from(config.user_pages());
            let result = checked(&config, &pages(writes, depth, Pattern::Uniform, WRITES));
            assert_eq!(result.host.completed(), writes);
            assert!(result.drive.collections > 0);
        }
    }
}

/// 1: a run that cannot go on is an error that names who waits, and no result.
#[test]
fn a_drive_that_cannot_go_on_is_an_error_that_names_who_waits() {
    let mut simulation = Simulation::new(1);
    let (sim, config) = (simulation.sim(), small());
    let ssd = Rc::new(Ssd::fresh(&sim, &config, Contents::Stamps, 1, 1).expect("there is room"));
    let cells = ssd.drive().array().cells();
    (0..cells.geometry().blocks()).for_each(|block| cells.fail_programs(BlockId(block)));
    start(&sim, &ssd, &config, &pages(10, 4, Pattern::Uniform, WRITES));
    let error = simulation.run().expect_err("no block can be written").to_string();
    assert!(error.contains("flow"), "{error}");
    assert!(ssd.drive().host().in_flight() > 0);
}

/// 2: the erasure was never begun. Here a block is no victim before its last program has ended.
#[test]
fn a_block_with_a_program_under_way_is_no_victim() {
    let config = small();
    let geometry = config.topology().geometry();
    let words = |words: u32| vec![std::cell::Cell::new(0); words as usize].into_boxed_slice();
    let ftl = Ftl::new(geometry, config.ftl(1), words).expect("there is room");
    let unit = UnitIndex(0);
    let mut last_pages = Vec::new();
    while !ftl.is_short(unit) {
        for index in 1..=geometry.pages_per_block {
            let page = ftl.allocate(unit, Stream::Host).expect("there is room");
            ftl.map(Lpn(0), page);
            if index < geometry.pages_per_block {
                ftl.programmed(page);
            } else {
                last_pages.push(page);
            }
        }
    }
    assert_eq!(ftl.choose_victim(unit), None);
    ftl.programmed(last_pages[1]);
    let victim = ftl.choose_victim(unit).expect("a block without valid pages").block;
    assert_eq!(victim, geometry.block_of(last_pages[1]));
    assert_eq!(ftl.block(victim), BlockState::Victim { has_failed: false });
}

/// 3: below a second they were infinite or half of what they are.
#[test]
fn rates_of_short_runs_are_exact() {
    let result = checked(&full(), &pages(10, 1, Pattern::Sequential, READS));
    let seconds = result.span.0 as f64 / 1e12;
    assert!(seconds < 1e-3, "{seconds} s");
    assert_eq!(result.iops(), 10.0 / seconds);
}

/// 5: (T - U) / U, and the reserve is what is configured: where there is no room for it, the drive
/// is refused; where there is, it is written in whole and over again.
#[test]
fn little_spare_works_or_is_refused_in_words() {
    let mut seen = [0; 2];
    for percent in [0.5, 1.0, 2.0, 4.0, 6.5, 13.0] {
        let mut config = full();
        config.topology.blocks_per_plane = 128;
        config.ftl.over_provisioning_percent = percent;
        let flash = f64::from(config.topology().geometry().pages());
        let user = f64::from(config.user_pages());
        assert!((100.0 * (flash - user) / user - percent).abs() < 0.02, "{percent} %");
        let writes = pages(2 * user as u64, 8, Pattern::Uniform, WRITES);
        let sources = writes.sources(Capacity::of_bytes(config.user_bytes())).expect("it fits");
        match run(&config, Contents::Stamps, sources, 1, &Arc::default()) {
            Ok(result) => {
                assert_eq!(result.host.completed(), result.submitted, "{percent} %");
                seen[0] += 1;
            }
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("block") && !error.contains('\n'), "{percent} %: {error}");
                seen[1] += 1;
            }
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

/// 9: a read that comes in the middle of a program takes tSUSP, tR and its transfers with
/// suspension; without it waits for the program's end.
#[test]
fn suspension_lets_a_read_into_a_program() {
    let worst_us = |suspend| {
        let config = DriveConfig { dies: DieConfig { suspend, ..DieConfig::default() }, ..full() };
        let mut workload = pages(400, 1, Pattern::Uniform, READS);
        let mut writer = pages(400, 1, Pattern::Uniform, WRITES).flows.remove(0);
        writer.name = "writer".into();
        workload.flows.push(writer);
        checked(&config, &workload).host.reads.percentile(90.0).expect("reads").0 as f64 / 1e6
    };
    let (with, without) = (worst_us(SUSPEND), worst_us(SuspendConfig::Off));
    assert!(with + 50.0 < without, "{with} us with, {without} us without suspension");
}

/// 10: a load that overwrites has to reach collection, or its figures are those of an empty drive.
#[test]
fn the_load_that_overwrites_collects() {
    let result = shipped("d7", 200_000);
    assert!(result.drive.collections > 0 && result.write_amplification() > Some(1.05));
}

/// 11: of 69.6 MB that were written, 36.5 MB were counted as programmed.
#[test]
fn programs_of_several_planes_count_all_their_pages() {
    for planes_together in [PlanesTogether::Off, PlanesTogether::SamePage, PlanesTogether::Any] {
        let dies = DieConfig { planes_together, ..DieConfig::default() };
        let config = DriveConfig { dies, ..small() };
        let writes = u64::from(config.user_pages());
        let result = checked(&config, &pages(writes, 32, Pattern::Sequential, WRITES));
        assert_eq!(result.host.bytes_written, 2048 * writes);
        assert_eq!(result.operations.programs.iter().sum::<u64>(), writes);
        assert_eq!(result.write_amplification(), Some(1.0));
    }
}

/// 13: `200 80 8 W` came at another time than its line says. It is never replaced by another load.
#[test]
fn a_trace_keeps_its_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("three.trace");
    std::fs::write(&path, "1 0 48 8 0\n200 0 80 8 0\n15000 0 80 8 1\n").expect("it is written");
    let capacity = Capacity::of_bytes(small().user_bytes());
    let source = TraceSource::open(&TraceConfig::new(path), capacity);
    let mut source = source.unwrap_or_else(|error| panic!("{error}"));
    let mut times = Vec::new();
    while let Some(request) = source.next_request(Default::default()).expect("it is well formed") {
        times.push((request.arrival.0 / 1000, request.sector.0));
    }
    let from_first = |time| time - times[0].0;
    assert_eq!(
        times.iter().map(|&(time, _)| from_first(time)).collect::<Vec<_>>(),
        [0, 199, 14999]
    );
}

/// 15: a controller failed after 28 GiB of sequential writes. The whole drive is written, twice,
/// and read back.
#[test]
fn the_whole_drive_is_written_and_read_back() {
    let config = small();
    let all = u64::from(config.user_pages());
    let mut workload = pages(2 * all, 16, Pattern::Sequential, WRITES);
    let mut readers = pages(all, 16, Pattern::Sequential, READS);
    workload.flows[0].phases.append(&mut readers.flows[0].phases);
    let result = checked(&config, &workload);
    assert_eq!((result.host.bytes_written, result.host.bytes_read), (4096 * all, 2048 * all));
    assert_eq!(result.drive.unmapped_reads, 0);
}

/// 6: crashes with one request, with one of everything, with small pages.
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

/// 7: a load of 2^31 bytes a second and more. The link is what holds it up here, and is used
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

/// 12: reads of what was never written were served from nowhere without a word.
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

/// 14: collection ends before there is room, or stops for ever. A drive
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
        phase.sizes = Sizes::Bytes(2048);
    }
    let result = checked(&config, &workload);
    let amplification = result.write_amplification().expect("pages were written");
    assert!(amplification > 3.0, "{amplification}");
}

/// 13: the same requests through a boxed source, as the command has it.
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
