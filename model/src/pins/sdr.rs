//! SDR at the pins: WE# latches commands, addresses and data, RE# fetches data (ONFI bus states and
//! asynchronous timing). Each edge is held against the edges before it; a bound is checked where
//! the later of its two edges comes.

use super::behind::Behind;
use super::bus::{Bus, Changes, FOREVER, Instant, NEVER, ps};
use super::checker::in_ns;
use super::level::Octet;
use super::target::PinTarget;
use super::timing::{Parameter, SdrTimings};
use super::window::Window;
use crate::die::{Cycle, Rule};

/// A pulse shorter than this share of its minimum is a glitch.
const GLITCH_SHARE: Instant = 4;

/// What SDR remembers of its own.
#[derive(Clone, Debug)]
pub(super) struct SdrState {
    /// The byte that goes out, and the one before it, which may still be valid.
    current: Window,
    previous: Window,
    /// When the drivers of DQ are on.
    driven_from: Instant,
    driven_until: Instant,
    /// When RE# last ended a data-out cycle.
    re_rose: Instant,
    /// Data-in cycles in a row with nobody driving DQ: a clock, not a strobe.
    idle_clocks: u8,
}

impl SdrState {
    pub(super) const fn new() -> Self {
        Self {
            current: Window::NONE,
            previous: Window::NONE,
            driven_from: NEVER,
            driven_until: NEVER,
            re_rose: NEVER,
            idle_clocks: 0,
        }
    }

    pub(super) fn drives(&self) -> (Instant, Instant) {
        (self.driven_from, self.driven_until)
    }
}

impl<B: Behind> PinTarget<B> {
    pub(super) fn step_sdr(&mut self, at: Instant, bus: &Bus, changes: Changes) {
        self.check_sdr_holds(at, bus, changes);
        if changes.has(Changes::WE_FELL) {
            self.we_fell(at, bus);
        }
        if changes.has(Changes::RE_ROSE) {
            self.re_rose(at, bus);
        }
        if changes.has(Changes::WE_ROSE) {
            self.we_rose(at, bus);
        }
        if changes.has(Changes::RE_FELL) {
            self.re_fell(at, bus);
        }
        if changes.has(Changes::DQS_EDGE) && !self.is_foreign {
            self.foreign(at, "DQS toggles in SDR, an NV-DDR cycle");
        }
    }

    /// Holds changes of CLE, ALE and DQ against the last rise of WE#.
    fn check_sdr_holds(&mut self, at: Instant, bus: &Bus, changes: Changes) {
        let rose = if changes.has(Changes::WE_ROSE) { bus.we.rose_before } else { bus.we.rose };
        if rose <= self.ce.fell {
            return;
        }
        let held = at - rose;
        let checker = &mut self.checker;
        if changes.has(Changes::CLE) {
            checker.at_least(at, Rule::T05, Parameter::Clh, "CLE hold", held);
        }
        if changes.has(Changes::ALE) {
            checker.at_least(at, Rule::T06, Parameter::Alh, "ALE hold", held);
        }
        if changes.has(Changes::DQ) {
            checker.at_least(at, Rule::T10, Parameter::Dh, "DQ hold", held);
        }
    }

    fn we_fell(&mut self, at: Instant, bus: &Bus) {
        if !bus.re.high {
            self.checker.fault(at, Rule::P02, "BUS: WE# and RE# both low");
        }
        if bus.we.rose > self.ce.fell {
            let name = (Rule::T02, Parameter::Wh, "WE# high");
            self.check_pulse(at, name, at - bus.we.rose);
        }
        if bus.we.fell_before > self.ce.fell {
            let period = at - bus.we.fell_before;
            self.checker.at_least(at, Rule::T03, Parameter::Wc, "write cycle", period);
        }
        let turned = at - self.sdr.re_rose;
        self.checker.at_least(at, Rule::T16, Parameter::Rhw, "RE# high to WE# low", turned);
        let protect = at - bus.wp_changed;
        self.checker.at_least(at, Rule::T21, Parameter::Ww, "WP# edge to WE# low", protect);
    }

    /// A pulse is long enough, too short, or no pulse at all.
    fn check_pulse(
        &mut self,
        at: Instant,
        (rule, parameter, what): (Rule, Parameter, &str),
        span: Instant,
    ) {
        let bound = self.checker.minimum(parameter);
        if span >= bound {
            return;
        }
        if span * GLITCH_SHARE < bound {
            let text = format!("GLITCH: {what} pulse {}", in_ns(span));
            self.checker.bounded(at, Rule::T28, span, bound, text);
        } else {
            self.checker.at_least(at, rule, parameter, what, span);
        }
    }

