//! The controller RTL as firmware's channel: operations awaited in simulated time.
//!
//! In: operations of the HAL, several at a time. Out: their completions, each at the simulated time
//! of the clock edge at which the RTL gives it. An island process clocks the RTL while it has work
//! ([`RtlBus`]): it lies one clock behind the simulation, so that all that was asked for up to an
//! edge is known when that edge is simulated, whatever the order of processes. While nothing
//! happens that the clock has to see, the island sleeps; on waking, the RTL skips to the clock edge
//! at or after the present time, so that edges stay at multiples of the period.

use std::cell::{Cell, Ref, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::{BusTiming, DieTiming};
use floatgate_hal::flash::timing::{TimingError, registers};
use floatgate_hal::flash::{BusOp, Completion, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{Cycles, Picoseconds};
use floatgate_model::channel::{Usage, transfer_fits};
use floatgate_model::die::{Severity, Target};
use floatgate_model::pins::{BusDiagnostic, Channel, PinOptions, Transaction, TransactionKind};
use floatgate_model::sim::{Event, Sim};
use verilated::Trace;

use super::config::Config;
use super::controller::RtlController;
use super::flight::{Finished, Ticket};
use super::metered::{Metered, Use};
use crate::guard::Guard;
use crate::wave::{TimeMap, Transcript};

/// What ends a run.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// A failing assertion of the RTL.
    #[error(transparent)]
    Rtl(#[from] verilated::Error),
    /// A breach of the protocol or of its timing.
    #[error("{}{}", where_of(.0), .0.diagnostic)]
    Protocol(Box<BusDiagnostic>),
}

fn where_of(found: &BusDiagnostic) -> String {
    found.target.map(|die| format!("die {}: ", die.0)).unwrap_or_default()
}

/// A channel whose controller is RTL, with dies at its pins. Clones are the same channel.
#[derive(Clone)]
pub struct RtlBus {
    island: Rc<Island>,
}

type Controller = RtlController<Metered>;

/// What firmware asks for.
enum Request {
    Execute(u64, BusOp, Vec<u8>),
    Follow(DieIndex, DieTiming),
}

struct Island {
    sim: Sim,
    clock: Picoseconds,
    /// Chip enables, and dies at them.
    dies: usize,
    present: usize,
    controller: RefCell<Controller>,
    /// What the RTL does not know yet, with the time at which it was asked for.
    asked: RefCell<VecDeque<(Picoseconds, Request)>>,
    has_asked: Event,
    /// Registers to write before anything else that was asked for, one a clock.
    writes: RefCell<VecDeque<(u16, u16)>>,
    /// Operations that the RTL has, by ticket.
    flights: RefCell<BTreeMap<Ticket, Flight>>,
    ended: RefCell<BTreeMap<u64, Finished>>,
    has_ended: Event,
    next_number: RefCell<u64>,
    guard: Guard<BusError>,
    warnings: RefCell<Vec<BusDiagnostic>>,
    /// Of an operation from its request to its end, and of bursts of data.
    spent: Cell<Spent>,
    /// What went over the bus, where it is kept.
    transactions: RefCell<Option<Vec<(DieIndex, Transaction)>>>,
}

/// An operation that the RTL has.
struct Flight {
    number: u64,
    die: DieIndex,
    asked: Picoseconds,
}

/// Sums over operations.
#[derive(Clone, Copy, Default)]
struct Spent {
    operations: u64,
    in_all_ps: u64,
    transfer_ps: u64,
}

impl RtlBus {
    /// A channel with dies at the chip enables 0, 1 and on; its island is a process of `sim`.
    ///
    /// # Errors
    /// Where the model is not linked in, or the RTL fails an assertion.
    pub fn new(
        sim: &Sim,
        config: &Config,
        dies: impl IntoIterator<Item = (Target, PinOptions)>,
    ) -> Result<Self, verilated::Error> {
        let dies: Vec<_> = dies.into_iter().collect();
        let present = dies.len();
        let mut channel = Channel::new(dies);
        channel.watch();
        let controller = RtlController::new(config, Metered::new(channel, present as u8))?;
        let island = Rc::new(Island {
            sim: sim.clone(),
            clock: config.clock,
            dies: config.dies,
            present,
            controller: RefCell::new(controller),
            asked: RefCell::default(),
            has_asked: sim.event("flash operations"),
            writes: RefCell::default(),
            flights: RefCell::default(),
            ended: RefCell::default(),
            has_ended: sim.event("flash completions"),
            next_number: RefCell::default(),
            guard: Guard::new(sim, "failure of the flash channel"),
            warnings: RefCell::default(),
            spent: Cell::default(),
            transactions: RefCell::default(),
        });
        let process = Rc::clone(&island);
        sim.spawn_server("flash controller RTL", async move {
            if let Err(error) = process.run().await {
                process.guard.fail(error);
            }
        });
        Ok(Self { island })
    }

    /// The number of dies.
    pub fn dies(&self) -> usize {
        self.island.dies
    }

    /// The controller, for traces and counts of clocks.
    pub fn with_controller<R>(&self, look: impl FnOnce(&mut Controller) -> R) -> R {
        look(&mut self.island.controller.borrow_mut())
    }

    /// A die, for reports and for ageing it between operations.
    ///
    /// # Panics
    /// Where there is no such die.
    pub fn with_target<R>(&self, die: DieIndex, look: impl FnOnce(&mut Target) -> R) -> R {
        self.with_controller(|controller| {
            look(controller.wires().channel.target_mut(die).behind_mut())
        })
    }

    /// Clocks that were simulated.
    pub fn clocks(&self) -> Cycles {
        self.island.controller.borrow().clocks()
    }

    /// What the time has gone into so far, as the pins show it.
    pub fn usage(&self) -> Usage {
        let Spent { operations, in_all_ps, transfer_ps } = self.island.spent.get();
        let (bus_held, array) = self.with_controller(|controller| {
            let wires = controller.wires();
            (wires.selected(), wires.busy())
        });
        let waiting = Picoseconds(in_all_ps.saturating_sub(bus_held.0 + array.0));
        Usage { operations, bus_held, transfer: Picoseconds(transfer_ps), array, waiting }
    }

    /// What the time of a die has gone into so far, as the pins show it.
    pub fn use_of(&self, die: DieIndex) -> Use {
        self.with_controller(|controller| controller.wires().use_of(die))
    }

    /// Traces the RTL's signals and keeps what happens on the channel, from now on.
    ///
    /// # Errors
    /// The trace's file cannot be written.
    pub fn start_trace(&self, trace: &Trace) -> Result<(), verilated::Error> {
        self.with_controller(|controller| {
            controller.start_trace(trace)?;
            controller.wires().keep_states();
            Ok(())
        })?;
        self.island.transactions.borrow_mut().get_or_insert_default();
        Ok(())
    }

    /// Whether there is a trace that has not ended.
    pub fn is_traced(&self) -> bool {
        self.island.transactions.borrow().is_some()
    }

    /// Ends the trace: when its clocks were, and what has happened on the channel.
    ///
    /// # Errors
    /// The trace's file cannot be written.
    pub fn end_trace(&self) -> Result<(TimeMap, Transcript), verilated::Error> {
        // Those of operations under way are there too.
        (0..self.island.present as u8).map(DieIndex).for_each(|die| self.island.drain(die));
        let transactions = self.island.transactions.take().unwrap_or_default();
        self.with_controller(|controller| {
            let states = controller.wires().take_states();
            let transcript = Transcript { transactions, states, operations: Vec::new() };
            Ok((controller.end_trace()?, transcript))
        })
    }

    /// What the dies found that is no error.
    pub fn warnings(&self) -> Ref<'_, Vec<BusDiagnostic>> {
        self.island.warnings.borrow()
    }

    /// Runs a future on this channel to its end, or to the channel's failure.
    ///
    /// # Errors
    /// The RTL has failed an assertion, or the protocol was broken.
    pub async fn guard<T>(&self, work: impl Future<Output = T>) -> Result<T, BusError> {
        let value = self.island.guard.run(work).await?;
        self.island.check()?;
        Ok(value)
    }
}

impl std::fmt::Debug for RtlBus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RtlBus").field("dies", &self.island.dies).finish_non_exhaustive()
    }
}

