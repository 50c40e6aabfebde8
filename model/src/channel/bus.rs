//! The controller of a channel and its dies.
//!
//! An operation is one or two visits of the bus, with the busy time of its die between; operations
//! on one die run in the order in which they are asked for, and while a die is busy others have the
//! bus, in turn. FFh and FCh do not wait: what was asked of their die before ends as timed out. A
//! die that stayed busy beyond its time-out is stuck: until a reset of it has ended, all but resets
//! and status reads of it time out at once (`rtl/onfi_slot.sv`).
//!
//! Everything happens at edges of the controller's clock, counted as the RTL counts them.

use std::cell::{Cell, Ref, RefCell, RefMut};

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::{BusTiming, DieTiming};
use floatgate_hal::flash::op::{BusyPhase, DataPhase, OpKind};
use floatgate_hal::flash::timing::{TimeLimit, TimingError, registers};
use floatgate_hal::flash::{BusOp, Completion, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{Cycles, Picoseconds};

use super::operation::{self, READ_STATUS};
use super::phases::{Action, Visit, Wait};
use super::registers::Gaps;
use super::usage::Usage;
use crate::die::{Cycle, Interface, Target};
use crate::sim::{Arbiter, Event, Policy, Sim};

/// From the grant of the bus to the clock at whose end CE# falls: the operation is fetched.
pub(super) const SELECT_CLOCKS: u64 = 2;
/// From the clock at whose end CE# rises to the next grant.
pub(super) const REGRANT_CLOCKS: u64 = 1;
/// From that clock, beside tWB, until R/B# is looked at.
const SETTLE_CLOCKS: u64 = 5;
/// Registers of R/B#, as clocks from the edge that takes it in to the one at which it is seen.
pub(super) const SYNCHRONISER_CLOCKS: u64 = 1;
/// From the sight of R/B# to the request for the bus.
pub(super) const RETURN_CLOCKS: u64 = 1;
/// From the end of an operation that made way for a reset until the next one has its place.
const MAKE_WAY_CLOCKS: u64 = 2;

/// The shortest clock for which the registers hold SDR mode 0 after a reset.
const SAFE_CLOCK: Picoseconds = Picoseconds(5_000);

/// What the controller is built and set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controller {
    /// Its clock.
    pub clock_period: Picoseconds,
    /// What the RTL was measured to take.
    pub clocks: ControllerClocks,
}

/// What the controller takes beside its visits of the bus
/// ([`Calibration`](crate::calibration::Calibration)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControllerClocks {
    /// From an operation that is asked for to its first request for the bus.
    pub accept: Cycles,
    /// From the end of an operation to the completion that firmware sees.
    pub complete: Cycles,
    /// Time-outs in units of 1024 clocks, in the order of [`TimeLimit::ALL`].
    pub time_limits: [u16; 5],
}

/// A channel of the transaction-level models.
pub struct TransactionBus {
    sim: Sim,
    controller: Controller,
    bus: Arbiter,
    /// When CE# rose last.
    released: Cell<Picoseconds>,
    /// Whether the pins were those of NV-DDR last.
    is_ddr: Cell<bool>,
    /// From when the host may drive again, after a die did.
    turned: Cell<Picoseconds>,
    slots: Vec<Slot>,
    usage: Cell<Usage>,
}

/// One die.
struct Slot {
    target: RefCell<Target>,
    gaps: Cell<Gaps>,
    turn: Arbiter,
    is_stuck: Cell<bool>,
    /// Resets that are asked for and wait for what is in front of them to make way.
    resets: Cell<u32>,
    has_reset: Event,
}

/// How the wait for a die ended.
enum Waited {
    Ready,
    /// The die was never busy though only that can be seen of it, or is for too long.
    TimedOut,
    /// A reset of it was asked for.
    Overtaken,
}

/// What a visit of the bus brought.
struct Visited {
    /// When the bus was granted.
    granted: Picoseconds,
    /// The clock at whose end CE# rose.
    left: Picoseconds,
    /// Status, where it was read.
    status: u8,
    /// Whether the die drove all of the bytes that were asked of it.
    was_driven: bool,
}

/// How an operation ended, and when it began and did.
struct Ending {
    outcome: Outcome,
    status: u8,
    started: Picoseconds,
    finished: Picoseconds,
}

