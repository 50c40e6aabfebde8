//! A run: the flows of a host on a drive, from the first request to the last completion.
//!
//! Enters: a drive's configuration and a source of requests for each flow. Leaves: what the host
//! saw and what the drive did. All requests that were submitted are complete at the end; anything
//! else is an error that names who waits for what. An interrupted run submits no more of them.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use floatgate_firmware::drive::DriveCounts;
use floatgate_firmware::ftl::{Ftl, FtlError, LadderCounts};
use floatgate_hal::array::Level;
use floatgate_hal::host::Access;
use floatgate_hal::units::{Picoseconds, Strength};

use super::series::Sampler;
use super::{
    BufferMemory, Command, Compared, Energy, HostStatistics, RunSeries, Ssd, Watch, Words,
};
use crate::array::{
    Array, ChannelEngine, CodewordCounts, Contents, OperationCounts, Record, Switch,
};
use crate::config::DriveConfig;
use crate::dram::DramUsage;
use crate::host::trace::TraceError;
use crate::host::{Request, RequestKind, RequestSource};
use crate::sim::{Deadlock, JoinHandle, Sim, Simulation};

/// Flash of drives whose bytes are kept, at most: what is written takes as much memory.
const KEPT_BYTES_MAX: u64 = 64 << 30;

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The drive cannot be.
    #[error(transparent)]
    Ftl(#[from] FtlError),
    /// Its data would not fit into memory.
    #[error("the drive has {} GiB of flash, and bytes are kept of {} at most",
        bytes.div_ceil(1 << 30), KEPT_BYTES_MAX >> 30)]
    TooLarge {
        /// Bytes of its flash.
        bytes: u64,
    },
    /// A request is not within the drive.
    #[error("a request for {sectors} sectors from sector {sector} on: the drive has {capacity}")]
    OutOfRange {
        /// Its first sector.
        sector: u64,
        /// Its sectors.
        sectors: u32,
        /// Sectors of the drive.
        capacity: u64,
    },
    /// A trace cannot be read or understood.
    #[error(transparent)]
    Trace(#[from] Box<TraceError>),
    /// Requests are under way, and nothing can happen any more.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    /// The engine of a channel has failed.
    #[error("channel {channel}: {message}")]
    Engine {
        /// The channel.
        channel: u32,
        /// What the engine says.
        message: String,
    },
    /// The run was over before a channel's window.
    #[error("the window of channel {channel} begins at {} us, the run ended at {} us",
        from.0 as f64 / 1e6, end.0 as f64 / 1e6)]
    OutsideWindow {
        /// The channel.
        channel: u32,
        /// When its engine was to begin.
        from: Picoseconds,
        /// When the last request was complete.
        end: Picoseconds,
    },
}

/// When an engine has a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The channel.
    pub channel: u32,
    /// From this time on, or from when the engine is ready.
    pub from: Picoseconds,
    /// Up to this time, or to the end.
    pub until: Option<Picoseconds>,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// What the host saw.
    pub host: HostStatistics,
    /// Sectors that were read and are not what was written, a line each; none where contents are
    /// not kept.
    pub breaches: Vec<String>,
    /// What was compared for that; none where contents are not kept.
    pub checked: Option<Checked>,
    /// Requests that were submitted; all are complete.
    pub submitted: u64,
    /// What firmware did.
    pub drive: DriveCounts,
    /// Operations of the flash.
    pub operations: OperationCounts,
    /// For how long each channel carried something.
    pub channels: Vec<Picoseconds>,
    /// For how long the array of each die worked.
    pub dies: Vec<Picoseconds>,
    /// Whether requests are left that were not submitted, because the run was interrupted.
    pub is_interrupted: bool,
    /// When the last request was complete.
    pub span: Picoseconds,
    /// What the buffer memory did, where the drive has one that counts.
    pub memory: Option<DramUsage>,
    /// Energy by component; none where neither power nor memory is configured.
    pub energy_j: Option<Energy>,
    /// Blocks by the strength of their code, where the drive has a ladder of them.
    pub ladder: Option<LadderUse>,
    /// The run over time.
    pub series: RunSeries,
    /// What the engines of channels did.
    pub engines: Vec<Record>,
    /// How often a process of the simulation was resumed.
    pub steps: u64,
}

/// What was checked of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Sectors that the host read.
    pub compared: Compared,
    /// Codewords that were decoded; none where bytes are not kept, or reads have no errors.
    pub codewords: Option<CodewordCounts>,
}

/// A ladder of strengths at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderUse {
    /// Of each strength the blocks for data that have it, ascending.
    pub blocks: Vec<(Strength, u32)>,
    /// Blocks that outgrew theirs.
    pub counts: LadderCounts,
}

impl LadderUse {
    fn of(ftl: &Ftl<Words>, strengths: Vec<Strength>) -> Self {
        let blocks = (0..).zip(strengths);
        let blocks = blocks.map(|(level, t)| (t, ftl.blocks_on(Level(level))));
        Self { blocks: blocks.collect(), counts: ftl.ladder_counts() }
    }
}

