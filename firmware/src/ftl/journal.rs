//! The journal's books: what has changed since the last page of it, and where the next one goes.
//!
//! The tables of the translation layer are words: one for each logical page, then two for each
//! block (how it is, and how often it was erased). A page of the journal holds the words that
//! changed since the page before, and the next piece of all words as they are at that time. The
//! pieces take turns, so that the last pages, as many as there are pieces, tell all words: a
//! checkpoint that is never begun and never done. What they tell is so as of one moment, the
//! writing of the last page.
//!
//! Pages are numbered from 1 on. They go to segments, which are used in turn: a block of every
//! unit, whose pages are written row by row. A page that could not be written leaves a hole.

use core::cell::Cell;

use floatgate_hal::array::{ArrayGeometry, BlockId, Ppa, UnitIndex};

use super::memory::Memory;

/// How a mount finds out what is on the flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metadata {
    /// It reads what is beside the data of every page.
    #[default]
    Scan,
    /// It reads a journal, and what was written since.
    Journal {
        /// Blocks of each unit that are the journal's.
        blocks_per_unit: u32,
    },
}

impl Metadata {
    /// Blocks of each unit that hold no data.
    pub const fn blocks_per_unit(self) -> u32 {
        match self {
            Self::Scan => 0,
            Self::Journal { blocks_per_unit } => blocks_per_unit,
        }
    }
}

/// The journal cannot tell what was on the drive: one of its pages is unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("page {number} of the journal cannot be read")]
pub struct JournalDamaged {
    /// The first page that is missing.
    pub number: u32,
}

/// How pages of a journal are divided, and how many there have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalLayout {
    /// Words of all tables.
    tables: u32,
    /// Words of a piece of them: a quarter of a page.
    piece: u32,
    /// Changes that a page has room for.
    pub changes: u32,
    /// Pages of a segment.
    segment_pages: u32,
    /// Segments that are needed.
    pub least_segments: u32,
}

/// Words before the changes: how many these are, the number of the last write of the host in two
/// words, and how many blocks became full.
const HEADER: u32 = 4;

impl JournalLayout {
    /// The layout for a drive of so many user pages.
    pub const fn new(geometry: &ArrayGeometry, user_pages: u32) -> Self {
        let words = geometry.words_per_page();
        let (tables, piece) = (user_pages + 2 * geometry.blocks(), words / 4);
        let segment_pages = geometry.units * geometry.pages_per_block;
        Self {
            tables,
            piece,
            changes: (words - HEADER - piece) / 2,
            segment_pages,
            // As many pages may be torn as are needed; one segment is being written, and one is
            // erased ahead.
            least_segments: (2 * tables.div_ceil(piece)).div_ceil(segment_pages) + 2,
        }
    }

    /// Pages that tell all words.
    pub const fn lap(&self) -> u32 {
        self.tables.div_ceil(self.piece)
    }

    /// Words of memory: changes that are not on flash, and two for each segment.
    pub(super) const fn words(&self, segments: u32) -> u32 {
        2 * self.changes + 2 * segments
    }
}

/// The journal of a drive.
pub struct Journal<W> {
    geometry: ArrayGeometry,
    layout: JournalLayout,
    segments: u32,
    /// Changes, two words each, in a ring; of each segment the last number in its first row, 0 if
    /// there is none; of each segment the blocks that are not erased.
    words: W,
    /// Changes so far, those of pages that are written or being written, and those of pages that
    /// are written.
    appended: Cell<u64>,
    composed: Cell<u64>,
    durable: Cell<u64>,
    /// Somebody waits for so many changes to be on flash.
    wanted: Cell<u64>,
    /// Changes when a page of the host was given up last.
    trimmed: Cell<u64>,
    /// The number of the last page.
    number: Cell<u32>,
    /// The segment that is written, and its next page.
    segment: Cell<u32>,
    position: Cell<u32>,
    replay: Replay,
}

