//! The journal at work: a task of its own writes its pages, one after the other, when enough has
//! changed or somebody waits for it.
//!
//! Three things wait. A victim is erased when the journal says that nothing valid is in it and that
//! it will be erased; an erased block is written when the journal says that it is free; and a flush
//! of the host waits for the trims before it. So what the journal maps is always there, and a mount
//! knows which blocks may hold what the journal does not know of: those that it says are free, and
//! those at the frontiers.

use floatgate_hal::array::{ArrayGeometry, BlockId, Origin, Ppa, Slot, Spare};
use floatgate_hal::{Event, FlashArray, HostPort, Processor, Step};

use super::{BufferConfig, Drive, slots};
use crate::ftl::{Journal, Memory};

/// Changes for the journal that may be under way at a time: two of each task. A page of the journal
/// has to have room for more.
pub const fn journal_reserve(
    geometry: &ArrayGeometry,
    workers: u32,
    buffer: &BufferConfig,
    moves: u32,
) -> u32 {
    // The last ones are the journal's own, whose blocks may fail.
    2 * (workers + buffer.flushers + geometry.units * moves) + 2
}

impl<A: FlashArray, H: HostPort, P: Processor, W: Memory> Drive<A, H, P, W> {
    /// Writes pages of the journal, for ever.
    pub async fn keep_journal(&self) {
        let Some(journal) = self.ftl.journal() else { return };
        loop {
            while !journal.has_to_write(self.reserve()) {
                self.recorded.wait().await;
            }
            while !self.write_journal().await {}
            // A little at a time, so that nobody waits long.
            self.erase_journal().await;
        }
    }

    /// Writes a page of the journal; false where that failed.
    async fn write_journal(&self) -> bool {
        self.processor.work(Step::Journal).await;
        let page = loop {
            if let Some(page) = self.ftl.journal_place() {
                break page;
            }
            let is_erased = self.erase_journal().await;
            let has_place = is_erased || self.ftl.journal_place().is_some();
            assert!(has_place, "the journal has room for as many torn pages as it needs");
        };
        let (slot, spare) = self.compose_journal();
        if self.array.program(page, slot, spare, Origin::Journal).await.is_err() {
            self.ftl.journal_failed(page);
            return false;
        }
        let is_freed = self.ftl.journal_written();
        self.count(|counts| counts.journal_pages += 1);
        self.journaled.notify();
        if is_freed {
            self.freed.notify();
        }
        true
    }

    /// Erases a block of the journal that is not needed any more, if there is one.
    async fn erase_journal(&self) -> bool {
        let Some(block) = self.ftl.journal_block_to_erase() else { return false };
        let is_good = self.array.erase(block, Origin::Journal).await.is_ok();
        self.ftl.journal_erased(block, is_good);
        true
    }

    /// Puts the next page of the journal together, in a slot.
    pub fn compose_journal(&self) -> (Slot, Spare) {
        let slot = self.journal_slot();
        (slot, self.ftl.compose(|at, word| self.array.set_word(slot, at, word)))
    }

    /// Waits until changes can be recorded.
    pub(super) async fn make_journal_room(&self) {
        let Some(journal) = self.ftl.journal() else { return };
        while !journal.has_room(self.reserve()) {
            self.recorded.notify();
            self.journaled.wait().await;
        }
    }

    /// Something has changed: a page of the journal may be to be written.
    pub(super) fn check_journal(&self) {
        if let Some(journal) = self.ftl.journal() {
            self.ended.notify();
            if journal.has_to_write(self.reserve()) {
                self.recorded.notify();
            }
        }
    }

    /// All that has changed is wanted on flash.
    pub(super) fn hurry_journal(&self) {
        if let Some(journal) = self.ftl.journal() {
            journal.want(journal.appended());
            self.recorded.notify();
        }
    }

    /// Waits until the first so many changes are on flash.
    async fn sync_journal(&self, changes: impl FnOnce(&Journal<W>) -> u64) {
        let Some(journal) = self.ftl.journal() else { return };
        let changes = changes(journal);
        journal.want(changes);
        while journal.durable() < changes {
            self.recorded.notify();
            self.journaled.wait().await;
        }
    }

    /// A block is to be erased: what was in it is to be mapped elsewhere, in the journal too.
    pub(super) async fn announce_erase(&self, block: BlockId) {
        self.make_journal_room().await;
        self.ftl.announce_erase(block);
        self.sync_journal(Journal::appended).await;
    }

    /// Waits until the pages that were given up are so on flash.
    pub(super) async fn flush_trims(&self) {
        self.sync_journal(Journal::trimmed).await;
    }

    /// Programs of a block end in order, where the journal counts on that.
    pub(super) async fn wait_for_turn(&self, page: Ppa) {
        if self.ftl.journal().is_some() {
            while !self.ftl.is_next_to_end(page) {
                self.ended.wait().await;
            }
        }
    }

    fn reserve(&self) -> u32 {
        journal_reserve(
            &self.ftl.geometry(),
            self.workers,
            &self.buffering,
            self.ftl.config().moves,
        )
    }

    fn journal_slot(&self) -> Slot {
        Slot(
            slots(&self.ftl.geometry(), self.workers, &self.buffering, self.ftl.config().moves) - 1,
        )
    }
}