impl RunResult {
    /// Completed requests per second of simulated time.
    pub fn iops(&self) -> f64 {
        self.host.completed() as f64 / seconds(self.span)
    }

    /// Pages programmed for each page that the host wrote; none if it wrote nothing. Less than 1
    /// where the buffer takes several writes of a page together.
    pub fn write_amplification(&self) -> Option<f64> {
        let DriveCounts { host_pages, stored_pages, moved_pages, journal_pages, .. } = self.drive;
        let pages = stored_pages + moved_pages + journal_pages;
        (host_pages > 0).then(|| pages as f64 / host_pages as f64)
    }
}

/// Seconds.
fn seconds(span: Picoseconds) -> f64 {
    span.0 as f64 / 1e12
}

/// Runs the flows of a host on a drive, or what comes of them before they are interrupted. Where
/// contents are kept, what is read is checked.
///
/// # Errors
/// [`RunError`].
pub fn run<S: RequestSource + 'static>(
    config: &DriveConfig,
    contents: Contents,
    flows: Vec<S>,
    seed: u64,
    watch: &Arc<Watch>,
) -> Result<RunResult, RunError> {
    Ready::new(config, contents, flows, seed)?.run(watch)
}

/// A drive that is built and filled, and the flows of a host that have not begun.
pub struct Ready<S> {
    simulation: Simulation,
    ssd: Rc<Ssd>,
    flows: Vec<S>,
    counts_energy: bool,
    /// Those of the drive's ladder.
    strengths: Option<Vec<Strength>>,
    switches: Vec<(Window, Rc<Switch>)>,
}

impl<S: RequestSource + 'static> Ready<S> {
    /// Builds and fills the drive.
    ///
    /// # Errors
    /// The flash has no room for the user's pages and for collection, or is too large for its bytes
    /// to be kept.
    pub fn new(
        config: &DriveConfig,
        contents: Contents,
        flows: Vec<S>,
        seed: u64,
    ) -> Result<Self, RunError> {
        let bytes = config.flash_bytes();
        if contents == Contents::Bytes && bytes > KEPT_BYTES_MAX {
            return Err(RunError::TooLarge { bytes });
        }
        let simulation = Simulation::new(seed);
        let ssd = Ssd::fresh(&simulation.sim(), config, contents, flows.len() as u32, seed)?;
        let counts_energy = config.power.is_some() || config.dram.is_some();
        let errors = config.errors.as_ref().filter(|errors| errors.ladder.is_some());
        let strengths = errors.map(|errors| errors.errors().strengths);
        let (ssd, switches) = (Rc::new(ssd), Vec::new());
        Ok(Self { simulation, ssd, flows, counts_energy, strengths, switches })
    }

    /// Lets an engine, which is made in the run's simulation, have a channel in a window.
    ///
    /// # Errors
    /// Those of making it.
    ///
    /// # Panics
    /// If there is no such channel, or the dies do what no engine does.
    pub fn with_engine<E>(
        mut self,
        window: Window,
        make: impl FnOnce(&Sim) -> Result<Rc<dyn ChannelEngine>, E>,
    ) -> Result<Self, E> {
        let sim = self.simulation.sim();
        let switch = self.ssd.drive().array().attach(window.channel, make(&sim)?);
        let (ssd, its) = (Rc::clone(&self.ssd), Rc::clone(&switch));
        sim.clone().spawn_server(format!("window of channel {}", window.channel), async move {
            let array = ssd.drive().array();
            sim.delay_until(window.from).await;
            array.switch_on(&its).await;
            if let Some(until) = window.until {
                sim.delay_until(until).await;
                array.switch_off(&its).await;
            }
        });
        self.switches.push((window, switch));
        Ok(self)
    }

    /// [`run`].
    ///
    /// # Errors
    /// [`RunError`].
    pub fn run(self, watch: &Arc<Watch>) -> Result<RunResult, RunError> {
        let Self { mut simulation, ssd, flows, counts_energy, strengths, switches } = self;
        let sim = simulation.sim();
        let sampler = Rc::new(Sampler::default());
        let flows = start_all(&sim, &ssd, flows, watch, &sampler);
        let drained = Rc::clone(&ssd);
        let work = async move {
            for flow in flows {
                flow.await?;
            }
            drained.drive().host().drain().await;
            Ok::<_, RunError>(())
        };
        let engines: Vec<_> = switches.iter().map(|(_, switch)| Rc::clone(switch)).collect();
        simulation.block_on("host", unless_one_fails(engines, work))??;
        let drive = ssd.drive();
        let host = drive.host().statistics().clone();
        assert_eq!(host.completed(), drive.host().submitted(), "a request is lost");
        let engines = records(drive.array(), &switches, host.last)
            .or_else(|error| if watch.is_interrupted() { Ok(Vec::new()) } else { Err(error) })?;
        let usage = drive.array().usage();
        let oracle = drive.host().oracle();
        let codewords = drive.array().cells().codewords();
        Ok(RunResult {
            breaches: oracle.as_ref().map_or(Vec::new(), |of| of.breaches().to_vec()),
            checked: oracle.map(|of| Checked { compared: of.compared(), codewords }),
            is_interrupted: watch.is_interrupted(),
            memory: drive.host().memory().map(BufferMemory::usage),
            energy_j: counts_energy.then(|| ssd.energy(sim.now())),
            ladder: strengths.map(|strengths| LadderUse::of(drive.ftl(), strengths)),
            series: sampler.finish(&ssd, sim.now()),
            span: host.last,
            submitted: drive.host().submitted(),
            drive: drive.counts(),
            operations: usage.counts(),
            channels: usage.channels(sim.now()),
            dies: usage.dies(sim.now()),
            engines,
            steps: simulation.steps(),
            host,
        })
    }
}

