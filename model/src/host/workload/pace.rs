//! When the requests of a phase arrive.

use std::num::NonZeroU32;

use floatgate_hal::units::Picoseconds;
use rand::distr::Distribution;
use rand_distr::Exp1;

use super::size::SizeTable;
use super::{Gaps, Pace, Rate};
use crate::sim::RandomStream;

const PS_PER_S: u128 = 1_000_000_000_000;

/// A phase's pace, worked out.
#[derive(Debug)]
pub(super) enum Pacing {
    Closed { queue_depth: NonZeroU32, think: Picoseconds },
    Open(OpenLoop),
}

/// Gaps in an open loop.
#[derive(Debug)]
pub(super) struct OpenLoop {
    gaps: Gaps,
    /// The mean gap after each size, as whole picoseconds and a remainder.
    after_size: Vec<Gap>,
    after_flush: Gap,
    /// What a remainder is a fraction of.
    rate: u64,
    /// The remainders so far that do not make a picosecond.
    carried: u64,
}

#[derive(Clone, Copy, Debug)]
struct Gap {
    whole: u64,
    remainder: u64,
}

impl Gap {
    /// The time that `count` units take at `rate` a second.
    ///
    /// # Panics
    /// Where that exceeds 64 bits of picoseconds, which the check of a workload rules out.
    fn new(count: u64, rate: u64) -> Self {
        let total = u128::from(count) * PS_PER_S;
        let whole = u64::try_from(total / u128::from(rate)).expect("a gap of an hour at most");
        Self { whole, remainder: (total % u128::from(rate)) as u64 }
    }
}

impl Pacing {
    /// The pace of a phase whose configuration was checked.
    pub(super) fn new(pace: Pace, sizes: &SizeTable) -> Self {
        match pace {
            Pace::Closed { queue_depth, think_ns } => Self::Closed {
                queue_depth: NonZeroU32::new(queue_depth).expect("checked: 1 or more"),
                think: Picoseconds(think_ns * 1000),
            },
            Pace::Open { rate, gaps } => Self::Open(OpenLoop::new(rate, gaps, sizes)),
        }
    }
}

impl OpenLoop {
    fn new(rate: Rate, gaps: Gaps, sizes: &SizeTable) -> Self {
        let (rate, after_size, after_flush): (_, Vec<_>, _) = match rate {
            Rate::RequestsPerSecond(rate) => {
                let gap = Gap::new(1, rate);
                (rate, sizes.iter().map(|_| gap).collect(), gap)
            }
            Rate::BytesPerSecond(rate) => {
                let gaps = sizes.iter().map(|size| Gap::new(size.sectors.bytes(), rate));
                (rate, gaps.collect(), Gap { whole: 0, remainder: 0 })
            }
        };
        Self { gaps, after_size, after_flush, rate, carried: 0 }
    }

    /// From a request of the size with this index, or a flush, to the next request.
    pub(super) fn gap(&mut self, size: Option<usize>, random: &mut RandomStream) -> Picoseconds {
        let gap = size.map_or(self.after_flush, |index| self.after_size[index]);
        Picoseconds(match self.gaps {
            Gaps::Fixed => {
                // Both are below the rate, so their sum may pass 2^64 only where the rate does.
                let sum = u128::from(self.carried) + u128::from(gap.remainder);
                let carries = sum >= u128::from(self.rate);
                let kept = if carries { sum - u128::from(self.rate) } else { sum };
                self.carried = kept as u64;
                gap.whole + u64::from(carries)
            }
            Gaps::Exponential => {
                let mean = gap.whole as f64 + gap.remainder as f64 / self.rate as f64;
                let factor: f64 = Exp1.sample(random);
                (mean * factor).round() as u64
            }
        })
    }
}
