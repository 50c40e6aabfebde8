//! Several dies on one bus: overlap, order, fairness.

use floatgate_hal::flash::mode::DataInterface;
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::{BusOp, Outcome};

use super::bench::{Bench, Plan, US, pattern};

fn eight() -> Bench {
    let mut bench = Bench::ready(&Plan { dies: 8, ..Plan::default() });
    for die in 0..8 {
        bench.set_mode(die, DataInterface::Sdr, 5);
    }
    bench
}

/// The share of the time from the first start to the last end in which data cross the bus.
fn busy_share(bench: &mut Bench, ops: &[BusOp], data: &[u8], byte_ps: u64) -> f64 {
    for op in ops {
        bench.rtl.submit(op, data.to_vec());
    }
    let finished = bench.finish();
    assert!(finished.iter().all(|one| one.completion.outcome == Outcome::Done));
    let starts = finished.iter().map(|one| one.completion.started.0);
    let ends = finished.iter().map(|one| one.completion.finished.0);
    let span_ps = ends.max().unwrap() - starts.min().unwrap();
    let bytes: u64 = ops.iter().map(|op| u64::from(op.length.0)).sum();
    (bytes * byte_ps) as f64 / span_ps as f64
}

#[test]
fn dies_are_busy_side_by_side() {
    let mut bench = eight();
    let erases: Vec<BusOp> =
        (0..8).map(|die| bench.page_op(OpKind::EraseBlock, die, 3, 0)).collect();
    let before = bench.rtl.now();
    for erase in &erases {
        bench.rtl.submit(erase, Vec::new());
    }
    let finished = bench.finish();
    assert_eq!(finished.len(), 8);
    let took_us = (bench.rtl.now().0 - before.0) / US;
    let alone_us = bench.part.timing.t_bers_us as u64;
    assert!(took_us < alone_us + 20, "{took_us} us for eight erases of {alone_us} us");
}

#[test]
fn one_die_keeps_the_order_and_others_do_not_wait() {
    let mut bench = eight();
    let slow = bench.page_op(OpKind::EraseBlock, 0, 3, 0);
    let fast = bench.page_op(OpKind::ReadPageToRegister, 1, 3, 0);
    let tickets = [
        bench.rtl.submit(&slow, Vec::new()),
        bench.rtl.submit(&fast, Vec::new()),
        bench.rtl.submit(&fast, Vec::new()),
        bench.rtl.submit(&slow, Vec::new()),
    ];
    let order: Vec<_> = bench.finish().iter().map(|one| one.ticket).collect();
    assert_eq!(order, [tickets[1], tickets[2], tickets[0], tickets[3]]);
}

/// With eight dies, tR of 31 us and 87 us of transfer, the bus never waits for the array.
#[test]
fn reads_keep_the_data_bus_busy() {
    let mut bench = eight();
    let ops: Vec<BusOp> = (0..64).map(|i| bench.page_op(OpKind::ReadPage, i % 8, 2, 0)).collect();
    let share = busy_share(&mut bench, &ops, &[], 20_000);
    println!("SDR mode 5, reads on 8 dies: data cross the bus {:.2} % of the time", share * 100.0);
    assert!(share > 0.95, "{share}");
}
