//! Finding out what is on the flash, after power was lost at any time.
//!
//! With a journal the units read it side by side, page by page in turn, and know then what was on
//! the flash when its last page was written. Without one they know of nothing. What was written
//! since is found in the blocks that were free or open: every page that was programmed says whose
//! data it holds and which write it was; of several pages with the same data the latest write
//! holds. A page whose program was cut short cannot be read and is passed over, and so is a block
//! whose erasure was. Copies made by collection have the number of the write that they were copied
//! from, and of copies the latest holds: what had been moved need not be moved again, so that
//! collection gets on however often power is cut.
//!
//! Only flash is read, so power may be lost again meanwhile. The time grows with the pages written
//! since the journal's last page, or all.

use floatgate_hal::array::{
    BlockId, Origin, PageKind, PageMark, Ppa, ReadReport, Spare, UnitIndex,
};
use floatgate_hal::{Event, FlashArray, HostPort, Processor};

use super::Drive;
use crate::ftl::{BlockState, Journal, JournalDamaged, Memory};

impl<A: FlashArray, H: HostPort, P: Processor, W: Memory> Drive<A, H, P, W> {
    /// Looks through the blocks of a unit. To be awaited for all units, side by side, before the
    /// drive serves.
    ///
    /// # Errors
    /// The journal does not tell all. A drive without one can be mounted on the same flash; pages
    /// that were given up may be there again then.
    pub async fn mount(&self, unit: UnitIndex) -> Result<(), JournalDamaged> {
        if let Some(journal) = self.ftl.journal() {
            self.find_journal(journal, unit).await;
            self.meet().await;
            self.find_last_page(journal, unit).await;
            self.meet().await;
            if unit.0 == 0 {
                journal.begin_replay();
                self.replayed.set(journal.replay_steps().start);
            }
            self.meet().await;
            self.read_journal(journal, unit).await;
            self.meet().await;
            if unit.0 == 0 {
                self.ftl.rebuild();
            }
            journal.end_replay()?;
            self.meet().await;
            self.find_end(journal, unit).await;
        }
        let geometry = self.ftl.geometry();
        for index in 0..geometry.blocks_per_unit {
            self.mount_block(geometry.block(unit, index)).await;
        }
        Ok(())
    }

    /// Waits until all units have come so far.
    async fn meet(&self) {
        let units = self.ftl.geometry().units;
        let meeting = self.meetings.get() / units;
        self.meetings.set(self.meetings.get() + 1);
        self.met.notify();
        while self.meetings.get() / units == meeting {
            self.met.wait().await;
        }
    }

    /// Looks at the first pages of the journal's blocks.
    async fn find_journal(&self, journal: &Journal<W>, unit: UnitIndex) {
        let geometry = self.ftl.geometry();
        for segment in 0..journal.segments() {
            let page = geometry.page(geometry.block(unit, segment), 0);
            match self.array.read_mark(page).await {
                PageMark::Erased => {}
                mark => journal.found_head(segment, number(mark)),
            }
        }
    }

    /// Looks for the last page in the newest of them.
    async fn find_last_page(&self, journal: &Journal<W>, unit: UnitIndex) {
        let Some(newest) = journal.newest() else { return };
        let block = self.ftl.geometry().block(unit, newest);
        for row in (0..self.rows(block).await).rev() {
            let page = self.ftl.geometry().page(block, row);
            if let Some(number) = number(self.array.read_mark(page).await) {
                return journal.found_page(number, unit, row);
            }
        }
    }

    /// How many pages of a block are not erased: all before these are not either.
    async fn rows(&self, block: BlockId) -> u32 {
        let geometry = self.ftl.geometry();
        let (mut low, mut high) = (0, geometry.pages_per_block);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.array.read_mark(geometry.page(block, middle)).await {
                PageMark::Erased => high = middle,
                _ => low = middle + 1,
            }
        }
        low
    }

    /// Reads the unit's pages of the journal, each when those before it have been taken over.
    async fn read_journal(&self, journal: &Journal<W>, unit: UnitIndex) {
        let (slot, whole) = (self.collection_slot(unit, 0), self.ftl.geometry().whole_page());
        let steps = journal.replay_steps();
        let units = self.ftl.geometry().units as usize;
        for step in (steps.start + unit.0..steps.end).step_by(units) {
            let page = journal.replay_page(step);
            let read = self.array.read(page, whole, slot, Origin::Mount).await;
            while self.replayed.get() != step {
                self.met.wait().await;
            }
            if let Ok(ReadReport { spare, .. }) = read {
                self.ftl.replay(spare, |at| self.array.word(slot, at));
            }
            self.replayed.set(step + 1);
            self.met.notify();
        }
    }

    /// Looks where the journal goes on.
    async fn find_end(&self, journal: &Journal<W>, unit: UnitIndex) {
        let Some(newest) = journal.newest() else { return };
        let block = self.ftl.geometry().block(unit, newest);
        if self.ftl.block(block) != BlockState::Bad {
            journal.found_end(unit, self.rows(block).await);
        }
    }

    async fn mount_block(&self, block: BlockId) {
        let page = self.ftl.geometry().page(block, 0);
        match self.ftl.block(block) {
            BlockState::Free => self.mount_pages(block).await,
            // The journal says that it was to be erased.
            BlockState::Victim { .. } => {
                let is_erased = self.array.read_mark(page).await == PageMark::Erased;
                self.ftl.restore_victim(block, is_erased);
            }
            _ => {}
        }
    }

    async fn mount_pages(&self, block: BlockId) {
        let geometry = self.ftl.geometry();
        let (mut written, mut last) = (self.ftl.known_pages(block), 0);
        while written < geometry.pages_per_block {
            let page = geometry.page(block, written);
            match self.array.read_mark(page).await {
                PageMark::Erased => break,
                PageMark::Unreadable => {}
                PageMark::Written(spare) => {
                    last = spare.serial;
                    self.mount_page(page, spare).await;
                }
            }
            written += 1;
        }
        self.ftl.restore_block(block, written, last);
    }

    /// Maps a page unless a later write of the same data has been found.
    async fn mount_page(&self, page: Ppa, spare: Spare) {
        let lpn = spare.lpn;
        if spare.kind == PageKind::Journal {
            return;
        }
        self.ftl.restore_serial(spare.serial);
        self.ftl.restore_level(page, spare.level);
        if lpn.0 >= self.ftl.config().user_pages {
            return;
        }
        loop {
            let other = self.ftl.lookup(lpn);
            let mark = match other {
                Some(other) => Some(self.array.read_mark(other).await),
                None => None,
            };
            // Another unit may have found a page meanwhile.
            if self.ftl.lookup(lpn) == other {
                if self.ftl.is_later(&spare, mark) {
                    self.ftl.map(lpn, page);
                }
                return;
            }
        }
    }
}

/// The number of a page of the journal.
fn number(mark: PageMark) -> Option<u32> {
    match mark {
        PageMark::Written(spare) if spare.kind == PageKind::Journal => Some(spare.serial as u32),
        _ => None,
    }
}
