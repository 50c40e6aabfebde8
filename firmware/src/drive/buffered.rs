//! The write-back buffer at work: writes end in it, reads look into it first, and tasks of their
//! own write it to flash, the oldest entries first.

use floatgate_hal::array::{Extent, Lpn, PageKind, Slot};
use floatgate_hal::host::{Access, HostPage, PageStatus};
use floatgate_hal::{Event, FlashArray, HostPort, Processor};

use super::buffer::Entry;
use super::{Claimant, Drive};
use crate::ftl::Memory;

/// What can be chosen of a write-back buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferConfig {
    /// Pages that it holds; with none, writes go to flash before they are reported.
    pub pages: u32,
    /// Pages that are written to flash at a time.
    pub flushers: u32,
    /// With more pages than this, writing to flash begins ..
    pub flush_above: u32,
    /// .. and goes on until so many are left.
    pub flush_down_to: u32,
}

impl<A: FlashArray, H: HostPort, P: Processor, W: Memory> Drive<A, H, P, W> {
    /// Writes entries of the buffer to flash, for ever.
    pub async fn flush(&self, flusher: u32) {
        let claimant = Claimant(self.workers + flusher);
        let slot = self.flusher_slot(flusher);
        loop {
            while !self.has_to_flush() {
                self.arrived.wait().await;
            }
            let Some(entry) = self.buffer.next_to_write() else {
                // Others are at it.
                self.arrived.wait().await;
                continue;
            };
            if self.claim_entry(entry, claimant).await {
                self.write_out(entry, slot).await;
                self.give_back(claimant);
            }
            if self.buffer.give_back(entry) {
                self.room.notify_one();
            }
        }
    }

    /// Claims the page of an entry; false once its data are dropped. Who has claimed the page may
    /// wait for the entry to become free.
    async fn claim_entry(&self, entry: Entry, claimant: Claimant) -> bool {
        let lpn = self.buffer.page(entry);
        while !self.buffer.is_dropped(entry) {
            if self.try_claim(lpn, claimant) {
                return true;
            }
            self.written.wait().await;
        }
        false
    }

    fn has_to_flush(&self) -> bool {
        let (held, of) = (self.buffer.held(), &self.buffering);
        if held > of.flush_above {
            self.is_draining.set(true);
        } else if held <= of.flush_down_to {
            self.is_draining.set(false);
        }
        self.is_draining.get() || self.urgent.get() > 0
    }

    /// Takes a write into the buffer.
    pub(super) async fn buffer_write(&self, page: HostPage, claimant: Claimant, slot: Slot) {
        self.claim(page.lpn, claimant).await;
        let found = match self.buffer.find(page.lpn) {
            // What lies apart cannot be kept in one entry.
            Some(entry) if !self.buffer.can_grow(entry, page.part) => {
                self.write_out(entry, slot).await;
                None
            }
            found => found,
        };
        let entry = match found {
            Some(entry) => entry,
            None => self.take_entry().await,
        };
        self.host.receive(page, self.entry_slot(entry)).await;
        match found {
            Some(_) => self.buffer.grow(entry, page.part),
            None => self.buffer.put(entry, page.lpn, page.part),
        }
        if page.access == Access::WriteThrough {
            self.write_out(entry, slot).await;
        }
        self.give_back(claimant);
        if self.has_to_flush() {
            self.arrived.notify();
        }
    }

    /// Waits for a free entry.
    async fn take_entry(&self) -> Entry {
        if let Some(entry) = self.buffer.take() {
            return entry;
        }
        self.count(|counts| counts.buffer_stalls += 1);
        self.hurry(1);
        loop {
            self.room.wait().await;
            // Somebody who did not wait may have been faster.
            if let Some(entry) = self.buffer.take() {
                self.hurry(-1);
                return entry;
            }
        }
    }

    /// Somebody waits for the buffer to be written, or does so no longer.
    fn hurry(&self, change: i32) {
        self.urgent.set(self.urgent.get() + change);
        if change > 0 {
            self.arrived.notify();
        }
    }

    /// Writes an entry to flash. The caller has claimed its page; the entry holds no data then.
    async fn write_out(&self, entry: Entry, slot: Slot) {
        let (lpn, part) = (self.buffer.page(entry), self.buffer.part(entry));
        let whole = self.ftl.geometry().whole_page();
        let mut from = self.entry_slot(entry);
        if part != whole {
            match self.fetch(lpn, whole, slot).await {
                Ok(true) => {}
                Ok(false) => self.array.clear(slot),
                Err(_) => {
                    // The rest of the page was lost before.
                    self.count(|counts| counts.lost_pages += 1);
                    self.array.clear(slot);
                }
            }
            self.array.copy(part, from, slot);
            from = slot;
        }
        self.put(PageKind::Data, lpn, from).await;
        self.drop_entry(entry);
    }

    fn drop_entry(&self, entry: Entry) {
        self.buffer.drop_data(entry);
        self.flushed.notify();
        self.written.notify();
    }

    /// The page is given up, so what the buffer has of it is not to be written.
    pub(super) fn buffer_trim(&self, lpn: Lpn) {
        if let Some(entry) = self.buffer.find(lpn) {
            self.drop_entry(entry);
        }
    }

    /// Waits until all that is in the buffer now is on flash.
    pub(super) async fn flush_buffer(&self) {
        while self.is_flushing.replace(true) {
            self.flushed.wait().await;
        }
        let epoch = self.buffer.end_epoch();
        self.hurry(1);
        while self.buffer.left(epoch) > 0 {
            self.flushed.wait().await;
        }
        self.hurry(-1);
        self.is_flushing.set(false);
        self.flushed.notify();
    }

    /// Answers a read of a page that the buffer has something of; none where it has not.
    pub(super) async fn buffer_read(&self, page: HostPage, slot: Slot) -> Option<PageStatus> {
        loop {
            let entry = self.buffer.find(page.lpn)?;
            let part = self.buffer.part(entry);
            if part.covers(&page.part) {
                self.buffer.pin(entry);
                self.host.send(page, Some(self.entry_slot(entry))).await;
                if self.buffer.unpin(entry) {
                    self.room.notify_one();
                }
                return Some(PageStatus::Done);
            }
            let state = || {
                let entry = self.buffer.find(page.lpn);
                (entry, entry.map(|entry| self.buffer.part(entry)), self.ftl.lookup(page.lpn))
            };
            let before = state();
            match self.fetch(page.lpn, page.part, slot).await {
                Ok(true) => {}
                Ok(false) => self.array.clear(slot),
                Err(_) => return Some(PageStatus::Unreadable),
            }
            // The entry may have been written to flash meanwhile, and what was read be older;
            // another one may even be in its place.
            if state() == before {
                let common: Extent = part.common(&page.part);
                self.array.copy(common, self.entry_slot(entry), slot);
                self.host.send(page, Some(slot)).await;
                return Some(PageStatus::Done);
            }
        }
    }

    fn flusher_slot(&self, flusher: u32) -> Slot {
        Slot(self.workers + self.wanted.len() as u32 + flusher)
    }

    fn entry_slot(&self, Entry(entry): Entry) -> Slot {
        Slot(self.flusher_slot(self.buffering.flushers).0 + entry)
    }
}
