//! The ladder of strengths: each block is encoded as strongly as its errors ask for, and no more,
//! for a stronger code takes longer to decode and more energy. The idea of a programmable code is
//! that of T. Kgil, D. Roberts and T. Mudge, "Improving NAND flash based disk caches" (ISCA 2008);
//! here it follows the errors that reads see.
//!
//! A block begins on the lowest level. When a read of it has so many bits corrected that a few more
//! would be too many, or too many already, the block goes one level up when it is erased next, and
//! its data are moved for that soon. One that outgrows the highest level is taken out of use, as
//! long as its unit can do without it.

use core::cell::Cell;

use floatgate_hal::array::{BlockId, Level, Ppa};

use super::{BlockState, Ftl, Memory};

/// Levels that a ladder has at most.
pub const MAX_LEVELS: usize = 8;

/// In place of the errors of a page that could not be read.
const TOO_MANY: u16 = u16::MAX;

/// The strengths that blocks can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// Bits that are corrected in a codeword, by level.
    strengths: [u16; MAX_LEVELS],
    levels: u8,
    margin_bits: u16,
}

impl Default for Ladder {
    /// One level, which no block outgrows.
    fn default() -> Self {
        Self { strengths: [0; MAX_LEVELS], levels: 1, margin_bits: 0 }
    }
}

impl Ladder {
    /// A ladder of so many corrected bits by level, ascending. A block outgrows its level when a
    /// read leaves no more than `margin_bits` to correct.
    ///
    /// # Panics
    /// There are fewer than two levels or more than [`MAX_LEVELS`].
    pub fn new(by_level: &[u16], margin_bits: u16) -> Self {
        assert!(by_level.len() > 1, "a ladder has two levels");
        let mut strengths = [0; MAX_LEVELS];
        strengths[..by_level.len()].copy_from_slice(by_level);
        Self { strengths, levels: by_level.len() as u8, margin_bits }
    }

    /// Whether there is more than one level.
    #[inline]
    pub const fn is_on(&self) -> bool {
        self.levels > 1
    }

    /// The highest level, which the journal has.
    pub const fn strongest(&self) -> Level {
        Level(self.levels - 1)
    }

    /// Whether so many errors are too near to what a level corrects.
    fn is_outgrown(&self, level: Level, errors: u16) -> bool {
        errors.saturating_add(self.margin_bits) >= self.strengths[usize::from(level.0)]
    }
}

/// What came of the ladder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LadderCounts {
    /// Blocks that outgrew a level below the highest.
    pub raised: u32,
    /// Blocks that outgrew the highest and were taken out of use.
    pub retired: u32,
}

/// Counts as they grow.
#[derive(Default)]
pub(super) struct Climbs(Cell<LadderCounts>);

impl Climbs {
    fn count(&self, change: impl FnOnce(&mut LadderCounts)) {
        let mut counts = self.0.get();
        change(&mut counts);
        self.0.set(counts);
    }
}

impl<W: Memory> Ftl<W> {
    /// The level that a page is to be encoded with.
    #[inline]
    pub fn level(&self, page: Ppa) -> Level {
        if self.config.ladder.is_on() {
            self.blocks.level(self.geometry.block_of(page))
        } else {
            Level(0)
        }
    }

    /// A page has been read with so many bits corrected in a codeword; tells whether its block is
    /// to be collected, because it outgrows its level by that.
    #[inline]
    pub fn note_errors(&self, page: Ppa, errors: u16) -> bool {
        self.config.ladder.is_on() && self.outgrow(self.geometry.block_of(page), errors)
    }

    /// A page that is valid could not be read; tells whether its block is to be collected.
    #[cold]
    pub fn note_loss(&self, page: Ppa) -> bool {
        let is_outgrown = self.note_errors(page, TOO_MANY);
        if is_outgrown {
            self.reclaim(page);
        }
        is_outgrown
    }

    #[cold]
    fn outgrow(&self, block: BlockId, errors: u16) -> bool {
        let (ladder, level) = (&self.config.ladder, self.blocks.level(block));
        let is_going = self.blocks.next_level(block) != level;
        if is_going || !ladder.is_outgrown(level, errors) {
            return false;
        }
        let next = Level(level.0 + 1);
        if level == ladder.strongest() && !self.can_do_without(block) {
            return false;
        }
        self.blocks.set_levels(block, level, next);
        self.climbs.count(|counts| counts.raised += u32::from(level != ladder.strongest()));
        true
    }

    /// Whether a block's unit holds its share of the host's pages without it.
    fn can_do_without(&self, block: BlockId) -> bool {
        let geometry = &self.geometry;
        let pages = self.config.user_pages.div_ceil(geometry.units);
        let open = if self.config.separate_moved { 2 } else { 1 };
        let needed = pages.div_ceil(geometry.pages_per_block) + self.config.collect_below + open;
        let is_kept = |block: &BlockId| !self.is_retired(self.blocks.next_level(*block));
        self.blocks.usable(geometry.unit(block)).filter(is_kept).count() as u32 > needed + 1
    }

    /// Whether a block is to be taken out of use for a level above the highest.
    fn is_retired(&self, next: Level) -> bool {
        next > self.config.ladder.strongest()
    }

    /// Whether a block that is about to be erased has outgrown the highest level.
    pub(super) fn retires(&self, block: BlockId) -> bool {
        let retires = self.is_retired(self.blocks.next_level(block));
        self.climbs.count(|counts| counts.retired += u32::from(retires));
        retires
    }

    /// A mount has found a page of a block, encoded with a level.
    pub fn restore_level(&self, page: Ppa, level: Level) {
        let block = self.geometry.block_of(page);
        self.blocks.set_levels(block, level, self.blocks.next_level(block).max(level));
    }

    /// What came of the ladder since the drive was mounted.
    pub fn ladder_counts(&self) -> LadderCounts {
        self.climbs.0.get()
    }

    /// Blocks of the host's data that are on a level, whether or not they hold any.
    pub fn blocks_on(&self, level: Level) -> u32 {
        let blocks = (0..self.geometry.blocks()).map(BlockId);
        let is_data = |block| !matches!(self.block(block), BlockState::Bad | BlockState::Reserved);
        blocks.filter(|&block| is_data(block) && self.blocks.level(block) == level).count() as u32
    }
}
