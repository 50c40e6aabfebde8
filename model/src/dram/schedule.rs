//! When the commands of a row's bursts can be given: the rules of JESD79-2F and JESD79-3F, as sums
//! of clocks. Nothing waits here; [`Dram`](super::Dram) does.

use super::part::{DramPart, Standard};
use super::usage::RowCase;
use super::{Activity, Direction};

/// The part's times in clocks, with the minima of its standard.
#[derive(Clone, Debug)]
struct Spans {
    /// Data of one burst on the bus, and so the distance of like commands without gaps.
    burst: u64,
    cl: u64,
    cwl: u64,
    rcd: u64,
    rp: u64,
    /// Precharge of all banks, to refresh.
    rp_all: u64,
    ras: u64,
    rc: u64,
    rrd: u64,
    faw: u64,
    rfc: u64,
    refi: u64,
    xp: u64,
    read_to_precharge: u64,
    write_to_precharge: u64,
    read_to_write: u64,
    write_to_read: u64,
}

impl Spans {
    fn new(part: &DramPart) -> Self {
        let timing = &part.timing;
        let clocks = |span_ps: u64| span_ps.div_ceil(timing.clock_ps);
        let burst = part.burst_clocks();
        let (cl, cwl) = (timing.cl_clocks, timing.cwl_clocks);
        let is_ddr2 = part.standard == Standard::Ddr2;
        let least = if is_ddr2 { 2 } else { 4 };
        // DDR2 counts tRTP from the last four bits of a burst on.
        let read_to_precharge = if is_ddr2 { burst - 2 } else { 0 };
        let bus_turn = if is_ddr2 { 1 } else { 2 };
        let rp = clocks(timing.t_rp_ps);
        Self {
            burst,
            cl,
            cwl,
            rcd: clocks(timing.t_rcd_ps),
            rp,
            rp_all: rp + u64::from(is_ddr2 && part.banks == 8),
            ras: clocks(timing.t_ras_ps),
            rc: clocks(timing.t_rc_ps),
            rrd: clocks(timing.t_rrd_ps).max(least),
            faw: clocks(timing.t_faw_ps),
            rfc: clocks(timing.t_rfc_ps),
            refi: timing.t_refi_ps / timing.clock_ps,
            xp: clocks(timing.t_xp_ps),
            read_to_precharge: read_to_precharge + clocks(timing.t_rtp_ps).max(least),
            write_to_precharge: cwl + burst + clocks(timing.t_wr_ps),
            read_to_write: cl + burst + bus_turn - cwl,
            write_to_read: cwl + burst + clocks(timing.t_wtr_ps).max(least),
        }
    }
}

/// A bank, and the clocks from which on commands may be given to it.
#[derive(Clone, Debug, Default)]
struct Bank {
    open_row: Option<u64>,
    activate_from: u64,
    precharge_from: u64,
    column_from: u64,
}

/// Bursts in one row, which are carried out without a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowVisit {
    pub(super) bank: usize,
    pub(super) row: u64,
    pub(super) bursts: u64,
    pub(super) direction: Direction,
}

/// What became of a visit, in clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visited {
    pub(super) case: RowCase,
    /// When the last data have been on the bus.
    pub(super) data_end: u64,
}

/// The state of all banks and of the bus, clocks counted from time 0.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    spans: Spans,
    banks: Vec<Bank>,
    read_from: u64,
    write_from: u64,
    activate_from: u64,
    /// When tFAW is over for each of the last four activations; the next is put at `oldest`.
    four_over: [u64; 4],
    oldest: usize,
    /// When the controller looks at the next visit: as late as leaves time to open its row while
    /// data flow.
    next_from: u64,
    refresh_due: u64,
    /// End of the last refresh, at first 0.
    refreshed: u64,
    /// Since when a row has been open, if one is.
    active_since: Option<u64>,
    sleeps: bool,
    activity: Activity,
}

impl Schedule {
    pub(super) fn new(part: &DramPart) -> Self {
        let spans = Spans::new(part);
        Self {
            banks: vec![Bank::default(); part.banks as usize],
            read_from: 0,
            write_from: 0,
            activate_from: 0,
            four_over: [0; 4],
            oldest: 0,
            next_from: 0,
            refresh_due: spans.refi,
            refreshed: 0,
            active_since: None,
            sleeps: part.controller.power_down,
            activity: Activity::default(),
            spans,
        }
    }

