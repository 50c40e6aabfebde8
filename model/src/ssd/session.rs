//! A drive through stages of load, each measured apart: filled, worn into its steady state, asked.
//!
//! Enters: a drive's configuration, then the flows of one stage after the other. Leaves: for each
//! stage what the host saw and what the drive did in it. A stage ends with its last completion.

use std::rc::Rc;
use std::sync::Arc;

use floatgate_firmware::drive::DriveCounts;
use floatgate_hal::units::Picoseconds;

use super::run::unless_one_fails;
use super::{HostStatistics, RunError, Ssd, Watch, start_flows};
use crate::array::{ChannelEngine, Contents, Record, Switch};
use crate::config::DriveConfig;
use crate::host::RequestSource;
use crate::sim::{Sim, Simulation};

/// A drive that lives through stages.
pub struct Session {
    simulation: Simulation,
    ssd: Rc<Ssd>,
    flows: u32,
    watch: Arc<Watch>,
    switches: Vec<Rc<Switch>>,
}

/// What came of a stage.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What the host saw.
    pub host: HostStatistics,
    /// What firmware did.
    pub drive: DriveCounts,
    /// From its start to its last completion.
    pub span: Picoseconds,
}

impl Stage {
    /// Completed requests per second.
    pub fn iops(&self) -> f64 {
        self.host.completed() as f64 / self.seconds()
    }

    /// Bytes read and written, 10^6 of them per second.
    pub fn mb_per_s(&self) -> f64 {
        (self.host.bytes_read + self.host.bytes_written) as f64 / 1e6 / self.seconds()
    }

    /// Pages programmed for each page that the host wrote; 0 if it wrote nothing.
    pub fn write_amplification(&self) -> f64 {
        let DriveCounts { host_pages, stored_pages, moved_pages, .. } = self.drive;
        (stored_pages + moved_pages) as f64 / host_pages.max(1) as f64
    }

    /// Pages of a unit that were not free when a block of it was chosen to be collected, in the
    /// mean; 0 if none was.
    pub fn written_at_choice(&self) -> f64 {
        self.drive.written_at_choice as f64 / self.drive.choices.max(1) as f64
    }

    /// Pages that a collection moved, in the mean; 0 if there was none.
    pub fn moved_per_collection(&self) -> f64 {
        self.drive.moved_pages as f64 / self.drive.collections.max(1) as f64
    }

    fn seconds(&self) -> f64 {
        self.span.0 as f64 / 1e12
    }
}

impl Session {
    /// A fresh drive for stages of so many flows; data are not kept.
    ///
    /// # Errors
    /// The flash has no room for the user's pages and for collection.
    pub fn new(
        config: &DriveConfig,
        flows: u32,
        seed: u64,
        watch: &Arc<Watch>,
    ) -> Result<Self, RunError> {
        let simulation = Simulation::new(seed);
        let ssd = Ssd::fresh(&simulation.sim(), config, Contents::Owner, flows, seed)?;
        Ok(Self {
            simulation,
            ssd: Rc::new(ssd),
            flows,
            watch: Arc::clone(watch),
            switches: Vec::new(),
        })
    }

    /// Gives a channel an engine, which is made in the session's simulation.
    ///
    /// # Errors
    /// Those of making it.
    ///
    /// # Panics
    /// After the first stage; if there is no such channel, or the dies do what no engine does.
    pub fn attach<E>(
        &mut self,
        channel: u32,
        make: impl FnOnce(&Sim) -> Result<Rc<dyn ChannelEngine>, E>,
    ) -> Result<Rc<Switch>, E> {
        let engine = make(&self.simulation.sim())?;
        let switch = self.ssd.drive().array().attach(channel, engine);
        self.switches.push(Rc::clone(&switch));
        Ok(switch)
    }

    /// Lets the engine of a channel carry its operations out from now on.
    ///
    /// # Errors
    /// An engine fails.
    pub fn switch_on(&mut self, switch: &Rc<Switch>) -> Result<(), RunError> {
        let (ssd, switch) = (Rc::clone(&self.ssd), Rc::clone(switch));
        let work = async move {
            ssd.drive().array().switch_on(&switch).await;
            Ok(())
        };
        self.simulation.block_on("switch", unless_one_fails(self.switches.clone(), work))?
    }

    /// What the engine of a channel has done; none if it was never on.
    pub fn record(&self, switch: &Switch) -> Option<Record> {
        self.ssd.drive().array().record(switch)
    }

    /// Runs the flows of a stage to their ends, or until they are interrupted.
    ///
    /// # Errors
    /// [`RunError`].
    ///
    /// # Panics
    /// Where there are more flows than the session is for.
    pub fn run<S: RequestSource + 'static>(&mut self, flows: Vec<S>) -> Result<Stage, RunError> {
        assert!(flows.len() <= self.flows as usize, "more flows than the session is for");
        let sim = self.simulation.sim();
        let (before, start) = (self.ssd.drive().counts(), sim.now());
        self.ssd.drive().host().reset_statistics();
        let flows = start_flows(&sim, &self.ssd, flows, &self.watch);
        let drained = Rc::clone(&self.ssd);
        let work = async move {
            for flow in flows {
                flow.await?;
            }
            drained.drive().host().drain().await;
            Ok::<_, RunError>(())
        };
        let switches = self.switches.clone();
        self.simulation.block_on("host", unless_one_fails(switches, work))??;
        let drive = self.ssd.drive();
        let host = drive.host().statistics().clone();
        let span = Picoseconds(host.last.0.saturating_sub(start.0));
        Ok(Stage { drive: drive.counts().since(&before), span, host })
    }
}
