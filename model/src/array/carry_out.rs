//! How a die carries out a turn: bursts on the bus, and the array between.
//!
//! An operation of several planes is their commands or data one after the other, one array time,
//! which is that of the slowest page, and the data or one status. With cache operations the next
//! turn of the same kind begins before this one has ended: programs load their data while the array
//! works, reads let it work while data go out (ONFI 3.2, 5.15 and 5.16).

use floatgate_hal::units::Picoseconds;

use super::Array;
use super::timing::Burst;
use super::turns::{Accepts, Die, Kind, NextTurn, Operation, Stage, Turn};
use crate::sim::{Arbiter, Grant};
use crate::ssd::Part;

impl Array {
    /// Starts the next turn of a die if there is one that it can take now.
    pub(super) fn serve(&self, die: &Die) {
        if let Some(next) = self.next_turn(die) {
            next.start();
        }
    }

    fn next_turn(&self, die: &Die) -> Option<NextTurn> {
        die.next_turn(self.timing.features.planes_together, self.moment(die))
    }

    pub(super) async fn carry_out(&self, die: &Die, mut turn: Turn) {
        if turn.is_collection && turn.stage != Stage::Loaded {
            self.usage.begin_collecting(die.index, self.sim.now());
        }
        if !self.switches.borrow().is_empty() {
            match self.carry_elsewhere(die, turn).await {
                Some(own) => turn = own,
                None => return,
            }
        }
        match turn.first().kind {
            Kind::Read => self.carry_out_reads(die, turn).await,
            Kind::Program => {
                self.carry_out_programs(die, &mut turn).await;
                turn.end_others();
            }
            Kind::Erase => {
                self.carry_out_erases(die, &turn).await;
                turn.end_others();
            }
        }
    }

    async fn carry_out_reads(&self, die: &Die, mut turn: Turn) {
        if turn.stage == Stage::Fresh {
            self.pause(self.timing.bus.accept).await;
            self.issue(die, &turn).await;
        }
        if turn.stage != Stage::Loaded {
            let t_r = turn.operations().map(|read| self.timing.t_r(read.page_in_block)).max();
            self.work(die, Kind::Read, t_r.expect("a turn has operations")).await;
            turn.stage = Stage::Loaded;
            if let Some(t_rcbsy) = self.timing.features.cache_read {
                self.begin_next_read(die, &mut turn, t_rcbsy).await;
            }
        }
        self.transfer(die, self.timing.data_out(turn.first().part.sectors)).await;
        self.pause(self.timing.bus.complete).await;
        // Who waits for the data of the next plane goes on.
        match turn.without_first() {
            Ok(rest) => rest.start(),
            Err(turn) => self.turn_ends(die, &turn),
        }
    }

    /// Lets the array begin the next reads while the data of these go out.
    async fn begin_next_read(&self, die: &Die, turn: &mut Turn, t_rcbsy: Picoseconds) {
        turn.registers = Some(self.wait_for(&die.registers).await);
        die.accepts.set(Accepts::Only(Kind::Read));
        let Some(mut next) = self.next_turn(die) else {
            die.accepts.set(Accepts::Nothing);
            return;
        };
        // These commands also move the data of these reads to where they go out from.
        self.issue(die, &next.turn).await;
        self.wait_busy(t_rcbsy).await;
        next.turn.stage = Stage::Issued;
        next.start();
        turn.has_next = true;
    }

