//! One target at its pins: selection, interface in use, R/B#, and the way of decoded cycles to the
//! target behind. What the pins mean in each interface is in [`super::sdr`] and [`super::nvddr`].

use floatgate_hal::flash::mode::{DataInterface, TimingMode};

use super::behind::{Behind, PinOptions};
use super::bus::{Bus, Changes, FOREVER, Instant, NEVER, Strobe, ps};
use super::checker::{Checker, in_ns};
use super::level::{DiePins, Level, Octet};
use super::monitor::Monitor;
use super::nvddr::DdrState;
use super::protocol::Protocol;
use super::sdr::SdrState;
use super::timing::Parameter;
use crate::die::{Cycle, Rule};

/// CE# high for longer than this asks for tCR2 and tCS3 instead of tCR and tCS.
const LONG_DESELECT: Instant = 1_000_000;

/// The pins of one target and what stands behind them.
#[derive(Clone, Debug)]
pub struct PinTarget<B> {
    pub(super) behind: B,
    pub(super) options: PinOptions,
    pub(super) checker: Checker,
    pub(super) protocol: Protocol,
    pub(super) ready: Ready,
    pub(super) ce: Strobe,
    /// Whether CE# fell after a long time high.
    pub(super) was_long_deselected: bool,
    /// Whether the host was found to talk in another interface; then nothing more is decoded until
    /// CE# rises.
    pub(super) is_foreign: bool,
    pub(super) sdr: SdrState,
    pub(super) ddr: DdrState,
    pub(super) monitor: Option<Monitor>,
    /// From when on R/B# and the status mean something again: tWB after a confirming cycle, in the
    /// mode in which that came.
    ready_valid: Instant,
    /// Whether SDR is in use because FFh ended NV-DDR.
    was_reset: bool,
    /// A mode that the target behind has gone over to, and when its pins follow.
    pending: Option<(TimingMode, Instant)>,
    index: usize,
}

/// R/B# as the target behind last told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub(super) is_ready: bool,
    /// When it last became ready.
    pub(super) rose: Instant,
    next_change: Instant,
}

impl<B: Behind> PinTarget<B> {
    pub(super) fn new(index: usize, behind: B, options: PinOptions) -> Self {
        let mode = behind.timing_mode();
        let mut target = Self {
            behind,
            options,
            checker: Checker::new(mode, &options),
            protocol: Protocol::new(),
            ready: Ready { is_ready: true, rose: NEVER, next_change: FOREVER },
            ce: Strobe::new(true),
            was_long_deselected: true,
            is_foreign: false,
            sdr: SdrState::new(),
            ddr: DdrState::new(),
            monitor: None,
            ready_valid: NEVER,
            was_reset: false,
            pending: None,
            index,
        };
        target.look_behind(0);
        target
    }

    /// The target behind the pins.
    pub fn behind(&self) -> &B {
        &self.behind
    }

    /// The target behind the pins, to change what the pins do not show; they look at R/B# and mode
    /// again after the next command.
    pub fn behind_mut(&mut self) -> &mut B {
        &mut self.behind
    }

    /// The interface and mode whose bounds the host is held to.
    pub fn timing_mode(&self) -> TimingMode {
        self.checker.mode
    }

    pub(super) fn is_selected(&self) -> bool {
        !self.ce.high
    }

    /// Takes the pins as they are from `at` on.
    pub(super) fn step(&mut self, at: Instant, bus: &Bus, changes: Changes) {
        self.refresh(at);
        let was_selected = self.is_selected();
        let ce_edge = changes.has(Changes::CE) && self.ce.set(at, bus.pins.ce_n[self.index]);
        if ce_edge && self.is_selected() {
            self.select(at, bus);
        }
        if changes.has(Changes::WP) {
            self.write_protect(at, bus.pins.wp_n);
        }
        if (was_selected || self.is_selected()) && !self.is_foreign {
            match self.checker.mode.interface {
                DataInterface::Sdr => self.step_sdr(at, bus, changes),
                DataInterface::NvDdr => self.step_nvddr(at, bus, changes),
            }
        }
        if ce_edge && was_selected {
            self.deselect(at, bus);
        }
    }

    /// The rule of the interface in use.
    fn rule(&self, sdr: Rule, nvddr: Rule) -> Rule {
        match self.checker.mode.interface {
            DataInterface::Sdr => sdr,
            DataInterface::NvDdr => nvddr,
        }
    }

    fn select(&mut self, at: Instant, bus: &Bus) {
        let high = at - self.ce.rose;
        self.checker.at_least(at, Rule::T22, Parameter::Ceh, "CE# high", high);
        self.was_long_deselected = high >= LONG_DESELECT;
        self.is_foreign = false;
        if self.checker.mode.interface == DataInterface::NvDdr {
            self.select_nvddr(at, bus);
        }
    }

