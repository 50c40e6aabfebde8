//! The translation layer with a journal: what is recorded, and what a mount makes of it.
//!
//! A page that is mapped tells by its place that its block was written so far, for the pages of a
//! block are mapped in order. Other changes of blocks have a record of their own: that one is full,
//! that a program in it was in vain or failed, that it is to be erased, and that it has been. What
//! was opened needs none: a mount looks into free blocks.

use floatgate_hal::array::{BlockId, Lpn, PageKind, PageMark, Ppa, Spare};

use super::blocks::{BlockState, Blocks};
use super::{Ftl, Journal, Memory};

/// Recording.
impl<W: Memory> Ftl<W> {
    /// The journal, if there is one.
    pub fn journal(&self) -> Option<&Journal<W>> {
        self.journal.as_ref()
    }

    pub(super) fn record_page(&self, lpn: Lpn) {
        if let Some(journal) = &self.journal {
            journal.append(lpn.0, self.map.word(lpn));
        }
    }

    pub(super) fn record_trim(&self, lpn: Lpn) {
        self.record_page(lpn);
        self.journal.as_ref().inspect(|journal| journal.note_trim());
    }

    /// A program has ended. If its page is mapped, that was recorded.
    pub(super) fn record_program(&self, page: Ppa, block: BlockId) {
        let is_told = || self.map.is_valid(page) && self.blocks.state(block) == BlockState::Open;
        if self.journal.is_some() && !is_told() {
            self.record_block(block);
        }
    }

    pub(super) fn record_block(&self, block: BlockId) {
        if let Some(journal) = &self.journal {
            journal.append(self.config.user_pages + 2 * block.0, self.blocks.word(block));
        }
    }

    /// A victim is going to be erased, and may be on another level then; not before the journal
    /// says so.
    pub fn announce_erase(&self, block: BlockId) {
        if let Some(journal) = &self.journal
            && self.blocks.level(block) != self.blocks.next_level(block)
        {
            let word = self.config.user_pages + 2 * block.0 + 1;
            journal.append(word, self.blocks.wear_word(block));
        }
        self.record_block(block);
    }

    /// Whether a page is the next one of its block whose program is to end. With a journal they end
    /// in order; nobody waits for those of a block that has failed.
    pub fn is_next_to_end(&self, page: Ppa) -> bool {
        let block = self.geometry.block_of(page);
        self.blocks.written(block) >= page.0 - self.geometry.page(block, 0).0
    }

    /// The changes so far need no record, for the whole journal is going to be written.
    pub fn skip_records(&self) {
        self.release_erased(self.journal.iter().flat_map(Journal::skip));
    }

    /// Where the journal's next page goes; none while it has to be made room for.
    pub fn journal_place(&self) -> Option<Ppa> {
        self.journal.as_ref()?.place(|block| self.is_bad(block))
    }

    /// Puts the next page of the journal together; `set` takes its words.
    ///
    /// # Panics
    /// There is no journal.
    pub fn compose(&self, set: impl FnMut(u32, u32)) -> Spare {
        let journal = self.journal.as_ref().expect("a drive with a journal");
        let counts = (self.serial.get(), self.blocks.filled());
        let level = self.config.ladder.strongest();
        let number = journal.compose(counts, |index| self.word(index), set);
        Spare { kind: PageKind::Journal, lpn: Lpn(0), serial: number.into(), moves: 0, level }
    }

    /// The page that was put together is on flash. Tells whether blocks became free by that.
    pub fn journal_written(&self) -> bool {
        self.release_erased(self.journal.iter().flat_map(Journal::written))
    }

    /// Blocks that changed because they were erased are free; tells whether there are any.
    fn release_erased(&self, changes: impl Iterator<Item = (u32, u32)>) -> bool {
        changes.fold(false, |is_freed, (index, _)| {
            let block = self.block_of_word(index);
            let is_erased = |block: &BlockId| self.blocks.state(*block) == BlockState::Erased;
            let erased = block.filter(is_erased);
            erased.inspect(|&block| self.blocks.release(block)).is_some() || is_freed
        })
    }

    /// A page of the journal could not be written: its block is out of use.
    pub fn journal_failed(&self, page: Ppa) {
        self.journal.as_ref().inspect(|journal| journal.passed_over());
        self.retire(self.geometry.block_of(page));
    }

