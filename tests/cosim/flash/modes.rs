//! Every timing mode: data survive, no rule of the bus is broken, and no time is wasted.

use floatgate_hal::flash::BusOp;
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::pins::Corner;

use super::bench::{Bench, Plan, op, pattern};

/// A clock that makes the shortest CLK of an NV-DDR mode.
const NV_DDR_CLOCKS_PS: [u64; 6] = [5_000, 5_000, 5_000, 7_500, 6_000, 5_000];

/// ID, features, and a page there and back in a mode.
fn exchanges(interface: DataInterface, mode: u8, clock: Picoseconds, corner: Corner) {
    let mut bench = Bench::ready(&Plan { clock, corner, ..Plan::default() });
    bench.set_mode(0, interface, mode);
    let id = BusOp { length: ByteCount(5), ..op(OpKind::ReadId, 0) };
    assert_eq!(bench.good(&id, &[]), bench.part.identity.id_bytes[..5]);
    let data = pattern(u32::from(mode), bench.part.register_bytes());
    bench.good(&bench.page_op(OpKind::EraseBlock, 0, 4, 0), &[]);
    bench.good(&bench.page_op(OpKind::ProgramPage, 0, 4, 0), &data);
    let stored = bench.stored(0, 4, 0);
    assert!(stored == data, "the die stores something else");
    let read = bench.good(&bench.page_op(OpKind::ReadPage, 0, 4, 0), &[]);
    assert!(read == data, "the page comes back as something else");
    // FFh takes die and controller back to SDR mode 0.
    bench.good(&op(OpKind::Reset, 0), &[]);
    bench.follow(0, TimingMode::POWER_UP);
    assert_eq!(bench.good(&id, &[]), bench.part.identity.id_bytes[..5]);
}

#[test]
fn every_sdr_mode_carries_pages() {
    for mode in 0..=5 {
        for clock_ps in [2_500, 5_000, 7_500, 10_000] {
            exchanges(DataInterface::Sdr, mode, Picoseconds(clock_ps), Corner::Slow);
        }
    }
}

#[test]
fn every_nv_ddr_mode_carries_pages() {
    for (mode, clock_ps) in NV_DDR_CLOCKS_PS.into_iter().enumerate() {
        for corner in [Corner::Fast, Corner::Slow] {
            exchanges(DataInterface::NvDdr, mode as u8, Picoseconds(clock_ps), corner);
        }
    }
}