impl FlashBus for RtlBus {
    async fn execute(&self, op: BusOp, data: Transfer<'_>) -> Completion {
        let island = &*self.island;
        if !transfer_fits(&op, &data) {
            let (now, outcome) = (island.sim.now(), Outcome::Refused);
            return Completion { outcome, status: 0, started: now, finished: now };
        }
        let number = island.next_number.replace_with(|number| *number + 1);
        let bytes = if let Transfer::In(bytes) = &data { bytes.to_vec() } else { Vec::new() };
        island.ask(Request::Execute(number, op, bytes));
        island.has_ended.wait_until(|| island.ended.borrow().contains_key(&number)).await;
        let finished = island.ended.borrow_mut().remove(&number).expect("it has just been there");
        if let Transfer::Out(into) = data {
            let count = finished.data.len().min(into.len());
            into[..count].copy_from_slice(&finished.data[..count]);
        }
        finished.completion
    }
}

impl BusTiming for RtlBus {
    fn set_timing(&self, die: DieIndex, timing: DieTiming) -> Result<(), TimingError> {
        registers(&timing, self.island.clock)?;
        if usize::from(die.0) < self.island.dies {
            self.island.ask(Request::Follow(die, timing));
        }
        Ok(())
    }
}

impl Island {
    fn ask(&self, request: Request) {
        self.asked.borrow_mut().push_back((self.sim.now(), request));
        self.has_asked.notify();
    }

