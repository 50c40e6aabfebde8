//! A whole drive: the tasks that serve the host, and those that collect blocks.
//!
//! Enters: pieces of the host's commands. Leaves: operations on the flash array. Whoever assembles
//! the drive starts [`Drive::serve`] once for each piece that is to be under way at a time,
//! [`Drive::collect`] once for each unit, [`Drive::flush`] once for each page that the buffer
//! writes at a time, and [`Drive::keep_journal`] if there is a journal; the tasks share the drive
//! and nothing else.
//!
//! Slots of the buffer memory ([`slots`]): one for each of the serving tasks, one for each
//! unit's collection, one for each flushing task, the write-back buffer's, then the journal's.

mod buffer;
mod buffered;
mod collect;
mod journal;
mod mount;
mod serve;

use core::cell::{Cell, RefCell};

use arrayvec::ArrayVec;
use floatgate_hal::array::{ArrayGeometry, Lpn, Origin, PageKind, Ppa, Slot, Spare, UnitIndex};
use floatgate_hal::{Event, FlashArray, HostPort, Processor, Step, Wait};

use crate::ftl::{Ftl, Memory, Stream};
use buffer::Buffer;
pub use buffered::BufferConfig;
pub use journal::journal_reserve;

/// Units that a drive has at most.
pub const MAX_UNITS: usize = 512;
/// Serving and flushing tasks that a drive has at most.
pub const MAX_CLAIMANTS: usize = 1024;

/// One of the serving tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worker(pub u32);

/// Who writes a page: a serving task, or after these a flushing task.
#[derive(Clone, Copy)]
struct Claimant(u32);

/// What is stored.
enum Source {
    /// Something of the host.
    New {
        /// What it is.
        kind: PageKind,
        /// Its page.
        lpn: Lpn,
    },
    /// A copy within a unit.
    Copy {
        /// On whose behalf.
        origin: Origin,
        /// Where the original is.
        from: Ppa,
        /// What is beside it. A copy keeps its number: its data are no newer.
        spare: Spare,
    },
}

/// No page is being written.
const NOTHING: u32 = u32::MAX;

/// Counts of what firmware did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriveCounts {
    /// Pages that the host wrote, in whole or in part.
    pub host_pages: u64,
    /// Pages programmed with what the host wrote or gave up.
    pub stored_pages: u64,
    /// Pages moved by collection.
    pub moved_pages: u64,
    /// Moved in vain, because the host wrote them meanwhile.
    pub stale_moves: u64,
    /// Pages of the journal.
    pub journal_pages: u64,
    /// Victims chosen.
    pub choices: u64,
    /// Pages of the unit that were not free then, summed: what the closed forms call T.
    pub written_at_choice: u64,
    /// Blocks collected.
    pub collections: u64,
    /// Pages lost, because collection could not read them.
    pub lost_pages: u64,
    /// Blocks taken out of use.
    pub bad_blocks: u64,
    /// Reads of pages that were never written, or given up; they are answered with zeros.
    pub unmapped_reads: u64,
    /// Writes that waited for a free block.
    pub stalls: u64,
    /// Writes that waited for a place in the buffer.
    pub buffer_stalls: u64,
}

impl DriveCounts {
    /// What was counted after `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            host_pages: self.host_pages - before.host_pages,
            stored_pages: self.stored_pages - before.stored_pages,
            moved_pages: self.moved_pages - before.moved_pages,
            journal_pages: self.journal_pages - before.journal_pages,
            stale_moves: self.stale_moves - before.stale_moves,
            choices: self.choices - before.choices,
            written_at_choice: self.written_at_choice - before.written_at_choice,
            collections: self.collections - before.collections,
            lost_pages: self.lost_pages - before.lost_pages,
            bad_blocks: self.bad_blocks - before.bad_blocks,
            unmapped_reads: self.unmapped_reads - before.unmapped_reads,
            stalls: self.stalls - before.stalls,
            buffer_stalls: self.buffer_stalls - before.buffer_stalls,
        }
    }
}

