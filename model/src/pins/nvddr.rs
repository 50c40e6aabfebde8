//! NV-DDR at the pins: CLK on the WE# pin, W/R# on the RE# pin. At each rise of CLK with CE# low,
//! CLE, ALE and W/R# say what the cycle is; data come on both edges of DQS (ONFI source synchronous
//! bus states and timing).

use super::behind::{Behind, Corner};
use super::bus::{Bus, Changes, Instant, NEVER, ps};
use super::checker::in_ns;
use super::level::Level;
use super::nvddr_burst::{Burst, FALL_BESIDE_CLOCK};
use super::nvddr_output::{DdrOutput, OutputTimes};
use super::target::PinTarget;
use super::timing::Parameter;
use crate::die::{Cycle, Rule};

/// Bounds of a CLK phase in hundredths of the period.
pub(super) const CLOCK_PHASE: (Instant, Instant) = (43, 57);

/// CLK has stopped when it misses twice its longest period, and the host talks in another
/// interface when it gives commands without a clock for four.
const STOPPED_PERIODS: Instant = 2;
const FOREIGN_PERIODS: Instant = 4;

/// What a CLK rise was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClockCycle {
    Idle,
    CommandOrAddress,
    DataIn,
    DataOut,
}

/// What NV-DDR remembers of its own.
#[derive(Clone, Debug)]
pub(super) struct DdrState {
    pub(super) output: DdrOutput,
    pub(super) burst: Burst,
    last_cycle: ClockCycle,
    /// The last period of CLK, and the shorter of its two phases.
    period: Instant,
    half: Instant,
    /// The last command, address or start of data.
    paced: Instant,
    /// The last command or address.
    latched: Instant,
    /// The last data-out cycle, and the CLK rises since.
    data_out: Instant,
    clocks_since_out: Instant,
}

impl DdrState {
    pub(super) const fn new() -> Self {
        Self {
            output: DdrOutput::new(),
            burst: Burst::NONE,
            last_cycle: ClockCycle::Idle,
            period: 0,
            half: 0,
            paced: NEVER,
            latched: NEVER,
            data_out: NEVER,
            clocks_since_out: Instant::MAX,
        }
    }
}

impl<B: Behind> PinTarget<B> {
    pub(super) fn step_nvddr(&mut self, at: Instant, bus: &Bus, changes: Changes) {
        self.check_nvddr_holds(at, bus, changes);
        if changes.has(Changes::RE_FELL) {
            self.direction_fell(at, bus);
        }
        if changes.has(Changes::RE_ROSE) {
            self.direction_rose(at, bus);
        }
        if changes.has(Changes::WE_ROSE) && !self.is_foreign {
            self.clock_rose(at, bus);
        }
        if changes.has(Changes::WE_FELL) {
            let times = self.output_times();
            self.ddr.output.clock_fell(at, times);
        }
        if changes.has(Changes::DQS) && !self.is_foreign {
            self.dqs_changed(at, bus, changes);
        }
    }

    /// The period that bounds in fractions of it go by.
    fn period(&self) -> Instant {
        if self.ddr.period > 0 { self.ddr.period } else { self.checker.minimum(Parameter::Ck) }
    }

    pub(super) fn share(&self, hundredths: Instant) -> Instant {
        self.period() * hundredths / 100
    }

    fn check_nvddr_holds(&mut self, at: Instant, bus: &Bus, changes: Changes) {
        let rose = if changes.has(Changes::WE_ROSE) { bus.we.rose_before } else { bus.we.rose };
        let checker = &mut self.checker;
        if rose > self.ce.fell {
            let held = at - rose;
            if changes.has(Changes::CLE) {
                checker.at_least(at, Rule::I06, Parameter::Calh, "CLE hold", held);
            }
            if changes.has(Changes::ALE) {
                checker.at_least(at, Rule::I06, Parameter::Calh, "ALE hold", held);
            }
            if changes.has(Changes::RE_FELL) || changes.has(Changes::RE_ROSE) {
                checker.at_least(at, Rule::I06, Parameter::Calh, "W/R# hold", held);
            }
        }
        if changes.has(Changes::DQ) {
            let latched = at - self.ddr.latched;
            checker.at_least(at, Rule::I06, Parameter::Cah, "DQ hold", latched);
            let strobed = at - self.ddr.burst.last_edge;
            checker.at_least(at, Rule::I11, Parameter::Dh, "DQ hold", strobed);
        }
    }