    /// The clock edge at or after a time.
    fn edge(&self, time: Picoseconds) -> Picoseconds {
        Picoseconds(time.0.next_multiple_of(self.clock.0))
    }

    /// The edge from which on the RTL can see what was asked for first.
    fn next_seen(&self) -> Option<Picoseconds> {
        self.asked.borrow().front().map(|(asked, _)| self.edge(*asked))
    }

    /// The island: clocks the RTL for ever, in simulated time.
    async fn run(&self) -> Result<(), BusError> {
        loop {
            let (now, is_idle, quiet_until) = {
                let controller = self.controller.borrow();
                (controller.now(), controller.is_idle(), controller.quiet_until())
            };
            let is_writing = !self.writes.borrow().is_empty();
            match (self.next_seen(), quiet_until) {
                (None, _) if is_idle && !is_writing => self.has_asked.wait().await,
                (Some(seen), _) if is_idle && !is_writing && seen > now => {
                    self.sim.delay_until(seen).await;
                    self.controller.borrow_mut().run_to(seen)?;
                }
                (seen, Some(quiet)) if !is_writing && seen.is_none_or(|seen| seen > now) => {
                    self.sleep(now, quiet.min(seen.unwrap_or(quiet))).await?;
                }
                _ => self.clock(now).await?,
            }
        }
    }

    /// Sleeps until a time up to which nothing happens, or until something is asked for; the RTL
    /// stays behind in the latter case.
    async fn sleep(&self, now: Picoseconds, until: Picoseconds) -> Result<(), BusError> {
        let span = Picoseconds(until.0.saturating_sub(self.sim.now().0));
        let was_asked = !self.asked.borrow().is_empty();
        if was_asked {
            self.sim.delay(span).await;
        } else if self.sim.timeout(span, self.has_asked.wait()).await.is_ok() {
            return Ok(());
        }
        debug_assert!(until > now);
        self.controller.borrow_mut().run_to(until)?;
        self.deliver()
    }

    /// Simulates clocks from `now` on. The first one when it is over, unless nobody else does
    /// anything meanwhile; then as many as nobody can see, up to one that ends an operation.
    async fn clock(&self, now: Picoseconds) -> Result<(), BusError> {
        let unseen = self.unseen_clocks(now);
        if unseen == 0 {
            self.sim.delay_until(Picoseconds(now.0 + self.clock.0)).await;
        }
        let end = self.run_clocks(now, unseen.max(1))?;
        self.sim.delay_until(end).await;
        self.deliver()
    }

