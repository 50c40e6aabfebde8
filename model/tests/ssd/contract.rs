//! What every collection policy and every placement must do: serve each request, give back what was
//! written, lose no block, and keep the books.

use std::sync::Arc;

use floatgate_firmware::ftl::{Metadata, Placement, Trims, VictimPolicy, WearLimits};
use floatgate_model::array::{Contents, PageOrder, Scheduling};
use floatgate_model::config::{
    BusTimes, CellTimes, DieConfig, DriveConfig, FirmwareConfig, LinkTimes, Precondition,
    StepCosts, TopologyConfig, TranslationConfig, WriteBuffer,
};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::{
    Bound, Flow, KindWeights, Pace, Pattern, Phase, Region, SizeWeight, Sizes, Workload,
};
use floatgate_model::ssd::{RunResult, run};
use proptest::prelude::*;

/// A drive of two channels with two dies of two planes each.
pub(crate) fn small() -> DriveConfig {
    DriveConfig {
        topology: TopologyConfig {
            channels: 2,
            dies_per_channel: 2,
            planes: 2,
            blocks_per_plane: 16,
            pages_per_block: 8,
            page_bytes: 2048,
            joined_planes: false,
        },
        cells: CellTimes {
            t_r_us: vec![25.0, 40.0],
            t_prog_us: vec![200.0, 600.0],
            t_bers_us: 1500.0,
            page_order: PageOrder::InTurn,
        },
        dies: DieConfig::default(),
        bus: Some(BusTimes {
            mega_transfers_per_s: 200.0,
            read_command_ns: 300.0,
            program_command_ns: 300.0,
            erase_command_ns: 200.0,
            status_ns: 100.0,
            sector_bytes: 512,
        }),
        controller: None,
        power: None,
        errors: None,
        scheduling: Scheduling::ReadsFirst,
        link: LinkTimes { queue_depth: 32, mb_per_s: 500.0, command_ns: 800.0 },
        firmware: FirmwareConfig {
            workers: 32,
            cores: 1,
            cost_ns: StepCosts {
                accept: 500.0,
                translate: 200.0,
                report: 300.0,
                ..Default::default()
            },
        },
        buffer: WriteBuffer::default(),
        dram: None,
        ftl: TranslationConfig {
            over_provisioning_percent: 50.0,
            victim: VictimPolicy::Greedy,
            collect_below: 3,
            reserve_blocks: 1,
            separate_moved: true,
            placement: Placement::Striped,
            trims: Trims::InMemory,
            level_free_blocks: true,
            moves_at_once: 1,
            metadata: Metadata::Scan,
            wear: WearLimits::default(),
        },
        precondition: Precondition::Empty,
    }
}

/// Reads, writes and trims of all sizes and places, with flushes and force unit access.
pub(crate) fn mixed(requests: u64, queue_depth: u32, seed: u64) -> Workload {
    let size = |bytes, weight| SizeWeight { bytes, weight, align_bytes: 512 };
    let phase = |pattern| Phase {
        name: String::new(),
        until: Bound::Requests(requests),
        pace: Pace::Closed { queue_depth, think_ns: 0 },
        region: Region::default(),
        pattern,
        sizes: Sizes::Mix(vec![size(512, 2), size(2048, 3), size(3072, 1), size(16384, 1)]),
        kinds: KindWeights { read: 4, write: 8, trim: 1 },
        flush_every_writes: 37,
        fua_share: 0.1,
    };
    let flow = |name: &str, pattern| {
        let phases = vec![phase(pattern)];
        Flow { name: name.into(), phases }
    };
    let hot = Pattern::HotCold { space: 0.1, accesses: 0.9 };
    Workload { seed, flows: vec![flow("uniform", Pattern::Uniform), flow("hot", hot)] }
}

/// Runs a workload with all contents checked.
pub(crate) fn checked(config: &DriveConfig, workload: &Workload) -> RunResult {
    let flows =
        workload.sources(Capacity::of_bytes(config.user_bytes())).expect("a workload that fits");
    let result = run(config, Contents::Bytes, flows, workload.seed, &Arc::default());
    let result = result.unwrap_or_else(|error| panic!("{error}"));
    assert!(result.breaches.is_empty(), "{:#?}", result.breaches);
    assert_eq!(result.host.completed(), result.submitted);
    assert_eq!(result.host.failed, 0);
    result
}

const POLICIES: [VictimPolicy; 6] = [
    VictimPolicy::Greedy,
    VictimPolicy::WindowedGreedy { window: 4 },
    VictimPolicy::Choices { choices: 3 },
    VictimPolicy::Fifo,
    VictimPolicy::CostBenefit,
    VictimPolicy::Random,
];

