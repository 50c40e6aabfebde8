//! The flash translation layer: where the pages of the host lie, and which blocks can be written.
//!
//! Enters: which logical pages are written, moved and given up. Leaves: physical pages to write to
//! and blocks to collect. It is bookkeeping alone and awaits nothing; [`drive`](crate::drive) does
//! the work. Page mapping with a full table; blocks are written from first to last page at a write
//! frontier per unit and stream, and a victim's valid pages are moved before it is erased.
//!
//! The memory is lent when a drive is mounted: words for the table, a bit for each page, and a few
//! words for each block.

mod blocks;
mod journal;
mod journaled;
mod ladder;
mod map;
mod memory;
mod victim;
mod wear;

use core::cell::{Cell, RefCell};

use floatgate_hal::array::{ArrayGeometry, BlockId, Lpn, Ppa, UnitIndex};
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;

pub use blocks::BlockState;
use blocks::{Blocks, FreeBlock};
pub use journal::{Journal, JournalDamaged, JournalLayout, Metadata};
use ladder::Climbs;
pub use ladder::{Ladder, LadderCounts, MAX_LEVELS};
use map::Map;
pub use memory::{Memory, WordCounts};
pub use victim::VictimPolicy;
pub use wear::{Victim, WearLimits};

/// Which pages lie together in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Written by the host.
    Host,
    /// Moved, because their block was collected.
    Moved,
    /// Moved, because they are written seldom. They go where other moved pages go, but a block that
    /// is opened for them is a worn one.
    Cold,
}

/// Streams that have a frontier of their own.
const STREAMS: usize = 2;

/// To which unit the next page of the host goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// That of its number: page n to unit n modulo the number of units. A page stays in its unit.
    Striped,
    /// The next unit that has room.
    RoundRobin,
}

/// What becomes of pages that the host gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trims {
    /// They are forgotten: at once of no weight in collection, but after a power cut an older
    /// version may be found that collection had not erased yet. With a journal only until the host
    /// has flushed.
    InMemory,
    /// A page that says so is programmed; it lasts, and is moved like data.
    OnFlash,
}

/// What can be chosen of a translation layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FtlConfig {
    /// Pages that the host sees.
    pub user_pages: u32,
    /// Which block is collected.
    pub victim: VictimPolicy,
    /// A unit with fewer free blocks than this collects: more than the reserve.
    pub collect_below: u32,
    /// Whether moved pages have a block of their own, or go on in that of the host.
    pub separate_moved: bool,
    /// To which unit pages go.
    pub placement: Placement,
    /// Free blocks of a unit that only moved pages may take, at least 1; with 1, power cuts while a
    /// block is collected can leave a unit without room to move its pages.
    pub reserve_blocks: u32,
    /// What becomes of pages that the host gives up.
    pub trims: Trims,
    /// Whether the least worn free block is written next, or the next one in turn.
    pub level_free_blocks: bool,
    /// How a mount finds out what is on the flash.
    pub metadata: Metadata,
    /// When data are moved to save blocks.
    pub wear: WearLimits,
    /// How strongly blocks are encoded.
    pub ladder: Ladder,
    /// Pages of a unit that collection moves side by side, 1 to [`MAX_MOVES`].
    pub moves: u32,
    /// Seed of the policies that draw.
    pub seed: u64,
}

/// Pages of a unit that collection may move side by side.
pub const MAX_MOVES: usize = 8;

/// Why a drive cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FtlError {
    /// There are more user pages than can be held.
    #[error(
        "{user_pages} user pages are more than the {most} of {blocks_per_unit} blocks a unit, of \
         which collection needs {reserve}"
    )]
    NoSpare {
        /// Pages that the host would see.
        user_pages: u32,
        /// Pages that it can see at most.
        most: u32,
        /// Blocks of a unit.
        blocks_per_unit: u32,
        /// Blocks of a unit that hold no user data: free ones and open ones.
        reserve: u32,
    },
    /// The journal would have to be larger.
    #[error("a journal of {blocks} blocks of each unit is too small: it needs {least}")]
    JournalTooSmall {
        /// Blocks of a unit.
        blocks: u32,
        /// Blocks of a unit that are needed.
        least: u32,
    },
    /// Collection would start too late.
    #[error("collection below {below} free blocks comes too late: {reserve} are kept for it")]
    CollectBelow {
        /// Free blocks below which a unit collects.
        below: u32,
        /// Free blocks that only moved pages may take.
        reserve: u32,
    },
}