impl TransactionBus {
    /// A channel with dies at the chip enables 0, 1 and on.
    ///
    /// # Panics
    /// Where the clock is too fast for the registers to hold the times of SDR mode 0.
    pub fn new(sim: &Sim, controller: Controller, targets: Vec<Target>) -> Self {
        let safe = safe_gaps(controller.clock_period);
        let slot = |(index, target)| Slot {
            target: RefCell::new(target),
            gaps: Cell::new(safe),
            turn: sim.arbiter(format!("die {index}"), Policy::FirstCome, 1),
            is_stuck: Cell::default(),
            resets: Cell::default(),
            has_reset: sim.event("reset of a die"),
        };
        Self {
            sim: sim.clone(),
            controller,
            bus: sim.arbiter("flash bus", Policy::Priority, 1),
            released: Cell::default(),
            is_ddr: Cell::default(),
            turned: Cell::default(),
            slots: targets.into_iter().enumerate().map(slot).collect(),
            usage: Cell::default(),
        }
    }

    /// The number of dies.
    pub fn dies(&self) -> usize {
        self.slots.len()
    }

    /// A die's target, for reports.
    ///
    /// # Panics
    /// Where there is no such die.
    pub fn target(&self, die: DieIndex) -> Ref<'_, Target> {
        self.slots[usize::from(die.0)].target.borrow()
    }

    /// A die's target, for ageing it between operations.
    ///
    /// # Panics
    /// Where there is no such die.
    pub fn target_mut(&self, die: DieIndex) -> RefMut<'_, Target> {
        self.slots[usize::from(die.0)].target.borrow_mut()
    }

    /// The dies, as the end of a run leaves them.
    pub fn into_targets(self) -> Vec<Target> {
        self.slots.into_iter().map(|slot| slot.target.into_inner()).collect()
    }

    /// What the time has gone into so far.
    pub fn usage(&self) -> Usage {
        self.usage.get()
    }

    /// So many clocks after a time.
    fn after(&self, time: Picoseconds, clocks: u64) -> Picoseconds {
        Picoseconds(time.0 + clocks * self.controller.clock_period.0)
    }

    /// The clock edge at or after a time.
    fn edge(&self, time: Picoseconds) -> Picoseconds {
        Picoseconds(time.0.next_multiple_of(self.controller.clock_period.0))
    }

    /// Whole clocks up to a time that has come or not.
    fn clocks_until(&self, time: Picoseconds) -> u64 {
        let left = time.0.saturating_sub(self.sim.now().0);
        left.div_ceil(self.controller.clock_period.0)
    }

    fn count(&self, update: impl FnOnce(&mut Usage)) {
        let mut usage = self.usage.get();
        update(&mut usage);
        self.usage.set(usage);
    }

    async fn run(&self, slot: &Slot, op: BusOp, mut data: Transfer<'_>) -> Ending {
        let asked = self.sim.now();
        let overtakes = op.kind.overtakes();
        if overtakes {
            slot.resets.set(slot.resets.get() + 1);
            slot.has_reset.notify();
        }
        let _turn = slot.turn.acquire(0).await;
        self.count(|usage| usage.waiting.0 += self.sim.now().0 - asked.0);
        if overtakes {
            slot.resets.set(slot.resets.get() - 1);
        }
        if slot.resets.get() > 0 {
            let now = self.edge(self.sim.now());
            return self.make_way(now, now).await;
        }
        let accepted = self.edge(self.sim.now());
        self.sim.delay_until(self.after(accepted, self.controller.clocks.accept.0)).await;
        if slot.is_stuck.get() && !operation::is_rescue(op.kind) {
            let now = self.sim.now();
            return Ending { outcome: Outcome::TimedOut, status: 0, started: now, finished: now };
        }
        let form = op.kind.form();
        let issue = self
            .visit(slot, op, &mut data, operation::issue_is_brief(op.kind), |visit| {
                operation::issue(visit, &op)
            })
            .await;
        let (started, status) = (issue.granted, issue.status);
        if form.busy == BusyPhase::None {
            let outcome = if issue.was_driven { Outcome::Done } else { Outcome::TimedOut };
            return Ending { outcome, status, started, finished: self.after(issue.left, 1) };
        }
        if op.kind == OpKind::Reset {
            slot.gaps.set(safe_gaps(self.controller.clock_period));
        }
        let timed_out =
            |finished| Ending { outcome: Outcome::TimedOut, status: 0, started, finished };
        match self.wait_ready(slot, op.kind, issue.left).await {
            Waited::Ready => {}
            Waited::TimedOut => return timed_out(self.sim.now()),
            Waited::Overtaken => return self.make_way(started, self.sim.now()).await,
        }
        if operation::is_reset(op.kind) {
            slot.is_stuck.set(false);
        }
        let has_more = form.data == DataPhase::OutAfterBusy;
        if form.busy == BusyPhase::Wait && !has_more {
            let finished = self.sim.now();
            return Ending { outcome: Outcome::Done, status: 0, started, finished };
        }
        self.sim.delay_until(self.after(self.sim.now(), RETURN_CLOCKS)).await;
        let finish =
            self.visit(slot, op, &mut data, !has_more, |visit| lay_finish(visit, &op)).await;
        let outcome = operation::outcome(op.kind, finish.status, finish.was_driven);
        Ending { outcome, status: finish.status, started, finished: self.after(finish.left, 1) }
    }

    /// An operation ends at `finished` because a reset of its die was asked for.
    async fn make_way(&self, started: Picoseconds, finished: Picoseconds) -> Ending {
        self.sim.delay_until(self.after(finished, MAKE_WAY_CLOCKS)).await;
        Ending { outcome: Outcome::TimedOut, status: 0, started, finished }
    }

    /// One visit of the bus, laid out by `lay`; brief ones go before bursts of data. The die sees
    /// its cycles when it is over, at the times at which they were: no one else looks at the die
    /// meanwhile.
    async fn visit(
        &self,
        slot: &Slot,
        op: BusOp,
        data: &mut Transfer<'_>,
        is_brief: bool,
        lay: impl FnOnce(&mut Visit<'_>),
    ) -> Visited {
        let asked = self.sim.now();
        let grant = self.bus.acquire(u32::from(!is_brief)).await;
        let granted = self.sim.now();
        self.count(|usage| usage.waiting.0 += granted.0 - asked.0);
        let gaps = slot.gaps.get();
        let free = self.after(self.released.get(), gaps.ceh);
        let mut select_clocks = SELECT_CLOCKS.max(self.clocks_until(free));
        if self.is_ddr.replace(gaps.half != 0) != (gaps.half != 0) {
            // The pins change their kind, and CE# is high for tCEH after that.
            select_clocks += gaps.ceh;
        }
        let selected = self.after(granted, select_clocks);
        let turn = self.clocks_until(self.turned.get()).saturating_sub(select_clocks);
        let mut visit = Visit::select(&gaps, self.controller.clock_period, turn);
        lay(&mut visit);
        let released = self.after(selected, visit.release());
        let left = self.after(selected, visit.leave() - 1);
        self.sim.delay_until(self.after(left, REGRANT_CLOCKS)).await;
        let (status, was_driven) = self.act(slot, &visit, selected, op.kind, data);
        self.released.set(released);
        self.turned.set(self.after(selected, visit.turn()));
        self.count(|usage| {
            usage.bus_held.0 += left.0 - granted.0;
            usage.transfer.0 += visit.burst_clocks * self.controller.clock_period.0;
        });
        drop(grant);
        Visited { granted, left, status, was_driven }
    }

    /// Shows the die what went over the bus; returns the status, and whether it drove its data.
    fn act(
        &self,
        slot: &Slot,
        visit: &Visit<'_>,
        selected: Picoseconds,
        kind: OpKind,
        data: &mut Transfer<'_>,
    ) -> (u8, bool) {
        let mut target = slot.target.borrow_mut();
        let (mut status, mut was_driven) = (0, true);
        // Pins change at the end of a clock.
        let low = self.after(selected, 1);
        target.seen_on(low, if visit.is_ddr() { Interface::NvDdr } else { Interface::Sdr });
        for &(clock, action) in &visit.actions {
            let at = self.after(low, clock);
            match (action, &mut *data) {
                (Action::Latch(cycle), _) => target.cycle(at, cycle),
                (Action::DataIn, Transfer::In(bytes)) => target.data_in(at, bytes),
                (Action::DataOut, Transfer::Out(bytes)) => {
                    was_driven = take(&mut target, at, bytes);
                    if operation::is_status(kind) {
                        status = bytes[bytes.len() - 1];
                    }
                }
                (Action::Status, _) => {
                    let mut byte = [0];
                    was_driven = take(&mut target, at, &mut byte);
                    [status] = byte;
                }
                (action, data) => unreachable!("{action:?} with {data:?} was refused"),
            }
        }
        // In SDR nobody sees whether a die drives: an idle bus reads as ones.
        (status, was_driven || !visit.is_ddr())
    }

    /// Waits for the end of the busy time that began with CE# high at the end of the clock `left`.
    async fn wait_ready(&self, slot: &Slot, kind: OpKind, left: Picoseconds) -> Waited {
        let limit = self.controller.clocks.time_limits[TimeLimit::of(kind) as usize];
        let deadline = self.after(left, 1024 * u64::from(limit));
        let looked = self.after(left, slot.gaps.get().wb + SETTLE_CLOCKS);
        let (fell, rose) = busy_time(&slot.target.borrow(), left, looked);
        let seen = rose.map(|rose| self.after(self.edge(rose), SYNCHRONISER_CLOCKS).max(looked));
        let end = seen.unwrap_or(deadline).min(deadline);
        if self.is_overtaken(slot, end).await {
            let noticed = self.after(self.edge(self.sim.now()), 1).max(looked);
            self.sim.delay_until(noticed).await;
            return Waited::Overtaken;
        }
        self.sim.delay_until(end).await;
        if seen.is_none_or(|seen| seen > deadline) {
            slot.is_stuck.set(true);
            return Waited::TimedOut;
        }
        self.count(|usage| usage.array.0 += end.0 - left.0);
        if fell || kind.form().busy == BusyPhase::WaitThenStatus {
            Waited::Ready
        } else {
            Waited::TimedOut
        }
    }

    /// Waits until a time; whether a reset of the die is asked for before it, and when that is.
    async fn is_overtaken(&self, slot: &Slot, end: Picoseconds) -> bool {
        let span = Picoseconds(end.0.saturating_sub(self.sim.now().0));
        let reset = slot.has_reset.wait_until(|| slot.resets.get() > 0);
        self.sim.timeout(span, reset).await.is_ok()
    }
}