#[test]
fn every_policy_serves_every_request_and_gives_back_what_was_written() {
    for victim in POLICIES {
        for placement in [Placement::Striped, Placement::RoundRobin] {
            for separate_moved in [false, true] {
                let mut config = small();
                config.ftl = TranslationConfig { victim, placement, separate_moved, ..config.ftl };
                let result = checked(&config, &mixed(4000, 8, 1));
                assert!(result.drive.collections > 0, "{victim:?} never collects");
                let programs: u64 = result.operations.programs.iter().sum();
                let drive = result.drive;
                assert_eq!(programs, drive.stored_pages + drive.moved_pages, "{victim:?}");
                assert_eq!(drive.stored_pages, drive.host_pages, "{victim:?}");
                assert_eq!(result.operations.erases.iter().sum::<u64>(), drive.collections);
            }
        }
    }
}

#[test]
fn a_full_drive_is_overwritten_again_and_again() {
    let mut config = small();
    config.precondition = Precondition::Filled(1.0);
    config.ftl.over_provisioning_percent = 48.0;
    let mut workload = mixed(20_000, 16, 3);
    for flow in &mut workload.flows {
        flow.phases[0].kinds = KindWeights { read: 0, write: 1, trim: 0 };
    }
    let result = checked(&config, &workload);
    assert!(result.write_amplification().is_some_and(|wa| wa > 1.2), "{result:?}");
}

/// Sizes of the buffer about those of the load, watermarks at both ends.
#[test]
fn a_buffer_gives_back_what_was_written() {
    for (pages, flushers, flush_above, flush_down_to) in
        [(1, 1, 0, 0), (4, 2, 2, 1), (16, 8, 16, 0), (64, 4, 48, 40), (400, 16, 300, 100)]
    {
        for trims in [Trims::InMemory, Trims::OnFlash] {
            let mut config = small();
            config.buffer = WriteBuffer { pages, flushers, flush_above, flush_down_to };
            config.ftl.trims = trims;
            let result = checked(&config, &mixed(4000, 8, 1));
            let programs: u64 = result.operations.programs.iter().sum();
            assert_eq!(programs, result.drive.stored_pages + result.drive.moved_pages);
            assert!(result.drive.collections > 0, "{pages} pages: no collection");
        }
    }
}

/// A write is reported when it is in the buffer, and waits for flash only when that is full.
#[test]
fn writes_end_in_the_buffer() {
    let mut config = small();
    config.buffer = WriteBuffer { pages: 64, flushers: 8, flush_above: 48, flush_down_to: 16 };
    let mut workload = mixed(48, 1, 1);
    workload.flows.truncate(1);
    let phase = &mut workload.flows[0].phases[0];
    phase.kinds = KindWeights { read: 0, write: 1, trim: 0 };
    phase.sizes = Sizes::Bytes(2048);
    (phase.flush_every_writes, phase.fua_share) = (0, 0.0);
    let result = checked(&config, &workload);
    assert_eq!(result.operations.programs.iter().sum::<u64>(), 0);
    let slowest = result.host.writes.max().expect("there are writes");
    assert!(slowest.0 < 200_000_000, "a write took {slowest}, as long as a program");
}

#[test]
fn one_seed_gives_one_result() {
    let run = || checked(&small(), &mixed(2000, 8, 5));
    let (one, other) = (run(), run());
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Small drives of any shape either say that they have no room, or work.
    #[test]
    fn any_small_drive_works_or_is_refused(
        channels in 1u32..4,
        dies_per_channel in 1u32..3,
        planes in 1u32..3,
        blocks_per_plane in 3u32..20,
        pages_per_block in 1u32..9,
        over_provisioning_percent in 7.0..60.0,
        collect_below in 2u32..4,
        queue_depth in 1u32..20,
        separate_moved: bool,
        is_striped: bool,
        joined_planes: bool,
        moves_at_once in 1u32..9,
    ) {
        use floatgate_model::config::Check;
        let mut config = small();
        config.topology = TopologyConfig {
            channels, dies_per_channel, planes, blocks_per_plane, pages_per_block, page_bytes: 2048,
            joined_planes,
        };
        let placement = if is_striped { Placement::Striped } else { Placement::RoundRobin };
        config.ftl = TranslationConfig {
            over_provisioning_percent, collect_below, separate_moved, placement, moves_at_once,
            ..config.ftl
        };
        let has_room = config.check().is_ok() && config.user_pages() >= 8;
        if has_room {
            checked(&config, &mixed(1500, queue_depth, 1));
        }
    }
}
