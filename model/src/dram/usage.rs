//! What has been done: counts of accesses and of commands, and the energy that follows from them.

use std::ops::Sub;

use floatgate_hal::units::Picoseconds;

use super::part::DramPart;
use super::schedule::Schedule;
use super::{Access, Direction, Requester};

/// What a visit of a row found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowCase {
    /// The row was open.
    Hit,
    /// No row of the bank was open.
    Miss,
    /// Another row of the bank was open.
    Conflict,
}

/// What one requester had of the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequesterUsage {
    /// Reads asked for.
    pub reads: u64,
    /// Writes asked for.
    pub writes: u64,
    /// Bytes asked for, read.
    pub read_bytes: u64,
    /// Bytes asked for, written.
    pub written_bytes: u64,
    /// Bursts that carried them.
    pub bursts: u64,
    /// Visits of a row that was open. A visit is all of a turn's bursts in one row.
    pub row_hits: u64,
    /// Visits of a bank without an open row.
    pub row_misses: u64,
    /// Visits that closed another row first.
    pub row_conflicts: u64,
    /// Time spent waiting for turns.
    pub waited: Picoseconds,
}

impl RequesterUsage {
    pub(super) fn count_access(&mut self, access: &Access) {
        let (accesses, bytes) = match access.direction {
            Direction::Read => (&mut self.reads, &mut self.read_bytes),
            Direction::Write => (&mut self.writes, &mut self.written_bytes),
        };
        *accesses += 1;
        *bytes += u64::from(access.bytes.0);
    }

    pub(super) fn count_visit(&mut self, case: RowCase, bursts: u64) {
        self.bursts += bursts;
        *match case {
            RowCase::Hit => &mut self.row_hits,
            RowCase::Miss => &mut self.row_misses,
            RowCase::Conflict => &mut self.row_conflicts,
        } += 1;
    }
}

/// What the memory has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramUsage {
    /// By requester, in the order of [`Requester`].
    pub requesters: [RequesterUsage; Requester::COUNT],
    /// Refreshes of all banks.
    pub refreshes: u64,
    /// Activations of rows.
    pub activations: u64,
    /// Time in which data were on the bus.
    pub data_time: Picoseconds,
    /// Time in which a row was open.
    pub open_time: Picoseconds,
    /// Time spent in power-down.
    pub asleep_time: Picoseconds,
}

impl DramUsage {
    /// What one requester had.
    pub fn of(&self, requester: Requester) -> &RequesterUsage {
        &self.requesters[requester as usize]
    }
}

/// What the devices have done, in clocks and commands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Activity {
    /// All clocks.
    pub(super) clocks: u64,
    /// Those with an open row.
    pub(super) open_clocks: u64,
    /// Those in power-down.
    pub(super) asleep_clocks: u64,
    pub(super) activations: u64,
    pub(super) read_bursts: u64,
    pub(super) write_bursts: u64,
    pub(super) refreshes: u64,
}

/// Energy in joules of all devices, by what it went into. Differences of two readings are the
/// energy of the span between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DramEnergy {
    /// Standby and power-down.
    pub background_j: f64,
    /// Activations and their precharges.
    pub activate_j: f64,
    /// Read bursts.
    pub read_j: f64,
    /// Write bursts.
    pub write_j: f64,
    /// Refreshes.
    pub refresh_j: f64,
}

impl DramEnergy {
    /// By the formulas of the [module](super).
    pub(super) fn new(part: &DramPart, schedule: &Schedule, activity: &Activity) -> Self {
        let supply = &part.supply;
        // Milliamperes times volts times picoseconds are femtojoules.
        let clock_j = supply.vdd_v * f64::from(part.devices) * part.timing.clock_ps as f64 * 1e-15;
        let energy_j = |current_ma: f64, clocks: u64| current_ma * clocks as f64 * clock_j;
        let standby_ma = supply.idd3n_ma;
        let burst = part.burst_clocks();
        let refresh_clocks = activity.refreshes * schedule.refresh_clocks();
        let active_clocks = activity.open_clocks + refresh_clocks;
        let precharged_clocks = activity
            .clocks
            .checked_sub(active_clocks + activity.asleep_clocks)
            .expect("the devices are in one state at a time");
        let (cycle, open) = schedule.row_cycle_clocks();
        let activation_j = energy_j(supply.idd0_ma, cycle)
            - energy_j(standby_ma, open)
            - energy_j(supply.idd2n_ma, cycle - open);
        Self {
            background_j: energy_j(standby_ma, active_clocks)
                + energy_j(supply.idd2n_ma, precharged_clocks)
                + energy_j(supply.idd2p_ma, activity.asleep_clocks),
            activate_j: activity.activations as f64 * activation_j,
            read_j: energy_j(supply.idd4r_ma - standby_ma, activity.read_bursts * burst),
            write_j: energy_j(supply.idd4w_ma - standby_ma, activity.write_bursts * burst),
            refresh_j: energy_j(supply.idd5_ma - standby_ma, refresh_clocks),
        }
    }

    /// All of it.
    pub fn total_j(&self) -> f64 {
        self.background_j + self.activate_j + self.read_j + self.write_j + self.refresh_j
    }
}

impl Sub for DramEnergy {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            background_j: self.background_j - earlier.background_j,
            activate_j: self.activate_j - earlier.activate_j,
            read_j: self.read_j - earlier.read_j,
            write_j: self.write_j - earlier.write_j,
            refresh_j: self.refresh_j - earlier.refresh_j,
        }
    }
}
