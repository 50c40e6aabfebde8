//! The transaction-level channel beside the controller RTL: each operation in each mode, and
//! streams of operations on several dies. Data, status and latency are compared.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use floatgate_cosim::flash::{Config, Idle, RtlBus};
use floatgate_cosim::lockstep::{Entry, Pair, Recorder, compare};
use floatgate_hal::flash::address::{
    BlockIndex, ColumnAddress, DieIndex, Geometry, LunIndex, PageIndex, RowAddress,
};
use floatgate_hal::flash::mode::{BusTiming, DataInterface, DieTiming, TimingMode};
use floatgate_hal::flash::op::{DataPhase, OpKind};
use floatgate_hal::flash::{BusOp, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::channel::{Controller, TransactionBus};
use floatgate_model::die::{Part, Settings, Target};
use floatgate_model::pins::PinOptions;
use floatgate_model::sim::{Sim, Simulation};

use crate::calibration;

/// Between operations that are to stand alone: longer than any gap that one leaves to the next.
const REST: Picoseconds = Picoseconds(3_000_000);

pub(crate) fn part() -> Arc<Part> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let part = Part::load(root.join("configs/parts/mt29f32g08cbaba.ron")).expect("a shipped part");
    let mut part = part.as_ref().clone();
    part.cells.program_failure_rate = 0.0;
    part.cells.erase_failure_rate = 0.0;
    Arc::new(part)
}

pub(crate) fn dies(part: &Arc<Part>, count: usize) -> Vec<(Target, PinOptions)> {
    let die = |target| {
        let settings = Settings {
            target,
            factory_bad_blocks: Some(0),
            factory_erased: true,
            ..Settings::default()
        };
        let options = PinOptions::of(part, &settings);
        (Target::new(Arc::clone(part), settings), options)
    };
    (0..count as u32).map(die).collect()
}

/// A mode, and a clock that suits it.
pub(crate) fn mode(interface: DataInterface, mode: u8) -> (TimingMode, Picoseconds) {
    let clock_ps = if interface == DataInterface::NvDdr && mode == 4 { 6_000 } else { 5_000 };
    (TimingMode { interface, mode }, Picoseconds(clock_ps))
}

/// What runs on a channel, whichever it is.
pub(crate) struct Host<B> {
    pub(crate) bus: Recorder<B>,
    pub(crate) sim: Sim,
    pub(crate) geometry: Geometry,
}

impl<B: FlashBus + BusTiming> Host<B> {
    pub(crate) async fn run(&self, op: BusOp) {
        let count = op.length.0 as usize;
        match op.kind.form().data {
            DataPhase::None => self.bus.execute(op, Transfer::None).await,
            DataPhase::InAfterAdl | DataPhase::InAfterCcs => {
                let bytes: Vec<u8> = match op.kind {
                    OpKind::SetFeatures => vec![op.column.0 as u8, 0, 0, 0],
                    _ => (0..count).map(|at| (at * 7 + at / 251) as u8).collect(),
                };
                self.bus.execute(op, Transfer::In(&bytes)).await
            }
            _ => self.bus.execute(op, Transfer::Out(&mut vec![0; count])).await,
        };
    }

    /// One operation that stands alone.
    async fn alone(&self, op: BusOp) {
        self.run(op).await;
        self.sim.delay(REST).await;
    }

    fn op(&self, kind: OpKind, die: u8, bytes: u32) -> BusOp {
        BusOp {
            kind,
            die: DieIndex(die),
            row: RowAddress(0),
            column: ColumnAddress(0),
            length: ByteCount(bytes),
        }
    }

    /// An operation on a page, with so many bytes.
    pub(crate) fn page(&self, kind: OpKind, die: u8, block: u32, page: u16, bytes: u32) -> BusOp {
        let row = self.geometry.row(LunIndex(0), BlockIndex(block), PageIndex(page));
        BusOp { row, ..self.op(kind, die, bytes) }
    }

