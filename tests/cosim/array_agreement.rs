//! The array of whole drives beside the controller RTL: the same operations at the same times on
//! four dies of one channel, and how long each of them takes.

use std::rc::Rc;
use std::sync::Arc;

use floatgate_cosim::flash::{Config, Idle, RtlBus};
use floatgate_cosim::lockstep::Recorder;
use floatgate_hal::FlashArray;
use floatgate_hal::array::{Extent, Level, Lpn, Origin, PageKind, Slot, Spare, UnitIndex};
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{Array, ArrayTiming, Cells, Contents, Scheduling, Topology};
use floatgate_model::config::{CellTimes, ControllerConfig, DriveConfig};
use floatgate_model::die::Part;
use floatgate_model::sim::{Arbiter, Policy, Simulation, random_stream};
use rand::Rng;

use crate::bus_lockstep::{Host, dies, mode, part};
use crate::calibration;

const DIES: u32 = 4;
/// Blocks of a plane that are used; a die has two planes.
const BLOCKS: u32 = 4;
const UNITS: u32 = 2 * DIES;
const PAGES: u32 = 256;
/// 4320 bytes a page.
const SECTOR_BYTES: u32 = 540;
const SECTORS: u8 = 8;

const T_R_US: f64 = 25.0;
const T_PROG_US: f64 = 200.0;
const T_BERS_US: f64 = 1000.0;

/// From a time at which all dies are ready.
const BEGIN: Picoseconds = Picoseconds(2_000_000_000_000);

#[derive(Clone, Copy, Debug)]
struct Operation {
    after: Picoseconds,
    kind: OpKind,
    unit: u32,
    block: u32,
    page: u32,
    sectors: u8,
}

/// Reads of what was programmed, programs of the next pages and erasures of what is full, at
/// random, with exponential gaps.
fn stream(count: usize, gap_us: f64) -> Vec<Operation> {
    let mut random = random_stream(7, "operations");
    let mut next = [[0; BLOCKS as usize]; UNITS as usize];
    let mut after_us = 0.0;
    let operation = |_| {
        let (unit, block) = (random.random_range(0..UNITS), random.random_range(0..BLOCKS));
        let written = &mut next[unit as usize][block as usize];
        let choice: f64 = random.random();
        let kind = match *written {
            0 => OpKind::ProgramPage,
            4.. if choice < 0.05 => OpKind::EraseBlock,
            _ if choice < 0.35 => OpKind::ProgramPage,
            _ => OpKind::ReadPage,
        };
        let (page, sectors) = match kind {
            OpKind::ReadPage => {
                (random.random_range(0..*written), random.random_range(1..=SECTORS))
            }
            OpKind::ProgramPage => (std::mem::replace(written, *written + 1), SECTORS),
            _ => {
                *written = 0;
                (0, 0)
            }
        };
        after_us -= gap_us * (1.0 - random.random::<f64>()).ln();
        let after = Picoseconds((after_us * 1e6) as u64);
        Operation { after, kind, unit, block, page, sectors }
    };
    (0..count).map(operation).collect()
}

/// The times of the dies' cells, alike for all pages.
fn quick_part() -> Arc<Part> {
    let mut part = part().as_ref().clone();
    for page_type in &mut part.cells.page_types {
        (page_type.t_r_us, page_type.t_prog_us) = (T_R_US, T_PROG_US);
    }
    part.timing.t_bers_us = T_BERS_US;
    Arc::new(part)
}

/// How long each operation takes on the RTL.
fn on_rtl(stream: &[Operation], mode: TimingMode, clock: Picoseconds) -> Vec<Picoseconds> {
    let part = quick_part();
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let config =
        Config { model: "onfi_controller_x8", dies: 8, clock, seed: 1, idle: Idle::Skipped };
    let rtl = RtlBus::new(&sim, &config, dies(&part, DIES as usize)).unwrap();
    let bus = Recorder::new(rtl.clone(), &sim);
    let host = Rc::new(Host { bus, sim: sim.clone(), geometry: part.geometry() });
    let ready = Rc::clone(&host);
    let up = async move {
        ready.sim.delay(Picoseconds(1_000_000_000)).await;
        for die in 0..DIES as u8 {
            ready.bring_up(die, &part, mode).await;
        }
        // The pins change their kind before the first operation in the new mode, and only then.
        ready.run(ready.page(OpKind::ReadStatusEnhanced, 0, 0, 0, 1)).await;
    };
    simulation.block_on("bring-up", up).unwrap();
    let turns: Rc<[Arbiter]> =
        (0..DIES).map(|die| sim.arbiter(format!("die {die}"), Policy::FirstCome, 1)).collect();
    let run = |of: &Operation| {
        let Operation { after, kind, unit, block, page, sectors } = *of;
        let (host, turns) = (Rc::clone(&host), Rc::clone(&turns));
        sim.spawn("operation", async move {
            host.sim.delay_until(Picoseconds(BEGIN.0 + after.0)).await;
            let block = 2 * block + unit / DIES;
            let bytes = u32::from(sectors) * SECTOR_BYTES;
            let op = host.page(kind, (unit % DIES) as u8, block, page as u16, bytes);
            let asked = host.sim.now();
            // The controller takes operations in order, whosever turn it is.
            let _turn = turns[(unit % DIES) as usize].acquire(0).await;
            host.run(op).await;
            Picoseconds(host.sim.now().0 - asked.0)
        })
    };
    let running: Vec<_> = stream.iter().map(run).collect();
    let all = async move {
        let mut spans = Vec::new();
        for operation in running {
            spans.push(operation.await);
        }
        spans
    };
    simulation.block_on("host", async move { rtl.guard(all).await }).unwrap().unwrap()
}

