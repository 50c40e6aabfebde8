//! Channels that change over to an engine for a part of a run, and back.
//!
//! Enters: turns of a channel's dies. Leaves: their operations carried out by the engine while the
//! switch is on, and a record of how long they took. At a change the channel is drained: turns that
//! have begun end where they began, others wait for that. Where contents are kept, a page is put
//! into the engine's dies when it is first read there, and what the dies hold at the end is what
//! the model goes on with.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use floatgate_hal::array::{Extent, PageMark, Ppa};
use floatgate_hal::units::Picoseconds;

use super::cells::Cells;
use super::engine::{Carried, ChannelEngine, Columns, Pending, Place, Step};
use super::replay::{Logged, Record};
use super::turns::{Accepts, Die, Kind, Operation, Stage, Turn};
use super::{Array, contents};
use crate::sim::{Event, Sim};
use crate::ssd::Part;

/// A channel with its engine.
pub struct Switch {
    channel: u32,
    engine: Rc<dyn ChannelEngine>,
    is_on: Cell<bool>,
    is_draining: Cell<bool>,
    /// Turns that have begun and not ended.
    running: Cell<u32>,
    changed: Event,
    opened: Cell<Option<Picoseconds>>,
    closed: Cell<Option<Picoseconds>>,
    /// What the cells were when it was switched on.
    before: RefCell<Option<Cells>>,
    log: RefCell<Vec<Logged>>,
    /// Pages that the engine's dies hold.
    held: RefCell<BTreeSet<Ppa>>,
    /// Turns that the engine has had.
    turns: Cell<u64>,
    /// Turns that program, begun on each die of the channel.
    programs: Vec<Cell<u64>>,
}

impl Switch {
    pub(super) fn new(sim: &Sim, channel: u32, dies: u32, engine: Rc<dyn ChannelEngine>) -> Self {
        Self {
            channel,
            engine,
            is_on: Cell::new(false),
            is_draining: Cell::new(false),
            running: Cell::new(0),
            changed: sim.event(format!("change of channel {channel}")),
            opened: Cell::new(None),
            closed: Cell::new(None),
            before: RefCell::default(),
            log: RefCell::default(),
            held: RefCell::default(),
            turns: Cell::new(0),
            programs: vec![Cell::new(0); dies as usize],
        }
    }

    /// The channel.
    pub fn channel(&self) -> u32 {
        self.channel
    }

    /// What carries its operations out.
    pub fn engine(&self) -> &dyn ChannelEngine {
        &*self.engine
    }

    /// A turn begins, which waits while the channel is drained; whether the engine has it.
    async fn enter(&self) -> bool {
        self.changed.wait_until(|| !self.is_draining.get()).await;
        self.running.set(self.running.get() + 1);
        self.is_on.get()
    }

    /// A turn has ended.
    pub(super) fn leave(&self) {
        self.running.set(self.running.get() - 1);
        if self.is_draining.get() {
            self.changed.notify();
        }
    }

    async fn drain(&self) {
        self.is_draining.set(true);
        self.changed.wait_until(|| self.running.get() == 0).await;
    }

    fn goes_on(&self, is_on: bool) {
        self.is_on.set(is_on);
        self.is_draining.set(false);
        self.changed.notify();
    }

    fn next_turn(&self) -> u64 {
        self.turns.replace(self.turns.get() + 1)
    }

    fn log(&self, operation: Operation, turn: &Turn, ended: Picoseconds) {
        let opened = self.opened.get().expect("it is on");
        let (turn, begun) = turn.on_engine.expect("the engine has it");
        let asked = operation.asked.max(opened);
        self.log.borrow_mut().push(Logged { operation, asked, turn, begun, ended });
    }
}

