//! Garbage collection: valid pages of a block are moved, then it is erased.

use embassy_futures::join::join_array;
use floatgate_hal::array::{Origin, Ppa, ReadReport, Slot, UnitIndex};
use floatgate_hal::{Event, FlashArray, HostPort, Processor, Step};

use super::{Drive, Source};
use crate::ftl::{BlockState, MAX_MOVES, Memory, Victim};

impl<A: FlashArray, H: HostPort, P: Processor, W: Memory> Drive<A, H, P, W> {
    /// Collects blocks of a unit while it is short of free ones, for ever.
    pub async fn collect(&self, unit: UnitIndex) {
        loop {
            self.wanted(unit).wait().await;
            while self.ftl.has_to_collect(unit) {
                self.processor.work(Step::ChooseVictim).await;
                let Some(victim) = self.ftl.choose_victim(unit) else { break };
                self.count(|counts| {
                    counts.choices += 1;
                    counts.written_at_choice += u64::from(self.ftl.written_pages(unit));
                });
                self.collect_block(unit, victim).await;
            }
            // One at a time, after the erasures that make others wear.
            if let Some(victim) = self.ftl.choose_to_level(unit) {
                self.collect_block(unit, victim).await;
            }
        }
    }

    async fn collect_block(&self, unit: UnitIndex, Victim { block: victim, origin }: Victim) {
        let mut from = 0;
        loop {
            let mut next = || {
                let valid = self.ftl.next_valid(victim, from)?;
                from = valid + 1;
                Some(self.ftl.geometry().page(victim, valid))
            };
            let moves = self.ftl.moves(unit);
            let pages = core::array::from_fn(|index| {
                let is_one = (index as u32) < moves;
                is_one.then(&mut next).flatten()
            });
            if pages[0].is_none() {
                if next().is_some() {
                    return self.ftl.put_back(victim);
                }
                break;
            }
            self.move_pages(unit, pages, origin).await;
        }
        self.announce_erase(victim).await;
        let is_good = self.array.erase(victim, origin).await.is_ok();
        self.ftl.erased(victim, is_good);
        self.check_journal();
        self.count(|counts| counts.collections += 1);
        if self.ftl.block(victim) == BlockState::Bad {
            self.count(|counts| counts.bad_blocks += 1);
        }
        self.freed.notify();
    }

    /// Moves pages side by side.
    async fn move_pages(&self, unit: UnitIndex, pages: [Option<Ppa>; MAX_MOVES], origin: Origin) {
        if let [Some(page), None, ..] = pages {
            return self.move_page(page, self.collection_slot(unit, 0), origin).await;
        }
        let mut index = 0;
        let moves = pages.map(|page| {
            let slot = self.collection_slot(unit, index);
            index += 1;
            async move {
                if let Some(page) = page {
                    self.move_page(page, slot, origin).await;
                }
            }
        });
        join_array(moves).await;
    }

    async fn move_page(&self, from: Ppa, slot: Slot, origin: Origin) {
        let whole = self.ftl.geometry().whole_page();
        self.make_journal_room().await;
        let read = self.array.read(from, whole, slot, origin).await;
        let Ok(ReadReport { spare, worst_errors }) = read else {
            // It may have been written anew while it was read.
            if self.ftl.is_valid(from) {
                self.ftl.note_loss(from);
                self.ftl.lose(from);
                self.count(|counts| counts.lost_pages += 1);
            }
            return;
        };
        // The block is about to be erased, which is when it can be raised.
        self.ftl.note_errors(from, worst_errors);
        self.processor.work(Step::Move).await;
        if self.ftl.lookup(spare.lpn) != Some(from) {
            self.count(|counts| counts.stale_moves += 1);
            return;
        }
        let holds = self.store(Source::Copy { origin, from, spare }, slot).await;
        self.count(|counts| {
            counts.moved_pages += 1;
            counts.stale_moves += u64::from(!holds);
        });
    }
}