/// Slots of the buffer memory that a drive needs.
///
/// `moves` are those of a unit that collection does side by side.
pub const fn slots(
    geometry: &ArrayGeometry,
    workers: u32,
    buffer: &BufferConfig,
    moves: u32,
) -> u32 {
    workers + geometry.units * moves + buffer.flushers + buffer.pages + 1
}

/// The firmware of a drive.
pub struct Drive<A, H, P: Processor, W> {
    array: A,
    host: H,
    processor: P,
    ftl: Ftl<W>,
    /// There may be something to collect in a unit.
    wanted: ArrayVec<P::Event, MAX_UNITS>,
    /// A block has been erased.
    freed: P::Event,
    workers: u32,
    /// The logical page that each claimant writes.
    writing: ArrayVec<Cell<u32>, MAX_CLAIMANTS>,
    /// A write has ended.
    written: P::Event,
    buffering: BufferConfig,
    buffer: Buffer<W>,
    /// Flushing tasks may have something to do.
    arrived: P::Event,
    /// The buffer has a free entry.
    room: P::Event,
    /// An entry of the buffer is on flash, or was given up.
    flushed: P::Event,
    is_draining: Cell<bool>,
    /// How many wait for the buffer to be written.
    urgent: Cell<i32>,
    /// A flush of the host is under way.
    is_flushing: Cell<bool>,
    /// A page of the journal may be to be written.
    recorded: P::Event,
    /// A page of the journal is on flash.
    journaled: P::Event,
    /// A program has ended before another one of its block could.
    ended: P::Event,
    /// A unit has got on with its mount.
    met: P::Event,
    /// How often units have met in the mount, and steps of reading the journal that are done.
    meetings: Cell<u32>,
    replayed: Cell<u32>,
    counts: RefCell<DriveCounts>,
}

impl<A: FlashArray, H: HostPort, P: Processor, W: Memory> Drive<A, H, P, W> {
    /// Puts a drive together, for so many serving tasks. `words` gives memory of so many words.
    ///
    /// # Panics
    /// There are more than [`MAX_UNITS`] units or [`MAX_CLAIMANTS`] workers and flushers, or the
    /// journal's pages are too small for so many ([`journal_reserve`]).
    pub fn new(
        array: A,
        host: H,
        processor: P,
        ftl: Ftl<W>,
        (workers, buffering): (u32, BufferConfig),
        mut words: impl FnMut(u32) -> W,
    ) -> Self {
        let units = 0..ftl.geometry().units;
        let claimants = 0..workers + buffering.flushers;
        let reserve = journal_reserve(&ftl.geometry(), workers, &buffering, ftl.config().moves);
        let fits = ftl.journal().is_none_or(|journal| journal.layout().changes > reserve);
        assert!(fits, "a page of the journal has no room for the changes under way");
        Self {
            wanted: units.map(|_| processor.event(Wait::Collectable)).collect(),
            freed: processor.event(Wait::FreeBlock),
            writing: claimants.map(|_| Cell::new(NOTHING)).collect(),
            written: processor.event(Wait::SamePage),
            buffer: Buffer::new(buffering.pages, &mut words),
            arrived: processor.event(Wait::Buffered),
            room: processor.event(Wait::BufferRoom),
            flushed: processor.event(Wait::Flushed),
            is_draining: Cell::new(false),
            urgent: Cell::new(0),
            is_flushing: Cell::new(false),
            recorded: processor.event(Wait::Changes),
            journaled: processor.event(Wait::Journaled),
            ended: processor.event(Wait::ProgramBefore),
            met: processor.event(Wait::Mount),
            meetings: Cell::new(0),
            replayed: Cell::new(0),
            counts: RefCell::default(),
            array,
            host,
            processor,
            ftl,
            workers,
            buffering,
        }
    }

    /// The translation layer.
    pub fn ftl(&self) -> &Ftl<W> {
        &self.ftl
    }

    /// The flash.
    pub fn array(&self) -> &A {
        &self.array
    }

