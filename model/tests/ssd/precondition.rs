//! Drives that begin in their steady state: drawn from the closed forms, and brought about by
//! writing, which is the truth for the other.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use floatgate_firmware::drive::DriveCounts;
use floatgate_firmware::ftl::{BlockState, Ftl, Metadata, Placement, VictimPolicy};
use floatgate_hal::array::{BlockId, Lpn, Ppa, UnitIndex};
use floatgate_hal::host::Access;
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{Contents, PageOrder};
use floatgate_model::closed_forms;
use floatgate_model::config::{
    BusTimes, CellTimes, DriveConfig, FirmwareConfig, LinkTimes, Precondition, StepCosts,
    TopologyConfig, TranslationConfig,
};
use floatgate_model::sim::{Simulation, random_stream};
use floatgate_model::ssd::{Command, Ssd, Words};
use rand::Rng;

use crate::contract::{checked, mixed, small};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/drives");

const PERCENTS: [f64; 4] = [7.0, 15.0, 28.0, 50.0];
/// Neither counts as holding data when a block is chosen: a free block, and the open one.
const RESERVE: u32 = 2;
const PAGES: u32 = 64;
const DRAWN: Precondition = Precondition::Steady;
const WRITTEN: Precondition = Precondition::Written { drive_writes: 6.0 };

/// A drive whose flash takes no time, of so many domains of collection.
fn immediate(
    victim: VictimPolicy,
    percent: f64,
    (units, blocks): (u32, u32),
    before: Precondition,
) -> DriveConfig {
    let mut config = small();
    config.topology = TopologyConfig {
        channels: units,
        dies_per_channel: 1,
        planes: 1,
        blocks_per_plane: blocks,
        pages_per_block: PAGES,
        page_bytes: 512,
        joined_planes: false,
    };
    let none = vec![0.0];
    config.cells = CellTimes {
        t_r_us: none.clone(),
        t_prog_us: none,
        t_bers_us: 0.0,
        page_order: PageOrder::InTurn,
    };
    config.bus = Some(BusTimes {
        mega_transfers_per_s: f64::INFINITY,
        read_command_ns: 0.0,
        program_command_ns: 0.0,
        erase_command_ns: 0.0,
        status_ns: 0.0,
        sector_bytes: 512,
    });
    config.link = LinkTimes { queue_depth: 1, mb_per_s: f64::INFINITY, command_ns: 0.0 };
    config.firmware = FirmwareConfig { workers: 1, cores: 1, cost_ns: StepCosts::default() };
    // Of all blocks, where the closed forms count those that hold data.
    let data = f64::from(blocks - RESERVE) / f64::from(blocks);
    config.ftl.over_provisioning_percent = 100.0 * ((1.0 + percent / 100.0) / data - 1.0);
    config.ftl.victim = victim;
    (config.ftl.collect_below, config.ftl.separate_moved) = (2, false);
    config.ftl.level_free_blocks = false;
    config.precondition = before;
    config
}

fn fresh(simulation: &Simulation, config: &DriveConfig) -> Rc<Ssd> {
    let ssd = Ssd::fresh(&simulation.sim(), config, Contents::Owner, 1, 1);
    Rc::new(ssd.expect("there is room"))
}

/// Write amplification of one window of uniform random writes after the other.
fn amplifications(config: &DriveConfig, windows: u32, window_drive_writes: f64) -> Vec<f64> {
    let mut simulation = Simulation::new(1);
    let ssd = fresh(&simulation, config);
    let pages = config.user_pages();
    let end = simulation.block_on("host", async move {
        let mut random = random_stream(2, "pages");
        let mut measured = Vec::new();
        for _ in 0..windows {
            let before = ssd.drive().counts();
            for _ in 0..(f64::from(pages) * window_drive_writes) as u32 {
                let page = random.random_range(0..pages);
                let (access, wanted) = (Access::Write, Picoseconds(0));
                let sector = u64::from(page);
                let command = Command { access, sector, sectors: 1, wanted, flow: 0 };
                ssd.drive().host().submit(command).await;
            }
            ssd.drive().host().drain().await;
            let DriveCounts { host_pages, moved_pages, .. } = ssd.drive().counts().since(&before);
            measured.push((host_pages + moved_pages) as f64 / host_pages as f64);
        }
        measured
    });
    end.expect("every write is served")
}

