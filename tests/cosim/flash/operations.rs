//! Each operation of the table, at the pins of a die.

use floatgate_hal::flash::BusOp;
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::units::ByteCount;

use super::bench::{Bench, Plan, op, pattern};

#[test]
fn a_page_comes_back_as_it_was_programmed() {
    let mut bench = Bench::ready(&Plan::default());
    let id = BusOp { length: ByteCount(5), ..op(OpKind::ReadId, 0) };
    assert_eq!(bench.good(&id, &[]), bench.part.identity.id_bytes[..5]);
    let count = bench.part.register_bytes();
    let data = pattern(1, count);
    bench.good(&bench.page_op(OpKind::EraseBlock, 0, 4, 0), &[]);
    bench.good(&bench.page_op(OpKind::ProgramPage, 0, 4, 0), &data);
    let read = bench.good(&bench.page_op(OpKind::ReadPage, 0, 4, 0), &[]);
    let wrong = read.iter().zip(&data).filter(|(a, b)| a != b).count();
    assert!(wrong < 20, "{wrong} bytes differ");
}
