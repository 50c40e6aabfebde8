//! `floatgate run`: a whole drive under a host's load; what the host saw, and what the drive did.

mod summary;

use std::path::PathBuf;
use std::sync::Arc;

use floatgate_model::array::Contents;
use floatgate_model::config::{ConfigError, Load, RunConfig};
use floatgate_model::host::trace::{TraceConfig, TraceSource};
use floatgate_model::host::{Capacity, RequestSource};
use floatgate_model::ssd::{RunError, Watch, run as simulate};

use crate::exit::{ExitCode, Failure, OrExit};
use crate::{project, provenance};
use summary::Summary;

/// What the command is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The run, as in configs/peers
    config: PathBuf,
    /// Replay this trace in place of the run's load, in the way of the run's trace if it has one
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Keep what is written, and check what is read
    #[arg(long)]
    check: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Runs a host's load on a drive.
///
/// # Errors
/// A wrong configuration; a load that does not fit; data that come back otherwise than written;
/// Ctrl-C, after what there is has been printed.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let path = &options.config;
    let config = RunConfig::load(path).or_exit(ExitCode::Input)?;
    let drives = project::root().join("configs/drives");
    let drive = config.load_drive(path, &drives).or_exit(ExitCode::Input)?;
    let flows = flows(options, &config.load, Capacity::of_bytes(drive.user_bytes()))?;
    let contents = if options.check { Contents::Stamps } else { Contents::Owner };
    let watch = Arc::new(Watch::new(provenance::interrupt()?));
    let result = simulate(&drive, contents, flows, config.seed, &watch)
        .map_err(|error| failure(options, &error))?;
    if let Some(breach) = result.breaches.first() {
        let count = result.breaches.len();
        let line = format!("{}: {count} sectors read wrongly, first {breach}", path.display());
        return Err(Failure::new(ExitCode::Unexpected, line));
    }
    if result.host.completed() > 0 {
        let summary = Summary::new(config.title, &drive, &result);
        if options.json {
            println!("{}", serde_json::to_string_pretty(&summary).expect("plain data"));
        } else {
            print!("{summary}");
        }
    }
    match (result.is_interrupted, result.submitted) {
        (true, requests) => {
            let line = format!("interrupted after {requests} requests");
            Err(Failure::new(ExitCode::Interrupted, line))
        }
        (false, 0) => {
            let line = format!("{}: there is no request", path.display());
            Err(Failure::new(ExitCode::Input, line))
        }
        (false, _) => Ok(()),
    }
}

/// Where the requests come from.
fn flows(
    options: &Options,
    load: &Load,
    capacity: Capacity,
) -> Result<Vec<Box<dyn RequestSource>>, Failure> {
    let trace = |config: &TraceConfig| -> Result<Vec<Box<dyn RequestSource>>, Failure> {
        Ok(vec![Box::new(TraceSource::open(config, capacity).or_exit(ExitCode::Input)?)])
    };
    match (&options.trace, load) {
        (Some(path), Load::Trace(config)) => {
            trace(&TraceConfig { path: path.clone(), ..config.clone() })
        }
        (Some(path), Load::Workload(_)) => trace(&TraceConfig::new(path)),
        (None, Load::Trace(config)) => trace(config),
        (None, Load::Workload(workload)) => {
            let sources = workload.sources(capacity).map_err(|mut fault| {
                fault.field = format!("load.{}", fault.field);
                Failure::new(ExitCode::Input, ConfigError::at(&options.config, fault))
            })?;
            Ok(sources.into_iter().map(|source| Box::new(source) as _).collect())
        }
    }
}

fn failure(options: &Options, error: &RunError) -> Failure {
    let code = match error {
        RunError::Ftl(_) | RunError::OutOfRange { .. } | RunError::Trace(_) => ExitCode::Input,
        RunError::Deadlock(_) => ExitCode::Unexpected,
    };
    match error {
        // It names the trace's file and line itself.
        RunError::Trace(error) => Failure::new(code, error),
        _ => Failure::new(code, format!("{}: {error}", options.config.display())),
    }
}
