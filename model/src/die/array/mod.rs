//! The array of one LUN: page addresses and data enter, data with raw bit errors leave.
//!
//! A program clears bits and never sets one; an erase sets all bits of a block. Errors appear when
//! a page is read and leave what is stored as it is. They grow with program/erase cycles, days
//! since the program and reads of the block ([`rber`](super::rber)).

mod errors;
mod store;

use std::collections::BTreeSet;
use std::sync::Arc;

use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex};
use rand::Rng;

use super::part::Part;
use super::part::pages::PageScheme;
use super::rber::Stress;
use super::settings::{Fault, Settings};
use errors::Purpose;
pub(crate) use errors::{Progress, Source};
pub(crate) use store::Bytes;
use store::{Block, Page, Store};

/// A page of a LUN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageAddress {
    pub(crate) block: BlockIndex,
    pub(crate) page: PageIndex,
}

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// All ones.
    Erased,
    /// Data, programmed so many times since the erase.
    Programmed(u8),
    /// What a program left that was cut short.
    Torn,
}

/// What is known of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockView {
    /// Program/erase cycles.
    pub cycles: u32,
    /// Reads since the last erase.
    pub reads: u64,
    /// Whether it holds one bit per cell although the part's cells have more.
    pub slc: bool,
    /// Whether the host has erased it to the end.
    pub erased: bool,
    /// Whether it came bad from the factory.
    pub factory_bad: bool,
    /// Its pages in its present mode.
    pub pages: u16,
    /// The page after the last one that was programmed.
    pub next_page: PageIndex,
}

/// A program that may yet be cut short.
#[derive(Clone, Debug)]
pub(crate) struct ProgramRecord {
    pub(crate) address: PageAddress,
    pub(crate) passed: bool,
    before: Page,
}

/// An erase that may yet be cut short.
#[derive(Clone, Debug)]
pub(crate) struct EraseRecord {
    pub(crate) block: BlockIndex,
    pub(crate) passed: bool,
    before: Option<Arc<Block>>,
}

/// The array of one LUN.
#[derive(Clone, Debug)]
pub(crate) struct LunArray {
    part: Arc<Part>,
    settings: Arc<Settings>,
    lun: LunIndex,
    source: Source,
    factory_bad: Arc<BTreeSet<u32>>,
    blocks: Store,
    blank: Bytes,
}

impl LunArray {
    pub(crate) fn new(part: &Arc<Part>, settings: &Arc<Settings>, lun: LunIndex) -> Self {
        let source = Source { seed: settings.seed, target: settings.target, lun: lun.0 };
        let bad = settings.factory_bad_blocks.unwrap_or(part.cells.factory_bad_blocks);
        let good = u32::from(part.cells.guaranteed_good_blocks);
        let candidates = good..part.layout.blocks_per_lun;
        let count = usize::from(bad).min(candidates.len());
        let mut stream = source.stream(Purpose::FactoryBad, 0, 0, 0);
        let mut factory_bad = BTreeSet::new();
        while factory_bad.len() < count {
            factory_bad.insert(stream.random_range(candidates.clone()));
        }
        Self {
            part: part.clone(),
            settings: settings.clone(),
            lun,
            source,
            factory_bad: Arc::new(factory_bad),
            blocks: Store::default(),
            blank: Arc::new(vec![0xFF; part.register_bytes()]),
        }
    }

    /// A register with all bits set.
    pub(crate) fn blank(&self) -> Bytes {
        self.blank.clone()
    }

    /// Factory bad blocks, ascending.
    pub(crate) fn factory_bad(&self) -> impl Iterator<Item = BlockIndex> {
        self.factory_bad.iter().copied().map(BlockIndex)
    }

    pub(crate) fn is_factory_bad(&self, block: BlockIndex) -> bool {
        self.factory_bad.contains(&block.0)
    }

