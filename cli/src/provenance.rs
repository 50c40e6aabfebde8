//! How a run went, for its run folder, and Ctrl-C while it goes.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use floatgate_cosim::synth::Toolchain;
use floatgate_report::ReportError;
use floatgate_report::model::{RunInfo, Tool};

use crate::exit::{ExitCode, Failure, OrExit};
use crate::project;

/// A flag that Ctrl-C and a request to end set.
///
/// # Errors
/// The system refuses.
pub(crate) fn interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let interrupt = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupt))
            .or_exit(ExitCode::Unexpected)?;
    }
    Ok(interrupt)
}

/// When a run began.
#[derive(Clone, Debug)]
pub(crate) struct Started {
    at: Instant,
    utc: String,
}

impl Started {
    /// Now.
    pub(crate) fn now() -> Self {
        let utc = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        Self { at: Instant::now(), utc }
    }

    /// The circumstances of a run that ends now.
    pub(crate) fn info(&self, seed: u64, jobs: usize) -> RunInfo {
        RunInfo { tools: tools(), ..self.own_info(seed, jobs) }
    }

    /// The same of a run that asks no tool for anything.
    pub(crate) fn own_info(&self, seed: u64, jobs: usize) -> RunInfo {
        RunInfo {
            command: std::env::args().collect(),
            seed,
            git_revision: git_revision(&project::root()),
            started_utc: self.utc.clone(),
            wall_time_s: self.at.elapsed().as_secs_f64(),
            jobs: jobs as u32,
            tools: vec![own_version()],
        }
    }
}

/// A run folder's failure with its exit code.
pub(crate) fn report_failure(error: ReportError) -> Failure {
    let code = match error {
        ReportError::Inconsistent(_) | ReportError::Config(_) => ExitCode::Unexpected,
        _ => ExitCode::Output,
    };
    Failure::new(code, error)
}

fn git_revision(root: &Path) -> Option<String> {
    let output = Command::new("git")
        .args(["-C".as_ref(), root.as_os_str(), "rev-parse".as_ref(), "HEAD".as_ref()])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn own_version() -> Tool {
    Tool { name: "floatgate".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) }
}

fn tools() -> Vec<Tool> {
    let toolchain = Toolchain::find();
    let version_of = |program: &str, argument: &str| {
        let output = Command::new(program).arg(argument).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().next().map(|line| line.trim().to_owned())
    };
    let verilator =
        Tool { name: "verilator".to_owned(), version: version_of("verilator", "--version") };
    let synthesis = [("yosys", &toolchain.yosys), ("sta", &toolchain.sta)];
    let synthesis = synthesis.into_iter().map(|(name, tool)| Tool {
        name: name.to_owned(),
        version: tool.as_ref().ok().map(|tool| tool.version.clone()),
    });
    [own_version(), verilator].into_iter().chain(synthesis).collect()
}
