//! `floatgate run`: whole drives under a host's load; what the host saw, what the drives did and
//! what limits them, as a table and as a run folder with its report.

mod load;
mod progress;
mod result;
pub(crate) mod rtl;
mod series;
mod table;

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use floatgate_cosim::engine::EnginePlan;
use floatgate_model::array::Contents;
use floatgate_model::config::{DriveConfig, RunConfig};
use floatgate_model::host::Capacity;
use floatgate_model::ssd::{Ready, RunError, RunResult, Watch};
use floatgate_report::drive::DriveReport;
use floatgate_report::model::RunInfo;
use floatgate_report::{Content, RunFolder};
use rayon::prelude::*;
use serde::Serialize;

use crate::exit::{ExitCode, Failure, OrExit};
use crate::project;
use crate::provenance::{self, Started, report_failure};
use progress::Progress;
use rtl::RtlWindow;

/// What the command is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The runs, as in configs/peers; several run side by side
    #[arg(required = true, value_name = "CONFIG")]
    configs: Vec<PathBuf>,
    /// Replay this trace in place of a run's load, in the way of the run's trace if it has one
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Keep what is written, and check what is read: a fingerprint of each sector unless told
    /// otherwise, or all of its bytes, through the codec where the drive's reads have errors
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true,
        default_missing_value = "fingerprints")]
    check: Option<Check>,
    /// Let the controller RTL, with dies at its pins, have a channel for a part of the run:
    /// channel=N[,from=TIME][,until=TIME], such as channel=0,from=1ms,until=20ms
    #[arg(long, value_name = "WINDOW")]
    rtl: Vec<RtlWindow>,
    /// Folder in which the run folders are made
    #[arg(long, default_value = "out")]
    out: PathBuf,
    /// Runs side by side at most; as many as there are processors unless given
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Print the result as one JSON document; of several runs a list of them
    #[arg(long)]
    json: bool,
}

/// What is kept of what is written.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Check {
    /// A fingerprint of each sector
    Fingerprints,
    /// All bytes: as much memory as there are data on flash
    Full,
}

impl Check {
    fn contents(self) -> Contents {
        match self {
            Self::Fingerprints => Contents::Stamps,
            Self::Full => Contents::Bytes,
        }
    }
}

/// A run that is to be.
struct Job {
    /// The run folder's name.
    name: String,
    path: PathBuf,
    /// With the trace that is replayed.
    config: RunConfig,
    drive: DriveConfig,
    /// Channels that are RTL, and what that needs.
    rtl: Vec<RtlWindow>,
    plan: Option<EnginePlan>,
}

/// A configuration with all that it names, as the run folder keeps it.
#[derive(Serialize)]
struct Resolved<'a> {
    run: &'a RunConfig,
    drive: &'a DriveConfig,
}

impl Job {
    fn prepare(path: &PathBuf, options: &Options) -> Result<Self, Failure> {
        let mut config = RunConfig::load(path).or_exit(ExitCode::Input)?;
        let drives = project::root().join("configs/drives");
        let drive = config.load_drive(path, &drives).or_exit(ExitCode::Input)?;
        if let Some(trace) = &options.trace {
            load::replace(&mut config.load, trace);
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let rtl = options.rtl.clone();
        let plan = rtl::plan(&rtl, &drive, &config.drive, config.seed)?;
        Ok(Self { name: format!("run-{stem}"), path: path.clone(), config, drive, rtl, plan })
    }

    fn run(&self, contents: Contents, watch: &Arc<Watch>) -> Result<RunResult, Failure> {
        let capacity = Capacity::of_bytes(self.drive.user_bytes());
        let flows = load::flows(&self.path, &self.config.load, capacity)?;
        let mut ready = Ready::new(&self.drive, contents, flows, self.config.seed)
            .map_err(|error| self.failure(&error))?;
        if let Some(plan) = &self.plan {
            ready = rtl::attach(ready, &self.rtl, plan)?;
        }
        let result = ready.run(watch).map_err(|error| self.failure(&error))?;
        let path = self.path.display();
        if let Some(breach) = result.breaches.first() {
            let count = result.breaches.len();
            let codewords = result.checked.and_then(|checked| checked.codewords);
            let taken = codewords.map_or(0, |codewords| codewords.miscorrected);
            let after =
                if taken > 0 { format!(" after {taken} miscorrections") } else { "".into() };
            let line = format!("{path}: {count} sectors read wrongly{after}, first {breach}");
            return Err(Failure::new(ExitCode::Unexpected, line));
        }
        if result.submitted == 0 && !result.is_interrupted {
            return Err(Failure::new(ExitCode::Input, format!("{path}: there is no request")));
        }
        Ok(result)
    }

    fn failure(&self, error: &RunError) -> Failure {
        let code = match error {
            RunError::Ftl(_) | RunError::OutOfRange { .. } | RunError::Trace(_) => ExitCode::Input,
            RunError::OutsideWindow { .. } | RunError::TooLarge { .. } => ExitCode::Input,
            RunError::Deadlock(_) => ExitCode::Unexpected,
            RunError::Engine { .. } => ExitCode::Mismatch,
        };
        match error {
            // It names the trace's file and line itself.
            RunError::Trace(error) => Failure::new(code, error),
            _ => Failure::new(code, format!("{}: {error}", self.path.display())),
        }
    }
}

/// Runs hosts' loads on drives.
///
/// # Errors
/// A wrong configuration; a load that does not fit; data that come back otherwise than written;
/// Ctrl-C, after what there is has been written.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let started = Started::now();
    let prepared: Result<Vec<Job>, Failure> =
        options.configs.iter().map(|path| Job::prepare(path, options)).collect();
    let jobs = prepared?;
    let mut names = HashSet::new();
    if let Some(twin) = jobs.iter().find(|job| !names.insert(&job.name)) {
        let line = format!("{}: another run is called {} as well", twin.path.display(), twin.name);
        return Err(Failure::new(ExitCode::Input, line));
    }
    let opened: Result<Vec<RunFolder>, _> =
        jobs.iter().map(|job| RunFolder::create(&options.out, &job.name)).collect();
    let folders = opened.map_err(report_failure)?;
    let threads = options.jobs.or_else(|| std::thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZeroUsize::get).min(jobs.len());
    let results = side_by_side(&jobs, options, threads, &provenance::interrupt()?)?;
    conclude(&jobs, folders, results, options, |seed| started.own_info(seed, threads))
}

