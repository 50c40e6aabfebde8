//! Area and timing of the RTL: runs Yosys and OpenSTA over many designs side by side and keeps the
//! results by content.
//!
//! Enters: [`SynthJob`]s (a top module, its parameters, source files, a cell library, and which
//! netlist). Leaves: [`SynthResult`]s (cells, flip-flops, gate equivalents, square micrometres,
//! shares of the sub-blocks, critical path). The recipes are `ecc-rtl/synth/area.tcl` and
//! `timing.tcl`, which run by hand as well.
//!
//! A gate equivalent is the area of the library's smallest two-input NAND gate, as gate counts are
//! given in the literature. Areas are of cells alone, without wiring; paths are timed with an ideal
//! clock and without wire load, so frequencies compare designs and promise nothing in silicon.

mod blocks;
mod cache;
mod error;
mod flow;
mod job;
mod liberty;
mod process;
mod sources;
mod sta;
mod stat;
mod tools;

use std::{
    collections::{HashMap, HashSet},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

pub use blocks::{Block, BlockArea};
pub use error::{SynthError, ToolMissing};
pub use job::{Area, DEFAULT_LIBERTY, SynthJob, SynthResult, Timing, Variant};
pub use tools::{Tool, Toolchain};

use cache::{Cache, Key};
use flow::Flow;

/// How jobs are run.
#[derive(Clone, Debug)]
pub struct SynthSetup {
    /// Folder of `area.tcl`, `buffered.abc` and `timing.tcl`.
    pub scripts_dir: PathBuf,
    /// Folder of kept results; made if absent, may be deleted at any time.
    pub cache_dir: PathBuf,
    /// The programs.
    pub tools: Toolchain,
    /// How many jobs are at work at once.
    pub jobs: NonZeroUsize,
    /// Set from outside (by a signal handler, say) to stop: tools at work are killed with all their
    /// children, and every job without a result ends as [`SynthError::Interrupted`].
    pub interrupt: Arc<AtomicBool>,
}

impl SynthSetup {
    /// The usual setup in a project folder: its own scripts, the tools of the search path, and the
    /// results in `target/synth-cache`, where a cleaning build removes them too.
    pub fn in_project(project_root: &Path, jobs: NonZeroUsize) -> Self {
        Self {
            scripts_dir: project_root.join("ecc-rtl/synth"),
            cache_dir: project_root.join("target/synth-cache"),
            tools: Toolchain::find(),
            jobs,
            interrupt: Arc::default(),
        }
    }
}

/// What happens to a job.
#[derive(Debug)]
pub enum SynthEvent<'a> {
    /// The tools begin.
    Started,
    /// The result was there already.
    Cached,
    /// The tools have ended well.
    Finished {
        /// Wall-clock time of the tools, with what they made of the design besides.
        elapsed: Duration,
    },
    /// There will be no result.
    Failed(&'a SynthError),
}

/// Is told of the progress of jobs, from the threads that run them. Each job ends with one event
/// other than [`SynthEvent::Started`].
pub trait SynthObserver: Sync {
    /// Something happened to `job`.
    fn on_event(&self, job: &SynthJob, event: SynthEvent<'_>);
}

/// Watches nothing.
impl SynthObserver for () {
    fn on_event(&self, _job: &SynthJob, _event: SynthEvent<'_>) {}
}

/// Runs all jobs, starting them in the order given (long ones first use the machine best), and
/// returns their results in that order. Equal jobs are run once. The results do not depend on the
/// number of jobs at once, nor on whether they were in the cache.
///
/// # Errors
/// Fails as a whole only if the cache folder can't be made; whatever happens to one job is the
/// value in its place.
pub fn run_all(
    jobs: &[SynthJob],
    setup: &SynthSetup,
    observer: &dyn SynthObserver,
) -> Result<Vec<Result<SynthResult, SynthError>>, SynthError> {
    let cache = Cache::open(&setup.cache_dir)?;
    let prepare = |job| Flow::prepare(job, &setup.scripts_dir, &setup.tools);
    let flows: Vec<_> = jobs.iter().map(prepare).collect();
    let results = run_distinct(&flows, setup, &cache, observer);
    let mut told = HashSet::new(); // by the thread that ran it
    let outcome = flows.iter().zip(jobs).map(|(flow, job)| match flow {
        Ok(flow) => {
            let result = results[&flow.key].clone();
            if !told.insert(&flow.key) {
                observer.on_event(
                    job,
                    result.as_ref().map_or_else(SynthEvent::Failed, |_| SynthEvent::Cached),
                );
            }
            result
        }
        Err(error) => {
            observer.on_event(job, SynthEvent::Failed(error));
            Err(error.clone())
        }
    });
    Ok(outcome.collect())
}

/// Runs one job of each key, those of one run of the tools together.
fn run_distinct<'a>(
    flows: &'a [Result<Flow<'_>, SynthError>],
    setup: &SynthSetup,
    cache: &Cache,
    observer: &dyn SynthObserver,
) -> Results<'a> {
    let mut keys = HashSet::new();
    let distinct = flows.iter().flatten().filter(|flow| keys.insert(&flow.key));
    let mut runs: Vec<Vec<&Flow<'_>>> = Vec::new();
    for flow in distinct {
        match runs.iter_mut().find(|run| run[0].run_key == flow.run_key) {
            Some(run) => run.push(flow),
            None => runs.push(vec![flow]),
        }
    }
    let waiting = Mutex::new(runs.iter());
    let results = Mutex::new(Results::new());
    let work = || {
        loop {
            let run = waiting.lock().expect("no holder panics").next();
            let Some(run) = run else { break };
            let done = run_one(run, setup, cache, observer);
            results.lock().expect("no holder panics").extend(done);
        }
    };
    thread::scope(|scope| {
        for _ in 0..setup.jobs.get().min(runs.len()) {
            scope.spawn(work);
        }
    });
    results.into_inner().expect("no holder panics")
}

