//! What the dies of a drive do beside one page or block after the other.

use floatgate_hal::units::Picoseconds;
use serde::{Deserialize, Serialize};

use super::drive::{us, within};
use super::{Check, Fault};
use crate::array::{ArrayPower, DieFeatures, PlanesTogether, Suspend};

/// Multi-plane and cache operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DieConfig {
    /// Which operations on different planes are carried out as one.
    #[serde(with = "PlanesTogetherConfig")]
    pub planes_together: PlanesTogether,
    /// Busy between the planes of an operation, tDBSY.
    pub t_plane_busy_us: f64,
    /// Whether the next data come in while the array programs; busy for tCBSY.
    pub cache_program: CacheConfig,
    /// Whether data go out while the array reads the next page; busy for tRCBSY.
    pub cache_read: CacheConfig,
    /// Whether programs and erasures make way for reads of the host.
    pub suspend: SuspendConfig,
}

/// Suspended operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum SuspendConfig {
    /// There are none.
    #[default]
    Off,
    /// There are; reads have to go first.
    On {
        /// From the decision until the die takes a read.
        suspend_us: f64,
        /// From the last read until the array works on.
        resume_us: f64,
        /// For so long the array works before it is suspended, and suspended again.
        least_run_us: f64,
        /// So often an operation is suspended at most.
        limit: u32,
    },
}

/// A cache operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum CacheConfig {
    /// There is none.
    #[default]
    Off,
    /// There is one.
    On {
        /// For how long the registers are busy.
        busy_us: f64,
    },
}

/// What the parts of a drive take; the buffer memory's is that of its part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerConfig {
    /// Supply of the dies.
    pub vcc_v: f64,
    /// Of a die whose array reads, ICC1.
    pub read_ma: f64,
    /// Of a die that programs, ICC2.
    pub program_ma: f64,
    /// Of a die that erases, ICC3.
    pub erase_ma: f64,
    /// Of a byte of data on a channel.
    pub bus_pj_per_byte: f64,
    /// Of every die at all times.
    #[serde(default)]
    pub standby_ma: f64,
    /// Of encoding or decoding a byte that crosses a channel.
    #[serde(default)]
    pub ecc_pj_per_byte: f64,
    /// On top of that for each bit that is corrected in a codeword; where the drive has errors, and
    /// so a codec.
    #[serde(default)]
    pub ecc_pj_per_byte_and_bit: f64,
    /// Of the controller with its processor, at all times.
    #[serde(default)]
    pub controller_w: f64,
}

impl PowerConfig {
    /// Of a die beside the work of its array.
    pub fn standby_w(&self) -> f64 {
        self.vcc_v * self.standby_ma / 1e3
    }

    /// Joules of bytes that crossed channels, and of those that were encoded or decoded, each as
    /// often as its codeword has bits corrected.
    pub fn ecc_j(&self, bytes: u64, byte_bits: u64) -> f64 {
        let pj = bytes as f64 * self.ecc_pj_per_byte;
        (pj + byte_bits as f64 * self.ecc_pj_per_byte_and_bit) / 1e12
    }

    /// As the array's usage asks for it.
    pub fn power(&self) -> ArrayPower {
        let watts = |current_ma: f64| self.vcc_v * current_ma / 1e3;
        ArrayPower {
            read_w: watts(self.read_ma),
            program_w: watts(self.program_ma),
            erase_w: watts(self.erase_ma),
            bus_j_per_byte: self.bus_pj_per_byte / 1e12,
        }
    }
}

impl Check for PowerConfig {
    fn check(&self) -> Result<(), Fault> {
        within("power.vcc_v", self.vcc_v, 0.0, 20.0)?;
        within("power.read_ma", self.read_ma, 0.0, 1e4)?;
        within("power.program_ma", self.program_ma, 0.0, 1e4)?;
        within("power.erase_ma", self.erase_ma, 0.0, 1e4)?;
        within("power.bus_pj_per_byte", self.bus_pj_per_byte, 0.0, 1e6)?;
        within("power.standby_ma", self.standby_ma, 0.0, 1e4)?;
        within("power.ecc_pj_per_byte", self.ecc_pj_per_byte, 0.0, 1e6)?;
        within("power.ecc_pj_per_byte_and_bit", self.ecc_pj_per_byte_and_bit, 0.0, 1e6)?;
        within("power.controller_w", self.controller_w, 0.0, 1e3)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PlanesTogether")]
enum PlanesTogetherConfig {
    Off,
    SamePage,
    Any,
}

impl CacheConfig {
    fn busy(self) -> Option<Picoseconds> {
        match self {
            Self::Off => None,
            Self::On { busy_us } => Some(us(busy_us)),
        }
    }
}

impl SuspendConfig {
    fn times(self) -> Option<Suspend> {
        match self {
            Self::Off => None,
            Self::On { suspend_us, resume_us, least_run_us, limit } => Some(Suspend {
                suspend: us(suspend_us),
                resume: us(resume_us),
                least_run: us(least_run_us),
                limit,
            }),
        }
    }
}

impl DieConfig {
    /// As the array has it.
    pub fn features(&self) -> DieFeatures {
        DieFeatures {
            planes_together: self.planes_together,
            plane_busy: us(self.t_plane_busy_us),
            cache_program: self.cache_program.busy(),
            cache_read: self.cache_read.busy(),
            suspend: self.suspend.times(),
        }
    }
}

impl Check for DieConfig {
    fn check(&self) -> Result<(), Fault> {
        within("dies.t_plane_busy_us", self.t_plane_busy_us, 0.0, 1e6)?;
        for (field, cache) in
            [("dies.cache_program", self.cache_program), ("dies.cache_read", self.cache_read)]
        {
            if let CacheConfig::On { busy_us } = cache {
                within(field, busy_us, 0.0, 1e6)?;
            }
        }
        if let SuspendConfig::On { suspend_us, resume_us, least_run_us, .. } = self.suspend {
            for span_us in [suspend_us, resume_us, least_run_us] {
                within("dies.suspend", span_us, 0.0, 1e6)?;
            }
        }
        Ok(())
    }
}
