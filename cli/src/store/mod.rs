//! `floatgate store`: a file through firmware, codec, channel and dies, and back; what each step
//! took, and what was corrected, as a table and as a run folder with its report.

mod failure;
mod result;
mod waves;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use floatgate_cosim::device as rtl;
use floatgate_cosim::flash::Idle;
use floatgate_hal::units::{BitCount, Strength};
use floatgate_model::calibration::Calibration;
use floatgate_model::config::{Engine, SsdConfig};
use floatgate_model::device::{self, Job, StoreError};
use floatgate_report::store::{EngineKind, ModeLatency, StoreReport, StoreResult};
use floatgate_report::{Content, RunFolder};
use rayon::prelude::*;

use crate::exit::{ExitCode, Failure, OrExit};
use crate::file_codec::write;
use crate::project;
use crate::provenance::{self, Started, report_failure};
use failure::{failure, rtl_failure};
use waves::WaveOptions;

/// What the command is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The file
    file: PathBuf,
    /// The device, as in configs/ssd
    #[arg(long)]
    config: PathBuf,
    /// Write the file here as it was read back
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Folder in which the run folder is made
    #[arg(long, default_value = "out")]
    out: PathBuf,
    /// What channel and codec are, in place of what the configuration says
    #[arg(long, value_enum)]
    engine: Option<EngineChoice>,
    #[command(flatten)]
    wave: WaveOptions,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// How channel and codec are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum EngineChoice {
    /// The transaction-level models
    Model,
    /// The SystemVerilog
    Rtl,
    /// One after the other, beside each other in the report
    Both,
}

impl EngineChoice {
    fn engines(self) -> Vec<Engine> {
        match self {
            Self::Model => vec![Engine::Model],
            Self::Rtl => vec![Engine::Rtl],
            Self::Both => vec![Engine::Model, Engine::Rtl],
        }
    }
}

/// Stores a file and reads it back.
///
/// # Errors
/// A wrong configuration or file, a page that cannot be corrected, a die that fails, Ctrl-C.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let started = Started::now();
    let config = SsdConfig::load(&options.config).or_exit(ExitCode::Input)?;
    let engines = options.engine.map_or(vec![config.engine], EngineChoice::engines);
    let waves = options.wave.waves(engines.contains(&Engine::Rtl))?;
    let (code, part) = (project::code(&config.code)?, project::part(&config.part)?);
    let calibration = project::calibration()?;
    let file = fs::read(&options.file).map_err(|error| {
        Failure::new(ExitCode::Input, format!("{}: {error}", options.file.display()))
    })?;
    let job = Job { config, part, code, file, interrupt: provenance::interrupt()? };
    let stem = options.config.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = format!("store-{stem}");
    let folder = RunFolder::create(&options.out, &name).map_err(report_failure)?;

    let mut runs = Vec::new();
    for engine in engines {
        let (kind, report) = match engine {
            Engine::Model => (EngineKind::Model, on_model(&job, &calibration, options)?),
            Engine::Rtl => (EngineKind::Rtl, on_rtl(&job, waves.as_ref(), options)?),
        };
        if report.data != job.file {
            let line = format!("{}: was read back otherwise than stored", options.file.display());
            return Err(Failure::new(ExitCode::Unexpected, line));
        }
        runs.push((kind, report));
    }
    let corrected = |index: usize| -> &[BitCount] { &runs[index].1.corrected };
    if runs.len() == 2 && corrected(0) != corrected(1) {
        let line = format!("{}: model and RTL corrected other bits", options.config.display());
        return Err(Failure::new(ExitCode::Mismatch, line));
    }
    if let Some(output) = &options.output {
        write(output, &runs[0].1.data)?;
    }
    let modes = over_strength(&job, &calibration, options)?;
    let store = result::result(name, &job, &options.file, &runs, modes);
    let run = started.info(job.config.seed, rayon::current_num_threads());
    conclude(folder, &StoreReport { store, run }, &job, options)
}

/// Writes the run folder and says what is in it.
fn conclude(
    folder: RunFolder,
    report: &StoreReport,
    job: &Job,
    options: &Options,
) -> Result<(), Failure> {
    let written = folder.finish(report, &job.config).map_err(report_failure)?;
    if options.json {
        println!("{}", report.metrics_json());
    } else {
        result::print(&report.store);
        println!("{}", written.join("report.html").display());
    }
    match first_breach(&report.store) {
        Some(breach) => {
            let line = format!("{}: the protocol was broken: {breach}", options.config.display());
            Err(Failure::new(ExitCode::Unexpected, line))
        }
        None => Ok(()),
    }
}

fn first_breach(store: &StoreResult) -> Option<&String> {
    store.engines.iter().flat_map(|run| &run.breaches).next()
}

fn on_model(
    job: &Job,
    calibration: &Calibration,
    options: &Options,
) -> Result<device::StoreReport, Failure> {
    device::store(job, calibration).map_err(|error| failure(options, &error))
}

fn on_rtl(
    job: &Job,
    waves: Option<&rtl::Waves>,
    options: &Options,
) -> Result<device::StoreReport, Failure> {
    let stored = rtl::store(job, Idle::Skipped, waves);
    Ok(stored.map_err(|error| rtl_failure(options, &error))?.store)
}

/// Page read latency over strength and mode, on the models.
fn over_strength(
    job: &Job,
    calibration: &Calibration,
    options: &Options,
) -> Result<Vec<ModeLatency>, Failure> {
    let fail = |error: StoreError| failure(options, &error);
    let all = device::strengths(job, calibration).map_err(fail)?;
    let strengths = picked(&all, Strength(job.config.strength));
    let of_mode = |(mode, clock)| {
        let points = strengths.par_iter().map(|&t| {
            go_on(&job.interrupt)?;
            let latency = device::page_latency(job, calibration, (mode, clock), t).map_err(fail)?;
            Ok(result::strength_latency(t, &latency))
        });
        let points = points.collect::<Result<Vec<_>, Failure>>()?;
        Ok(result::mode_latency(mode, clock, points))
    };
    device::modes(job).into_par_iter().map(of_mode).collect()
}

/// Strengths that are shown: the device's, the ends, and steps between that grow.
fn picked(all: &[Strength], own: Strength) -> Vec<Strength> {
    const STEPS: [u16; 12] = [1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64];
    let ends = [all.first(), all.last()];
    let is_shown = |t: &&Strength| STEPS.contains(&t.0) || **t == own || ends.contains(&Some(*t));
    all.iter().filter(is_shown).copied().collect()
}

fn go_on(interrupt: &Arc<AtomicBool>) -> Result<(), Failure> {
    if interrupt.load(Ordering::Relaxed) { Err(Failure::interrupted()) } else { Ok(()) }
}

/// The name of a file without its folders.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
