//! The buffer memory of a drive: DDR2 or DDR3 behind one controller, at transaction level.
//!
//! A [`DramPart`] and [accesses](Access) enter; each access takes the simulated time that its
//! bursts take, and counts and energy leave. The rules of the bus are those of JESD79-2F and
//! JESD79-3F, to the clock edge; energy is that of Micron's technical notes TN-47-04 and TN-41-01.
//!
//! **Addresses.** From the lowest digit up: byte in the row of all devices together, bank, row. So
//! a row's bytes lie side by side, and the next row is in the next bank, where it can be opened
//! while data flow.
//!
//! **Rows** stay open until another row of the bank or a refresh needs it closed.
//!
//! **Turns.** Accesses have the controller in the order of the part's [`TurnOrder`], each for
//! `turn_bytes` at the most; then it asks again. Nothing is reordered for the sake of open rows:
//! accesses of a drive are pages, which visit few rows, and the next row opens behind the data of
//! the last. The controller decides late: it takes the next visit of a row up tRP + tRCD before a
//! like command could follow, which is just early enough for no gap. An access costs the kernel at
//! the most two steps a turn, however many bursts that has.
//!
//! **Refresh.** All banks every tREFI, before the first visit that is taken up then or later.
//! With `power_down`, the devices sleep from the end of a refresh until the next access, which
//! waits tXP, or refresh, which they are woken for.
//!
//! **Energy** of a device, from its data sheet's currents; `t` are times in each state:
//!
//! ```text
//! background = VDD * (IDD3N * t(open row or refresh) + IDD2N * t(all closed) + IDD2P * t(asleep))
//! activate   = VDD * (IDD0 * tRC - IDD3N * tRAS - IDD2N * (tRC - tRAS))  for each activation
//! read       = VDD * (IDD4R - IDD3N) * t(burst)                          for each read burst
//! write      = VDD * (IDD4W - IDD3N) * t(burst)                          for each write burst
//! refresh    = VDD * (IDD5 - IDD3N) * tRFC                               for each refresh
//! ```
//!
//! Left out: the slots of the command bus, of which a burst leaves most free, additive latency,
//! more than one rank, self-refresh, and the energy of drivers and terminations, which are the
//! board's. Changing the only open row counts as open throughout.

mod part;
mod schedule;
mod usage;

use std::cell::RefCell;

use floatgate_hal::units::{ByteCount, Picoseconds};

use crate::sim::{Arbiter, Sim};

pub use part::{DramController, DramPart, DramSupply, DramTiming, Standard, TurnOrder};
pub use usage::{DramEnergy, DramUsage, RequesterUsage};

use schedule::{RowVisit, Schedule};
use usage::Activity;

/// A byte's place in the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DramAddress(pub u64);

/// Which way data go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Out of the memory.
    Read,
    /// Into it.
    Write,
}

/// For whom data go. Under [`TurnOrder::Priority`] the first comes before the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Requester {
    /// The host interface.
    Host,
    /// The flash channels.
    Flash,
    /// Firmware, for its tables.
    Firmware,
}

impl Requester {
    /// How many there are.
    pub const COUNT: usize = 3;
}

/// What is asked of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The first byte.
    pub address: DramAddress,
    /// How many bytes, at least one. Bursts that they fill in part are transferred as a whole.
    pub bytes: ByteCount,
    /// Which way.
    pub direction: Direction,
    /// For whom.
    pub requester: Requester,
}

/// Bursts that an access has still to transfer, counted from address 0.
struct Span {
    next: u64,
    end: u64,
}

/// The digits of an address, all powers of two: their exponents, so that no access divides.
#[derive(Clone, Copy, Debug)]
struct Digits {
    burst_bytes: u32,
    row_bursts: u32,
    banks: u32,
    turn_bursts: u64,
}

impl Digits {
    fn new(part: &DramPart) -> Self {
        let burst_bytes = part.burst_bytes();
        Self {
            burst_bytes: burst_bytes.ilog2(),
            row_bursts: (part.rank_row_bytes() / burst_bytes).ilog2(),
            banks: part.banks.ilog2(),
            turn_bursts: u64::from(part.controller.turn_bytes) / burst_bytes,
        }
    }

    /// The visit of a row from burst `next` on that ends before burst `end`.
    fn visit(self, next: u64, end: u64, direction: Direction) -> RowVisit {
        let row_index = next >> self.row_bursts;
        let row = row_index >> self.banks;
        RowVisit {
            bank: usize::try_from(row_index - (row << self.banks)).expect("there are few banks"),
            row,
            bursts: end.min((row_index + 1) << self.row_bursts) - next,
            direction,
        }
    }
}

