//! What a channel's time went into.

use floatgate_hal::units::Picoseconds;

/// Times, summed over operations; those of different dies overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Operations that ended.
    pub operations: u64,
    /// The bus was held, data included.
    pub bus_held: Picoseconds,
    /// Data and status went over the bus.
    pub transfer: Picoseconds,
    /// Dies were busy with an operation.
    pub array: Picoseconds,
    /// Operations waited for the bus or for an earlier operation on their die.
    pub waiting: Picoseconds,
}

impl Usage {
    /// Commands, addresses and gaps.
    pub fn command(&self) -> Picoseconds {
        Picoseconds(self.bus_held.0 - self.transfer.0)
    }

    /// What came since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let minus = |a: Picoseconds, b: Picoseconds| Picoseconds(a.0 - b.0);
        Self {
            operations: self.operations - earlier.operations,
            bus_held: minus(self.bus_held, earlier.bus_held),
            transfer: minus(self.transfer, earlier.transfer),
            array: minus(self.array, earlier.array),
            waiting: minus(self.waiting, earlier.waiting),
        }
    }
}