/// Valid pages of all full blocks, ascending.
fn valid_pages(ftl: &Ftl<Words>) -> Vec<u32> {
    let geometry = ftl.geometry();
    let of = |block| {
        let pages = (0..geometry.pages_per_block).map(|page| geometry.page(block, page));
        pages.filter(|&page| ftl.is_valid(page)).count() as u32
    };
    let blocks = (0..geometry.blocks()).map(BlockId);
    let full = blocks.filter(|&block| matches!(ftl.block(block), BlockState::Full(_)));
    let mut valid: Vec<u32> = full.map(of).collect();
    valid.sort_unstable();
    valid
}

/// The greatest difference of two distributions (Kolmogorov and Smirnov).
fn distance(one: &[u32], other: &[u32]) -> f64 {
    let share =
        |of: &[u32], most: u32| of.partition_point(|&valid| valid <= most) as f64 / of.len() as f64;
    (0..=PAGES).map(|most| (share(one, most) - share(other, most)).abs()).fold(0.0, f64::max)
}

/// A policy, and its write amplification with a = T/U.
type Known = (VictimPolicy, Box<dyn Fn(f64) -> f64>);

/// Policies with closed forms.
fn known() -> [Known; 5] {
    let choices = |choices: u32| -> Known {
        let form = Box::new(move |a| closed_forms::choices(a, PAGES, choices));
        (VictimPolicy::Choices { choices }, form)
    };
    [
        (VictimPolicy::Greedy, Box::new(|a| closed_forms::greedy(a, PAGES))),
        (VictimPolicy::Fifo, Box::new(closed_forms::fifo)),
        choices(10),
        choices(2),
        (VictimPolicy::Random, Box::new(closed_forms::random)),
    ]
}

/// Without a drive write to settle: the first tenth of a run is as the closed form says, as the
/// last one and all of it are. Where victims are drawn, their valid pages scatter more, so there
/// are more of them.
#[test]
fn a_drive_that_begins_in_its_steady_state_has_no_transient() {
    for (victim, form) in known() {
        let is_drawn =
            matches!(victim, VictimPolicy::Choices { choices: 2 } | VictimPolicy::Random);
        for percent in PERCENTS {
            let form = form(1.0 + percent / 100.0);
            let units = if is_drawn { (30.0 / form).ceil() as u32 } else { 1 };
            let of_tenths = if is_drawn { 0.03 } else { 0.02 };
            let config = immediate(victim, percent, (units, 512), DRAWN);
            let tenths = amplifications(&config, 10, 0.3);
            let (first, last) = (tenths[0], tenths[9]);
            let mean = tenths.iter().sum::<f64>() / 10.0;
            let line = format!(
                "{victim:?} at {percent} %: first tenth {first:.3}, last {last:.3}, all \
                 {mean:.3}, closed form {form:.3}"
            );
            println!("{line}");
            for (measured, tolerance) in [(first, of_tenths), (last, of_tenths), (mean, 0.01)] {
                assert!((measured / form - 1.0).abs() < tolerance, "{line}");
            }
        }
    }
}

/// Two samples of 509 blocks are further apart than this once in a thousand times, if they are of
/// the same distribution (Kolmogorov and Smirnov: 1.95 sqrt(2 / 509)).
const APART: f64 = 0.122;

#[test]
fn what_is_drawn_is_distributed_as_what_was_written() {
    for (victim, _) in known() {
        for percent in PERCENTS {
            let [drawn, written] = [DRAWN, WRITTEN].map(|before| {
                let simulation = Simulation::new(1);
                let ssd = fresh(&simulation, &immediate(victim, percent, (1, 512), before));
                valid_pages(ssd.drive().ftl())
            });
            let apart = distance(&drawn, &written);
            println!("{victim:?} at {percent} %: {apart:.4} apart");
            assert!(apart < APART, "{victim:?} at {percent} %: {apart}");
        }
    }
}

/// Drives of several kinds, with the flash that a mount needs.
fn of_several_kinds() -> Vec<DriveConfig> {
    let mut drives = Vec::new();
    for placement in [Placement::Striped, Placement::RoundRobin] {
        for (victim, separate_moved, joined_planes) in [
            (VictimPolicy::Greedy, true, false),
            (VictimPolicy::Fifo, false, true),
            (VictimPolicy::Choices { choices: 3 }, true, true),
        ] {
            for metadata in [Metadata::Scan, Metadata::Journal { blocks_per_unit: 3 }] {
                let mut config = small();
                config.topology.blocks_per_plane = 32;
                config.topology.joined_planes = joined_planes;
                config.firmware.workers = 4;
                config.ftl = TranslationConfig {
                    victim,
                    separate_moved,
                    placement,
                    metadata,
                    reserve_blocks: 2,
                    ..config.ftl
                };
                drives.push(config);
            }
        }
    }
    drives
}

