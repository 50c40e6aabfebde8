//! Errors on the way from dies through the RTL to whoever awaits an operation.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use floatgate_cosim::flash::{BusError, Config, Idle, RtlBus};
use floatgate_hal::flash::address::{
    BlockIndex, ColumnAddress, DieIndex, LunIndex, PageIndex, RowAddress,
};
use floatgate_hal::flash::mode::{BusTiming, DataInterface, DieTiming, TimingMode};
use floatgate_hal::flash::op::{DataPhase, OpKind};
use floatgate_hal::flash::{BusOp, Completion, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::die::{Fault, Part, Rule, Settings, Target};
use floatgate_model::pins::PinOptions;
use floatgate_model::sim::{Sim, Simulation};

use super::bench::{CLOCK, MS, pattern};

const BYTES: u32 = 512;

/// Firmware's end of a channel.
struct Host {
    bus: RtlBus,
    sim: Sim,
    part: Arc<Part>,
}

impl Host {
    async fn run(&self, kind: OpKind, die: u8, block: u32, page: u16) -> (Completion, Vec<u8>) {
        let form = kind.form();
        let length = if form.data == DataPhase::None { 0 } else { BYTES };
        let row = self.part.geometry().row(LunIndex(0), BlockIndex(block), PageIndex(page));
        let op = BusOp {
            kind,
            die: DieIndex(die),
            row,
            column: ColumnAddress(0),
            length: ByteCount(length),
        };
        let mut data = pattern(page.into(), length as usize);
        let transfer = match form.data {
            DataPhase::None => Transfer::None,
            DataPhase::InAfterAdl | DataPhase::InAfterCcs => Transfer::In(&data),
            _ => Transfer::Out(&mut data),
        };
        (self.bus.execute(op, transfer).await, data)
    }

    async fn outcome(&self, kind: OpKind, die: u8, block: u32, page: u16) -> Outcome {
        self.run(kind, die, block, page).await.0.outcome
    }

    /// From power-up to the end of the first reset.
    async fn reset(&self, dies: u8) {
        self.sim.delay(Picoseconds(MS)).await;
        for die in 0..dies {
            assert_eq!(self.outcome(OpKind::Reset, die, 0, 0).await, Outcome::Done);
        }
    }
}

/// Runs firmware on a channel of two dies, the first with these faults.
fn run<F: Future + 'static>(
    faults: &[Fault],
    firmware: impl FnOnce(Host) -> F,
) -> Result<F::Output, BusError>
where
    F::Output: 'static,
{
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let part = Part::load(root.join("configs/parts/mt29f32g08cbaba.ron")).expect("a shipped part");
    let mut part = part.as_ref().clone();
    part.cells.errors.model = None;
    part.cells.program_failure_rate = 0.0;
    part.cells.erase_failure_rate = 0.0;
    let part = Arc::new(part);
    let dies = [faults, &[]].into_iter().enumerate().map(|(target, faults)| {
        let settings = Settings {
            target: target as u32,
            factory_bad_blocks: Some(0),
            faults: faults.to_vec(),
            ..Settings::default()
        };
        let options = PinOptions::of(&part, &settings);
        (Target::new(Arc::clone(&part), settings), options)
    });
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let idle = Idle::Skipped;
    let config = Config { model: "onfi_controller_x2", dies: 2, clock: CLOCK, seed: 1, idle };
    let bus = RtlBus::new(&sim, &config, dies.collect::<Vec<_>>()).expect("it is linked in");
    let work = firmware(Host { bus: bus.clone(), sim, part });
    simulation.block_on("firmware", async move { bus.guard(work).await }).expect("no deadlock")
}

#[test]
fn fail_bits_reach_firmware() {
    let (lun, page) = (LunIndex(0), PageIndex(0));
    let faults = [
        Fault::FailsProgram { lun, block: BlockIndex(5), page },
        Fault::FailsErase { lun, block: BlockIndex(6) },
    ];
    let firmware = |host: Host| async move {
        host.reset(2).await;
        assert_eq!(host.outcome(OpKind::EraseBlock, 0, 5, 0).await, Outcome::Done);
        let (failed, _) = host.run(OpKind::ProgramPage, 0, 5, 0).await;
        assert_eq!((failed.outcome, failed.status), (Outcome::Failed, 0xE1));
        let (failed, _) = host.run(OpKind::EraseBlock, 0, 6, 0).await;
        assert_eq!((failed.outcome, failed.status), (Outcome::Failed, 0xE1));
    };
    run(&faults, firmware).unwrap();
}

/// FAILC speaks of the page before: it comes with the program after the one that failed.
#[test]
fn failc_of_a_cache_program_reaches_firmware() {
    let (lun, block) = (LunIndex(0), BlockIndex(5));
    let faults = [Fault::FailsProgram { lun, block, page: PageIndex(1) }];
    let firmware = |host: Host| async move {
        host.reset(2).await;
        host.run(OpKind::EraseBlock, 0, 5, 0).await;
        let mut ended = Vec::new();
        for page in 0..4 {
            let kind = if page == 3 { OpKind::ProgramPage } else { OpKind::ProgramPageCache };
            let (completion, _) = host.run(kind, 0, 5, page).await;
            ended.push((completion.outcome, completion.status & 0x03));
        }
        let (done, failed) = ((Outcome::Done, 0), (Outcome::Failed, 0x02));
        assert_eq!(ended, [done, done, failed, done]);
        // What did not fail is there.
        for page in [0, 2, 3] {
            let (read, data) = host.run(OpKind::ReadPage, 0, 5, page).await;
            assert!(read.outcome == Outcome::Done && data == pattern(page.into(), data.len()));
        }
    };
    run(&faults, firmware).unwrap();
}

