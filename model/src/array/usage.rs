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

/// For how long something was at work, one thing after the other.
#[derive(Debug, Default)]
struct Busy {
    /// With all of what goes on.
    total_ps: Cell<u64>,
    /// When that ends.
    until_ps: Cell<u64>,
}

impl Busy {
    fn works(&self, from: Picoseconds, span: Picoseconds) {
        self.total_ps.set(self.total_ps.get() + span.0);
        self.until_ps.set(from.0 + span.0);
    }

    fn by(&self, now: Picoseconds) -> Picoseconds {
        Picoseconds(self.total_ps.get() - self.until_ps.get().saturating_sub(now.0))
    }
}

/// For how long a die had operations of collection.
#[derive(Debug, Default)]
struct Collecting {
    total: Cell<u64>,
    /// How many it has, and since when it has any.
    count: Cell<u32>,
    since: Cell<Picoseconds>,
}

impl Collecting {
    fn by(&self, now: Picoseconds) -> Picoseconds {
        let lasts = if self.count.get() > 0 { now.0 - self.since.get().0 } else { 0 };
        Picoseconds(self.total.get() + lasts)
    }
}

/// Busy times and counts.
pub struct ArrayUsage {
    channels: Vec<Busy>,
    dies: Vec<Busy>,
    collecting: Vec<Collecting>,
    counts: Cell<OperationCounts>,
}

impl ArrayUsage {
    pub(super) fn new(channels: u32, dies: u32) -> Self {
        Self {
            channels: (0..channels).map(|_| Busy::default()).collect(),
            dies: (0..dies).map(|_| Busy::default()).collect(),
            collecting: (0..dies).map(|_| Collecting::default()).collect(),
            counts: Cell::default(),
        }
    }

    /// A channel carries something from now on for a span.
    pub(super) fn transfers(&self, channel: u32, now: Picoseconds, span: Picoseconds) {
        self.channels[channel as usize].works(now, span);
    }

    /// The array of a die works from now on for a span.
    pub(super) fn works(&self, die: u32, now: Picoseconds, span: Picoseconds) {
        self.dies[die as usize].works(now, span);
    }

    pub(super) fn begin_collecting(&self, die: u32, now: Picoseconds) {
        let Collecting { count, since, .. } = &self.collecting[die as usize];
        if count.replace(count.get() + 1) == 0 {
            since.set(now);
        }
    }

    pub(super) fn end_collecting(&self, die: u32, now: Picoseconds) {
        let collecting = &self.collecting[die as usize];
        collecting.total.set(collecting.by(now).0);
        collecting.count.set(collecting.count.get() - 1);
        collecting.since.set(now);
    }

    /// For how long a die has had operations of collection by now, transfers included.
    pub(super) fn collected(&self, die: u32, now: Picoseconds) -> Picoseconds {
        self.collecting[die as usize].by(now)
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut OperationCounts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    /// For how long each channel has carried something by now.
    pub fn channels(&self, now: Picoseconds) -> Vec<Picoseconds> {
        self.channels.iter().map(|busy| busy.by(now)).collect()
    }

    /// For how long the array of each die has worked by now.
    pub fn dies(&self, now: Picoseconds) -> Vec<Picoseconds> {
        self.dies.iter().map(|busy| busy.by(now)).collect()
    }

    /// Operations that have ended.
    pub fn counts(&self) -> OperationCounts {
        self.counts.get()
    }
}