/// A write frontier: the open block and its next page.
#[derive(Clone, Copy)]
struct Frontier {
    block: BlockId,
    page: u32,
}

/// The frontiers of all units, stream by stream.
struct Frontiers<W> {
    blocks: [W; STREAMS],
    pages: [W; STREAMS],
}

/// Mapping and blocks of a drive.
pub struct Ftl<W> {
    geometry: ArrayGeometry,
    config: FtlConfig,
    map: Map<W>,
    blocks: Blocks<W>,
    journal: Option<Journal<W>>,
    frontiers: Frontiers<W>,
    /// The unit that has its turn.
    turn: Cell<u32>,
    serial: Cell<u64>,
    random: RefCell<XorShiftRng>,
    climbs: Climbs,
}

impl<W: Memory> Ftl<W> {
    /// The words that a drive needs.
    pub const fn words(
        geometry: &ArrayGeometry,
        user_pages: u32,
        metadata: Metadata,
    ) -> WordCounts {
        WordCounts {
            map: user_pages,
            valid: geometry.pages().div_ceil(32),
            blocks: geometry.blocks(),
            units: geometry.units,
            journal: match metadata {
                Metadata::Scan => 0,
                Metadata::Journal { blocks_per_unit } => {
                    JournalLayout::new(geometry, user_pages).words(blocks_per_unit)
                }
            },
        }
    }

    /// An empty drive, all blocks erased. `words` gives memory of so many words, all 0.
    ///
    /// # Errors
    /// [`FtlError`]: not enough room to collect in.
    pub fn new(
        geometry: ArrayGeometry,
        config: FtlConfig,
        mut words: impl FnMut(u32) -> W,
    ) -> Result<Self, FtlError> {
        let (below, reserve) = (config.collect_below, config.reserve_blocks);
        if reserve == 0 || below <= reserve {
            return Err(FtlError::CollectBelow { below, reserve });
        }
        let reserve = reserve + 1 + u32::from(config.separate_moved);
        let blocks_per_unit = geometry.blocks_per_unit;
        let reserve = reserve + config.metadata.blocks_per_unit();
        let data_blocks = geometry.units * blocks_per_unit.saturating_sub(reserve);
        let (user_pages, most) = (config.user_pages, data_blocks * geometry.pages_per_block);
        if user_pages >= most {
            return Err(FtlError::NoSpare { user_pages, most, blocks_per_unit, reserve });
        }
        let counts = Self::words(&geometry, user_pages, config.metadata);
        let map = Map::new(words(counts.map), words(counts.valid));
        let tables = core::array::from_fn(|_| words(counts.blocks));
        let frontiers = Frontiers {
            blocks: core::array::from_fn(|_| words(counts.units)),
            pages: core::array::from_fn(|_| words(counts.units)),
        };
        for pages in &frontiers.pages {
            (0..counts.units).for_each(|unit| pages.set(unit, geometry.pages_per_block));
        }
        let blocks = Blocks::new(geometry, tables, core::array::from_fn(|_| words(counts.units)));
        let journal = match config.metadata {
            Metadata::Scan => None,
            Metadata::Journal { blocks_per_unit: segments } => {
                let layout = JournalLayout::new(&geometry, user_pages);
                let least = layout.least_segments;
                if segments < least {
                    return Err(FtlError::JournalTooSmall { blocks: segments, least });
                }
                blocks.reserve(segments);
                Some(Journal::new(geometry, layout, segments, words(counts.journal)))
            }
        };
        Ok(Self {
            geometry,
            config,
            map,
            blocks,
            journal,
            frontiers,
            turn: Cell::new(0),
            serial: Cell::new(0),
            random: RefCell::new(XorShiftRng::seed_from_u64(config.seed)),
            climbs: Climbs::default(),
        })
    }

    /// How the flash is divided.
    pub fn geometry(&self) -> ArrayGeometry {
        self.geometry
    }

    /// What was chosen.
    pub fn config(&self) -> &FtlConfig {
        &self.config
    }

