//! Which block is collected, and why: for room, because a program in it failed, because it was read
//! often or with many errors, or because what is in it is written so seldom that other blocks wear
//! in its place.

use floatgate_hal::array::{BlockId, Origin, Ppa, UnitIndex};

use super::{Ftl, Memory, Stream};

/// In place of its reads: a block was read with too many errors.
const ERRONEOUS: u32 = u32::MAX;

/// When data are moved to save blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WearLimits {
    /// A block with data whose erasures are fewer than those of another one of its unit by more
    /// than this is collected, and its data go to worn blocks (static wear levelling); 0 for never.
    pub erase_spread: u32,
    /// A full block that was read so often since it was erased is collected (read reclaim), before
    /// reads disturb its data too much; 0 for never. A mount begins to count anew.
    pub block_reads: u32,
    /// A full block is collected when a read of the host had so many bits corrected in a codeword
    /// (scrubbing), before they are too many; 0 for never.
    pub corrected_bits: u16,
}

/// A block to collect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Which it is.
    pub block: BlockId,
    /// On whose behalf.
    pub origin: Origin,
}

impl<W: Memory> Ftl<W> {
    /// Whether a unit has something to collect: it is short of free blocks, one has failed, or one
    /// was read often.
    pub fn has_to_collect(&self, unit: UnitIndex) -> bool {
        self.is_short(unit) || self.blocks.failed(unit).is_some() || self.often_read(unit).is_some()
    }

    /// The block to collect in a unit, which is no longer offered then: one that failed or was read
    /// often, or else the policy's choice. None where nothing would be gained. Where there is no
    /// room to move pages to, which only power cuts bring about, it is one without valid pages.
    pub fn choose_victim(&self, unit: UnitIndex) -> Option<Victim> {
        let can_move = self.moves(unit) > 0;
        let can_be_moved = |block: &BlockId| can_move || self.blocks.valid(*block) == 0;
        let failed = self.blocks.failed(unit).filter(can_be_moved);
        if failed.is_none() && can_move && !self.is_short(unit) {
            return self.often_read(unit).map(|block| self.victim(block, Origin::Reclaim));
        }
        let block = failed.or_else(|| {
            if !can_move {
                let mut full = self.blocks.full(unit).map(|(block, _)| block);
                return full.find(can_be_moved);
            }
            let random = &mut *self.random.borrow_mut();
            self.config.victim.choose(&self.blocks, unit, random)
        })?;
        Some(self.victim(block, Origin::Collection))
    }

    /// The least worn block with data, if it is worn so little that these have to move.
    pub fn choose_to_level(&self, unit: UnitIndex) -> Option<Victim> {
        let spread = self.config.wear.erase_spread;
        if spread == 0 || self.is_short(unit) {
            return None;
        }
        let full = self.blocks.full(unit).map(|(block, _)| block);
        let least_worn = full.min_by_key(|&block| self.blocks.erases(block))?;
        let behind = self.blocks.most_erases(unit) - self.blocks.erases(least_worn);
        (behind > spread).then(|| self.victim(least_worn, Origin::Levelling))
    }

    fn victim(&self, block: BlockId, origin: Origin) -> Victim {
        self.blocks.collect(block);
        Victim { block, origin }
    }

    /// A full block that was read as often as a block may be, or with too many errors.
    fn often_read(&self, unit: UnitIndex) -> Option<BlockId> {
        if !self.counts_reads() {
            return None;
        }
        let mut full = self.blocks.full(unit).map(|(block, _)| block);
        full.find(|&block| self.is_to_reclaim(block))
    }

    fn is_to_reclaim(&self, block: BlockId) -> bool {
        let (reads, most) = (self.blocks.reads(block), self.config.wear.block_reads);
        reads == ERRONEOUS || most > 0 && reads >= most
    }

    /// Whether it matters what is read.
    #[inline]
    pub fn counts_reads(&self) -> bool {
        let limits = &self.config.wear;
        limits.block_reads > 0 || limits.corrected_bits > 0 || self.config.ladder.is_on()
    }

    /// A page has been read, with so many bits corrected in a codeword; tells whether its block is
    /// to be collected for that.
    #[cold]
    pub fn note_read(&self, page: Ppa, corrected_bits: u16) -> bool {
        let limits = &self.config.wear;
        let is_erroneous = self.note_errors(page, corrected_bits)
            || limits.corrected_bits > 0 && corrected_bits >= limits.corrected_bits;
        let block = self.geometry.block_of(page);
        let reads = self.blocks.reads(block).saturating_add(1);
        self.blocks.set_reads(block, if is_erroneous { ERRONEOUS } else { reads });
        self.is_to_reclaim(block)
    }

    /// The block of a page is to be collected as one that was read with too many errors.
    pub(super) fn reclaim(&self, page: Ppa) {
        self.blocks.set_reads(self.geometry.block_of(page), ERRONEOUS);
    }

    /// Pages of a unit that are not free: those of all its blocks but the free ones, of open ones
    /// so far as they are written.
    pub fn written_pages(&self, unit: UnitIndex) -> u32 {
        let streams = if self.config.separate_moved { 2 } else { 1 };
        let frontiers = [Stream::Host, Stream::Moved].into_iter().take(streams);
        let left = |stream| self.geometry.pages_per_block - self.frontier(unit, stream).page;
        let blocks = self.geometry.blocks_per_unit - self.blocks.free(unit);
        blocks * self.geometry.pages_per_block - frontiers.map(left).sum::<u32>()
    }

    /// How many valid pages of a unit can be moved side by side.
    pub fn moves(&self, unit: UnitIndex) -> u32 {
        if self.waits_for_journal(unit) {
            return 1;
        }
        let pages = self.geometry.pages_per_block;
        let left = pages - self.frontier(unit, Stream::Moved).page;
        // More is not needed, and might be more than a number holds.
        let free = self.blocks.free(unit).min(1);
        (left + free * pages).min(self.config.moves)
    }

    /// A victim is not collected after all.
    pub fn put_back(&self, victim: BlockId) {
        self.blocks.put_back(victim);
    }
}
