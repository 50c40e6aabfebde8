//! One visit of a die on the bus: its cycles with their times in clocks, one function per phase.
//!
//! Clock 0 is the one at whose end CE# falls. A phase begins at the first clock at which it has
//! been offered by the controller and its gap has passed. In SDR a cycle is a strobe that is low
//! and then high; in NV-DDR phases begin where CLK falls and latch where it rises
//! (`rtl/onfi_phy_sdr.sv`, `rtl/onfi_phy_ddr.sv`).

use super::registers::Gaps;
use crate::die::Cycle;

/// What a data burst waits for, after the cycle before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// tCS or tCR: it is the first of the visit.
    Select,
    /// tADL.
    Adl,
    /// tCCS.
    Ccs,
    /// tWHR.
    Whr,
}

/// What the die sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A command or an address.
    Latch(Cycle),
    /// The data of the operation, into the die.
    DataIn,
    /// The data of the operation, out of the die.
    DataOut,
    /// A byte of status.
    Status,
}

/// A visit as it is laid out.
#[derive(Debug)]
pub(super) struct Visit<'g> {
    gaps: &'g Gaps,
    /// What the die sees, with the clock of the (last) edge that latches.
    pub(super) actions: Vec<(u64, Action)>,
    /// The last edge that latched, or CE# low.
    strobe: u64,
    /// No cycle yet.
    is_first: bool,
    /// From when the controller offers the next phase.
    offered: u64,
    /// Until when the host may not drive, because a die did.
    turn: u64,
    /// Clocks of data and status bursts.
    pub(super) burst_clocks: u64,
}

impl<'g> Visit<'g> {
    /// CE# falls, `turn` clocks before the host may drive.
    pub(super) fn select(gaps: &'g Gaps, turn: u64) -> Self {
        let (actions, strobe, burst_clocks) = (Vec::new(), 0, 0);
        Self { gaps, actions, strobe, is_first: true, offered: 1, turn, burst_clocks }
    }

    /// Whether it goes over NV-DDR.
    pub(super) fn is_ddr(&self) -> bool {
        self.gaps.half != 0
    }

    /// A command or address cycle.
    pub(super) fn latch(&mut self, cycle: Cycle) {
        let gap = if self.is_first { self.gaps.cs } else { self.gaps.next };
        let begin = self.fall((self.strobe + gap).max(self.turn));
        self.strobe = begin + if self.is_ddr() { self.gaps.half } else { self.gaps.wp };
        self.offered = begin + 1;
        self.is_first = false;
        self.actions.push((self.strobe, Action::Latch(cycle)));
    }

    /// Bytes into the die, as many as cross the bus.
    pub(super) fn data_in(&mut self, bytes: u64, wait: Wait) {
        let gaps = self.gaps;
        let gap = if wait == Wait::Ccs { gaps.ccs_in } else { gaps.adl };
        let earliest = (self.strobe + gap).max(self.turn);
        let last = if self.is_ddr() {
            // DQS is driven for a period of CLK before the first cycle.
            let driven = self.fall(0) + self.period();
            self.fall(driven.max(earliest)) + (bytes.div_ceil(2) - 1) * self.period()
        } else {
            self.fall(earliest) + (bytes - 1) * (gaps.wp + gaps.next)
        };
        if self.is_ddr() {
            self.strobe = last + gaps.half;
            // The edges of DQS come a period later; tWPST is two more.
            self.offered = last + 4 * self.period() + 1;
            self.burst_clocks += bytes.div_ceil(2) * self.period();
        } else {
            self.strobe = last + gaps.wp;
            self.offered = last + 1;
            self.burst_clocks += bytes * (gaps.wp + gaps.next);
        }
        self.actions.push((self.strobe, Action::DataIn));
    }

    /// Bytes out of the die, as many as cross the bus.
    pub(super) fn data_out(&mut self, bytes: u64, wait: Wait, action: Action) {
        let gaps = self.gaps;
        let gap = match wait {
            Wait::Select => gaps.cr,
            Wait::Ccs => gaps.ccs_out,
            Wait::Whr | Wait::Adl => gaps.whr,
        };
        if self.is_ddr() {
            self.data_out_ddr(bytes.div_ceil(2), gap);
        } else {
            let cycle = gaps.rp + gaps.reh;
            let last = self.fall(self.strobe + gap) + (bytes - 1) * cycle;
            self.strobe = last + gaps.rp;
            self.turn = self.strobe + gaps.rhw;
            // The captured byte goes through a register before the burst is over.
            self.offered = (last + gaps.capture + 3).max(self.strobe + 2);
            self.burst_clocks += bytes * cycle;
        }
        // What the status says takes a clock to look at.
        self.offered += u64::from(action == Action::Status);
        self.is_first = false;
        self.actions.push((self.strobe, action));
    }

