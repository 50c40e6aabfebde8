//! What a memory is made of: `configs/dram/<name>.ron` enters, a checked [`DramPart`] leaves.
//!
//! Times stand in picoseconds as in data sheets; commands are given at clock edges, so each counts
//! in clocks, rounded up. Minima that JESD79-2F and JESD79-3F give in clocks are added by the
//! schedule.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::config::{Check, ConfigError, Fault, load_checked};
use crate::sim::Policy;

/// More than what rounding up and the standards' minima in clocks add to a row's visit.
const MINIMA_CLOCKS: u64 = 10;

/// The generation, which decides a few rules of the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Standard {
    /// JESD79-2.
    Ddr2,
    /// JESD79-3.
    Ddr3,
}

/// Times of a speed grade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramTiming {
    /// Period of the clock; each pin carries two bits in it.
    pub clock_ps: u64,
    /// Read command to its first data (CL, without additive latency), in clocks.
    pub cl_clocks: u64,
    /// Write command to its first data (CWL), in clocks; one less than CL in DDR2.
    pub cwl_clocks: u64,
    /// Activation to read or write.
    pub t_rcd_ps: u64,
    /// Precharge to activation.
    pub t_rp_ps: u64,
    /// Activation to precharge.
    pub t_ras_ps: u64,
    /// Activation to activation of the same bank.
    pub t_rc_ps: u64,
    /// Activation to activation of another bank.
    pub t_rrd_ps: u64,
    /// The span in which at most four activations may begin.
    pub t_faw_ps: u64,
    /// Last written data to precharge.
    pub t_wr_ps: u64,
    /// Last written data to a read.
    pub t_wtr_ps: u64,
    /// Read to precharge.
    pub t_rtp_ps: u64,
    /// Refresh to activation.
    pub t_rfc_ps: u64,
    /// One refresh to the next.
    pub t_refi_ps: u64,
    /// End of power-down to any command.
    pub t_xp_ps: u64,
}

/// Supply voltage and currents of one device, as data sheets define them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramSupply {
    /// VDD.
    pub vdd_v: f64,
    /// One bank activated and precharged every tRC.
    pub idd0_ma: f64,
    /// All banks precharged, in power-down.
    pub idd2p_ma: f64,
    /// All banks precharged, standby.
    pub idd2n_ma: f64,
    /// Some bank active, standby.
    pub idd3n_ma: f64,
    /// Reads without gaps.
    pub idd4r_ma: f64,
    /// Writes without gaps.
    pub idd4w_ma: f64,
    /// Refreshes every tRFC.
    pub idd5_ma: f64,
}

/// Whose turn it is when several requesters wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TurnOrder {
    /// Who came first.
    FirstCome,
    /// The requesters in turn.
    RoundRobin,
    /// Host before flash before firmware.
    Priority,
}

impl TurnOrder {
    pub(super) fn policy(self) -> Policy {
        match self {
            Self::FirstCome => Policy::FirstCome,
            Self::RoundRobin => Policy::RoundRobin,
            Self::Priority => Policy::Priority,
        }
    }
}

/// What the memory's controller does of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramController {
    /// Whose turn it is when several wait.
    pub order: TurnOrder,
    /// The most that a requester transfers before others that wait have theirs: some bursts, a
    /// power of two. Large turns cost little to simulate, small ones let short accesses through.
    pub turn_bytes: u32,
    /// Whether the devices sleep (precharge power-down) once a refresh has closed all rows and
    /// nothing is asked for.
    pub power_down: bool,
}

/// A rank of equal devices side by side, and their controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramPart {
    /// The generation.
    pub standard: Standard,
    /// Devices side by side.
    pub devices: u32,
    /// Data pins of a device: 4, 8 or 16.
    pub width_bits: u32,
    /// Banks of a device: 4 or 8.
    pub banks: u32,
    /// Rows of a bank.
    pub rows: u32,
    /// Bytes of a row in one device.
    pub row_bytes: u32,
    /// Data of a read or write on each pin: 4 or 8 in DDR2, 8 in DDR3.
    pub burst_length: u32,
    /// Times of the speed grade.
    pub timing: DramTiming,
    /// Voltage and currents.
    pub supply: DramSupply,
    /// What the controller does.
    pub controller: DramController,
}