    /// The host interface.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// What firmware did so far.
    pub fn counts(&self) -> DriveCounts {
        *self.counts.borrow()
    }

    /// Pages in the buffer that are not on flash.
    pub fn buffered(&self) -> u32 {
        self.buffer.held()
    }

    fn count(&self, change: impl FnOnce(&mut DriveCounts)) {
        change(&mut self.counts.borrow_mut());
    }

    /// The slot of one of the moves of a unit.
    fn collection_slot(&self, unit: UnitIndex, index: u32) -> Slot {
        Slot(self.workers + unit.0 * self.ftl.config().moves + index)
    }

    fn wanted(&self, unit: UnitIndex) -> &P::Event {
        &self.wanted[unit.0 as usize]
    }

    /// Programs a slot into the next page of a frontier, in another block if one fails, and maps
    /// the page; tells whether it is mapped.
    async fn store(&self, source: Source, slot: Slot) -> bool {
        let origin = match source {
            Source::New { .. } => Origin::Host,
            Source::Copy { origin, .. } => origin,
        };
        loop {
            self.make_journal_room().await;
            self.processor.work(Step::Allocate).await;
            let page = self.allocate(&source).await;
            // Nothing may be awaited from here to the array: it programs in this order.
            let level = self.ftl.level(page);
            let spare = match source {
                Source::New { kind, lpn } => {
                    Spare { kind, lpn, serial: self.ftl.next_serial(), moves: 0, level }
                }
                Source::Copy { spare, .. } => {
                    Spare { moves: spare.moves.saturating_add(1), level, ..spare }
                }
            };
            let program = self.array.program(page, slot, spare, origin).await;
            if program.is_ok() && matches!(source, Source::New { .. }) {
                self.processor.work(Step::Map).await;
            }
            self.wait_for_turn(page).await;
            // What lies behind a page that failed is not trusted.
            if program.is_err() || self.ftl.has_failed(page) {
                self.ftl.fail(page);
                self.end_program(page);
                continue;
            }
            let is_mapped = match source {
                Source::New { lpn, .. } => {
                    self.invalidate(self.ftl.map(lpn, page));
                    true
                }
                Source::Copy { from, spare, .. } => self.ftl.move_page(spare.lpn, from, page),
            };
            self.end_program(page);
            return is_mapped;
        }
    }

    /// Waits for a page to write to.
    async fn allocate(&self, source: &Source) -> Ppa {
        let mut has_waited = false;
        loop {
            let (unit, stream) = match *source {
                Source::New { lpn, .. } => (self.ftl.place(lpn), Stream::Host),
                Source::Copy { from, origin: Origin::Levelling, .. } => {
                    (self.unit_of(from), Stream::Cold)
                }
                Source::Copy { from, .. } => (self.unit_of(from), Stream::Moved),
            };
            let page = self.ftl.allocate(unit, stream);
            if self.ftl.is_short(unit) {
                self.wanted(unit).notify();
            }
            if let Some(page) = page {
                return page;
            }
            self.count(|counts| counts.stalls += u64::from(!has_waited));
            has_waited = true;
            if self.ftl.waits_for_journal(unit) {
                self.hurry_journal();
            }
            self.freed.wait().await;
        }
    }

    /// A program has ended, and the page is mapped if it was good.
    fn end_program(&self, page: Ppa) {
        if self.ftl.programmed(page) {
            self.wanted(self.unit_of(page)).notify();
        }
        self.check_journal();
    }

    /// A page is no longer valid: there may be something to collect where there was nothing before.
    fn invalidate(&self, page: Option<Ppa>) {
        let unit = page.map(|page| self.unit_of(page));
        if let Some(unit) = unit.filter(|&unit| self.ftl.is_short(unit)) {
            self.wanted(unit).notify();
        }
    }

    fn unit_of(&self, page: Ppa) -> UnitIndex {
        let geometry = self.ftl.geometry();
        geometry.unit(geometry.block_of(page))
    }
}
