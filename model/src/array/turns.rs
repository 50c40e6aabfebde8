//! Turns of a die: which of the waiting operations it takes next, alone or several planes together.
//!
//! Enters: operations, in the order in which they are asked for. Leaves: turns. The process of a
//! turn's first operation leads it: it carries out all of them (`carry_out.rs`), and those of the
//! others are told when theirs has ended.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use floatgate_hal::array::{BlockId, Extent, Origin, Ppa, Slot};
use floatgate_hal::units::Picoseconds;

use super::features::PlanesTogether;
use crate::sim::{Arbiter, Event, Grant, Policy, Sim};

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Program,
    Erase,
}

impl Kind {
    pub(super) const COUNT: usize = 3;
}

/// An operation of a die.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) kind: Kind,
    pub(super) block: BlockId,
    /// The block's first page, where all of it is erased.
    pub(super) page: Ppa,
    pub(super) page_in_block: u32,
    pub(super) plane: u32,
    /// What crosses the bus.
    pub(super) part: Extent,
    /// Where its data come from, or go to.
    pub(super) slot: Slot,
    pub(super) origin: Origin,
    /// When it was asked for, where it can wait for a turn.
    pub(super) asked: Picoseconds,
}

impl Operation {
    fn is_host_read(&self) -> bool {
        self.kind == Kind::Read && self.origin == Origin::Host
    }
}

/// An operation that waits, or is carried out; kept for another one when it has ended.
pub(super) struct Job {
    operation: Cell<Operation>,
    state: Cell<JobState>,
    /// When its turn began.
    begun: Cell<Moment>,
    /// The turn that it leads.
    turn: RefCell<Option<Turn>>,
    woken: Event,
}

/// A time, and for how long the die had collected by then.
#[derive(Clone, Copy, Default)]
pub(super) struct Moment {
    pub(super) now: Picoseconds,
    pub(super) collected: Picoseconds,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JobState {
    Waits,
    Leads,
    HasEnded,
}

impl Job {
    pub(super) fn new(sim: &Sim, operation: Operation) -> Rc<Self> {
        Rc::new(Self {
            operation: Cell::new(operation),
            state: Cell::new(JobState::Waits),
            begun: Cell::default(),
            turn: RefCell::default(),
            woken: sim.event("a turn of a die"),
        })
    }

    pub(super) fn renew(&self, operation: Operation) {
        self.operation.set(operation);
        self.state.set(JobState::Waits);
    }

    pub(super) fn operation(&self) -> Operation {
        self.operation.get()
    }

    /// When its turn began.
    pub(super) fn begun(&self) -> Moment {
        self.begun.get()
    }

    /// Waits until the operation has ended, or leads a turn: then it tells which.
    pub(super) async fn turn(&self) -> Option<Turn> {
        self.woken.wait_until(|| self.state.get() != JobState::Waits).await;
        self.turn.take()
    }

    /// The operation has ended.
    pub(super) fn end(&self) {
        self.state.set(JobState::HasEnded);
        self.woken.notify();
    }
}

/// How far a turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing has crossed the bus.
    Fresh,
    /// The commands of its reads have.
    Issued,
    /// The data of its reads, or of the rest of them, are in the registers.
    Loaded,
}

/// What a die does at a time.
pub(super) struct Turn {
    /// The operation of the process that leads it.
    first: Operation,
    /// Those of other planes.
    others: Vec<Rc<Job>>,
    pub(super) stage: Stage,
    pub(super) is_collection: bool,
    /// The registers of a cache read.
    pub(super) registers: Option<Grant>,
    /// Whether the next turn has begun.
    pub(super) has_next: bool,
    /// Its number and when it began, where the channel's engine has it.
    pub(super) on_engine: Option<(u64, Picoseconds)>,
}

impl Turn {
    fn of(first: Operation) -> Self {
        Self {
            first,
            others: Vec::new(),
            stage: Stage::Fresh,
            is_collection: first.origin.is_collection(),
            registers: None,
            has_next: false,
            on_engine: None,
        }
    }

    pub(super) fn first(&self) -> Operation {
        self.first
    }

    /// All operations, the leader's first.
    pub(super) fn operations(&self) -> impl Iterator<Item = Operation> {
        std::iter::once(self.first).chain(self.others.iter().map(|job| job.operation()))
    }

    /// The operations of others have ended with the leader's.
    pub(super) fn end_others(&self) {
        self.others.iter().for_each(|job| job.end());
    }

    /// What is left of it without the leader's operation, or that turn itself where nothing is.
    pub(super) fn without_first(mut self) -> Result<NextTurn, Self> {
        if self.others.is_empty() {
            return Err(self);
        }
        let leader = self.others.remove(0);
        self.first = leader.operation();
        Ok(NextTurn { leader, turn: self })
    }

    /// Whether an operation can be part of it.
    fn takes(&self, other: &Operation, together: PlanesTogether) -> bool {
        let fits = match together {
            PlanesTogether::Off => false,
            PlanesTogether::SamePage => other.page_in_block == self.first.page_in_block,
            PlanesTogether::Any => true,
        };
        fits && other.kind == self.first.kind
            && self.operations().all(|member| member.plane != other.plane)
    }
}

/// A turn, and the process that is to lead it.
pub(super) struct NextTurn {
    leader: Rc<Job>,
    pub(super) turn: Turn,
}