    /// From power-up into a mode.
    pub(crate) async fn bring_up(&self, die: u8, part: &Part, mode: TimingMode) {
        self.alone(self.op(OpKind::Reset, die, 0)).await;
        self.alone(self.set_mode(die, mode)).await;
        let timing = DieTiming {
            mode,
            t_ccs: Picoseconds(u64::from(part.timing.t_ccs_ns) * 1_000),
            fast_t_cad: part.interfaces.fast_t_cad,
        };
        self.bus.set_timing(DieIndex(die), timing).expect("the clock suits the mode");
        self.sim.delay(REST).await;
    }

    /// Set Features 01h; the column carries its first parameter to `run`.
    fn set_mode(&self, die: u8, mode: TimingMode) -> BusOp {
        let column = ColumnAddress(mode.feature().into());
        BusOp { row: RowAddress(1), column, ..self.op(OpKind::SetFeatures, die, 4) }
    }

    /// The operations of the table, one by one, on die 0.
    async fn table(&self, mode: TimingMode) {
        use OpKind::*;
        let row_of = |address| move |op: BusOp| BusOp { row: RowAddress(address), ..op };
        let all = self.geometry.register_bytes().0;
        let mut ops = vec![
            self.op(ReadId, 0, 5),
            self.op(ReadParameterPage, 0, 768),
            self.op(ReadUniqueId, 0, 32),
            row_of(1)(self.op(GetFeatures, 0, 4)),
            self.set_mode(0, mode),
            self.op(ReadStatus, 0, 1),
            self.page(ReadStatusEnhanced, 0, 4, 0, 1),
            self.page(EraseBlock, 0, 4, 0, 0),
            self.page(ProgramPage, 0, 4, 0, all),
            self.page(ReadPage, 0, 4, 0, all),
            self.page(ReadPage, 0, 4, 0, 2),
            self.op(ChangeReadColumn, 0, 512),
            self.page(ChangeReadColumnEnhanced, 0, 4, 0, 512),
            self.page(LoadPage, 0, 4, 1, 512),
        ];
        let at = |column| move |op: BusOp| BusOp { column: ColumnAddress(column), ..op };
        ops.extend([
            at(1024)(self.op(ChangeWriteColumn, 0, 512)),
            at(2048)(self.op(ChangeWriteColumnAndProgram, 0, 512)),
            self.page(ProgramPageCache, 0, 4, 2, all),
            self.page(ProgramPage, 0, 4, 3, all),
            self.page(ReadPageToRegister, 0, 4, 0, 0),
            self.op(ReadCacheSequential, 0, all),
            self.page(ReadCacheRandom, 0, 4, 3, all),
            self.op(ReadCacheEnd, 0, all),
            self.page(EraseBlockMultiPlane, 0, 6, 0, 0),
            self.page(EraseBlock, 0, 7, 0, 0),
            self.page(ProgramPageMultiPlane, 0, 6, 0, all),
            self.page(ProgramPage, 0, 7, 0, all),
            self.page(ReadPageMultiPlane, 0, 6, 0, 0),
            self.page(ReadPageToRegister, 0, 7, 0, 0),
            self.page(ChangeReadColumnEnhanced, 0, 6, 0, all),
            self.page(CopybackRead, 0, 4, 0, 0),
            self.page(CopybackProgram, 0, 6, 1, 0),
            self.page(ResetLun, 0, 0, 0, 0),
        ]);
        if mode.interface == DataInterface::NvDdr {
            ops.push(self.op(SynchronousReset, 0, 0));
        }
        for op in ops {
            self.alone(op).await;
        }
    }
}

