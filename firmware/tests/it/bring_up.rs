//! The steps of bring-up, in their order and with the bus at the right timing; and dies that are
//! not as they should be.

use floatgate_firmware::onfi::EccRequirement;
use floatgate_firmware::{BadBlocks, BringUpError, BusFault, Die, bring_up, scan_bad_blocks};
use floatgate_hal::flash::Outcome;
use floatgate_hal::flash::address::{
    BlockIndex, ColumnAddress, DieIndex, Geometry, LunIndex, PageIndex, RowAddress,
};
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::units::{ByteCount, Picoseconds};

use crate::block_on;
use crate::fake::FakeBus;
use crate::onfi::dump;

const NV_DDR_5: TimingMode = TimingMode { interface: DataInterface::NvDdr, mode: 5 };

fn geometry() -> Geometry {
    Geometry {
        page_bytes: ByteCount(8192),
        spare_bytes: ByteCount(744),
        pages_per_block: 256,
        blocks_per_lun: 2048,
        planes: 2,
        luns: 2,
    }
}

fn invented() -> FakeBus {
    FakeBus::new(geometry(), dump("invented_mlc_ec_stream"))
}

fn up(
    bus: &FakeBus,
    wanted: TimingMode,
) -> Result<floatgate_firmware::DieDescription, BringUpError> {
    block_on(bring_up(Die::new(bus, DieIndex(0)), bus, wanted))
}

#[test]
fn steps_run_in_order_each_at_its_timing() {
    let bus = invented();
    let description = up(&bus, NV_DDR_5).unwrap();
    assert_eq!(description.timing.mode, NV_DDR_5);
    assert_eq!(description.timing.t_ccs, Picoseconds(200_000));
    assert_eq!(description.page.geometry, geometry());
    let ecc = EccRequirement { bits: 40, codeword_bytes: ByteCount(1024), endurance_cycles: 3000 };
    assert_eq!(description.ecc, Some(ecc));
    let log = bus.log.borrow();
    let steps: Vec<_> = log.iter().map(|(op, timing)| (op.kind, timing.mode)).collect();
    let slow = TimingMode::POWER_UP;
    let expected = [
        (OpKind::Reset, slow),
        (OpKind::ReadId, slow),
        (OpKind::ReadParameterPage, slow),
        (OpKind::ChangeReadColumn, slow),
        (OpKind::SetFeatures, slow),
        (OpKind::GetFeatures, NV_DDR_5),
    ];
    assert_eq!(steps, expected);
    assert_eq!(bus.features.borrow()[&1], [0x15, 0, 0, 0]);
}

#[test]
fn a_die_that_does_not_follow_is_reset_to_mode_0() {
    let mut bus = invented();
    bus.stubborn_mode = Some(0x03);
    let description = up(&bus, NV_DDR_5).unwrap();
    assert_eq!(description.timing.mode, TimingMode::POWER_UP);
    assert_eq!(bus.timing.get(), description.timing);
    let log = bus.log.borrow();
    let (last, timing) = log.last().unwrap();
    assert_eq!((last.kind, timing.mode), (OpKind::Reset, TimingMode::POWER_UP));
}

#[test]
fn a_die_that_falls_silent_at_the_new_mode_is_reset_too() {
    let bus = invented();
    bus.set_fault(|op| (op.kind == OpKind::GetFeatures).then_some(Outcome::TimedOut));
    assert_eq!(up(&bus, NV_DDR_5).unwrap().timing.mode, TimingMode::POWER_UP);
}

#[test]
fn one_damaged_copy_is_no_obstacle_three_are() {
    let mut bus = invented();
    bus.parameter_stream[100] ^= 0xFF;
    assert!(up(&bus, NV_DDR_5).is_ok());
    for copy in 1..3 {
        bus.parameter_stream[copy * 256 + 100] ^= 0xFF;
    }
    let error = up(&bus, NV_DDR_5).unwrap_err();
    assert!(matches!(error, BringUpError::ParameterPage { .. }), "{error}");
}