    /// Carries out a visit that is asked for at clock `asked`.
    pub(super) fn visit(&mut self, asked: u64, visit: RowVisit) -> Visited {
        let from = asked.max(self.next_from);
        self.refresh_until(from);
        let from = self.wake(from);
        let case = self.open(from, visit.bank, visit.row);
        let bank = &mut self.banks[visit.bank];
        let spans = &self.spans;
        let ready = match visit.direction {
            Direction::Read => self.read_from,
            Direction::Write => self.write_from,
        };
        let last = from.max(bank.column_from).max(ready) + (visit.bursts - 1) * spans.burst;
        let (latency, to_precharge, activity) = match visit.direction {
            Direction::Read => {
                self.write_from = last + spans.read_to_write;
                self.read_from = last + spans.burst;
                (spans.cl, spans.read_to_precharge, &mut self.activity.read_bursts)
            }
            Direction::Write => {
                self.write_from = last + spans.burst;
                self.read_from = last + spans.write_to_read;
                (spans.cwl, spans.write_to_precharge, &mut self.activity.write_bursts)
            }
        };
        *activity += visit.bursts;
        bank.precharge_from = bank.precharge_from.max(last + to_precharge);
        let like_column_from = last + spans.burst;
        self.next_from = like_column_from.saturating_sub(spans.rp + spans.rcd).max(from);
        Visited { case, data_end: last + latency + spans.burst }
    }

    /// Opens the row, if it is not.
    fn open(&mut self, from: u64, bank: usize, row: u64) -> RowCase {
        let (bank, spans) = (&mut self.banks[bank], &self.spans);
        let (case, from) = match bank.open_row {
            Some(open) if open == row => return RowCase::Hit,
            Some(_) => (RowCase::Conflict, from.max(bank.precharge_from) + spans.rp),
            None => (RowCase::Miss, from),
        };
        let at =
            from.max(bank.activate_from).max(self.activate_from).max(self.four_over[self.oldest]);
        bank.open_row = Some(row);
        bank.activate_from = at + spans.rc;
        bank.precharge_from = at + spans.ras;
        bank.column_from = at + spans.rcd;
        self.activate_from = at + spans.rrd;
        self.four_over[self.oldest] = at + spans.faw;
        self.oldest = (self.oldest + 1) % self.four_over.len();
        self.active_since.get_or_insert(at);
        self.activity.activations += 1;
        case
    }

    /// Carries out the refreshes that are due by `clock`. The first closes all rows; those after
    /// it, while nothing was asked for, find them closed and are only counted.
    fn refresh_until(&mut self, clock: u64) {
        if self.refresh_due > clock {
            return;
        }
        let spans = &self.spans;
        let begin = match self.active_since.take() {
            Some(since) => {
                let open = self.banks.iter().filter(|bank| bank.open_row.is_some());
                let precharge_from = open.map(|bank| bank.precharge_from).max();
                let close = self.refresh_due.max(precharge_from.expect("a row is open"));
                self.activity.open_clocks += close - since;
                close + spans.rp_all
            }
            None => {
                let asleep = self.asleep_until(self.refresh_due);
                self.activity.asleep_clocks += asleep;
                self.refresh_due.max(self.refreshed)
            }
        };
        let more = (clock - self.refresh_due) / spans.refi;
        self.refreshed = begin + spans.rfc;
        if more > 0 {
            let slept_from = self.refreshed;
            self.refreshed = self.refresh_due + more * spans.refi + spans.rfc;
            if self.sleeps {
                let first = self.refresh_due + spans.refi - spans.xp;
                let each = spans.refi - spans.rfc - spans.xp;
                self.activity.asleep_clocks += first - slept_from + (more - 1) * each;
            }
        }
        self.activity.refreshes += 1 + more;
        self.refresh_due += (1 + more) * spans.refi;
        for bank in &mut self.banks {
            *bank = Bank { activate_from: self.refreshed, ..Bank::default() };
        }
    }

    /// Clocks that the devices slept since the last refresh, if they were woken at `clock` or, in
    /// time for it, by the next refresh.
    fn asleep_until(&self, clock: u64) -> u64 {
        let is_idle = self.sleeps && self.active_since.is_none();
        let end = clock.min(self.refresh_due - self.spans.xp);
        if is_idle { end.saturating_sub(self.refreshed) } else { 0 }
    }

    /// The first clock for a command that is asked for at `from`.
    fn wake(&mut self, from: u64) -> u64 {
        let asleep = self.asleep_until(from);
        if asleep == 0 {
            return from;
        }
        self.activity.asleep_clocks += asleep;
        from.max(self.refreshed + asleep + self.spans.xp)
    }

    /// What the devices have done by `clock`. Commands that are decided on count as given, and a
    /// refresh that runs as done.
    pub(super) fn activity(&mut self, clock: u64) -> Activity {
        self.refresh_until(clock);
        let open_now = self.active_since.map_or(0, |since| clock.saturating_sub(since));
        Activity {
            clocks: clock.max(self.refreshed),
            open_clocks: self.activity.open_clocks + open_now,
            asleep_clocks: self.activity.asleep_clocks + self.asleep_until(clock),
            ..self.activity
        }
    }

    /// When the controller looks at the next visit.
    pub(super) fn next_from(&self) -> u64 {
        self.next_from
    }

    /// Clocks of a refresh.
    pub(super) fn refresh_clocks(&self) -> u64 {
        self.spans.rfc
    }

    /// Clocks from one activation to the next, and how many of them the row is open.
    pub(super) fn row_cycle_clocks(&self) -> (u64, u64) {
        (self.spans.rc, self.spans.ras)
    }
}
