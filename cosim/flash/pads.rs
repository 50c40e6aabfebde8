//! The pads of the controller RTL: its pins on one side, wires with dies on the other.
//!
//! In: clock edges. Out: each change of a pin goes to the wires at its time, each change of the
//! wires to the RTL. The delay line that a chip has behind the pad of DQS, a quarter of CLK, is
//! here: the RTL sees each edge of DQS, and DQ as of then, that much later.

use std::collections::VecDeque;

use floatgate_hal::units::Picoseconds;
use floatgate_model::pins::{HostPins, Level, Octet, TARGETS_MAX};
use verilated::{Error, Model};

use super::wires::Wires;
use crate::dut::OnfiControllerPorts;

/// Pins of the RTL in front of wires.
pub(super) struct Pads<W> {
    pub(super) wires: W,
    ports: OnfiControllerPorts,
    dies: usize,
    half_ps: u64,
    now_ps: u64,
    host: HostPins,
    next_change: Option<Picoseconds>,
    /// Edges of DQS that are in the delay line, with the time at which they leave it.
    strobes: VecDeque<(u64, bool)>,
    dqs: bool,
    /// The delay for each die.
    pub(super) quarter_ps: [u64; TARGETS_MAX],
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
        let next_change = wires.next_change(Picoseconds(0));
        Self {
            wires,
            ports,
            dies,
            half_ps: clock.0 / 2,
            now_ps: 0,
            host: HostPins::IDLE,
            next_change,
            strobes: VecDeque::new(),
            dqs: false,
            quarter_ps: [0; TARGETS_MAX],
        }
    }

    /// The time of the last clock edge.
    pub(super) fn now(&self) -> Picoseconds {
        Picoseconds(self.now_ps)
    }

    /// When the wires will next change by themselves.
    pub(super) fn next_change(&self) -> Option<Picoseconds> {
        self.next_change
    }

    /// Lets time pass without clock edges.
    pub(super) fn jump(&mut self, span: Picoseconds) {
        self.now_ps += span.0;
    }

    /// Tells the RTL what the wires carry at the beginning.
    pub(super) fn connect(&mut self, model: &mut Model) {
        self.look(model, 0);
    }

    /// Half a clock passes, and the clock goes to `level`.
    pub(super) fn edge(&mut self, model: &mut Model, level: bool) -> Result<(), Error> {
        let at_ps = self.now_ps + self.half_ps;
        self.follow_wires(model, at_ps)?;
        if level && model.get(self.ports.capture_o) == 1 {
            self.capture(model, at_ps);
        }
        model.set_clock(level)?;
        self.now_ps = at_ps;
        let before = self.host;
        self.read_pins(model, level);
        if self.host != before {
            self.wires.step(Picoseconds(at_ps), &self.host);
            self.next_change = self.wires.next_change(Picoseconds(at_ps));
        }
        Ok(())
    }

    /// Takes DQ in as it is at a time.
    fn capture(&mut self, model: &mut Model, at_ps: u64) {
        let Octet { value, driven, .. } = self.wires.sample(Picoseconds(at_ps));
        // Wires that nobody drives are pulled up.
        model.set(self.ports.dq_i, u64::from((value & driven) | !driven));
    }

    /// What happens on the wires until a time, in its order.
    fn follow_wires(&mut self, model: &mut Model, until_ps: u64) -> Result<(), Error> {
        loop {
            let change = self.next_change.map(|at| at.0).filter(|&at| at <= until_ps);
            let strobe = self.strobes.front().copied().filter(|&(at, _)| at <= until_ps);
            match (change, strobe) {
                (None, None) => return Ok(()),
                (Some(at), strobe) if strobe.is_none_or(|(leaves, _)| at <= leaves) => {
                    self.look(model, at);
                }
                (_, Some((at, level))) => {
                    self.strobes.pop_front();
                    self.capture(model, at);
                    model.set(self.ports.dqs_i, level.into());
                    model.eval()?;
                }
                (Some(_), None) => unreachable!("a change without a strobe has its arm"),
            }
        }
    }

    /// Looks at R/B# and DQS as they are from a time on.
    fn look(&mut self, model: &mut Model, at_ps: u64) {
        let at = Picoseconds(at_ps);
        let levels = self.wires.levels(at);
        let ready = (0..self.dies).filter(|&die| levels.rb_n[die].is_high());
        model.set(self.ports.rb_ni, ready.fold(0, |bits, die| bits | 1 << die));
        let dqs = levels.dqs.is_high();
        if dqs != self.dqs && self.host.dqs == Level::Floating {
            let selected = (0..self.dies).find(|&die| self.host.ce_n[die].is_low());
            let delay_ps = selected.map_or(0, |die| self.quarter_ps[die]);
            self.strobes.push_back((at_ps + delay_ps, dqs));
        }
        self.dqs = dqs;
        self.next_change = self.wires.next_change(at);
    }

    /// With the falling edge of the clock, only DQ changes.
    fn read_pins(&mut self, model: &Model, all: bool) {
        let ports = &self.ports;
        self.host.dq = match model.get(ports.dq_oe_o) {
            0 => Octet::FLOATING,
            _ => Octet::driving(model.get(ports.dq_o) as u8),
        };
        if !all {
            return;
        }
        let level = |port| Level::from(model.get(port) == 1);
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
    }
}
