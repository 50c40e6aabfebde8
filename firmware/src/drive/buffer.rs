//! The books of the write-back buffer: which logical pages have data in it that are not on flash.
//!
//! An entry is a slot of the buffer memory with a part of one logical page; a page has one entry at
//! most. Entries are written to flash in the order in which they came in. A flush of the host waits
//! for the entries that came in before it: those of an epoch, which a flush ends.

use core::cell::Cell;

use floatgate_hal::array::{Extent, Lpn};

use crate::ftl::Memory;

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry(pub(super) u32);

/// No entry: the end of a list.
const NONE: u32 = u32::MAX;
/// The state of an entry: in which epoch it came in, and whether its data were dropped, or it is
/// free but for its readers.
const DROPPED: u32 = 2;
const GONE: u32 = 4;
const EPOCH: u32 = 1;

/// Tables with a word for each entry.
const ENTRY_TABLES: usize = 6;

/// The buffer's entries.
pub(super) struct Buffer<W> {
    pages: W,
    parts: W,
    states: W,
    /// Reads under way from the slot.
    pins: W,
    /// The next free entry, or the next one to be written.
    next: W,
    /// The next entry in the same bucket.
    chain: W,
    /// First entries, by page.
    buckets: W,
    mask: u32,
    free: Cell<u32>,
    first: Cell<u32>,
    last: Cell<u32>,
    /// Entries that hold data.
    held: Cell<u32>,
    epoch: Cell<u32>,
    /// Entries of each epoch that are not on flash.
    left: [Cell<u32>; 2],
}

impl<W: Memory> Buffer<W> {
    /// An empty buffer; `words` gives memory of so many words.
    pub(super) fn new(entries: u32, words: &mut impl FnMut(u32) -> W) -> Self {
        let [pages, parts, states, pins, next, chain]: [W; ENTRY_TABLES] =
            core::array::from_fn(|_| words(entries));
        let count = entries.next_power_of_two();
        let buckets = words(count);
        (0..count).for_each(|bucket| buckets.set(bucket, NONE));
        (0..entries).for_each(|entry| next.set(entry, entry + 1));
        if let Some(last) = entries.checked_sub(1) {
            next.set(last, NONE);
        }
        let free = Cell::new(if entries > 0 { 0 } else { NONE });
        let (first, last) = (Cell::new(NONE), Cell::new(NONE));
        let (held, epoch, left) = (Cell::new(0), Cell::new(0), Default::default());
        let mask = count - 1;
        Self {
            pages,
            parts,
            states,
            pins,
            next,
            chain,
            buckets,
            mask,
            free,
            first,
            last,
            held,
            epoch,
            left,
        }
    }

    /// Entries that hold data which are not on flash.
    pub(super) fn held(&self) -> u32 {
        self.held.get()
    }

    /// The entry of a page.
    pub(super) fn find(&self, lpn: Lpn) -> Option<Entry> {
        let mut at = self.buckets.get(self.bucket(lpn));
        while at != NONE && self.pages.get(at) != lpn.0 {
            at = self.chain.get(at);
        }
        (at != NONE).then_some(Entry(at))
    }

    /// The page of an entry.
    pub(super) fn page(&self, entry: Entry) -> Lpn {
        Lpn(self.pages.get(entry.0))
    }

    /// The part of the page that an entry has.
    pub(super) fn part(&self, entry: Entry) -> Extent {
        let word = self.parts.get(entry.0);
        Extent { first: (word >> 8) as u8, sectors: word as u8 }
    }

    /// Takes a free entry; it is nobody's until it is [put in](Self::put).
    pub(super) fn take(&self) -> Option<Entry> {
        let entry = self.free.get();
        if entry == NONE {
            return None;
        }
        self.free.set(self.next.get(entry));
        Some(Entry(entry))
    }

