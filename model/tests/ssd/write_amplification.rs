//! Drives whose flash takes no time, written at random until they are in a steady state, against
//! the closed forms.

use std::rc::Rc;

use floatgate_firmware::drive::{BufferConfig, DriveCounts};
use floatgate_firmware::ftl::{
    FtlConfig, Ladder, Metadata, Placement, Trims, VictimPolicy, WearLimits,
};
use floatgate_hal::Step;
use floatgate_hal::host::Access;
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{Array, ArrayTiming, Cells, Contents, Scheduling, Topology};
use floatgate_model::sim::{RandomStream, Sim, Simulation, random_stream};
use floatgate_model::ssd::{Command, Cpu, HostInterface, LinkConfig, Ssd};
use rand::Rng;

use floatgate_model::closed_forms;

/// One unit, so that there is one domain of collection.
const fn topology(blocks: u32) -> Topology {
    Topology {
        channels: 1,
        dies_per_channel: 1,
        planes: 1,
        blocks_per_plane: blocks,
        pages_per_block: 64,
        sectors_per_page: 1,
        joined_planes: false,
    }
}
/// Neither counts as holding data: the free block, and the open one.
const RESERVE: u32 = 2;
/// Drive writes before measuring, and measured.
const DRIVE_WRITES: u32 = 6;
const NONE: Picoseconds = Picoseconds(0);

/// Draws the page to write.
type Pattern = fn(&mut RandomStream, u32) -> u32;

fn uniform(random: &mut RandomStream, pages: u32) -> u32 {
    random.random_range(0..pages)
}

/// 80 % of the writes go to 20 % of the pages.
fn hot_and_cold(random: &mut RandomStream, pages: u32) -> u32 {
    let hot = pages / 5;
    if random.random_bool(0.8) {
        random.random_range(0..hot)
    } else {
        random.random_range(hot..pages)
    }
}

/// Write amplification in the steady state at an over-provisioning.
fn measure(victim: VictimPolicy, percent: f64, pattern: Pattern, blocks: u32) -> f64 {
    let topology = topology(blocks);
    let pages = (blocks - RESERVE) * topology.pages_per_block;
    let user_pages = (f64::from(pages) / (1.0 + percent / 100.0)).round() as u32;
    let ftl = FtlConfig {
        user_pages,
        victim,
        collect_below: 2,
        reserve_blocks: 1,
        separate_moved: false,
        placement: Placement::Striped,
        trims: Trims::InMemory,
        level_free_blocks: false,
        metadata: Metadata::Scan,
        wear: WearLimits::default(),
        ladder: Ladder::default(),
        moves: 1,
        seed: 1,
    };
    let mut simulation = Simulation::new(1);
    let ssd = Rc::new(immediate(&simulation.sim(), topology, ftl));
    let end = simulation.block_on("host", async move {
        let mut random = random_stream(1, "pages");
        for page in 0..user_pages {
            write(&ssd, page).await;
        }
        let mut before = DriveCounts::default();
        for _ in 0..2 {
            before = ssd.drive().counts();
            for _ in 0..DRIVE_WRITES * user_pages {
                write(&ssd, pattern(&mut random, user_pages)).await;
            }
            ssd.drive().host().drain().await;
        }
        let after = ssd.drive().counts();
        (after.host_pages - before.host_pages, after.moved_pages - before.moved_pages)
    });
    let (host, moved) = end.expect("every write is served");
    (host + moved) as f64 / host as f64
}

/// A drive whose flash takes no time, which serves one command after the other.
fn immediate(sim: &Sim, topology: Topology, ftl: FtlConfig) -> Ssd {
    let cells = Rc::new(Cells::new(topology.geometry(), Contents::Owner, 2));
    let timing = ArrayTiming::immediate();
    let array = Array::new(sim, topology, timing, Scheduling::FirstCome, cells);
    let link = LinkConfig { sectors_per_page: 1, queue_depth: 1, byte: NONE, command: NONE };
    let host = HostInterface::new(sim, link, 1);
    let cpu = Cpu::new(sim, 1, [NONE; Step::ALL.len()]);
    let ssd =
        Ssd::assemble(array, host, cpu, ftl, 1, BufferConfig::default()).expect("there is room");
    ssd.start(sim);
    ssd
}

async fn write(ssd: &Ssd, page: u32) {
    let (access, sector) = (Access::Write, page.into());
    let command = Command { access, sector, sectors: 1, wanted: NONE, flow: 0 };
    ssd.drive().host().submit(command).await;
}

#[track_caller]
fn agrees(victim: VictimPolicy, blocks: u32, tolerance: f64, form: impl Fn(f64) -> f64) {
    for percent in [7.0, 15.0, 28.0, 50.0] {
        let (measured, form) =
            (measure(victim, percent, uniform, blocks), form(1.0 + percent / 100.0));
        println!("{victim:?} at {percent} %: {measured:.3}, closed form {form:.3}");
        let apart = (measured / form - 1.0).abs();
        assert!(apart < tolerance, "{victim:?} at {percent} %: {measured:.3}, not {form:.3}");
    }
}

#[test]
fn fifo_agrees_with_desnoyers() {
    agrees(VictimPolicy::Fifo, 512, 0.01, closed_forms::fifo);
}

#[test]
fn greedy_agrees_with_the_mean_field() {
    agrees(VictimPolicy::Greedy, 512, 0.01, |a| closed_forms::greedy(a, 64));
}

#[test]
fn any_block_agrees_with_van_houdt() {
    // What is drawn scatters more.
    agrees(VictimPolicy::Random, 1024, 0.01, closed_forms::random);
}

#[test]
fn choices_agree_with_van_houdt() {
    for choices in [2, 5, 10] {
        let form = |a| closed_forms::choices(a, 64, choices);
        agrees(VictimPolicy::Choices { choices }, 512, 0.02, form);
    }
}

#[test]
fn hot_and_cold_pages_together_agree_with_the_closed_form() {
    for percent in [7.0, 15.0, 28.0, 50.0] {
        let measured = measure(VictimPolicy::Fifo, percent, hot_and_cold, 512);
        let form = closed_forms::hot_and_cold(1.0 + percent / 100.0, 0.2, 0.8);
        println!("20/80 at {percent} %: {measured:.3}, closed form {form:.3}");
        assert!((measured / form - 1.0).abs() < 0.01, "{percent} %: {measured:.3}, not {form:.3}");
    }
}

/// Between greedy and FIFO, and the better the wider the window.
#[test]
fn windows_lie_between_fifo_and_greedy() {
    let percent = 7.0;
    let mut last = closed_forms::fifo(1.0 + percent / 100.0) * 1.01;
    for window in [4, 16, 64, 512] {
        let victim = VictimPolicy::WindowedGreedy { window };
        let measured = measure(victim, percent, uniform, 512);
        println!("window {window}: {measured:.3}");
        assert!(measured < last, "a window of {window}: {measured:.3}, after {last:.3}");
        last = measured;
    }
    let greedy = closed_forms::greedy(1.0 + percent / 100.0, 64);
    assert!((last / greedy - 1.0).abs() < 0.01, "all blocks: {last:.3}, greedy {greedy:.3}");
}
