//! A burst of data in over NV-DDR: DQS edges counted against the clocks that announced them, each
//! held against CLK, DQ and the edge before.

use super::behind::Behind;
use super::bus::{Bus, Changes, Instant, NEVER};
use super::level::Octet;
use super::target::PinTarget;
use super::timing::Parameter;
use crate::die::{Cycle, Rule};

/// Bounds in hundredths of the clock's period: of one DQS phase in a burst, of the first DQS edge,
/// of a falling DQS edge beside CLK, of DQS low before and after a burst.
const DQS_PHASE: (Instant, Instant) = (40, 60);
const FIRST_EDGE: (Instant, Instant) = (75, 125);
pub(super) const FALL_BESIDE_CLOCK: Instant = 20;
const AMBLE: Instant = 150;

/// A burst of data in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    /// CLK rises with CLE and ALE high; two bytes go with each.
    pub(super) cycles: u32,
    /// DQS edges.
    pub(super) edges: u32,
    pub(super) first_cycle: Instant,
    pub(super) last_edge: Instant,
    /// The first of two equal bytes.
    first_of_pair: Option<u8>,
    pub(super) has_ended: bool,
}

impl Burst {
    pub(super) const NONE: Self = Self {
        cycles: 0,
        edges: 0,
        first_cycle: NEVER,
        last_edge: NEVER,
        first_of_pair: None,
        has_ended: true,
    };

    /// Its first clock was at `at`.
    pub(super) const fn starting(at: Instant) -> Self {
        Self { cycles: 1, first_cycle: at, has_ended: false, ..Self::NONE }
    }
}

impl<B: Behind> PinTarget<B> {
    pub(super) fn dqs_changed(&mut self, at: Instant, bus: &Bus, changes: Changes) {
        let burst = &self.ddr.burst;
        let is_data = changes.has(Changes::DQS_EDGE)
            && !burst.has_ended
            && burst.edges < 2 * burst.cycles
            && (burst.edges > 0 || bus.dqs.high);
        if is_data {
            self.data_edge(at, bus);
            return;
        }
        self.check_postamble(at);
        if changes.has(Changes::DQS_EDGE) {
            self.checker.fault(at, Rule::I15, "DQS-STRAY: DQS edge while idle");
        }
    }

    /// A DQS edge of a burst: its place beside CLK and the edge before, then its byte.
    fn data_edge(&mut self, at: Instant, bus: &Bus) {
        let burst = self.ddr.burst;
        if burst.edges == 0 {
            let first = at - burst.first_cycle;
            self.check_share(at, Rule::I09, ("tDQSS", "CLK to first DQS"), first, FIRST_EDGE);
            let low = at - bus.dqs_lowered;
            let least = self.share(AMBLE);
            if low < least {
                let name = ("tWPRE", "DQS low before burst");
                self.checker.too_short(at, Rule::I12, name, low, least);
            }
        } else {
            let name = if bus.dqs.high { ("tDQSL", "DQS low") } else { ("tDQSH", "DQS high") };
            self.check_share(at, Rule::I10, name, at - burst.last_edge, DQS_PHASE);
            if bus.dqs.high && burst.edges >= 2 {
                let period = at - bus.dqs.rose_before;
                self.checker.at_least(at, Rule::I10, Parameter::Dsc, "DQS period", period);
            }
        }
        if !bus.dqs.high {
            let (after, least) = (at - bus.we.rose, self.share(FALL_BESIDE_CLOCK));
            if after < least {
                let name = ("tDSH", "CLK high to DQS low");
                self.checker.too_short(at, Rule::I10, name, after, least);
            }
        }
        let set_up = at - bus.dq_changed;
        self.checker.at_least(at, Rule::I11, Parameter::Ds, "DQ set-up", set_up);
        self.ddr.burst.edges += 1;
        self.ddr.burst.last_edge = at;
        self.data_byte(at, bus.pins.dq);
    }

    /// Passes a byte on; a feature's parameters come in pairs of equal bytes.
    fn data_byte(&mut self, at: Instant, dq: Octet) {
        if self.behind.bytes_are_doubled() {
            let Some(byte) = dq.byte() else {
                self.latch(at, Cycle::DataIn, dq);
                return;
            };
            let Some(first) = self.ddr.burst.first_of_pair.take() else {
                self.ddr.burst.first_of_pair = Some(byte);
                return;
            };
            if first != byte {
                let text = format!("NODOUBLE: feature byte pair differs {first:02X}h/{byte:02X}h");
                self.checker.fault(at, Rule::I16, text);
            }
        }
        self.latch(at, Cycle::DataIn, dq);
    }

    pub(super) fn check_postamble(&mut self, at: Instant) {
        let burst = self.ddr.burst;
        if burst.edges == 0 {
            return;
        }
        let (low, least) = (at - burst.last_edge, self.share(AMBLE));
        if low < least {
            let name = ("tWPST", "DQS low after burst");
            self.checker.too_short(at, Rule::I12, name, low, least);
        }
    }

    /// No more data edges belong to the burst.
    pub(super) fn end_burst(&mut self, at: Instant) {
        let burst = &mut self.ddr.burst;
        if burst.has_ended {
            return;
        }
        burst.has_ended = true;
        let (edges, wanted) = (burst.edges, 2 * burst.cycles);
        if edges != wanted {
            let text = format!("ODD: {edges} bytes in NV-DDR, {wanted} for its clocks");
            self.checker.fault(at, Rule::I08, text);
        }
    }
}
