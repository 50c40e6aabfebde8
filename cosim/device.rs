//! A device whose channel controller and codec are RTL, put together as the model's is.
//!
//! In: a configuration and a file. Out: the report of storing it and reading it back, with the
//! clocks that the RTL was given ([`store`]).

use std::path::{Path, PathBuf};
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
use floatgate_model::sim::Simulation;
use verilated::{Trace, TraceFormat, TraceWindow};

use crate::ecc::RtlEcc;
use crate::flash::{BusError, Config, Idle, RtlBus};
use crate::lockstep::{Entry, Recorder};
use crate::wave::retime;

/// Controllers of `build.rs`, with the dies that they have chip enables for.
const CONTROLLERS: [(&str, usize); 2] = [("onfi_controller_x2", 2), ("onfi_controller_x8", 8)];

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

/// The two files of a run's waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// The RTL's signals.
    pub signals: PathBuf,
    /// What went over the bus, the dies' states and firmware's operations.
    pub transactions: PathBuf,
}

impl Waves {
    /// The files for a name: `F.vcd` and `F.transactions.vcd`.
    pub fn at(signals: &Path) -> Self {
        let signals = signals.to_owned();
        Self { transactions: signals.with_extension("transactions.vcd"), signals }
    }

    /// The trace whose times are still those of the RTL's clocks.
    fn raw(&self) -> PathBuf {
        self.signals.with_extension("raw.vcd")
    }

    fn trace(&self) -> Trace {
        Trace { path: self.raw(), format: TraceFormat::Vcd, window: TraceWindow::All }
    }

    /// Makes the files, so that it shows whether they can be made.
    fn check(&self) -> Result<(), RtlStoreError> {
        for path in [&self.signals, &self.transactions] {
            let made = std::fs::File::create(path);
            made.map_err(|source| RtlStoreError::Wave { path: path.clone(), source })?;
        }
        Ok(())
    }

    /// Brings both files to the time of the simulation.
    fn finish(&self, bus: &RtlBus, log: &[Entry], dies: u8) -> Result<(), RtlStoreError> {
        let (times, mut transcript) = bus.end_trace()?;
        transcript.operations = log.to_vec();
        let wave = |path: &Path, result: std::io::Result<()>| {
            result.map_err(|source| RtlStoreError::Wave { path: path.to_owned(), source })
        };
        wave(&self.signals, retime(&self.raw(), &self.signals, &times))?;
        wave(&self.raw(), std::fs::remove_file(self.raw()))?;
        wave(&self.transactions, transcript.write(&self.transactions, dies))
    }
}

/// The controller for a configuration.
///
/// # Errors
/// There is none for so many dies.
pub fn controller(config: &SsdConfig, idle: Idle) -> Result<Config, RtlStoreError> {
    let dies = usize::from(config.dies);
    let [.., (_, most)] = CONTROLLERS;
    let found = CONTROLLERS.into_iter().find(|&(_, enables)| enables >= dies);
    let (model, dies) = found.ok_or(RtlStoreError::Dies { dies: config.dies, most })?;
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
/// RTL and on pins; with waveforms where asked for, also of a run that fails. They begin when the
/// dies are mounted: thousands of blocks are looked at before that.
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
    let trace = waves.map(Waves::trace);
    let recorder = Recorder::new(bus.clone(), &sim);
    let log = recorder.log();
    let (guard, traced, dies) = (bus.clone(), bus.clone(), config.dies);
    let job = job.clone();
    let run = async move {
        let Job { config, code, file, .. } = &job;
        let ecc = RtlEcc::new(&sim, code, Picoseconds(config.codec_clock_ps), config.seed)?;
        let codec = ecc.guard();
        let device = Rc::new(Device::new(&sim, recorder, ecc, &job)?);
        let path = async {
            let mounted = device.mount().await?;
            if let Some(trace) = trace {
                traced.start_trace(&trace)?;
            }
            device.store(mounted, file).await.map_err(RtlStoreError::from)
        };
        guard.guard(codec.run(path)).await??
    };
    let ended = simulation.block_on("store", run).map_err(StoreError::from);
    let log = log.take();
    let waved = match waves.filter(|_| bus.is_traced()) {
        Some(waves) => waves.finish(&bus, &log, dies),
        None => Ok(()),
    };
    // Why the run failed comes before what became of its waveform.
    let store = ended??;
    waved?;
    Ok(RtlStoreReport { store, clocks: bus.clocks(), log })
}

impl DeviceBus for RtlBus {
    fn usage(&self) -> Usage {
        self.usage()
    }

    fn with_target<R>(&self, die: DieIndex, look: impl FnOnce(&mut Target) -> R) -> R {
        self.with_target(die, look)
    }
}
