//! The flash of a whole drive as its firmware sees it: pages and blocks of many units, and slots of
//! the drive's buffer memory that data come from and go to.
//!
//! A unit is what has blocks of its own to write and to collect: a plane of a LUN of a target of a
//! channel. Which units share a die or a channel only the array knows.

use crate::units::ByteCount;

/// A logical page: the host's address in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lpn(pub u32);

/// A unit of the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitIndex(pub u32);

/// A block of the drive, the blocks of a unit one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// A physical page of the drive, the pages of a block one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ppa(pub u32);

/// A page of the buffer memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// Some of the 512-byte sectors of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// First sector within the page.
    pub first: u8,
    /// Sectors.
    pub sectors: u8,
}

impl Extent {
    /// The sector behind the last one.
    pub const fn end(&self) -> u8 {
        self.first + self.sectors
    }

    /// Whether all of another part is in it.
    pub const fn covers(&self, other: &Self) -> bool {
        self.first <= other.first && other.end() <= self.end()
    }

    /// What is in both.
    pub fn common(&self, other: &Self) -> Self {
        let (first, end) = (self.first.max(other.first), self.end().min(other.end()));
        Self { first, sectors: end.saturating_sub(first) }
    }

    /// Its bytes.
    pub const fn bytes(&self) -> ByteCount {
        ByteCount(512 * self.sectors as u32)
    }
}

/// How the flash of a drive is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayGeometry {
    /// Units.
    pub units: u32,
    /// Blocks of a unit.
    pub blocks_per_unit: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// 512-byte sectors of a page.
    pub sectors_per_page: u8,
}

impl ArrayGeometry {
    /// Blocks of the drive.
    pub const fn blocks(&self) -> u32 {
        self.units * self.blocks_per_unit
    }

    /// Pages of the drive; a drive has fewer than 2^32.
    pub const fn pages(&self) -> u32 {
        self.blocks() * self.pages_per_block
    }

    /// A block of a unit.
    pub const fn block(&self, unit: UnitIndex, index: u32) -> BlockId {
        BlockId(unit.0 * self.blocks_per_unit + index)
    }

    /// The unit of a block.
    pub const fn unit(&self, block: BlockId) -> UnitIndex {
        UnitIndex(block.0 / self.blocks_per_unit)
    }

    /// A page of a block.
    pub const fn page(&self, block: BlockId, page: u32) -> Ppa {
        Ppa(block.0 * self.pages_per_block + page)
    }

    /// Words of 32 bits that a page has.
    pub const fn words_per_page(&self) -> u32 {
        128 * self.sectors_per_page as u32
    }

    /// All of a page.
    pub const fn whole_page(&self) -> Extent {
        Extent { first: 0, sectors: self.sectors_per_page }
    }

    /// The block of a page.
    pub const fn block_of(&self, page: Ppa) -> BlockId {
        BlockId(page.0 / self.pages_per_block)
    }
}

/// On whose behalf flash works; it is counted apart, and the array may let one go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A request of the host.
    Host,
    /// Garbage collection.
    Collection,
    /// A mount that looks for what is there.
    Mount,
    /// The journal of the translation layer.
    Journal,
    /// Data that are moved so that all blocks wear alike.
    Levelling,
    /// Data that are moved because their block was read often.
    Reclaim,
}

impl Origin {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Host, Self::Collection, Self::Mount, Self::Journal, Self::Levelling, Self::Reclaim];

    /// Whether blocks are collected, for whatever reason.
    pub const fn is_collection(self) -> bool {
        matches!(self, Self::Collection | Self::Levelling | Self::Reclaim)
    }
}

/// What is in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// Data of the host.
    Data,
    /// None: it tells that the host gave the page up.
    Trim,
    /// Words of the translation layer: its serial counts these pages, and no page of the host is
    /// meant.
    Journal,
}

/// How strongly a page is encoded: a place in the ladder of strengths that the codec is programmed
/// for, from the weakest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub u8);

/// What is programmed beside the data of a page, so that a mount can find out what they are. It has
/// a strong code of its own, is decoded first, and tells how the data are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spare {
    /// What is in the page.
    pub kind: PageKind,
    /// Whose data they are.
    pub lpn: Lpn,
    /// Counts the writes of the drive: of two pages of the same data the later one holds.
    pub serial: u64,
    /// How often collection moved the data since: of two copies of a write the later one holds.
    pub moves: u16,
    /// How strongly the data are encoded.
    pub level: Level,
}

impl Spare {
    /// Whether this is a later version of the data than another, or a later copy.
    pub fn is_later_than(&self, other: &Self) -> bool {
        (self.serial, self.moves) > (other.serial, other.moves)
    }
}

/// How a page is, as a mount finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageMark {
    /// Nothing was programmed since the block was erased.
    Erased,
    /// Its program, or the erasure of its block, was cut short.
    Unreadable,
    /// Programmed.
    Written(Spare),
}

/// What a read tells beside the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadReport {
    /// What was programmed beside them.
    pub spare: Spare,
    /// The most bits that were corrected in one of the codewords.
    pub worst_errors: u16,
}

/// A page could not be read: more errors than its code corrects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncorrectable;

/// A program or erase operation failed; the block is bad from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashFailure;

/// The flash of a drive.
///
/// Operations that are asked for side by side overlap where the array can. Programs of one block
/// are carried out in the order in which they are asked for.
#[expect(async_fn_in_trait, reason = "one executor, one thread: no future has to be Send")]
pub trait FlashArray {
    /// How it is divided.
    fn geometry(&self) -> ArrayGeometry;

    /// Fills a slot with zeros.
    fn clear(&self, slot: Slot);

    /// Copies a part of a slot to the same place of another.
    fn copy(&self, part: Extent, from: Slot, to: Slot);

    /// Puts a word of 32 bits into a slot that is to be programmed as a page of the journal.
    fn set_word(&self, slot: Slot, at: u32, word: u32);

    /// A word of a slot that a page of the journal was read into.
    fn word(&self, slot: Slot, at: u32) -> u32;

    /// Reads a part of a page, corrected, into the same place of a slot, and tells what was
    /// programmed beside the data and how much was corrected.
    ///
    /// # Errors
    /// The page has more errors than its code corrects.
    async fn read(
        &self,
        page: Ppa,
        part: Extent,
        into: Slot,
        origin: Origin,
    ) -> Result<ReadReport, Uncorrectable>;

    /// Reads what was programmed beside the data of a page.
    async fn read_mark(&self, page: Ppa) -> PageMark;

    /// Programs a slot into the next page of a block.
    ///
    /// # Errors
    /// The die reports a failure.
    async fn program(
        &self,
        page: Ppa,
        from: Slot,
        spare: Spare,
        origin: Origin,
    ) -> Result<(), FlashFailure>;

    /// Erases a block.
    ///
    /// # Errors
    /// The die reports a failure.
    async fn erase(&self, block: BlockId, origin: Origin) -> Result<(), FlashFailure>;
}
