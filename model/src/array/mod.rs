//! The flash of a drive at transaction level: channels, dies and their planes.
//!
//! Enters: page and block operations of firmware ([`FlashArray`]). Leaves: their ends, at the times
//! at which a controller would see them, and what they left in the [`Cells`]. A die takes its turns
//! one after the other; a channel carries the commands and data of its dies one at a time, and dies
//! work while it does. Which of several waiting operations a die takes first is configurable, and
//! whether it takes those of several planes together, or overlaps turns as a cache does.

mod alone;
mod bytes;
mod carry_out;
mod cells;
mod contents;
mod engine;
mod errors;
mod features;
mod replay;
mod suspend;
mod switch;
mod timing;
mod turns;
mod usage;

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;

use floatgate_hal::FlashArray;
use floatgate_hal::array::{
    ArrayGeometry, BlockId, Extent, FlashFailure, Level, Origin, PageMark, Ppa, ReadReport, Slot,
    Spare, Uncorrectable,
};
use floatgate_hal::units::Picoseconds;

use crate::dram::{Direction, Requester};
use crate::sim::{Arbiter, Event, Policy, Sim};
use crate::ssd::{BufferMemory, Part};

pub use bytes::CodewordCounts;
pub use cells::{Cells, Contents};
pub use engine::{Carried, ChannelEngine, Columns, Pending, Place, Step};
pub use errors::ReadErrors;
pub use features::{DieFeatures, PlanesTogether};
pub use replay::{Compared, Record, Spans};
pub use suspend::Suspend;
pub use switch::Switch;
pub use timing::{ArrayTiming, BusTiming, PageOrder};
pub use usage::{ArrayPower, ArrayUsage, OperationCounts};

use bytes::Received;
use errors::ErrorSource;
use turns::{Die, Job, Kind, Moment, Operation};

/// How many of what there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Channels.
    pub channels: u32,
    /// Dies of a channel: LUNs of all its targets.
    pub dies_per_channel: u32,
    /// Planes of a die.
    pub planes: u32,
    /// Blocks of a plane.
    pub blocks_per_plane: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// 512-byte sectors of a page.
    pub sectors_per_page: u8,
    /// Whether the blocks of one number of a die's planes are one block, whose pages are on each
    /// plane in turn.
    pub joined_planes: bool,
}

impl Topology {
    /// Dies of the drive.
    pub const fn dies(&self) -> u32 {
        self.channels * self.dies_per_channel
    }

    /// As firmware sees it: a unit is a plane, or a die whose planes are joined. Neighbouring units
    /// are on different channels, then on different dies of a channel, then on different planes of
    /// a die.
    pub const fn geometry(&self) -> ArrayGeometry {
        let joined = if self.joined_planes { self.planes } else { 1 };
        ArrayGeometry {
            units: self.dies() * self.planes / joined,
            blocks_per_unit: self.blocks_per_plane,
            pages_per_block: self.pages_per_block * joined,
            sectors_per_page: self.sectors_per_page,
        }
    }

    /// The plane of a page, and its number in the plane's block.
    const fn place(&self, unit: u32, page_of_block: u32) -> (u32, u32) {
        if self.joined_planes {
            (page_of_block % self.planes, page_of_block / self.planes)
        } else {
            (unit / self.dies(), page_of_block)
        }
    }

    /// The die of a unit.
    const fn die(&self, unit: u32) -> u32 {
        unit % self.dies()
    }

    /// The channel of a die.
    const fn channel(&self, die: u32) -> u32 {
        die % self.channels
    }
}

/// Which of the operations that wait for a die it does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// The one that came first.
    FirstCome,
    /// Reads before others, and the host's before others.
    ReadsFirst,
}