#[test]
fn dies_that_cannot_be_used_are_refused_in_one_line() {
    let mut bus = invented();
    let missing = TimingMode { interface: DataInterface::NvDdr, mode: 6 };
    let line = up(&bus, missing).unwrap_err().to_string();
    assert_eq!(line, "die 0: NvDdr mode 6 is not among its modes (111111b, bit n for mode n)");
    bus.fastest = TimingMode { interface: DataInterface::NvDdr, mode: 4 };
    let line = up(&bus, NV_DDR_5).unwrap_err().to_string();
    assert_eq!(line, "die 0: the controller cannot keep NvDdr mode 5: ClockUnsuitable");
    assert_eq!(bus.kinds().last(), Some(&OpKind::Reset), "the die has been moved back");
    bus.set_fault(|op| (op.kind == OpKind::Reset).then_some(Outcome::TimedOut));
    let line = up(&bus, NV_DDR_5).unwrap_err().to_string();
    assert_eq!(line, "die 0, row 000000h: Reset timed out");
    bus.set_fault(|_| None);
    bus.id = [0xFF; 4];
    let line = up(&bus, NV_DDR_5).unwrap_err().to_string();
    assert_eq!(line, "die 0: no ONFI die; its ID is [FF, FF, FF, FF]");
    let small = FakeBus::new(geometry(), dump("real_mt29f1g08abbda").repeat(3));
    let line = up(&small, TimingMode::POWER_UP).unwrap_err().to_string();
    assert_eq!(line, "die 0: takes 2 + 2 address cycles, not 2 + 3");
}

fn small() -> Geometry {
    Geometry { pages_per_block: 4, blocks_per_lun: 20, ..geometry() }
}

/// Sets the first spare byte of a page.
fn set_mark(bus: &FakeBus, lun: u8, block: u32, page: u16, mark: u8) {
    let row = bus.geometry.row(LunIndex(lun), BlockIndex(block), PageIndex(page));
    let mut register = vec![0xFF; bus.geometry.register_bytes().0 as usize];
    register[bus.geometry.page_bytes.0 as usize] = mark;
    bus.pages.borrow_mut().insert(row.0, register);
}

#[test]
fn the_scan_finds_marks_in_first_and_last_pages_and_no_others() {
    let bus = FakeBus::new(small(), Vec::new());
    set_mark(&bus, 0, 3, 0, 0x00);
    set_mark(&bus, 1, 19, 3, 0x00);
    set_mark(&bus, 1, 7, 0, 0xDB); // a good block whose FFh has two bits wrong
    set_mark(&bus, 0, 8, 1, 0x00); // data of a page that has no mark
    set_mark(&bus, 0, 9, 0, 0x21); // a mark two bits of which are wrong
    let mut storage = [0xFF; 5];
    let mut table = BadBlocks::new(small(), &mut storage).unwrap();
    block_on(scan_bad_blocks(Die::new(&bus, DieIndex(0)), &mut table)).unwrap();
    let bad: Vec<(u8, u32)> = (0..2)
        .flat_map(|lun| (0..20).map(move |block| (lun, block)))
        .filter(|&(lun, block)| table.is_bad(LunIndex(lun), BlockIndex(block)))
        .collect();
    assert_eq!(bad, [(0, 3), (0, 9), (1, 19)]);
    assert_eq!(table.count(), 3);
    let log = bus.log.borrow();
    let columns =
        log.iter().all(|(op, _)| (op.column, op.length) == (ColumnAddress(8192), ByteCount(2)));
    assert!(columns, "only the marks go over the bus");
}

#[test]
fn the_scan_ends_where_the_die_does_and_tables_have_their_length() {
    let bus = FakeBus::new(small(), Vec::new());
    bus.set_fault(|op| (op.row.0 == 8).then_some(Outcome::TimedOut));
    let mut storage = [0; 5];
    let mut table = BadBlocks::new(small(), &mut storage).unwrap();
    let error = block_on(scan_bad_blocks(Die::new(&bus, DieIndex(0)), &mut table)).unwrap_err();
    let (kind, die) = (OpKind::ReadPage, DieIndex(0));
    assert_eq!(error, BusFault::TimedOut { kind, die, row: RowAddress(8) });
    let error = BadBlocks::new(small(), &mut [0; 4]).unwrap_err().to_string();
    assert_eq!(error, "a table of 40 blocks needs 5 bytes, 4 are given");
}
