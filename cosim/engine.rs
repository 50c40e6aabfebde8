//! The controller RTL with dies at its pins as the engine of a drive's channel.
//!
//! In: a drive's configuration, and the steps of its dies ([`ChannelEngine`]). Out: the operations
//! of the controller that each step is, and what the pins show of it. The dies are of a part that
//! is shipped, with the drive's geometry and times; they are brought up as the run begins.

use std::cell::Cell;
use std::future::pending;
use std::rc::Rc;
use std::sync::Arc;

use floatgate_hal::flash::address::{
    BlockIndex, ColumnAddress, DieIndex, Geometry, LunIndex, PageIndex, RowAddress,
};
use floatgate_hal::flash::mode::{BusTiming, DataInterface, DieTiming, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::{BusOp, Completion, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{ByteCount, Cycles, Picoseconds};
use floatgate_model::array::{
    Carried, ChannelEngine, Columns, PageOrder, Pending, Place, PlanesTogether, Step,
};
use floatgate_model::config::{BusInterface, ControllerConfig, DriveConfig};
use floatgate_model::die::part::pages::PageScheme;
use floatgate_model::die::part::{self, PageType};
use floatgate_model::die::{Part, Settings, Target};
use floatgate_model::pins::PinOptions;
use floatgate_model::sim::{Event, Sim};

use crate::device::{CONTROLLERS, with_enables};
use crate::flash::{Config, Idle, RtlBus, Use};
use crate::guard::Guard;

/// From power-up to the first reset, and what that takes: nothing is told of it.
const POWER_UP: Picoseconds = Picoseconds(2_000_000);
/// So long before its typical end a die is looked at first, and then again and again.
const EARLY: Picoseconds = Picoseconds(1_000_000);
/// Set Features' address of the timing mode.
const TIMING_MODE: u32 = 0x01;
/// ARDY of the status register.
const ARRAY_READY: u8 = 1 << 5;
/// Bits of a row address.
const ROW_BITS: u32 = 24;

/// Why a channel of a drive cannot be RTL.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A field of the drive says what the RTL, or the dies at its pins, do not do.
    #[error("{field}: {message}")]
    Unsupported {
        /// The drive's field.
        field: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// The RTL has failed, or is not linked in.
    #[error(transparent)]
    Rtl(#[from] verilated::Error),
}

fn unsupported(field: &'static str, message: impl Into<String>) -> EngineError {
    EngineError::Unsupported { field, message: message.into() }
}

/// A channel of a drive that is to be RTL.
#[derive(Clone, Debug)]
pub struct EnginePlan {
    config: Config,
    part: Arc<Part>,
    timing: DieTiming,
    dies: u8,
}

impl EnginePlan {
    /// The channel of a drive, with dies like those of a `part` but for geometry and times.
    ///
    /// # Errors
    /// What the RTL, or the dies at its pins, do not do.
    pub fn new(drive: &DriveConfig, part: &Part, seed: u64) -> Result<Self, EngineError> {
        let Some(controller) = &drive.controller else {
            return Err(unsupported("bus", "has no controller; RTL needs `controller`"));
        };
        let features = drive.dies.features();
        if features.cache_read.is_some() {
            return Err(unsupported("dies.cache_read", "is on; RTL has no cache reads here"));
        }
        if features.suspend.is_some() {
            return Err(unsupported("dies.suspend", "is on; ONFI has no suspension"));
        }
        if features.planes_together == PlanesTogether::Any {
            return Err(unsupported("dies.planes_together", "is Any; ONFI joins the same pages"));
        }
        let mode = TimingMode {
            interface: match controller.interface {
                BusInterface::Sdr => DataInterface::Sdr,
                BusInterface::NvDdr => DataInterface::NvDdr,
            },
            mode: controller.mode,
        };
        let modes = match mode.interface {
            DataInterface::Sdr => &part.interfaces.sdr_modes,
            DataInterface::NvDdr => &part.interfaces.nv_ddr_modes,
        };
        if !modes.contains(&mode.mode) {
            let message = format!("is {}, which the dies at the pins do not have", mode.mode);
            return Err(unsupported("controller.mode", message));
        }
        let dies = drive.topology.dies_per_channel;
        let Some((model, enables)) = with_enables(dies as usize) else {
            let [.., (_, most)] = CONTROLLERS;
            let message = format!("is {dies}, the controller RTL has {most} chip enables");
            return Err(unsupported("topology.dies_per_channel", message));
        };
        let clock = Picoseconds(controller.clock_ps);
        let part = Arc::new(like(part, drive, controller)?);
        let timing = DieTiming {
            mode,
            t_ccs: Picoseconds(u64::from(part.timing.t_ccs_ns) * 1_000),
            fast_t_cad: part.interfaces.fast_t_cad,
        };
        let config = Config { model, dies: enables, clock, seed, idle: Idle::Skipped };
        Ok(Self { config, part, timing, dies: dies as u8 })
    }
}

/// A part with the geometry and the times of a drive's dies.
fn like(
    part: &Part,
    drive: &DriveConfig,
    controller: &ControllerConfig,
) -> Result<Part, EngineError> {
    let (topology, cells, features) = (&drive.topology, &drive.cells, drive.dies.features());
    let register = topology.page_bytes / 512 * controller.sector_bytes;
    let spare = u16::try_from(register.saturating_sub(topology.page_bytes));
    let (Ok(spare_bytes), true) = (spare, register <= u32::from(u16::MAX)) else {
        let message = format!("makes pages of {register} bytes, must be below 65536");
        return Err(unsupported("controller.sector_bytes", message));
    };
    if !topology.planes.is_power_of_two() {
        let message = format!("is {}, must be a power of two", topology.planes);
        return Err(unsupported("topology.planes", message));
    }
    let blocks_per_lun = topology.planes * topology.blocks_per_plane;
    let width = |count: u32| count.next_power_of_two().trailing_zeros();
    if width(blocks_per_lun) + width(topology.pages_per_block) > ROW_BITS {
        return Err(unsupported("topology", format!("has rows of more than {ROW_BITS} bits")));
    }
    let mut part = part.clone();
    let layout = &mut part.layout;
    (layout.page_bytes, layout.spare_bytes) = (register - u32::from(spare_bytes), spare_bytes);
    (layout.pages_per_block, layout.blocks_per_lun) =
        (topology.pages_per_block as u16, blocks_per_lun);
    (layout.planes, layout.luns) = (topology.planes as u8, 1);
    set_page_types(&mut part, drive)?;
    part.cells.page_order = part::PageOrder::Ascending;
    part.cells.slc_mode = None;
    // The drive's array says which reads have errors, and which blocks fail.
    part.cells.errors.model = None;
    (part.cells.program_failure_rate, part.cells.erase_failure_rate) = (0.0, 0.0);
    part.cells.endurance_cycles = u32::MAX;
    part.cells.read_disturb_limit = u64::MAX;
    let timing = &mut part.timing;
    timing.t_bers_us = cells.t_bers_us;
    let longest = |times: &[f64]| times.iter().copied().fold(0.0, f64::max).ceil() as u16;
    timing.t_r_max_us = longest(&cells.t_r_us);
    timing.t_r_multi_plane_max_us = timing.t_r_max_us;
    timing.t_prog_max_us = longest(&cells.t_prog_us);
    timing.t_bers_max_us = longest(&[cells.t_bers_us]);
    let us = |span: Picoseconds| span.0 as f64 / 1e6;
    if features.plane_busy.0 > 0 {
        timing.t_plane_busy_us = us(features.plane_busy);
    }
    timing.t_pcbsy_us = features.cache_program.map_or(timing.t_pcbsy_us, us);
    (timing.t_power_up_us, timing.t_rst_first_us) = (us(POWER_UP) / 2.0, us(POWER_UP));
    Ok(part)
}

fn set_page_types(part: &mut Part, drive: &DriveConfig) -> Result<(), EngineError> {
    let cells = &drive.cells;
    let types = cells.t_r_us.len().max(cells.t_prog_us.len());
    (part.cells.scheme, part.cells.bits_per_cell) = match (cells.page_order, types) {
        (_, 1) => (PageScheme::SingleLevel, 1),
        (PageOrder::Tlc25Nm, _) => (PageScheme::TlcPairs, 3),
        (PageOrder::InTurn, _) => {
            let message = format!("is InTurn of {types} page types, which dies at pins do not do");
            return Err(unsupported("cells.page_order", message));
        }
    };
    let of = |times: &[f64], at: usize| times[at.min(times.len() - 1)];
    let page_type = |at| PageType {
        name: format!("type {at}"),
        t_r_us: of(&cells.t_r_us, at),
        t_prog_us: of(&cells.t_prog_us, at),
        rber_factor: 1.0,
    };
    part.cells.page_types = (0..types).map(page_type).collect();
    Ok(())
}

/// A channel of a drive in RTL.
pub struct RtlEngine {
    sim: Sim,
    bus: RtlBus,
    geometry: Geometry,
    is_ready: Cell<bool>,
    has_changed: Event,
    /// Cached programs of each die whose registers are free again.
    cached: Vec<Cell<u64>>,
    guard: Guard<String>,
}

impl RtlEngine {
    /// The channel of a plan; its dies are brought up in `sim`.
    ///
    /// # Errors
    /// The RTL has failed an assertion, or is not linked in.
    pub fn new(sim: &Sim, plan: &EnginePlan) -> Result<Rc<Self>, verilated::Error> {
        let die = |target| {
            let settings = Settings {
                target,
                factory_bad_blocks: Some(0),
                factory_erased: true,
                ..Settings::default()
            };
            let options = PinOptions::of(&plan.part, &settings);
            (Target::new(Arc::clone(&plan.part), settings), options)
        };
        let bus = RtlBus::new(sim, &plan.config, (0..u32::from(plan.dies)).map(die))?;
        let engine = Rc::new(Self {
            sim: sim.clone(),
            bus,
            geometry: plan.part.geometry(),
            is_ready: Cell::new(false),
            has_changed: sim.event("an RTL channel"),
            cached: vec![Cell::new(0); plan.dies.into()],
            guard: Guard::new(sim, "failure of an RTL channel"),
        });
        let (bringing, timing, dies) = (Rc::clone(&engine), plan.timing, plan.dies);
        sim.spawn_server("bring-up of an RTL channel", async move {
            bringing.bring_up(dies, timing).await;
            bringing.is_ready.set(true);
            bringing.has_changed.notify();
        });
        Ok(engine)
    }

    /// The channel, for traces.
    pub fn bus(&self) -> &RtlBus {
        &self.bus
    }

    async fn bring_up(&self, dies: u8, timing: DieTiming) {
        self.sim.delay(POWER_UP).await;
        for die in (0..dies).map(DieIndex) {
            let op = |kind, row, length| BusOp {
                kind,
                die,
                row: RowAddress(row),
                column: ColumnAddress(0),
                length: ByteCount(length),
            };
            self.run(op(OpKind::Reset, 0, 0), Transfer::None).await;
            let features = [timing.mode.feature(), 0, 0, 0];
            let set = op(OpKind::SetFeatures, TIMING_MODE, features.len() as u32);
            self.run(set, Transfer::In(&features)).await;
            self.bus.set_timing(die, timing).expect("the drive's clock suits its mode");
            // The pins change their kind with the first operation in the new mode, and only then.
            self.status(die).await;
        }
    }

    /// Runs an operation that has to end well.
    async fn run(&self, op: BusOp, data: Transfer<'_>) -> Completion {
        let completion = self.bus.execute(op, data).await;
        if completion.outcome != Outcome::Done {
            let BusOp { kind, die, row, .. } = op;
            self.guard.fail(format!(
                "die {}: {kind:?} of row {:06X}h ended as {:?}",
                die.0, row.0, completion.outcome
            ));
            pending::<()>().await;
        }
        completion
    }

    async fn status(&self, die: DieIndex) -> u8 {
        let mut byte = [0];
        let place = Place { die: die.0.into(), block: 0, page: 0 };
        let op = self.op(OpKind::ReadStatus, place, 0..1);
        self.run(op, Transfer::Out(&mut byte)).await;
        byte[0]
    }

    fn op(&self, kind: OpKind, place: Place, columns: Columns) -> BusOp {
        let Place { die, block, page } = place;
        BusOp {
            kind,
            die: DieIndex(die as u8),
            row: self.geometry.row(LunIndex(0), BlockIndex(block), PageIndex(page as u16)),
            column: ColumnAddress(columns.start as u16),
            length: ByteCount(columns.end - columns.start),
        }
    }

    /// Operations on planes of a die, the last of another kind than those before it.
    async fn on_planes(&self, kinds: [OpKind; 2], pages: &[(Place, Vec<u8>)]) {
        let [queueing, last] = kinds;
        for (at, (place, bytes)) in pages.iter().enumerate() {
            let kind = if at + 1 == pages.len() { last } else { queueing };
            let op = self.op(kind, *place, 0..bytes.len() as u32);
            let data = if bytes.is_empty() { Transfer::None } else { Transfer::In(bytes) };
            self.run(op, data).await;
        }
    }

    async fn read(&self, kind: OpKind, place: Place, columns: Columns) -> Vec<u8> {
        let mut data = vec![0; columns.len()];
        self.run(self.op(kind, place, columns), Transfer::Out(&mut data)).await;
        data
    }

    /// Waits until a die has programmed what was given last by now.
    async fn settle(&self, die: u32, left: Picoseconds) {
        let cached = &self.cached[die as usize];
        let number = cached.get();
        // The registers are free for the next page when the array begins with this one's successor.
        let goes_on = || cached.get() > number;
        let left = Picoseconds(left.0.saturating_sub(EARLY.0));
        let _ = self.sim.timeout(left, self.has_changed.wait_until(goes_on)).await;
        while !goes_on() && self.status(DieIndex(die as u8)).await & ARRAY_READY == 0 {}
    }

    async fn step(&self, step: Step) -> Vec<u8> {
        let without = |places: Vec<Place>| -> Vec<(Place, Vec<u8>)> {
            places.into_iter().map(|place| (place, Vec::new())).collect()
        };
        match step {
            Step::Read(place, columns) => {
                return self.read(OpKind::ReadPage, place, columns).await;
            }
            Step::DataOut(place, columns) => {
                return self.read(OpKind::ChangeReadColumnEnhanced, place, columns).await;
            }
            Step::Load(places) => {
                let kinds = [OpKind::ReadPageMultiPlane, OpKind::ReadPageToRegister];
                self.on_planes(kinds, &without(places)).await;
            }
            Step::Program(pages) => {
                let kinds = [OpKind::ProgramPageMultiPlane, OpKind::ProgramPage];
                self.on_planes(kinds, &pages).await;
            }
            Step::ProgramCached(pages) => {
                let kinds = [OpKind::ProgramPageMultiPlane, OpKind::ProgramPageCache];
                self.on_planes(kinds, &pages).await;
                let cached = &self.cached[pages[0].0.die as usize];
                cached.set(cached.get() + 1);
                self.has_changed.notify();
            }
            Step::Settle { die, left } => self.settle(die, left).await,
            Step::Erase(places) => {
                let kinds = [OpKind::EraseBlockMultiPlane, OpKind::EraseBlock];
                self.on_planes(kinds, &without(places)).await;
            }
        }
        Vec::new()
    }
}

fn die_of(step: &Step) -> DieIndex {
    let die = match step {
        Step::Read(place, _) | Step::DataOut(place, _) => place.die,
        Step::Load(places) | Step::Erase(places) => places[0].die,
        Step::Program(pages) | Step::ProgramCached(pages) => pages[0].0.die,
        Step::Settle { die, .. } => *die,
    };
    DieIndex(die as u8)
}

impl ChannelEngine for RtlEngine {
    fn ready(&self) -> Pending<'_, ()> {
        Box::pin(self.has_changed.wait_until(|| self.is_ready.get()))
    }

    fn carry(&self, step: Step) -> Pending<'_, Carried> {
        Box::pin(async move {
            let (die, begun) = (die_of(&step), self.sim.now());
            let settles = matches!(step, Step::Settle { .. });
            let before = self.bus.use_of(die);
            let data = self.step(step).await;
            let Use { selected, busy } = self.bus.use_of(die);
            let array_ps = match settles {
                // The die is ready, its array is not.
                true => self.sim.now().0 - begun.0,
                false => busy.0 - before.busy.0,
            };
            let bus = Picoseconds(selected.0 - before.selected.0);
            Carried { data, bus, array: Picoseconds(array_ps) }
        })
    }

    fn put(&self, Place { die, block, page }: Place, bytes: Vec<u8>) {
        let (block, page) = (BlockIndex(block), PageIndex(page as u16));
        self.bus.with_target(DieIndex(die as u8), |die| die.put(LunIndex(0), block, page, bytes));
    }

    fn stored(&self, Place { die, block, page }: Place) -> Vec<u8> {
        let (block, page) = (BlockIndex(block), PageIndex(page as u16));
        let of = |die: &mut Target| die.stored(LunIndex(0), block, page);
        self.bus.with_target(DieIndex(die as u8), of).to_vec()
    }

    fn failure(&self) -> Pending<'_, String> {
        Box::pin(async {
            match self.bus.guard(self.guard.run(pending::<()>())).await {
                Err(error) => error.to_string(),
                Ok(Err(error)) => error,
                Ok(Ok(())) => unreachable!("what is pending does not end"),
            }
        })
    }

    fn clocks(&self) -> Cycles {
        self.bus.clocks()
    }
}
