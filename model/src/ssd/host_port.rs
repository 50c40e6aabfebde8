//! The host interface: commands are cut into pieces of pages, data cross the link, and the last
//! piece completes its command.
//!
//! Enters: [`Request`]s, each as [`HostInterface::submit`]ted. Leaves: pieces for firmware
//! ([`HostPort`]) and, command by command, latencies. The link carries both directions at once,
//! each one transfer at a time.

use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

use floatgate_hal::HostPort;
use floatgate_hal::array::{Extent, Lpn, Slot};
use floatgate_hal::host::{Access, CommandTag, HostPage, PageStatus};
use floatgate_hal::units::Picoseconds;
use slab::Slab;

use super::oracle::Oracle;
use super::{Breakdown, BufferMemory, HostWindow, Part};
use crate::array::Cells;
use crate::dram::{Direction, Requester};
use crate::sim::{Arbiter, Event, Fifo, LatencyHistogram, Policy, Sim, Windows};

/// A range of NVMe's Dataset Management command.
const TRIM_BYTES: u32 = 16;

/// What the interface is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkConfig {
    /// Sectors of a page.
    pub sectors_per_page: u8,
    /// Commands under way at most.
    pub queue_depth: u32,
    /// Time of a byte on the link, in either direction.
    pub byte: Picoseconds,
    /// From a command that is submitted to its first piece.
    pub command: Picoseconds,
}

/// A command of the host, in 512-byte sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// What is wanted.
    pub access: Access,
    /// First sector.
    pub sector: u64,
    /// Sectors; 0 of a flush.
    pub sectors: u32,
    /// When the host wanted it: latencies are counted from here.
    pub wanted: Picoseconds,
    /// The flow that it belongs to.
    pub flow: u32,
}

/// A command that is under way.
struct Pending {
    command: Command,
    pieces_left: u32,
    status: PageStatus,
}

/// What the host saw.
#[derive(Clone, Debug, Default)]
pub struct HostStatistics {
    /// Latencies of reads.
    pub reads: LatencyHistogram,
    /// Of writes.
    pub writes: LatencyHistogram,
    /// Of the others.
    pub others: LatencyHistogram,
    /// Where the latencies of reads went.
    pub read_parts: Breakdown,
    /// Of writes.
    pub write_parts: Breakdown,
    /// Of the others.
    pub other_parts: Breakdown,
    /// Reads and writes over time.
    pub series: Windows<HostWindow>,
    /// Bytes of completed reads.
    pub bytes_read: u64,
    /// Bytes of completed writes.
    pub bytes_written: u64,
    /// Commands that ended with an error.
    pub failed: u64,
    /// When the last command was complete.
    pub last: Picoseconds,
}

impl HostStatistics {
    /// Commands that were completed.
    pub fn completed(&self) -> u64 {
        self.reads.count() + self.writes.count() + self.others.count()
    }
}

/// A flow of the host.
struct Flow {
    in_flight: Cell<u32>,
    /// One of its commands is complete.
    completed: Event,
}

/// The interface, which firmware and the host share.
pub struct HostInterface {
    sim: Sim,
    config: LinkConfig,
    pending: RefCell<Slab<Pending>>,
    /// Each with the time from which firmware sees it.
    pieces: Fifo<(Picoseconds, HostPage)>,
    to_drive: Arbiter,
    to_host: Arbiter,
    flows: Vec<Flow>,
    /// A command is complete.
    completed: Event,
    submitted: Cell<u64>,
    statistics: RefCell<HostStatistics>,
    /// What the data go through, where its time counts.
    memory: Option<Rc<BufferMemory>>,
    /// With the memory in which the data are.
    oracle: Option<(RefCell<Oracle>, Rc<Cells>)>,
}