/// Channels and dies, with the cells that outlive them.
pub struct Array {
    sim: Sim,
    topology: Topology,
    geometry: ArrayGeometry,
    timing: ArrayTiming,
    scheduling: Scheduling,
    /// Dies do one operation after the other.
    is_plain: Cell<bool>,
    channels: Vec<Arbiter>,
    dies: Vec<Die>,
    free_jobs: RefCell<Vec<Rc<Job>>>,
    cells: Rc<Cells>,
    changed: Event,
    usage: ArrayUsage,
    errors: Option<ErrorSource>,
    /// What data come from and go to, where its time counts.
    memory: Option<Rc<BufferMemory>>,
    /// Channels that an engine can have.
    switches: RefCell<Vec<Rc<Switch>>>,
}

/// What is read of a page to learn whose data it holds: a codeword's worth.
const MARK_SECTORS: u8 = 1;

impl Array {
    /// Channels and dies on cells of the same geometry.
    pub fn new(
        sim: &Sim,
        topology: Topology,
        timing: ArrayTiming,
        scheduling: Scheduling,
        cells: Rc<Cells>,
    ) -> Self {
        assert_eq!(cells.geometry(), topology.geometry(), "the cells are of another array");
        let channels = (0..topology.channels)
            .map(|channel| sim.arbiter(format!("channel {channel}"), Policy::Priority, 1));
        Self {
            channels: channels.collect(),
            dies: (0..topology.dies()).map(|die| Die::new(sim, die)).collect(),
            free_jobs: RefCell::default(),
            usage: ArrayUsage::new(topology.channels, topology.dies()),
            geometry: topology.geometry(),
            errors: None,
            is_plain: Cell::new(timing.features == DieFeatures::default()),
            changed: sim.event("a change of the cells"),
            sim: sim.clone(),
            topology,
            timing,
            scheduling,
            cells,
            memory: None,
            switches: RefCell::default(),
        }
    }

    /// The same array, whose reads have errors.
    pub fn with_errors(mut self, errors: ReadErrors) -> Self {
        self.cells.encode_with(&errors);
        self.errors = Some(ErrorSource::new(errors, &self.sim));
        self
    }

    /// The same with a memory that data come from and go to.
    #[must_use]
    pub fn with_memory(mut self, memory: Rc<BufferMemory>) -> Self {
        self.memory = Some(memory);
        self
    }

    /// What the time has gone into so far.
    pub fn usage(&self) -> &ArrayUsage {
        &self.usage
    }

    /// The cells.
    pub fn cells(&self) -> &Rc<Cells> {
        &self.cells
    }

    /// A program or an erasure begins or ends: between two of these nothing changes that outlives a
    /// power cut.
    pub fn changed(&self) -> &Event {
        &self.changed
    }

    /// Programs a page before the run: it takes no time and is not counted.
    pub fn preload(&self, page: Ppa, spare: Spare) {
        self.preload_from(Slot(0), page, spare);
    }

    /// The same with what is in a slot.
    pub fn preload_from(&self, from: Slot, page: Ppa, spare: Spare) {
        self.cells.begin_program(page);
        self.cells.end_program(page, from, spare).expect("a good page");
    }

    /// Erases a block before the run.
    pub fn preload_erased(&self, block: BlockId) {
        self.cells.begin_erase(block);
        self.cells.end_erase(block).expect("a good block");
    }

    /// The smaller, the sooner.
    fn rank(&self, kind: Kind, origin: Origin) -> u32 {
        match self.scheduling {
            Scheduling::FirstCome => 0,
            // Programs keep their order, which is that of the pages of a block.
            Scheduling::ReadsFirst => match kind {
                Kind::Read => u32::from(origin != Origin::Host),
                Kind::Program | Kind::Erase => 2,
            },
        }
    }

