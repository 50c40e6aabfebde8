//! Dies that fail, hang or do not answer, and a controller that is reset in the middle.

use floatgate_hal::flash::BusOp;
use floatgate_hal::flash::Outcome;
use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex};
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::timing::TimeLimit;
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::die::Fault;

use super::bench::{Bench, MS, Plan, US, op, pattern};

fn with_fault(fault: Fault) -> Bench {
    Bench::ready(&Plan { faults: vec![(0, fault)], ..Plan::default() })
}

#[test]
fn a_program_that_fails_says_so() {
    let page = PageIndex(0);
    let block = BlockIndex(5);
    let mut bench = with_fault(Fault::FailsProgram { lun: LunIndex(0), block, page });
    let data = pattern(3, bench.part.register_bytes());
    bench.good(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), &[]);
    let failed = bench.run(&bench.page_op(OpKind::ProgramPage, 0, 5, 0), &data);
    assert_eq!(failed.completion.outcome, Outcome::Failed);
    assert_eq!(failed.completion.status, 0xE1);
}

#[test]
fn an_erase_that_fails_says_so() {
    let mut bench = with_fault(Fault::FailsErase { lun: LunIndex(0), block: BlockIndex(5) });
    let failed = bench.run(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), &[]);
    assert_eq!(failed.completion.outcome, Outcome::Failed);
    assert_eq!(failed.completion.status & 1, 1);
}

#[test]
fn a_die_that_hangs_times_out_and_the_other_works_on() {
    let at = Picoseconds(3 * MS);
    let mut bench = with_fault(Fault::StaysBusy { lun: LunIndex(0), at });
    bench.rtl.run_to(Picoseconds(4 * MS)).unwrap();
    bench.rtl.set_limit(TimeLimit::Erase, Picoseconds(8 * MS)).unwrap();
    let hung = bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), Vec::new());
    let queued = bench.rtl.submit(&bench.page_op(OpKind::ReadPageToRegister, 0, 5, 0), Vec::new());
    let data = pattern(4, bench.part.register_bytes());
    let other = [
        bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, 1, 5, 0), Vec::new()),
        bench.rtl.submit(&bench.page_op(OpKind::ProgramPage, 1, 5, 0), data),
    ];
    let finished = bench.finish();
    let of = |ticket| &finished.iter().find(|one| one.ticket == ticket).unwrap().completion;
    assert_eq!(of(hung).outcome, Outcome::TimedOut);
    let took_us = (of(hung).finished.0 - of(hung).started.0) / US;
    assert!((8_000..8_030).contains(&took_us), "{took_us} us");
    assert_eq!(of(queued).outcome, Outcome::TimedOut);
    assert_eq!(of(queued).started, of(queued).finished);
    assert!(other.map(|ticket| of(ticket).outcome) == [Outcome::Done; 2]);
    assert!(of(other[1]).finished < of(hung).finished);
}

#[test]
fn a_die_that_has_died_times_out() {
    let mut bench = with_fault(Fault::Dies { at: Picoseconds(3 * MS) });
    bench.rtl.run_to(Picoseconds(4 * MS)).unwrap();
    let silent = bench.run(&op(OpKind::Reset, 0), &[]);
    assert_eq!(silent.completion.outcome, Outcome::TimedOut);
    let silent = bench.run(&bench.page_op(OpKind::ReadPage, 0, 5, 0), &[]);
    assert_eq!(silent.completion.outcome, Outcome::TimedOut);
    assert!(silent.data.is_empty());
    bench.good(&bench.page_op(OpKind::ReadPage, 1, 5, 0), &[]);
}

#[test]
fn what_the_controller_does_not_do_is_refused() {
    let mut bench = Bench::ready(&Plan::default());
    let absent = bench.run(&bench.page_op(OpKind::ReadPage, 2, 0, 0), &[]);
    assert_eq!(absent.completion.outcome, Outcome::Refused);
    let empty = BusOp { length: ByteCount(0), ..bench.page_op(OpKind::ReadPage, 0, 0, 0) };
    assert_eq!(bench.run(&empty, &[]).completion.outcome, Outcome::Refused);
}

