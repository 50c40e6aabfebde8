//! Programs and erasures that make way for reads of the host.

use std::rc::Rc;

use floatgate_hal::FlashArray;
use floatgate_hal::array::{Level, Lpn, Origin, PageKind, Slot, Spare, UnitIndex};
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{
    Array, ArrayTiming, BusTiming, Cells, Contents, DieFeatures, Scheduling, Suspend, Topology,
};
use floatgate_model::config::{DieConfig, DriveConfig, Precondition, SuspendConfig};
use floatgate_model::host::workload::KindWeights;
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::RunResult;

use crate::contract::{checked, mixed, small};
use crate::die_turns::features;

const US: u64 = 1_000_000;

pub(crate) const SUSPEND: SuspendConfig =
    SuspendConfig::On { suspend_us: 20.0, resume_us: 30.0, least_run_us: 200.0, limit: 3 };

const DIE: Topology = Topology {
    channels: 1,
    dies_per_channel: 1,
    planes: 1,
    blocks_per_plane: 2,
    pages_per_block: 4,
    sectors_per_page: 8,
    joined_planes: false,
};

/// tBERS 3000 us, tR 50 us, 108 us a page.
fn timing(limit: u32) -> ArrayTiming {
    let us = |us| Picoseconds(us * US);
    let suspend = Suspend { suspend: us(20), resume: us(30), least_run: us(200), limit };
    ArrayTiming {
        bus: BusTiming { sector_out: Picoseconds(13_500_000), ..BusTiming::default() },
        t_r: vec![us(50)],
        t_bers: us(3000),
        features: DieFeatures { suspend: Some(suspend), ..DieFeatures::default() },
        ..ArrayTiming::immediate()
    }
}

/// An erase of one block at 0 and reads of another at given times: when the erase ended, and how
/// long each read took, in us.
fn erase_and_reads(limit: u32, reads_us: &[u64], origin: Origin) -> (u64, Vec<u64>) {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let cells = Rc::new(Cells::new(DIE.geometry(), Contents::Owner, 1));
    let array = Array::new(&sim, DIE, timing(limit), Scheduling::ReadsFirst, cells);
    let geometry = array.geometry();
    let blocks = [0, 1].map(|index| geometry.block(UnitIndex(0), index));
    let page = geometry.page(blocks[1], 0);
    array.preload(
        page,
        Spare { kind: PageKind::Data, lpn: Lpn(0), serial: 0, moves: 0, level: Level(0) },
    );
    let array = Rc::new(array);
    let (eraser, clock) = (Rc::clone(&array), sim.clone());
    let erase = sim.spawn("erase", async move {
        eraser.erase(blocks[0], Origin::Collection).await.expect("it works");
        clock.now().0 / US
    });
    let read = |&at: &u64| {
        let (array, clock) = (Rc::clone(&array), sim.clone());
        sim.spawn("read", async move {
            clock.delay(Picoseconds(at * US)).await;
            let whole = array.geometry().whole_page();
            array.read(page, whole, Slot(0), origin).await.expect("it is there");
            clock.now().0 / US - at
        })
    };
    let reads: Vec<_> = reads_us.iter().map(read).collect();
    let end = simulation.block_on("host", async move {
        let mut spans = Vec::new();
        for read in reads {
            spans.push(read.await);
        }
        (erase.await, spans)
    });
    let now = simulation.sim().now();
    let (erased, spans) = end.expect("all of it ends");
    let worked = array.usage().dies(now);
    assert_eq!(worked, [Picoseconds((3000 + 50 * reads_us.len() as u64) * US)]);
    (erased, spans)
}

#[test]
fn a_read_that_meets_an_erase_waits_for_the_suspension_alone() {
    const READ: u64 = 50 + 108;
    // After 1000 us: 20 us to suspend, the read, 30 us to resume.
    assert_eq!(erase_and_reads(3, &[1000], Origin::Host), (3000 + 50 + READ, vec![20 + READ]));
    // After 50 us: the erase runs for 200 us first.
    assert_eq!(erase_and_reads(3, &[50], Origin::Host), (3000 + 50 + READ, vec![150 + 20 + READ]));
    // Near its end: the erase is done before it has run for long enough.
    let late = [1000, 3150];
    assert_eq!(erase_and_reads(3, &late, Origin::Host).1, [20 + READ, 20 + READ]);
    // Two at a time are done in one suspension.
    let (erased, spans) = erase_and_reads(3, &[1000, 1010], Origin::Host);
    assert_eq!((erased, spans), (3000 + 50 + 2 * READ, vec![20 + READ, 10 + 2 * READ]));
    // One that comes while the erase is suspended waits until it has run for long enough.
    let (erased, spans) = erase_and_reads(3, &[1000, 1100], Origin::Host);
    let again = 1000 + 20 + READ + 30 + 200 + 20 + READ;
    assert_eq!((erased, spans[1]), (3000 + 2 * (50 + READ), again - 1100));
    // The limit is reached, and collection does not suspend.
    let (erased, spans) = erase_and_reads(1, &[1000, 2000], Origin::Host);
    assert_eq!((erased, spans[1]), (3000 + 50 + READ, 3000 + 50 + READ + READ - 2000));
    assert_eq!(erase_and_reads(3, &[1000], Origin::Collection), (3000, vec![2000 + READ]));
}

/// Reads that come faster than the die does them hold an erase up so often only, and each time for
/// those only that wait then.
#[test]
fn no_stream_of_reads_starves_an_erase() {
    let reads: Vec<u64> = (0..400).map(|read| 40 * read).collect();
    for limit in [1, 3, 8] {
        let (erased, _) = erase_and_reads(limit, &reads, Origin::Host);
        let most = 3000 + u64::from(limit) * 50 + 158 * reads.len() as u64;
        println!("limit {limit}: erased after {erased} us");
        assert!((3000 + 50..most).contains(&erased));
    }
    let (of_one, _) = erase_and_reads(1, &reads, Origin::Host);
    // It has run for 200 us, and the reads of 20 us more have come: six in all.
    assert_eq!(of_one, 3000 + 50 + 6 * 158);
}

fn run(suspend: SuspendConfig) -> RunResult {
    let dies = DieConfig { suspend, ..DieConfig::default() };
    let config = DriveConfig { dies, precondition: Precondition::Filled(1.0), ..small() };
    let mut workload = mixed(6000, 3, 1);
    workload.flows[0].phases[0].kinds = KindWeights { read: 1, write: 0, trim: 0 };
    workload.flows[1].phases[0].kinds = KindWeights { read: 0, write: 1, trim: 0 };
    checked(&config, &workload)
}

#[test]
fn reads_beside_writes_are_sooner_where_dies_suspend() {
    let of = |result: RunResult| {
        let us = |percent| result.host.reads.percentile(percent).expect("there are reads").0 / US;
        [50.0, 99.0].map(us)
    };
    let (without, with) = (of(run(SuspendConfig::Off)), of(run(SUSPEND)));
    println!("reads, p50 and p99: {without:?} us without, {with:?} us with suspension");
    assert!(4 * with[1] < 3 * without[1] && with[0] < without[0], "{with:?} {without:?}");
}

#[test]
fn drives_whose_dies_suspend_give_back_what_was_written() {
    for dies in features() {
        let dies = DieConfig { suspend: SUSPEND, ..dies };
        let result = checked(&DriveConfig { dies, ..small() }, &mixed(4000, 8, 1));
        let parts = result.host.read_parts.all();
        let mean_ps = parts.total_ps() as f64 / parts.requests as f64;
        assert_eq!(Some(mean_ps), result.host.reads.mean_ps(), "{dies:?}");
    }
}
