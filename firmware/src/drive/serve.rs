//! Serving the host: one piece of a command after the other.

use floatgate_hal::array::{Extent, Lpn, Origin, PageKind, Slot, Uncorrectable};
use floatgate_hal::host::{Access, HostPage, PageStatus};
use floatgate_hal::{Event, FlashArray, HostPort, Processor, Step};

use super::{Drive, NOTHING, Source, Worker};
use crate::ftl::{Memory, Trims};

impl<A: FlashArray, H: HostPort, P: Processor, W: Memory> Drive<A, H, P, W> {
    /// Serves one piece after the other, for ever.
    pub async fn serve(&self, worker: Worker) {
        let slot = Slot(worker.0);
        loop {
            let page = self.host.next().await;
            self.processor.work(Step::Accept).await;
            let status = match page.access {
                Access::Read => self.read(page, slot).await,
                Access::Write | Access::WriteThrough => self.write(page, worker, slot).await,
                Access::Trim => self.trim(page, worker).await,
                // Nothing is kept back: what was written is on flash.
                Access::Flush => PageStatus::Done,
            };
            self.processor.work(Step::Report).await;
            self.host.complete(page, status);
        }
    }

    async fn read(&self, page: HostPage, slot: Slot) -> PageStatus {
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

    /// Brings a part of a logical page into a slot; false where there are no data.
    async fn fetch(&self, lpn: Lpn, part: Extent, slot: Slot) -> Result<bool, Uncorrectable> {
        self.processor.work(Step::Translate).await;
        loop {
            let Some(place) = self.ftl.lookup(lpn) else {
                return if self.ftl.is_lost(lpn) { Err(Uncorrectable) } else { Ok(false) };
            };
            let read = self.array.read(place, part, slot, Origin::Host).await;
            if let Ok(spare) = read
                && spare.lpn == lpn
            {
                return Ok(spare.kind == PageKind::Data);
            }
            // The page may have been moved, and its block erased, before its turn came.
            if self.ftl.lookup(lpn) == Some(place) {
                return Err(Uncorrectable);
            }
        }
    }

    async fn write(&self, page: HostPage, worker: Worker, slot: Slot) -> PageStatus {
        self.claim(page.lpn, worker).await;
        let whole = self.ftl.geometry().whole_page();
        if page.part != whole {
            match self.fetch(page.lpn, whole, slot).await {
                Ok(true) => {}
                Ok(false) => self.array.clear(slot),
                Err(Uncorrectable) => {
                    // What the host does not write would be wrong.
                    self.give_back(worker);
                    return PageStatus::Unreadable;
                }
            }
        }
        self.host.receive(page, slot).await;
        self.put(PageKind::Data, page.lpn, slot).await;
        self.give_back(worker);
        self.count(|counts| counts.host_pages += 1);
        PageStatus::Done
    }

    /// Gives a page up; a part of one is kept, as the host may not rely on what it reads then.
    async fn trim(&self, page: HostPage, worker: Worker) -> PageStatus {
        if page.part == self.ftl.geometry().whole_page() {
            self.claim(page.lpn, worker).await;
            self.host.receive(page, Slot(worker.0)).await;
            match self.ftl.config().trims {
                Trims::InMemory => {
                    self.processor.work(Step::Map).await;
                    self.invalidate(self.ftl.unmap(page.lpn));
                }
                // What was never written needs no record.
                Trims::OnFlash if self.ftl.lookup(page.lpn).is_none() => {}
                Trims::OnFlash => self.put(PageKind::Trim, page.lpn, Slot(worker.0)).await,
            }
            self.give_back(worker);
        }
        PageStatus::Done
    }

    /// Stores something of the host and maps it.
    async fn put(&self, kind: PageKind, lpn: Lpn, slot: Slot) {
        let place = self.store(Source::New { kind, lpn }, slot).await;
        self.processor.work(Step::Map).await;
        self.invalidate(self.ftl.map(lpn, place));
        self.end_program(place);
    }

    /// Waits until no other worker writes a page, for the later of two writes must hold.
    async fn claim(&self, lpn: Lpn, worker: Worker) {
        while self.is_written(lpn) {
            self.written.wait().await;
        }
        self.writing[worker.0 as usize].set(lpn.0);
    }

    /// Whether a worker writes a page.
    fn is_written(&self, lpn: Lpn) -> bool {
        // Without an early end the compiler compares several at a time.
        self.writing.iter().fold(false, |found, writing| found | (writing.get() == lpn.0))
    }

    fn give_back(&self, worker: Worker) {
        self.writing[worker.0 as usize].set(NOTHING);
        self.written.notify();
    }
}