    fn we_rose(&mut self, at: Instant, bus: &Bus) {
        if bus.we.fell > self.ce.fell {
            let name = (Rule::T01, Parameter::Wp, "WE# low");
            self.check_pulse(at, name, at - bus.we.fell);
        }
        let selected = at - self.ce.fell;
        let set_up = if self.was_long_deselected && self.options.long_chip_enable_setup {
            Parameter::Cs3
        } else {
            Parameter::Cs
        };
        let checker = &mut self.checker;
        checker.at_least(at, Rule::T07, set_up, "CE# set-up", selected);
        let (cle, ale) = (at - bus.cle_changed, at - bus.ale_changed);
        checker.at_least(at, Rule::T04, Parameter::Cls, "CLE set-up", cle);
        checker.at_least(at, Rule::T06, Parameter::Als, "ALE set-up", ale);
        checker.at_least(at, Rule::T09, Parameter::Ds, "DQ set-up", at - bus.dq_changed);
        self.write_cycle(at, bus);
    }

    fn write_cycle(&mut self, at: Instant, bus: &Bus) {
        let pins = &bus.pins;
        match (pins.cle.is_high(), pins.ale.is_high()) {
            (true, true) => {
                let text = "BUS: CLE=1 and ALE=1 at WE# rise is reserved";
                self.checker.fault(at, Rule::P01, text);
            }
            (true, false) => self.latch(at, Cycle::Command, pins.dq),
            (false, true) => self.latch(at, Cycle::Address, pins.dq),
            (false, false) => {
                if pins.dq.driven == 0 {
                    self.sdr.idle_clocks = self.sdr.idle_clocks.saturating_add(1);
                    if self.sdr.idle_clocks > 1 {
                        self.foreign(at, "WE# toggles with DQ let go, an NV-DDR clock in SDR");
                        return;
                    }
                } else {
                    self.sdr.idle_clocks = 0;
                    self.check_start_of_data_in(at);
                }
                self.latch(at, Cycle::DataIn, pins.dq);
            }
        }
    }

    fn re_fell(&mut self, at: Instant, bus: &Bus) {
        let pins = &bus.pins;
        if !bus.we.high {
            self.checker.fault(at, Rule::P02, "BUS: WE# and RE# both low");
        }
        if !pins.cle.is_low() || !pins.ale.is_low() {
            self.checker.fault(at, Rule::P03, "BUS: RE# low with CLE/ALE high");
            return;
        }
        if bus.re.rose > self.ce.fell {
            let name = (Rule::T12, Parameter::Reh, "RE# high");
            self.check_pulse(at, name, at - bus.re.rose);
        }
        if bus.re.fell_before > self.ce.fell {
            let period = at - bus.re.fell_before;
            self.checker.at_least(at, Rule::T13, Parameter::Rc, "read cycle", period);
        }
        let since = if self.was_long_deselected { Parameter::Cr2 } else { Parameter::Cr };
        let selected = at - self.ce.fell;
        self.checker.at_least(at, Rule::T27, since, "CE# low to RE# low", selected);
        let (cle, ale) = (at - bus.cle_changed, at - bus.ale_changed);
        self.checker.at_least(at, Rule::T18, Parameter::Clr, "CLE low to RE# low", cle);
        self.checker.at_least(at, Rule::T17, Parameter::Ar, "ALE low to RE# low", ale);
        if pins.dq.driven != 0 {
            let bound = self.checker.minimum(Parameter::Ir);
            let name = ("tIR", "host still drives DQ, Hi-Z to RE# low");
            self.checker.too_short(at, Rule::T29, name, 0, bound);
        } else {
            let off = at - bus.dq_changed;
            self.checker.at_least(at, Rule::T29, Parameter::Ir, "Hi-Z to RE# low", off);
        }
        self.check_start_of_data_out(at);
        self.fetch(at);
    }

