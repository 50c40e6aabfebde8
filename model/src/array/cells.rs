//! What is in the flash cells of a drive and in its buffer memory: it outlives a power cut.
//!
//! Data are kept as one stamp for each 512-byte sector, also as bytes, or not at all; who writes
//! stamps the sectors, and who reads compares. Pages of the journal have words instead of stamps. A
//! page whose program was cut short is torn, and so are all pages of a block whose erasure was.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use bytemuck::allocation::zeroed_slice_box;
use floatgate_hal::array::{
    ArrayGeometry, BlockId, Extent, FlashFailure, Level, Lpn, PageKind, PageMark, Ppa, Slot, Spare,
    Uncorrectable,
};

use super::bytes::{Bytes, CodewordCounts};
use super::errors::{History, ReadErrors};

/// What of the pages is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Whose data they are: 4 bytes a page.
    Owner,
    /// Also kind and number of the write, which a mount needs, and a stamp for each sector.
    Stamps,
    /// Also the bytes of each sector, which are encoded and decoded where reads have errors: as
    /// much memory as there are data on flash.
    Bytes,
}

const TORN: u32 = u32::MAX;

/// Cells and buffer memory. A clone is what a power cut at this time would leave.
#[derive(Clone)]
pub struct Cells {
    geometry: ArrayGeometry,
    /// Logical page and one; 0 is erased.
    owners: Box<[Cell<u32>]>,
    stamps: Option<Stamps>,
    /// The page that each block is to be programmed next.
    next: Box<[Cell<u32>]>,
    cycles: Box<[Cell<u32>]>,
    /// How strongly the data of each block are encoded, where reads have errors.
    levels: Box<[Cell<u8>]>,
    /// Kept where reads have errors.
    pub(super) history: History,
    faults: RefCell<Faults>,
}

/// What does not work any more.
#[derive(Clone, Default)]
struct Faults {
    /// Blocks whose programs fail.
    programs: HashSet<BlockId>,
    /// Blocks whose erasures fail.
    erases: HashSet<BlockId>,
    /// Pages that have more errors than their code corrects, until their block is erased.
    pages: HashSet<Ppa>,
}

#[derive(Clone)]
struct Stamps {
    /// What is beside the data apart from the owner.
    spares: Box<[Cell<(PageKind, u64, u16)>]>,
    pages: Box<[Cell<u32>]>,
    slots: Box<[Cell<u32>]>,
    sectors: usize,
    words: RefCell<Words>,
    bytes: Option<Bytes>,
}

/// What is in pages of the journal, erased or not, and in the slots that they come from and go to,
/// where no bytes are kept.
#[derive(Clone, Default)]
struct Words {
    pages: HashMap<Ppa, Rc<Vec<u32>>>,
    slots: HashMap<Slot, Rc<Vec<u32>>>,
}

impl Cells {
    /// Erased cells, and so many empty slots.
    pub fn new(geometry: ArrayGeometry, contents: Contents, slots: u32) -> Self {
        let (pages, blocks) = (geometry.pages() as usize, geometry.blocks() as usize);
        let sectors = usize::from(geometry.sectors_per_page);
        let stamps = (contents != Contents::Owner).then(|| Stamps {
            spares: vec![Cell::new((PageKind::Data, 0, 0)); pages].into_boxed_slice(),
            pages: zeroed_slice_box(pages * sectors),
            slots: zeroed_slice_box(slots as usize * sectors),
            sectors,
            words: RefCell::default(),
            bytes: (contents == Contents::Bytes)
                .then(|| Bytes::new(geometry.sectors_per_page, slots)),
        });
        Self {
            geometry,
            owners: zeroed_slice_box(pages),
            stamps,
            next: zeroed_slice_box(blocks),
            cycles: zeroed_slice_box(blocks),
            levels: zeroed_slice_box(blocks),
            history: History::new(blocks),
            faults: RefCell::default(),
        }
    }

    /// Programs of a block fail from now on.
    pub fn fail_programs(&self, block: BlockId) {
        self.faults.borrow_mut().programs.insert(block);
    }

    /// Erasures of a block fail from now on.
    pub fn fail_erases(&self, block: BlockId) {
        self.faults.borrow_mut().erases.insert(block);
    }

    /// A page has more errors than its code corrects, until its block is erased.
    pub fn spoil(&self, page: Ppa) {
        self.faults.borrow_mut().pages.insert(page);
    }

    /// Inverts a bit of a page whose bytes are kept; bit 0 is the first byte's most significant.
    ///
    /// # Panics
    /// If no bytes are kept, the page holds zeros, or a code would correct it.
    pub fn invert(&self, page: Ppa, bit: u32) {
        self.bytes().expect("bytes are kept").invert(page, bit);
    }

