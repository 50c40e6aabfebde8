//! The blocks of a drive: which are free, open, full or bad, and what they hold.
//!
//! Blocks are looked for by running over those of a unit, once for each block that is opened or
//! collected: a few nanoseconds for each page that is written.

use core::cell::Cell;
use core::ops::Range;

use floatgate_hal::array::{ArrayGeometry, BlockId, Level, UnitIndex};

use super::memory::Memory;

/// How a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// Erased.
    Free,
    /// At a write frontier, or with programs under way.
    Open,
    /// Fully programmed; the number counts the blocks that became full before.
    Full(u32),
    /// A program failed; what it holds is to be moved.
    Failed,
    /// Being collected.
    Victim {
        /// It will not be used again.
        has_failed: bool,
    },
    /// Out of use.
    Bad,
    /// Erased, but not to be written before the journal says so.
    Erased,
    /// The journal's.
    Reserved,
}

const FREE: u32 = 0;
const OPEN: u32 = 1;
const FAILED: u32 = 2;
const VICTIM: u32 = 3;
const FAILED_VICTIM: u32 = 4;
const BAD: u32 = 5;
const ERASED: u32 = 6;
const RESERVED: u32 = 7;
const FIRST_FULL: u32 = 8;

/// In the journal's words the code has the lowest bits; above it is the number of a full block, or
/// the pages of an open or failed one that the journal knows of.
const CODE_BITS: u32 = 3;
const CODE: u32 = (1 << CODE_BITS) - 1;
/// The code of a full block there.
const FULL: u32 = ERASED;

/// A level has four bits. In the journal both of a block are above its erasures, of which no block
/// bears 2^24.
const LEVEL_BITS: u32 = 4;
const LEVEL: u32 = (1 << LEVEL_BITS) - 1;
const ERASES_BITS: u32 = 24;

/// Which free block is opened.
#[derive(Clone, Copy)]
pub(super) enum FreeBlock {
    /// The next one in turn.
    Next,
    /// The one that was erased least often.
    LeastWorn,
    /// The one that was erased most often.
    MostWorn,
}

pub(super) struct Blocks<W> {
    geometry: ArrayGeometry,
    /// A code, or the number of a full block.
    state: W,
    valid: W,
    /// Programs that have ended since the block was opened.
    programmed: W,
    erases: W,
    /// Reads since the block was erased, or since the drive was mounted.
    reads: W,
    /// How strongly what is in the block is encoded, and what is written after the next erasure.
    levels: W,
    /// Free blocks of each unit.
    free: W,
    /// Erased blocks of each unit that wait for the journal.
    waiting: W,
    /// The number of the next block that becomes full.
    filled: Cell<u32>,
}

impl<W: Memory> Blocks<W> {
    /// All blocks are free. The tables are of [`WordCounts`](super::WordCounts).
    pub(super) fn new(geometry: ArrayGeometry, tables: [W; 6], [free, waiting]: [W; 2]) -> Self {
        let [state, valid, programmed, erases, reads, levels] = tables;
        (0..geometry.units).for_each(|unit| free.set(unit, geometry.blocks_per_unit));
        let filled = Cell::new(FIRST_FULL);
        Self { geometry, state, valid, programmed, erases, reads, levels, free, waiting, filled }
    }

    /// The first blocks of each unit are the journal's.
    pub(super) fn reserve(&self, blocks_per_unit: u32) {
        for unit in (0..self.geometry.units).map(UnitIndex) {
            for index in 0..blocks_per_unit {
                let block = self.geometry.block(unit, index);
                self.state.set(block.0, RESERVED);
                self.take(block);
            }
        }
    }

    pub(super) fn state(&self, block: BlockId) -> BlockState {
        match self.state.get(block.0) {
            FREE => BlockState::Free,
            OPEN => BlockState::Open,
            FAILED => BlockState::Failed,
            VICTIM => BlockState::Victim { has_failed: false },
            FAILED_VICTIM => BlockState::Victim { has_failed: true },
            BAD => BlockState::Bad,
            ERASED => BlockState::Erased,
            RESERVED => BlockState::Reserved,
            number => BlockState::Full(number - FIRST_FULL),
        }
    }

