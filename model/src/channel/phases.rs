//! One visit of a die on the bus: its cycles with their times in clocks, one function per phase.
//!
//! Clock 0 is the one at whose end CE# falls. A phase begins at the first clock at which it has
//! been offered by the controller and its gap has passed. In SDR a cycle is a strobe that is low
//! and then high; in NV-DDR phases begin where CLK falls and latch where it rises
//! (`rtl/onfi_phy_sdr.sv`, `rtl/onfi_phy_ddr.sv`).

use floatgate_hal::units::Picoseconds;

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

/// From the last edge of DQS to the bytes in the clock of the controller, in clocks: two registers,
/// and a clock for each byte of the pair.
const STROBE_CLOCKS: u64 = 4;
/// tDQSCK, at which a slow die sends.
const DQSCK_PS: u64 = 25_000;

/// A visit as it is laid out.
#[derive(Debug)]
pub(super) struct Visit<'g> {
    gaps: &'g Gaps,
    clock_ps: u64,
    /// What the die sees, with the clock of the (last) edge that latches.
    pub(super) actions: Vec<(u64, Action)>,
    /// The last edge that latched, or CE# low.
    strobe: u64,
    /// No cycle yet.
    is_first: bool,
    /// The last edge that latched was that of a read: CE# need not be held.
    was_read: bool,
    /// From when the controller offers the next phase.
    offered: u64,
    /// NV-DDR: from when DQ is not driven by the host.
    undriven: u64,
    /// From when nothing is to be captured any more.
    quiet: u64,
    /// When all bytes have come.
    arrived: u64,
    /// Until when the host may not drive, because a die did.
    turn: u64,
    /// Clocks of data and status bursts.
    pub(super) burst_clocks: u64,
}

impl<'g> Visit<'g> {
    /// CE# falls, `turn` clocks before the host may drive.
    pub(super) fn select(gaps: &'g Gaps, clock: Picoseconds, turn: u64) -> Self {
        Self {
            gaps,
            clock_ps: clock.0,
            actions: Vec::new(),
            strobe: 0,
            is_first: true,
            was_read: false,
            offered: 1,
            undriven: 1,
            quiet: 1,
            arrived: 0,
            turn,
            burst_clocks: 0,
        }
    }

    /// Whether it goes over NV-DDR.
    pub(super) fn is_ddr(&self) -> bool {
        self.gaps.half != 0
    }

    /// A command or address cycle.
    pub(super) fn latch(&mut self, cycle: Cycle) {
        let gap = match (self.is_first, self.is_ddr()) {
            (true, true) => 0,
            (true, false) => self.gaps.cs,
            _ => self.gaps.next,
        };
        let begin = self.fall((self.strobe + gap).max(self.turn).max(self.offered));
        self.strobe = if self.is_ddr() { self.rise(begin) } else { begin + self.gaps.wp };
        self.offered = begin + 1;
        self.undriven = self.fall(begin + 1) + 1;
        (self.is_first, self.was_read) = (false, false);
        self.quiet = self.strobe + 1;
        self.actions.push((self.strobe, Action::Latch(cycle)));
    }

    /// Bytes into the die, as many as cross the bus.
    pub(super) fn data_in(&mut self, bytes: u64, wait: Wait) {
        let gaps = self.gaps;
        let gap = if wait == Wait::Ccs { gaps.ccs_in } else { gaps.adl };
        let earliest = (self.strobe + gap).max(self.turn).max(self.offered);
        if self.is_ddr() {
            // DQS is driven for a period of CLK before the first cycle.
            let driven = self.fall(self.offered) + self.period();
            let last = self.fall(driven.max(earliest)) + (bytes.div_ceil(2) - 1) * self.period();
            self.strobe = last + gaps.half;
            // The edges of DQS come a period later; tWPST is two more.
            self.offered = last + 4 * self.period() + 1;
            self.burst_clocks += bytes.div_ceil(2) * self.period();
        } else {
            let last = earliest + (bytes - 1) * (gaps.wp + gaps.next);
            self.strobe = last + gaps.wp;
            self.offered = last + 1;
            self.burst_clocks += bytes * (gaps.wp + gaps.next);
        }
        self.undriven = self.offered;
        (self.is_first, self.was_read) = (false, false);
        self.quiet = self.strobe + 1;
        // In NV-DDR the last byte comes with the fall of DQS, a period and a half later.
        self.actions.push((self.strobe + 3 * gaps.half, Action::DataIn));
    }

