//! What is on a drive when a run begins, all of it brought about without simulated time.
//!
//! Enters: [`Precondition`]. Leaves: the books of the translation layer and the cells, as they
//! would be after such a history of writes. Firmware's own bookkeeping is told of one page after
//! the other, so that its tables, the journal and what is beside the data agree with each other.
//!
//! A steady state is written in one pass: of every block as many pages stay valid as the closed
//! form of the policy says (`steady.rs`); the others are of pages that are written again later on.

use floatgate_firmware::ftl::{Placement, Stream, Victim};
use floatgate_hal::array::{Lpn, Origin, PageKind, PageMark, Ppa, Spare, UnitIndex};
use rand::Rng;
use rand::seq::SliceRandom;

use super::Ssd;
use super::steady::SteadyState;
use crate::config::Precondition;
use crate::sim::{RandomStream, random_stream};

impl Ssd {
    /// Brings about what is on the drive when the run begins.
    pub(super) fn precondition(&self, precondition: Precondition, seed: u64) {
        let mut random = random_stream(seed, "precondition");
        let user_pages = self.drive().ftl().config().user_pages;
        match precondition {
            Precondition::Empty => return,
            Precondition::Filled(share) => {
                self.fill((f64::from(user_pages) * share).round() as u32)
            }
            Precondition::Steady => self.bring_to_steady_state(&mut random),
            Precondition::Written { drive_writes } => {
                self.fill(user_pages);
                let writes = (f64::from(user_pages) * drive_writes).round() as u64;
                for _ in 0..writes {
                    self.overwrite(Lpn(random.random_range(0..user_pages)));
                }
            }
        }
        self.write_whole_journal();
    }

    /// Writes the first pages of the host in order.
    fn fill(&self, pages: u32) {
        for lpn in (0..pages).map(Lpn) {
            self.write(self.drive().ftl().place(lpn), Stream::Host, lpn);
        }
    }

    /// Writes a page of the host to the next page of a frontier.
    fn write(&self, unit: UnitIndex, stream: Stream, lpn: Lpn) {
        let ftl = self.drive().ftl();
        let page = ftl.allocate(unit, stream).expect("the drive has room");
        let (serial, level) = (ftl.next_serial(), ftl.level(page));
        self.drive()
            .array()
            .preload(page, Spare { kind: PageKind::Data, lpn, serial, moves: 0, level });
        ftl.map(lpn, page);
        ftl.programmed(page);
        ftl.skip_records();
    }

    /// Writes a page of the host, and collects as the drive does.
    fn overwrite(&self, lpn: Lpn) {
        let ftl = self.drive().ftl();
        let unit = ftl.place(lpn);
        self.write(unit, Stream::Host, lpn);
        if !ftl.is_short(unit) {
            return;
        }
        while ftl.is_short(unit) {
            let Some(victim) = ftl.choose_victim(unit) else { break };
            self.collect(unit, victim);
        }
        if let Some(victim) = ftl.choose_to_level(unit) {
            self.collect(unit, victim);
        }
    }

    fn collect(&self, unit: UnitIndex, Victim { block, origin }: Victim) {
        let (ftl, array) = (self.drive().ftl(), self.drive().array());
        let stream = if origin == Origin::Levelling { Stream::Cold } else { Stream::Moved };
        let mut next = 0;
        while let Some(valid) = ftl.next_valid(block, next) {
            self.copy(ftl.geometry().page(block, valid), unit, stream);
            next = valid + 1;
        }
        array.preload_erased(block);
        ftl.erased(block, true);
        ftl.skip_records();
    }

    fn copy(&self, from: Ppa, unit: UnitIndex, stream: Stream) {
        let (ftl, array) = (self.drive().ftl(), self.drive().array());
        let PageMark::Written(spare) = array.cells().mark(from) else {
            panic!("page {} is valid and cannot be read", from.0)
        };
        let to = ftl.allocate(unit, stream).expect("blocks are kept for collection");
        array.preload(
            to,
            Spare { moves: spare.moves.saturating_add(1), level: ftl.level(to), ..spare },
        );
        ftl.move_page(spare.lpn, from, to);
        ftl.programmed(to);
        ftl.skip_records();
    }

    /// Writes all pages of the host so that the drive is as it would be long after.
    fn bring_to_steady_state(&self, random: &mut RandomStream) {
        let ftl = self.drive().ftl();
        let (units, user_pages) = (ftl.geometry().units, ftl.config().user_pages);
        let steady = SteadyState::new(&ftl.geometry(), ftl.config(), ftl.free_blocks(UnitIndex(0)));
        match ftl.config().placement {
            Placement::Striped => {
                for unit in 0..units {
                    let mut pages: Vec<u32> = (unit..user_pages).step_by(units as usize).collect();
                    pages.shuffle(random);
                    self.write_unit(UnitIndex(unit), &pages, &steady, random);
                }
            }
            Placement::RoundRobin => {
                let mut pages: Vec<u32> = (0..user_pages).collect();
                pages.shuffle(random);
                let mut rest = &pages[..];
                for unit in 0..units {
                    let (own, others) = rest.split_at(rest.len() / (units - unit) as usize);
                    self.write_unit(UnitIndex(unit), own, &steady, random);
                    rest = others;
                }
            }
        }
    }

    /// Writes a unit's blocks one after the other; `pages` are the host's in it, in any order.
    fn write_unit(
        &self,
        unit: UnitIndex,
        pages: &[u32],
        steady: &SteadyState,
        random: &mut RandomStream,
    ) {
        let per_block = self.drive().ftl().geometry().pages_per_block;
        let open = steady.open(random);
        let in_full = pages.len() as u32 - open.iter().sum::<u32>();
        let mut rest = pages;
        for valid in steady.full(in_full, random) {
            let mut left = valid;
            for page in 0..per_block {
                // Each selection of so many pages is as likely as another.
                let is_valid = left > 0 && random.random_range(0..per_block - page) < left;
                let lpn = if is_valid { rest[0] } else { rest[random.random_range(0..rest.len())] };
                if is_valid {
                    (rest, left) = (&rest[1..], left - 1);
                }
                self.write(unit, Stream::Host, Lpn(lpn));
            }
        }
        for (stream, count) in [Stream::Host, Stream::Moved].into_iter().zip(open) {
            let (own, others) = rest.split_at(count as usize);
            own.iter().for_each(|&lpn| self.write(unit, stream, Lpn(lpn)));
            rest = others;
        }
    }

    /// Writes as many pages of the journal as tell all.
    fn write_whole_journal(&self) {
        let (ftl, array) = (self.drive().ftl(), self.drive().array());
        for _ in 0..ftl.journal().map_or(0, |journal| journal.layout().lap()) {
            let place = ftl.journal_place().expect("a fresh drive has room");
            let (slot, spare) = self.drive().compose_journal();
            array.preload_from(slot, place, spare);
            ftl.journal_written();
        }
    }
}