/// Reads of both dies in a row, side by side; the outcomes of each.
async fn reads(host: &Rc<Host>, count: usize) -> [Vec<Outcome>; 2] {
    let of_die = |die| {
        let host = Rc::clone(host);
        async move {
            let mut outcomes = Vec::new();
            for _ in 0..count {
                outcomes.push(host.outcome(OpKind::ReadPage, die, 5, 0).await);
            }
            outcomes
        }
    };
    let [first, second] =
        [0, 1].map(|die| host.sim.spawn(format!("reads of die {die}"), of_die(die)));
    [first.await, second.await]
}

#[test]
fn a_die_that_hangs_times_out_while_the_other_is_read() {
    let hangs = Fault::StaysBusy { lun: LunIndex(0), at: Picoseconds(5 * MS) };
    let firmware = |host: Host| async move {
        host.reset(2).await;
        host.sim.delay(Picoseconds(5 * MS)).await;
        let host = Rc::new(host);
        let [hung, other] = reads(&host, 600).await;
        assert!(hung.iter().all(|&outcome| outcome == Outcome::TimedOut));
        assert!(other.iter().all(|&outcome| outcome == Outcome::Done));
        // What the controller lacks or does not do is refused meanwhile.
        assert_eq!(host.outcome(OpKind::ReadPage, 2, 5, 0).await, Outcome::Refused);
        let whole = BusOp {
            kind: OpKind::ReadPage,
            die: DieIndex(1),
            row: RowAddress(0),
            column: ColumnAddress(0),
            length: ByteCount(BYTES),
        };
        let short = host.bus.execute(whole, Transfer::Out(&mut [0; 4])).await;
        assert_eq!(short.outcome, Outcome::Refused);
        assert_eq!(host.outcome(OpKind::Reset, 0, 0, 0).await, Outcome::Done);
        assert_eq!(host.outcome(OpKind::ReadPage, 0, 5, 0).await, Outcome::Done);
    };
    run(&[hangs], firmware).unwrap();
}

/// The die is silent from the middle of a row of reads on; nobody waits for ever, and the other
/// die's data are right.
#[test]
fn a_die_that_dies_in_mid_run_leaves_the_other_alone() {
    let dies = Fault::Dies { at: Picoseconds(21 * MS) };
    let firmware = |host: Host| async move {
        host.reset(2).await;
        for kind in [OpKind::EraseBlock, OpKind::ProgramPage] {
            for die in [0, 1] {
                assert_eq!(host.outcome(kind, die, 5, 0).await, Outcome::Done);
            }
        }
        host.sim.delay_until(Picoseconds(20 * MS)).await;
        let host = Rc::new(host);
        let [dead, other] = reads(&host, 60).await;
        let lived = dead.iter().take_while(|&&outcome| outcome == Outcome::Done).count();
        assert!((1..59).contains(&lived), "{lived} reads before it died");
        assert!(dead[lived..].iter().all(|&outcome| outcome == Outcome::TimedOut));
        assert!(other.iter().all(|&outcome| outcome == Outcome::Done));
        let (_, data) = host.run(OpKind::ReadPage, 1, 5, 0).await;
        assert!(data == pattern(0, data.len()));
        assert_eq!(host.outcome(OpKind::Reset, 0, 0, 0).await, Outcome::TimedOut);
    };
    run(&[dies], firmware).unwrap();
}

/// The rule that a run ends with.
fn breach<F: Future<Output = ()> + 'static>(firmware: impl FnOnce(Host) -> F) -> (Rule, String) {
    let error = run(&[], firmware).expect_err("a breach ends the run");
    let line = error.to_string();
    match error {
        BusError::Protocol(found) => (found.diagnostic.rule, line),
        BusError::Rtl(_) => panic!("{line}"),
    }
}

#[test]
fn a_breach_of_the_protocol_ends_the_run() {
    let (rule, line) = breach(|host| async move {
        host.reset(2).await;
        host.run(OpKind::ProgramPage, 1, 5, 0).await;
    });
    assert_eq!(rule, Rule::R03);
    assert!(line.starts_with("die 1: R03 at ") && line.ends_with("block 5 not erased"), "{line}");
}

/// The controller talks faster than the mode that its die is in.
#[test]
fn a_breach_of_the_timing_ends_the_run() {
    let (rule, line) = breach(|host| async move {
        host.reset(2).await;
        let mode = TimingMode { interface: DataInterface::Sdr, mode: 2 };
        let timing = DieTiming { mode, t_ccs: Picoseconds(500_000), fast_t_cad: false };
        host.bus.set_timing(DieIndex(0), timing).expect("the clock suits the mode");
        host.run(OpKind::ReadPage, 0, 5, 0).await;
    });
    assert_eq!(rule, Rule::T01);
    assert!(line.starts_with("die 0: T01 at ") && line.ends_with("(mode 0)"), "{line}");
}
