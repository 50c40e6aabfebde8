//! A host that drives a target cycle by cycle, always in time unless a test wants otherwise.

use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex, RowAddress};
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{
    CheckerSettings, Cycle, Diagnostic, Part, Quantity, Rule, Settings, Target,
};

use crate::coverage::tags_of;
use crate::parts::part;

/// Time from one cycle to the next, unless a test chooses another.
const CYCLE_PS: u64 = 100_000;
/// tWB in SDR mode 0.
pub(crate) const T_WB_PS: u64 = 200_000;

/// A target and the time on its bus.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) target: Target,
    pub(crate) at_ps: u64,
    /// Time from one cycle to the next.
    pub(crate) cycle_ps: u64,
}

/// The invented part: two LUNs of two planes, MLC.
pub(crate) const MLC: &str = "ix64mlc2lun-a";
/// A part of one LUN without multi-plane operations, SLC.
pub(crate) const SLC: &str = "mt29f2g08abbea";

/// Settings without wear, faults and bad blocks, whose checker says nothing of hosts that do not
/// look at what they could.
pub(crate) fn sound() -> Settings {
    let checker = CheckerSettings { silenced: [Rule::I19, Rule::S08].into() };
    Settings { factory_bad_blocks: Some(0), checker, ..Settings::default() }
}

pub(crate) fn count(value: u64) -> Option<Quantity> {
    Some(Quantity::Count(value))
}

pub(crate) fn time_ns(value: f64) -> Option<Quantity> {
    Some(Quantity::Time(Picoseconds((value * 1e3).round() as u64)))
}

pub(crate) fn opcode(value: u8) -> Option<Quantity> {
    Some(Quantity::Opcode(value))
}

impl Host {
    /// A target as it comes, powered up at 0 and not reset.
    pub(crate) fn raw(name: &str, settings: Settings) -> Self {
        Self { target: Target::new(part(name), settings), at_ps: 0, cycle_ps: CYCLE_PS }
    }

    /// A target of a part that a test has changed, after its first reset.
    pub(crate) fn changed(name: &str, change: impl FnOnce(&mut Part)) -> Self {
        let mut changed = (*part(name)).clone();
        change(&mut changed);
        let target = Target::new(changed.into(), sound());
        Self { target, at_ps: 0, cycle_ps: CYCLE_PS }.after_reset()
    }

    /// A target after its first reset.
    pub(crate) fn with(name: &str, settings: Settings) -> Self {
        Self::raw(name, settings).after_reset()
    }

    fn after_reset(mut self) -> Self {
        self.wait();
        self.command(0xFF);
        self.wait();
        self.quiet();
        self
    }

    pub(crate) fn new(name: &str) -> Self {
        Self::with(name, sound())
    }

    pub(crate) fn at(&self) -> Picoseconds {
        Picoseconds(self.at_ps)
    }

    pub(crate) fn step(&mut self) {
        self.at_ps += self.cycle_ps;
    }

    pub(crate) fn skip_us(&mut self, span: f64) {
        self.at_ps += (span * 1e6) as u64;
    }

    pub(crate) fn cycle(&mut self, cycle: Cycle) {
        self.step();
        self.target.cycle(self.at(), cycle);
    }

    pub(crate) fn command(&mut self, opcode: u8) {
        self.cycle(Cycle::Command(opcode));
    }