/// A memory and its controller.
pub struct Dram {
    sim: Sim,
    part: DramPart,
    digits: Digits,
    capacity_bytes: u64,
    turns: Arbiter,
    state: RefCell<State>,
}

struct State {
    schedule: Schedule,
    requesters: [RequesterUsage; Requester::COUNT],
}

impl Dram {
    /// A memory without open rows; its first refresh is due tREFI after time 0.
    ///
    /// # Panics
    /// The part does not pass its check, as one from a file does.
    pub fn new(sim: &Sim, part: &DramPart) -> Self {
        if let Err(fault) = crate::config::Check::check(part) {
            panic!("a memory whose field `{}` {}", fault.field, fault.message);
        }
        let state =
            State { schedule: Schedule::new(part), requesters: [RequesterUsage::default(); 3] };
        Self {
            sim: sim.clone(),
            part: part.clone(),
            digits: Digits::new(part),
            capacity_bytes: part.capacity_bytes(),
            turns: sim.arbiter("memory", part.controller.order.policy(), 1),
            state: RefCell::new(state),
        }
    }

    /// Transfers bytes: waits for turns, and until the last data have been on the bus. Dropped
    /// before, it gives its turn back; what the turn had decided on is carried out.
    ///
    /// # Panics
    /// The access is empty or reaches beyond the capacity.
    pub async fn access(&self, access: Access) {
        let mut span = self.span(&access);
        self.count(access.requester, |usage| usage.count_access(&access));
        loop {
            let asked = self.sim.now();
            let grant = self.turns.acquire(access.requester as u32).await;
            let waited = Picoseconds(self.sim.now().0 - asked.0);
            self.count(access.requester, |usage| usage.waited.0 += waited.0);
            let data_end = self.take_turn(&access, &mut span);
            let next_from = self.time(self.state.borrow().schedule.next_from());
            self.delay_until(next_from).await;
            drop(grant);
            if span.next == span.end {
                return self.delay_until(data_end).await;
            }
        }
    }

    /// What has been done. What is decided on counts as done, which is the current turn at most.
    pub fn usage(&self) -> DramUsage {
        let activity = self.activity();
        let bursts = activity.read_bursts + activity.write_bursts;
        let state = self.state.borrow();
        DramUsage {
            requesters: state.requesters,
            refreshes: activity.refreshes,
            activations: activity.activations,
            data_time: self.time(bursts * self.part.burst_clocks()),
            open_time: self.time(activity.open_clocks),
            asleep_time: self.time(activity.asleep_clocks),
        }
    }

    /// The energy that has been used. What is decided on counts as done, as in
    /// [`usage`](Self::usage).
    pub fn energy(&self) -> DramEnergy {
        let activity = self.activity();
        DramEnergy::new(&self.part, &self.state.borrow().schedule, &activity)
    }

    /// Carries out the visits of one turn and gives the time at which their data end.
    fn take_turn(&self, access: &Access, span: &mut Span) -> Picoseconds {
        let State { schedule, requesters } = &mut *self.state.borrow_mut();
        let turn_end = span.end.min(span.next + self.digits.turn_bursts);
        let asked = self.clock();
        let mut data_end = 0;
        while span.next < turn_end {
            let visit = self.digits.visit(span.next, turn_end, access.direction);
            let visited = schedule.visit(asked, visit);
            requesters[access.requester as usize].count_visit(visited.case, visit.bursts);
            data_end = visited.data_end;
            span.next += visit.bursts;
        }
        self.time(data_end)
    }

    fn span(&self, access: &Access) -> Span {
        let first = access.address.0;
        let bytes = u64::from(access.bytes.0);
        let capacity = self.capacity_bytes;
        let fits = first <= capacity && bytes <= capacity - first;
        assert!(bytes > 0 && fits, "{access:?} in a memory of {capacity} bytes");
        let digit = self.digits.burst_bytes;
        Span { next: first >> digit, end: ((first + bytes - 1) >> digit) + 1 }
    }

    fn activity(&self) -> Activity {
        self.state.borrow_mut().schedule.activity(self.clock())
    }

    /// The first clock edge from now on.
    fn clock(&self) -> u64 {
        self.sim.now().0.div_ceil(self.part.timing.clock_ps)
    }

    fn count(&self, requester: Requester, count: impl FnOnce(&mut RequesterUsage)) {
        count(&mut self.state.borrow_mut().requesters[requester as usize]);
    }

    fn time(&self, clocks: u64) -> Picoseconds {
        Picoseconds(clocks * self.part.timing.clock_ps)
    }

    /// Waits for a time, without a step of the kernel if that has come.
    async fn delay_until(&self, time: Picoseconds) {
        if time > self.sim.now() {
            self.sim.delay_until(time).await;
        }
    }
}