/// Runs a process on both channels; the operations on each, from the time the process says.
fn both<F, G>(
    dies_count: usize,
    clock: Picoseconds,
    on_rtl: impl FnOnce(Host<RtlBus>) -> F,
    on_model: impl FnOnce(Host<TransactionBus>) -> G,
) -> (Vec<Entry>, Vec<Entry>)
where
    F: Future<Output = ()> + 'static,
    G: Future<Output = ()> + 'static,
{
    let part = part();
    let geometry = part.geometry();
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let (model, enables) =
        if dies_count > 2 { ("onfi_controller_x8", 8) } else { ("onfi_controller_x2", 2) };
    let config = Config { model, dies: enables, clock, seed: 1, idle: Idle::Skipped };
    let rtl = RtlBus::new(&sim, &config, dies(&part, dies_count)).unwrap();
    let bus = Recorder::new(rtl.clone(), &sim);
    let rtl_log = bus.log();
    let host = on_rtl(Host { bus, sim, geometry });
    simulation.block_on("host", async move { rtl.guard(host).await }).unwrap().unwrap();

    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let targets = dies(&part, dies_count).into_iter().map(|(target, _)| target).collect();
    let controller = Controller { clock_period: clock, clocks: calibration().controller };
    let bus = Recorder::new(TransactionBus::new(&sim, controller, targets), &sim);
    let model_log = bus.log();
    simulation.block_on("host", on_model(Host { bus, sim, geometry })).unwrap();
    (rtl_log.take(), model_log.take())
}

async fn table<B: FlashBus + BusTiming>(host: Host<B>, mode: TimingMode) {
    host.sim.delay(Picoseconds(1_000_000_000)).await;
    host.bring_up(0, &part(), mode).await;
    host.table(mode).await;
}

/// The modes of the table.
fn modes() -> impl Iterator<Item = (TimingMode, Picoseconds)> {
    let of = |interface| (0..6).map(move |number| mode(interface, number));
    of(DataInterface::Sdr).chain(of(DataInterface::NvDdr))
}

/// Each operation of the table alone, in each mode: the same answer after the same clocks.
#[test]
fn single_operations_take_the_models_clocks() {
    let mut off = 0;
    for (mode, clock) in modes() {
        let (rtl, model) = both(1, clock, |host| table(host, mode), |host| table(host, mode));
        let pairs =
            compare(&rtl, &model, clock).unwrap_or_else(|error| panic!("{mode:?}: {error}"));
        let kinds: BTreeMap<u8, OpKind> =
            pairs.iter().map(|pair| (pair.op.kind as u8, pair.op.kind)).collect();
        assert!(kinds.len() >= OpKind::ALL.len() - 1, "{mode:?}: {} kinds", kinds.len());
        for Pair { op, rtl, model } in pairs {
            if rtl != model {
                off += 1;
                println!(
                    "{:?} {} {:?} of {}: RTL {}+{}+{}, model {}+{}+{}",
                    mode.interface,
                    mode.mode,
                    op.kind,
                    op.length,
                    rtl.start.0,
                    rtl.run.0,
                    rtl.answer.0,
                    model.start.0,
                    model.run.0,
                    model.answer.0,
                );
            }
        }
    }
    assert_eq!(off, 0, "operations whose clocks differ");
}

/// An erase runs and a program waits; then a reset of their die is asked for.
async fn overtaken<B: FlashBus + BusTiming + 'static>(
    host: Host<B>,
    mode: TimingMode,
    kind: OpKind,
    moment: Picoseconds,
) {
    host.sim.delay(Picoseconds(1_000_000_000)).await;
    host.bring_up(0, &part(), mode).await;
    let all = host.geometry.register_bytes().0;
    let ops =
        [host.page(OpKind::EraseBlock, 0, 4, 0, 0), host.page(OpKind::ProgramPage, 0, 4, 0, all)];
    let reset = host.op(kind, 0, 0);
    let host = std::rc::Rc::new(host);
    let running = ops.map(|op| {
        let host = std::rc::Rc::clone(&host);
        host.sim.clone().spawn(format!("{:?}", op.kind), async move { host.run(op).await })
    });
    host.sim.delay(moment).await;
    host.run(reset).await;
    for process in running {
        process.await;
    }
    host.sim.delay(REST).await;
    if kind == OpKind::SynchronousReset {
        host.alone(host.page(OpKind::ReadPage, 0, 6, 0, all)).await;
    }
}

