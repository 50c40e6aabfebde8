//! Multi-plane and cache operations of dies, against what the times of their parts allow.
//!
//! The channel is that of a published controller: two dies of two planes, 4320 bytes a page at 25
//! ns, tPROG 900 us, tR 50 us. Its four channels write 72 MB/s; cache programs of two planes allow
//! 72.8 MB/s, without the cache 58.7 MB/s.

use std::rc::Rc;

use floatgate_hal::FlashArray;
use floatgate_hal::array::{
    ArrayGeometry, Level, Lpn, Origin, PageKind, ReadReport, Slot, Spare, UnitIndex,
};
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{
    Array, ArrayTiming, BusTiming, Cells, Contents, DieFeatures, PageOrder, PlanesTogether,
    Scheduling, Topology,
};
use floatgate_model::config::{CacheConfig, DieConfig, DriveConfig, SuspendConfig, WriteBuffer};
use floatgate_model::sim::{Sim, Simulation};

use crate::contract::{checked, mixed, small};

const US: u64 = 1_000_000;
const T_R: u64 = 50 * US;
const T_PROG: u64 = 900 * US;
const T_BERS: u64 = 3000 * US;
/// 540 bytes of 25 ns.
const SECTOR: Picoseconds = Picoseconds(13_500_000);
/// 4320 bytes of them.
const PAGE: u64 = 8 * SECTOR.0;
const PAGES: u32 = 48;

const CHANNEL: Topology = Topology {
    channels: 1,
    dies_per_channel: 2,
    planes: 2,
    blocks_per_plane: 4,
    pages_per_block: PAGES,
    sectors_per_page: 8,
    joined_planes: false,
};

const BUSY: Option<Picoseconds> = Some(Picoseconds(0));
const CACHED: DieFeatures = DieFeatures {
    planes_together: PlanesTogether::SamePage,
    plane_busy: Picoseconds(0),
    cache_program: BUSY,
    cache_read: BUSY,
    suspend: None,
};

/// Commands take no time, so that sums are of pages and array times alone.
fn timing(features: DieFeatures) -> ArrayTiming {
    ArrayTiming {
        bus: BusTiming { sector_in: SECTOR, sector_out: SECTOR, ..BusTiming::default() },
        t_r: vec![Picoseconds(T_R)],
        t_prog: vec![Picoseconds(T_PROG)],
        t_bers: Picoseconds(T_BERS),
        order: PageOrder::InTurn,
        features,
    }
}

/// An operation: what, of which unit, which page of its first block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Read,
    Program,
    Erase,
}

/// Asks for operations at once, in order; when each ended, in us, and the array.
fn ends(
    topology: Topology,
    features: DieFeatures,
    operations: &[(What, u32, u32)],
) -> (Vec<f64>, Rc<Array>) {
    ends_of(topology, features, operations, 0)
}

/// The same with a head start of the first die.
fn ends_of(
    topology: Topology,
    features: DieFeatures,
    operations: &[(What, u32, u32)],
    head_start_us: u64,
) -> (Vec<f64>, Rc<Array>) {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let array = array(&sim, topology, features, operations);
    let run = |(what, unit, page)| {
        let (array, clock) = (Rc::clone(&array), sim.clone());
        let is_late = topology.dies() > 1 && unit % topology.dies() > 0;
        sim.spawn("operation", async move {
            clock.delay(Picoseconds(if is_late { head_start_us * US } else { 0 })).await;
            carry_out(&array, what, unit, page).await;
            clock.now().0 as f64 / US as f64
        })
    };
    let running: Vec<_> = operations.iter().copied().map(run).collect();
    let end = simulation.block_on("host", async move {
        let mut ends = Vec::new();
        for operation in running {
            ends.push(operation.await);
        }
        ends
    });
    (end.expect("all operations end"), array)
}

/// An array whose pages that are read are there.
fn array(
    sim: &Sim,
    topology: Topology,
    features: DieFeatures,
    operations: &[(What, u32, u32)],
) -> Rc<Array> {
    let geometry = topology.geometry();
    let cells = Rc::new(Cells::new(geometry, Contents::Owner, 1));
    let array = Array::new(sim, topology, timing(features), Scheduling::FirstCome, cells);
    if operations.iter().any(|&(what, ..)| what == What::Read) {
        for unit in (0..geometry.units).map(UnitIndex) {
            let pages = (0..PAGES).map(|page| geometry.page(geometry.block(unit, 0), page));
            pages.for_each(|page| array.preload(page, SPARE));
        }
    }
    Rc::new(array)
}