impl std::fmt::Debug for TransactionBus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TransactionBus")
            .field("controller", &self.controller)
            .field("dies", &self.slots.len())
            .finish_non_exhaustive()
    }
}

impl FlashBus for TransactionBus {
    async fn execute(&self, op: BusOp, data: Transfer<'_>) -> Completion {
        let Some(slot) =
            self.slots.get(usize::from(op.die.0)).filter(|_| operation::fits(&op, &data))
        else {
            let now = self.sim.now();
            let outcome = Outcome::Refused;
            return Completion { outcome, status: 0, started: now, finished: now };
        };
        let Ending { outcome, status, started, finished } = self.run(slot, op, data).await;
        self.sim.delay_until(self.after(finished, self.controller.clocks.complete.0)).await;
        self.count(|usage| usage.operations += 1);
        Completion { outcome, status, started, finished }
    }
}

impl BusTiming for TransactionBus {
    fn set_timing(&self, die: DieIndex, timing: DieTiming) -> Result<(), TimingError> {
        let gaps = registers(&timing, self.controller.clock_period)?.into();
        if let Some(slot) = self.slots.get(usize::from(die.0)) {
            slot.gaps.set(gaps);
        }
        Ok(())
    }
}

/// The gaps with which the controller comes out of reset: SDR mode 0 at its fastest clock, or at a
/// faster one.
fn safe_gaps(clock: Picoseconds) -> Gaps {
    let timing = registers(&DieTiming::default(), clock.min(SAFE_CLOCK));
    timing.expect("the clock allows SDR mode 0").into()
}

