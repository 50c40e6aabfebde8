//! The pads of the controller RTL: its pins on one side, wires with dies on the other.
//!
//! In: clock edges. Out: each change of a pin goes to the wires at its time, each change of the
//! wires to the RTL. Between two changes the clock runs in C++ alone. The delay line that a chip
//! has behind the pad of DQS, a quarter of CLK, is here: the RTL sees each edge of DQS, and DQ as
//! of then, that much later.

use std::collections::VecDeque;

use floatgate_hal::units::Picoseconds;
use floatgate_model::pins::{HostPins, Level, Octet, TARGETS_MAX};
use verilated::{Error, Model, PinBatch, Strobe};

use super::wires::Wires;
use crate::dut::OnfiControllerPorts;

/// Edges of the clock for which edges of DQS are looked up ahead of time: those of a clock.
const AHEAD_EDGES: u64 = 2;

/// Pins of the RTL in front of wires.
pub(super) struct Pads<W> {
    pub(super) wires: W,
    ports: OnfiControllerPorts,
    dies: usize,
    half_ps: u64,
    now_ps: u64,
    is_high: bool,
    host: HostPins,
    /// When R/B# and DQS may next change.
    next_ready: Option<Picoseconds>,
    next_strobe: Option<Picoseconds>,
    /// DQS as far as it was looked at, and its edges in the delay line.
    dqs: bool,
    in_line: VecDeque<Delayed>,
    /// Those of a batch.
    strobes: Vec<Strobe>,
    /// The delay for each die.
    pub(super) quarter_ps: [u64; TARGETS_MAX],
}

/// An edge of DQS in the delay line.
#[derive(Clone, Copy)]
struct Delayed {
    came_ps: u64,
    leaves_ps: u64,
    level: bool,
}

/// How far a batch has come.
pub(super) struct Ran {
    pub(super) edges: u64,
    /// Bytes that the RTL has taken.
    pub(super) bytes: usize,
}

impl<W: Wires> Pads<W> {
    pub(super) fn new(
        wires: W,
        ports: OnfiControllerPorts,
        dies: usize,
        clock: Picoseconds,
    ) -> Self {
        assert!(dies <= TARGETS_MAX, "{dies} dies on one channel");
        assert!(clock.0 >= 2 && clock.0.is_multiple_of(2), "a clock of {clock} has no half");
        Self {
            wires,
            ports,
            dies,
            half_ps: clock.0 / 2,
            now_ps: 0,
            is_high: true,
            host: HostPins::IDLE,
            next_ready: None,
            next_strobe: None,
            dqs: false,
            in_line: VecDeque::new(),
            strobes: Vec::new(),
            quarter_ps: [0; TARGETS_MAX],
        }
    }

    /// The time of the last clock edge.
    pub(super) fn now(&self) -> Picoseconds {
        Picoseconds(self.now_ps)
    }

    /// When R/B# of a die may next change.
    pub(super) fn next_ready(&self) -> Option<Picoseconds> {
        self.next_ready
    }

    /// Whether the clock is high: the next edge begins a clock.
    pub(super) fn is_high(&self) -> bool {
        self.is_high
    }

    /// Lets time pass without clock edges.
    pub(super) fn jump(&mut self, span: Picoseconds) {
        self.now_ps += span.0;
    }

    /// Tells the RTL what the wires carry at the beginning.
    pub(super) fn connect(&mut self, model: &mut Model) {
        self.look_at_ready(model, Picoseconds(0));
    }

    /// Up to so many edges of the clock, at least one. They end with one with which something
    /// changes that the wires or the streams' other ends have to see. `bytes` go into the stream
    /// meanwhile.
    pub(super) fn run(
        &mut self,
        model: &mut Model,
        edges: u64,
        bytes: &[u8],
    ) -> Result<Ran, Error> {
        let edges = edges.min(self.look_ahead(model));
        let captured = self.captured(model, edges);
        self.collect_strobes(edges);
        let batch = PinBatch { edges, bytes, strobes: &self.strobes, captured };
        let run = model.run_pins(&batch)?;
        self.in_line.drain(..run.strobes);
        self.now_ps += run.edges * self.half_ps;
        self.is_high ^= run.edges % 2 == 1;
        if self.read_pins(model) {
            self.step_wires();
        }
        Ok(Ran { edges: run.edges, bytes: run.bytes })
    }