impl NextTurn {
    pub(super) fn start(self) {
        self.leader.state.set(JobState::Leads);
        *self.leader.turn.borrow_mut() = Some(self.turn);
        self.leader.woken.notify();
    }
}

/// What a die takes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accepts {
    /// Whatever is first: it is idle.
    Anything,
    /// Only more of what it does: a cache operation.
    Only(Kind),
    /// A turn has the registers.
    Nothing,
}

/// An operation in the queue of a die.
struct Waiter {
    /// The smaller, the sooner.
    rank: u32,
    job: Rc<Job>,
}

/// A die and what waits for it.
pub(super) struct Die {
    pub(super) index: u32,
    /// Whose turn it is, where it does one operation after the other.
    pub(super) turn: Arbiter,
    waiting: RefCell<VecDeque<Waiter>>,
    pub(super) accepts: Cell<Accepts>,
    /// The array, which cache programs wait for with their data in the registers.
    pub(super) array: Arbiter,
    /// The registers of data that go out, which cache reads wait for with theirs in the array.
    pub(super) registers: Arbiter,
    /// How many reads of the host are still to be done before the array works on.
    suspended: Cell<Option<u32>>,
    pub(super) read_came: Event,
    pub(super) reads_ended: Event,
}

impl Die {
    pub(super) fn new(sim: &Sim, index: u32) -> Self {
        let arbiter = |of: &str| sim.arbiter(format!("{of} of die {index}"), Policy::FirstCome, 1);
        Self {
            index,
            turn: sim.arbiter(format!("die {index}"), Policy::Priority, 1),
            waiting: RefCell::default(),
            accepts: Cell::new(Accepts::Anything),
            array: arbiter("array"),
            registers: arbiter("registers"),
            suspended: Cell::default(),
            read_came: sim.event("a read of the host"),
            reads_ended: sim.event("the end of reads that an operation made way for"),
        }
    }

    /// Takes an operation at once if the die is idle.
    pub(super) fn take(&self, operation: Operation) -> Option<Turn> {
        let is_idle = self.accepts.get() == Accepts::Anything;
        is_idle.then(|| {
            self.accepts.set(Accepts::Nothing);
            Turn::of(operation)
        })
    }

    /// An operation joins the queue.
    pub(super) fn enter(&self, rank: u32, job: Rc<Job>) {
        let is_host_read = job.operation().is_host_read();
        self.waiting.borrow_mut().push_back(Waiter { rank, job });
        if is_host_read {
            self.read_came.notify();
        }
    }

    /// Whether a read of the host waits.
    pub(super) fn has_host_read(&self) -> bool {
        self.host_reads() > 0
    }

    fn host_reads(&self) -> u32 {
        let waiting = self.waiting.borrow();
        waiting.iter().filter(|waiter| waiter.job.operation().is_host_read()).count() as u32
    }

    /// The work of the array is suspended for the reads of the host that wait.
    pub(super) fn suspend(&self) {
        self.suspended.set(Some(self.host_reads()));
    }

    pub(super) fn is_suspended(&self) -> bool {
        self.suspended.get().is_some()
    }

    /// All reads are done that the array made way for.
    pub(super) fn resume(&self) {
        self.accepts.set(Accepts::Nothing);
        self.suspended.set(None);
        self.reads_ended.notify();
    }

    /// Takes the next turn out of the queue, if the die can take it now.
    pub(super) fn next_turn(&self, together: PlanesTogether, now: Moment) -> Option<NextTurn> {
        let waiting = &mut *self.waiting.borrow_mut();
        let accepts = self.accepts.get();
        if accepts == Accepts::Nothing {
            return None;
        }
        let ranked = waiting.iter().enumerate().min_by_key(|(_, waiter)| waiter.rank);
        let at = ranked.map(|(at, _)| at)?;
        let first = waiting[at].job.operation();
        if matches!(accepts, Accepts::Only(only) if only != first.kind) {
            return None;
        }
        let suspended = self.suspended.get();
        if suspended.is_some_and(|left| left == 0 || !first.is_host_read()) {
            return None;
        }
        self.accepts.set(Accepts::Nothing);
        let leader = waiting.remove(at)?.job;
        let mut turn = Turn::of(first);
        if together != PlanesTogether::Off {
            gather(waiting, &mut turn, together);
        }
        let reads = turn.operations().filter(Operation::is_host_read).count() as u32;
        self.suspended.set(suspended.map(|left| left.saturating_sub(reads)));
        leader.begun.set(now);
        turn.others.iter().for_each(|other| other.begun.set(now));
        Some(NextTurn { leader, turn })
    }
}

/// Moves operations into a turn as they can be part of it. None overtakes another one of its block,
/// whose pages are programmed in order.
fn gather(waiting: &mut VecDeque<Waiter>, turn: &mut Turn, together: PlanesTogether) {
    let mut at = 0;
    while at < waiting.len() {
        let operation = waiting[at].job.operation();
        let is_first = || {
            let is_same = |waiter: &Waiter| waiter.job.operation().block == operation.block;
            operation.kind == Kind::Read || !waiting.range(..at).any(is_same)
        };
        if turn.takes(&operation, together) && is_first() {
            turn.others.extend(waiting.remove(at).map(|waiter| waiter.job));
        } else {
            at += 1;
        }
    }
}