/// The visit after the busy time: status, or data out.
pub(super) fn lay_finish(visit: &mut Visit<'_>, op: &BusOp) {
    if op.kind.form().busy == BusyPhase::WaitThenStatus {
        visit.latch(Cycle::Command(READ_STATUS));
        visit.data_out(if visit.is_ddr() { 2 } else { 1 }, Wait::Whr, Action::Status);
    } else {
        visit.data_out(operation::crossing(op, visit), Wait::Select, Action::DataOut);
    }
}

/// Whether R/B# falls between two times, and when it has risen again, if ever.
fn busy_time(
    target: &Target,
    from: Picoseconds,
    until: Picoseconds,
) -> (bool, Option<Picoseconds>) {
    if !target.is_ready(from) {
        return (true, target.next_change(from));
    }
    match target.next_change(from).filter(|&falls| falls <= until) {
        Some(falls) => (true, target.next_change(falls)),
        None => (false, Some(from)),
    }
}

/// What is read where no die drives the bus.
const UNDRIVEN: u8 = 0xFF;

/// Takes bytes from a die, which answers each once however often it crosses the bus; false where it
/// does not drive all.
fn take(target: &mut Target, at: Picoseconds, bytes: &mut [u8]) -> bool {
    bytes.fill(UNDRIVEN);
    target.data_out(at, bytes) == bytes.len()
}