    /// Whether CLK has been still so long that the host cannot mean NV-DDR.
    fn is_without_clock(&self, at: Instant, last_rise: Instant) -> bool {
        at - last_rise.max(self.ce.fell) > FOREIGN_PERIODS * self.checker.maximum(Parameter::Ck)
    }

    fn direction_fell(&mut self, at: Instant, bus: &Bus) {
        if self.is_without_clock(at, bus.we.rose) {
            self.foreign(at, "RE# falls with CLK still, an SDR cycle in NV-DDR");
            return;
        }
        if bus.pins.dqs != Level::Floating || bus.pins.dq.driven != 0 {
            let wire = if bus.pins.dqs == Level::Floating { "DQ" } else { "DQS" };
            let text = format!("CONTENTION: {wire} driven by host as W/R# goes low");
            self.checker.fault(at, Rule::I13, text);
        }
        self.take_bus(at);
    }

    fn take_bus(&mut self, at: Instant) {
        let from = at + self.checker.minimum(Parameter::Dqsd);
        let settled = match self.options.corner {
            Corner::Fast => from,
            Corner::Slow => at + self.checker.maximum(Parameter::Dqsd),
        };
        self.ddr.output.turn_on(from, settled);
    }

    fn direction_rose(&mut self, at: Instant, bus: &Bus) {
        if self.is_without_clock(at, bus.we.rose) {
            self.foreign(at, "RE# rises with CLK still, an SDR cycle in NV-DDR");
        }
        // tCKWR is the least number of clocks that covers tDQSCK and one period more.
        let period = self.period();
        let clocks = (self.checker.maximum(Parameter::Dqsck) + period + period - 1) / period;
        if self.ddr.clocks_since_out < clocks {
            let span = at - self.ddr.data_out;
            let name = ("tCKWR", "last data out to W/R# high");
            self.checker.too_short(at, Rule::I14, name, span, clocks * period);
        }
        self.ddr.output.turn_off(at, at + self.checker.maximum(Parameter::Dqshz));
    }

    pub(super) fn select_nvddr(&mut self, at: Instant, bus: &Bus) {
        self.ddr.last_cycle = ClockCycle::Idle;
        self.ddr.clocks_since_out = Instant::MAX;
        if !bus.re.high {
            self.take_bus(at);
        }
    }

    pub(super) fn deselect_nvddr(&mut self, at: Instant, bus: &Bus) {
        let still = at - bus.we.rose.max(self.ce.fell);
        let longest = self.checker.maximum(Parameter::Ck);
        let has_clock = bus.we.rose > self.ce.fell;
        if has_clock && still > STOPPED_PERIODS * longest && !self.may_stop() {
            self.clock_stopped(at, still, longest);
        }
        self.check_postamble(at);
        self.end_burst(at);
        self.ddr.output.turn_off(at, at + self.checker.maximum(Parameter::Dqshz));
    }

    fn may_stop(&self) -> bool {
        self.options.clk_may_stop && self.ddr.last_cycle == ClockCycle::DataIn
    }

    #[cold]
    fn clock_stopped(&mut self, at: Instant, still: Instant, longest: Instant) {
        let during = match self.ddr.last_cycle {
            ClockCycle::DataIn => " in data in",
            ClockCycle::DataOut => " in data out",
            ClockCycle::Idle | ClockCycle::CommandOrAddress => "",
        };
        let text = format!("CLK-STOP: CLK still{during} for {}", in_ns(still));
        self.checker.bounded(at, Rule::I05, still, longest, text);
    }