/// Runs the host's work to its end, or to the failure of an engine.
pub(super) async fn unless_one_fails<T>(
    engines: Vec<Rc<Switch>>,
    work: impl Future<Output = Result<T, RunError>>,
) -> Result<T, RunError> {
    let mut failures: Vec<_> =
        engines.iter().map(|switch| (switch.channel(), switch.engine().failure())).collect();
    let mut work = pin!(work);
    poll_fn(move |cx| {
        for (channel, failure) in &mut failures {
            if let Poll::Ready(message) = failure.as_mut().poll(cx) {
                return Poll::Ready(Err(RunError::Engine { channel: *channel, message }));
            }
        }
        work.as_mut().poll(cx)
    })
    .await
}

/// What the engines did, which must have had their windows.
fn records(
    array: &Array,
    switches: &[(Window, Rc<Switch>)],
    end: Picoseconds,
) -> Result<Vec<Record>, RunError> {
    let record = |(window, switch): &(Window, Rc<Switch>)| {
        let Window { channel, from, .. } = *window;
        array.record(switch).ok_or(RunError::OutsideWindow { channel, from, end })
    };
    switches.iter().map(record).collect()
}

/// Starts a process for each flow, which submits its requests and ends with the last of them, or
/// when it is interrupted.
pub fn start_flows<S: RequestSource + 'static>(
    sim: &Sim,
    ssd: &Rc<Ssd>,
    flows: Vec<S>,
    watch: &Arc<Watch>,
) -> Vec<JoinHandle<Result<(), RunError>>> {
    start_all(sim, ssd, flows, watch, &Rc::default())
}

fn start_all<S: RequestSource + 'static>(
    sim: &Sim,
    ssd: &Rc<Ssd>,
    flows: Vec<S>,
    watch: &Arc<Watch>,
    sampler: &Rc<Sampler>,
) -> Vec<JoinHandle<Result<(), RunError>>> {
    let ftl = ssd.drive().ftl();
    let sectors = u64::from(ftl.geometry().sectors_per_page);
    let capacity = u64::from(ftl.config().user_pages) * sectors;
    let start = |(flow, source)| {
        let (ssd, watch, sampler) = (Rc::clone(ssd), Arc::clone(watch), Rc::clone(sampler));
        let host = Host { ssd, sim: sim.clone(), flow, capacity, watch, sampler };
        sim.spawn(format!("flow {flow}"), host.run(source))
    };
    (0..).zip(flows).map(start).collect()
}

/// A flow of the host at work.
struct Host {
    ssd: Rc<Ssd>,
    sim: Sim,
    flow: u32,
    capacity: u64,
    watch: Arc<Watch>,
    sampler: Rc<Sampler>,
}

impl Host {
    async fn run(self, mut source: impl RequestSource) -> Result<(), RunError> {
        let host = self.ssd.drive().host();
        let mut phase = None;
        while !self.watch.is_interrupted() {
            if let Some(depth) = source.queue_depth() {
                host.wait_below(self.flow, depth.get()).await;
            }
            let Some(request) = source.next_request(self.sim.now())? else { return Ok(()) };
            if request.end().0 > self.capacity {
                return Err(RunError::OutOfRange {
                    sector: request.sector.0,
                    sectors: request.sectors.0,
                    capacity: self.capacity,
                });
            }
            if request.arrival > self.sim.now() {
                self.sim.delay_until(request.arrival).await;
            }
            let now = self.sim.now();
            if self.sampler.is_due(now) {
                self.sampler.take(&self.ssd, now);
                self.watch.tell(host.submitted(), now);
            }
            if phase.replace(source.phase()) != Some(source.phase()) {
                self.sampler.begin_phase(&self.ssd, now, self.flow, source.phase());
            }
            host.submit(self.command(&request)).await;
        }
        Ok(())
    }

    fn command(&self, request: &Request) -> Command {
        Command {
            access: match (request.kind, request.fua) {
                (RequestKind::Read, _) => Access::Read,
                (RequestKind::Write, false) => Access::Write,
                (RequestKind::Write, true) => Access::WriteThrough,
                (RequestKind::Trim, _) => Access::Trim,
                (RequestKind::Flush, _) => Access::Flush,
            },
            sector: request.sector.0,
            sectors: request.sectors.0,
            wanted: request.arrival,
            flow: self.flow,
        }
    }
}