    pub(crate) fn view(&self, block: BlockIndex) -> BlockView {
        let stored = self.blocks.get(block.0);
        let slc = stored.is_some_and(|block| block.slc);
        let last = stored.and_then(|block| block.pages.iter().rposition(|page| page.programs > 0));
        BlockView {
            cycles: stored.map_or(self.settings.initial_cycles, |block| block.cycles),
            reads: stored.map_or(0, |block| block.reads),
            slc,
            erased: stored.map_or(self.settings.factory_erased, |block| block.erased),
            factory_bad: self.is_factory_bad(block),
            pages: self.pages(slc),
            next_page: PageIndex(last.map_or(0, |last| last as u16 + 1)),
        }
    }

    pub(crate) fn page_state(&self, at: PageAddress) -> PageState {
        match self.page(at) {
            Some(page) if page.torn => PageState::Torn,
            Some(page) if page.programs > 0 => PageState::Programmed(page.programs),
            _ => PageState::Erased,
        }
    }

    /// What a page stores, without errors.
    pub(crate) fn stored(&self, at: PageAddress) -> Bytes {
        self.page(at).and_then(|page| page.data.clone()).unwrap_or_else(|| self.blank())
    }

    /// Sets a block's program/erase cycles.
    pub(crate) fn set_cycles(&mut self, block: BlockIndex, cycles: u32) {
        self.block_mut(block).cycles = cycles;
    }

    /// Puts what a page stores into it.
    pub(crate) fn put(&mut self, at: PageAddress, mut bytes: Vec<u8>, now_days: f64) {
        bytes.resize(self.part.register_bytes(), 0xFF);
        let page = &mut self.block_mut(at.block).pages[usize::from(at.page.0)];
        *page = Page {
            data: Some(Arc::new(bytes)),
            programs: 1,
            programmed_days: now_days,
            torn: false,
        };
    }

    /// Reads a page, and says how many of its bits are wrong.
    pub(crate) fn read(&mut self, at: PageAddress, now_days: f64) -> (Bytes, u32) {
        if self.is_factory_bad(at.block) {
            return (self.bad_page(at.page), 0);
        }
        if self.blocks.get(at.block.0).is_none() {
            return (self.blank(), 0);
        }
        self.block_mut(at.block).reads += 1;
        let mut data = self.stored(at);
        let wrong = self.wrong_cells(at, now_days);
        if !wrong.is_empty() {
            let bytes = Arc::make_mut(&mut data);
            for &cell in &wrong {
                bytes[cell as usize / 8] ^= 0x80 >> (cell % 8);
            }
        }
        (data, wrong.len() as u32)
    }

    /// Programs a page.
    pub(crate) fn program(
        &mut self,
        at: PageAddress,
        data: &Bytes,
        now_days: f64,
    ) -> ProgramRecord {
        let passed = !self.program_fails(at);
        let factory_bad = self.is_factory_bad(at.block);
        let page = &mut self.block_mut(at.block).pages[usize::from(at.page.0)];
        let before = page.clone();
        if !factory_bad {
            match &mut page.data {
                None => page.data = Some(data.clone()),
                Some(old) => {
                    let old = Arc::make_mut(old);
                    old.iter_mut().zip(data.iter()).for_each(|(old, new)| *old &= new);
                }
            }
            page.programs = page.programs.saturating_add(1);
            page.programmed_days = now_days;
        }
        if !passed && !factory_bad {
            self.tear(&before, at, Progress(0.75));
        }
        ProgramRecord { address: at, passed, before }
    }