    fn data_out_ddr(&mut self, cycles: u64, gap: u64) {
        let gaps = self.gaps;
        // W/R# falls when the cycle before is over.
        let over = if self.is_first { 0 } else { self.strobe + gaps.half + 1 };
        let turned = self.fall(over);
        let first = self.fall((turned + self.period().max(gaps.wrck)).max(self.strobe + gap));
        let last = first + (cycles - 1) * self.period();
        self.strobe = last + gaps.half;
        let end = self.fall((last + 2 * self.period()).max(self.strobe + gaps.ckwr));
        self.turn = (self.strobe + gaps.rhw).max(end + gaps.free);
        self.offered = end + 1;
        self.burst_clocks += cycles * self.period();
    }

    /// The clock at whose end CE# rises.
    pub(super) fn release(&self) -> u64 {
        let over = if self.is_ddr() { self.strobe + self.gaps.half + 1 } else { self.strobe };
        self.fall(over.max(self.strobe + self.gaps.ch))
    }

    /// Until when, in clocks of this visit, the host may not drive.
    pub(super) fn turn(&self) -> u64 {
        self.turn
    }

    fn period(&self) -> u64 {
        2 * self.gaps.half
    }

    /// The first clock, not before `earliest`, at which the next phase can begin.
    fn fall(&self, earliest: u64) -> u64 {
        let earliest = earliest.max(self.offered);
        if self.is_ddr() { earliest.next_multiple_of(self.period()) } else { earliest }
    }
}

#[cfg(test)]
mod tests {
    use floatgate_hal::flash::mode::{DataInterface, DieTiming, TimingMode};
    use floatgate_hal::flash::timing::registers;
    use floatgate_hal::units::Picoseconds;

    use super::*;

    /// A page read's first visit and its data, in ns, as worked out from the ONFI minima.
    fn page_read(interface: DataInterface, mode: u8, bytes: u64, clock_ns: u64) -> (u64, u64) {
        let mode = TimingMode { interface, mode };
        let timing = DieTiming { mode, ..DieTiming::default() };
        let gaps = Gaps::from(registers(&timing, Picoseconds(1000 * clock_ns)).unwrap());
        let mut issue = Visit::select(&gaps, 0);
        issue.latch(Cycle::Command(0x00));
        (0..5).for_each(|_| issue.latch(Cycle::Address(0)));
        issue.latch(Cycle::Command(0x30));
        let mut data = Visit::select(&gaps, 0);
        data.data_out(bytes, Wait::Select, Action::DataOut);
        (clock_ns * issue.release(), clock_ns * data.release())
    }

    /// At 1 ns a clock: tCS3, seven cycles of tWC of which the last ends with WE# high, tCH.
    #[test]
    fn sdr_visits_are_sums_of_onfi_gaps() {
        let (issue, data) = page_read(DataInterface::Sdr, 5, 8936, 1);
        assert_eq!(issue, 100 + 6 * 20 + 5);
        // tCR2, cycles of tRC up to the last fall, capture at tREA, and three clocks.
        assert_eq!(data, 100 + 8935 * 20 + 16 + 3);
        let (issue, _) = page_read(DataInterface::Sdr, 0, 1, 1);
        assert_eq!(issue, 100 + 6 * 100 + 20);
    }

    /// At 5 ns and CLK of 10 ns: tCAD of 45 ns becomes 50 ns.
    #[test]
    fn nv_ddr_visits_are_whole_periods_of_clk() {
        let (issue, data) = page_read(DataInterface::NvDdr, 5, 8936, 5);
        assert_eq!(issue, 10 + 6 * 50 + 20);
        let burst = 4468 * 10;
        assert!(data.abs_diff(burst) < 150, "{data} ns for a burst of {burst}");
    }
}