impl Array {
    /// Gives a channel an engine that it can be switched to.
    ///
    /// # Panics
    /// If operations are under way, or the dies do what no engine does: cache reads, suspension.
    pub fn attach(&self, channel: u32, engine: Rc<dyn ChannelEngine>) -> Rc<Switch> {
        let features = self.timing.features;
        let is_able = features.cache_read.is_none() && features.suspend.is_none();
        assert!(is_able, "engines neither read with a cache nor suspend");
        let dies = self.topology.dies_per_channel;
        let switch = Rc::new(Switch::new(&self.sim, channel, dies, engine));
        self.switches.borrow_mut().push(Rc::clone(&switch));
        // Turns alone know of switches.
        self.is_plain.set(false);
        switch
    }

    /// Lets a channel's engine carry its operations out from when it is ready and the channel is
    /// drained.
    pub async fn switch_on(&self, switch: &Switch) {
        switch.engine.ready().await;
        switch.drain().await;
        *switch.before.borrow_mut() = Some(Cells::clone(&self.cells));
        switch.opened.set(Some(self.sim.now()));
        switch.goes_on(true);
    }

    /// Lets the model carry a channel's operations out again, from when it is drained.
    pub async fn switch_off(&self, switch: &Switch) {
        switch.drain().await;
        for page in std::mem::take(&mut *switch.held.borrow_mut()) {
            if self.is_kept(page) {
                self.take_back(page, 0, &switch.engine.stored(self.place(page)));
            }
        }
        switch.closed.set(Some(self.sim.now()));
        switch.goes_on(false);
    }

    /// What the engine of a channel has done by now; none if it was never on.
    pub fn record(&self, switch: &Switch) -> Option<Record> {
        let from = switch.opened.get()?;
        let log = switch.log.borrow();
        let spans = log.iter().map(|one| Picoseconds(one.ended.0 - one.asked.0)).collect();
        let before = switch.before.take().expect("kept when it was switched on");
        Some(Record {
            channel: switch.channel,
            from,
            until: switch.closed.get().unwrap_or_else(|| self.sim.now()),
            clocks: switch.engine.clocks(),
            modelled: self.replay(before, &log),
            kinds: log.iter().map(|one| one.operation.kind).collect(),
            spans,
        })
    }

    pub(super) fn switch_of(&self, die: &Die) -> Option<Rc<Switch>> {
        let channel = self.topology.channel(die.index);
        self.switches.borrow().iter().find(|switch| switch.channel == channel).cloned()
    }

    /// Carries a turn out if the engine has it; gives it back otherwise.
    pub(super) fn carry_elsewhere<'a>(
        &'a self,
        die: &'a Die,
        mut turn: Turn,
    ) -> Pending<'a, Option<Turn>> {
        Box::pin(async move {
            let Some(switch) = self.switch_of(die) else { return Some(turn) };
            if turn.stage == Stage::Fresh {
                let asked = self.sim.now();
                let is_on = switch.enter().await;
                self.sim.charge(Part::Channel, Picoseconds(self.sim.now().0 - asked.0));
                turn.on_engine = is_on.then(|| (switch.next_turn(), self.sim.now()));
            }
            if turn.on_engine.is_none() {
                return Some(turn);
            }
            let of = OnEngine { array: self, switch: &switch, die };
            match turn.first().kind {
                Kind::Read => of.read(turn).await,
                Kind::Program => of.program(turn).await,
                Kind::Erase => of.erase(turn).await,
            }
            None
        })
    }

    fn place(&self, page: Ppa) -> Place {
        let block = self.geometry.block_of(page);
        let unit = self.geometry.unit(block).0;
        let (plane, page) = self.topology.place(unit, page.0 % self.geometry.pages_per_block);
        let index = block.0 % self.geometry.blocks_per_unit;
        let die = self.topology.die(unit) / self.topology.channels;
        Place { die, block: index * self.topology.planes + plane, page }
    }

    /// The blocks of a die that a block of firmware's is, told by its first page.
    fn blocks(&self, first: Ppa) -> impl Iterator<Item = Place> {
        let joined = if self.topology.joined_planes { self.topology.planes } else { 1 };
        (first.0..first.0 + joined).map(|page| self.place(Ppa(page)))
    }

    /// Whether a page's sectors are known.
    fn is_kept(&self, page: Ppa) -> bool {
        self.cells.keeps_stamps() && matches!(self.cells.mark(page), PageMark::Written(_))
    }

    fn sector_bytes(&self) -> usize {
        self.timing.bus.sector_bytes as usize
    }

    /// A page of the model as it is on an engine's bus.
    fn on_bus(&self, page: Ppa) -> Vec<u8> {
        let sector_bytes = self.sector_bytes();
        match self.cells.bytes() {
            Some(bytes) => bytes.page_on_bus(page, self.cells.level(page), sector_bytes),
            None => contents::bytes(self.cells.stamps(page), sector_bytes),
        }
    }

    /// The model's page is what came of an engine's, from a sector on. Where bytes are kept, which
    /// a code could correct, a sector that is not what went in has another stamp.
    fn take_back(&self, page: Ppa, first: u8, bytes: &[u8]) {
        let sectors = usize::from(self.geometry.sectors_per_page - first);
        if self.cells.bytes().is_some() {
            let sent = self.on_bus(page);
            let sent = sent.chunks(self.sector_bytes()).skip(first.into());
            let came = bytes.chunks(self.sector_bytes()).take(sectors);
            let wrong = (first..).zip(came.zip(sent)).filter(|(_, (came, sent))| came != sent);
            wrong.for_each(|(sector, _)| self.cells.spoil_stamp(page, sector));
            return;
        }
        let stamps = contents::stamps(bytes, self.sector_bytes()).take(sectors);
        (first..).zip(stamps).for_each(|(sector, stamp)| self.cells.restamp(page, sector, stamp));
    }
}