    fn deselect(&mut self, at: Instant, bus: &Bus) {
        if !self.is_foreign {
            if bus.we.rose > self.ce.fell {
                let rule = self.rule(Rule::T08, Rule::I06);
                let held = at - bus.we.rose;
                self.checker.at_least(at, rule, Parameter::Ch, "CE# hold", held);
            }
            match self.checker.mode.interface {
                DataInterface::Sdr => self.deselect_sdr(at, bus),
                DataInterface::NvDdr => self.deselect_nvddr(at, bus),
            }
        }
        if self.protocol.command == 0xFF
            && let Some((mode, _)) = self.pending
        {
            self.switch(mode);
        }
    }

    fn write_protect(&mut self, at: Instant, level: Level) {
        if !self.ready.is_ready {
            let text = "tWW: WP# changed during an array operation";
            self.checker.fault(at, Rule::T21, text);
        }
        self.behind.write_protect(ps(at), level.is_low());
    }

    /// Takes note of what has changed behind the pins by `at`.
    #[inline]
    fn refresh(&mut self, at: Instant) {
        while at >= self.ready.next_change {
            self.look_behind(self.ready.next_change);
        }
        if let Some((mode, when)) = self.pending
            && at >= when
        {
            self.follow(when, mode);
        }
    }

    /// When R/B# or the mode will next have to be looked at.
    pub(super) fn ready_changes(&self) -> Instant {
        let follows = self.pending.map_or(FOREVER, |(_, when)| when);
        self.ready.next_change.min(follows)
    }

    fn look_behind(&mut self, at: Instant) {
        let is_ready = self.behind.is_ready(ps(at));
        if is_ready && !self.ready.is_ready {
            self.ready.rose = at;
            // The pins follow a change of mode as its busy time ends.
            if let Some((mode, FOREVER)) = self.pending {
                self.follow(at, mode);
            }
        }
        self.ready.is_ready = is_ready;
        let next = self.behind.next_change(ps(at)).map_or(FOREVER, |next| next.0 as Instant);
        self.ready.next_change = if next > at { next } else { FOREVER };
    }

    /// Looks whether the target behind has gone over to another mode. The pins follow at the end of
    /// the busy time; after FFh, as R/B# falls or when CE# rises, whichever is first.
    fn note_mode(&mut self, at: Instant) {
        let mode = self.behind.timing_mode();
        if mode != self.checker.mode && self.pending.is_none() {
            let is_reset = self.protocol.command == 0xFF;
            let when = if is_reset { at + self.checker.maximum(Parameter::Wb) } else { FOREVER };
            self.pending = Some((mode, when));
        }
    }

    /// The pins go over to another mode. A new interface wants CE# high, but for a reset, which the
    /// host may send in any.
    fn follow(&mut self, at: Instant, mode: TimingMode) {
        let changes_interface = mode.interface != self.checker.mode.interface;
        if changes_interface && self.is_selected() && self.protocol.command != 0xFF {
            self.checker.fault(at, Rule::I03, "IFACE-CE: CE# low across the change of interface");
        }
        self.switch(mode);
    }

    fn switch(&mut self, mode: TimingMode) {
        let left = self.checker.mode.interface;
        self.was_reset = self.protocol.command == 0xFF
            && mode == TimingMode::POWER_UP
            && (left == DataInterface::NvDdr || self.was_reset);
        self.pending = None;
        if mode.interface != left {
            self.sdr = SdrState::new();
            self.ddr = DdrState::new();
        }
        self.checker.set_mode(mode, &self.options);
    }

    /// The host talks in an interface that is not in use; the rest of this selection says nothing.
    #[cold]
    pub(super) fn foreign(&mut self, at: Instant, what: &str) {
        let (rule, tag, after) = if self.was_reset {
            (Rule::I17, "IFACE-FF", " after FFh")
        } else {
            (Rule::I02, "IFACE", "")
        };
        self.checker.fault(at, rule, format!("{tag}: {what}{after}"));
        self.is_foreign = true;
    }

    /// A command, address or data cycle with `dq` on the bus; whether it was one.
    pub(super) fn latch(&mut self, at: Instant, make: fn(u8) -> Cycle, dq: Octet) {
        self.check_ready_is_valid(at);
        let Some(byte) = dq.byte() else {
            let name = match make(0) {
                Cycle::Command(_) => "command",
                Cycle::Address(_) => "address",
                Cycle::DataIn(_) => "data",
            };
            self.checker.fault(at, Rule::P06, format!("XDQ: unknown DQ at {name} latch"));
            return;
        };
        let cycle = make(byte);
        match cycle {
            Cycle::Command(command) => self.protocol.on_command(at, command),
            Cycle::Address(_) => self.protocol.on_address(at),
            Cycle::DataIn(_) => self.protocol.on_data(at),
        }
        if let Some(monitor) = &mut self.monitor {
            monitor.cycle_in(ps(at), cycle);
        }
        self.behind.cycle(ps(at), cycle);
        let confirms = self.protocol.confirmed == at;
        if confirms {
            self.ready_valid = at + self.checker.maximum(Parameter::Wb);
        }
        let is_plain_data = matches!(cycle, Cycle::DataIn(_)) && !confirms;
        if !is_plain_data {
            self.look_behind(at);
            self.note_mode(at);
        }
    }

