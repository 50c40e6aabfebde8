//! A device whose channel controller and codec are RTL, put together as the model's is.
//!
//! In: a configuration and a file. Out: the report of storing it and reading it back, with the
//! clocks that the RTL was given ([`store`]).

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::units::{Cycles, Picoseconds};
use floatgate_model::channel::Usage;
use floatgate_model::config::SsdConfig;
use floatgate_model::device::{
    Device, DeviceBus, Job, StoreError, StoreReport, check_sizes, settings,
};
use floatgate_model::die::{Part, Target};
use floatgate_model::pins::PinOptions;
use floatgate_model::sim::{Event, Sim, Simulation};
use verilated::{Trace, TraceFormat, TraceWindow};

use crate::ecc::RtlEcc;
use crate::flash::{BusError, Config, Idle, RtlBus};
use crate::lockstep::{Entry, Recorder};
use crate::wave::{self, TimeMap, Transcript, WaveFormat};

/// Controllers of `build.rs`, with the dies that they have chip enables for.
pub(crate) const CONTROLLERS: [(&str, usize); 2] =
    [("onfi_controller_x2", 2), ("onfi_controller_x8", 8)];

/// The smallest controller for so many dies, with its chip enables.
pub(crate) fn with_enables(dies: usize) -> Option<(&'static str, usize)> {
    CONTROLLERS.into_iter().find(|&(_, enables)| enables >= dies)
}

/// Why a file is not stored, or not read back.
#[derive(Debug, thiserror::Error)]
pub enum RtlStoreError {
    /// As on the model.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The channel's RTL has failed, or broken the protocol.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The codec's RTL has failed, or a model is not linked in.
    #[error(transparent)]
    Rtl(#[from] verilated::Error),
    /// A waveform cannot be written.
    #[error("{}: {source}", path.display())]
    Wave {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Nothing happened in a waveform's window.
    #[error("the waveform's window shows nothing: the run ended at {} us", end.0 / 1_000_000)]
    OutsideWindow {
        /// When the run ended.
        end: Picoseconds,
    },
    /// No controller has so many chip enables.
    #[error("{dies} dies: the controller RTL has at most {most} chip enables")]
    Dies {
        /// Dies that were asked for.
        dies: u8,
        /// Chip enables of the largest controller.
        most: usize,
    },
}

/// What came of a file, and what the RTL took for it.
#[derive(Clone, Debug, PartialEq)]
pub struct RtlStoreReport {
    /// As the model reports it.
    pub store: StoreReport,
    /// Clocks of the controller that were simulated.
    pub clocks: Cycles,
    /// The operations on the channel.
    pub log: Vec<Entry>,
}

/// A waveform of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// Its file.
    pub path: PathBuf,
    /// Its format.
    pub format: WaveFormat,
    /// What of the run it shows.
    pub window: Window,
}

/// What of a run a waveform shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// From a time, or from when the dies are mounted: thousands of blocks are looked at before
    /// that. To a time, or to the end.
    Between {
        /// Its beginning.
        from: Option<Picoseconds>,
        /// Its end.
        to: Option<Picoseconds>,
    },
    /// At least so long before the end or the failure, and nothing before the mount. It is kept in
    /// memory until then.
    Last(Picoseconds),
}

impl Waves {
    /// The trace whose times are still those of the RTL's clocks.
    fn raw(&self) -> PathBuf {
        self.path.with_extension("raw.vcd")
    }

    fn trace(&self, clock: Picoseconds) -> Trace {
        let window = match self.window {
            Window::Between { .. } => TraceWindow::All,
            Window::Last(span) => TraceWindow::LastClocks(span.0.div_ceil(clock.0) + 1),
        };
        Trace { path: self.raw(), format: TraceFormat::Vcd, window }
    }

    /// Makes the file, so that it shows whether it can be made.
    fn check(&self) -> Result<(), RtlStoreError> {
        std::fs::File::create(&self.path).map(drop).map_err(|source| self.fault(source))
    }

    fn fault(&self, source: io::Error) -> RtlStoreError {
        RtlStoreError::Wave { path: self.path.clone(), source }
    }

    /// Brings what was traced to the time of the simulation.
    fn finish(&self, traced: Traced, log: &[Entry], dies: u8) -> Result<(), RtlStoreError> {
        let Traced { times, mut transcript, end } = traced;
        transcript.operations = log.to_vec();
        let target = wave::Target { path: &self.path, format: self.format, dies };
        let written = wave::write(&self.raw(), &times, &transcript, end, &target);
        written.and_then(|()| std::fs::remove_file(self.raw())).map_err(|source| self.fault(source))
    }
}

/// What a trace has seen.
struct Traced {
    times: TimeMap,
    transcript: Transcript,
    end: Picoseconds,
}

/// Traces a channel in its window, from inside the simulation.
struct Tracer {
    bus: RtlBus,
    sim: Sim,
    mounted: Event,
    /// What its window has given, once that is over.
    traced: RefCell<Option<Result<Traced, verilated::Error>>>,
}

