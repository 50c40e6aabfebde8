//! The buffer memory of a drive: what goes from the host or the flash into a slot, or the other
//! way, goes through the [`Dram`] and shares its bandwidth.
//!
//! Data are stored before they are sent on: a page that was read crosses the channel, then the
//! memory, then the memory again and the link. A die is free as soon as its data have crossed the
//! channel, whose controller has room for them. Slots lie one after the other.

use floatgate_hal::array::{Extent, Slot};
use floatgate_hal::units::Picoseconds;

use super::Part;
use crate::dram::{
    Access, Direction, Dram, DramAddress, DramEnergy, DramPart, DramUsage, Requester,
};
use crate::sim::Sim;

/// Slots in a memory.
pub struct BufferMemory {
    sim: Sim,
    dram: Dram,
    slot_bytes: u64,
}

impl BufferMemory {
    /// Slots of so many bytes.
    pub fn new(sim: &Sim, part: &DramPart, slot_bytes: u32) -> Self {
        Self { sim: sim.clone(), dram: Dram::new(sim, part), slot_bytes: slot_bytes.into() }
    }

    /// Moves a part of a slot.
    pub(crate) async fn transfer(
        &self,
        slot: Slot,
        part: Extent,
        direction: Direction,
        requester: Requester,
    ) {
        if part.sectors == 0 {
            return;
        }
        let since = self.sim.now();
        let first = u64::from(slot.0) * self.slot_bytes + 512 * u64::from(part.first);
        let address = DramAddress(first);
        self.dram.access(Access { address, bytes: part.bytes(), direction, requester }).await;
        self.sim.charge(Part::Memory, Picoseconds(self.sim.now().0 - since.0));
    }

    /// What has been done.
    pub fn usage(&self) -> DramUsage {
        self.dram.usage()
    }

    /// The energy that has been used.
    pub fn energy(&self) -> DramEnergy {
        self.dram.energy()
    }
}
