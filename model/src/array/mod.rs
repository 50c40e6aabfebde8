//! The flash of a drive at transaction level: channels, dies and their planes.
//!
//! Enters: page and block operations of firmware ([`FlashArray`]). Leaves: their ends, at the times
//! at which a controller would see them, and what they left in the [`Cells`]. A die does one thing
//! at a time; a channel carries the commands and data of its dies one at a time, and dies work
//! while it does. Which of several waiting operations a die takes first is configurable.

mod cells;
mod timing;
mod usage;

use std::rc::Rc;

use floatgate_hal::FlashArray;
use floatgate_hal::array::{
    ArrayGeometry, BlockId, Extent, FlashFailure, Origin, PageMark, Ppa, Slot, Spare, Uncorrectable,
};
use floatgate_hal::units::{ByteCount, Picoseconds};

use crate::sim::{Arbiter, Event, Grant, Policy, Sim};
use crate::ssd::Part;

pub use cells::{Cells, Contents};
pub use timing::{ArrayTiming, PageOrder};
pub use usage::{ArrayUsage, OperationCounts};

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
}

impl Topology {
    /// Dies of the drive.
    pub const fn dies(&self) -> u32 {
        self.channels * self.dies_per_channel
    }

    /// As firmware sees it: a unit is a plane. Neighbouring units are on different channels, then
    /// on different dies of a channel, then on different planes of a die.
    pub const fn geometry(&self) -> ArrayGeometry {
        ArrayGeometry {
            units: self.dies() * self.planes,
            blocks_per_unit: self.blocks_per_plane,
            pages_per_block: self.pages_per_block,
            sectors_per_page: self.sectors_per_page,
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
    channels: Vec<Arbiter>,
    dies: Vec<Arbiter>,
    cells: Rc<Cells>,
    changed: Event,
    usage: ArrayUsage,
}

/// What is read of a page to learn whose data it holds: a codeword's worth.
const MARK_BYTES: ByteCount = ByteCount(512);

/// A die that one operation has.
struct Turn<'a> {
    array: &'a Array,
    die: u32,
    is_collection: bool,
    _grant: Grant,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.is_collection {
            self.array.usage.end_collecting(self.die, self.array.sim.now());
        }
    }
}

/// An operation of a die.
#[derive(Clone, Copy)]
enum Kind {
    Read,
    Program,
    Erase,
}

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
            .map(|channel| sim.arbiter(format!("channel {channel}"), Policy::FirstCome, 1));
        let dies =
            (0..topology.dies()).map(|die| sim.arbiter(format!("die {die}"), Policy::Priority, 1));
        Self {
            channels: channels.collect(),
            dies: dies.collect(),
            usage: ArrayUsage::new(topology.channels, topology.dies()),
            geometry: topology.geometry(),
            changed: sim.event("a change of the cells"),
            sim: sim.clone(),
            topology,
            timing,
            scheduling,
            cells,
        }
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
        self.cells.begin_program(page);
        self.cells.end_program(page, Slot(0), spare).expect("a good page");
    }

    fn die_of(&self, block: BlockId) -> u32 {
        self.topology.die(self.geometry.unit(block).0)
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

    /// Holds a die's channel for a span.
    async fn transfer(&self, die: u32, span: Picoseconds) {
        if span.0 == 0 {
            return;
        }
        let channel = self.topology.channel(die);
        let asked = self.sim.now();
        let _bus = self.channels[channel as usize].acquire(die).await;
        let now = self.sim.now();
        if now > asked {
            self.sim.charge(Part::Channel, Picoseconds(now.0 - asked.0));
        }
        self.usage.transfers(channel, now, span);
        self.sim.delay(span).await;
        self.sim.charge(Part::Transfer, span);
    }

    /// The die works for a span.
    async fn work(&self, die: u32, span: Picoseconds) {
        if span.0 == 0 {
            return;
        }
        self.usage.works(die, self.sim.now(), span);
        self.sim.delay(span).await;
        self.sim.charge(Part::Array, span);
    }

    /// Waits for a die. While it collects, the wait is for collection.
    async fn turn(&self, die: u32, kind: Kind, origin: Origin) -> Turn<'_> {
        let (arbiter, asked) = (&self.dies[die as usize], self.sim.now());
        let collected = (arbiter.free() == 0).then(|| self.usage.collected(die, asked));
        let grant = arbiter.acquire(self.rank(kind, origin)).await;
        let now = self.sim.now();
        if let Some(before) = collected {
            let collected = self.usage.collected(die, now).0 - before.0;
            self.sim.charge(Part::Collection, Picoseconds(collected));
            self.sim.charge(Part::Die, Picoseconds(now.0 - asked.0 - collected));
        }
        let is_collection = origin == Origin::Collection;
        if is_collection {
            self.usage.begin_collecting(die, now);
        }
        Turn { array: self, die, is_collection, _grant: grant }
    }

    fn page_in_block(&self, page: Ppa) -> u32 {
        page.0 % self.geometry.pages_per_block
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

    async fn read(
        &self,
        page: Ppa,
        part: Extent,
        into: Slot,
        origin: Origin,
    ) -> Result<Spare, Uncorrectable> {
        let die = self.die_of(self.geometry.block_of(page));
        let turn = self.turn(die, Kind::Read, origin).await;
        self.transfer(die, self.timing.read_command).await;
        self.work(die, self.timing.t_r(self.page_in_block(page))).await;
        self.transfer(die, self.timing.data_out(part.bytes())).await;
        let spare = self.cells.read(page, part, into);
        drop(turn);
        self.usage.count(|counts| counts.reads[origin as usize] += 1);
        spare
    }

    async fn read_mark(&self, page: Ppa) -> PageMark {
        let die = self.die_of(self.geometry.block_of(page));
        let turn = self.turn(die, Kind::Read, Origin::Mount).await;
        self.transfer(die, self.timing.read_command).await;
        self.work(die, self.timing.t_r(self.page_in_block(page))).await;
        self.transfer(die, self.timing.data_out(MARK_BYTES)).await;
        drop(turn);
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
        let die = self.die_of(self.geometry.block_of(page));
        let turn = self.turn(die, Kind::Program, origin).await;
        let whole = self.geometry.whole_page().bytes();
        self.transfer(die, self.timing.data_in(whole)).await;
        self.cells.begin_program(page);
        self.changed.notify();
        self.work(die, self.timing.t_prog(self.page_in_block(page))).await;
        self.transfer(die, self.timing.status).await;
        drop(turn);
        self.usage.count(|counts| counts.programs[origin as usize] += 1);
        self.changed.notify();
        self.cells.end_program(page, from, spare)
    }

    async fn erase(&self, block: BlockId, origin: Origin) -> Result<(), FlashFailure> {
        let die = self.die_of(block);
        let turn = self.turn(die, Kind::Erase, origin).await;
        self.transfer(die, self.timing.erase_command).await;
        self.cells.begin_erase(block);
        self.changed.notify();
        self.work(die, self.timing.t_bers).await;
        self.transfer(die, self.timing.status).await;
        drop(turn);
        self.usage.count(|counts| counts.erases[origin as usize] += 1);
        self.changed.notify();
        self.cells.end_erase(block)
    }
}
