//! Everything behind one CE#: bus cycles enter, data, R/B# and diagnostics leave.
//!
//! A target decodes commands for all its LUNs, and LUNs share the bus, the features and R/B#. Each
//! call brings the LUNs to its time first; time never runs back.

mod address;
mod decode;
mod features;
mod habits;
mod output;
mod power;
mod read;
mod write;

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex};
use floatgate_hal::units::Picoseconds;

use super::array::{BlockView, LunArray, PageAddress, PageState};
use super::lun::{Busy, BusyKind, Lun, LunState, NEVER};
use super::part::Part;
use super::rules::{Diagnostic, Rule};
use super::settings::{Fault, Settings};
use super::{Cycle, Interface, TimingMode};
use decode::Decoder;
use output::Output;
use power::{FirstReset, Power};

/// tWB in SDR mode 0, and in all others (ONFI timing tables).
const T_WB_MODE_0_PS: u64 = 200_000;
const T_WB_PS: u64 = 100_000;

const PS_PER_US: f64 = 1e6;
const PS_PER_DAY: f64 = 86_400e12;

/// What a target has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Pages read from the array.
    pub page_reads: u64,
    /// Pages programmed.
    pub page_programs: u64,
    /// Blocks erased.
    pub block_erases: u64,
    /// Resets.
    pub resets: u64,
    /// Programs that failed.
    pub failed_programs: u64,
    /// Erases that failed.
    pub failed_erases: u64,
    /// Bytes into registers.
    pub bytes_in: u64,
    /// Bytes out of registers, status and the like included.
    pub bytes_out: u64,
    /// Bits that were read wrong.
    pub wrong_bits: u64,
}

/// Everything behind one CE#.
#[derive(Clone, Debug)]
pub struct Target {
    part: Arc<Part>,
    settings: Arc<Settings>,
    now: Picoseconds,
    age_days: f64,
    luns: Vec<Lun>,
    power: Power,
    interface: Interface,
    mode: TimingMode,
    /// The interface that a reset ended, until the host is seen on the new one.
    reset_from: Option<Interface>,
    features: BTreeMap<u8, [u8; 4]>,
    /// Whether the interface's mode was changed and not read back since.
    mode_is_unchecked: bool,
    write_protected: bool,
    decoder: Decoder,
    output: Output,
    /// Whether two LUNs work or worked together, so that 70h cannot tell of which it speaks.
    interleaved: bool,
    diagnostics: Vec<Diagnostic>,
    statistics: Statistics,
}