impl DramPart {
    /// Reads and checks a part.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        load_checked(path.as_ref())
    }

    /// Bytes that the memory holds.
    pub fn capacity_bytes(&self) -> u64 {
        u64::from(self.banks) * u64::from(self.rows) * self.rank_row_bytes()
    }

    /// Bytes of a row in all devices together.
    pub fn rank_row_bytes(&self) -> u64 {
        u64::from(self.row_bytes) * u64::from(self.devices)
    }

    /// Bytes of a burst in all devices together.
    pub fn burst_bytes(&self) -> u64 {
        u64::from(self.burst_length) * u64::from(self.width_bits) * u64::from(self.devices) / 8
    }

    /// Clocks that the data of a burst take.
    pub fn burst_clocks(&self) -> u64 {
        u64::from(self.burst_length) / 2
    }

    /// Bytes per second while data flow.
    pub fn peak_bytes_per_s(&self) -> f64 {
        let bus_bytes = f64::from(self.width_bits) * f64::from(self.devices) / 8.0;
        2.0 * bus_bytes / (self.timing.clock_ps as f64 * 1e-12)
    }

    fn check_shape(&self) -> Result<(), Fault> {
        one_of("devices", self.devices, &[1, 2, 4, 8])?;
        one_of("width_bits", self.width_bits, &[4, 8, 16])?;
        one_of("banks", self.banks, &[4, 8])?;
        power_of_two("rows", self.rows, 1 << 10, 1 << 20)?;
        power_of_two("row_bytes", self.row_bytes, 512, 4096)?;
        match self.standard {
            Standard::Ddr2 => one_of("burst_length", self.burst_length, &[4, 8])?,
            Standard::Ddr3 => one_of("burst_length", self.burst_length, &[8])?,
        }
        let burst_bytes = u32::try_from(self.burst_bytes()).expect("a burst is short");
        power_of_two("controller.turn_bytes", self.controller.turn_bytes, burst_bytes, 1 << 20)
    }

    fn check_timing(&self) -> Result<(), Fault> {
        let timing = &self.timing;
        between("timing.clock_ps", timing.clock_ps, 500, 10_000)?;
        between("timing.cl_clocks", timing.cl_clocks, 2, 20)?;
        match self.standard {
            Standard::Ddr2 if timing.cwl_clocks + 1 == timing.cl_clocks => {}
            Standard::Ddr2 => {
                let message = format!("is {}, must be one less than CL", timing.cwl_clocks);
                return Err(Fault::new("timing.cwl_clocks", message));
            }
            Standard::Ddr3 => between("timing.cwl_clocks", timing.cwl_clocks, 2, timing.cl_clocks)?,
        }
        for (field, span_ps) in [
            ("timing.t_rp_ps", timing.t_rp_ps),
            ("timing.t_ras_ps", timing.t_ras_ps),
            ("timing.t_rrd_ps", timing.t_rrd_ps),
            ("timing.t_wr_ps", timing.t_wr_ps),
            ("timing.t_wtr_ps", timing.t_wtr_ps),
            ("timing.t_rtp_ps", timing.t_rtp_ps),
            ("timing.t_xp_ps", timing.t_xp_ps),
        ] {
            between(field, span_ps, 1, 200_000)?;
        }
        between("timing.t_rcd_ps", timing.t_rcd_ps, 1, timing.t_ras_ps)?;
        between("timing.t_rc_ps", timing.t_rc_ps, timing.t_ras_ps + timing.t_rp_ps, 400_000)?;
        between("timing.t_faw_ps", timing.t_faw_ps, timing.t_rrd_ps, 400_000)?;
        between("timing.t_rfc_ps", timing.t_rfc_ps, timing.t_rc_ps, 1_000_000)?;
        between("timing.t_refi_ps", timing.t_refi_ps, self.longest_refresh_ps(), 100_000_000)
    }

    /// A bound on the time from when a refresh is due to the end of it: a visit of a whole row that
    /// was taken up just before, with all that can hold it up. It must be over before the next is
    /// due, and before the devices are woken for that.
    fn longest_refresh_ps(&self) -> u64 {
        let timing = &self.timing;
        let row_clocks = self.rank_row_bytes() / self.burst_bytes() * self.burst_clocks();
        let latencies = 2 * (timing.cl_clocks + self.burst_clocks() + MINIMA_CLOCKS);
        let to_column = timing.t_xp_ps + timing.t_rp_ps + timing.t_rc_ps.max(timing.t_faw_ps);
        let to_refresh = timing.t_rcd_ps + timing.t_wtr_ps + timing.t_wr_ps + timing.t_rp_ps;
        let refresh = timing.t_rfc_ps + timing.t_xp_ps;
        (row_clocks + latencies) * timing.clock_ps + to_column + to_refresh + refresh
    }

    fn check_supply(&self) -> Result<(), Fault> {
        let supply = &self.supply;
        let at_least = |field: &str, value: f64, low: f64| {
            let holds = value >= low && value <= 2000.0;
            let message = || format!("is {value}, must be {low} to 2000");
            if holds { Ok(()) } else { Err(Fault::new(format!("supply.{field}"), message())) }
        };
        if !(1.0..=3.0).contains(&supply.vdd_v) {
            let message = format!("is {}, must be 1 to 3", supply.vdd_v);
            return Err(Fault::new("supply.vdd_v", message));
        }
        at_least("idd2p_ma", supply.idd2p_ma, 0.0)?;
        at_least("idd2n_ma", supply.idd2n_ma, supply.idd2p_ma)?;
        at_least("idd3n_ma", supply.idd3n_ma, supply.idd2n_ma)?;
        at_least("idd0_ma", supply.idd0_ma, supply.idd3n_ma)?;
        at_least("idd4r_ma", supply.idd4r_ma, supply.idd3n_ma)?;
        at_least("idd4w_ma", supply.idd4w_ma, supply.idd3n_ma)?;
        at_least("idd5_ma", supply.idd5_ma, supply.idd3n_ma)
    }
}

impl Check for DramPart {
    fn check(&self) -> Result<(), Fault> {
        self.check_shape()?;
        self.check_timing()?;
        self.check_supply()
    }
}

fn one_of(field: &str, value: u32, choices: &[u32]) -> Result<(), Fault> {
    if choices.contains(&value) {
        return Ok(());
    }
    let choices: Vec<_> = choices.iter().map(u32::to_string).collect();
    Err(Fault::new(field, format!("is {value}, must be {}", choices.join(" or "))))
}

fn power_of_two(field: &str, value: u32, low: u32, high: u32) -> Result<(), Fault> {
    if value.is_power_of_two() && (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Fault::new(field, format!("is {value}, must be a power of two from {low} to {high}")))
}

fn between(field: &str, value: u64, low: u64, high: u64) -> Result<(), Fault> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Fault::new(field, format!("is {value}, must be {low} to {high}")))
}
