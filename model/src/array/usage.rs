//! What the time of channels and dies went into, and how many operations there were.

use std::cell::{Cell, RefCell};

use floatgate_hal::array::Origin;
use floatgate_hal::units::{Picoseconds, Strength};

use super::turns::Kind;

/// Operations by origin, in the order of [`Origin::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCounts {
    /// Pages read.
    pub reads: [u64; Origin::ALL.len()],
    /// Pages programmed.
    pub programs: [u64; Origin::ALL.len()],
    /// Blocks erased.
    pub erases: [u64; Origin::ALL.len()],
}

/// What dies and channels take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArrayPower {
    /// A die whose array reads.
    pub read_w: f64,
    /// A die that programs.
    pub program_w: f64,
    /// A die that erases.
    pub erase_w: f64,
    /// A byte of data on a channel.
    pub bus_j_per_byte: f64,
}

/// For how long something was at work, one thing after the other.
#[derive(Debug, Default)]
struct Busy {
    /// With all of what goes on.
    total_ps: Cell<u64>,
    /// When that ends.
    until_ps: Cell<u64>,
}

impl Busy {
    fn works(&self, from: Picoseconds, span: Picoseconds) {
        self.total_ps.set(self.total_ps.get() + span.0);
        self.until_ps.set(from.0 + span.0);
    }

    /// Stops before its time.
    fn stops(&self, now: Picoseconds) {
        self.total_ps.set(self.by(now).0);
        self.until_ps.set(now.0);
    }

    fn by(&self, now: Picoseconds) -> Picoseconds {
        Picoseconds(self.total_ps.get() - self.until_ps.get().saturating_sub(now.0))
    }
}

/// For how long a die had operations of collection.
#[derive(Debug, Default)]
struct Collecting {
    total: Cell<u64>,
    /// How many it has, and since when it has any.
    count: Cell<u32>,
    since: Cell<Picoseconds>,
}

impl Collecting {
    fn by(&self, now: Picoseconds) -> Picoseconds {
        let lasts = if self.count.get() > 0 { now.0 - self.since.get().0 } else { 0 };
        Picoseconds(self.total.get() + lasts)
    }
}

/// Busy times and counts.
pub struct ArrayUsage {
    channels: Vec<Busy>,
    /// By kind of operation.
    dies: Vec<[Busy; Kind::COUNT]>,
    /// Data bytes that crossed each channel.
    bytes: Vec<Cell<u64>>,
    /// Bytes that were encoded or decoded, each as often as its codeword has bits corrected.
    coded: Cell<u64>,
    collecting: Vec<Collecting>,
    counts: RefCell<OperationCounts>,
}

impl ArrayUsage {
    pub(super) fn new(channels: u32, dies: u32) -> Self {
        Self {
            channels: (0..channels).map(|_| Busy::default()).collect(),
            dies: (0..dies).map(|_| Default::default()).collect(),
            bytes: vec![Cell::new(0); channels as usize],
            coded: Cell::new(0),
            collecting: (0..dies).map(|_| Collecting::default()).collect(),
            counts: RefCell::default(),
        }
    }

    /// A channel carries something from now on for a span, data bytes among it.
    pub(super) fn transfers(&self, channel: u32, now: Picoseconds, span: Picoseconds, bytes: u32) {
        self.channels[channel as usize].works(now, span);
        let all = &self.bytes[channel as usize];
        all.set(all.get() + u64::from(bytes));
    }

    /// Sectors are encoded or decoded with a strength.
    pub(super) fn codes(&self, sectors: u8, strength: Strength) {
        let bytes = 512 * u64::from(sectors);
        self.coded.set(self.coded.get() + bytes * u64::from(strength.0));
    }

    /// The array of a die works from now on for a span.
    pub(super) fn works(&self, die: u32, kind: Kind, now: Picoseconds, span: Picoseconds) {
        self.dies[die as usize][kind as usize].works(now, span);
    }

    /// The array of a die works no longer.
    pub(super) fn stops(&self, die: u32, kind: Kind, now: Picoseconds) {
        self.dies[die as usize][kind as usize].stops(now);
    }

    pub(super) fn begin_collecting(&self, die: u32, now: Picoseconds) {
        let Collecting { count, since, .. } = &self.collecting[die as usize];
        if count.replace(count.get() + 1) == 0 {
            since.set(now);
        }
    }

    pub(super) fn end_collecting(&self, die: u32, now: Picoseconds) {
        let collecting = &self.collecting[die as usize];
        collecting.total.set(collecting.by(now).0);
        collecting.count.set(collecting.count.get() - 1);
        collecting.since.set(now);
    }

    /// For how long a die has had operations of collection by now, transfers included.
    pub(super) fn collected(&self, die: u32, now: Picoseconds) -> Picoseconds {
        self.collecting[die as usize].by(now)
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut OperationCounts)) {
        change(&mut self.counts.borrow_mut());
    }

    /// For how long each channel has carried something by now.
    pub fn channels(&self, now: Picoseconds) -> Vec<Picoseconds> {
        self.channels.iter().map(|busy| busy.by(now)).collect()
    }

    /// For how long the array of each die has worked by now.
    pub fn dies(&self, now: Picoseconds) -> Vec<Picoseconds> {
        let all = |kinds: &[Busy; Kind::COUNT]| kinds.iter().map(|busy| busy.by(now).0).sum();
        self.dies.iter().map(all).map(Picoseconds).collect()
    }

    /// Data bytes that have crossed each channel.
    pub fn channel_bytes(&self) -> Vec<u64> {
        self.bytes.iter().map(Cell::get).collect()
    }

    /// Bytes that have been encoded or decoded, each as often as its codeword has bits corrected.
    pub fn coded_byte_bits(&self) -> u64 {
        self.coded.get()
    }

    /// Joules that the array of each die has taken by now. What a die takes beside the work of its
    /// array is not among it.
    pub fn die_energy_j(&self, now: Picoseconds, power: &ArrayPower) -> Vec<f64> {
        let watts = [power.read_w, power.program_w, power.erase_w];
        let all = |kinds: &[Busy; Kind::COUNT]| {
            kinds.iter().zip(watts).map(|(busy, watts)| busy.by(now).0 as f64 / 1e12 * watts).sum()
        };
        self.dies.iter().map(all).collect()
    }

    /// Joules that the data on each channel have taken.
    pub fn channel_energy_j(&self, power: &ArrayPower) -> Vec<f64> {
        self.bytes.iter().map(|bytes| bytes.get() as f64 * power.bus_j_per_byte).collect()
    }

    /// Operations that have ended.
    pub fn counts(&self) -> OperationCounts {
        *self.counts.borrow()
    }
}