    /// A block of the journal that is to be erased.
    pub fn journal_block_to_erase(&self) -> Option<BlockId> {
        self.journal.as_ref()?.to_erase(|block| self.is_bad(block))
    }

    /// It has been, well or not.
    pub fn journal_erased(&self, block: BlockId, is_good: bool) {
        self.journal.as_ref().inspect(|journal| journal.erased());
        self.blocks.wear(block);
        if !is_good {
            self.retire(block);
        }
    }

    fn retire(&self, block: BlockId) {
        self.blocks.retire(block);
        self.record_block(block);
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.blocks.state(block) == BlockState::Bad
    }

    fn word(&self, index: u32) -> u32 {
        match index.checked_sub(self.config.user_pages) {
            None => self.map.word(Lpn(index)),
            Some(word) if word % 2 == 0 => self.blocks.word(BlockId(word / 2)),
            Some(word) => self.blocks.wear_word(BlockId(word / 2)),
        }
    }

    /// The block whose state a word tells.
    fn block_of_word(&self, index: u32) -> Option<BlockId> {
        let word = index.checked_sub(self.config.user_pages)?;
        (word % 2 == 0).then_some(BlockId(word / 2))
    }
}

/// Mounting.
impl<W: Memory> Ftl<W> {
    /// A page of the journal has been read, whose words `page` tells; it is of no use unless it is
    /// the next one.
    pub fn replay(&self, spare: Spare, page: impl Fn(u32) -> u32) {
        let Some(journal) = &self.journal else { return };
        if spare.kind == PageKind::Journal && journal.expects(spare.serial as u32) {
            let change = |index, word| self.replay_change(index, word);
            let filled = journal.replay(page, change, |index, word| {
                self.restore(index, word);
            });
            self.blocks.restore_filled(filled);
        }
    }

    fn replay_change(&self, index: u32, word: u32) {
        let Some(page) = self.restore(index, word) else {
            let block = self.block_of_word(index);
            let erased = block.filter(|_| Blocks::<W>::tells_erasure(word));
            return erased.into_iter().for_each(|block| self.blocks.wear(block));
        };
        let block = self.geometry.block_of(page);
        self.blocks.restore_program(block, page.0 - self.geometry.page(block, 0).0);
    }

    /// Takes a word over; tells the page that it maps to.
    fn restore(&self, index: u32, word: u32) -> Option<Ppa> {
        match index.checked_sub(self.config.user_pages) {
            None => return self.map.restore(Lpn(index), word),
            Some(of) if of % 2 == 0 => self.blocks.restore(BlockId(of / 2), word),
            Some(of) => self.blocks.restore_wear(BlockId(of / 2), word),
        }
        None
    }

    /// The journal has been read: finds out which pages are valid, and which blocks can be written.
    pub fn rebuild(&self) {
        for lpn in (0..self.config.user_pages).map(Lpn) {
            if let Some(page) = self.map.rebuild(lpn) {
                self.blocks.gain(self.geometry.block_of(page));
            }
        }
        self.blocks.rebuild();
        self.restore_serial(self.known_serial());
    }

    /// The pages of a free block that the journal knows of.
    pub fn known_pages(&self, block: BlockId) -> u32 {
        self.blocks.written(block)
    }

    /// A block that was to be erased before the mount has been, or has not.
    pub fn restore_victim(&self, block: BlockId, is_erased: bool) {
        if is_erased {
            self.erased(block, true);
        } else {
            self.put_back(block);
        }
    }

    /// Whether a page that the journal does not know of holds, where the page that is mapped, if
    /// there is one, is marked so.
    ///
    /// A write that the journal does not know of is later than all it knows of. A copy of data that
    /// it knows of is of no use where these have been given up since.
    pub fn is_later(&self, found: &Spare, mapped: Option<PageMark>) -> bool {
        match mapped {
            Some(PageMark::Written(mapped)) => found.is_later_than(&mapped),
            _ => found.moves == 0 || found.serial > self.known_serial(),
        }
    }

    fn known_serial(&self) -> u64 {
        self.journal.as_ref().map_or(0, Journal::known_serial)
    }
}