    /// Holds the period of CLK that ends at `at` against its bounds.
    fn check_clock(&mut self, at: Instant, bus: &Bus) {
        if bus.we.rose_before <= self.ce.fell {
            return;
        }
        let period = at - bus.we.rose_before;
        let (least, most) =
            (self.checker.minimum(Parameter::Ck), self.checker.maximum(Parameter::Ck));
        if period > most {
            if self.may_stop() {
                return;
            }
            if period > STOPPED_PERIODS * most {
                self.clock_stopped(at, period, most);
            } else {
                self.checker.too_long(at, Rule::I04, ("tCK", "CLK period"), period, most);
            }
            return;
        }
        if period < least {
            self.checker.too_short(at, Rule::I04, ("tCK", "CLK period"), period, least);
        }
        let high = bus.we.fell - bus.we.rose_before;
        let (tags, spans) = ([("tCKH", "CLK high"), ("tCKL", "CLK low")], [high, period - high]);
        self.ddr.period = period;
        self.ddr.half = high.min(period - high);
        for (name, span) in tags.into_iter().zip(spans) {
            self.check_share(at, Rule::I04, name, span, CLOCK_PHASE);
        }
    }

    /// Holds a span against bounds in hundredths of the clock's period.
    pub(super) fn check_share(
        &mut self,
        at: Instant,
        rule: Rule,
        name: (&str, &str),
        span: Instant,
        (least, most): (Instant, Instant),
    ) {
        let (least, most) = (self.share(least), self.share(most));
        if span < least {
            self.checker.too_short(at, rule, name, span, least);
        } else if span > most {
            self.checker.too_long(at, rule, name, span, most);
        }
    }

    fn clock_rose(&mut self, at: Instant, bus: &Bus) {
        let pins = &bus.pins;
        let is_paced = pins.cle.is_high() != pins.ale.is_high();
        if is_paced
            && bus.we.rose_before > self.ce.fell
            && self.is_without_clock(at, bus.we.rose_before)
        {
            self.foreign(at, "command or address with CLK still, an SDR cycle in NV-DDR");
            return;
        }
        self.check_clock(at, bus);
        self.ddr.clocks_since_out = self.ddr.clocks_since_out.saturating_add(1);
        let cycle = match (pins.cle.is_high(), pins.ale.is_high(), bus.re.high) {
            (false, false, _) => ClockCycle::Idle,
            (true, true, true) => ClockCycle::DataIn,
            (true, true, false) => ClockCycle::DataOut,
            (_, _, true) => ClockCycle::CommandOrAddress,
            (_, _, false) => {
                let text = "BUS: CLE or ALE alone with W/R# low is reserved";
                self.checker.fault(at, Rule::P03, text);
                ClockCycle::Idle
            }
        };
        self.check_set_ups(at, bus, cycle);
        match cycle {
            ClockCycle::Idle => {}
            ClockCycle::CommandOrAddress => self.nvddr_latch(at, bus),
            ClockCycle::DataIn => self.data_in_cycle(at),
            ClockCycle::DataOut => self.data_out_cycle(at, bus),
        }
        self.ddr.last_cycle = cycle;
        let fell = bus.dqs.fell;
        if self.ddr.burst.edges > 0
            && !self.ddr.burst.has_ended
            && fell > self.ddr.burst.first_cycle
        {
            let least = self.share(FALL_BESIDE_CLOCK);
            if at - fell < least {
                let name = ("tDSS", "DQS low to CLK high");
                self.checker.too_short(at, Rule::I10, name, at - fell, least);
            }
        }
    }

    fn check_set_ups(&mut self, at: Instant, bus: &Bus, cycle: ClockCycle) {
        let selected = at - self.ce.fell;
        let checker = &mut self.checker;
        if cycle != ClockCycle::Idle {
            checker.at_least(at, Rule::I06, Parameter::Cs, "CE# set-up", selected);
        } else if selected < checker.minimum(Parameter::Cs) {
            return;
        }
        let direction = at - bus.re.fell.max(bus.re.rose);
        checker.at_least(at, Rule::I06, Parameter::Cals, "CLE set-up", at - bus.cle_changed);
        checker.at_least(at, Rule::I06, Parameter::Cals, "ALE set-up", at - bus.ale_changed);
        checker.at_least(at, Rule::I06, Parameter::Cals, "W/R# set-up", direction);
        if cycle == ClockCycle::CommandOrAddress {
            checker.at_least(at, Rule::I06, Parameter::Cas, "DQ set-up", at - bus.dq_changed);
        }
    }