    /// Undoes what a program had not come to, and says which pages on the same cells it spoilt.
    pub(crate) fn cut_program(
        &mut self,
        record: &ProgramRecord,
        progress: Progress,
    ) -> Vec<PageIndex> {
        let at = record.address;
        if self.is_factory_bad(at.block) {
            return Vec::new();
        }
        self.tear(&record.before, at, progress);
        self.block_mut(at.block).pages[usize::from(at.page.0)].torn = true;
        let scheme = match self.view(at.block).slc {
            true => PageScheme::SingleLevel,
            false => self.part.cells.scheme,
        };
        let mut spoilt = scheme.earlier_pages(at.page, self.part.layout.pages_per_block);
        spoilt.retain(|&page| {
            let earlier = PageAddress { page, ..at };
            self.page_state(earlier) != PageState::Erased
        });
        for &page in &spoilt {
            let earlier = PageAddress { page, ..at };
            let old = self.stored(earlier);
            let inverse: Vec<u8> = old.iter().map(|byte| !byte).collect();
            let torn = errors::torn(self.torn_stream(earlier), &old, &inverse, Progress(0.0));
            let page = &mut self.block_mut(at.block).pages[usize::from(page.0)];
            page.data = Some(Arc::new(torn));
        }
        spoilt
    }

    /// Undoes a program that had not begun.
    pub(crate) fn undo_program(&mut self, record: ProgramRecord) {
        let ProgramRecord { address, before, .. } = record;
        self.block_mut(address.block).pages[usize::from(address.page.0)] = before;
    }

    /// Erases a block, and leaves it with one bit per cell where `slc` is set.
    pub(crate) fn erase(&mut self, block: BlockIndex, slc: bool) -> EraseRecord {
        if self.is_factory_bad(block) {
            return EraseRecord { block, passed: false, before: None };
        }
        let cycles = self.view(block).cycles + 1;
        let passed = !self.erase_fails(block, cycles);
        let before = if passed {
            let pages = vec![Page::default(); usize::from(self.part.layout.pages_per_block)];
            let new = Block { cycles, reads: 0, slc, erased: true, pages };
            self.blocks.replace(block.0, new)
        } else {
            let old = self.block_mut(block);
            (old.cycles, old.erased) = (cycles, false);
            None
        };
        EraseRecord { block, passed, before }
    }

    /// Undoes what an erase had not come to.
    pub(crate) fn cut_erase(&mut self, record: &EraseRecord, progress: Progress) {
        let Some(before) = record.before.clone() else {
            if !self.is_factory_bad(record.block) {
                self.block_mut(record.block).erased = false;
            }
            return;
        };
        for (index, page) in before.pages.iter().enumerate() {
            let Some(data) = &page.data else { continue };
            let at = PageAddress { block: record.block, page: PageIndex(index as u16) };
            let torn = errors::torn(self.torn_stream(at), data, &self.blank, progress);
            let kept = Page { data: Some(Arc::new(torn)), torn: true, ..page.clone() };
            self.block_mut(record.block).pages[index] = kept;
        }
        self.block_mut(record.block).erased = false;
    }

    fn pages(&self, slc: bool) -> u16 {
        let bits = if slc { u16::from(self.part.cells.bits_per_cell) } else { 1 };
        self.part.layout.pages_per_block / bits
    }

    fn page(&self, at: PageAddress) -> Option<&Page> {
        self.blocks.get(at.block.0).map(|block| &block.pages[usize::from(at.page.0)])
    }

    fn block_mut(&mut self, block: BlockIndex) -> &mut Block {
        let (pages, settings) = (self.part.layout.pages_per_block, &self.settings);
        self.blocks.get_mut(block.0, || Block {
            cycles: settings.initial_cycles,
            reads: 0,
            slc: false,
            erased: settings.factory_erased,
            pages: vec![Page::default(); usize::from(pages)],
        })
    }

    /// A page of a factory bad block: 00h in the first spare byte of the first and the last page.
    fn bad_page(&self, page: PageIndex) -> Bytes {
        let mut data = self.blank();
        if page.0 == 0 || page.0 + 1 == self.part.layout.pages_per_block {
            Arc::make_mut(&mut data)[self.part.layout.page_bytes as usize] = 0;
        }
        data
    }

    /// The stream's place in a page's life: the cycles of its block and its own programs.
    fn life(&self, at: PageAddress) -> u64 {
        let programs = self.page(at).map_or(0, |page| page.programs);
        u64::from(self.view(at.block).cycles) << 8 | u64::from(programs)
    }