    pub(super) fn valid(&self, block: BlockId) -> u32 {
        self.valid.get(block.0)
    }

    pub(super) fn erases(&self, block: BlockId) -> u32 {
        self.erases.get(block.0)
    }

    pub(super) fn level(&self, block: BlockId) -> Level {
        Level((self.levels.get(block.0) & LEVEL) as u8)
    }

    /// The level of what is written after the next erasure.
    pub(super) fn next_level(&self, block: BlockId) -> Level {
        Level((self.levels.get(block.0) >> LEVEL_BITS) as u8)
    }

    pub(super) fn set_levels(&self, block: BlockId, level: Level, next: Level) {
        self.levels.set(block.0, u32::from(next.0) << LEVEL_BITS | u32::from(level.0));
    }

    /// The blocks of a unit that can hold data of the host.
    pub(super) fn usable(&self, unit: UnitIndex) -> impl Iterator<Item = BlockId> {
        let is_usable = |block: &u32| !matches!(self.state.get(*block), BAD | RESERVED);
        self.of_unit(unit).filter(is_usable).map(BlockId)
    }

    /// Reads of a block since it was erased.
    pub(super) fn reads(&self, block: BlockId) -> u32 {
        self.reads.get(block.0)
    }

    pub(super) fn set_reads(&self, block: BlockId, reads: u32) {
        self.reads.set(block.0, reads);
    }

    /// How often the most worn block of a unit was erased that can be.
    pub(super) fn most_erases(&self, unit: UnitIndex) -> u32 {
        self.usable(unit).map(|block| self.erases(block)).max().unwrap_or_default()
    }

    pub(super) fn free(&self, unit: UnitIndex) -> u32 {
        self.free.get(unit.0)
    }

    /// Erased blocks of a unit, whether or not they wait for the journal.
    pub(super) fn free_or_waiting(&self, unit: UnitIndex) -> u32 {
        self.free(unit) + self.waiting.get(unit.0)
    }

    /// Programs that have ended since a block was opened.
    pub(super) fn written(&self, block: BlockId) -> u32 {
        self.programmed.get(block.0)
    }

    pub(super) fn pages_per_block(&self) -> u32 {
        self.geometry.pages_per_block
    }

    /// Blocks that became full so far.
    pub(super) fn filled(&self) -> u32 {
        self.filled.get() - FIRST_FULL
    }

    /// The full blocks of a unit with their numbers, in order of place.
    pub(super) fn full(&self, unit: UnitIndex) -> impl Iterator<Item = (BlockId, u32)> {
        let blocks = self.of_unit(unit);
        blocks.clone().zip(self.state.stretch(blocks)).filter_map(|(block, state)| {
            let number = state.get().checked_sub(FIRST_FULL)?;
            Some((BlockId(block), number))
        })
    }

    /// The full block of a unit with the fewest valid pages, of equal ones the one that became full
    /// first.
    pub(super) fn emptiest(&self, unit: UnitIndex) -> Option<BlockId> {
        let blocks = self.of_unit(unit);
        let (states, valid) =
            (self.state.stretch(blocks.clone()), self.valid.stretch(blocks.clone()));
        // One number for both, and no way out of the loop: a nanosecond a block.
        let key = |(state, valid): (&Cell<u32>, &Cell<u32>)| {
            let key = u64::from(valid.get()) << 32 | u64::from(state.get());
            if state.get() < FIRST_FULL { u64::MAX } else { key }
        };
        let mut keys = states.iter().zip(valid).map(key);
        let least = keys.clone().fold(u64::MAX, u64::min);
        let at = keys.position(|key| key == least && key < u64::MAX)?;
        Some(BlockId(blocks.start + at as u32))
    }