    /// Data are encoded from now on, where bytes are kept.
    pub(super) fn encode_with(&self, errors: &ReadErrors) {
        if let Some(bytes) = self.bytes() {
            bytes.encode_with(errors);
        }
    }

    /// What became of codewords that were decoded; none where no bytes are kept, or there is no
    /// codec.
    pub fn codewords(&self) -> Option<CodewordCounts> {
        self.bytes().and_then(Bytes::counts)
    }

    pub(super) fn bytes(&self) -> Option<&Bytes> {
        self.stamps.as_ref()?.bytes.as_ref()
    }

    /// How they are divided.
    pub fn geometry(&self) -> ArrayGeometry {
        self.geometry
    }

    /// How a page is.
    pub fn mark(&self, page: Ppa) -> PageMark {
        match self.mark_beside_level(page) {
            PageMark::Written(spare) => {
                PageMark::Written(Spare { level: self.level(page), ..spare })
            }
            mark => mark,
        }
    }

    /// How strongly the data of a page are encoded.
    pub(super) fn level(&self, page: Ppa) -> Level {
        Level(self.levels[self.geometry.block_of(page).0 as usize].get())
    }

    /// A page is encoded with a level, as all of its block are.
    pub(super) fn set_level(&self, page: Ppa, level: Level) {
        self.levels[self.geometry.block_of(page).0 as usize].set(level.0);
    }

    fn mark_beside_level(&self, page: Ppa) -> PageMark {
        let at = page.0 as usize;
        if self.faults.borrow().pages.contains(&page) {
            return PageMark::Unreadable;
        }
        match self.owners[at].get() {
            0 => PageMark::Erased,
            TORN => PageMark::Unreadable,
            owner => {
                let kept = self.stamps.as_ref().map(|stamps| stamps.spares[at].get());
                let (kind, serial, moves) = kept.unwrap_or((PageKind::Data, 0, 0));
                let level = Level(0);
                PageMark::Written(Spare { kind, lpn: Lpn(owner - 1), serial, moves, level })
            }
        }
    }

    /// How often a block was erased.
    pub fn cycles(&self, block: BlockId) -> u32 {
        self.cycles[block.0 as usize].get()
    }

    /// Stamps sectors of a slot; nothing where no data are kept.
    pub fn stamp(&self, slot: Slot, part: Extent, stamp: impl Fn(u8) -> u32) {
        if let Some(stamps) = &self.stamps {
            for sector in part.first..part.end() {
                stamps.slot(slot)[usize::from(sector)].set(stamp(sector));
                if let Some(bytes) = &stamps.bytes {
                    bytes.fill(slot, sector, stamp(sector));
                }
            }
        }
    }

    pub(super) fn copy(&self, part: Extent, from: Slot, to: Slot) {
        let Some(stamps) = &self.stamps else { return };
        for sector in usize::from(part.first)..usize::from(part.end()) {
            stamps.slot(to)[sector].set(stamps.slot(from)[sector].get());
        }
        if let Some(bytes) = &stamps.bytes {
            bytes.copy(part, from, to);
        }
    }

    /// The stamp of a sector of a slot; none where no data are kept.
    pub fn stamp_of(&self, slot: Slot, sector: u8) -> Option<u32> {
        self.stamps.as_ref().map(|stamps| stamps.slot(slot)[usize::from(sector)].get())
    }

    /// How many bytes of a sector of a slot are not those of its stamp; none where no bytes are
    /// kept.
    pub fn wrong_bytes(&self, slot: Slot, sector: u8) -> Option<usize> {
        let stamp = self.stamp_of(slot, sector)?;
        Some(self.bytes()?.wrong_bytes(slot, sector, stamp))
    }

    /// Whether the stamps of sectors are kept.
    pub(super) fn keeps_stamps(&self) -> bool {
        self.stamps.is_some()
    }

    /// The stamps of a page, where they are kept.
    pub(super) fn stamps(&self, page: Ppa) -> impl Iterator<Item = u32> {
        self.stamps.iter().flat_map(move |stamps| stamps.page(page)).map(Cell::get)
    }

    /// A sector of a page is another one.
    pub(super) fn restamp(&self, page: Ppa, sector: u8, stamp: u32) {
        if let Some(stamps) = &self.stamps {
            stamps.page(page)[usize::from(sector)].set(stamp);
        }
    }

    /// A sector of a page is none that was written.
    pub(super) fn spoil_stamp(&self, page: Ppa, sector: u8) {
        let stamp = self.stamps(page).nth(sector.into());
        stamp.into_iter().for_each(|stamp| self.restamp(page, sector, !stamp));
    }

