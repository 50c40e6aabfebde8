//! Serving the host: one piece of a command after the other.

use floatgate_hal::array::{Extent, Lpn, Origin, PageKind, ReadReport, Slot, Uncorrectable};
use floatgate_hal::host::{Access, HostPage, PageStatus};
use floatgate_hal::{Event, FlashArray, HostPort, Processor, Step};

use super::{Claimant, Drive, NOTHING, Source, Worker};
use crate::ftl::{Memory, Trims};

impl<A: FlashArray, H: HostPort, P: Processor, W: Memory> Drive<A, H, P, W> {
    /// Serves one piece after the other, for ever.
    pub async fn serve(&self, worker: Worker) {
        let (claimant, slot) = (Claimant(worker.0), Slot(worker.0));
        loop {
            let page = self.host.next().await;
            if page.is_first {
                self.processor.work(Step::Command).await;
            }
            self.processor.work(Step::Accept).await;
            let status = match page.access {
                Access::Read => self.read(page, slot).await,
                Access::Write | Access::WriteThrough => self.write(page, claimant, slot).await,
                Access::Trim => self.trim(page, claimant, slot).await,
                Access::Flush => {
                    self.flush_buffer().await;
                    self.flush_trims().await;
                    PageStatus::Done
                }
            };
            self.processor.work(Step::Report).await;
            self.host.complete(page, status);
        }
    }

    async fn read(&self, page: HostPage, slot: Slot) -> PageStatus {
        if let Some(status) = self.buffer_read(page, slot).await {
            return status;
        }
        match self.fetch(page.lpn, page.part, slot).await {
            Ok(true) => self.host.send(page, Some(slot)).await,
            Ok(false) => {
                self.count(|counts| counts.unmapped_reads += 1);
                self.host.send(page, None).await;
            }
            Err(Uncorrectable) => return PageStatus::Unreadable,
        }
        PageStatus::Done
    }

    /// Brings a part of a logical page from flash into a slot; false where there are no data.
    pub(super) async fn fetch(
        &self,
        lpn: Lpn,
        part: Extent,
        slot: Slot,
    ) -> Result<bool, Uncorrectable> {
        self.processor.work(Step::Translate).await;
        loop {
            let Some(place) = self.ftl.lookup(lpn) else {
                return if self.ftl.is_lost(lpn) { Err(Uncorrectable) } else { Ok(false) };
            };
            let read = self.array.read(place, part, slot, Origin::Host).await;
            if let Ok(ReadReport { spare, worst_errors }) = read {
                if self.ftl.counts_reads() && self.ftl.note_read(place, worst_errors) {
                    self.wanted(self.unit_of(place)).notify();
                }
                if spare.lpn == lpn {
                    return Ok(spare.kind == PageKind::Data);
                }
            }
            // The page may have been moved, and its block erased, before its turn came.
            if self.ftl.lookup(lpn) == Some(place) {
                if self.ftl.note_loss(place) {
                    self.wanted(self.unit_of(place)).notify();
                }
                return Err(Uncorrectable);
            }
        }
    }

    async fn write(&self, page: HostPage, claimant: Claimant, slot: Slot) -> PageStatus {
        if self.buffering.pages > 0 {
            self.buffer_write(page, claimant, slot).await;
            self.count(|counts| counts.host_pages += 1);
            return PageStatus::Done;
        }
        self.claim(page.lpn, claimant).await;
        let whole = self.ftl.geometry().whole_page();
        if page.part != whole {
            match self.fetch(page.lpn, whole, slot).await {
                Ok(true) => {}
                Ok(false) => self.array.clear(slot),
                Err(Uncorrectable) => {
                    // What the host does not write would be wrong.
                    self.give_back(claimant);
                    return PageStatus::Unreadable;
                }
            }
        }
        self.host.receive(page, slot).await;
        self.put(PageKind::Data, page.lpn, slot).await;
        self.give_back(claimant);
        self.count(|counts| counts.host_pages += 1);
        PageStatus::Done
    }

    /// Gives a page up; a part of one is kept, as the host may not rely on what it reads then.
    async fn trim(&self, page: HostPage, claimant: Claimant, slot: Slot) -> PageStatus {
        if page.part == self.ftl.geometry().whole_page() {
            self.claim(page.lpn, claimant).await;
            self.host.receive(page, slot).await;
            match self.ftl.config().trims {
                Trims::InMemory => {
                    self.processor.work(Step::Map).await;
                    self.make_journal_room().await;
                    self.invalidate(self.ftl.unmap(page.lpn));
                    self.check_journal();
                }
                // What was never written needs no record.
                Trims::OnFlash if self.ftl.lookup(page.lpn).is_none() => {}
                Trims::OnFlash => self.put(PageKind::Trim, page.lpn, slot).await,
            }
            // Not before: what is on flash may be older than what is in the buffer.
            self.buffer_trim(page.lpn);
            self.give_back(claimant);
        }
        PageStatus::Done
    }

    /// Stores something of the host and maps it.
    pub(super) async fn put(&self, kind: PageKind, lpn: Lpn, slot: Slot) {
        self.store(Source::New { kind, lpn }, slot).await;
        self.count(|counts| counts.stored_pages += 1);
    }

    /// Waits until nobody else writes a page, for the later of two writes must hold.
    pub(super) async fn claim(&self, lpn: Lpn, claimant: Claimant) {
        while !self.try_claim(lpn, claimant) {
            self.written.wait().await;
        }
    }

    /// Claims a page unless somebody writes it.
    pub(super) fn try_claim(&self, lpn: Lpn, claimant: Claimant) -> bool {
        let is_free = !self.is_written(lpn);
        if is_free {
            self.writing[claimant.0 as usize].set(lpn.0);
        }
        is_free
    }

    /// Whether somebody writes a page.
    fn is_written(&self, lpn: Lpn) -> bool {
        // Without an early end the compiler compares several at a time.
        self.writing.iter().fold(false, |found, writing| found | (writing.get() == lpn.0))
    }

    pub(super) fn give_back(&self, claimant: Claimant) {
        self.writing[claimant.0 as usize].set(NOTHING);
        self.written.notify();
    }
}
