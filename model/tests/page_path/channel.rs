//! The channel's times: sums of the ONFI gaps for single operations, the bus full with enough dies.

use std::rc::Rc;

use floatgate_firmware::{Die, bring_up};
use floatgate_hal::flash::address::{ColumnAddress, DieIndex, RowAddress};
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::{BusOp, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::channel::{Controller, TransactionBus, Usage};
use floatgate_model::die::Settings;
use floatgate_model::sim::{Sim, Simulation};

use crate::{calibration, channel_with, errors};

const PAGE_BYTES: usize = 8936;
/// 400 MHz: the period of CLK of every NV-DDR mode is a whole number of pairs of clocks.
const CLOCK: Picoseconds = Picoseconds(2500);

fn op(kind: OpKind, die: u8, row: u32, length: usize) -> BusOp {
    let (die, row, column) = (DieIndex(die), RowAddress(row), ColumnAddress(0));
    BusOp { kind, die, row, column, length: ByteCount(length as u32) }
}

fn settings(target: u32) -> Settings {
    let factory_bad_blocks = Some(0);
    Settings { target, factory_bad_blocks, factory_erased: true, ..Settings::default() }
}

/// Runs a process on a channel whose dies are up in a mode.
fn on<T: 'static>(
    dies: u32,
    mode: TimingMode,
    process: impl AsyncFnOnce(Rc<TransactionBus>, Sim) -> T + 'static,
) -> T {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let settings: Vec<Settings> = (0..dies).map(settings).collect();
    let main = async move {
        let controller = Controller { clock_period: CLOCK, clocks: calibration().controller };
        let bus = Rc::new(channel_with(&sim, controller, &settings));
        for die in 0..dies {
            let die = Die::new(&*bus, DieIndex(die as u8));
            assert_eq!(bring_up(die, &sim, mode).await.unwrap().timing.mode, mode);
        }
        let value = process(Rc::clone(&bus), sim).await;
        let wrong = errors(&bus);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        value
    };
    simulation.block_on("firmware", main).unwrap()
}

fn modes() -> impl Iterator<Item = TimingMode> {
    let interfaces = [DataInterface::Sdr, DataInterface::NvDdr].into_iter();
    interfaces.flat_map(|interface| (0..=5).map(move |mode| TimingMode { interface, mode }))
}

/// Minimum time of a page's bytes on the bus, by the ONFI tables: tRC, or half of tCK.
fn least_burst_ps(mode: TimingMode) -> u64 {
    let byte_ps = match mode.interface {
        DataInterface::Sdr => [100_000, 50_000, 35_000, 30_000, 25_000, 20_000],
        DataInterface::NvDdr => [25_000, 15_000, 10_000, 7_500, 6_000, 5_000],
    };
    PAGE_BYTES as u64 * byte_ps[usize::from(mode.mode)]
}

/// Beside the gaps, rounding up to the clock is all that may come on top of the minimum.
#[test]
fn a_page_read_takes_the_sum_of_its_phases_at_every_mode() {
    for mode in modes() {
        let (taken, usage) = on(1, mode, async move |bus, _| {
            let before = bus.usage();
            let mut page = vec![0; PAGE_BYTES];
            let read = op(OpKind::ReadPage, 0, 0x100, PAGE_BYTES);
            let done = bus.execute(read, Transfer::Out(&mut page)).await;
            assert_eq!(done.outcome, Outcome::Done, "{mode:?}");
            (done.finished.0 - done.started.0, bus.usage().since(&before))
        });
        let ps = |ns: u64| 1000 * ns;
        // A clock to ask for the bus again, and one to leave it.
        assert_eq!(taken, usage.bus_held.0 + usage.array.0 + 2 * CLOCK.0, "{mode:?}");
        // 40 us of a lower page, tWB, and what R/B# takes to be seen.
        assert!((ps(40_000)..ps(40_300)).contains(&usage.array.0), "{mode:?}: {}", usage.array);
        let least = least_burst_ps(mode);
        assert!(
            (least..=least * 125 / 100).contains(&usage.transfer.0),
            "{mode:?}: {}",
            usage.transfer
        );
        // Seven cycles of 100 ns and two selections of 100 ns and less, with the gaps around them.
        assert!(usage.command().0 < ps(1_400), "{mode:?}: {}", usage.command());
    }
}