    fn operation(
        &self,
        kind: Kind,
        page: Ppa,
        part: Extent,
        slot: Slot,
        origin: Origin,
    ) -> (&Die, Operation) {
        let block = self.geometry.block_of(page);
        let unit = self.geometry.unit(block).0;
        let page_of_block = page.0 % self.geometry.pages_per_block;
        let (plane, page_in_block) = self.topology.place(unit, page_of_block);
        let die = &self.dies[self.topology.die(unit) as usize];
        let asked = Picoseconds(0);
        (die, Operation { kind, block, page, page_in_block, plane, part, slot, origin, asked })
    }

    /// Waits for a die and carries an operation out, or waits until it is carried out with another.
    ///
    /// Boxed, as `correct` is, so that tasks of drives that need neither stay small: with these
    /// parts in them drives without any were 3 % slower (`make bench-drives`).
    fn perform<'a>(&'a self, die: &'a Die, operation: Operation) -> Pin<Box<impl Future + 'a>> {
        Box::pin(self.perform_unboxed(die, operation))
    }

    async fn perform_unboxed(&self, die: &Die, operation: Operation) {
        let asked = self.moment(die);
        let operation = Operation { asked: asked.now, ..operation };
        if let Some(turn) = die.take(operation) {
            return self.carry_out(die, turn).await;
        }
        let free = self.free_jobs.borrow_mut().pop();
        let job = free.unwrap_or_else(|| Job::new(&self.sim, operation));
        job.renew(operation);
        die.enter(self.rank(operation.kind, operation.origin), Rc::clone(&job));
        self.serve(die);
        let turn = job.turn().await;
        self.charge_wait(asked, job.begun());
        self.charge_shared(&operation, job.begun());
        if let Some(turn) = turn {
            self.carry_out(die, turn).await;
        }
        self.free_jobs.borrow_mut().push(job);
    }

    /// The most errors of the codewords of a part of a page that is read, corrected.
    async fn correct(
        &self,
        source: &ErrorSource,
        page: Ppa,
        part: Extent,
        into: Slot,
        level: Level,
    ) -> Result<u16, Uncorrectable> {
        let block = self.geometry.block_of(page);
        let read = errors::Read {
            block,
            page_type: self.timing.page_type(page.0 % self.geometry.pages_per_block),
            cycles: self.cells.cycles(block),
            pages_per_block: self.geometry.pages_per_block,
            now: self.sim.now(),
            strength: source.errors.strength(level),
        };
        let errors = &source.errors;
        let codewords = errors.codewords(part);
        let number = codewords.sectors / errors.codeword_sectors();
        let bytes = self.cells.bytes();
        let mut drawn = Vec::new();
        let each = bytes.map(|_| &mut drawn);
        let worst = source.worst(&self.cells.history, &read, number.into(), each);
        let strength = read.strength;
        let outcome = match bytes {
            Some(bytes) => {
                let errors = &drawn;
                let received = Received { page, codewords, part, into, strength, errors };
                source.decode(bytes, &received)
            }
            None if worst > strength.0 => Err(Uncorrectable),
            None => Ok(worst),
        };
        drop(drawn);
        self.usage.codes(codewords.sectors, strength);
        let decoding = errors.decode_time(read.strength, worst > 0);
        self.sim.delay(decoding).await;
        self.sim.charge(Part::Ecc, decoding);
        outcome
    }

    fn moment(&self, die: &Die) -> Moment {
        let now = self.sim.now();
        Moment { now, collected: self.usage.collected(die.index, now) }
    }

    /// Charges a wait for a die: as far as that collects, to collection.
    fn charge_wait(&self, from: Moment, to: Moment) {
        let collected = to.collected.0 - from.collected.0;
        self.sim.charge(Part::Collection, Picoseconds(collected));
        self.sim.charge(Part::Die, Picoseconds(to.now.0 - from.now.0 - collected));
    }

    /// Charges what another process did for an operation since its turn began: what it takes alone
    /// to its parts, and the rest to the die.
    fn charge_shared(&self, operation: &Operation, begun: Moment) {
        let mut left = self.sim.now().0 - begun.now.0;
        for (part, span) in self.timing.parts(operation) {
            let span = span.0.min(left);
            self.sim.charge(part, Picoseconds(span));
            left -= span;
        }
        self.sim.charge(Part::Die, Picoseconds(left));
    }
}