impl HostInterface {
    /// An interface without commands, for so many flows.
    pub fn new(sim: &Sim, config: LinkConfig, flows: u32) -> Self {
        let flow = |_| {
            let completed = sim.event("a completed command of the flow");
            Flow { in_flight: Cell::new(0), completed }
        };
        Self {
            flows: (0..flows).map(flow).collect(),
            pending: RefCell::default(),
            // Commands under way bound the pieces.
            pieces: sim.fifo("pieces", usize::MAX),
            to_drive: sim.arbiter("link to the drive", Policy::FirstCome, 1),
            to_host: sim.arbiter("link to the host", Policy::FirstCome, 1),
            completed: sim.event("a completed command"),
            submitted: Cell::new(0),
            statistics: RefCell::default(),
            memory: None,
            oracle: None,
            sim: sim.clone(),
            config,
        }
    }

    /// The same with a memory that the data go through.
    #[must_use]
    pub fn with_memory(mut self, memory: Rc<BufferMemory>) -> Self {
        self.memory = Some(memory);
        self
    }

    /// What the data go through, where its time counts.
    pub fn memory(&self) -> Option<&BufferMemory> {
        self.memory.as_deref()
    }

    /// The same, which stamps what is written and checks what is read.
    #[must_use]
    pub fn with_oracle(mut self, oracle: Oracle, cells: Rc<Cells>) -> Self {
        self.oracle = Some((RefCell::new(oracle), cells));
        self
    }

    /// What was read and written, where that is checked.
    pub fn oracle(&self) -> Option<Ref<'_, Oracle>> {
        self.oracle.as_ref().map(|(oracle, _)| oracle.borrow())
    }

    fn consult(&self, ask: impl FnOnce(&mut Oracle, &Cells)) {
        if let Some((oracle, cells)) = &self.oracle {
            ask(&mut oracle.borrow_mut(), cells);
        }
    }

    /// Waits for a place in the queue and puts a command there.
    pub async fn submit(&self, command: Command) {
        while self.in_flight() >= self.config.queue_depth as usize {
            self.completed.wait().await;
        }
        self.submitted.set(self.submitted.get() + 1);
        let pieces = self.cut(&command);
        let pending = Pending { command, pieces_left: pieces.len(), status: PageStatus::Done };
        let tag = self.pending.borrow_mut().insert(pending);
        let flow = &self.flows[command.flow as usize].in_flight;
        flow.set(flow.get() + 1);
        let seen = Picoseconds(self.sim.now().0 + self.config.command.0);
        for (index, (lpn, part)) in pieces.enumerate() {
            let (tag, is_first) = (CommandTag(tag as u32), index == 0);
            let piece = HostPage { tag, access: command.access, lpn, part, is_first };
            let queued = self.pieces.try_send((seen, piece));
            assert!(queued.is_ok(), "the queue of pieces has no end");
        }
    }

    /// Waits until every command is complete.
    pub async fn drain(&self) {
        self.completed.wait_until(|| self.in_flight() == 0).await;
    }

    /// Commands under way.
    pub fn in_flight(&self) -> usize {
        self.pending.borrow().len()
    }

    /// Commands submitted so far.
    pub fn submitted(&self) -> u64 {
        self.submitted.get()
    }

    /// Waits until a flow has fewer than so many commands under way.
    pub async fn wait_below(&self, flow: u32, depth: u32) {
        let Flow { in_flight, completed } = &self.flows[flow as usize];
        completed.wait_until(|| in_flight.get() < depth).await;
    }

    /// What the host saw so far.
    pub fn statistics(&self) -> Ref<'_, HostStatistics> {
        self.statistics.borrow()
    }

    /// Forgets what the host saw so far.
    pub fn reset_statistics(&self) {
        self.statistics.take();
    }

    fn cut(&self, command: &Command) -> Pieces {
        let page = u64::from(self.config.sectors_per_page);
        let end = command.sector + u64::from(command.sectors);
        Pieces { page, next: command.sector, end, is_flush: command.access == Access::Flush }
    }

    async fn transfer(&self, direction: &Arbiter, bytes: u32) {
        if self.config.byte.0 > 0 {
            let since = self.sim.now();
            let _link = direction.acquire(0).await;
            self.sim.delay(Picoseconds(self.config.byte.0 * u64::from(bytes))).await;
            self.sim.charge(Part::Link, Picoseconds(self.sim.now().0 - since.0));
        }
    }

    fn record(&self, Pending { command, status, .. }: Pending) {
        let now = self.sim.now();
        let latency = Picoseconds(now.0 - command.wanted.0);
        let mut statistics = self.statistics.borrow_mut();
        let bytes = 512 * u64::from(command.sectors);
        match command.access {
            Access::Read => {
                statistics.reads.record(latency);
                self.sim.with_account(|account| {
                    statistics.read_parts.record(command.wanted, latency, account)
                });
                statistics.series.at(now).reads.record(latency, bytes);
                statistics.bytes_read += bytes;
            }
            Access::Write | Access::WriteThrough => {
                statistics.writes.record(latency);
                self.sim.with_account(|account| {
                    statistics.write_parts.record(command.wanted, latency, account)
                });
                statistics.series.at(now).writes.record(latency, bytes);
                statistics.bytes_written += bytes;
            }
            Access::Trim | Access::Flush => {
                statistics.others.record(latency);
                self.sim.with_account(|account| {
                    statistics.other_parts.record(command.wanted, latency, account)
                });
            }
        }
        statistics.failed += u64::from(status != PageStatus::Done);
        statistics.last = now;
    }
}