/// How far a mount is.
#[derive(Default)]
struct Replay {
    /// The position of the last page in its segment.
    last_position: Cell<u32>,
    /// The next page that is expected.
    expected: Cell<u32>,
    /// The position where reading begins, counted through the segments from the first one read.
    first_segment: Cell<u32>,
    /// The last write that the journal knows of.
    serial: Cell<u64>,
}

impl<W: Memory> Journal<W> {
    pub(super) fn new(
        geometry: ArrayGeometry,
        layout: JournalLayout,
        segments: u32,
        words: W,
    ) -> Self {
        Self {
            geometry,
            layout,
            segments,
            words,
            appended: Cell::new(0),
            composed: Cell::new(0),
            durable: Cell::new(0),
            wanted: Cell::new(0),
            trimmed: Cell::new(0),
            number: Cell::new(0),
            // As if the last one were full, so that the first one is opened.
            segment: Cell::new(segments - 1),
            position: Cell::new(layout.segment_pages),
            replay: Replay::default(),
        }
    }

    /// How its pages are divided.
    pub fn layout(&self) -> &JournalLayout {
        &self.layout
    }

    /// Whether so many changes can be made that are not on flash yet.
    pub fn has_room(&self, changes: u32) -> bool {
        self.appended.get() - self.durable.get() + u64::from(changes)
            <= u64::from(self.layout.changes)
    }

    /// Whether a page is to be written: somebody waits for it, or half of the changes are made that
    /// can be made while `reserve` are kept free.
    pub fn has_to_write(&self, reserve: u32) -> bool {
        let fill = self.appended.get() - self.composed.get();
        self.wanted.get() > self.durable.get()
            || 2 * fill >= u64::from(self.layout.changes - reserve)
    }

    /// Changes made so far.
    pub fn appended(&self) -> u64 {
        self.appended.get()
    }

    /// Changes made so far that are on flash.
    pub fn durable(&self) -> u64 {
        self.durable.get()
    }

    /// Changes made when the host gave a page up last.
    pub fn trimmed(&self) -> u64 {
        self.trimmed.get()
    }

    /// Somebody waits for the first so many changes to be on flash.
    pub fn want(&self, changes: u64) {
        self.wanted.set(changes.max(self.wanted.get()));
    }

    pub(super) fn note_trim(&self) {
        self.trimmed.set(self.appended.get());
    }

    /// The changes so far need no record; tells those that had none.
    pub(super) fn skip(&self) -> impl Iterator<Item = (u32, u32)> {
        self.composed.set(self.appended.get());
        let from = self.durable.replace(self.appended.get());
        self.changes(from, self.appended.get())
    }

    /// A word of the tables has changed.
    pub(super) fn append(&self, index: u32, word: u32) {
        assert!(self.has_room(1), "the journal's changes are bounded by those who make them");
        let at = self.ring(self.appended.get());
        self.words.set(at, index);
        self.words.set(at + 1, word);
        self.appended.set(self.appended.get() + 1);
    }

    fn ring(&self, change: u64) -> u32 {
        2 * (change % u64::from(self.layout.changes)) as u32
    }

    fn changes(&self, from: u64, to: u64) -> impl Iterator<Item = (u32, u32)> {
        (from..to).map(|change| {
            let at = self.ring(change);
            (self.words.get(at), self.words.get(at + 1))
        })
    }

    /// Puts the next page together: `word` tells the words of the tables, `set` takes those of the
    /// page. Tells its number.
    pub(super) fn compose(
        &self,
        (serial, filled): (u64, u32),
        word: impl Fn(u32) -> u32,
        mut set: impl FnMut(u32, u32),
    ) -> u32 {
        let number = self.number.get() + 1;
        let changes = self.changes(self.durable.get(), self.appended.get());
        let mut at = HEADER;
        for (index, word) in changes {
            set(at, index);
            set(at + 1, word);
            at += 2;
        }
        let header = [(at - HEADER) / 2, serial as u32, (serial >> 32) as u32, filled];
        (0..).zip(header).for_each(|(at, word)| set(at, word));
        let (first, end) = self.piece(number);
        (first..end).for_each(|index| set(self.piece_at() + index - first, word(index)));
        self.composed.set(self.appended.get());
        number
    }