    /// Runs clocks of the RTL and tells when the last one ends.
    fn run_clocks(&self, now: Picoseconds, clocks: u64) -> Result<Picoseconds, BusError> {
        let mut controller = self.controller.borrow_mut();
        self.admit(&mut controller, now);
        match self.writes.borrow_mut().pop_front() {
            Some((address, value)) => controller.write_register(address, value)?,
            None => controller.run_clocks(clocks)?,
        }
        Ok(controller.now())
    }

    /// Clocks that end before anything else happens in the simulation, and that begin before what
    /// was asked for later.
    fn unseen_clocks(&self, now: Picoseconds) -> u64 {
        let quiet_ps = self.sim.quiet_before().0.saturating_sub(now.0 + 1);
        let asked = self.asked.borrow();
        let later = asked.iter().map(|(at, _)| self.edge(*at)).find(|&edge| edge > now);
        let asked_ps = later.map_or(u64::MAX, |edge| edge.0 - now.0);
        quiet_ps.min(asked_ps) / self.clock.0
    }

    /// Gives the RTL what was asked for up to a time; what comes behind a change of timing waits
    /// until its registers are written.
    fn admit(&self, controller: &mut Controller, now: Picoseconds) {
        let mut asked = self.asked.borrow_mut();
        while self.writes.borrow().is_empty()
            && asked.front().is_some_and(|(at, _)| self.edge(*at) <= now)
        {
            match asked.pop_front() {
                Some((asked, Request::Execute(number, op, data))) => {
                    let ticket = controller.submit(&op, data);
                    let flight = Flight { number, die: op.die, asked };
                    self.flights.borrow_mut().insert(ticket, flight);
                }
                Some((_, Request::Follow(die, timing))) => {
                    let writes = controller.timing_writes(die, &timing);
                    self.writes.borrow_mut().extend(writes.expect("its registers were computed"));
                }
                None => unreachable!("there is a first one"),
            }
        }
    }

    /// Wakes those whose operations have ended.
    fn deliver(&self) -> Result<(), BusError> {
        let finished = self.controller.borrow_mut().take_finished();
        if finished.is_empty() {
            return Ok(());
        }
        self.check()?;
        for one in finished {
            let flight = self.flights.borrow_mut().remove(&one.ticket);
            let flight = flight.expect("what ends was submitted");
            self.count(&flight);
            self.ended.borrow_mut().insert(flight.number, one);
        }
        self.has_ended.notify();
        Ok(())
    }

    /// Counts an operation that has just ended, and the bursts on its die.
    fn count(&self, flight: &Flight) {
        let mut spent = self.spent.get();
        spent.operations += 1;
        spent.in_all_ps += self.sim.now().0 - flight.asked.0;
        self.spent.set(spent);
        if usize::from(flight.die.0) < self.present {
            self.drain(flight.die);
        }
    }

    /// Counts the bursts on a die, and keeps what went over the bus.
    fn drain(&self, die: DieIndex) {
        let mut spent = self.spent.get();
        let mut controller = self.controller.borrow_mut();
        for burst in controller.wires().channel.drain_transactions(die) {
            let is_data = matches!(burst.kind, TransactionKind::DataIn | TransactionKind::DataOut);
            let cycles = burst.bytes.len() as u64;
            if is_data && cycles > 1 {
                // From the first to the last cycle is a cycle short of the whole.
                let first_to_last_ps = burst.end.0 - burst.start.0;
                spent.transfer_ps += first_to_last_ps * cycles / (cycles - 1);
            }
            if let Some(kept) = &mut *self.transactions.borrow_mut() {
                kept.push((die, burst));
            }
        }
        self.spent.set(spent);
    }

    /// Whether no rule has been broken so far.
    fn check(&self) -> Result<(), BusError> {
        for found in self.controller.borrow_mut().wires().channel.drain_diagnostics() {
            if found.diagnostic.severity == Severity::Error {
                return Err(BusError::Protocol(Box::new(found)));
            }
            self.warnings.borrow_mut().push(found);
        }
        Ok(())
    }
}