impl Target {
    /// A target of a checked part, powered up at time 0.
    pub fn new(part: Arc<Part>, settings: Settings) -> Self {
        let settings = Arc::new(settings);
        let lun = |index| {
            let index = LunIndex(index);
            Lun::new(index, LunArray::new(&part, &settings, index), part.layout.planes)
        };
        Self {
            luns: (0..part.layout.luns).map(lun).collect(),
            part,
            settings,
            now: Picoseconds(0),
            age_days: 0.0,
            power: Power { good_since: Picoseconds(0), first_reset: FirstReset::Awaited },
            interface: Interface::Sdr,
            mode: TimingMode(0),
            reset_from: None,
            features: BTreeMap::new(),
            mode_is_unchecked: false,
            write_protected: false,
            decoder: Decoder::default(),
            output: Output::default(),
            interleaved: false,
            diagnostics: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    /// Latches one cycle.
    ///
    /// # Panics
    /// Where `at` lies before an earlier call's.
    pub fn cycle(&mut self, at: Picoseconds, cycle: Cycle) {
        self.advance(at);
        if self.is_dead() {
            return;
        }
        match cycle {
            Cycle::Command(opcode) => self.command(opcode),
            Cycle::Address(byte) => self.address(byte),
            Cycle::DataIn(byte) => self.data(&[byte]),
        }
    }

    /// Latches bytes of data, as so many [`Cycle::DataIn`] at `at`.
    ///
    /// # Panics
    /// Where `at` lies before an earlier call's.
    pub fn data_in(&mut self, at: Picoseconds, bytes: &[u8]) {
        self.advance(at);
        if !self.is_dead() {
            self.data(bytes);
        }
    }

    /// Takes bytes out, and says how many the target drives.
    ///
    /// # Panics
    /// Where `at` lies before an earlier call's.
    pub fn data_out(&mut self, at: Picoseconds, into: &mut [u8]) -> usize {
        self.advance(at);
        if self.is_dead() {
            return 0;
        }
        let driven = self.drive(into);
        self.statistics.bytes_out += driven as u64;
        driven
    }

    /// R/B#: high where all LUNs are ready.
    pub fn is_ready(&self, at: Picoseconds) -> bool {
        self.is_dead_at(at)
            || (at >= self.power_good() && self.luns.iter().all(|lun| lun.is_ready(at)))
    }

    /// When R/B# changes next if no cycle comes.
    pub fn next_change(&self, at: Picoseconds) -> Option<Picoseconds> {
        let busy = self.luns.iter().filter_map(|lun| lun.busy);
        let edges = busy.flat_map(|busy| [busy.falls, busy.rises]);
        let mut edges: Vec<_> = edges.chain([self.power_good()]).collect();
        edges.sort_unstable();
        let before = self.is_ready(at);
        edges.into_iter().find(|&edge| edge > at && edge != NEVER && self.is_ready(edge) != before)
    }

    /// The data interface and its timing mode.
    pub fn interface(&self) -> (Interface, TimingMode) {
        (self.interface, self.mode)
    }

    /// Tells the target on which interface the host's cycles come, so that it can check that they
    /// are the ones of its own ([`Rule::I02`], [`Rule::I17`]). The pins know.
    pub fn seen_on(&mut self, at: Picoseconds, interface: Interface) {
        self.advance(at);
        if interface == self.interface {
            self.reset_from = None;
            return;
        }
        if self.is_dead() {
            return;
        }
        if self.reset_from == Some(interface) {
            let text = format!("IFACE-FF: {} cycle after FFh", interface.name());
            self.tell(Diagnostic::new(Rule::I17, at, text));
        } else {
            let (host, die) = (interface.name(), self.interface.name());
            self.tell(Diagnostic::new(Rule::I02, at, format!("IFACE: {host} cycle in {die}")));
        }
    }

    /// Takes the diagnostics since the last call.
    pub fn drain_diagnostics(&mut self) -> Vec<Diagnostic> {
        mem::take(&mut self.diagnostics)
    }

    /// The same target once more. Pages are shared until one of the two writes them.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// WP#: low protects.
    pub fn set_write_protect(&mut self, at: Picoseconds, protected: bool) {
        self.advance(at);
        self.write_protected = protected;
    }

    /// Lets days pass without simulating them: data that are programmed grow older.
    pub fn age(&mut self, days: f64) {
        self.age_days += days;
    }

    /// Sets a block's program/erase cycles.
    pub fn set_cycles(&mut self, lun: LunIndex, block: BlockIndex, cycles: u32) {
        self.lun_mut(lun).array.set_cycles(block, cycles);
    }

    /// Puts what a page stores into it, as if it had been programmed once.
    pub fn put(&mut self, lun: LunIndex, block: BlockIndex, page: PageIndex, bytes: Vec<u8>) {
        let now_days = self.days(self.now);
        self.lun_mut(lun).array.put(PageAddress { block, page }, bytes, now_days);
    }

    /// What the target has done since it was made.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The part.
    pub fn part(&self) -> &Arc<Part> {
        &self.part
    }

    /// What a LUN does at a time that no cycle has passed yet.
    pub fn lun_state(&self, at: Picoseconds, lun: LunIndex) -> LunState {
        match self.power.first_reset {
            _ if self.is_dead_at(at) => LunState::Dead,
            FirstReset::Awaited => LunState::PoweredUp,
            _ => self.lun(lun).state(at),
        }
    }

    /// What is known of a block, for tests and reports.
    pub fn block(&self, lun: LunIndex, block: BlockIndex) -> BlockView {
        self.lun(lun).array.view(block)
    }

    /// What a page holds, for tests and reports.
    pub fn page_state(&self, lun: LunIndex, block: BlockIndex, page: PageIndex) -> PageState {
        self.lun(lun).array.page_state(PageAddress { block, page })
    }

    /// What a page stores, without errors.
    pub fn stored(&self, lun: LunIndex, block: BlockIndex, page: PageIndex) -> Arc<Vec<u8>> {
        self.lun(lun).array.stored(PageAddress { block, page })
    }

    /// The raw bit error rate at which a page would be read now.
    pub fn rber(&self, lun: LunIndex, block: BlockIndex, page: PageIndex) -> f64 {
        self.lun(lun).array.rber(PageAddress { block, page }, self.days(self.now))
    }

    /// Blocks of a LUN that came bad from the factory, ascending.
    pub fn factory_bad_blocks(&self, lun: LunIndex) -> Vec<BlockIndex> {
        self.lun(lun).array.factory_bad().collect()
    }

    fn lun(&self, lun: LunIndex) -> &Lun {
        &self.luns[usize::from(lun.0)]
    }

    fn lun_mut(&mut self, lun: LunIndex) -> &mut Lun {
        &mut self.luns[usize::from(lun.0)]
    }

    fn days(&self, at: Picoseconds) -> f64 {
        self.age_days + at.0 as f64 / PS_PER_DAY
    }

    fn is_dead(&self) -> bool {
        self.is_dead_at(self.now)
    }

    fn is_dead_at(&self, now: Picoseconds) -> bool {
        let dead = |fault: &Fault| matches!(fault, Fault::Dies { at } if *at <= now);
        self.settings.faults.iter().any(dead)
    }

    fn advance(&mut self, at: Picoseconds) {
        assert!(at >= self.now, "time runs back from {} to {at}", self.now);
        self.now = at;
        let age_days = self.age_days;
        for lun in &mut self.luns {
            let days = |at: Picoseconds| age_days + at.0 as f64 / PS_PER_DAY;
            self.statistics.wrong_bits += lun.advance(at, days);
        }
    }

    fn tell(&mut self, diagnostic: Diagnostic) {
        if !self.settings.checker.silenced.contains(&diagnostic.rule) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// A breach without figures, now.
    fn tell_rule(&mut self, rule: Rule, lun: Option<LunIndex>, text: String) {
        self.tell(Diagnostic { lun, ..Diagnostic::new(rule, self.now, text) });
    }

    /// When R/B# falls after a command that comes now: after tWB, the longest that a host may
    /// meet.
    fn falls(&self) -> Picoseconds {
        let t_wb = match (self.interface, self.mode) {
            (Interface::Sdr, TimingMode(0)) => T_WB_MODE_0_PS,
            _ => T_WB_PS,
        };
        after(self.now, t_wb)
    }

    /// Makes a LUN busy from tWB after now to `rises`.
    fn make_busy(&mut self, lun: LunIndex, kind: BusyKind, rises: Picoseconds) {
        let falls = self.falls();
        let longest_ps = self.longest_ps(kind, rises.0.saturating_sub(falls.0));
        self.lun_mut(lun).busy = Some(Busy { kind, falls, rises, longest_ps });
    }

    /// Makes all LUNs busy for `span_ps`.
    fn make_all_busy(&mut self, kind: BusyKind, span_ps: u64) {
        let rises = after(self.falls(), span_ps);
        for index in 0..self.part.layout.luns {
            self.make_busy(LunIndex(index), kind, rises);
        }
    }

    /// The longest that a busy time may take.
    fn longest_ps(&self, kind: BusyKind, planned_ps: u64) -> u64 {
        let timing = &self.part.timing;
        match kind {
            BusyKind::Read | BusyKind::CacheRead => {
                us(timing.t_r_max_us.max(timing.t_r_multi_plane_max_us).into())
            }
            BusyKind::Program | BusyKind::CacheProgram => us(timing.t_prog_max_us.into()),
            BusyKind::Erase => us(timing.t_bers_max_us.into()),
            _ => planned_ps,
        }
    }

    /// Whether a LUN's fault makes the array job that begins now endless.
    fn hangs(&mut self, lun: LunIndex) -> bool {
        let now = self.now;
        let stays = |fault: &Fault| match *fault {
            Fault::StaysBusy { lun: its, at } => its == lun && at <= now,
            _ => false,
        };
        let hangs = !self.lun(lun).has_hung && self.settings.faults.iter().any(stays);
        self.lun_mut(lun).has_hung |= hangs;
        hangs
    }
}

/// A time that lies `span_ps` after another.
fn after(at: Picoseconds, span_ps: u64) -> Picoseconds {
    Picoseconds(at.0.saturating_add(span_ps))
}

/// Microseconds in picoseconds.
fn us(span_us: f64) -> u64 {
    (span_us * PS_PER_US).round() as u64
}