/// All free blocks and every page of the host.
fn map(ftl: &Ftl<Words>) -> (Vec<u32>, Vec<Option<Ppa>>) {
    let units = (0..ftl.geometry().units).map(UnitIndex);
    let pages = (0..ftl.config().user_pages).map(Lpn);
    (units.map(|unit| ftl.free_blocks(unit)).collect(), pages.map(|lpn| ftl.lookup(lpn)).collect())
}

/// What is on flash tells the same as firmware's tables do, and the drive goes on from there.
#[test]
fn a_mount_finds_what_was_on_the_drive_before_the_run() {
    for config in of_several_kinds() {
        for before in [DRAWN, WRITTEN] {
            let config = DriveConfig { precondition: before, ..config.clone() };
            let simulation = Simulation::new(1);
            let sim = simulation.sim();
            let ssd = Ssd::fresh(&sim, &config, Contents::Stamps, 2, 1).expect("there is room");
            let (free, pages) = map(ssd.drive().ftl());
            assert!(pages.iter().all(Option::is_some), "{config:?}");
            assert!(free.iter().all(|&free| free == config.ftl.collect_below), "{free:?}");
            let cells = Rc::new((**ssd.drive().array().cells()).clone());
            let mut simulation = Simulation::new(1);
            let sim = simulation.sim();
            let other = Ssd::on_cells(&sim, &config, cells, None, 2, 1).expect("there is room");
            let other = Rc::new(other);
            let (mounted, clock) = (Rc::clone(&other), sim.clone());
            let mount = simulation.block_on("mount", async move { mounted.mount(&clock).await });
            mount.expect("units meet").expect("a whole journal");
            assert_eq!(map(other.drive().ftl()), (free, pages), "{config:?}");
            let result = checked(&config, &mixed(3000, 8, 1));
            assert!(result.drive.collections > 100, "{result:?}");
        }
    }
}

/// MQSim#20, #48, #78: large drives that are full are not ready within minutes, or not at all.
#[test]
fn drives_of_4_and_512_gib_are_in_their_steady_state_before_a_run() {
    let text = "steady-512gib.ron";
    let large = DriveConfig::load(Path::new(FOLDER).join(text)).unwrap_or_else(|e| panic!("{e}"));
    let mut small = large.clone();
    (small.topology.dies_per_channel, small.topology.blocks_per_plane) = (1, 128);
    let mut drives = vec![large];
    for percent in [15.0, 28.0] {
        small.ftl.over_provisioning_percent = percent;
        drives.push(small.clone());
    }
    // Of 128 blocks of a plane seven are a twentieth.
    small.ftl.over_provisioning_percent = 7.0;
    drives.push(small);
    for config in drives {
        let simulation = Simulation::new(1);
        let ssd = fresh(&simulation, &config);
        let ftl = ssd.drive().ftl();
        let gib = config.flash_bytes() >> 30;
        let (units, open) = (ftl.geometry().units, ftl.geometry().units * 2);
        let free: u32 = (0..units).map(|unit| ftl.free_blocks(UnitIndex(unit))).sum();
        assert_eq!(free, units * config.ftl.collect_below);
        let valid = valid_pages(ftl);
        let full = ftl.geometry().blocks() - free - open;
        assert!((0..=open).contains(&(valid.len() as u32 - full)), "{gib} GiB");
        assert!((0..config.user_pages()).all(|lpn| ftl.lookup(Lpn(lpn)).is_some()));
        println!("{gib} GiB: {} to {} valid pages", valid[0], valid[valid.len() - 1]);
    }
}

#[test]
fn a_policy_without_a_closed_form_is_refused() {
    for (victim, complaint) in [
        ("CostBenefit", "is `Steady`, but `CostBenefit` has no closed form of its steady state"),
        ("WindowedGreedy(window: 8)", "`WindowedGreedy { window: 8 }` has no closed form"),
    ] {
        let text = fs::read_to_string(Path::new(FOLDER).join("steady-512gib.ron"));
        let text = text.expect("a shipped drive");
        let file = tempfile::NamedTempFile::new().expect("a file");
        let text = text.replace("victim: Greedy", &format!("victim: {victim}"));
        fs::write(file.path(), text).expect("a file");
        let refused = DriveConfig::load(file.path()).expect_err("it is refused").to_string();
        assert!(refused.contains("field `precondition`"), "{refused}");
        assert!(refused.contains(complaint), "{refused}");
    }
}
