//! A controller with dies, and short ways to ask it for something.

use std::path::Path;
use std::sync::Arc;

use floatgate_cosim::flash::{Config, Finished, Idle, RawSequence, RtlController, Wires};
use floatgate_hal::flash::address::{
    BlockIndex, ColumnAddress, DieIndex, LunIndex, PageIndex, RowAddress,
};
use floatgate_hal::flash::mode::{DataInterface, DieTiming, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::{BusOp, Outcome};
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::die::{Fault, Part, Settings, Target};
use floatgate_model::pins::{
    BusDiagnostic, BusLevels, Channel, Corner, HostPins, Level, Octet, PinOptions,
};

/// Long enough for anything that ends.
const PATIENCE: Picoseconds = Picoseconds(400_000_000_000);

pub(super) const MS: u64 = 1_000_000_000;
pub(super) const US: u64 = 1_000_000;

/// A clock that suits all SDR modes and most of NV-DDR.
pub(super) const CLOCK: Picoseconds = Picoseconds(5_000);

pub(super) struct Bench {
    pub(super) part: Arc<Part>,
    pub(super) rtl: RtlController<Recorded>,
}

/// A channel, and how long its dies have been selected.
pub(super) struct Recorded {
    pub(super) channel: Channel<Target>,
    /// In all, in picoseconds.
    pub(super) selected_ps: u64,
    /// Whether the wires to the dies are cut.
    pub(super) is_cut: bool,
    since: Option<Picoseconds>,
}

impl Wires for Recorded {
    fn step(&mut self, at: Picoseconds, pins: &HostPins) {
        let is_selected = pins.ce_n.iter().any(|ce| ce.is_low());
        match (self.since, is_selected) {
            (None, true) => {
                self.since = Some(at);
            }
            (Some(since), false) => {
                self.selected_ps += at.0 - since.0;
                self.since = None;
            }
            _ => {}
        }
        self.channel.step(at, pins);
    }

    fn levels(&self, at: Picoseconds) -> BusLevels {
        self.channel.levels(at)
    }

    fn next_ready(&self, at: Picoseconds) -> Option<Picoseconds> {
        self.channel.next_ready(at)
    }

    fn strobe(&self, at: Picoseconds) -> Level {
        if self.is_cut { Level::Floating } else { self.channel.strobe(at) }
    }

    fn next_strobe(&self, at: Picoseconds) -> Option<Picoseconds> {
        self.channel.next_strobe(at)
    }

    fn sample(&mut self, at: Picoseconds) -> Octet {
        self.channel.sample(at)
    }
}

/// What a bench is made of.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) part: &'static str,
    pub(super) dies: usize,
    pub(super) clock: Picoseconds,
    pub(super) idle: Idle,
    /// Faults of each die.
    pub(super) faults: Vec<(usize, Fault)>,
    /// Which end of its windows the dies' output keeps to.
    pub(super) corner: Corner,
    /// What is changed of the part.
    pub(super) change: Option<fn(&mut Part)>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            part: "mt29f32g08cbaba",
            dies: 2,
            clock: CLOCK,
            idle: Idle::Skipped,
            faults: Vec::new(),
            corner: Corner::Slow,
            change: None,
        }
    }
}