    /// A command, address or start of data is far enough from the one before it.
    fn check_pace(&mut self, at: Instant) {
        let paced = at - self.ddr.paced;
        self.checker.at_least(at, Rule::I07, Parameter::Cad, "cycle to cycle", paced);
        self.ddr.paced = at;
    }

    fn nvddr_latch(&mut self, at: Instant, bus: &Bus) {
        self.check_pace(at);
        self.end_burst(at);
        let turned = at - self.ddr.data_out;
        self.checker.at_least(at, Rule::T16, Parameter::Rhw, "data out to command", turned);
        let protect = at - bus.wp_changed;
        self.checker.at_least(at, Rule::T21, Parameter::Ww, "WP# edge to command", protect);
        self.ddr.latched = at;
        let make = if bus.pins.cle.is_high() { Cycle::Command } else { Cycle::Address };
        self.latch(at, make, bus.pins.dq);
    }

    fn data_in_cycle(&mut self, at: Instant) {
        if self.ddr.last_cycle == ClockCycle::DataIn {
            self.ddr.burst.cycles += 1;
            return;
        }
        self.check_pace(at);
        self.end_burst(at);
        let turned = at - self.ddr.data_out;
        self.checker.at_least(at, Rule::T16, Parameter::Rhw, "data out to data in", turned);
        self.check_start_of_data_in(at);
        self.ddr.burst = Burst::starting(at);
    }

    fn data_out_cycle(&mut self, at: Instant, bus: &Bus) {
        if self.ddr.last_cycle != ClockCycle::DataOut {
            self.check_pace(at);
            self.end_burst(at);
            let turned = at - bus.re.fell.max(self.ce.fell);
            let what = "W/R# low to data out";
            self.checker.at_least(at, Rule::I13, Parameter::Wrck, what, turned);
        }
        self.check_start_of_data_out(at);
        self.ddr.data_out = at;
        self.ddr.clocks_since_out = 0;
        let mut bytes = [0xFF; 2];
        if self.behind.bytes_are_doubled() {
            self.behind.data_out(ps(at), &mut bytes[..1]);
            bytes[1] = bytes[0];
        } else {
            self.behind.data_out(ps(at), &mut bytes);
        }
        if let Some(monitor) = &mut self.monitor {
            monitor.data_out(ps(at), bytes[0]);
            monitor.data_out(ps(at), bytes[1]);
        }
        let times = self.output_times();
        self.ddr.output.cycle(at, bytes, times);
    }

    fn output_times(&self) -> OutputTimes {
        let checker = &self.checker;
        let access = match self.options.corner {
            Corner::Fast => checker.minimum(Parameter::Dqsck),
            Corner::Slow => checker.maximum(Parameter::Dqsck),
        };
        let half = if self.ddr.half > 0 { self.ddr.half } else { self.share(CLOCK_PHASE.0) };
        let hold = half - checker.maximum(Parameter::Qhs);
        OutputTimes { access, skew: checker.maximum(Parameter::Dqsq), hold }
    }

    /// Says whether a host that takes in DQ at `at` can rely on it.
    pub(super) fn check_nvddr_sample(&mut self, at: Instant) {
        let Some(window) = self.ddr.output.window(at) else { return };
        if window.holds(at) {
            return;
        }
        let is_early = at < window.from;
        let (edge, parameter) = if is_early { window.opens } else { window.closes };
        let bound = if is_early { window.from } else { window.until } - edge;
        let (tag, mode) = (parameter.name(), self.checker.mode_name());
        let limits = if is_early { "not sure until" } else { "held only" };
        let text = format!(
            "{tag}: sampled {} after DQS edge, data {limits} {} ({mode})",
            in_ns(at - edge),
            in_ns(bound)
        );
        let rule = if is_early { Rule::T23 } else { Rule::T24 };
        self.checker.bounded(at, rule, at - edge, bound, text);
    }
}
