//! Power-up, power loss and resets.

use floatgate_hal::flash::address::LunIndex;
use floatgate_hal::units::Picoseconds;

use super::decode::Decoder;
use super::output::Output;
use super::{Target, after, us};
use crate::die::lun::{BusyKind, Job, Work};
use crate::die::rules::{Diagnostic, Quantity, Rule};
use crate::die::{Interface, TimingMode};

/// Whether the reset that must come first has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstReset {
    /// Not yet.
    Awaited,
    /// It ends then.
    Until(Picoseconds),
}

/// The supply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Power {
    pub(super) good_since: Picoseconds,
    pub(super) first_reset: FirstReset,
}

impl Target {
    /// Cuts the power at `at` and gives it back at once. Jobs stay half done, registers and
    /// features are lost, and the first command has to be FFh again.
    pub fn power_cut(&mut self, at: Picoseconds) {
        self.advance(at);
        if self.is_dead() {
            return;
        }
        for index in 0..self.part.layout.luns {
            self.cut(LunIndex(index));
        }
        self.power = Power { good_since: at, first_reset: FirstReset::Awaited };
        self.leave_interface();
        self.features.clear();
        self.decoder = Decoder::default();
        self.output = Output::default();
        self.interleaved = false;
    }

    /// When R/B# is first valid.
    pub(super) fn power_good(&self) -> Picoseconds {
        after(self.power.good_since, us(self.part.timing.t_power_up_us))
    }

    /// Checks that a command comes neither too early after power-up nor before the first reset.
    pub(super) fn power_allows(&mut self, opcode: u8) -> bool {
        let now = self.now;
        if now < self.power_good() {
            let since = now.0 - self.power.good_since.0;
            let wanted = us(self.part.timing.t_power_up_us);
            let (since, wanted) = (time(since), time(wanted));
            let text = format!("PWRUP: command {since} after power good, {wanted} needed");
            self.tell(Diagnostic::new(Rule::P10, now, text).with(since, wanted));
            return false;
        }
        match self.power.first_reset {
            FirstReset::Awaited if opcode != 0xFF => {
                let text = format!("RST-FIRST: command {opcode:02X}h before the first FFh");
                let figures = (Quantity::Opcode(opcode), Quantity::Opcode(0xFF));
                self.tell(Diagnostic::new(Rule::P09, now, text).with(figures.0, figures.1));
                false
            }
            FirstReset::Until(end) if now < end && opcode == 0x78 => {
                let text = "78H-INIT: 78h before first reset ended".to_owned();
                let left = time(end.0 - now.0);
                self.tell(Diagnostic::new(Rule::P11, now, text).with(time(0), left));
                false
            }
            _ => true,
        }
    }

    /// FFh.
    pub(super) fn reset(&mut self) {
        let span_us = (0..self.part.layout.luns)
            .map(|index| self.reset_us(LunIndex(index)))
            .fold(0.0, f64::max);
        let span_us = match self.power.first_reset {
            FirstReset::Awaited => self.part.timing.t_rst_first_us,
            FirstReset::Until(_) => span_us,
        };
        self.reset_all(span_us);
        if self.power.first_reset == FirstReset::Awaited {
            let end = after(self.falls(), us(span_us));
            self.power.first_reset = FirstReset::Until(end);
        }
        let before = self.interface;
        self.leave_interface();
        if before != Interface::Sdr {
            self.reset_from = Some(before);
        }
        self.features.remove(&super::features::TIMING_MODE);
    }

    /// FCh: interface and mode stay.
    pub(super) fn synchronous_reset(&mut self) {
        let spans = (0..self.part.layout.luns).map(|index| self.reset_us(LunIndex(index)));
        let span_us = spans.fold(0.0, f64::max);
        self.reset_all(span_us);
    }

    /// FAh.
    pub(super) fn reset_lun(&mut self, lun: LunIndex) {
        let span_us = self.reset_us(lun);
        self.cut(lun);
        self.statistics.resets += 1;
        let rises = after(self.falls(), us(span_us));
        self.make_busy(lun, BusyKind::Reset, rises);
    }

    fn reset_all(&mut self, span_us: f64) {
        for index in 0..self.part.layout.luns {
            self.cut(LunIndex(index));
        }
        self.decoder = Decoder::default();
        self.output = Output::default();
        self.interleaved = false;
        self.statistics.resets += 1;
        self.make_all_busy(BusyKind::Reset, us(span_us));
    }

    /// tRST of a LUN in its present state.
    fn reset_us(&self, lun: LunIndex) -> f64 {
        let timing = &self.part.timing;
        let running = self.lun(lun).jobs.iter().find(|job| job.end > self.now);
        match running {
            Some(Job { work: Work::Program { .. }, .. }) => timing.t_rst_program_us,
            Some(Job { work: Work::Erase { .. }, .. }) => timing.t_rst_erase_us,
            _ => timing.t_rst_idle_us,
        }
    }

    /// Cuts a LUN's jobs short and forgets its registers.
    fn cut(&mut self, lun: LunIndex) {
        let now = self.now;
        let cuts = self.lun_mut(lun).cut_jobs(now);
        self.lun_mut(lun).clear();
        for cut in cuts {
            for spoilt in cut.spoilt {
                let (upper, lower) = (cut.at.page.0, spoilt.0);
                let text =
                    format!("PAIR-RISK: page {lower} at risk from cut page {upper} on its cells");
                self.tell_rule(Rule::R09, Some(lun), text);
            }
        }
    }

    fn leave_interface(&mut self) {
        self.interface = Interface::Sdr;
        self.mode = TimingMode(0);
        self.reset_from = None;
        self.mode_is_unchecked = false;
    }
}

/// A span as a figure of a diagnostic.
pub(super) fn time(span_ps: u64) -> Quantity {
    Quantity::Time(Picoseconds(span_ps))
}