    /// The entry has a part of a page from now on, which has no other entry.
    pub(super) fn put(&self, entry: Entry, lpn: Lpn, part: Extent) {
        let Entry(at) = entry;
        self.pages.set(at, lpn.0);
        self.set_part(entry, part);
        self.states.set(at, self.epoch.get());
        let bucket = self.bucket(lpn);
        self.chain.set(at, self.buckets.get(bucket));
        self.buckets.set(bucket, at);
        self.next.set(at, NONE);
        match self.last.replace(at) {
            NONE => self.first.set(at),
            last => self.next.set(last, at),
        }
        self.held.set(self.held.get() + 1);
        let left = &self.left[self.epoch.get() as usize];
        left.set(left.get() + 1);
    }

    /// Whether an entry and another part of its page make one part together.
    pub(super) fn can_grow(&self, entry: Entry, part: Extent) -> bool {
        let has = self.part(entry);
        part.first <= has.end() && has.first <= part.end()
    }

    /// More of the page is in an entry, without a gap.
    pub(super) fn grow(&self, entry: Entry, part: Extent) {
        let has = self.part(entry);
        let (first, end) = (has.first.min(part.first), has.end().max(part.end()));
        self.set_part(entry, Extent { first, sectors: end - first });
    }

    /// The entry that came in first and is to be written next.
    pub(super) fn next_to_write(&self) -> Option<Entry> {
        let at = self.first.get();
        if at == NONE {
            return None;
        }
        let next = self.next.get(at);
        self.first.set(next);
        if next == NONE {
            self.last.set(NONE);
        }
        Some(Entry(at))
    }

    /// The page has no data in the buffer any more: they are on flash, or given up. The entry is
    /// free when its turn to be written has come and nobody reads it.
    pub(super) fn drop_data(&self, entry: Entry) {
        let Entry(at) = entry;
        let bucket = self.bucket(self.page(entry));
        let mut before = NONE;
        let mut here = self.buckets.get(bucket);
        while here != at {
            before = here;
            here = self.chain.get(here);
        }
        match before {
            NONE => self.buckets.set(bucket, self.chain.get(at)),
            before => self.chain.set(before, self.chain.get(at)),
        }
        self.states.set(at, self.states.get(at) | DROPPED);
        self.held.set(self.held.get() - 1);
        let left = &self.left[(self.states.get(at) & EPOCH) as usize];
        left.set(left.get() - 1);
    }

    /// Whether an entry's data were dropped.
    pub(super) fn is_dropped(&self, entry: Entry) -> bool {
        self.states.get(entry.0) & DROPPED != 0
    }

    /// Gives back an entry whose data were dropped and whose turn to be written has come. False
    /// where it is still read: then the last reader gives it back.
    pub(super) fn give_back(&self, entry: Entry) -> bool {
        if self.pins.get(entry.0) > 0 {
            self.states.set(entry.0, GONE);
            return false;
        }
        self.next.set(entry.0, self.free.replace(entry.0));
        true
    }

    /// Somebody reads from an entry's slot.
    pub(super) fn pin(&self, entry: Entry) {
        self.pins.set(entry.0, self.pins.get(entry.0) + 1);
    }

    /// Somebody has read from an entry's slot; tells whether the entry became free by that.
    pub(super) fn unpin(&self, entry: Entry) -> bool {
        let pins = self.pins.get(entry.0) - 1;
        self.pins.set(entry.0, pins);
        pins == 0 && self.states.get(entry.0) == GONE && self.give_back(entry)
    }

    /// Ends the epoch and tells which it was.
    pub(super) fn end_epoch(&self) -> u32 {
        let epoch = self.epoch.get();
        self.epoch.set(epoch ^ EPOCH);
        epoch
    }

    /// Entries of an epoch that are not on flash.
    pub(super) fn left(&self, epoch: u32) -> u32 {
        self.left[epoch as usize].get()
    }

    fn set_part(&self, entry: Entry, part: Extent) {
        self.parts.set(entry.0, u32::from(part.first) << 8 | u32::from(part.sectors));
    }

    fn bucket(&self, lpn: Lpn) -> u32 {
        // Fibonacci hashing: neighbours are spread.
        (lpn.0.wrapping_mul(0x9E37_79B9) >> 7) & self.mask
    }
}
