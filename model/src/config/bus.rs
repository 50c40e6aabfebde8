//! Channels whose times are given one by one.

use floatgate_hal::units::Picoseconds;
use serde::{Deserialize, Serialize};

use super::drive::{holds, ns, us, within};
use super::{Check, Fault};
use crate::array::BusTiming;

/// Times of the channels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BusTimes {
    /// Bytes that cross the bus in a microsecond.
    pub mega_transfers_per_s: f64,
    /// Command and address of a read.
    pub read_command_ns: f64,
    /// Of a program.
    pub program_command_ns: f64,
    /// Of an erase.
    pub erase_command_ns: f64,
    /// A read of the status.
    pub status_ns: f64,
    /// Bytes that cross the bus for each sector: its 512, or these with parity and spare bytes.
    #[serde(default = "sector_bytes")]
    pub sector_bytes: u32,
}

pub(super) fn sector_bytes() -> u32 {
    512
}

impl BusTimes {
    /// As the array has them.
    pub(super) fn timing(&self) -> BusTiming {
        let sector = us(1.0 / self.mega_transfers_per_s).0 * u64::from(self.sector_bytes);
        BusTiming {
            read_command: ns(self.read_command_ns),
            program_command: ns(self.program_command_ns),
            erase_command: ns(self.erase_command_ns),
            status: ns(self.status_ns),
            sector_bytes: self.sector_bytes,
            sector_in: Picoseconds(sector),
            sector_out: Picoseconds(sector),
            ..BusTiming::default()
        }
    }
}

impl Check for BusTimes {
    fn check(&self) -> Result<(), Fault> {
        within("bus.mega_transfers_per_s", self.mega_transfers_per_s, 0.1, 1e6)?;
        within("bus.read_command_ns", self.read_command_ns, 0.0, 1e6)?;
        within("bus.program_command_ns", self.program_command_ns, 0.0, 1e6)?;
        within("bus.erase_command_ns", self.erase_command_ns, 0.0, 1e6)?;
        within("bus.status_ns", self.status_ns, 0.0, 1e6)?;
        let bytes = self.sector_bytes;
        let message = format!("is {bytes}, must be 1 to 1024");
        holds("bus.sector_bytes", (1..=1024).contains(&bytes), message)
    }
}