    /// Where a logical page lies, if it was written.
    pub fn lookup(&self, lpn: Lpn) -> Option<Ppa> {
        self.map.get(lpn)
    }

    /// Numbers a write.
    pub fn next_serial(&self) -> u64 {
        let serial = self.serial.get() + 1;
        self.serial.set(serial);
        serial
    }

    /// The unit for a page of the host: with round robin the next one that has room, and where none
    /// has, the next one.
    pub fn place(&self, lpn: Lpn) -> UnitIndex {
        let units = self.geometry.units;
        match self.config.placement {
            Placement::Striped => UnitIndex(lpn.0 % units),
            Placement::RoundRobin => {
                let turn = self.turn.get();
                let next = |skip| UnitIndex((turn + skip) % units);
                let unit = (0..units).map(next).find(|&unit| self.has_room(unit, Stream::Host));
                let unit = unit.unwrap_or(next(0));
                self.turn.set((unit.0 + 1) % units);
                unit
            }
        }
    }

    /// Whether [`allocate`](Self::allocate) would give a page.
    pub fn has_room(&self, unit: UnitIndex, stream: Stream) -> bool {
        let is_open = self.frontier(unit, stream).page < self.geometry.pages_per_block;
        let free = self.blocks.free(unit);
        match stream {
            Stream::Moved | Stream::Cold => is_open || free > 0,
            // Where moved pages go on in the same block and no other is free, it is theirs.
            Stream::Host => {
                free > self.config.reserve_blocks
                    || is_open && (self.config.separate_moved || free > 0)
            }
        }
    }

    /// The next page of a stream's frontier; none where there is no room for it.
    pub fn allocate(&self, unit: UnitIndex, stream: Stream) -> Option<Ppa> {
        if !self.has_room(unit, stream) {
            return None;
        }
        let mut frontier = self.frontier(unit, stream);
        if frontier.page == self.geometry.pages_per_block {
            let choice = match stream {
                Stream::Cold => FreeBlock::MostWorn,
                _ if self.config.level_free_blocks => FreeBlock::LeastWorn,
                _ => FreeBlock::Next,
            };
            let block = self.blocks.open(unit, frontier.block, choice);
            frontier = Frontier { block, page: 0 };
        }
        let page = self.geometry.page(frontier.block, frontier.page);
        frontier.page += 1;
        self.set_frontier(unit, stream, frontier);
        Some(page)
    }

    /// Free blocks of a unit.
    pub fn free_blocks(&self, unit: UnitIndex) -> u32 {
        self.blocks.free(unit)
    }

    /// Whether a unit has an erased block that waits for the journal.
    pub fn waits_for_journal(&self, unit: UnitIndex) -> bool {
        self.blocks.free_or_waiting(unit) > self.blocks.free(unit)
    }

    /// Whether a unit is short of free blocks.
    pub fn is_short(&self, unit: UnitIndex) -> bool {
        self.blocks.free_or_waiting(unit) < self.config.collect_below
    }

    /// A page has been programmed for the host and holds its data now; tells where they lay before.
    pub fn map(&self, lpn: Lpn, page: Ppa) -> Option<Ppa> {
        let before = self.map.set(lpn, page);
        self.record_page(lpn);
        self.blocks.gain(self.geometry.block_of(page));
        before.inspect(|&before| self.blocks.lose(self.geometry.block_of(before)))
    }

    /// A page has been programmed with the data of another. If they are still the host's, they are
    /// there now; else the copy is of no use.
    pub fn move_page(&self, lpn: Lpn, from: Ppa, to: Ppa) -> bool {
        let holds = self.lookup(lpn) == Some(from);
        if holds {
            self.map(lpn, to);
        }
        holds
    }

    /// The host gives a page up; tells where it lay.
    pub fn unmap(&self, lpn: Lpn) -> Option<Ppa> {
        let is_known = self.map.word(lpn) != 0;
        let before = self.map.clear(lpn);
        if is_known {
            self.record_trim(lpn);
        }
        before.inspect(|&before| self.blocks.lose(self.geometry.block_of(before)))
    }

