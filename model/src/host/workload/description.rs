//! What a workload file says.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, load_checked};

/// A workload: flows side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Seed of everything that is drawn at random.
    pub seed: u64,
    /// The flows.
    pub flows: Vec<Flow>,
}

/// Requests of one origin, with a queue of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Name, unique in the workload; the flow's random streams hang on it.
    pub name: String,
    /// What it does, one after the other.
    pub phases: Vec<Phase>,
}

/// A stretch of a flow in which requests are of one nature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// What the report calls it; by its number unless given.
    #[serde(default)]
    pub name: String,
    /// When it is over.
    pub until: Bound,
    /// When requests come.
    pub pace: Pace,
    /// The part of the device that is used; all of it unless given.
    #[serde(default)]
    pub region: Region,
    /// Which addresses in it.
    pub pattern: Pattern,
    /// How long requests are.
    pub sizes: Sizes,
    /// Which of them are reads, writes and trims.
    pub kinds: KindWeights,
    /// A flush follows on every so many writes; 0, the default, means none.
    #[serde(default)]
    pub flush_every_writes: u64,
    /// Share of the writes that have force unit access, 0 to 1.
    #[serde(default)]
    pub fua_share: f64,
}

/// What ends a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// So many requests, flushes included.
    Requests(u64),
    /// So many bytes read, written and trimmed; the request that reaches it is the last one.
    Bytes(u64),
    /// So much simulated time in microseconds; nothing arrives at its end or later.
    Microseconds(u64),
}

/// When requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Pace {
    /// Closed loop: as many as the queue holds, a new one for each that completes.
    Closed {
        /// Outstanding requests, from 1.
        queue_depth: u32,
        /// From a completion to the arrival of the next request.
        #[serde(default)]
        think_ns: u64,
    },
    /// Open loop: requests come whether or not others complete. The first one of a phase comes at
    /// its start.
    Open {
        /// How many.
        rate: Rate,
        /// How evenly.
        gaps: Gaps,
    },
}

/// The load that is offered in an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rate {
    /// Requests of any kind; the mean gap is the same after each.
    RequestsPerSecond(u64),
    /// Bytes; the mean gap after a request is as long as it takes to send it, and none after a
    /// flush.
    BytesPerSecond(u64),
}

/// How gaps between arrivals are distributed about the mean that the rate gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Gaps {
    /// Not at all; fractions of a picosecond are carried on, so that the rate is exact.
    Fixed,
    /// Exponentially: for equal means, a Poisson process.
    Exponential,
}

/// A part of the device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Where it begins. A fraction is rounded down to a multiple of the largest alignment.
    #[serde(default = "Extent::none")]
    pub offset: Extent,
    /// How long it is: the working set.
    #[serde(default = "Extent::all")]
    pub size: Extent,
}

impl Default for Region {
    fn default() -> Self {
        Self { offset: Extent::none(), size: Extent::all() }
    }
}

/// A length on the device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Extent {
    /// Bytes, whole sectors.
    Bytes(u64),
    /// Fraction of the device, 0 to 1, rounded down to sectors.
    Fraction(f64),
}

impl Extent {
    const fn none() -> Self {
        Self::Bytes(0)
    }

    const fn all() -> Self {
        Self::Fraction(1.0)
    }
}

/// Which addresses are used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Pattern {
    /// Each request begins where the last one ended, the next multiple of its alignment; at the end
    /// of the region again at its start.
    Sequential,
    /// All alike.
    Uniform,
    /// The unit of rank r is used in proportion to 1 / r^theta, from r = 1.
    Zipf {
        /// The exponent; 0 is uniform.
        theta: f64,
    },
    /// A part of the region at its start gets a share of the accesses, the rest gets the others,
    /// both uniformly.
    HotCold {
        /// Fraction r of the region that is hot, between 0 and 1.
        space: f64,
        /// Share s of the accesses that go there, 0 to 1.
        accesses: f64,
    },
    /// The enterprise workload of JESD219: 50 % of the accesses to the first 5 % of the region,
    /// 30 % to the next 15 %, 20 % to the rest.
    Jesd219Enterprise,
}

/// How long requests are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sizes {
    /// All alike and aligned to their size.
    Bytes(u64),
    /// One drawn for each request.
    Mix(Vec<SizeWeight>),
    /// The enterprise workload of JESD219: 4 % of 512 bytes, 1 % each of 1 to 3.5 KiB in steps of
    /// half a KiB, 67 % of 4 KiB, 10 % of 8, 7 % of 16, 3 % each of 32 and 64 KiB. From 4 KiB on
    /// they are aligned to 4 KiB, below to sectors.
    Jesd219Enterprise,
}

/// A size among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeWeight {
    /// Length in bytes, whole sectors.
    pub bytes: u64,
    /// How often, in proportion to the other sizes' weights; 1 unless given.
    #[serde(default = "one")]
    pub weight: u32,
    /// What starts are a multiple of, whole sectors; 0, the default, means the size itself.
    #[serde(default)]
    pub align_bytes: u64,
}

fn one() -> u32 {
    1
}

/// How often each kind of request is drawn, in proportion to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindWeights {
    /// Weight of reads.
    #[serde(default)]
    pub read: u32,
    /// Weight of writes.
    #[serde(default)]
    pub write: u32,
    /// Weight of trims.
    #[serde(default)]
    pub trim: u32,
}

impl Workload {
    /// Reads and checks a workload.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        load_checked(path.as_ref())
    }
}