impl Tracer {
    /// Waits for the window, and starts and ends the trace.
    async fn run(&self, waves: &Waves, clock: Picoseconds) {
        let (from, to) = match waves.window {
            Window::Between { from, to } => (from, to),
            Window::Last(_) => (None, None),
        };
        match from {
            Some(from) => self.sim.delay_until(from).await,
            None => self.mounted.wait().await,
        }
        if to.is_some_and(|to| to <= self.sim.now()) {
            return;
        }
        if let Err(error) = self.bus.start_trace(&waves.trace(clock)) {
            *self.traced.borrow_mut() = Some(Err(error));
        } else if let Some(to) = to {
            self.sim.delay_until(to).await;
            self.end();
        }
    }

    /// Ends the trace that there is.
    fn end(&self) {
        if self.bus.is_traced() {
            let end = self.sim.now();
            let ended = self.bus.end_trace();
            let traced = ended.map(|(times, transcript)| Traced { times, transcript, end });
            *self.traced.borrow_mut() = Some(traced);
        }
    }

    /// What was traced, at the end of a run.
    fn take(&self) -> Result<Traced, RtlStoreError> {
        self.end();
        match self.traced.take() {
            Some(traced) => Ok(traced?),
            None => Err(RtlStoreError::OutsideWindow { end: self.sim.now() }),
        }
    }
}

/// The controller for a configuration.
///
/// # Errors
/// There is none for so many dies.
pub fn controller(config: &SsdConfig, idle: Idle) -> Result<Config, RtlStoreError> {
    let dies = usize::from(config.dies);
    let [.., (_, most)] = CONTROLLERS;
    let (model, dies) =
        with_enables(dies).ok_or(RtlStoreError::Dies { dies: config.dies, most })?;
    let clock = Picoseconds(config.controller_clock_ps);
    Ok(Config { model, dies, clock, seed: config.seed, idle })
}

/// The dies of a configuration, at pins.
pub fn targets(config: &SsdConfig, part: &Arc<Part>) -> Vec<(Target, PinOptions)> {
    let with_pins = |settings| {
        let options = PinOptions::of(part, &settings);
        (Target::new(Arc::clone(part), settings), options)
    };
    settings(config).into_iter().map(with_pins).collect()
}

/// Stores a file on the device of a configuration, lets the days pass, and reads it back, all in
/// RTL and on pins; with a waveform where asked for, also of a run that fails.
///
/// # Errors
/// [`RtlStoreError`], the first one.
pub fn store(
    job: &Job,
    idle: Idle,
    waves: Option<&Waves>,
) -> Result<RtlStoreReport, RtlStoreError> {
    check_sizes(job)?;
    let config = &job.config;
    let mut simulation = Simulation::new(config.seed);
    let sim = simulation.sim();
    let bus = RtlBus::new(&sim, &controller(config, idle)?, targets(config, &job.part))?;
    // Before the run: a place that cannot be written is better known now than after it.
    if let Some(waves) = waves {
        waves.check()?;
    }
    let mounted = sim.event("mount");
    let clock = Picoseconds(config.controller_clock_ps);
    let tracer = waves.map(|waves| trace(&sim, &bus, &mounted, waves, clock));
    let recorder = Recorder::new(bus.clone(), &sim);
    let log = recorder.log();
    let (guard, dies) = (bus.clone(), config.dies);
    let job = job.clone();
    let run = async move {
        let Job { config, code, file, .. } = &job;
        let ecc = RtlEcc::new(&sim, code, Picoseconds(config.codec_clock_ps), config.seed)?;
        let codec = ecc.guard();
        let device = Rc::new(Device::new(&sim, recorder, ecc, &job)?);
        let path = async {
            let dies = device.mount().await?;
            mounted.notify();
            device.store(dies, file).await.map_err(RtlStoreError::from)
        };
        guard.guard(codec.run(path)).await??
    };
    let ended = simulation.block_on("store", run).map_err(StoreError::from);
    let log = log.take();
    let waved = waves.zip(tracer).map_or(Ok(()), |(waves, tracer)| {
        tracer.take().and_then(|traced| waves.finish(traced, &log, dies))
    });
    // Why the run failed comes before what became of its waveform.
    let store = ended??;
    waved?;
    Ok(RtlStoreReport { store, clocks: bus.clocks(), log })
}

/// Starts the tracer of a channel.
fn trace(
    sim: &Sim,
    bus: &RtlBus,
    mounted: &Event,
    waves: &Waves,
    clock: Picoseconds,
) -> Rc<Tracer> {
    let tracer = Rc::new(Tracer {
        bus: bus.clone(),
        sim: sim.clone(),
        mounted: mounted.clone(),
        traced: RefCell::default(),
    });
    let (process, waves) = (Rc::clone(&tracer), waves.clone());
    sim.spawn_server("tracer", async move { process.run(&waves, clock).await });
    tracer
}

impl DeviceBus for RtlBus {
    fn usage(&self) -> Usage {
        self.usage()
    }

    fn with_target<R>(&self, die: DieIndex, look: impl FnOnce(&mut Target) -> R) -> R {
        self.with_target(die, look)
    }
}