/// A die's turn on an engine.
struct OnEngine<'a> {
    array: &'a Array,
    switch: &'a Switch,
    die: &'a Die,
}

impl OnEngine<'_> {
    async fn read(&self, mut turn: Turn) {
        let array = self.array;
        let read = turn.first();
        let (place, columns) = (array.place(read.page), self.columns(&read));
        turn.operations().for_each(|read| self.hold(read.page));
        let is_alone = turn.operations().nth(1).is_none();
        let step = if turn.stage == Stage::Fresh && is_alone {
            Step::Read(place, columns)
        } else {
            if turn.stage == Stage::Fresh {
                let places = turn.operations().map(|read| array.place(read.page));
                self.carry(&turn, Step::Load(places.collect()), 0).await;
                turn.stage = Stage::Loaded;
            }
            Step::DataOut(place, columns)
        };
        let carried = self.carry(&turn, step, self.bytes(&read)).await;
        if array.is_kept(read.page) {
            array.take_back(read.page, read.part.first, &carried.data);
        }
        self.switch.log(read, &turn, array.sim.now());
        match turn.without_first() {
            Ok(rest) => rest.start(),
            Err(turn) => array.turn_ends(self.die, &turn),
        }
    }

    async fn program(&self, mut turn: Turn) {
        let (array, die) = (self.array, self.die);
        let pages = turn.operations().map(|program| {
            array.begin_program(&program);
            self.switch.held.borrow_mut().insert(program.page);
            (array.place(program.page), self.contents(&program))
        });
        let pages: Vec<_> = pages.collect();
        array.changed.notify();
        let begun = &self.switch.programs[(die.index / array.topology.channels) as usize];
        begun.set(begun.get() + 1);
        let bytes = turn.operations().map(|program| self.bytes(&program)).sum();
        match array.timing.features.cache_program {
            None => {
                self.carry(&turn, Step::Program(pages), bytes).await;
            }
            Some(t_cbsy) => {
                let number = begun.get();
                self.carry(&turn, Step::ProgramCached(pages), bytes).await;
                die.accepts.set(Accepts::Only(Kind::Program));
                array.serve(die);
                let t_prog = turn.operations().map(|of| array.timing.t_prog(of.page_in_block));
                let t_prog = t_prog.max().expect("a turn has operations");
                let left = Picoseconds(t_prog.0.saturating_sub(t_cbsy.0));
                let settle = Step::Settle { die: die.index / array.topology.channels, left };
                self.carry(&turn, settle, 0).await;
                // The next turn has begun, or waits for the channel to be drained.
                turn.has_next = begun.get() > number || die.accepts.get() == Accepts::Nothing;
            }
        }
        self.end(&turn);
    }

    async fn erase(&self, turn: Turn) {
        let array = self.array;
        turn.operations().for_each(|erase| {
            array.cells.begin_erase(erase.block);
            let first = array.geometry.page(erase.block, 0).0;
            let held = &mut *self.switch.held.borrow_mut();
            let pages = Ppa(first)..Ppa(first + array.geometry.pages_per_block);
            held.retain(|page| !pages.contains(page));
        });
        array.changed.notify();
        let blocks = turn.operations().flat_map(|erase| array.blocks(erase.page)).collect();
        self.carry(&turn, Step::Erase(blocks), 0).await;
        self.end(&turn);
    }

    fn end(&self, turn: &Turn) {
        let now = self.array.sim.now();
        turn.operations().for_each(|operation| self.switch.log(operation, turn, now));
        self.array.turn_ends(self.die, turn);
        turn.end_others();
    }

    /// Carries a step out and accounts for it.
    async fn carry(&self, turn: &Turn, step: Step, bytes: u32) -> Carried {
        let (array, die) = (self.array, self.die);
        let begun = array.sim.now();
        // While a cached program waits for the one before, the array works for that.
        let cached = matches!(step, Step::ProgramCached(_));
        let t_cbsy = array.timing.features.cache_program.filter(|_| cached);
        let carried = self.switch.engine.carry(step).await;
        let now = array.sim.now();
        let span_ps = now.0 - begun.0;
        let works_ps = carried.array.0.min(t_cbsy.map_or(span_ps, |t_cbsy| t_cbsy.0));
        let held_ps = carried.bus.0.min(span_ps - works_ps);
        let usage = &array.usage;
        let before = |span_ps| (Picoseconds(now.0 - span_ps), Picoseconds(span_ps));
        let (from, works) = before(works_ps);
        usage.works(die.index, turn.first().kind, from, works);
        let (from, held) = before(held_ps);
        usage.transfers(self.switch.channel, from, held, bytes);
        let bus = &array.timing.bus;
        let rest_ps = span_ps - works_ps - held_ps;
        let controller_ps = rest_ps.min(bus.accept.0 + bus.complete.0);
        let charge = |part, span_ps| array.sim.charge(part, Picoseconds(span_ps));
        charge(Part::Array, works_ps);
        charge(Part::Transfer, held_ps + controller_ps);
        charge(Part::Channel, rest_ps - controller_ps);
        carried
    }

    /// Puts a page into the engine's die that it does not hold.
    fn hold(&self, page: Ppa) {
        let array = self.array;
        if array.is_kept(page) && self.switch.held.borrow_mut().insert(page) {
            self.switch.engine.put(array.place(page), array.on_bus(page));
        }
    }

    /// What a page is programmed with.
    fn contents(&self, program: &Operation) -> Vec<u8> {
        if let Some(bytes) = self.array.cells.bytes() {
            let level = self.array.cells.level(program.page);
            return bytes.slot_on_bus(program.slot, level, self.array.sector_bytes());
        }
        let Extent { first, sectors } = program.part;
        let cells = &self.array.cells;
        let stamps = (first..first + sectors)
            .map(|sector| cells.stamp_of(program.slot, sector).unwrap_or_default());
        contents::bytes(stamps, self.array.sector_bytes())
    }

    fn bytes(&self, operation: &Operation) -> u32 {
        self.array.timing.bus.sector_bytes * u32::from(operation.part.sectors)
    }

    fn columns(&self, read: &Operation) -> Columns {
        let first = self.array.timing.bus.sector_bytes * u32::from(read.part.first);
        first..first + self.bytes(read)
    }
}
