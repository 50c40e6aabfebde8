//! Which block is collected next: the policies of the literature.
//!
//! Names and closed forms of their write amplification: P. Desnoyers, "Analytic modeling of SSD
//! write performance" (SYSTOR 2012); B. Van Houdt, "A mean field model for a class of garbage
//! collection algorithms in flash-based solid state drives" (SIGMETRICS 2013); X.-Y. Hu et al.,
//! "Write amplification analysis in flash-based solid state drives" (SYSTOR 2009); A. Kawaguchi et
//! al., "A flash-memory based file system" (USENIX 1995).

use core::cmp::Reverse;

use floatgate_hal::array::{BlockId, UnitIndex};
use rand_core::Rng;

use super::blocks::Blocks;
use super::memory::Memory;

/// Which full block of a unit is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VictimPolicy {
    /// The one with the fewest valid pages; of equal ones the one that became full first.
    Greedy,
    /// The same among the `window` that became full first (Hu et al.).
    WindowedGreedy {
        /// Blocks to choose from.
        window: u32,
    },
    /// The one with the fewest valid pages of `choices` drawn at random (Van Houdt).
    Choices {
        /// Blocks to choose from.
        choices: u32,
    },
    /// The one that became full first; for uniform writes this is LRU too (Desnoyers).
    Fifo,
    /// The one with the greatest product of invalid pages and age over valid pages, age being
    /// counted in blocks that became full since (Kawaguchi et al.).
    CostBenefit,
    /// Any.
    Random,
}

impl VictimPolicy {
    /// The policy's choice; none where no block has an invalid page, so that nothing can be gained.
    /// The choice itself may gain nothing: the closed forms count on that.
    pub(super) fn choose<W: Memory>(
        self,
        blocks: &Blocks<W>,
        unit: UnitIndex,
        random: &mut impl Rng,
    ) -> Option<BlockId> {
        let pages = blocks.pages_per_block();
        blocks.full(unit).find(|&(block, _)| blocks.valid(block) < pages)?;
        let fewest = |&(block, number): &(BlockId, u32)| (blocks.valid(block), number);
        let full = blocks.full(unit);
        let chosen = match self {
            Self::Greedy => return blocks.emptiest(unit),
            Self::Fifo => full.min_by_key(|&(_, number)| number),
            Self::CostBenefit => full.min_by_key(|&(block, number)| {
                let (valid, now) = (blocks.valid(block), blocks.filled());
                let benefit = u64::from(pages - valid) * u64::from(now - number);
                // Of equal ones the one with more invalid pages; 16 bits behind the point.
                Reverse((benefit << 16) / u64::from(valid.max(1)))
            }),
            Self::WindowedGreedy { window } => in_window(blocks, unit, window).min_by_key(fewest),
            Self::Random => drawn(blocks, unit, random),
            Self::Choices { choices } => {
                let draws = (0..choices).filter_map(|_| drawn(blocks, unit, random));
                draws.min_by_key(|&(block, _)| blocks.valid(block))
            }
        };
        chosen.map(|(block, _)| block)
    }
}

/// A full block of the unit, each as likely as the others.
fn drawn<W: Memory>(
    blocks: &Blocks<W>,
    unit: UnitIndex,
    random: &mut impl Rng,
) -> Option<(BlockId, u32)> {
    let full = blocks.full(unit).count() as u64;
    let index = (u64::from(random.next_u32()) * full) >> 32;
    blocks.full(unit).nth(index as usize)
}

/// The full blocks of the unit that became so first: at most `window` of them.
fn in_window<W: Memory>(
    blocks: &Blocks<W>,
    unit: UnitIndex,
    window: u32,
) -> impl Iterator<Item = (BlockId, u32)> {
    // Numbers are unique, so bisection finds the one below which so many are.
    let below = |end: u32| blocks.full(unit).filter(|&(_, number)| number < end).count() as u32;
    let (mut low, mut high) = (0, blocks.filled());
    while low < high {
        let middle = low + (high - low) / 2;
        if below(middle) < window { low = middle + 1 } else { high = middle }
    }
    blocks.full(unit).filter(move |&(_, number)| number < high)
}