    pub(super) fn set_word(&self, slot: Slot, at: u32, word: u32) {
        let Some(stamps) = &self.stamps else { return };
        if let Some(bytes) = &stamps.bytes {
            return bytes.set_word(slot, at, word);
        }
        let words = &mut stamps.words.borrow_mut().slots;
        let words = words.entry(slot).or_default();
        let len = self.geometry.words_per_page() as usize;
        let words = Rc::make_mut(words);
        words.resize(len, 0);
        words[at as usize] = word;
    }

    pub(super) fn word(&self, slot: Slot, at: u32) -> u32 {
        let stamps = self.stamps.as_ref().expect("a mount needs what was written");
        match &stamps.bytes {
            Some(bytes) => bytes.word(slot, at),
            None => stamps.words.borrow().slots[&slot][at as usize],
        }
    }

    /// Reads a part of a page, and what is beside it but for the level.
    pub(super) fn read(&self, page: Ppa, part: Extent, into: Slot) -> Result<Spare, Uncorrectable> {
        let mark = self.mark_beside_level(page);
        let PageMark::Written(spare) = mark else { return Err(Uncorrectable) };
        if let Some(stamps) = &self.stamps {
            for sector in part.first..part.end() {
                let sector = usize::from(sector);
                stamps.slot(into)[sector].set(stamps.page(page)[sector].get());
            }
            if let Some(bytes) = &stamps.bytes {
                bytes.read(page, part, into);
            } else if spare.kind == PageKind::Journal {
                let words = &mut *stamps.words.borrow_mut();
                words.slots.insert(into, Rc::clone(&words.pages[&page]));
            }
        }
        Ok(spare)
    }

    pub(super) fn begin_program(&self, page: Ppa) {
        let block = self.geometry.block_of(page);
        let next = &self.next[block.0 as usize];
        let is_next = self.geometry.page(block, next.get()) == page;
        assert!(is_next, "page {} of block {} is programmed out of turn", page.0, block.0);
        next.set(next.get() + 1);
        self.owners[page.0 as usize].set(TORN);
    }

    pub(super) fn end_program(
        &self,
        page: Ppa,
        from: Slot,
        spare: Spare,
    ) -> Result<(), FlashFailure> {
        let at = page.0 as usize;
        if self.faults.borrow().programs.contains(&self.geometry.block_of(page)) {
            return Err(FlashFailure);
        }
        if let Some(stamps) = &self.stamps {
            for (sector, stamp) in stamps.page(page).iter().zip(stamps.slot(from)) {
                sector.set(stamp.get());
            }
            stamps.spares[at].set((spare.kind, spare.serial, spare.moves));
            if let Some(bytes) = &stamps.bytes {
                bytes.program(page, from, spare.level);
            } else if spare.kind == PageKind::Journal {
                let words = &mut *stamps.words.borrow_mut();
                words.pages.insert(page, Rc::clone(&words.slots[&from]));
            }
        }
        self.owners[at].set(spare.lpn.0 + 1);
        Ok(())
    }

    pub(super) fn begin_erase(&self, block: BlockId) {
        self.set_owners(block, TORN);
        if let Some(bytes) = self.bytes() {
            let first = self.geometry.page(block, 0).0;
            bytes.erase(first..first + self.geometry.pages_per_block);
        }
        // Not to be programmed before it has been erased.
        self.next[block.0 as usize].set(self.geometry.pages_per_block);
    }

    pub(super) fn end_erase(&self, block: BlockId) -> Result<(), FlashFailure> {
        let faults = &mut *self.faults.borrow_mut();
        if faults.erases.contains(&block) {
            return Err(FlashFailure);
        }
        faults.pages.retain(|&page| self.geometry.block_of(page) != block);
        self.set_owners(block, 0);
        self.next[block.0 as usize].set(0);
        let cycles = &self.cycles[block.0 as usize];
        cycles.set(cycles.get() + 1);
        Ok(())
    }

    fn set_owners(&self, block: BlockId, owner: u32) {
        let first = self.geometry.page(block, 0).0 as usize;
        let pages = first..first + self.geometry.pages_per_block as usize;
        self.owners[pages].iter().for_each(|page| page.set(owner));
    }
}

impl Stamps {
    fn page(&self, page: Ppa) -> &[Cell<u32>] {
        &self.pages[page.0 as usize * self.sectors..][..self.sectors]
    }

    fn slot(&self, slot: Slot) -> &[Cell<u32>] {
        &self.slots[slot.0 as usize * self.sectors..][..self.sectors]
    }
}