impl FlashArray for Array {
    fn geometry(&self) -> ArrayGeometry {
        self.geometry
    }

    fn clear(&self, slot: Slot) {
        self.cells.stamp(slot, self.geometry.whole_page(), |_| 0);
    }

    fn copy(&self, part: Extent, from: Slot, to: Slot) {
        self.cells.copy(part, from, to);
    }

    fn set_word(&self, slot: Slot, at: u32, word: u32) {
        self.cells.set_word(slot, at, word);
    }

    fn word(&self, slot: Slot, at: u32) -> u32 {
        self.cells.word(slot, at)
    }

    async fn read(
        &self,
        page: Ppa,
        part: Extent,
        into: Slot,
        origin: Origin,
    ) -> Result<ReadReport, Uncorrectable> {
        // Codewords cross the bus in whole.
        let whole = self.errors.as_ref().map_or(part, |of| of.errors.codewords(part));
        let (die, operation) = self.operation(Kind::Read, page, whole, into, origin);
        if self.is_plain.get() {
            self.read_alone(die, operation).await;
        } else {
            self.perform(die, operation).await;
        }
        self.usage.count(|counts| counts.reads[origin as usize] += 1);
        let mut spare = self.cells.read(page, part, into)?;
        let worst_errors = match &self.errors {
            Some(source) => {
                spare.level = self.cells.level(page);
                Box::pin(self.correct(source, page, part, into, spare.level)).await?
            }
            None => 0,
        };
        if let Some(memory) = &self.memory {
            memory.transfer(into, part, Direction::Write, Requester::Flash).await;
        }
        Ok(ReadReport { spare, worst_errors })
    }

    async fn read_mark(&self, page: Ppa) -> PageMark {
        let part = Extent { first: 0, sectors: MARK_SECTORS };
        let (die, operation) = self.operation(Kind::Read, page, part, Slot(0), Origin::Mount);
        if self.is_plain.get() {
            self.read_alone(die, operation).await;
        } else {
            self.perform(die, operation).await;
        }
        self.usage.count(|counts| counts.reads[Origin::Mount as usize] += 1);
        self.cells.mark(page)
    }

    async fn program(
        &self,
        page: Ppa,
        from: Slot,
        spare: Spare,
        origin: Origin,
    ) -> Result<(), FlashFailure> {
        let whole = self.geometry.whole_page();
        let (die, operation) = self.operation(Kind::Program, page, whole, from, origin);
        if let Some(memory) = &self.memory {
            // Whole pages leave the memory in the order in which they are asked for.
            memory.transfer(from, whole, Direction::Read, Requester::Flash).await;
        }
        if self.errors.is_some() {
            self.cells.set_level(page, spare.level);
        }
        if self.is_plain.get() {
            self.program_alone(die, operation).await;
        } else {
            self.perform(die, operation).await;
        }
        self.usage.count(|counts| counts.programs[origin as usize] += 1);
        if let Some(ErrorSource { errors, .. }) = &self.errors {
            self.usage.codes(self.geometry.sectors_per_page, errors.strength(spare.level));
        }
        self.changed.notify();
        self.cells.end_program(page, from, spare)
    }

    async fn erase(&self, block: BlockId, origin: Origin) -> Result<(), FlashFailure> {
        let (page, part) = (self.geometry.page(block, 0), Extent { first: 0, sectors: 0 });
        let (die, operation) = self.operation(Kind::Erase, page, part, Slot(0), origin);
        if self.is_plain.get() {
            self.erase_alone(die, operation).await;
        } else {
            self.perform(die, operation).await;
        }
        self.usage.count(|counts| counts.erases[origin as usize] += 1);
        self.changed.notify();
        self.cells.end_erase(block)
    }
}