    async fn carry_out_programs(&self, die: &Die, turn: &mut Turn) {
        self.pause(self.timing.bus.accept).await;
        self.issue(die, turn).await;
        let has_cache = self.timing.features.cache_program.is_some();
        let array = if has_cache { Some(self.wait_for(&die.array).await) } else { None };
        turn.operations().for_each(|program| self.begin_program(&program));
        self.changed.notify();
        let t_prog = turn.operations().map(|program| self.timing.t_prog(program.page_in_block));
        let t_prog = t_prog.max().expect("a turn has operations");
        if let Some(t_cbsy) = self.timing.features.cache_program {
            let t_cbsy = t_cbsy.min(t_prog);
            self.work(die, Kind::Program, t_cbsy).await;
            die.accepts.set(Accepts::Only(Kind::Program));
            self.serve(die);
            let left = Picoseconds(t_prog.0 - t_cbsy.0);
            // What is in the registers would be lost.
            let is_alone = || die.accepts.get() == Accepts::Only(Kind::Program);
            self.work_with_breaks(die, Kind::Program, left, is_alone).await;
            turn.has_next = die.accepts.replace(Accepts::Nothing) == Accepts::Nothing;
        } else {
            self.work_with_breaks(die, Kind::Program, t_prog, || true).await;
        }
        drop(array);
        self.transfer(die, self.timing.status()).await;
        self.pause(self.timing.bus.complete).await;
        self.turn_ends(die, turn);
    }

    async fn carry_out_erases(&self, die: &Die, turn: &Turn) {
        self.pause(self.timing.bus.accept).await;
        self.issue(die, turn).await;
        turn.operations().for_each(|erase| self.cells.begin_erase(erase.block));
        self.changed.notify();
        self.work_with_breaks(die, Kind::Erase, self.timing.t_bers, || true).await;
        self.transfer(die, self.timing.status()).await;
        self.pause(self.timing.bus.complete).await;
        self.turn_ends(die, turn);
    }

    /// The commands of a turn's operations, and their data in, each when the die has taken those of
    /// the plane before.
    async fn issue(&self, die: &Die, turn: &Turn) {
        for (place, operation) in turn.operations().enumerate() {
            if place > 0 {
                self.wait_busy(self.timing.features.plane_busy).await;
            }
            self.transfer(die, self.timing.issue(&operation)).await;
        }
    }

    /// A turn has ended. The die is idle, unless the next one has begun.
    pub(super) fn turn_ends(&self, die: &Die, turn: &Turn) {
        if let Some(switch) = self.switch_of(die) {
            switch.leave();
        }
        if turn.is_collection {
            self.usage.end_collecting(die.index, self.sim.now());
        }
        if turn.has_next {
            return;
        }
        die.accepts.set(Accepts::Anything);
        self.serve(die);
        if die.is_suspended() && die.accepts.get() == Accepts::Anything {
            die.resume();
        }
    }

    /// Waits for what the turn before has.
    async fn wait_for(&self, what: &Arbiter) -> Grant {
        let asked = self.sim.now();
        let grant = what.acquire(0).await;
        self.sim.charge(Part::Die, Picoseconds(self.sim.now().0 - asked.0));
        grant
    }

    /// Waits while the registers of a die are busy.
    async fn wait_busy(&self, span: Picoseconds) {
        self.sim.delay(span).await;
        self.sim.charge(Part::Array, span);
    }

    pub(super) fn begin_program(&self, program: &Operation) {
        self.cells.begin_program(program.page);
        if self.errors.is_some() && program.page_in_block == 0 {
            self.cells.history.program(program.block, self.sim.now());
        }
    }

    /// The controller takes its time.
    pub(super) async fn pause(&self, span: Picoseconds) {
        if span.0 > 0 {
            self.sim.delay(span).await;
            self.sim.charge(Part::Transfer, span);
        }
    }

    /// Holds a die's channel for a burst.
    pub(super) async fn transfer(&self, die: &Die, Burst { span, bytes, rank }: Burst) {
        if span.0 == 0 {
            return;
        }
        let channel = self.topology.channel(die.index);
        let asked = self.sim.now();
        let _bus = self.channels[channel as usize].acquire(rank).await;
        let now = self.sim.now();
        if now > asked {
            self.sim.charge(Part::Channel, Picoseconds(now.0 - asked.0));
        }
        self.usage.transfers(channel, now, span, bytes);
        self.sim.delay(span).await;
        self.sim.charge(Part::Transfer, span);
    }

    /// The array of a die works for a span.
    pub(super) async fn work(&self, die: &Die, kind: Kind, span: Picoseconds) {
        if span.0 == 0 {
            return;
        }
        self.usage.works(die.index, kind, self.sim.now(), span);
        self.sim.delay(span).await;
        self.sim.charge(Part::Array, span);
    }
}
