//! Dies that fail while firmware works on them.

use floatgate_firmware::{BringUpError, Die, ProgramError, bring_up};
use floatgate_hal::flash::address::{
    BlockIndex, ColumnAddress, DieIndex, LunIndex, PageIndex, RowAddress,
};
use floatgate_hal::flash::mode::TimingMode;
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::{BusOp, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::die::{Fault, Settings};
use floatgate_model::sim::Simulation;

use crate::store::{read_file, write_file};
use crate::{Memory, NV_DDR_5, T, channel, ecc, errors, file, mount};

const MS: u64 = 1_000_000_000;

fn with(faults: Vec<Fault>) -> Settings {
    Settings { faults, factory_bad_blocks: Some(0), ..Settings::default() }
}

#[test]
fn a_failing_program_moves_the_file_on() {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let (lun, page) = (LunIndex(0), PageIndex(3));
    let settings = with(vec![
        Fault::FailsProgram { lun, block: BlockIndex(1), page },
        Fault::FailsErase { lun, block: BlockIndex(2) },
    ]);
    let firmware = async move {
        let (bus, ecc) = (channel(&sim, &[settings]), ecc(&sim));
        let die = Die::new(&bus, DieIndex(0));
        let description = bring_up(die, &sim, NV_DDR_5).await.unwrap();
        let geometry = description.page.geometry;
        let mut memory = Memory::new();
        let mut store = mount(die, &description, &ecc, T, &mut memory);
        let map = write_file(&mut store, &file(64 << 10), 1).await.unwrap();
        let blocks = map.iter().map(|&row| geometry.split(row).1);
        assert!(blocks.into_iter().all(|block| block == BlockIndex(3)));
        let bad = [1, 2, 3].map(|block| store.bad_blocks().is_bad(lun, BlockIndex(block)));
        assert_eq!(bad, [true, true, false]);
        assert_eq!(read_file(&mut store, &map).await.unwrap().0, file(64 << 10));
        let row = geometry.row(lun, BlockIndex(1), page);
        let again = store.program_page(row, &file(8192), &[0; 14]).await;
        assert_eq!(again, Err(ProgramError::BadBlock(row)));
        errors(&bus)
    };
    let wrong = simulation.block_on("firmware", firmware).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// At 5 ms, in the middle of a file.
#[test]
fn a_die_that_dies_is_told_in_one_line() {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let settings = with(vec![Fault::Dies { at: Picoseconds(10 * MS) }]);
    let firmware = async move {
        let (bus, ecc) = (channel(&sim, &[settings]), ecc(&sim));
        let die = Die::new(&bus, DieIndex(0));
        let description = bring_up(die, &sim, NV_DDR_5).await.unwrap();
        let mut memory = Memory::new();
        let mut store = mount(die, &description, &ecc, T, &mut memory);
        let written = write_file(&mut store, &file(256 << 10), 1).await;
        assert_eq!(store.bad_blocks().count(), 0, "silence is no bad block");
        written.unwrap_err().to_string()
    };
    let line = simulation.block_on("firmware", firmware).unwrap();
    assert!(line.starts_with("die 0, row 0001") && line.ends_with("timed out"), "{line}");
}

#[test]
fn a_die_that_is_not_there_is_told_apart_from_one_that_is_no_onfi_die() {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let firmware = async move {
        let bus = channel(&sim, &[with(vec![Fault::Dies { at: Picoseconds(0) }])]);
        let silent = bring_up(Die::new(&bus, DieIndex(0)), &sim, NV_DDR_5).await;
        let absent = bring_up(Die::new(&bus, DieIndex(1)), &sim, NV_DDR_5).await;
        (silent.unwrap_err(), absent.unwrap_err())
    };
    let (silent, absent) = simulation.block_on("firmware", firmware).unwrap();
    assert_eq!(silent.to_string(), "die 0, row 000000h: Reset timed out");
    assert_eq!(absent.to_string(), "die 1, row 000000h: the controller refuses Reset");
    assert!(matches!(silent, BringUpError::Bus(_)));
}

/// Die 0 hangs in an erase; its time-out leaves die 1 running, and a reset brings it back.
#[test]
fn a_stuck_die_times_out_alone_and_a_reset_frees_it() {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let hangs = Fault::StaysBusy { lun: LunIndex(0), at: Picoseconds(5 * MS) };
    let firmware = async move {
        let bus = channel(&sim, &[with(vec![hangs]), Settings { target: 1, ..with(vec![]) }]);
        for die in [0, 1].map(DieIndex) {
            bring_up(Die::new(&bus, die), &sim, TimingMode::POWER_UP).await.unwrap();
        }
        sim.delay(Picoseconds(10 * MS)).await;
        let op = |kind, die| BusOp {
            kind,
            die: DieIndex(die),
            row: RowAddress(0x100),
            column: ColumnAddress(0),
            length: ByteCount(0),
        };
        let erase = |die| bus.execute(op(OpKind::EraseBlock, die), Transfer::None);
        let began = sim.now();
        let stuck = erase(0).await;
        assert_eq!(stuck.outcome, Outcome::TimedOut);
        let waited = stuck.finished.0 - began.0;
        assert!(waited.abs_diff(65 * MS) < MS, "{waited} ps");
        assert_eq!(erase(1).await.outcome, Outcome::Done);
        let at_once = erase(0).await;
        assert_eq!(at_once.outcome, Outcome::TimedOut);
        assert_eq!(at_once.started, at_once.finished);
        let reset = bus.execute(op(OpKind::Reset, 0), Transfer::None).await;
        assert_eq!(reset.outcome, Outcome::Done);
        assert_eq!(erase(0).await.outcome, Outcome::Done);
    };
    simulation.block_on("firmware", firmware).unwrap();
}