    /// A block whose program failed and whose other programs have ended.
    pub(super) fn failed(&self, unit: UnitIndex) -> Option<BlockId> {
        let is_failed = |block: &u32| {
            self.state.get(*block) == FAILED
                && self.programmed.get(*block) == self.geometry.pages_per_block
        };
        self.of_unit(unit).find(is_failed).map(BlockId)
    }

    /// Opens a free block.
    pub(super) fn open(&self, unit: UnitIndex, last: BlockId, choice: FreeBlock) -> BlockId {
        let blocks = self.of_unit(unit);
        let is_free = |block: &u32| self.state.get(*block) == FREE;
        let erases = |block: &u32| self.erases.get(*block);
        let block = match choice {
            FreeBlock::LeastWorn => blocks.filter(is_free).min_by_key(erases),
            FreeBlock::MostWorn => blocks.filter(is_free).max_by_key(erases),
            FreeBlock::Next => {
                let after = last.0.clamp(blocks.start, blocks.end - 1);
                (after..blocks.end).chain(blocks.start..after).find(is_free)
            }
        };
        let block = block.expect("free blocks were counted");
        self.state.set(block, OPEN);
        self.programmed.set(block, 0);
        self.take(BlockId(block));
        BlockId(block)
    }

    /// A mount has found a block partly programmed, and goes on in it.
    pub(super) fn reopen(&self, block: BlockId, written: u32) {
        self.state.set(block.0, OPEN);
        self.programmed.set(block.0, written);
        self.take(block);
    }

    /// A mount has found a block in which nothing is to be programmed any more.
    pub(super) fn restore_full(&self, block: BlockId, number: u32) {
        let number = FIRST_FULL + number;
        self.state.set(block.0, number);
        self.programmed.set(block.0, self.geometry.pages_per_block);
        self.filled.set(self.filled.get().max(number + 1));
        self.take(block);
    }

    /// A block is free no longer.
    fn take(&self, block: BlockId) {
        let unit = self.geometry.unit(block);
        self.free.set(unit.0, self.free(unit) - 1);
    }

    /// A program has ended; tells whether it was the last one of a block that has failed.
    pub(super) fn programmed(&self, block: BlockId) -> bool {
        let programmed = self.programmed.get(block.0) + 1;
        self.programmed.set(block.0, programmed);
        let is_last = programmed == self.geometry.pages_per_block;
        if is_last && self.state.get(block.0) == OPEN {
            let number = self.filled.get();
            self.state.set(block.0, number);
            self.filled.set(number.checked_add(1).expect("fewer than 2^32 blocks are written"));
        }
        is_last && self.state.get(block.0) == FAILED
    }

    pub(super) fn fail(&self, block: BlockId) {
        self.state.set(block.0, FAILED);
    }

    /// The block is a victim from now on.
    pub(super) fn collect(&self, block: BlockId) {
        let has_failed = self.state.get(block.0) == FAILED;
        self.state.set(block.0, if has_failed { FAILED_VICTIM } else { VICTIM });
    }

    /// The block is no victim any more.
    pub(super) fn put_back(&self, block: BlockId) {
        let has_failed = self.state.get(block.0) == FAILED_VICTIM;
        self.state.set(block.0, if has_failed { FAILED } else { FIRST_FULL });
    }

    pub(super) fn erased(&self, block: BlockId, is_good: bool, has_to_wait: bool) {
        assert_eq!(self.valid(block), 0, "block {} is erased with valid pages", block.0);
        self.wear(block);
        let is_good = is_good && self.state.get(block.0) == VICTIM;
        if !is_good {
            return self.retire(block);
        }
        let unit = self.geometry.unit(block).0;
        let (state, count) = if has_to_wait { (ERASED, &self.waiting) } else { (FREE, &self.free) };
        self.state.set(block.0, state);
        count.set(unit, count.get(unit) + 1);
    }

    /// The journal says that an erased block is free.
    pub(super) fn release(&self, block: BlockId) {
        let unit = self.geometry.unit(block).0;
        self.state.set(block.0, FREE);
        self.waiting.set(unit, self.waiting.get(unit) - 1);
        self.free.set(unit, self.free.get(unit) + 1);
    }