    fn torn_stream(&self, at: PageAddress) -> rand_chacha::ChaCha8Rng {
        self.source.stream(Purpose::Torn, at.block.0, at.page.0, self.life(at))
    }

    fn tear(&mut self, before: &Page, at: PageAddress, progress: Progress) {
        let old = before.data.clone().unwrap_or_else(|| self.blank());
        let torn = errors::torn(self.torn_stream(at), &old, &self.stored(at), progress);
        self.block_mut(at.block).pages[usize::from(at.page.0)].data = Some(Arc::new(torn));
    }

    /// The cells of a page that read wrong now.
    fn wrong_cells(&self, at: PageAddress, now_days: f64) -> Vec<u32> {
        let rate = self.rber(at, now_days);
        if rate <= 0.0 {
            return Vec::new();
        }
        let stream = self.source.stream(Purpose::Errors, at.block.0, at.page.0, self.life(at));
        errors::wrong_cells(stream, 8 * self.part.register_bytes() as u32, rate)
    }

    /// The raw bit error rate of a page.
    pub(crate) fn rber(&self, at: PageAddress, now_days: f64) -> f64 {
        let cells = &self.part.cells;
        let (Some(model), Some(page)) = (cells.errors.model, self.page(at)) else { return 0.0 };
        let block = self.view(at.block);
        let (page_type, cycles_factor, factor) = match &cells.slc_mode {
            Some(slc) if block.slc => (0, slc.cycles_factor, slc.page_type.rber_factor),
            _ => {
                let position = cells.scheme.position(at.page, self.part.layout.pages_per_block);
                let page_type = &cells.page_types[position.page_type];
                (position.page_type, cells.errors.cycles_factor, page_type.rber_factor)
            }
        };
        let programmed = page.programs > 0;
        let stress = Stress {
            pe_cycles: f64::from(block.cycles) * cycles_factor,
            retention_days: if programmed { now_days - page.programmed_days } else { 0.0 },
            reads: block.reads as f64 / f64::from(block.pages),
        };
        let share = if programmed { 1.0 } else { cells.errors.erased_factor };
        model.of_page_type(page_type).rber(stress) * cells.errors.scale * factor * share
    }

    /// The cycles that a block bears.
    fn life_cycles(&self, block: BlockIndex) -> f64 {
        let (first, last) = self.part.cells.wear_out;
        let share: f64 = self.source.stream(Purpose::Life, block.0, 0, 0).random();
        f64::from(self.part.cells.endurance_cycles) * (first + (last - first) * share)
    }

    fn erase_fails(&self, block: BlockIndex, cycles: u32) -> bool {
        let asked = Fault::FailsErase { lun: self.lun, block };
        let mut stream = self.source.stream(Purpose::EraseFailure, block.0, 0, u64::from(cycles));
        self.settings.faults.contains(&asked)
            || f64::from(cycles) > self.life_cycles(block)
            || stream.random::<f64>() < self.part.cells.erase_failure_rate
    }

    fn program_fails(&self, at: PageAddress) -> bool {
        let asked = Fault::FailsProgram { lun: self.lun, block: at.block, page: at.page };
        let life = self.life(at);
        let mut stream = self.source.stream(Purpose::ProgramFailure, at.block.0, at.page.0, life);
        self.settings.faults.contains(&asked)
            || self.is_factory_bad(at.block)
            || stream.random::<f64>() < self.part.cells.program_failure_rate
    }
}

/// A target's unique ID: 16 copies of 16 bytes and their complement.
pub(crate) fn unique_id(seed: u64, target: u32) -> Vec<u8> {
    let mut stream = Source { seed, target, lun: 0 }.stream(Purpose::UniqueId, 0, 0, 0);
    let id: [u8; 16] = stream.random();
    let complement = id.map(|byte| !byte);
    [id, complement].concat().repeat(16)
}
