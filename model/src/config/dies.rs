//! What the dies of a drive do beside one page or block after the other.

use floatgate_hal::units::Picoseconds;
use serde::{Deserialize, Serialize};

use super::drive::{us, within};
use super::{Check, Fault};
use crate::array::{DieFeatures, PlanesTogether};

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

impl DieConfig {
    /// As the array has it.
    pub fn features(&self) -> DieFeatures {
        DieFeatures {
            planes_together: self.planes_together,
            plane_busy: us(self.t_plane_busy_us),
            cache_program: self.cache_program.busy(),
            cache_read: self.cache_read.busy(),
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
        Ok(())
    }
}