/// The results in the order of the jobs.
fn side_by_side(
    jobs: &[Job],
    options: &Options,
    threads: usize,
    interrupt: &Arc<AtomicBool>,
) -> Result<Vec<Result<RunResult, Failure>>, Failure> {
    let contents = options.check.map_or(Contents::Owner, Check::contents);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.or_exit(ExitCode::Unexpected)?;
    let watches: Vec<Arc<Watch>> =
        jobs.iter().map(|_| Arc::new(Watch::new(Arc::clone(interrupt)))).collect();
    let _progress = Progress::show(jobs, &watches);
    Ok(pool.install(|| {
        jobs.par_iter().zip(&watches).map(|(job, watch)| job.run(contents, watch)).collect()
    }))
}

/// Writes the run folders and says what is in them; the first failure comes last.
fn conclude(
    jobs: &[Job],
    folders: Vec<RunFolder>,
    results: Vec<Result<RunResult, Failure>>,
    options: &Options,
    info: impl Fn(u64) -> RunInfo,
) -> Result<(), Failure> {
    let mut failures = Vec::new();
    let mut written = Written::default();
    for ((job, folder), result) in jobs.iter().zip(folders).zip(results) {
        match result {
            Ok(result) => {
                let info = info(job.config.seed);
                written.add(job, folder, &result, info, options.json)?;
            }
            Err(failure) => failures.push(failure),
        }
    }
    if options.json {
        written.print_documents(jobs.len());
    }
    failures.extend(written.interruption());
    failures.into_iter().next().map_or(Ok(()), Err)
}

/// What has been written so far.
#[derive(Default)]
struct Written {
    documents: Vec<String>,
    folders: Vec<String>,
    /// Requests of the runs, if any was interrupted.
    requests: u64,
    is_interrupted: bool,
}

impl Written {
    fn add(
        &mut self,
        job: &Job,
        folder: RunFolder,
        result: &RunResult,
        info: RunInfo,
        as_json: bool,
    ) -> Result<(), Failure> {
        self.requests += result.submitted;
        self.is_interrupted |= result.is_interrupted;
        if result.host.completed() == 0 {
            return Ok(());
        }
        let drive = result::result(&job.name, &job.config, &job.drive, result);
        let report = DriveReport { drive, run: info };
        let resolved = Resolved { run: &job.config, drive: &job.drive };
        let path = folder.finish(&report, &resolved).map_err(report_failure)?;
        if as_json {
            self.documents.push(report.metrics_json());
        } else {
            print!("{}", table::Table(&report.drive));
            println!("{}", path.join("report.html").display());
        }
        self.folders.push(path.display().to_string());
        Ok(())
    }

    fn print_documents(&self, runs: usize) {
        match &self.documents[..] {
            [] => {}
            [document] if runs == 1 => print!("{document}"),
            documents => println!("[\n{}]", documents.join(",\n")),
        }
    }

    fn interruption(&self) -> Option<Failure> {
        let requests = self.requests;
        self.is_interrupted.then(|| match self.folders.is_empty() {
            true => Failure::interrupted(),
            false => {
                let folders = self.folders.join(", ");
                let line = format!("interrupted after {requests} requests; {folders} ends there");
                Failure::new(ExitCode::Interrupted, line)
            }
        })
    }
}