impl Bench {
    pub(super) fn new(plan: &Plan) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let part = Part::load(root.join(format!("configs/parts/{}.ron", plan.part)))
            .expect("a shipped part");
        // Cells that make no errors, so that data can be compared.
        let mut part = part.as_ref().clone();
        part.cells.errors.model = None;
        part.cells.program_failure_rate = 0.0;
        part.cells.erase_failure_rate = 0.0;
        plan.change.iter().for_each(|change| change(&mut part));
        let part = Arc::new(part);
        let targets = (0..plan.dies).map(|die| {
            let faults = plan.faults.iter().filter(|(of, _)| *of == die).map(|(_, fault)| *fault);
            let settings = Settings {
                target: die as u32,
                factory_bad_blocks: Some(0),
                factory_erased: true,
                faults: faults.collect(),
                ..Settings::default()
            };
            let options = PinOptions { corner: plan.corner, ..PinOptions::of(&part, &settings) };
            (Target::new(Arc::clone(&part), settings), options)
        });
        let channel = Channel::new(targets);
        let wires = Recorded { channel, selected_ps: 0, is_cut: false, since: None };
        let config = Config {
            model: if plan.dies > 2 { "onfi_controller_x8" } else { "onfi_controller_x2" },
            dies: plan.dies,
            clock: plan.clock,
            seed: 1,
            idle: plan.idle,
        };
        let rtl = RtlController::new(&config, wires).expect("it is linked in");
        let mut bench = Self { part, rtl };
        let power_up_ps = (bench.part.timing.t_power_up_us * US as f64) as u64;
        bench.rtl.run_to(Picoseconds(power_up_ps + US)).unwrap();
        bench
    }

    /// A bench whose dies are reset.
    pub(super) fn ready(plan: &Plan) -> Self {
        let mut bench = Self::new(plan);
        for die in 0..plan.dies {
            bench.rtl.submit(&op(OpKind::Reset, die), Vec::new());
        }
        bench.finish();
        bench
    }

    /// Runs to the end of all that was asked for; no rule may have been broken.
    pub(super) fn finish(&mut self) -> Vec<Finished> {
        let limit = Picoseconds(self.rtl.now().0 + PATIENCE.0);
        assert!(self.rtl.run_until(limit).unwrap(), "operations do not end");
        self.check();
        self.rtl.take_finished()
    }

    /// No rule may have been broken.
    pub(super) fn check(&mut self) {
        let told = self.diagnostics();
        assert!(told.is_empty(), "{} diagnostics: {:#?}", told.len(), &told[..told.len().min(8)]);
    }

    pub(super) fn diagnostics(&mut self) -> Vec<BusDiagnostic> {
        self.rtl.wires().channel.drain_diagnostics()
    }

    /// Runs one operation.
    pub(super) fn run(&mut self, op: &BusOp, data: &[u8]) -> Finished {
        self.rtl.submit(op, data.to_vec());
        let mut finished = self.finish();
        assert_eq!(finished.len(), 1);
        finished.remove(0)
    }

    /// Runs one operation that must succeed, and gives its data.
    pub(super) fn good(&mut self, op: &BusOp, data: &[u8]) -> Vec<u8> {
        let finished = self.run(op, data);
        assert_eq!(finished.completion.outcome, Outcome::Done, "{op:?}");
        finished.data
    }

    /// Runs a raw sequence.
    pub(super) fn raw(&mut self, die: usize, sequence: &RawSequence) -> Finished {
        self.rtl.submit_raw(DieIndex(die as u8), sequence);
        let mut finished = self.finish();
        assert_eq!(finished.len(), 1);
        finished.remove(0)
    }

    /// An operation on a page of LUN 0, over its whole register.
    pub(super) fn page_op(&self, kind: OpKind, die: usize, block: u32, page: u16) -> BusOp {
        let geometry = self.part.geometry();
        BusOp {
            row: geometry.row(LunIndex(0), BlockIndex(block), PageIndex(page)),
            length: geometry.register_bytes(),
            ..op(kind, die)
        }
    }

    /// What a page of LUN 0 holds.
    pub(super) fn stored(&mut self, die: usize, block: u32, page: u16) -> Vec<u8> {
        let target = self.rtl.wires().channel.target(DieIndex(die as u8)).behind();
        target.stored(LunIndex(0), BlockIndex(block), PageIndex(page)).to_vec()
    }

    /// Takes a die to a mode, as firmware does.
    pub(super) fn set_mode(&mut self, die: usize, interface: DataInterface, mode: u8) {
        let mode = TimingMode { interface, mode };
        let set = BusOp { row: RowAddress(1), ..op(OpKind::SetFeatures, die) };
        let set = BusOp { length: ByteCount(4), ..set };
        self.good(&set, &[mode.feature(), 0, 0, 0]);
        self.follow(die, mode);
        let get = BusOp { kind: OpKind::GetFeatures, ..set };
        assert_eq!(self.good(&get, &[]), [mode.feature(), 0, 0, 0]);
    }

    /// Tells the controller of a die's mode.
    pub(super) fn follow(&mut self, die: usize, mode: TimingMode) {
        let timing = DieTiming {
            mode,
            t_ccs: Picoseconds(u64::from(self.part.timing.t_ccs_ns) * 1_000),
            fast_t_cad: self.part.interfaces.fast_t_cad,
        };
        let die = DieIndex(die as u8);
        self.rtl.set_timing(die, &timing).unwrap().expect("the clock suits the mode");
    }
}

/// An operation without addresses and data.
pub(super) fn op(kind: OpKind, die: usize) -> BusOp {
    BusOp {
        kind,
        die: DieIndex(die as u8),
        row: RowAddress(0),
        column: ColumnAddress(0),
        length: ByteCount(0),
    }
}

/// Bytes that differ from page to page.
pub(super) fn pattern(seed: u32, count: usize) -> Vec<u8> {
    (0..count as u32)
        .map(|i| (i.wrapping_mul(31).wrapping_add(seed * 97) >> 3) as u8 ^ i as u8)
        .collect()
}