    /// Holds the first data cycle after an address against tADL, or tCCS where only the column or
    /// row of an open page was changed.
    pub(super) fn check_start_of_data_in(&mut self, at: Instant) {
        if self.protocol.data_in > 0 {
            return;
        }
        let span = at - self.protocol.addressed;
        if self.protocol.command == 0x85 {
            self.checker.at_least(at, Rule::T20, Parameter::Ccs, "column change to data", span);
        } else {
            self.checker.at_least(at, Rule::T19, Parameter::Adl, "address to data", span);
        }
    }

    /// Holds a data-out cycle against the cycles in before it.
    pub(super) fn check_start_of_data_out(&mut self, at: Instant) {
        if self.protocol.is_out {
            return;
        }
        self.check_ready_is_valid(at);
        let latched = self.protocol.latched;
        self.checker.at_least(at, Rule::T15, Parameter::Whr, "WE# high to RE# low", at - latched);
        let column = at - self.protocol.column_changed;
        self.checker.at_least(at, Rule::T20, Parameter::Ccs, "column change to data", column);
        if self.protocol.waits_for_ready() && self.ready.rose > latched {
            let since = at - self.ready.rose;
            self.checker.at_least(at, Rule::T14, Parameter::Rr, "ready to RE#", since);
        }
        self.protocol.is_out = true;
    }

    /// R/B# and the status say nothing until tWB after a confirming cycle.
    fn check_ready_is_valid(&mut self, at: Instant) {
        if at >= self.ready_valid {
            return;
        }
        let confirmed = self.protocol.confirmed;
        let (since, bound) = (at - confirmed, self.ready_valid - confirmed);
        let text = format!(
            "tWB: command or ready-test {} after confirm, R/B# not valid until {}",
            in_ns(since),
            in_ns(bound)
        );
        self.checker.bounded(at, Rule::T26, since, bound, text);
    }

    /// What this target drives at `at`.
    pub(super) fn drive(&self, at: Instant) -> DiePins {
        let (dq, dqs) = self.outputs(at);
        DiePins { dq, dqs, rb_n: self.ready_busy(at) }
    }

    /// DQ and DQS as this target drives them at `at`.
    #[inline]
    pub(super) fn outputs(&self, at: Instant) -> (Octet, Level) {
        match self.checker.mode.interface {
            DataInterface::Sdr => (self.drive_sdr(at), Level::Floating),
            DataInterface::NvDdr => self.ddr.output.drive(at),
        }
    }

    pub(super) fn ready_busy(&self, at: Instant) -> Level {
        let is_ready = if at >= self.ready.next_change {
            self.behind.is_ready(ps(at))
        } else {
            self.ready.is_ready
        };
        if is_ready { Level::Floating } else { Level::Low }
    }

    /// When what this target drives will next change after `at`, if the host does nothing.
    pub(super) fn next_change(&self, at: Instant) -> Instant {
        let outputs = match self.checker.mode.interface {
            DataInterface::Sdr => self.next_sdr(at),
            DataInterface::NvDdr => self.ddr.output.next(at),
        };
        outputs.min(self.next_ready(at))
    }

    /// When R/B# may next change after `at`.
    pub(super) fn next_ready(&self, at: Instant) -> Instant {
        if at >= self.ready.next_change {
            self.behind.next_change(ps(at)).map_or(FOREVER, |next| next.0 as Instant)
        } else {
            self.ready.next_change
        }
    }

    /// DQS as this target drives it at `at`.
    pub(super) fn strobe(&self, at: Instant) -> Level {
        match self.checker.mode.interface {
            DataInterface::Sdr => Level::Floating,
            DataInterface::NvDdr => self.ddr.output.drive(at).1,
        }
    }

    /// When that may next change after `at`, if the host does nothing.
    pub(super) fn next_strobe(&self, at: Instant) -> Instant {
        match self.checker.mode.interface {
            DataInterface::Sdr => FOREVER,
            DataInterface::NvDdr => self.ddr.output.next_strobe(at),
        }
    }

    /// When this target's DQ drivers are on, from and until.
    pub(super) fn drives(&self) -> (Instant, Instant) {
        match self.checker.mode.interface {
            DataInterface::Sdr => self.sdr.drives(),
            DataInterface::NvDdr => self.ddr.output.drives(),
        }
    }
}