fn timing(mode: TimingMode, clock: Picoseconds) -> ArrayTiming {
    let drives = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/drives/peer-d.ron");
    let mut drive = DriveConfig::load(drives).unwrap();
    let mut controller = ControllerConfig::new(mode, clock, calibration().controller);
    controller.sector_bytes = SECTOR_BYTES;
    (drive.bus, drive.controller) = (None, Some(controller));
    drive.cells = CellTimes {
        t_r_us: vec![T_R_US],
        t_prog_us: vec![T_PROG_US],
        t_bers_us: T_BERS_US,
        ..drive.cells
    };
    drive.timing()
}

/// How long each operation takes on the array of whole drives.
fn on_array(stream: &[Operation], timing: ArrayTiming) -> Vec<Picoseconds> {
    let topology = Topology {
        channels: 1,
        dies_per_channel: DIES,
        planes: 2,
        blocks_per_plane: BLOCKS,
        pages_per_block: PAGES,
        sectors_per_page: SECTORS,
        joined_planes: false,
    };
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let cells = Rc::new(Cells::new(topology.geometry(), Contents::Owner, 1));
    let array = Rc::new(Array::new(&sim, topology, timing, Scheduling::FirstCome, cells));
    let run = |of: &Operation| {
        let (of, array, sim) = (*of, Rc::clone(&array), sim.clone());
        sim.clone().spawn("operation", async move {
            sim.delay_until(Picoseconds(BEGIN.0 + of.after.0)).await;
            let geometry = array.geometry();
            let block = geometry.block(UnitIndex(of.unit), of.block);
            let (page, asked) = (geometry.page(block, of.page), sim.now());
            let spare =
                Spare { kind: PageKind::Data, lpn: Lpn(0), serial: 0, moves: 0, level: Level(0) };
            let part = Extent { first: 0, sectors: of.sectors };
            let is_good = match of.kind {
                OpKind::ReadPage => array.read(page, part, Slot(0), Origin::Host).await.is_ok(),
                OpKind::ProgramPage => {
                    array.program(page, Slot(0), spare, Origin::Host).await.is_ok()
                }
                _ => array.erase(block, Origin::Host).await.is_ok(),
            };
            assert!(is_good, "{of:?}");
            Picoseconds(sim.now().0 - asked.0)
        })
    };
    let running: Vec<_> = stream.iter().map(run).collect();
    let all = async move {
        let mut spans = Vec::new();
        for operation in running {
            spans.push(operation.await);
        }
        spans
    };
    simulation.block_on("host", all).unwrap()
}

/// Mean and 99th percentile, in us.
fn figures(spans: &[Picoseconds]) -> (f64, f64) {
    let mut sorted: Vec<u64> = spans.iter().map(|span| span.0).collect();
    sorted.sort_unstable();
    let mean = sorted.iter().sum::<u64>() as f64 / sorted.len() as f64;
    (mean / 1e6, sorted[sorted.len() * 99 / 100] as f64 / 1e6)
}

/// Alone on the channel an operation takes the RTL's time but for the edges of its clock.
#[test]
fn single_operations_take_the_time_of_the_rtl() {
    for (interface, number) in [(DataInterface::Sdr, 5), (DataInterface::NvDdr, 5)] {
        let (mode, clock) = mode(interface, number);
        let stream = stream(40, 20_000.0);
        let (rtl, array) = (on_rtl(&stream, mode, clock), on_array(&stream, timing(mode, clock)));
        for ((of, rtl), array) in stream.iter().zip(rtl).zip(array) {
            let off = rtl.0.abs_diff(array.0);
            assert!(off <= clock.0, "{mode:?}, {of:?}: RTL {rtl}, array {array}");
        }
    }
}

/// The dies, or the channel, are in use for most of the time.
#[test]
fn mixed_streams_take_the_time_of_the_rtl() {
    for (interface, number, gap_us) in [
        (DataInterface::NvDdr, 5, 55.0),
        (DataInterface::NvDdr, 2, 65.0),
        (DataInterface::Sdr, 5, 95.0),
    ] {
        let (mode, clock) = mode(interface, number);
        let stream = stream(500, gap_us);
        let rtl = figures(&on_rtl(&stream, mode, clock));
        let array = figures(&on_array(&stream, timing(mode, clock)));
        let (mean, p99) = (array.0 / rtl.0 - 1.0, array.1 / rtl.1 - 1.0);
        println!(
            "{interface:?} {number}, one in {gap_us} us: mean {:.1} us on the RTL, {:.1} us in the \
             array ({:+.3} %); p99 {:.1} us, {:.1} us ({:+.3} %)",
            rtl.0,
            array.0,
            100.0 * mean,
            rtl.1,
            array.1,
            100.0 * p99
        );
        assert!(mean.abs() < 0.01 && p99.abs() < 0.03, "{mode:?}");
    }
}
