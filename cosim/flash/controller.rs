//! The controller RTL with its streams: operations in, completions out.

use std::collections::VecDeque;

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::DieTiming;
use floatgate_hal::flash::timing::{TimeLimit, TimingError, registers};
use floatgate_hal::flash::{BusOp, Completion, Outcome};
use floatgate_hal::units::{Cycles, Picoseconds};
use verilated::{Error, Input, Model, Trace};

use super::banks::{self, Banks};
use super::config::{Config, Idle};
use super::flight::{Command, Finished, Flights, Ticket};
use super::pads::Pads;
use super::raw::RawSequence;
use super::wires::Wires;
use crate::dut::OnfiControllerPorts;
use crate::wave::TimeMap;

/// Addresses of registers (rtl/onfi_timing.sv).
const REG_LIMITS: u16 = 0x80;
const REG_CONTROL: u16 = 0x85;
const REG_INTERVAL: u16 = 0x86;

/// The shortest clock for which the registers hold SDR mode 0 after a reset.
const SAFE_CLOCK: Picoseconds = Picoseconds(5_000);

/// What the RTL counts time-outs in.
const LIMIT_UNIT_CLOCKS: u64 = 1024;

/// An instance of the controller RTL with dies at its pins.
pub struct RtlController<W> {
    model: Model,
    ports: OnfiControllerPorts,
    pads: Pads<W>,
    clock: Picoseconds,
    idle: Idle,
    banks: Banks,
    waiting: VecDeque<Command>,
    flights: Flights,
    finished: Vec<Finished>,
    next_ticket: u64,
    clocks: u64,
    /// When the clocks of a trace are, while there is one.
    times: Option<TimeMap>,
}

/// What moves with the next rising edge, besides data.
#[derive(Default)]
struct Beats {
    command: bool,
    completion: Option<(u8, Completion)>,
}

impl<W: Wires> RtlController<W> {
    /// Constructs and resets an instance.
    ///
    /// # Errors
    /// Where the model is not linked in, or the RTL fails an assertion.
    pub fn new(config: &Config, wires: W) -> Result<Self, Error> {
        let mut model = Model::new(config.model, config.seed)?;
        let ports: OnfiControllerPorts = model.ports()?;
        let mut pads = Pads::new(wires, ports, config.dies, config.clock);
        pads.connect(&mut model);
        let mut controller = Self {
            model,
            ports,
            pads,
            clock: config.clock,
            idle: config.idle,
            banks: Banks::new(config.dies),
            waiting: VecDeque::new(),
            flights: Flights::new(),
            finished: Vec::new(),
            next_ticket: 0,
            clocks: 0,
            times: None,
        };
        controller.model.set(ports.m_ready_i, 1);
        controller.model.set(ports.cpl_ready_i, 1);
        controller.reset()?;
        Ok(controller)
    }

    /// Holds rst_ni low for two clocks. Operations under way are forgotten, and all dies are taken
    /// to be in SDR mode 0 again.
    ///
    /// # Errors
    /// A failing assertion.
    pub fn reset(&mut self) -> Result<(), Error> {
        self.waiting.clear();
        self.flights = Flights::new();
        self.banks.clear();
        // The flip-flops of DQS have no clock here: they see the reset by its edge alone.
        for level in [1, 0] {
            self.model.set(self.ports.rst_ni, level);
            self.model.eval()?;
        }
        self.clock()?;
        self.clock()?;
        self.model.set(self.ports.rst_ni, 1);
        if self.clock < SAFE_CLOCK {
            let safe = registers(&DieTiming::default(), self.clock);
            let safe = safe.expect("SDR mode 0 suits a clock that has a use");
            for (address, value) in banks::writes(0, &safe) {
                self.write_register(address, value)?;
            }
        }
        Ok(())
    }