#[test]
fn data_written_in_any_mode_are_read_in_it() {
    for mode in modes() {
        on(1, mode, async move |bus, _| {
            let data: Vec<u8> = (0..PAGE_BYTES).map(|i| ((i * 7) >> 3) as u8).collect();
            let program = op(OpKind::ProgramPage, 0, 0x200, PAGE_BYTES);
            let done = bus.execute(program, Transfer::In(&data)).await;
            assert_eq!((done.outcome, done.status), (Outcome::Done, 0xE0), "{mode:?}");
            let mut read = vec![0; PAGE_BYTES];
            bus.execute(op(OpKind::ReadPage, 0, 0x200, PAGE_BYTES), Transfer::Out(&mut read)).await;
            let wrong: u32 = data.iter().zip(&read).map(|(a, b)| (a ^ b).count_ones()).sum();
            assert!(wrong < 100, "{mode:?}: {wrong} bits of {} are wrong", 8 * PAGE_BYTES);
            let mut status = [0];
            let done =
                bus.execute(op(OpKind::ReadStatus, 0, 0, 1), Transfer::Out(&mut status)).await;
            assert_eq!((done.status, status), (0xE0, [0xE0]), "{mode:?}");
        });
    }
}

/// What a channel's dies do of one kind of operation each, side by side.
fn stream(dies: u32, mode: TimingMode, kind: OpKind, times: u32) -> (Picoseconds, Usage) {
    on(dies, mode, async move |bus, sim| {
        let (start, before) = (sim.now(), bus.usage());
        let one = |die: u32| {
            let bus = Rc::clone(&bus);
            sim.spawn(format!("host of die {die}"), async move {
                for page in 0..times {
                    let mut bytes = vec![0x5A; PAGE_BYTES];
                    let data = match kind {
                        OpKind::ReadPage => Transfer::Out(&mut bytes),
                        _ => Transfer::In(&bytes),
                    };
                    let op = op(kind, die as u8, 0x300 + page, PAGE_BYTES);
                    assert_eq!(bus.execute(op, data).await.outcome, Outcome::Done);
                }
            })
        };
        let hosts: Vec<_> = (0..dies).map(one).collect();
        for host in hosts {
            host.await;
        }
        (Picoseconds(sim.now().0 - start.0), bus.usage().since(&before))
    })
}

fn data_share((span, usage): (Picoseconds, Usage)) -> f64 {
    usage.transfer.0 as f64 / span.0 as f64
}

/// Ten programs of 179 us on the bus outlast the 1.3 ms of an upper page. Reads in turn leave a
/// gap: after a round of data bursts all dies ask for their next page one after the other, and for
/// a tR all of them are busy.
#[test]
fn enough_dies_fill_the_bus_with_data() {
    let mode = TimingMode { interface: DataInterface::Sdr, mode: 5 };
    let programs = data_share(stream(10, mode, OpKind::ProgramPage, 20));
    assert!(programs > 0.95, "ten dies' programs keep the bus busy for {programs:.3} of the time");
    let reads = data_share(stream(4, mode, OpKind::ReadPage, 20));
    assert!(reads > 0.92, "four dies' reads keep the bus busy for {reads:.3} of the time");
    let alone = data_share(stream(1, mode, OpKind::ReadPage, 20));
    assert!(alone < 0.8, "one die's reads keep the bus busy for {alone:.3} of the time");
}

#[test]
fn dies_take_turns() {
    let mode = TimingMode { interface: DataInterface::NvDdr, mode: 5 };
    let (one, _) = stream(1, mode, OpKind::ProgramPage, 6);
    let (eight, _) = stream(8, mode, OpKind::ProgramPage, 6);
    assert!(eight.0 < one.0 * 12 / 10, "one die takes {one}, eight take {eight}");
}

#[test]
fn what_the_controller_does_not_do_is_refused_at_once() {
    on(1, TimingMode::POWER_UP, async |bus, sim| {
        let before = sim.now();
        let mut bytes = [0; 4];
        let cases = [
            (op(OpKind::ReadPage, 3, 0, 4), Transfer::Out(&mut bytes)),
            (op(OpKind::ReadPage, 0, 0, 4), Transfer::None),
            (op(OpKind::EraseBlock, 0, 0, 4), Transfer::In(&[0; 4])),
            (op(OpKind::ProgramPage, 0, 0, 5), Transfer::In(&[0; 4])),
            (op(OpKind::ProgramPage, 0, 0, 0), Transfer::In(&[])),
        ];
        for (op, data) in cases {
            assert_eq!(bus.execute(op, data).await.outcome, Outcome::Refused, "{op:?}");
        }
        assert_eq!(sim.now(), before);
    });
}
