//! The controller RTL beside the transaction-level model: the same operations on both, completion
//! by completion.
//!
//! In: the logs of two runs ([`Recorder`]). Out: where outcome, status or data differ, and the
//! latencies of each in clocks ([`compare`]).

use std::cell::RefCell;
use std::rc::Rc;

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::{BusTiming, DieTiming};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::timing::TimingError;
use floatgate_hal::flash::{BusOp, Completion, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{Cycles, Picoseconds};
use floatgate_model::channel::Usage;
use floatgate_model::device::DeviceBus;
use floatgate_model::die::Target;
use floatgate_model::sim::Sim;

/// An operation that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The operation.
    pub op: BusOp,
    /// When it was asked for.
    pub asked: Picoseconds,
    /// When it was answered.
    pub answered: Picoseconds,
    /// The answer.
    pub completion: Completion,
    /// The bytes that came out of the die.
    pub data: Vec<u8>,
}

/// Ended operations, in the order of their answers.
pub type Log = Rc<RefCell<Vec<Entry>>>;

/// A channel that logs its operations.
#[derive(Debug)]
pub struct Recorder<B> {
    bus: B,
    sim: Sim,
    log: Log,
}

impl<B> Recorder<B> {
    /// Logs the operations on `bus`.
    pub fn new(bus: B, sim: &Sim) -> Self {
        Self { bus, sim: sim.clone(), log: Log::default() }
    }

    /// The log so far; it goes on.
    pub fn log(&self) -> Log {
        Rc::clone(&self.log)
    }

    /// The channel.
    pub fn bus(&self) -> &B {
        &self.bus
    }
}

impl<B: FlashBus> FlashBus for Recorder<B> {
    async fn execute(&self, op: BusOp, data: Transfer<'_>) -> Completion {
        let asked = self.sim.now();
        let (completion, data) = match data {
            Transfer::Out(bytes) => {
                let completion = self.bus.execute(op, Transfer::Out(bytes)).await;
                (completion, bytes.to_vec())
            }
            data => (self.bus.execute(op, data).await, Vec::new()),
        };
        let answered = self.sim.now();
        self.log.borrow_mut().push(Entry { op, asked, answered, completion, data });
        completion
    }
}

impl<B: BusTiming> BusTiming for Recorder<B> {
    fn set_timing(&self, die: DieIndex, timing: DieTiming) -> Result<(), TimingError> {
        self.bus.set_timing(die, timing)
    }
}

impl<B: DeviceBus> DeviceBus for Recorder<B> {
    fn usage(&self) -> Usage {
        self.bus.usage()
    }

    fn with_target<R>(&self, die: DieIndex, look: impl FnOnce(&mut Target) -> R) -> R {
        self.bus.with_target(die, look)
    }
}

/// The latencies of an operation, in clocks of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// From the request to the first grant of the bus.
    pub start: Cycles,
    /// From there to the end.
    pub run: Cycles,
    /// From there to the answer.
    pub answer: Cycles,
}

impl Latency {
    /// Of an ended operation; times between clock edges count as the edge after.
    pub fn of(entry: &Entry, clock: Picoseconds) -> Self {
        let clocks =
            |from: Picoseconds, to: Picoseconds| Cycles(to.0.saturating_sub(from.0) / clock.0);
        let Completion { started, finished, .. } = entry.completion;
        let asked = Picoseconds(entry.asked.0.next_multiple_of(clock.0));
        Self {
            start: clocks(asked, started),
            run: clocks(started, finished),
            answer: clocks(finished, entry.answered),
        }
    }

    /// From the request to the answer.
    pub fn whole(&self) -> Cycles {
        Cycles(self.start.0 + self.run.0 + self.answer.0)
    }
}

/// One operation on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The operation.
    pub op: BusOp,
    /// On the RTL.
    pub rtl: Latency,
    /// On the model.
    pub model: Latency,
}

/// How two runs part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// One did more operations on a die than the other.
    #[error("die {}: {rtl} operations on the RTL, {model} on the model", die.0)]
    Count {
        /// The die.
        die: DieIndex,
        /// On the RTL.
        rtl: usize,
        /// On the model.
        model: usize,
    },
    /// Different operations.
    #[error("die {}, operation {index}: {rtl:?} on the RTL, {model:?} on the model", die.0)]
    Operation {
        /// The die.
        die: DieIndex,
        /// Which of its operations.
        index: usize,
        /// On the RTL.
        rtl: OpKind,
        /// On the model.
        model: OpKind,
    },
    /// The same operation with different answers.
    #[error(
        "die {}, operation {index}, {:?}: {:?} with status {:02X}h on the RTL, {:?} with {:02X}h \
         on the model{}",
        op.die.0, op.kind, rtl.0, rtl.1, model.0, model.1,
        if *.same_data { "" } else { ", and other data" }
    )]
    Answer {
        /// Which of the die's operations.
        index: usize,
        /// The operation.
        op: BusOp,
        /// Outcome and status on the RTL.
        rtl: (Outcome, u8),
        /// On the model.
        model: (Outcome, u8),
        /// Whether the data are the same.
        same_data: bool,
    },
}

/// Compares two runs die by die, in the order of each die's operations.
///
/// # Errors
/// The first difference in operation, outcome, status or data.
pub fn compare(
    rtl: &[Entry],
    model: &[Entry],
    clock: Picoseconds,
) -> Result<Vec<Pair>, Difference> {
    let dies = rtl.iter().chain(model).map(|entry| entry.op.die).max().map_or(0, |die| die.0 + 1);
    let mut pairs = Vec::new();
    for die in (0..dies).map(DieIndex) {
        let of_die = |log: &[Entry]| -> Vec<Entry> {
            log.iter().filter(|entry| entry.op.die == die).cloned().collect()
        };
        let (rtl, model) = (of_die(rtl), of_die(model));
        for (index, (ours, theirs)) in rtl.iter().zip(&model).enumerate() {
            pairs.push(compare_one(index, ours, theirs, clock)?);
        }
        if rtl.len() != model.len() {
            return Err(Difference::Count { die, rtl: rtl.len(), model: model.len() });
        }
    }
    Ok(pairs)
}

fn compare_one(
    index: usize,
    rtl: &Entry,
    model: &Entry,
    clock: Picoseconds,
) -> Result<Pair, Difference> {
    let op = rtl.op;
    if op != model.op {
        let (rtl, model) = (op.kind, model.op.kind);
        return Err(Difference::Operation { die: op.die, index, rtl, model });
    }
    let answer = |entry: &Entry| (entry.completion.outcome, entry.completion.status);
    let has_data = answer(rtl).0 == Outcome::Done;
    let same_data = !has_data || rtl.data == model.data;
    if answer(rtl) != answer(model) || !same_data {
        let (rtl, model) = (answer(rtl), answer(model));
        return Err(Difference::Answer { index, op, rtl, model, same_data });
    }
    Ok(Pair { op, rtl: Latency::of(rtl, clock), model: Latency::of(model, clock) })
}