/// A reset ends what was asked for before it at the same clock on both.
#[test]
fn resets_overtake_at_the_models_clocks() {
    let resets = [(DataInterface::Sdr, 5, OpKind::Reset), (DataInterface::NvDdr, 5, OpKind::Reset)];
    let synchronous = (DataInterface::NvDdr, 5, OpKind::SynchronousReset);
    for (interface, number, kind) in resets.into_iter().chain([synchronous]) {
        let (mode, clock) = mode(interface, number);
        for moment_ps in [120_000_000, 333_333_331] {
            let moment = Picoseconds(moment_ps);
            let on_rtl = |host| overtaken(host, mode, kind, moment);
            let (rtl, model) = both(1, clock, on_rtl, |host| overtaken(host, mode, kind, moment));
            let pairs =
                compare(&rtl, &model, clock).unwrap_or_else(|error| panic!("{mode:?}: {error}"));
            let ended = rtl.iter().filter(|one| one.completion.outcome == Outcome::TimedOut);
            assert_eq!(ended.count(), 2, "erase and program");
            for Pair { op, rtl, model } in pairs {
                assert_eq!(rtl, model, "{mode:?}, {:?} at {moment}", op.kind);
            }
        }
    }
}

/// Streams of page reads, programs and both, one process a die; how long each stream took.
async fn streams<B: FlashBus + BusTiming + 'static>(host: Host<B>, dies: u8, mode: TimingMode) {
    host.sim.delay(Picoseconds(1_000_000_000)).await;
    let part = part();
    let all = host.geometry.register_bytes().0;
    for die in 0..dies {
        host.bring_up(die, &part, mode).await;
    }
    let host = std::rc::Rc::new(host);
    for kind in [OpKind::ProgramPage, OpKind::ReadPage] {
        let of_die = |die| {
            let host = std::rc::Rc::clone(&host);
            async move {
                for page in 0..4 {
                    host.run(host.page(kind, die, 4, page, all)).await;
                }
            }
        };
        let running: Vec<_> = (0..dies)
            .map(|die| host.sim.spawn(format!("host of die {die}"), of_die(die)))
            .collect();
        for process in running {
            process.await;
        }
        host.sim.delay(REST).await;
    }
}

/// From the first request of a kind to its last answer.
fn span(log: &[Entry], kind: OpKind) -> u64 {
    let of_kind = || log.iter().filter(|entry| entry.op.kind == kind);
    let first = of_kind().map(|entry| entry.asked.0).min().expect("there are some");
    of_kind().map(|entry| entry.answered.0).max().expect("there are some") - first
}

/// Streams on several dies take the model's time within 1 %.
#[test]
fn interleaved_streams_take_the_models_time() {
    let cases = [(DataInterface::Sdr, 5), (DataInterface::NvDdr, 2), (DataInterface::NvDdr, 5)];
    for (interface, number) in cases {
        let (mode, clock) = mode(interface, number);
        for dies in [2, 8] {
            let on_rtl = |host| streams(host, dies, mode);
            let (rtl, model) = both(dies.into(), clock, on_rtl, |host| streams(host, dies, mode));
            compare(&rtl, &model, clock).unwrap_or_else(|error| panic!("{mode:?}: {error}"));
            for kind in [OpKind::ProgramPage, OpKind::ReadPage] {
                let (rtl_ps, model_ps) = (span(&rtl, kind) as f64, span(&model, kind) as f64);
                let off = model_ps / rtl_ps - 1.0;
                println!(
                    "{interface:?} {number}, {dies} dies, {kind:?}: RTL {:.2} us, model {:.2} us, \
                     {:+.3} %",
                    rtl_ps / 1e6,
                    model_ps / 1e6,
                    off * 100.0
                );
                assert!(off.abs() < 0.01, "{off}");
            }
        }
    }
}