const SPARE: Spare =
    Spare { kind: PageKind::Data, lpn: Lpn(0), serial: 0, moves: 0, level: Level(0) };

async fn carry_out(array: &Array, what: What, unit: u32, page: u32) {
    let geometry: ArrayGeometry = array.geometry();
    let block = geometry.block(UnitIndex(unit), 0);
    let page = geometry.page(block, page);
    match what {
        What::Read => {
            let read = array.read(page, geometry.whole_page(), Slot(0), Origin::Host).await;
            assert_eq!(read, Ok(ReadReport { spare: SPARE, worst_errors: 0 }));
        }
        What::Program => array.program(page, Slot(0), SPARE, Origin::Host).await.expect("it works"),
        What::Erase => array.erase(block, Origin::Host).await.expect("it works"),
    }
}

/// The pages of all units in turn.
fn stripes(what: What, topology: Topology) -> Vec<(What, u32, u32)> {
    let units = topology.geometry().units;
    (0..PAGES).flat_map(|page| (0..units).map(move |unit| (what, unit, page))).collect()
}

/// Mean time between the ends of operations, in us, with the first and the last dozen left out.
fn interval(ends: &[f64]) -> f64 {
    let mut ends = ends.to_vec();
    ends.sort_by(f64::total_cmp);
    (ends[ends.len() - 13] - ends[11]) / (ends.len() - 24) as f64
}

/// MB/s of four channels with 4 KiB a page.
fn rate(interval_us: f64) -> f64 {
    4.0 * 4096.0 / interval_us
}

#[test]
fn two_plane_programs_reach_the_rates_that_the_parts_allow() {
    let off = PlanesTogether::Off;
    let uncached = DieFeatures { cache_program: None, ..CACHED };
    let cases = [
        // Two dies of two planes: four pages a tPROG.
        (CACHED, 0, 4.0 / 900.0),
        // .. and the time of a die's two pages, which the other die's do not touch.
        (uncached, 216, 4.0 / (900.0 + 216.0)),
        // Dies that begin together send their planes' data in turn, and so wait for a page.
        (uncached, 0, 4.0 / (900.0 + 216.0 + 108.0)),
        // Planes one after the other.
        (DieFeatures::default(), 0, 2.0 / (900.0 + 108.0)),
        (DieFeatures { planes_together: off, ..CACHED }, 0, 2.0 / 900.0),
    ];
    for (features, head_start_us, pages_per_us) in cases {
        let programs = stripes(What::Program, CHANNEL);
        let interval = interval(&ends_of(CHANNEL, features, &programs, head_start_us).0);
        println!("{features:?}: {:.2} MB/s on four channels", rate(interval));
        assert!((interval * pages_per_us - 1.0).abs() < 1e-9, "{features:?}: {interval} us");
    }
    let published = |pages_per_us: f64| 4.0 * 4096.0 * pages_per_us;
    assert_eq!((published(4.0 / 900.0) * 10.0).round(), 728.0);
    assert_eq!((published(4.0 / 1116.0) * 10.0).round(), 587.0);
}

#[test]
fn cache_reads_fill_the_bus() {
    let reads = stripes(What::Read, CHANNEL);
    let (ends, array) = ends(CHANNEL, CACHED, &reads);
    let (last, count) = (ends.iter().copied().fold(0.0, f64::max), reads.len() as f64);
    assert_eq!(last, 50.0 + 108.0 * count, "one tR, then the bus never rests");
    assert_eq!(
        array.usage().channels(Picoseconds(u64::MAX)),
        [Picoseconds(PAGE * reads.len() as u64)]
    );
}

/// One die of one plane: with the cache its array works while its data go out.
#[test]
fn a_die_alone_takes_the_sum_of_its_parts_or_the_longest() {
    let die = Topology { dies_per_channel: 1, planes: 1, ..CHANNEL };
    let single = |what, features| interval(&ends(die, features, &stripes(what, die)).0);
    assert_eq!(single(What::Read, DieFeatures::default()), 158.0);
    assert_eq!(single(What::Read, CACHED), 108.0);
    assert_eq!(single(What::Program, DieFeatures::default()), 1008.0);
    assert_eq!(single(What::Program, CACHED), 900.0);
    // The commands of the next read are followed by tRCBSY, and programs by tCBSY.
    let busy = Some(Picoseconds(3 * US));
    let slow = DieFeatures { cache_program: busy, cache_read: busy, ..CACHED };
    assert_eq!(single(What::Read, slow), 111.0);
    assert_eq!(single(What::Program, slow), 900.0);
}

