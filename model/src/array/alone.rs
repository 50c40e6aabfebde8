//! How a die carries out one operation after the other, without what [`DieFeatures`] add.
//!
//! What `carry_out.rs` does takes the same time then, but costs a whole drive an eighth of its
//! speed (`make bench-drives`): each resumption of an operation goes through more futures.
//!
//! [`DieFeatures`]: super::DieFeatures

use super::Array;
use super::turns::{Die, Kind, Operation};
use crate::sim::Grant;

/// A die that one operation has.
struct Held<'a> {
    array: &'a Array,
    die: u32,
    is_collection: bool,
    _grant: Grant,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.is_collection {
            self.array.usage.end_collecting(self.die, self.array.sim.now());
        }
    }
}

impl Array {
    pub(super) async fn read_alone(&self, die: &Die, read: Operation) {
        let _turn = self.hold(die, &read).await;
        self.transfer(die, self.timing.issue(&read)).await;
        self.work(die, Kind::Read, self.timing.t_r(read.page_in_block)).await;
        self.transfer(die, self.timing.data_out(read.part.sectors)).await;
        self.pause(self.timing.bus.complete).await;
    }

    pub(super) async fn program_alone(&self, die: &Die, program: Operation) {
        let _turn = self.hold(die, &program).await;
        self.transfer(die, self.timing.issue(&program)).await;
        self.begin_program(&program);
        self.changed.notify();
        self.work(die, Kind::Program, self.timing.t_prog(program.page_in_block)).await;
        self.transfer(die, self.timing.status()).await;
        self.pause(self.timing.bus.complete).await;
    }

    pub(super) async fn erase_alone(&self, die: &Die, erase: Operation) {
        let _turn = self.hold(die, &erase).await;
        self.transfer(die, self.timing.issue(&erase)).await;
        self.cells.begin_erase(erase.block);
        self.changed.notify();
        self.work(die, Kind::Erase, self.timing.t_bers).await;
        self.transfer(die, self.timing.status()).await;
        self.pause(self.timing.bus.complete).await;
    }

    /// Waits for a die. While it collects, the wait is for collection.
    async fn hold(&self, die: &Die, operation: &Operation) -> Held<'_> {
        let asked = (die.turn.free() == 0).then(|| self.moment(die));
        let grant = die.turn.acquire(self.rank(operation.kind, operation.origin)).await;
        if let Some(asked) = asked {
            self.charge_wait(asked, self.moment(die));
        }
        let is_collection = operation.origin.is_collection();
        if is_collection {
            self.usage.begin_collecting(die.index, self.sim.now());
        }
        self.pause(self.timing.bus.accept).await;
        Held { array: self, die: die.index, is_collection, _grant: grant }
    }
}