/// Results by the keys of their jobs.
type Results<'a> = HashMap<&'a Key, Result<SynthResult, SynthError>>;

/// Takes the results of one run's jobs from the cache, or runs the tools over those that are not
/// there.
fn run_one<'a>(
    run: &[&'a Flow<'_>],
    setup: &SynthSetup,
    cache: &Cache,
    observer: &dyn SynthObserver,
) -> Results<'a> {
    let mut results = Results::new();
    for flow in run {
        if let Some(result) = cache.load(&flow.key) {
            observer.on_event(flow.job, SynthEvent::Cached);
            results.insert(&flow.key, Ok(result));
        }
    }
    let is_missing = |flow: &&&Flow<'_>| !results.contains_key(&flow.key);
    let missing: Vec<&Flow<'_>> = run.iter().filter(is_missing).copied().collect();
    let Some(first) = missing.first() else { return results };
    let start = Instant::now();
    let make = || {
        if setup.interrupt.load(Ordering::Relaxed) {
            return Err(SynthError::Interrupted);
        }
        missing.iter().for_each(|flow| observer.on_event(flow.job, SynthEvent::Started));
        let keep_log = |log: &Path| cache.keep_log(&first.key, log);
        let made = Flow::run(&missing, &setup.interrupt, keep_log)?;
        for (flow, result) in missing.iter().zip(&made) {
            cache.store(&flow.key, &flow.entry(result.clone()))?;
        }
        Ok(made)
    };
    let made = make();
    for (index, flow) in missing.iter().enumerate() {
        let event = match &made {
            Ok(_) => SynthEvent::Finished { elapsed: start.elapsed() },
            Err(error) => SynthEvent::Failed(error),
        };
        observer.on_event(flow.job, event);
        let result = made.as_ref().map(|made| made[index].clone()).map_err(Clone::clone);
        results.insert(&flow.key, result);
    }
    results
}