    /// A program of a page has ended, well or not: when all of a block have, it can be collected.
    /// Tells whether it has to be, because one failed.
    pub fn programmed(&self, page: Ppa) -> bool {
        let block = self.geometry.block_of(page);
        let is_to_collect = self.blocks.programmed(block);
        self.record_program(page, block);
        is_to_collect
    }

    /// A valid page cannot be read: its data are lost.
    pub fn lose(&self, page: Ppa) {
        let lpn = self.map.lose(page, self.config.user_pages);
        self.record_page(lpn);
        self.blocks.lose(self.geometry.block_of(page));
    }

    /// Whether a physical page holds data of the host.
    pub fn is_valid(&self, page: Ppa) -> bool {
        self.map.is_valid(page)
    }

    /// Whether the data of a page are lost.
    pub fn is_lost(&self, lpn: Lpn) -> bool {
        self.map.is_lost(lpn)
    }

    /// The first valid page of a block from `page` on.
    pub fn next_valid(&self, block: BlockId, page: u32) -> Option<u32> {
        (page..self.geometry.pages_per_block)
            .find(|&page| self.map.is_valid(self.geometry.page(block, page)))
    }

    /// A victim has been erased, well or not.
    pub fn erased(&self, block: BlockId, is_good: bool) {
        let is_good = is_good && !self.retires(block);
        self.blocks.erased(block, is_good, self.journal.is_some());
        self.record_block(block);
    }

    /// Whether a program of the page's block failed.
    pub fn has_failed(&self, page: Ppa) -> bool {
        self.blocks.state(self.geometry.block_of(page)) == BlockState::Failed
    }

    /// A program failed: what the block holds is to be moved, and it is not to be used again. The
    /// frontier leaves it.
    pub fn fail(&self, page: Ppa) {
        let block = self.geometry.block_of(page);
        let unit = self.geometry.unit(block);
        for stream in [Stream::Host, Stream::Moved] {
            let Frontier { block: open, page: next } = self.frontier(unit, stream);
            let pages = self.geometry.pages_per_block;
            if open == block && next < pages {
                for _ in next..pages {
                    self.blocks.programmed(block);
                }
                self.set_frontier(unit, stream, Frontier { block, page: pages });
            }
        }
        self.blocks.fail(block);
    }

    /// A mount has found a write, whether or not its page is mapped.
    pub fn restore_serial(&self, serial: u64) {
        self.serial.set(self.serial.get().max(serial));
    }

    /// A mount has found so many pages of a block programmed, in whole or in part, the last good
    /// one by the write `serial`. A unit goes on in at most as many blocks as it has frontiers.
    pub fn restore_block(&self, block: BlockId, written: u32, serial: u64) {
        let pages = self.geometry.pages_per_block;
        let unit = self.geometry.unit(block);
        let number = serial / u64::from(pages);
        let known = self.known_pages(block);
        if written == 0 {
            return;
        }
        let frontiers = [Stream::Host, Stream::Moved];
        let unused =
            frontiers.into_iter().find(|&stream| self.frontier(unit, stream).page == pages);
        match unused {
            Some(stream) if written < pages => {
                self.blocks.reopen(block, written);
                self.set_frontier(unit, stream, Frontier { block, page: written });
            }
            _ => self.blocks.restore_full(block, number as u32),
        }
        if written > known {
            self.record_program(self.geometry.page(block, written - 1), block);
        }
    }

    /// How often a block was erased, as far as is known.
    pub fn erases(&self, block: BlockId) -> u32 {
        self.blocks.erases(block)
    }

    /// How the blocks are.
    pub fn block(&self, block: BlockId) -> BlockState {
        self.blocks.state(block)
    }

    fn stream(&self, stream: Stream) -> usize {
        usize::from(self.config.separate_moved && stream != Stream::Host)
    }

    fn frontier(&self, unit: UnitIndex, stream: Stream) -> Frontier {
        let Frontiers { blocks, pages } = &self.frontiers;
        let stream = self.stream(stream);
        Frontier { block: BlockId(blocks[stream].get(unit.0)), page: pages[stream].get(unit.0) }
    }

    fn set_frontier(&self, unit: UnitIndex, stream: Stream, Frontier { block, page }: Frontier) {
        let stream = self.stream(stream);
        self.frontiers.blocks[stream].set(unit.0, block.0);
        self.frontiers.pages[stream].set(unit.0, page);
    }
}
