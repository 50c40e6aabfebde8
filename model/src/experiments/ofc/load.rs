//! The four loads whose rates were published.

use serde::{Deserialize, Serialize};

use crate::config::Fault;
use crate::host::Capacity;
use crate::host::workload::{
    Bound, Extent, Flow, Generator, KindWeights, Pace, Pattern, Phase, Region, Sizes, Workload,
};

/// A load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Load {
    /// 128 KiB, one behind the other.
    SequentialRead,
    /// The same, written.
    SequentialWrite,
    /// A page anywhere.
    RandomRead,
    /// The same, written.
    RandomWrite,
}

/// Bytes of a sequential request.
const SEQUENTIAL_BYTES: u64 = 128 << 10;
/// Its pages of 4 KiB.
pub(super) const REQUEST_PAGES: u64 = 32;
/// Outstanding sequential requests.
const SEQUENTIAL_DEPTH: u32 = 8;
/// Outstanding random reads.
const READ_DEPTH: u32 = 32;
/// Outstanding random writes: enough for every die to have pages for both planes waiting.
const WRITE_DEPTH: u32 = 128;

impl Load {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::SequentialRead, Self::SequentialWrite, Self::RandomRead, Self::RandomWrite];

    /// As a report calls it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::SequentialRead => "sequential read",
            Self::SequentialWrite => "sequential write",
            Self::RandomRead => "random read",
            Self::RandomWrite => "random write",
        }
    }

    /// Whether it writes.
    pub const fn is_write(self) -> bool {
        matches!(self, Self::SequentialWrite | Self::RandomWrite)
    }

    /// Requests of this load.
    ///
    /// # Errors
    /// The device is smaller than a request.
    pub(super) fn requests(self, plan: &Plan, capacity: Capacity) -> Result<Vec<Generator>, Fault> {
        let (bytes, depth, pattern, offset) = match self {
            Self::SequentialRead | Self::SequentialWrite => {
                (SEQUENTIAL_BYTES, SEQUENTIAL_DEPTH, Pattern::Sequential, plan.from_page)
            }
            Self::RandomRead => (plan.page_bytes, READ_DEPTH, Pattern::Uniform, 0),
            Self::RandomWrite => (plan.page_bytes, WRITE_DEPTH, Pattern::Uniform, 0),
        };
        let offset = offset * plan.page_bytes;
        let phase = Phase {
            name: self.label().to_owned(),
            until: Bound::Bytes(plan.pages * plan.page_bytes),
            pace: Pace::Closed { queue_depth: if plan.is_alone { 1 } else { depth }, think_ns: 0 },
            region: Region {
                offset: Extent::Bytes(offset),
                size: Extent::Bytes(512 * capacity.0 - offset),
            },
            pattern,
            sizes: Sizes::Bytes(bytes),
            kinds: match self.is_write() {
                true => KindWeights { read: 0, write: 1, trim: 0 },
                false => KindWeights { read: 1, write: 0, trim: 0 },
            },
            flush_every_writes: 0,
            fua_share: 0.0,
        };
        let flow = Flow { name: self.label().to_owned(), phases: vec![phase] };
        Workload { seed: plan.seed, flows: vec![flow] }.sources(capacity)
    }
}

/// How much of a load, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Pages, whole sequential requests.
    pub(super) pages: u64,
    /// Where a sequential load begins.
    pub(super) from_page: u64,
    /// Bytes of a page.
    pub(super) page_bytes: u64,
    /// Whether requests come one at a time, not as many as usual.
    pub(super) is_alone: bool,
    pub(super) seed: u64,
}
