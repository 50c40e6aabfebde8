//! What the time of channels and dies went into, and how many operations there were.

use std::cell::Cell;

use floatgate_hal::array::Origin;
use floatgate_hal::units::Picoseconds;

/// Operations by origin, in the order of [`Origin::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCounts {
    /// Pages read.
    pub reads: [u64; Origin::ALL.len()],
    /// Pages programmed.
    pub programs: [u64; Origin::ALL.len()],
    /// Blocks erased.
    pub erases: [u64; Origin::ALL.len()],
}

/// Busy times and counts.
pub struct ArrayUsage {
    channels: Vec<Cell<u64>>,
    dies: Vec<Cell<u64>>,
    counts: Cell<OperationCounts>,
}

impl ArrayUsage {
    pub(super) fn new(channels: u32, dies: u32) -> Self {
        let zeros = |count| vec![Cell::new(0); count as usize];
        Self { channels: zeros(channels), dies: zeros(dies), counts: Cell::default() }
    }

    pub(super) fn transferred(&self, channel: u32, span: Picoseconds) {
        add(&self.channels[channel as usize], span);
    }

    pub(super) fn worked(&self, die: u32, span: Picoseconds) {
        add(&self.dies[die as usize], span);
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut OperationCounts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    /// For how long each channel carried something.
    pub fn channels(&self) -> Vec<Picoseconds> {
        self.channels.iter().map(|busy| Picoseconds(busy.get())).collect()
    }

    /// For how long the array of each die worked.
    pub fn dies(&self) -> Vec<Picoseconds> {
        self.dies.iter().map(|busy| Picoseconds(busy.get())).collect()
    }

    /// Operations that have ended.
    pub fn counts(&self) -> OperationCounts {
        self.counts.get()
    }
}

fn add(total: &Cell<u64>, span: Picoseconds) {
    total.set(total.get() + span.0);
}