impl HostPort for HostInterface {
    async fn next(&self) -> HostPage {
        let (seen, piece) = self.pieces.recv().await;
        if seen > self.sim.now() {
            self.sim.delay_until(seen).await;
        }
        self.consult(|oracle, _| oracle.begin(piece));
        self.sim.open_account();
        piece
    }

    async fn receive(&self, page: HostPage, into: Slot) {
        let is_trim = page.access == Access::Trim;
        let bytes = if is_trim { TRIM_BYTES } else { page.part.bytes().0 };
        self.transfer(&self.to_drive, bytes).await;
        if let Some(memory) = self.memory.as_ref().filter(|_| !is_trim) {
            memory.transfer(into, page.part, Direction::Write, Requester::Host).await;
        }
        self.consult(|oracle, cells| oracle.receive(page, cells, into));
    }

    async fn send(&self, page: HostPage, from: Option<Slot>) {
        self.consult(|oracle, cells| oracle.send(page, cells, from));
        if let (Some(memory), Some(from)) = (&self.memory, from) {
            memory.transfer(from, page.part, Direction::Read, Requester::Host).await;
        }
        self.transfer(&self.to_host, page.part.bytes().0).await;
    }

    fn complete(&self, page: HostPage, status: PageStatus) {
        self.consult(|oracle, _| oracle.complete(page, status));
        let mut commands = self.pending.borrow_mut();
        let tag = page.tag.0 as usize;
        let pending = &mut commands[tag];
        pending.pieces_left -= 1;
        if status != PageStatus::Done {
            pending.status = status;
        }
        if pending.pieces_left == 0 {
            let pending = commands.remove(tag);
            drop(commands);
            let flow = &self.flows[pending.command.flow as usize];
            flow.in_flight.set(flow.in_flight.get() - 1);
            self.record(pending);
            flow.completed.notify();
            self.completed.notify();
        }
    }
}

/// The pieces of a command, page by page.
struct Pieces {
    page: u64,
    next: u64,
    end: u64,
    is_flush: bool,
}

impl Pieces {
    fn len(&self) -> u32 {
        let pages = self.end.div_ceil(self.page) - self.next / self.page;
        if self.is_flush { 1 } else { pages as u32 }
    }
}

impl Iterator for Pieces {
    type Item = (Lpn, Extent);

    fn next(&mut self) -> Option<(Lpn, Extent)> {
        if std::mem::take(&mut self.is_flush) {
            return Some((Lpn(0), Extent { first: 0, sectors: 0 }));
        }
        if self.next >= self.end {
            return None;
        }
        let (lpn, first) = (self.next / self.page, self.next % self.page);
        let end = self.end.min((lpn + 1) * self.page);
        let sectors = (end - self.next) as u8;
        self.next = end;
        Some((Lpn(lpn as u32), Extent { first: first as u8, sectors }))
    }
}
