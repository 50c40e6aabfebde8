//! Addresses of a trace on the simulated device.

use super::reader::{Reader, Recorded};
use super::{Devices, Fold, TraceConfig, TraceError};
use crate::host::{Capacity, Lba};

/// Devices that are laid one behind the other begin at multiples of 1 MiB.
const DEVICE_ALIGN_SECTORS: u64 = 2048;
/// Scaling moves pages of 4 KiB.
const PAGE_SECTORS: u64 = 8;

/// Where the trace's devices lie, and how what exceeds the capacity is folded.
#[derive(Debug)]
pub(super) struct AddressMap {
    capacity: Capacity,
    fold: Fold,
    /// First sectors of the devices; none where only one is used.
    bases: Vec<u64>,
    /// Sectors that the trace reaches over; known where it is needed.
    extent: u64,
}

impl AddressMap {
    /// Reads the trace once where its extent matters.
    pub(super) fn new(config: &TraceConfig, capacity: Capacity) -> Result<Self, Box<TraceError>> {
        let concatenated = config.devices == Devices::Concatenated;
        let mut map = Self { capacity, fold: config.fold, bases: Vec::new(), extent: 0 };
        if !concatenated && config.fold != Fold::Scale {
            return Ok(map);
        }
        let mut ends: Vec<u64> = Vec::new();
        let mut reader = Reader::open(config)?;
        while let Some(Recorded { device, place, .. }) = reader.next()? {
            let is_used = match &config.devices {
                Devices::One(name) => reader.devices.name(device) == name,
                Devices::Only | Devices::Concatenated => true,
            };
            let end = if is_used { place.sector.0 + u64::from(place.sectors.0) } else { 0 };
            ends.resize(ends.len().max(device.0 + 1), 0);
            ends[device.0] = ends[device.0].max(end);
        }
        if concatenated {
            for end in ends {
                map.bases.push(map.extent);
                let aligned = end.checked_next_multiple_of(DEVICE_ALIGN_SECTORS);
                map.extent = map.extent.saturating_add(aligned.unwrap_or(u64::MAX));
            }
        } else {
            map.extent = ends.into_iter().max().unwrap_or(0);
        }
        Ok(map)
    }

    /// Where a request lies, and whether that is elsewhere than in the trace.
    pub(super) fn place(&self, recorded: &Recorded) -> Result<(Lba, bool), String> {
        let (capacity, sectors) = (self.capacity.0, u64::from(recorded.place.sectors.0));
        let base = self.bases.get(recorded.device.0).copied().unwrap_or(0);
        let sector = base.saturating_add(recorded.place.sector.0);
        let Some(last) = capacity.checked_sub(sectors) else {
            return Err(format!("has {sectors} sectors, more than the device's {capacity}"));
        };
        let folded = match self.fold {
            Fold::Scale if self.extent > capacity => self.scale(sector).min(last),
            Fold::Wrap if sector > last => (sector % capacity).min(last),
            _ if sector <= last => sector,
            _ => {
                return Err(format!(
                    "{sectors} sectors from {sector} exceed the device's {capacity}; \
                     choose to fold by `Wrap` or `Scale`"
                ));
            }
        };
        Ok((Lba(folded), folded != sector))
    }

    fn scale(&self, sector: u64) -> u64 {
        let (pages, within) = (sector / PAGE_SECTORS, sector % PAGE_SECTORS);
        let (from, to) = (self.extent.div_ceil(PAGE_SECTORS), self.capacity.0 / PAGE_SECTORS);
        // Below `to` as `pages` is below `from`.
        let scaled = u128::from(pages) * u128::from(to) / u128::from(from);
        scaled as u64 * PAGE_SECTORS + within
    }
}