#[test]
fn planes_work_together_only_as_they_may() {
    use What::{Erase, Program};
    let die = Topology { dies_per_channel: 1, ..CHANNEL };
    let any = DieFeatures { planes_together: PlanesTogether::Any, ..DieFeatures::default() };
    let same = DieFeatures { planes_together: PlanesTogether::SamePage, ..any };
    // The first operation has the die before the others come.
    let ends = |features, rest: &[(What, u32, u32)]| {
        let all: Vec<_> = [(Erase, 0, 0)].iter().chain(rest).copied().collect();
        let after = |end: &f64| end - 3000.0;
        ends(die, features, &all).0[1..].iter().map(after).collect::<Vec<f64>>()
    };
    assert_eq!(ends(same, &[(Erase, 0, 0), (Erase, 1, 0)]), [3000.0, 3000.0]);
    assert_eq!(ends(DieFeatures::default(), &[(Erase, 0, 0), (Erase, 1, 0)]), [3000.0, 6000.0]);
    assert_eq!(ends(same, &[(Program, 0, 0), (Program, 1, 0)]), [1116.0, 1116.0]);
    // One plane twice is two turns; pages of different numbers are, where that matters.
    let pages = [(Program, 0, 0), (Program, 0, 1), (Program, 1, 0), (Program, 1, 1)];
    assert_eq!(ends(same, &pages), [1116.0, 2232.0, 1116.0, 2232.0]);
    let apart = [(Program, 0, 0), (Program, 0, 1), (Program, 0, 2), (Program, 1, 0)];
    assert_eq!(ends(same, &apart), [1116.0, 2124.0, 3132.0, 1116.0]);
    let late = [(Program, 1, 0), (Program, 0, 0), (Program, 0, 1), (Program, 1, 1)];
    assert_eq!(ends(any, &late), [1116.0, 1116.0, 2232.0, 2232.0]);
    // Kinds do not mix.
    let mixed = [(Program, 0, 0), (Erase, 1, 0)];
    assert_eq!(ends(any, &mixed), [1008.0, 4008.0]);
}

/// With an address rule the second program of a block does not overtake the first: page 1 of plane
/// 0 could go together with that of plane 1, but for page 0 of the latter.
#[test]
fn programs_of_a_block_keep_their_order() {
    let die = Topology { dies_per_channel: 1, ..CHANNEL };
    let operations =
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(unit, page)| (What::Program, unit, page));
    for planes_together in [PlanesTogether::SamePage, PlanesTogether::Any] {
        let features = DieFeatures { planes_together, ..CACHED };
        // The array asserts it, page by page.
        ends(die, features, &operations);
    }
}

/// All that dies can do.
pub(crate) fn features() -> Vec<DieConfig> {
    let cache = CacheConfig::On { busy_us: 3.0 };
    let planes = [PlanesTogether::Off, PlanesTogether::SamePage, PlanesTogether::Any];
    let caches = [(CacheConfig::Off, CacheConfig::Off), (cache, cache), (cache, CacheConfig::Off)];
    let all = planes.into_iter().flat_map(|planes_together| {
        caches.into_iter().map(move |(cache_program, cache_read)| DieConfig {
            planes_together,
            t_plane_busy_us: 0.5,
            cache_program,
            cache_read,
            suspend: SuspendConfig::Off,
        })
    });
    all.collect()
}

#[test]
fn drives_with_all_that_dies_can_do_give_back_what_was_written() {
    for dies in features() {
        for scheduling in [Scheduling::ReadsFirst, Scheduling::FirstCome] {
            let mut config = DriveConfig { dies, scheduling, ..small() };
            let result = checked(&config, &mixed(4000, 8, 1));
            assert!(result.drive.collections > 0, "{dies:?} never collects");
            let parts = result.host.write_parts.all();
            let mean_ps = parts.total_ps() as f64 / parts.requests as f64;
            assert_eq!(Some(mean_ps), result.host.writes.mean_ps(), "{dies:?}");
            config.buffer =
                WriteBuffer { pages: 64, flushers: 16, flush_above: 48, flush_down_to: 16 };
            checked(&config, &mixed(4000, 8, 2));
        }
    }
}

/// Dies that could do more but have no occasion take the same times as those that cannot.
#[test]
fn both_ways_of_a_die_take_the_same_times() {
    let with = |t_plane_busy_us| {
        let dies = DieConfig { t_plane_busy_us, ..DieConfig::default() };
        let result = checked(&DriveConfig { dies, ..small() }, &mixed(4000, 8, 1));
        format!("{:?}", (result.host, result.operations, result.channels, result.dies))
    };
    assert_eq!(with(0.0), with(0.5));
}