    /// A block is out of use.
    pub(super) fn retire(&self, block: BlockId) {
        self.state.set(block.0, BAD);
    }

    /// A block has been erased once more.
    pub(super) fn wear(&self, block: BlockId) {
        self.erases.set(block.0, self.erases(block) + 1);
        self.reads.set(block.0, 0);
        let next = self.next_level(block);
        self.set_levels(block, next, next);
    }

    pub(super) fn gain(&self, block: BlockId) {
        self.valid.set(block.0, self.valid(block) + 1);
    }

    pub(super) fn lose(&self, block: BlockId) {
        let valid = self.valid(block).checked_sub(1);
        self.valid.set(block.0, valid.expect("a valid page is in a block that has some"));
    }

    fn of_unit(&self, unit: UnitIndex) -> Range<u32> {
        let first = self.geometry.block(unit, 0).0;
        first..first + self.geometry.blocks_per_unit
    }
}

/// What the journal keeps of blocks.
impl<W: Memory> Blocks<W> {
    /// How a block is, as a word of the journal.
    pub(super) fn word(&self, block: BlockId) -> u32 {
        let (code, value) = match self.state.get(block.0) {
            ERASED => (FREE, 0),
            code @ (OPEN | FAILED) => (code, self.written(block)),
            code @ ..FIRST_FULL => (code, 0),
            number => (FULL, number - FIRST_FULL),
        };
        code | value << CODE_BITS
    }

    /// Whether a word tells that a block was erased, well or in vain.
    pub(super) fn tells_erasure(word: u32) -> bool {
        matches!(word & CODE, FREE | BAD)
    }

    /// Takes a word of the journal over; [`rebuild`](Self::rebuild) is to follow.
    pub(super) fn restore(&self, block: BlockId, word: u32) {
        let (code, value) = (word & CODE, word >> CODE_BITS);
        let is_full = code == FULL;
        self.state.set(block.0, if is_full { FIRST_FULL + value } else { code });
        self.programmed.set(block.0, if is_full { self.geometry.pages_per_block } else { value });
    }

    /// The journal tells that a page was programmed, and so all before it in its block.
    pub(super) fn restore_program(&self, block: BlockId, page: u32) {
        self.state.set(block.0, OPEN);
        self.programmed.set(block.0, page + 1);
    }

    /// How often a block was erased, and its levels, as a word of the journal.
    pub(super) fn wear_word(&self, block: BlockId) -> u32 {
        self.levels.get(block.0) << ERASES_BITS | self.erases(block)
    }

    /// Takes such a word over.
    pub(super) fn restore_wear(&self, block: BlockId, word: u32) {
        self.erases.set(block.0, word & ((1 << ERASES_BITS) - 1));
        self.levels.set(block.0, word >> ERASES_BITS);
    }

    /// The journal tells how many blocks had become full.
    pub(super) fn restore_filled(&self, filled: u32) {
        self.filled.set(FIRST_FULL + filled);
    }

    /// The journal has been read, and the valid pages are counted. What may have been written since
    /// is free now, but for the pages that the journal knows of, and is to be looked at.
    pub(super) fn rebuild(&self) {
        (0..self.geometry.units).for_each(|unit| self.free.set(unit, 0));
        for block in (0..self.geometry.blocks()).map(BlockId) {
            let valid = self.valid(block);
            let state = match self.state.get(block.0) {
                FREE | OPEN => {
                    let unit = self.geometry.unit(block);
                    self.free.set(unit.0, self.free(unit) + 1);
                    FREE
                }
                // Without valid pages it may have been erased.
                VICTIM if valid > 0 => FIRST_FULL,
                FAILED_VICTIM if valid == 0 => BAD,
                FAILED | FAILED_VICTIM => {
                    self.programmed.set(block.0, self.geometry.pages_per_block);
                    FAILED
                }
                state => state,
            };
            self.state.set(block.0, state);
        }
    }
}