    pub(crate) fn address(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.cycle(Cycle::Address(byte));
        }
    }

    /// Command, address.
    pub(crate) fn open(&mut self, first: u8, address: &[u8]) {
        self.command(first);
        self.address(address);
    }

    pub(crate) fn data_in(&mut self, bytes: &[u8]) {
        self.step();
        self.target.data_in(self.at(), bytes);
    }

    /// Bytes out; as many as are driven.
    pub(crate) fn take(&mut self, length: usize) -> Vec<u8> {
        self.step();
        let mut bytes = vec![0; length];
        let driven = self.target.data_out(self.at(), &mut bytes);
        bytes.truncate(driven);
        bytes
    }

    /// Waits tWB and then for R/B#.
    pub(crate) fn wait(&mut self) {
        self.at_ps += T_WB_PS;
        if !self.target.is_ready(self.at()) {
            let rises = self.target.next_change(self.at()).expect("it becomes ready");
            self.at_ps = rises.0;
        }
        assert!(self.target.is_ready(self.at()));
    }

    /// Column and row of a page of LUN 0.
    pub(crate) fn page_address(&self, block: u32, page: u16) -> Vec<u8> {
        self.address_of(0, block, page, 0)
    }

    /// Column and row as they go over the bus.
    pub(crate) fn address_of(&self, lun: u8, block: u32, page: u16, column: u16) -> Vec<u8> {
        [column.to_le_bytes().to_vec(), self.row(lun, block, page)].concat()
    }

    /// A row as it goes over the bus.
    pub(crate) fn row(&self, lun: u8, block: u32, page: u16) -> Vec<u8> {
        let geometry = self.target.part().geometry();
        let RowAddress(row) = geometry.row(LunIndex(lun), BlockIndex(block), PageIndex(page));
        row.to_le_bytes()[..3].to_vec()
    }

    pub(crate) fn status(&mut self) -> u8 {
        self.command(0x70);
        self.take(1)[0]
    }

    pub(crate) fn status_of(&mut self, lun: u8, block: u32) -> u8 {
        let row = self.row(lun, block, 0);
        self.open(0x78, &row);
        self.take(1)[0]
    }

    /// Erases a block of LUN 0 and returns the status.
    pub(crate) fn erase(&mut self, block: u32) -> u8 {
        let row = self.row(0, block, 0);
        self.open(0x60, &row);
        self.command(0xD0);
        self.wait();
        self.status()
    }

    /// Erases a block of a LUN and reads its status by 78h.
    pub(crate) fn erase_in(&mut self, lun: u8, block: u32) {
        let row = self.row(lun, block, 0);
        self.open(0x60, &row);
        self.command(0xD0);
        self.wait();
        assert_eq!(self.status_of(lun, block), 0xE0);
    }

    /// Programs a page of LUN 0 and returns the status.
    pub(crate) fn program(&mut self, block: u32, page: u16, data: &[u8]) -> u8 {
        let address = self.page_address(block, page);
        self.open(0x80, &address);
        self.data_in(data);
        self.command(0x10);
        self.wait();
        self.status()
    }

    /// Reads a page of LUN 0.
    pub(crate) fn read(&mut self, block: u32, page: u16, length: usize) -> Vec<u8> {
        let address = self.page_address(block, page);
        self.open(0x00, &address);
        self.command(0x30);
        self.wait();
        self.take(length)
    }

    pub(crate) fn set_features(&mut self, address: u8, p1: u8) {
        self.open(0xEF, &[address]);
        self.data_in(&[p1, 0, 0, 0]);
        self.wait();
    }

    /// Checks that nothing was told.
    #[track_caller]
    pub(crate) fn quiet(&mut self) {
        let told = self.target.drain_diagnostics();
        assert!(told.is_empty(), "{}", lines(&told));
    }

    /// Checks that a breach of `rule` alone was told, at the last cycle, in the words of the list
    /// of faults, with these figures.
    #[track_caller]
    pub(crate) fn expect(
        &mut self,
        rule: Rule,
        measured: Option<Quantity>,
        required: Option<Quantity>,
    ) -> Diagnostic {
        let told = self.target.drain_diagnostics();
        assert_eq!(told.len(), 1, "wanted {rule:?} alone:\n{}", lines(&told));
        let breach = told.into_iter().next().expect("one");
        assert_eq!(breach.rule, rule, "{breach}");
        assert_eq!(breach.severity, rule.severity());
        assert_eq!(breach.at, self.at(), "{breach}");
        assert_eq!((breach.measured, breach.required), (measured, required), "{breach}");
        let tag = breach.text.split(':').next().unwrap_or_default();
        assert!(tags_of(rule.code()).contains(&tag.to_owned()), "{breach}");
        breach
    }

    /// As [`expect`](Self::expect), with words of the text.
    #[track_caller]
    pub(crate) fn expect_text(&mut self, rule: Rule, text: &str) -> Diagnostic {
        let told = self.target.drain_diagnostics();
        assert_eq!(told.len(), 1, "wanted {rule:?} alone:\n{}", lines(&told));
        let breach = told.into_iter().next().expect("one");
        assert_eq!(breach.rule, rule, "{breach}");
        assert_eq!(breach.at, self.at(), "{breach}");
        assert!(breach.text.contains(text), "{breach}");
        breach
    }
}

fn lines(told: &[Diagnostic]) -> String {
    told.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n")
}