    /// The instance, for traces and coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Starts a trace of the RTL's signals, and keeps when its clocks are.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn start_trace(&mut self, trace: &Trace) -> Result<(), Error> {
        let mut times = TimeMap::new(self.clock);
        times.begin(self.model.clock(), self.pads.now());
        self.times = Some(times);
        self.model.start_trace(trace)
    }

    /// Ends the trace; when its clocks were.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn end_trace(&mut self) -> Result<TimeMap, Error> {
        self.model.end_trace()?;
        Ok(self.times.take().unwrap_or_default())
    }

    /// The dies' side of the pins.
    pub fn wires(&mut self) -> &mut W {
        &mut self.pads.wires
    }

    /// The time of the last clock edge.
    pub fn now(&self) -> Picoseconds {
        self.pads.now()
    }

    /// Clocks that were simulated.
    pub fn clocks(&self) -> Cycles {
        Cycles(self.clocks)
    }

    // ---- Registers ----

    /// Writes a register; no operation may be waiting to be taken.
    ///
    /// # Errors
    /// A failing assertion.
    pub fn write_register(&mut self, address: u16, value: u16) -> Result<(), Error> {
        self.model.set(self.ports.reg_write_i, 1);
        self.model.set(self.ports.reg_addr_i, address.into());
        self.model.set(self.ports.reg_data_i, value.into());
        let written = self.clock();
        self.model.set(self.ports.reg_write_i, 0);
        written
    }

    /// Talks to a die with this timing from now on; the die must have nothing to do.
    ///
    /// # Errors
    /// A failing assertion.
    ///
    /// # Panics
    /// If dies are in more modes than the RTL has banks for.
    pub fn set_timing(
        &mut self,
        die: DieIndex,
        timing: &DieTiming,
    ) -> Result<Result<(), TimingError>, Error> {
        let writes = match self.timing_writes(die, timing) {
            Ok(writes) => writes,
            Err(error) => return Ok(Err(error)),
        };
        for (address, value) in writes {
            self.write_register(address, value)?;
        }
        Ok(Ok(()))
    }

    /// The registers to write, with their values, for [`set_timing`](Self::set_timing); to be
    /// written before the die's next operation.
    ///
    /// # Errors
    /// The clock does not suit the timing.
    ///
    /// # Panics
    /// If dies are in more modes than the RTL has banks for.
    pub fn timing_writes(
        &mut self,
        die: DieIndex,
        timing: &DieTiming,
    ) -> Result<Vec<(u16, u16)>, TimingError> {
        let values = registers(timing, self.clock)?;
        let half_clocks = u64::from(values.0[15]);
        self.pads.quarter_ps[usize::from(die.0)] = half_clocks * self.clock.0 / 2;
        Ok(self.banks.follow(die, timing, &values))
    }

    /// Sets the time-out of a class of operations, rounded up.
    ///
    /// # Errors
    /// A failing assertion.
    ///
    /// # Panics
    /// If the span exceeds the register.
    pub fn set_limit(&mut self, limit: TimeLimit, span: Picoseconds) -> Result<(), Error> {
        let units = span.0.div_ceil(self.clock.0 * LIMIT_UNIT_CLOCKS);
        let units = u16::try_from(units).expect("the time-out fits its register");
        self.write_register(REG_LIMITS + limit as u16, units)
    }

    /// Whether busy dies are polled, at this interval, in place of their R/B#; whether their status
    /// is read with 78h; and whether WP# is low.
    ///
    /// # Errors
    /// A failing assertion.
    pub fn set_control(
        &mut self,
        poll: Option<Cycles>,
        enhanced: bool,
        protect: bool,
    ) -> Result<(), Error> {
        if let Some(Cycles(interval)) = poll {
            let interval = u16::try_from(interval).expect("the interval fits its register");
            self.write_register(REG_INTERVAL, interval)?;
        }
        let bits = u16::from(poll.is_some()) | u16::from(enhanced) << 1 | u16::from(protect) << 2;
        self.write_register(REG_CONTROL, bits)
    }

    // ---- Operations ----

    /// Gives the controller an operation, with the data that go into the die. A reset goes before
    /// all that the RTL has not taken yet, and ends what of that is for its die.
    pub fn submit(&mut self, op: &BusOp, data: Vec<u8>) -> Ticket {
        let ticket = self.ticket();
        let command = Command::of(ticket, op, data);
        if op.kind.overtakes() {
            let (ended, others): (VecDeque<_>, _) =
                self.waiting.drain(..).partition(|one| one.die == command.die);
            self.waiting = others;
            self.finished.extend(ended.into_iter().map(|one| one.overtaken_at(self.pads.now())));
            self.waiting.push_front(command);
            // What was offered is not the first one any more.
            self.model.set(self.ports.cmd_valid_i, 0);
        } else {
            self.waiting.push_back(command);
        }
        ticket
    }

    /// Gives the controller a raw sequence for a die.
    pub fn submit_raw(&mut self, die: DieIndex, sequence: &RawSequence) -> Ticket {
        let ticket = self.ticket();
        self.waiting.push_back(Command::raw(ticket, die.0, sequence));
        ticket
    }

    fn ticket(&mut self) -> Ticket {
        self.next_ticket += 1;
        Ticket(self.next_ticket)
    }

    /// Whether nothing has been given that has not finished.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.flights.is_empty()
    }

    /// Takes out what has finished since the last call, in that order.
    pub fn take_finished(&mut self) -> Vec<Finished> {
        std::mem::take(&mut self.finished)
    }

    /// Runs until all is finished, or until a time has come; whether all is finished.
    ///
    /// # Errors
    /// A failing assertion.
    pub fn run_until(&mut self, limit: Picoseconds) -> Result<bool, Error> {
        while !self.is_idle() {
            if self.now() >= limit {
                return Ok(false);
            }
            self.advance(limit)?;
        }
        Ok(true)
    }

    /// Lets time pass, to the first clock edge at or after `until`.
    ///
    /// # Errors
    /// A failing assertion.
    pub fn run_to(&mut self, until: Picoseconds) -> Result<(), Error> {
        while self.now() < until {
            self.advance(until)?;
        }
        Ok(())
    }

    /// One clock, before which idle time is skipped, at most up to `limit`.
    fn advance(&mut self, limit: Picoseconds) -> Result<(), Error> {
        let skipped = self.skippable_clocks(limit);
        if skipped > 0 {
            self.model.set(self.ports.skip_i, 1);
            self.model.set(self.ports.skip_clocks_i, skipped);
            self.pads.jump(Picoseconds(skipped * self.clock.0));
            if let Some(times) = &mut self.times {
                times.begin(self.model.clock(), self.pads.now());
            }
            let clocked = self.clock();
            self.model.set(self.ports.skip_i, 0);
            clocked
        } else {
            let left = limit.0.saturating_sub(self.now().0).div_ceil(self.clock.0);
            self.run_clocks(left.max(1))
        }
    }

    /// The time up to which nothing happens that the clock has to see; none where it has to run.
    pub fn quiet_until(&self) -> Option<Picoseconds> {
        let clocks = self.skippable_clocks(Picoseconds(u64::MAX));
        (clocks > 0).then(|| Picoseconds(self.now().0 + clocks * self.clock.0))
    }

    /// Whether nothing moves, and the clock need not run then.
    fn is_quiet(&self) -> bool {
        self.idle == Idle::Skipped && self.model.get(self.ports.quiet_o) == 1
    }

    /// Whether no command is there that the RTL could take, or has not been offered.
    fn waits_for_dies(&self) -> bool {
        let (valid, ready) = (self.ports.cmd_valid_i, self.ports.cmd_ready_o);
        let is_refused = self.model.get(valid) == 1 && self.model.get(ready) == 0;
        self.waiting.is_empty() || self.flights.next_tag().is_none() || is_refused
    }

    /// Clocks in which nothing would happen.
    fn skippable_clocks(&self, limit: Picoseconds) -> u64 {
        if !self.is_quiet() || !self.waits_for_dies() {
            return 0;
        }
        let now = self.now();
        let next = self.pads.next_ready().map_or(limit, |change| change.min(limit));
        let clocks = next.0.saturating_sub(now.0) / self.clock.0;
        let until_wake = match self.model.get(self.ports.wake_valid_o) {
            0 => u64::from(u32::MAX / 4),
            _ => {
                let wake = self.model.get(self.ports.wake_o) as u32;
                let left = wake.wrapping_sub(self.model.get(self.ports.now_o) as u32) as i32;
                u64::try_from(left).unwrap_or(0)
            }
        };
        // The clock that ends the skip is one of them, and so is the one that sees the change.
        clocks.min(until_wake).saturating_sub(2)
    }

    /// One clock.
    ///
    /// # Errors
    /// A failing assertion.
    pub fn clock(&mut self) -> Result<(), Error> {
        self.run_clocks(1)
    }

    /// Up to so many clocks, at least one; they end with one with which an operation has finished,
    /// or after which clocks may be skipped.
    ///
    /// # Errors
    /// A failing assertion.
    pub fn run_clocks(&mut self, most: u64) -> Result<(), Error> {
        let mut beats = Beats::default();
        let mut edges_left = 2 * most;
        while edges_left > 0 {
            if self.pads.is_high() {
                self.offer();
            }
            // A batch ends when the RTL becomes quiet, but not where it was before.
            let has_to_look = self.ends_clock(&beats) || self.is_quiet();
            let most = if has_to_look { 1 } else { edges_left };
            let ran = self.pads.run(&mut self.model, most, self.flights.bytes_to_send())?;
            edges_left -= ran.edges;
            self.move_bytes(ran.bytes);
            if !self.pads.is_high() {
                beats = self.beats();
                continue;
            }
            self.take(std::mem::take(&mut beats));
            if !self.finished.is_empty() || self.is_quiet() {
                break;
            }
        }
        self.clocks += most - edges_left / 2;
        Ok(())
    }

    /// Whether the end of this clock has to be seen: streams move, or are offered something else.
    fn ends_clock(&self, beats: &Beats) -> bool {
        let offers_no_more =
            self.model.get(self.ports.s_valid_i) == 1 && self.flights.bytes_to_send().is_empty();
        beats.command || beats.completion.is_some() || offers_no_more || !self.finished.is_empty()
    }

    /// Takes note of the bytes that the data streams have carried.
    fn move_bytes(&mut self, sent: usize) {
        self.finished.extend(self.flights.bytes_sent(sent));
        for (tag, byte) in self.model.bytes_out() {
            self.finished.extend(self.flights.byte_received(tag, byte));
        }
    }

    /// Sets the inputs of the streams.
    fn offer(&mut self) {
        let ports = self.ports;
        let mut set = |port: Input, value: u64| self.model.set(port, value);
        match (self.waiting.front(), self.flights.next_tag()) {
            (Some(command), Some(tag)) => {
                set(ports.cmd_valid_i, 1);
                set(ports.cmd_op_i, command.code.into());
                set(ports.cmd_die_i, command.die.into());
                set(ports.cmd_row_i, command.row.into());
                set(ports.cmd_column_i, command.column.into());
                set(ports.cmd_length_i, command.length.into());
                set(ports.cmd_tag_i, tag.into());
            }
            _ => set(ports.cmd_valid_i, 0),
        }
        let asks = self.model.get(ports.ask_valid_o) == 1;
        let asked = asks.then(|| self.model.get(ports.ask_tag_o) as u8);
        match self.flights.sending(asked) {
            Some(tag) => {
                self.model.set(ports.s_valid_i, 1);
                self.model.set(ports.s_tag_i, tag.into());
            }
            None => self.model.set(ports.s_valid_i, 0),
        }
    }

    /// Looks which streams will move.
    fn beats(&self) -> Beats {
        let ports = &self.ports;
        let is = |port| self.model.get(port) == 1;
        let moves = |valid: Input, ready| self.model.get(valid) == 1 && is(ready);
        let is_running = self.model.get(ports.rst_ni) == 1;
        Beats {
            command: is_running && moves(ports.cmd_valid_i, ports.cmd_ready_o),
            completion: (is_running && is(ports.cpl_valid_o))
                .then(|| (self.model.get(ports.cpl_tag_o) as u8, self.completion())),
        }
    }

    /// The completion at the port.
    fn completion(&self) -> Completion {
        let ports = &self.ports;
        let outcome = match self.model.get(ports.cpl_outcome_o) {
            0 => Outcome::Done,
            1 => Outcome::Failed,
            2 => Outcome::TimedOut,
            _ => Outcome::Refused,
        };
        Completion {
            outcome,
            status: self.model.get(ports.cpl_status_o) as u8,
            started: self.time_of(self.model.get(ports.cpl_started_o) as u32),
            finished: self.time_of(self.model.get(ports.cpl_finished_o) as u32),
        }
    }

    /// The time at which the RTL counted so many clocks; it lies in the past.
    fn time_of(&self, stamp: u32) -> Picoseconds {
        let now = self.model.get(self.ports.now_o) as u32;
        let ago_clocks = u64::from(now.wrapping_sub(stamp));
        // The edge at which the count went to `now` is half a clock ago.
        let edge_ps = self.now().0 - self.clock.0 / 2;
        Picoseconds(edge_ps.saturating_sub(ago_clocks * self.clock.0))
    }

    fn take(&mut self, beats: Beats) {
        if beats.command {
            let command = self.waiting.pop_front().expect("it was offered");
            self.flights.begin(command);
        }
        if let Some((tag, completion)) = beats.completion {
            self.finished.extend(self.flights.completed(tag, completion));
        }
    }
}
