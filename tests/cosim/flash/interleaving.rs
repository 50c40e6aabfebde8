//! Several dies on one bus: overlap, order, fairness, and how busy the bus is.

use floatgate_cosim::flash::Idle;
use floatgate_hal::flash::mode::DataInterface;
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::{BusOp, Outcome};
use floatgate_hal::units::Picoseconds;

use super::bench::{Bench, Plan, US, pattern};

fn dies(count: usize, interface: DataInterface) -> Bench {
    let mut bench = Bench::ready(&Plan { dies: count, ..Plan::default() });
    for die in 0..count {
        bench.set_mode(die, interface, 5);
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
    let mut bench = dies(8, DataInterface::Sdr);
    let before = bench.rtl.now();
    for die in 0..8 {
        bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, die, 3, 0), Vec::new());
    }
    assert_eq!(bench.finish().len(), 8);
    let took_us = (bench.rtl.now().0 - before.0) / US;
    let alone_us = bench.part.timing.t_bers_us as u64;
    assert!(took_us < alone_us + 20, "{took_us} us for eight erases of {alone_us} us");
}

#[test]
fn one_die_keeps_the_order_and_others_do_not_wait() {
    let mut bench = dies(8, DataInterface::Sdr);
    let slow = bench.page_op(OpKind::EraseBlock, 0, 3, 0);
    let fast = bench.page_op(OpKind::ReadPageToRegister, 1, 3, 0);
    let order = [&slow, &fast, &fast, &slow];
    let tickets = order.map(|op| bench.rtl.submit(op, Vec::new()));
    let order: Vec<_> = bench.finish().iter().map(|one| one.ticket).collect();
    assert_eq!(order, [tickets[1], tickets[2], tickets[0], tickets[3]]);
}

/// All dies have work at all times; none gets more than one page ahead of another.
#[test]
fn dies_have_equal_shares_of_the_bus() {
    let mut bench = dies(8, DataInterface::Sdr);
    let tickets: Vec<_> = (0..64)
        .map(|i| bench.rtl.submit(&bench.page_op(OpKind::ReadPage, i % 8, 2, 0), Vec::new()))
        .collect();
    let mut done = [0_u32; 8];
    for one in bench.finish() {
        let die = tickets.iter().position(|&ticket| ticket == one.ticket).unwrap() % 8;
        done[die] += 1;
        let (least, most) = (done.iter().min().unwrap(), done.iter().max().unwrap());
        assert!(most - least <= 1, "pages so far: {done:?}");
    }
}

/// With tR of 31 us and 87 us of transfer in SDR, two dies would do.
#[test]
fn reads_keep_the_data_bus_busy() {
    for (interface, byte_ps) in [(DataInterface::Sdr, 20_000), (DataInterface::NvDdr, 5_000)] {
        let mut bench = dies(8, interface);
        let ops: Vec<BusOp> =
            (0..64).map(|i| bench.page_op(OpKind::ReadPage, i % 8, 2, 0)).collect();
        let share = busy_share(&mut bench, &ops, &[], byte_ps);
        println!(
            "{interface:?} mode 5, reads on 8 dies: data cross the bus {share:.4} of the time"
        );
        assert!(share > 0.95, "{interface:?}: {share}");
    }
}

/// A lower page takes 500 us to program and 87 us to transfer in SDR: seven dies fill the bus.
#[test]
fn programs_keep_the_data_bus_busy() {
    let mut bench = dies(8, DataInterface::Sdr);
    for die in 0..8 {
        for block in 0..5 {
            bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, die, block, 0), Vec::new());
        }
    }
    bench.finish();
    let data = pattern(5, bench.part.register_bytes());
    let op = |i: usize| bench.page_op(OpKind::ProgramPage, i % 8, (i / 8) as u32, 0);
    let ops: Vec<BusOp> = (0..40).map(op).collect();
    // The last programs end without transfers beside them: the time from the first start to the
    // last start counts.
    for op in &ops {
        bench.rtl.submit(op, data.clone());
    }
    let finished = bench.finish();
    assert!(finished.iter().all(|one| one.completion.outcome == Outcome::Done));
    let starts: Vec<u64> = finished.iter().map(|one| one.completion.started.0).collect();
    let span_ps = starts.iter().max().unwrap() - starts.iter().min().unwrap();
    let share = (39 * data.len() as u64 * 20_000) as f64 / span_ps as f64;
    println!("SDR mode 5, programs on 8 dies: data cross the bus {share:.4} of the time");
    assert!(share > 0.95, "{share}");
}

/// The clock stops while all dies are busy, also where more operations wait than the RTL takes;
/// nothing else may differ.
#[test]
fn idle_time_that_is_skipped_changes_nothing() {
    let run = |idle| {
        let mut bench = Bench::ready(&Plan { idle, ..Plan::default() });
        let data = pattern(5, bench.part.register_bytes());
        for die in 0..2 {
            let ops = [OpKind::EraseBlock, OpKind::ProgramPage, OpKind::ReadPage];
            for kind in &ops[..3 - die % 2] {
                let bytes = if *kind == OpKind::ProgramPage { data.clone() } else { Vec::new() };
                bench.rtl.submit(&bench.page_op(*kind, die, 3, 0), bytes);
            }
        }
        for block in 4..10 {
            bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, 0, block, 0), Vec::new());
        }
        bench.rtl.submit(&bench.page_op(OpKind::ReadPage, 1, 3, 0), Vec::new());
        // While the fourth erase or so is under way, and more of them wait.
        bench.rtl.run_to(Picoseconds(bench.rtl.now().0 + 10_000 * US)).expect("no assertion fails");
        bench.rtl.submit(&bench.page_op(OpKind::Reset, 0, 0, 0), Vec::new());
        (bench.finish(), bench.rtl.now(), bench.rtl.clocks())
    };
    let (skipped, clocked) = (run(Idle::Skipped), run(Idle::Clocked));
    assert_eq!(skipped.0, clocked.0);
    assert_eq!(skipped.1, clocked.1);
    let is_done = |outcome| outcome == Outcome::Done;
    let done = skipped.0.iter().filter(|one| is_done(one.completion.outcome)).count();
    assert!((7..12).contains(&done), "the reset came at a wrong time, {done} of 13 are done");
    println!("{} of {} simulated", skipped.2, clocked.2);
    assert!(skipped.2.0 < clocked.2.0);
}
