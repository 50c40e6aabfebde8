//! `floatgate experiment`: published systems on the models, beside the figures published of them.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use floatgate_cosim::engine::{EnginePlan, RtlEngine};
use floatgate_model::array::ChannelEngine;
use floatgate_model::config::{ConfigError, DriveConfig, Fault};
use floatgate_model::die::Part;
use floatgate_model::experiments::ofc::{self, Measurement, OfcConfig, Outcome};
use floatgate_model::sim::Sim;
use floatgate_model::ssd::Watch;
use floatgate_report::ofc::OfcReport;
use floatgate_report::{Content, RunFolder};
use rayon::prelude::*;

use crate::exit::{ExitCode, Failure, OrExit};
use crate::progress::progress;
use crate::project;
use crate::provenance::{self, Started, report_failure};
use crate::run;

/// The systems.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Experiment {
    /// OFC, an enterprise flash controller (IBM Research Report RZ 3795, 2011)
    Ofc(Options),
}

/// What the command is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// What is measured  [default: configs/experiments/ofc.ron]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of run folders
    #[arg(long, value_name = "FOLDER", default_value = "out")]
    out: PathBuf,
    /// Measurements side by side  [default: as many as there are processors]
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// The result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs an experiment.
///
/// # Errors
/// A wrong configuration, an output that cannot be written, Ctrl-C, or a figure that is not as it
/// must be; with that the run folder is there all the same.
pub(crate) fn run(experiment: &Experiment) -> Result<(), Failure> {
    let Experiment::Ofc(options) = experiment;
    let started = Started::now();
    let root = project::root();
    let path = options.config.clone().unwrap_or_else(|| root.join("configs/experiments/ofc.ron"));
    let config = OfcConfig::load(&path).or_exit(ExitCode::Input)?;
    let drive = drive(&config.drive, &path, &root)?;
    let watch = Arc::new(Watch::new(provenance::interrupt()?));
    let folder = RunFolder::create(&options.out, "experiment-ofc").map_err(report_failure)?;
    let jobs = options.jobs.or_else(|| std::thread::available_parallelism().ok());
    let jobs = jobs.unwrap_or(NonZeroUsize::MIN);
    let part = run::rtl::part()?;
    let outcomes = measure(&config, &drive, &part, &path, jobs, &watch)?;
    let ofc = ofc::result(&config, &drive, &outcomes);
    let report = OfcReport { ofc, run: started.info(config.seed, jobs.get()) };
    let written = folder.finish(&report, &config).map_err(report_failure)?;
    if options.json {
        println!("{}", report.metrics_json());
    } else {
        print!("{}", report.table());
        println!("{}", written.join("report.html").display());
    }
    let missed = report.ofc.rows.iter().filter(|row| !row.holds()).count();
    if missed > 0 {
        let line = format!("{missed} of {} figures are not as they must be", report.ofc.rows.len());
        return Err(Failure::new(ExitCode::Unreproduced, line));
    }
    Ok(())
}

fn drive(name: &str, path: &Path, root: &Path) -> Result<DriveConfig, Failure> {
    let file = root.join("configs/drives").join(format!("{name}.ron"));
    if !file.is_file() {
        let fault = Fault::new("drive", format!("no drive `{name}` in configs/drives"));
        return Err(Failure::new(ExitCode::Input, ConfigError::at(path, fault)));
    }
    DriveConfig::load(file).or_exit(ExitCode::Input)
}

/// Measures side by side; the outcomes are in order.
fn measure(
    config: &OfcConfig,
    drive: &DriveConfig,
    part: &Part,
    path: &Path,
    jobs: NonZeroUsize,
    watch: &Arc<Watch>,
) -> Result<Vec<(Measurement, Outcome)>, Failure> {
    let all = ofc::measurements(config);
    let bar = progress(all.len(), "measuring");
    let engine = |sim: &Sim, drive: &DriveConfig| -> Result<Rc<dyn ChannelEngine>, String> {
        let plan = EnginePlan::new(drive, part, config.seed).map_err(|error| error.to_string())?;
        Ok(RtlEngine::new(sim, &plan).map_err(|error| error.to_string())?)
    };
    let one = |measurement: Measurement| {
        let outcome = measurement
            .run(config, drive, &engine, watch)
            .map_err(|error| Failure::new(ExitCode::Input, format!("{}: {error}", path.display())));
        if watch.is_interrupted() {
            return Err(Failure::interrupted());
        }
        bar.inc(1);
        Ok((measurement, outcome?))
    };
    // One by one, for they are not alike: in halves, one thread would have all the long ones.
    let numbered = |(at, measurement)| one(measurement).map(|of| (at, of));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.get()).build();
    let pool = pool.or_exit(ExitCode::Unexpected)?;
    let outcomes: Result<Vec<(usize, _)>, _> =
        pool.install(|| all.into_iter().enumerate().par_bridge().map(numbered).collect());
    bar.finish_and_clear();
    let mut outcomes = outcomes?;
    outcomes.sort_unstable_by_key(|(at, _)| *at);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}
