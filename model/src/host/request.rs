//! What a host asks of a device: the noun at the boundary between host and firmware.

use floatgate_hal::units::Picoseconds;

/// Bytes of a sector, in which addresses and lengths are counted.
pub const SECTOR_BYTES: u64 = 512;

/// A logical address in sectors of 512 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lba(pub u64);

/// The length of a request in sectors of 512 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectorCount(pub u32);

impl SectorCount {
    /// The same length in bytes.
    pub const fn bytes(self) -> u64 {
        self.0 as u64 * SECTOR_BYTES
    }
}

/// The size of a device in sectors of 512 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capacity(pub u64);

impl Capacity {
    /// The whole sectors in so many bytes.
    pub const fn of_bytes(bytes: u64) -> Self {
        Self(bytes / SECTOR_BYTES)
    }
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestKind {
    /// Sectors are read.
    Read,
    /// Sectors are written.
    Write,
    /// The data of sectors are needed no longer.
    Trim,
    /// All that was written before is to become permanent; sector and length are 0.
    Flush,
}

/// One request of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// When it reaches the device's queue.
    pub arrival: Picoseconds,
    /// What is to be done.
    pub kind: RequestKind,
    /// Force unit access: a write that is permanent when it completes.
    pub fua: bool,
    /// The first sector.
    pub sector: Lba,
    /// How many; 0 for a flush alone.
    pub sectors: SectorCount,
}

impl Request {
    /// A flush.
    pub const fn flush(arrival: Picoseconds) -> Self {
        Self {
            arrival,
            kind: RequestKind::Flush,
            fua: false,
            sector: Lba(0),
            sectors: SectorCount(0),
        }
    }

    /// The sector behind the last one.
    pub const fn end(&self) -> Lba {
        Lba(self.sector.0 + self.sectors.0 as u64)
    }
}