    /// Starts a data-out cycle.
    fn fetch(&mut self, at: Instant) {
        let mut byte = [0xFF];
        let is_there = self.behind.data_out(ps(at), &mut byte) > 0;
        if is_there && let Some(monitor) = &mut self.monitor {
            monitor.data_out(ps(at), byte[0]);
        }
        let out = &mut self.sdr;
        if out.driven_until < at {
            out.driven_from = at;
        }
        out.driven_until = FOREVER;
        out.current.close(at, Parameter::Rloh, self.checker.minimum(Parameter::Rloh));
        out.previous = out.current;
        let after_re = (at, Parameter::Rea);
        let after_ce = (self.ce.fell, Parameter::Cea);
        let time = |(edge, parameter)| edge + self.checker.maximum(parameter);
        let opens = if time(after_ce) > time(after_re) { after_ce } else { after_re };
        let until = if is_there { FOREVER } else { NEVER };
        let closes = (NEVER, Parameter::Rhoh);
        out.current = Window { byte: byte[0], from: time(opens), until, opens, closes };
    }

    fn re_rose(&mut self, at: Instant, bus: &Bus) {
        if bus.re.fell > self.ce.fell {
            let name = (Rule::T11, Parameter::Rp, "RE# low");
            self.check_pulse(at, name, at - bus.re.fell);
        }
        let out = &mut self.sdr;
        out.re_rose = at;
        if out.driven_until == FOREVER {
            out.current.close(at, Parameter::Rhoh, self.checker.minimum(Parameter::Rhoh));
            out.driven_until = at + self.checker.maximum(Parameter::Rhz);
        }
    }

    pub(super) fn deselect_sdr(&mut self, at: Instant, bus: &Bus) {
        if !bus.re.high && bus.re.fell > self.ce.fell {
            self.checker.fault(at, Rule::P08, "CE-CUT: CE# rose inside an RE# low pulse");
        }
        let out = &mut self.sdr;
        out.idle_clocks = 0;
        out.current.close(at, Parameter::Coh, self.checker.minimum(Parameter::Coh));
        out.driven_until = out.driven_until.min(at + self.checker.maximum(Parameter::Chz));
    }

    pub(super) fn drive_sdr(&self, at: Instant) -> Octet {
        let out = &self.sdr;
        if at < out.driven_from || at >= out.driven_until {
            Octet::FLOATING
        } else if out.previous.holds(at) {
            Octet::driving(out.previous.byte)
        } else if out.current.holds(at) {
            Octet::driving(out.current.byte)
        } else {
            Octet::changing_to(out.current.byte)
        }
    }

    pub(super) fn next_sdr(&self, at: Instant) -> Instant {
        let out = &self.sdr;
        let off = if out.driven_until > at { out.driven_until } else { FOREVER };
        off.min(out.current.next(at)).min(out.previous.next(at))
    }

    /// Says whether a host that takes in DQ at `at` can rely on it.
    pub(super) fn check_sdr_sample(&mut self, at: Instant, bus: &Bus) {
        let out = &self.sdr;
        if out.current.holds(at) || out.previous.holds(at) {
            return;
        }
        if out.current.from == FOREVER || out.current.until == NEVER {
            return;
        }
        // Between two bytes the host misses the one that is nearer in time.
        let is_late = at - out.previous.until < out.current.from - at;
        let window = if is_late { out.previous } else { out.current };
        let mode = self.checker.mode_name();
        if at < window.from {
            let (edge, parameter) = window.opens;
            let (span, bound) = (at - edge, window.from - edge);
            if at == bus.re.rose && SdrTimings::wants_edo(&self.checker.timings) {
                let text = format!(
                    "EDO: capture at RE# rise cannot meet tREA in {mode}: {} < {}",
                    in_ns(span),
                    in_ns(bound)
                );
                self.checker.bounded(at, Rule::T25, span, bound, text);
                return;
            }
            let from = if parameter == Parameter::Rea { "RE#" } else { "CE#" };
            let text = format!(
                "{}: sampled {} after {from} low, data not sure until {} ({mode})",
                parameter.name(),
                in_ns(span),
                in_ns(bound)
            );
            self.checker.bounded(at, Rule::T23, span, bound, text);
        } else {
            let (edge, parameter) = window.closes;
            let (span, bound) = (at - edge, window.until - edge);
            let after = match parameter {
                Parameter::Coh => "CE# high",
                Parameter::Rloh => "the next RE# low",
                _ => "RE# high",
            };
            let text = format!(
                "{}: sampled {} after {after}, data held only {} ({mode})",
                parameter.name(),
                in_ns(span),
                in_ns(bound)
            );
            self.checker.bounded(at, Rule::T24, span, bound, text);
        }
    }
}
