//! Whether the drive gives back what it was given: every sector that is written gets a stamp, and
//! every sector that is read must have one that it can have.
//!
//! Stamps grow with the order in which data cross the link. Of a page there is one write at a time,
//! so a read that began when stamp e was the last one complete must see e or a later one of the
//! same page. After a power cut the same holds of the last one that was to be on flash. A trim of a
//! whole page is a write of zeros; one of a part leaves what was there. Where bytes are kept, those
//! of a sector must also be the ones that follow from its stamp.

use std::collections::HashMap;

use floatgate_hal::array::{Extent, Lpn, Slot};
use floatgate_hal::host::{Access, HostPage, PageStatus};

use crate::array::Cells;

/// A sector of the drive: page and place.
type Sector = (u32, u8);

/// What a drive keeps through a power cut of what it reported complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// All.
    Everything,
    /// Writes, and the trims that were flushed.
    Writes,
    /// What was flushed, or written through.
    Flushed,
}

/// What the host has written and may read.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    /// Of each stamp the page; stamps begin at 1.
    pages: Vec<Lpn>,
    /// The last write or trim of each sector that was reported complete.
    complete: HashMap<Sector, u32>,
    /// The last write of each sector that was reported complete.
    written: HashMap<Sector, u32>,
    /// The same of what was to be on flash.
    durable: HashMap<Sector, u32>,
    /// What was complete when flushes began, by tag.
    flushed: HashMap<u32, HashMap<Sector, u32>>,
    /// The last trim of each page: its sectors may be zeros since.
    trimmed: HashMap<u32, u32>,
    /// Stamps of pieces under way, by tag and page.
    under_way: HashMap<(u32, u32), u32>,
    /// What was complete when reads began, by tag and page.
    begun: HashMap<(u32, u32), Vec<u32>>,
    breaches: Vec<String>,
    compared: Compared,
}

/// Sectors that were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// By their stamps.
    pub sectors: u64,
    /// Those of them whose bytes were compared as well. Of sectors that hold nothing there are
    /// none.
    pub in_full: u64,
}

impl Oracle {
    /// Wrong sectors so far, a line each.
    pub fn breaches(&self) -> &[String] {
        &self.breaches
    }

    /// What was compared so far.
    pub fn compared(&self) -> Compared {
        self.compared
    }

    fn new_stamp(&mut self, page: HostPage) -> u32 {
        self.pages.push(page.lpn);
        let stamp = self.pages.len() as u32;
        self.under_way.insert((page.tag.0, page.lpn.0), stamp);
        stamp
    }

    /// A piece is taken up.
    pub(super) fn begin(&mut self, page: HostPage) {
        if page.access == Access::Flush {
            self.flushed.insert(page.tag.0, self.complete.clone());
        }
        if page.access == Access::Read {
            let seen = sectors(page.part).map(|sector| self.complete_at(page.lpn, sector));
            let seen = seen.collect();
            self.begun.insert((page.tag.0, page.lpn.0), seen);
        }
    }

    /// The data of a write are in a slot, or a trim is about to take effect.
    pub(super) fn receive(&mut self, page: HostPage, cells: &Cells, slot: Slot) {
        let stamp = self.new_stamp(page);
        match page.access {
            Access::Trim => {
                self.trimmed.insert(page.lpn.0, stamp);
            }
            _ => cells.stamp(slot, page.part, |_| stamp),
        }
    }

    /// The data of a read leave a slot, or are zeros.
    pub(super) fn send(&mut self, page: HostPage, cells: &Cells, slot: Option<Slot>) {
        let begun = self.begun.remove(&(page.tag.0, page.lpn.0)).unwrap_or_default();
        for (sector, least) in sectors(page.part).zip(begun) {
            let stamp = slot.map_or(0, |slot| cells.stamp_of(slot, sector).unwrap_or_default());
            self.check(page.lpn, sector, stamp, least);
            if let Some(wrong) = slot.and_then(|slot| cells.wrong_bytes(slot, sector)) {
                self.check_bytes(page.lpn, sector, stamp, wrong);
            }
        }
    }

    /// A piece is reported.
    pub(super) fn complete(&mut self, page: HostPage, status: PageStatus) {
        let stamp = self.under_way.remove(&(page.tag.0, page.lpn.0));
        self.begun.remove(&(page.tag.0, page.lpn.0));
        if status != PageStatus::Done {
            return;
        }
        for (sector, stamp) in self.flushed.remove(&page.tag.0).unwrap_or_default() {
            let durable = self.durable.entry(sector).or_default();
            *durable = stamp.max(*durable);
        }
        let Some(stamp) = stamp else { return };
        for sector in sectors(page.part).map(|sector| (page.lpn.0, sector)) {
            self.complete.insert(sector, stamp);
            if page.access != Access::Trim {
                self.written.insert(sector, stamp);
            }
            if page.access == Access::WriteThrough {
                let durable = self.durable.entry(sector).or_default();
                *durable = stamp.max(*durable);
            }
        }
    }

    /// Power is cut: what is kept must be read from now on, or something later.
    pub fn cut_power(&mut self, kept: Kept) {
        if kept != Kept::Everything {
            self.complete.clone_from(&self.durable);
        }
        if kept == Kept::Writes {
            for (&sector, &stamp) in &self.written {
                let complete = self.complete.entry(sector).or_default();
                *complete = stamp.max(*complete);
            }
        }
        self.written.clone_from(&self.complete);
        self.under_way.clear();
        self.flushed.clear();
        self.begun.clear();
    }

    fn complete_at(&self, lpn: Lpn, sector: u8) -> u32 {
        self.complete.get(&(lpn.0, sector)).copied().unwrap_or_default()
    }

    fn check_bytes(&mut self, lpn: Lpn, sector: u8, stamp: u32, wrong: usize) {
        self.compared.in_full += 1;
        if wrong > 0 {
            let page = lpn.0;
            let line =
                format!("page {page} sector {sector}: {wrong} bytes of write {stamp} are wrong");
            self.breaches.push(line);
        }
    }

    fn check(&mut self, lpn: Lpn, sector: u8, stamp: u32, least: u32) {
        self.compared.sectors += 1;
        let is_right = match stamp {
            // Never written, or trimmed since.
            0 => least <= self.trimmed.get(&lpn.0).copied().unwrap_or_default(),
            _ => stamp >= least && self.pages.get(stamp as usize - 1) == Some(&lpn),
        };
        if !is_right {
            let page = lpn.0;
            let line = format!(
                "page {page} sector {sector}: read write {stamp}, written last was {least}"
            );
            self.breaches.push(line);
        }
    }
}

fn sectors(part: Extent) -> impl Iterator<Item = u8> {
    part.first..part.end()
}
