//! Resets that do not wait for what their die was asked for before.

use floatgate_cosim::flash::{Finished, Ticket};
use floatgate_hal::flash::Outcome;
use floatgate_hal::flash::address::{DieIndex, LunIndex};
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::Fault;
use floatgate_model::pins::TransactionKind;

use super::bench::{Bench, MS, Plan, US, op, pattern};

fn of(finished: &[Finished], ticket: Ticket) -> &Finished {
    finished.iter().find(|one| one.ticket == ticket).expect("it has ended")
}

/// An erase runs, two operations wait in the controller and one before it; then FFh comes. The
/// other die's erase goes on.
#[test]
fn a_reset_overtakes_what_runs_and_what_waits() {
    for interface in [DataInterface::Sdr, DataInterface::NvDdr] {
        let mut bench = Bench::ready(&Plan::default());
        (0..2).for_each(|die| bench.set_mode(die, interface, 5));
        let data = pattern(4, bench.part.register_bytes());
        bench.rtl.wires().channel.watch();
        let other = bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, 1, 5, 0), Vec::new());
        let erase = bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), Vec::new());
        let program = bench.page_op(OpKind::ProgramPage, 0, 5, 0);
        let behind = [0, 1, 2].map(|_| bench.rtl.submit(&program, data.clone()));
        bench.rtl.run_to(Picoseconds(bench.rtl.now().0 + 300 * US)).unwrap();
        let asked = bench.rtl.now();
        let reset = bench.rtl.submit(&op(OpKind::Reset, 0), Vec::new());
        let finished = bench.finish();

        for ticket in behind.into_iter().chain([erase]) {
            let ended = of(&finished, ticket).completion;
            assert_eq!(ended.outcome, Outcome::TimedOut);
            let after_ps = ended.finished.0.saturating_sub(asked.0);
            assert!(after_ps < 100_000, "{interface:?}: {after_ps} ps after the reset");
        }
        let reset = of(&finished, reset).completion;
        assert_eq!(reset.outcome, Outcome::Done);
        assert!(reset.started.0 - asked.0 < 200_000, "{:?}", reset.started.0 - asked.0);
        // tRST of an erasing die, not tBERS.
        assert!((500..502).contains(&((reset.finished.0 - asked.0) / US)));
        let other = of(&finished, other).completion;
        assert_eq!((other.outcome, other.status), (Outcome::Done, 0xE0));
        assert!(other.finished > reset.finished);
        let seen = bench.rtl.wires().channel.drain_transactions(DieIndex(0));
        let commands = seen.iter().filter(|one| one.kind == TransactionKind::Command);
        let commands: Vec<u8> = commands.map(|one| one.bytes[0]).collect();
        assert_eq!(commands, [0x60, 0xD0, 0xFF], "what waited put nothing on the bus");

        bench.follow(0, TimingMode::POWER_UP);
        bench.good(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), &[]);
        bench.good(&program, &data);
        assert!(bench.good(&bench.page_op(OpKind::ReadPage, 0, 5, 0), &[]) == data);
    }
}

/// FCh leaves the interface as it is.
#[test]
fn a_synchronous_reset_overtakes_too() {
    let mut bench = Bench::ready(&Plan::default());
    bench.set_mode(0, DataInterface::NvDdr, 5);
    let erase = bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), Vec::new());
    bench.rtl.run_to(Picoseconds(bench.rtl.now().0 + 100 * US)).unwrap();
    let reset = bench.rtl.submit(&op(OpKind::SynchronousReset, 0), Vec::new());
    let finished = bench.finish();
    assert_eq!(of(&finished, erase).completion.outcome, Outcome::TimedOut);
    assert_eq!(of(&finished, reset).completion.outcome, Outcome::Done);
    bench.good(&bench.page_op(OpKind::ReadPage, 0, 6, 0), &[]);
}

/// FAh is for one LUN, and others of the die may be at work: it keeps its place.
#[test]
fn a_reset_of_a_lun_waits_for_its_turn() {
    let mut bench = Bench::ready(&Plan::default());
    let erase = bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), Vec::new());
    let reset = bench.rtl.submit(&bench.page_op(OpKind::ResetLun, 0, 5, 0), Vec::new());
    let finished = bench.finish();
    let (erase, reset) = (of(&finished, erase).completion, of(&finished, reset).completion);
    assert_eq!((erase.outcome, reset.outcome), (Outcome::Done, Outcome::Done));
    assert!(reset.started >= erase.finished);
}

/// At many moments of a read, a program and an erase, cycles on the bus among them: no rule of the
/// bus is broken, each operation ends once, and the die works afterwards.
#[test]
fn a_reset_of_the_die_may_come_at_any_time() {
    for interface in [DataInterface::Sdr, DataInterface::NvDdr] {
        for moment in 0..24 {
            let mut bench = Bench::ready(&Plan::default());
            bench.set_mode(0, interface, 5);
            let kinds = [OpKind::ProgramPage, OpKind::ReadPage, OpKind::EraseBlock];
            let kind = kinds[moment % 3];
            let data = pattern(6, bench.part.register_bytes());
            let bytes = if kind == OpKind::ProgramPage { data.clone() } else { Vec::new() };
            let cut = bench.rtl.submit(&bench.page_op(kind, 0, 5, 0), bytes);
            let moment_ps = (moment * moment * 250_000 + moment * 35_000) as u64;
            bench.rtl.run_to(Picoseconds(bench.rtl.now().0 + moment_ps)).unwrap();
            let reset = bench.rtl.submit(&op(OpKind::Reset, 0), Vec::new());
            let finished = bench.finish();
            assert_eq!(finished.iter().filter(|one| one.ticket == cut).count(), 1);
            assert_eq!(of(&finished, reset).completion.outcome, Outcome::Done, "{moment}");
            bench.follow(0, TimingMode::POWER_UP);
            bench.good(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), &[]);
            bench.good(&bench.page_op(OpKind::ProgramPage, 0, 5, 0), &data);
            assert!(bench.good(&bench.page_op(OpKind::ReadPage, 0, 5, 0), &[]) == data);
        }
    }
}

/// A die that hangs is let go by the reset, not by its time-out.
#[test]
fn a_reset_frees_a_die_that_hangs_before_its_time_out() {
    let hangs = Fault::StaysBusy { lun: LunIndex(0), at: Picoseconds(3 * MS) };
    let mut bench = Bench::ready(&Plan { faults: vec![(0, hangs)], ..Plan::default() });
    bench.rtl.run_to(Picoseconds(4 * MS)).unwrap();
    let asked = bench.rtl.now();
    let hung = bench.rtl.submit(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), Vec::new());
    bench.rtl.run_to(Picoseconds(asked.0 + MS)).unwrap();
    bench.rtl.submit(&op(OpKind::Reset, 0), Vec::new());
    let finished = bench.finish();
    assert_eq!(of(&finished, hung).completion.outcome, Outcome::TimedOut);
    assert!(bench.rtl.now().0 - asked.0 < 2 * MS, "the time-out is 65 ms");
    bench.good(&bench.page_op(OpKind::EraseBlock, 0, 5, 0), &[]);
}