    /// The words of the tables that are in a page.
    fn piece(&self, number: u32) -> (u32, u32) {
        let first = (number - 1) % self.layout.lap() * self.layout.piece;
        (first, self.layout.tables.min(first + self.layout.piece))
    }

    fn piece_at(&self) -> u32 {
        HEADER + 2 * self.layout.changes
    }

    /// The page that was put together is on flash; tells the changes in it.
    pub(super) fn written(&self) -> impl Iterator<Item = (u32, u32)> {
        self.number.set(self.number.get() + 1);
        let position = self.position.get();
        if position < self.geometry.units {
            self.set_head(self.segment.get(), self.number.get());
        }
        self.position.set(position + 1);
        let (from, to) = (self.durable.get(), self.composed.get());
        self.durable.set(to);
        self.changes(from, to)
    }

    /// The page that was put together could not be written there.
    pub(super) fn passed_over(&self) {
        self.position.set(self.position.get() + 1);
        self.composed.set(self.durable.get());
    }

    /// Where the next page goes, blocks apart that are bad; none before the next segment has been
    /// erased.
    pub(super) fn place(&self, is_bad: impl Fn(BlockId) -> bool) -> Option<Ppa> {
        for _ in 0..=self.layout.segment_pages {
            if self.position.get() == self.layout.segment_pages {
                let next = self.next_segment(self.segment.get());
                if self.dirty(next) > 0 {
                    return None;
                }
                self.segment.set(next);
                self.position.set(0);
                self.set_dirty(next, self.geometry.units);
                self.set_head(next, 0);
            }
            let page = self.page(self.segment.get(), self.position.get());
            if !is_bad(self.geometry.block_of(page)) {
                return Some(page);
            }
            self.position.set(self.position.get() + 1);
        }
        panic!("a segment of the journal has a good block");
    }

    /// A block of the next segment that can and has to be erased: nothing in it is needed.
    pub(super) fn to_erase(&self, is_bad: impl Fn(BlockId) -> bool) -> Option<BlockId> {
        let next = self.next_segment(self.segment.get());
        let is_needed = self.head(self.next_segment(next)) > self.first_needed();
        while self.dirty(next) > 0 && !is_needed {
            let block = self.geometry.block(UnitIndex(self.dirty(next) - 1), next);
            if !is_bad(block) {
                return Some(block);
            }
            self.erased();
        }
        None
    }

    /// The block that had to be erased has been, well or not.
    pub(super) fn erased(&self) {
        let next = self.next_segment(self.segment.get());
        self.set_dirty(next, self.dirty(next) - 1);
    }

    /// The number of the first page that a mount needs.
    fn first_needed(&self) -> u32 {
        (self.number.get() + 1).saturating_sub(self.layout.lap()).max(1)
    }

    fn next_segment(&self, segment: u32) -> u32 {
        (segment + 1) % self.segments
    }

    /// A page of a segment: neighbours are in different units.
    fn page(&self, segment: u32, position: u32) -> Ppa {
        let units = self.geometry.units;
        let block = self.geometry.block(UnitIndex(position % units), segment);
        self.geometry.page(block, position / units)
    }

    fn head(&self, segment: u32) -> u32 {
        self.words.get(2 * self.layout.changes + segment)
    }

    fn set_head(&self, segment: u32, number: u32) {
        self.words.set(2 * self.layout.changes + segment, number);
    }

    fn dirty(&self, segment: u32) -> u32 {
        self.words.get(2 * self.layout.changes + self.segments + segment)
    }

    fn set_dirty(&self, segment: u32, blocks: u32) {
        self.words.set(2 * self.layout.changes + self.segments + segment, blocks);
    }
}

/// A mount: all units look at their blocks, then read pages in turn, then say where theirs end.
impl<W: Memory> Journal<W> {
    /// Segments; of each unit the first blocks, as many, are the journal's.
    pub fn segments(&self) -> u32 {
        self.segments
    }