    /// Bytes out of the die, as many as cross the bus.
    pub(super) fn data_out(&mut self, bytes: u64, wait: Wait, action: Action) {
        let gaps = self.gaps;
        let gap = match wait {
            Wait::Select => gaps.cr,
            Wait::Ccs => gaps.ccs_out,
            Wait::Whr | Wait::Adl => gaps.whr,
        };
        let is_status = action == Action::Status;
        // A burst into the stream opens that first.
        let offered = self.offered + u64::from(!is_status);
        let over = if self.is_ddr() {
            self.data_out_ddr(bytes, gap, offered, is_status)
        } else {
            let cycle = gaps.rp + gaps.reh;
            let last = offered.max(self.strobe + gap) + (bytes - 1) * cycle;
            self.strobe = last + gaps.rp;
            self.turn = self.strobe + gaps.rhw;
            self.quiet = (self.strobe + 1).max(last + gaps.capture);
            self.arrived = last + gaps.capture + 2;
            self.burst_clocks += bytes * cycle;
            if is_status { self.quiet.max(last + gaps.capture + 1) } else { last + 1 }
        };
        self.offered = over + u64::from(!is_status);
        (self.is_first, self.was_read) = (false, true);
        self.actions.push((self.strobe, action));
    }

    /// The clock in which the burst is over.
    fn data_out_ddr(&mut self, bytes: u64, gap: u64, offered: u64, is_status: bool) -> u64 {
        let gaps = self.gaps;
        let turned = self.turn_point(offered.max(self.undriven));
        let first = self.fall((turned + gaps.wrck.max(1)).max(self.strobe + gap));
        let last = first + (bytes.div_ceil(2) - 1) * self.period();
        self.strobe = self.rise(last);
        let end = self.fall((self.strobe + 2).max(self.strobe + gaps.ckwr));
        self.turn = (self.strobe + gaps.rhw).max(end + 1 + gaps.free);
        // DQS falls half a period after the edge that tDQSCK counts from, and is delayed a quarter.
        let strobes = (DQSCK_PS + 3 * gaps.half * self.clock_ps / 2).div_ceil(self.clock_ps);
        self.arrived = self.strobe + strobes + STROBE_CLOCKS;
        self.quiet = end + 1;
        self.burst_clocks += bytes.div_ceil(2) * self.period();
        if is_status { (end + 1).max(self.arrived) } else { end }
    }

    /// NV-DDR: when W/R# can fall: as CLK does, or far enough before its rise.
    fn turn_point(&self, earliest: u64) -> u64 {
        let fall = self.fall(earliest);
        let low = (earliest..fall).find(|&clock| {
            let rise = self.next_rise(clock);
            clock > 1 && rise - clock < self.low_clocks(rise) && rise - clock >= self.gaps.ch
        });
        low.unwrap_or(fall)
    }

    /// The clock at whose end CE# rises.
    pub(super) fn release(&self) -> u64 {
        let held = if self.was_read { 0 } else { self.strobe + self.gaps.ch };
        let earliest = self.offered.max(held).max(self.quiet);
        if !self.is_ddr() {
            return earliest;
        }
        let may_stop = |&clock: &u64| {
            let rise = self.next_rise(clock);
            let is_low = rise - clock < self.low_clocks(rise);
            let since_rise = self.period().saturating_sub(rise - clock);
            rise != clock && (is_low || since_rise >= self.gaps.ch)
        };
        (earliest..).find(may_stop).expect("CLK is low again and again")
    }