    /// The wires learn of the pins. What was said of DQS after now does not hold any more.
    fn step_wires(&mut self) {
        let now = self.now();
        self.wires.step(now, &self.host);
        self.next_ready = self.wires.next_ready(now);
        self.next_strobe = self.wires.next_strobe(now);
        while let Some(&last) = self.in_line.back()
            && last.came_ps > now.0
        {
            self.in_line.pop_back();
            self.dqs = !last.level;
        }
    }

    /// Looks at R/B# up to the next edge, and at DQS for a clock; for how many edges of the clock
    /// nothing else changes.
    fn look_ahead(&mut self, model: &mut Model) -> u64 {
        let next_ps = self.now_ps + self.half_ps;
        while let Some(at) = self.next_ready.filter(|at| at.0 <= next_ps) {
            self.look_at_ready(model, at);
        }
        let ahead_ps = self.now_ps + AHEAD_EDGES * self.half_ps;
        while let Some(at) = self.next_strobe.filter(|at| at.0 <= ahead_ps) {
            self.look_at_strobe(at);
        }
        let change_ps = self.next_ready.map_or(u64::MAX, |at| at.0);
        let alone = (change_ps - self.now_ps - 1) / self.half_ps;
        let is_still = self.next_strobe.is_none() && self.in_line.is_empty();
        if is_still { alone } else { alone.min(AHEAD_EDGES) }
    }

    /// Tells the RTL of R/B# as it is from a time on.
    fn look_at_ready(&mut self, model: &mut Model, at: Picoseconds) {
        let rb_n = self.wires.levels(at).rb_n;
        let ready = (0..self.dies).filter(|&die| rb_n[die].is_high());
        model.set(self.ports.rb_ni, ready.fold(0, |bits, die| bits | 1 << die));
        self.next_ready = self.wires.next_ready(at);
    }

    /// Puts an edge of DQS that comes at this time into the delay line.
    fn look_at_strobe(&mut self, at: Picoseconds) {
        let level = self.wires.strobe(at).is_high();
        if level != self.dqs && self.host.dqs == Level::Floating {
            let selected = (0..self.dies).find(|&die| self.host.ce_n[die].is_low());
            let delay_ps = selected.map_or(0, |die| self.quarter_ps[die]);
            self.in_line.push_back(Delayed { came_ps: at.0, leaves_ps: at.0 + delay_ps, level });
        }
        self.dqs = level;
        self.next_strobe = self.wires.next_strobe(at);
    }

    /// What the RTL captures with the rise of the clock, if that is one of the next edges.
    fn captured(&mut self, model: &Model, edges: u64) -> Option<u8> {
        let edges_to_rise = if self.is_high { 2 } else { 1 };
        let captures = edges >= edges_to_rise && model.get(self.ports.capture_o) == 1;
        captures.then(|| self.sample(self.now_ps + edges_to_rise * self.half_ps))
    }

    /// DQ as it is at a time.
    fn sample(&mut self, at_ps: u64) -> u8 {
        let Octet { value, driven, .. } = self.wires.sample(Picoseconds(at_ps));
        // Wires that nobody drives are pulled up.
        (value & driven) | !driven
    }

    /// The edges of DQS that leave the delay line before so many edges of the clock are over.
    fn collect_strobes(&mut self, edges: u64) {
        self.strobes.clear();
        for index in 0..self.in_line.len() {
            let Delayed { leaves_ps, level: dqs, .. } = self.in_line[index];
            let span_ps = leaves_ps.saturating_sub(self.now_ps);
            let edges_before = span_ps.div_ceil(self.half_ps).saturating_sub(1);
            if edges_before >= edges {
                break;
            }
            let dq = self.sample(leaves_ps);
            self.strobes.push(Strobe { edges_before, dqs, dq });
        }
    }

    /// Whether the pins are others than before.
    fn read_pins(&mut self, model: &Model) -> bool {
        let before = self.host;
        let ports = &self.ports;
        let level = |port| Level::from(model.get(port) == 1);
        self.host.dq = match model.get(ports.dq_oe_o) {
            0 => Octet::FLOATING,
            _ => Octet::driving(model.get(ports.dq_o) as u8),
        };
        let enables = model.get(ports.ce_no);
        for die in 0..self.dies {
            self.host.ce_n[die] = Level::from(enables >> die & 1 == 1);
        }
        self.host.cle = level(ports.cle_o);
        self.host.ale = level(ports.ale_o);
        self.host.we_n = level(ports.we_no);
        self.host.re_n = level(ports.re_no);
        self.host.wp_n = level(ports.wp_no);
        self.host.dqs =
            if model.get(ports.dqs_oe_o) == 1 { level(ports.dqs_o) } else { Level::Floating };
        self.host != before
    }
}