    /// A segment's block is not erased; where its first page can be read, its number.
    pub fn found_head(&self, segment: u32, number: Option<u32>) {
        self.set_dirty(segment, self.geometry.units);
        self.set_head(segment, self.head(segment).max(number.unwrap_or_default()));
    }

    /// The segment that was written last, if there is one.
    pub fn newest(&self) -> Option<u32> {
        (0..self.segments).filter(|&of| self.head(of) > 0).max_by_key(|&of| self.head(of))
    }

    /// A page of the newest segment has been found.
    pub fn found_page(&self, number: u32, unit: UnitIndex, row: u32) {
        if number > self.number.get() {
            self.number.set(number);
            self.replay.last_position.set(row * self.geometry.units + unit.0);
        }
    }

    /// All units have looked: where reading begins.
    pub fn begin_replay(&self) {
        let needed = self.first_needed();
        self.replay.expected.set(needed);
        let Some(newest) = self.newest() else { return };
        let before = |segment| (segment + self.segments - 1) % self.segments;
        let mut first = newest;
        while self.head(first) > needed && self.head(before(first)) > 0 && before(first) != newest {
            first = before(first);
        }
        self.replay.first_segment.set(first);
    }

    /// The steps of reading: as many, beginning with one of the first unit.
    pub fn replay_steps(&self) -> core::ops::Range<u32> {
        let Some(newest) = self.newest() else { return 0..0 };
        let first = self.replay.first_segment.get();
        // A page lies at least as far from the one at the head as their numbers are apart.
        let skipped = self.replay.expected.get().saturating_sub(self.head(first));
        let begin = skipped - skipped % self.geometry.units;
        let segments = (newest + self.segments - first) % self.segments;
        begin..segments * self.layout.segment_pages + self.replay.last_position.get() + 1
    }

    /// The page of a step.
    pub fn replay_page(&self, step: u32) -> Ppa {
        let pages = self.layout.segment_pages;
        let segment = (self.replay.first_segment.get() + step / pages) % self.segments;
        self.page(segment, step % pages)
    }

    /// Whether the page with this number is the next one.
    pub(super) fn expects(&self, number: u32) -> bool {
        number == self.replay.expected.get()
    }

    /// Gives the changes and the piece of a page; `page` tells its words. Tells how many blocks had
    /// become full.
    pub(super) fn replay(
        &self,
        page: impl Fn(u32) -> u32,
        change: impl Fn(u32, u32),
        piece: impl Fn(u32, u32),
    ) -> u32 {
        let number = self.replay.expected.get();
        self.replay.expected.set(number + 1);
        let [changes, low, high, filled] = core::array::from_fn(|at| page(at as u32));
        self.replay.serial.set(u64::from(high) << 32 | u64::from(low));
        (0..changes).map(|index| HEADER + 2 * index).for_each(|at| change(page(at), page(at + 1)));
        let (first, end) = self.piece(number);
        (first..end).for_each(|index| piece(index, page(self.piece_at() + index - first)));
        filled
    }

    /// All pages have been read.
    ///
    /// # Errors
    /// One was missing.
    pub fn end_replay(&self) -> Result<(), JournalDamaged> {
        let number = self.replay.expected.get();
        if number != self.number.get() + 1 {
            return Err(JournalDamaged { number });
        }
        if let Some(newest) = self.newest() {
            self.segment.set(newest);
            self.position.set(0);
        }
        Ok(())
    }

    /// So many rows of a unit's block in the newest segment are written, whole or in part.
    pub fn found_end(&self, unit: UnitIndex, rows: u32) {
        if let Some(row) = rows.checked_sub(1) {
            let behind = row * self.geometry.units + unit.0 + 1;
            self.position.set(behind.max(self.position.get()));
        }
    }

    /// The last write that the journal knows of.
    pub(super) fn known_serial(&self) -> u64 {
        self.replay.serial.get()
    }
}