    /// The clock in which the controller lets go: CE# is high, and all bytes have come.
    pub(super) fn leave(&self) -> u64 {
        (self.release() + 1).max(self.arrived)
    }

    /// The last edge that latched.
    pub(super) fn last_strobe(&self) -> u64 {
        self.strobe
    }

    /// Until when, in clocks of this visit, the host may not drive.
    pub(super) fn turn(&self) -> u64 {
        self.turn
    }

    fn period(&self) -> u64 {
        2 * self.gaps.half
    }

    /// NV-DDR: the first rise of CLK.
    fn first_rise(&self) -> u64 {
        self.gaps.cs.max(self.gaps.half)
    }

    /// The rise of CLK at or after a clock.
    fn next_rise(&self, clock: u64) -> u64 {
        let first = self.first_rise();
        first + clock.saturating_sub(first).next_multiple_of(self.period())
    }

    /// For how long CLK is low before a rise.
    fn low_clocks(&self, rise: u64) -> u64 {
        if rise == self.first_rise() { rise } else { self.gaps.half }
    }

    /// The rise of CLK after a fall of it.
    fn rise(&self, fall: u64) -> u64 {
        self.next_rise(fall)
    }

    /// The first clock, not before `earliest`, at which a phase can begin: in NV-DDR the first one
    /// with CE# low, or one at whose end CLK falls.
    fn fall(&self, earliest: u64) -> u64 {
        if !self.is_ddr() || earliest <= 1 {
            return earliest.max(1);
        }
        let first = self.first_rise() + self.gaps.half;
        first + earliest.saturating_sub(first).next_multiple_of(self.period())
    }
}

#[cfg(test)]
mod tests {
    use floatgate_hal::flash::mode::{DataInterface, DieTiming, TimingMode};
    use floatgate_hal::flash::timing::registers;

    use super::*;

    /// A page read's first visit and its data, in ns, as worked out from the ONFI minima.
    fn page_read(interface: DataInterface, mode: u8, bytes: u64, clock_ns: u64) -> (u64, u64) {
        let mode = TimingMode { interface, mode };
        let timing = DieTiming { mode, ..DieTiming::default() };
        let gaps = Gaps::from(registers(&timing, Picoseconds(1000 * clock_ns)).unwrap());
        let mut issue = Visit::select(&gaps, Picoseconds(1000 * clock_ns), 0);
        issue.latch(Cycle::Command(0x00));
        (0..5).for_each(|_| issue.latch(Cycle::Address(0)));
        issue.latch(Cycle::Command(0x30));
        let mut data = Visit::select(&gaps, Picoseconds(1000 * clock_ns), 0);
        data.data_out(bytes, Wait::Select, Action::DataOut);
        (clock_ns * issue.release(), clock_ns * data.release())
    }

    /// At 1 ns a clock: tCS3, seven cycles of tWC of which the last ends with WE# high, tCH.
    #[test]
    fn sdr_visits_are_sums_of_onfi_gaps() {
        let (issue, data) = page_read(DataInterface::Sdr, 5, 8936, 1);
        assert_eq!(issue, 100 + 6 * 20 + 5);
        // tCR2, cycles of tRC up to the last fall, and capture at tREA.
        assert_eq!(data, 100 + 8935 * 20 + 16);
        let (issue, _) = page_read(DataInterface::Sdr, 0, 1, 1);
        assert_eq!(issue, 100 + 6 * 100 + 20);
    }

    /// At 5 ns and CLK of 10 ns: tCAD of 45 ns becomes 50 ns.
    #[test]
    fn nv_ddr_visits_are_whole_periods_of_clk() {
        let (issue, data) = page_read(DataInterface::NvDdr, 5, 8936, 5);
        // tCS up to the rise of CLK that latches the command, six more cycles, tCH.
        assert_eq!(issue, 15 + 6 * 50 + 5);
        let burst = 4468 * 10;
        assert!(data.abs_diff(burst) < 150, "{data} ns for a burst of {burst}");
    }
}
