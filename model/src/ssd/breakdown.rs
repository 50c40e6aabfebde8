//! Where the latency of requests goes.
//!
//! The serving task of a piece has an account ([`Stage`]): the interface, the processor and the
//! array charge what they make it wait or work. Of a request of several pieces the one that ends
//! last counts: it made the request as late as it was. What nobody charged is firmware's, so the
//! parts of a request add up to its latency, to the picosecond.

use floatgate_hal::units::Picoseconds;

use crate::sim::{Account, Stage};

/// A part of a request's latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Until a task of firmware took it up.
    Queue,
    /// Firmware's steps, waiting for a core included.
    Firmware,
    /// Data on the link to the host, waiting for it included.
    Link,
    /// Waiting for room in the buffer, or for it to be flushed.
    Buffer,
    /// Waiting for an earlier write of the same page.
    SamePage,
    /// Waiting for garbage collection: for a block to be freed, or for a die that collects.
    Collection,
    /// Waiting for a page of the journal.
    Journal,
    /// Waiting for a die that does something else.
    Die,
    /// Waiting for the channel.
    Channel,
    /// Commands, addresses, data and status on the channel.
    Transfer,
    /// The die's array works.
    Array,
    /// What was read is corrected.
    Ecc,
    /// Data go through the buffer memory, waiting for it included.
    Memory,
}

impl Part {
    /// All of them, in the order in which they come.
    pub const ALL: [Self; 13] = [
        Self::Queue,
        Self::Firmware,
        Self::Link,
        Self::Buffer,
        Self::SamePage,
        Self::Collection,
        Self::Journal,
        Self::Die,
        Self::Channel,
        Self::Transfer,
        Self::Array,
        Self::Ecc,
        Self::Memory,
    ];

    /// As a report calls it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Firmware => "firmware",
            Self::Link => "host link",
            Self::Buffer => "buffer",
            Self::SamePage => "same page",
            Self::Collection => "garbage collection",
            Self::Journal => "journal",
            Self::Die => "die busy",
            Self::Channel => "channel busy",
            Self::Transfer => "transfer",
            Self::Array => "flash array",
            Self::Ecc => "ECC",
            Self::Memory => "buffer memory",
        }
    }
}

impl From<Part> for Stage {
    #[inline]
    fn from(part: Part) -> Self {
        Self(part as u8)
    }
}

/// Sums of the parts of some requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartSums {
    /// Requests.
    pub requests: u64,
    /// Picoseconds by part, in the order of [`Part::ALL`].
    pub spans_ps: [u128; Part::ALL.len()],
}

impl PartSums {
    /// All parts of all requests.
    pub fn total_ps(&self) -> u128 {
        self.spans_ps.iter().sum()
    }

    /// The mean of a part, in picoseconds; 0 without requests.
    pub fn mean_ps(&self, part: Part) -> f64 {
        self.spans_ps[part as usize] as f64 / self.requests.max(1) as f64
    }
}

/// Powers of two of a nanosecond: latencies below 2^40 ns, which are 18 minutes, are told apart.
const CLASSES: usize = 40;

/// The parts of requests, by how long these took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    classes: Box<[Class; CLASSES]>,
}

/// Requests that took about as long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Class {
    /// Up to the last time that the sums below became large.
    earlier: PartSums,
    /// Since then. Sums of 64 bits are added several at a time.
    requests: u64,
    latency_ps: u64,
    spans_ps: [u64; Part::ALL.len()],
}

impl Class {
    fn sums(&self) -> PartSums {
        let mut sums = self.earlier;
        sums.requests += self.requests;
        for (sum, &span) in sums.spans_ps.iter_mut().zip(&self.spans_ps) {
            *sum += u128::from(span);
        }
        // Firmware has what nobody charged.
        let charged: u64 = self.spans_ps.iter().sum();
        sums.spans_ps[Part::Firmware as usize] += u128::from(self.latency_ps - charged);
        sums
    }
}

impl Default for Breakdown {
    fn default() -> Self {
        Self { classes: Box::new([Class::default(); CLASSES]) }
    }
}

impl Breakdown {
    /// Notes a request: when the host wanted it, its latency, and the account of its last piece.
    #[inline]
    pub(super) fn record(&mut self, wanted: Picoseconds, latency: Picoseconds, account: &Account) {
        let class = &mut self.classes[Self::class(latency)];
        if class.latency_ps >= 1 << 62 {
            *class = Class { earlier: class.sums(), ..Class::default() };
        }
        class.requests += 1;
        class.latency_ps += latency.0;
        for (sum, span) in class.spans_ps.iter_mut().zip(account.spans()) {
            *sum += span.0;
        }
        class.spans_ps[Part::Queue as usize] += account.opened().0 - wanted.0;
    }

    /// The class of a latency: class c begins at 2^c nanoseconds, the first at 0.
    fn class(latency: Picoseconds) -> usize {
        ((latency.0 / 1000).max(1).ilog2() as usize).min(CLASSES - 1)
    }

    /// All requests.
    pub fn all(&self) -> PartSums {
        self.classes.iter().map(Class::sums).fold(PartSums::default(), |mut all, class| {
            all.requests += class.requests;
            all.spans_ps.iter_mut().zip(class.spans_ps).for_each(|(all, span)| *all += span);
            all
        })
    }

    /// The classes that have requests: from so much latency on, up to twice that.
    pub fn classes(&self) -> impl Iterator<Item = (Picoseconds, PartSums)> {
        let from = |class: u32| Picoseconds(if class == 0 { 0 } else { 1000 << class });
        let sums = self.classes.iter().map(Class::sums);
        (0..).map(from).zip(sums).filter(|(_, sums)| sums.requests > 0)
    }
}