/// A reset ends what a time-out has left, once the die lets go.
#[test]
fn a_die_that_timed_out_works_again_after_a_reset() {
    let mut bench = Bench::ready(&Plan::default());
    bench.rtl.set_limit(TimeLimit::Erase, Picoseconds(100 * US)).unwrap();
    let erase = bench.page_op(OpKind::EraseBlock, 0, 5, 0);
    assert_eq!(bench.run(&erase, &[]).completion.outcome, Outcome::TimedOut);
    let read = bench.page_op(OpKind::ReadPage, 0, 5, 0);
    assert_eq!(bench.run(&read, &[]).completion.outcome, Outcome::TimedOut);
    let status = BusOp { length: ByteCount(1), ..op(OpKind::ReadStatus, 0) };
    assert_eq!(bench.good(&status, &[])[0] & 0x40, 0);
    bench.good(&op(OpKind::Reset, 0), &[]);
    bench.rtl.set_limit(TimeLimit::Erase, Picoseconds(20 * MS)).unwrap();
    bench.good(&erase, &[]);
    bench.good(&read, &[]);
}

/// A program that times out before its data were asked for leaves the stream to the next one.
#[test]
fn data_of_an_operation_that_ended_are_thrown_away() {
    let mut bench = Bench::ready(&Plan::default());
    bench.rtl.set_limit(TimeLimit::Erase, Picoseconds(100 * US)).unwrap();
    let data = pattern(4, bench.part.register_bytes());
    bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), Vec::new());
    bench.rtl.submit(&bench.page_op(OpKind::ProgramPage, 0, 5, 0), data.clone());
    bench.rtl.submit(&bench.page_op(OpKind::ProgramPage, 1, 5, 0), data);
    let outcomes: Vec<Outcome> = bench.finish().iter().map(|one| one.completion.outcome).collect();
    assert_eq!(outcomes, [Outcome::TimedOut, Outcome::TimedOut, Outcome::Done]);
}

/// rst_ni at many moments of a program and of a read: then FFh brings controller and die back.
#[test]
fn a_reset_of_the_controller_may_come_at_any_time() {
    for interface in [DataInterface::Sdr, DataInterface::NvDdr] {
        for moment in 0..24 {
            let mut bench = Bench::ready(&Plan::default());
            bench.set_mode(0, interface, 5);
            let data = pattern(6, bench.part.register_bytes());
            let kind = if moment % 2 == 0 { OpKind::ProgramPage } else { OpKind::ReadPage };
            let bytes = if moment % 2 == 0 { data.clone() } else { Vec::new() };
            bench.rtl.submit(&bench.page_op(kind, 0, 5, 0), bytes);
            let span_ps = moment * moment * 200_000 + moment * 35_000;
            bench.rtl.run_to(Picoseconds(bench.rtl.now().0 + span_ps)).unwrap();
            bench.rtl.reset().unwrap();
            bench.rtl.run_to(Picoseconds(bench.rtl.now().0 + 5 * MS)).unwrap();
            // The die saw a cycle cut short; what it says of that is right.
            bench.rtl.take_finished();
            bench.diagnostics();
            if interface == DataInterface::NvDdr {
                let mode = TimingMode { interface, mode: 5 };
                bench.follow(0, mode);
            }
            bench.rtl.submit(&op(OpKind::Reset, 0), Vec::new());
            bench.finish();
            bench.follow(0, TimingMode::POWER_UP);
            bench.good(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), &[]);
            bench.good(&bench.page_op(OpKind::ProgramPage, 0, 5, 0), &data);
            assert!(bench.good(&bench.page_op(OpKind::ReadPage, 0, 5, 0), &[]) == data);
        }
    }
}

/// Without DQS a burst is made up, and the completion says so.
#[test]
fn data_without_dqs_time_out() {
    let mut bench = Bench::ready(&Plan::default());
    bench.set_mode(0, DataInterface::NvDdr, 5);
    let id = BusOp { length: ByteCount(5), ..op(OpKind::ReadId, 0) };
    bench.rtl.wires().is_cut = true;
    assert_eq!(bench.run(&id, &[]).completion.outcome, Outcome::TimedOut);
    let erase = bench.page_op(OpKind::EraseBlock, 0, 5, 0);
    assert_eq!(bench.run(&erase, &[]).completion.outcome, Outcome::TimedOut);
    let read = bench.page_op(OpKind::ReadPage, 0, 5, 0);
    assert_eq!(bench.run(&read, &[]).completion.outcome, Outcome::TimedOut);
    bench.rtl.wires().is_cut = false;
    assert_eq!(bench.good(&id, &[]), bench.part.identity.id_bytes[..5]);
}
