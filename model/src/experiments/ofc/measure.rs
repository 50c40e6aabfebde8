//! What is measured, each on a drive of its own.

use std::rc::Rc;
use std::sync::Arc;

use floatgate_firmware::ftl::VictimPolicy;

use super::config::{OfcConfig, RtlCheck, Shape};
use super::load::{Load, Plan, REQUEST_PAGES};
use crate::array::{ChannelEngine, Compared};
use crate::config::{DriveConfig, Precondition};
use crate::host::Capacity;
use crate::sim::Sim;
use crate::ssd::{Part, RunError, Session, Stage, Watch};

/// A measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measurement {
    /// The rate of a load on a drive of a shape.
    Rate(Load, Shape),
    /// Where the latency of a load's requests goes, one at a time.
    Alone(Load),
    /// Random writes at an over-provisioning in per cent.
    OverProvisioned(f64),
    /// Random writes with windowed greedy collection, the window in per cent of the blocks.
    Windowed(f64),
    /// A fill in order, random writes, and two more passes in order.
    History,
    /// A load with one channel on its controller's RTL, and once more without.
    InRtl(Load),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Of a load in its steady state.
    Steady(Figures),
    /// Of a drive over its writes.
    History(Vec<HistoryPoint>),
    /// Of a channel in RTL.
    InRtl(RtlFigures),
}

/// What came of a load with a channel in RTL.
#[derive(Clone, Debug, PartialEq)]
pub struct RtlFigures {
    /// 10^6 bytes per second.
    pub mb_per_s: f64,
    /// The same with all channels in the model.
    pub model_mb_per_s: f64,
    /// The channel's operations by kind, on the RTL and in the model.
    pub compared: Vec<Compared>,
}

/// Makes the engine of a drive's channel.
pub type Engines<'a> =
    &'a (dyn Fn(&Sim, &DriveConfig) -> Result<Rc<dyn ChannelEngine>, String> + Sync);

/// What came of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Completed requests per second.
    pub iops: f64,
    /// 10^6 bytes per second.
    pub mb_per_s: f64,
    /// Pages programmed for each page written; 0 of reads.
    pub write_amplification: f64,
    /// Pages that a collection moved.
    pub moved_per_collection: f64,
    /// Pages of a unit that were not free when a block was chosen.
    pub written_at_choice: f64,
    /// Mean latency of a request by its parts, in microseconds.
    pub parts_us: Vec<(Part, f64)>,
}

/// What a drive went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// All of it written in order, for the first time.
    Fill,
    /// Written at random.
    Random,
    /// All of it written in order again.
    FirstPass,
    /// Once more.
    SecondPass,
}

/// A piece of a drive's history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryPoint {
    /// What was going on.
    pub span: Span,
    /// Drive writes up to its end.
    pub drive_writes: f64,
    /// Rate of the host's writes.
    pub mb_per_s: f64,
    /// Pages programmed for each page written.
    pub write_amplification: f64,
}

/// Pieces of a drive write in a history.
const PIECES: u64 = 16;
/// Drive writes at random in a history.
const RANDOM_DRIVE_WRITES: u64 = 3;

/// All that the experiment measures.
pub fn measurements(config: &OfcConfig) -> Vec<Measurement> {
    let shapes = [config.shape].into_iter().chain(config.shapes.iter().copied());
    let rates = shapes.flat_map(|shape| Load::ALL.map(|load| Measurement::Rate(load, shape)));
    let alone = Load::ALL.into_iter().map(Measurement::Alone);
    let over = config.over_provisioning_percent.iter().copied().map(Measurement::OverProvisioned);
    let windows = config.window_percent.iter().copied().map(Measurement::Windowed);
    let in_rtl = Load::ALL.into_iter().filter(|_| config.rtl.is_some()).map(Measurement::InRtl);
    // The longest first, so that the last one is short.
    [Measurement::History]
        .into_iter()
        .chain(in_rtl)
        .chain(over)
        .chain(windows)
        .chain(rates)
        .chain(alone)
        .collect()
}

impl Measurement {
    /// Measures on a drive; the result is of no use where it was interrupted meanwhile.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn run(
        &self,
        config: &OfcConfig,
        drive: &DriveConfig,
        engines: Engines<'_>,
        watch: &Arc<Watch>,
    ) -> Result<Outcome, RunError> {
        let percent = config.calibrated.over_provisioning_percent;
        let drive = |shape, percent| config.drive(drive, shape, percent);
        let lab = |drive| Lab { config, drive, watch };
        match *self {
            Self::Rate(load, shape) => lab(drive(shape, percent)).steady(load, false),
            Self::Alone(load) => lab(drive(config.shape, percent)).steady(load, true),
            Self::OverProvisioned(percent) => {
                lab(drive(config.shape, percent)).steady(Load::RandomWrite, false)
            }
            Self::Windowed(share) => {
                let mut drive = drive(config.shape, percent);
                let blocks = f64::from(drive.topology.blocks_per_plane);
                let window = (share / 100.0 * blocks).ceil() as u32;
                drive.ftl.victim = VictimPolicy::WindowedGreedy { window };
                lab(drive).steady(Load::RandomWrite, false)
            }
            Self::History => lab(drive(config.shape, percent)).history(),
            Self::InRtl(load) => {
                let check = config.rtl.as_ref().expect("it is measured where it is asked for");
                let mut drive = drive(config.shape, percent);
                (drive.bus, drive.controller) = (None, Some(check.controller.clone()));
                lab(drive).in_rtl(load, check, engines)
            }
        }
    }
}

/// A drive and how much is measured on it.
struct Lab<'a> {
    config: &'a OfcConfig,
    drive: DriveConfig,
    watch: &'a Arc<Watch>,
}

impl Lab<'_> {
    fn user_pages(&self) -> u64 {
        self.drive.user_pages().into()
    }

    fn session(&self) -> Result<Session, RunError> {
        Session::new(&self.drive, 1, self.config.seed, self.watch)
    }

    fn plan(&self, pages: u64) -> Plan {
        let page_bytes = u64::from(self.drive.topology.page_bytes);
        Plan { pages, from_page: 0, page_bytes, is_alone: false, seed: self.config.seed }
    }

    fn stage(&self, session: &mut Session, load: Load, plan: &Plan) -> Result<Stage, RunError> {
        let capacity = Capacity::of_bytes(self.drive.user_bytes());
        let flows = load.requests(plan, capacity);
        session.run(flows.expect("the drive is larger than a request"))
    }

    /// A load after the writes that bring the drive into its steady state.
    fn steady(mut self, load: Load, is_alone: bool) -> Result<Outcome, RunError> {
        self.drive.precondition = Precondition::Filled(1.0);
        let mut session = self.session()?;
        let measured = self.warm_up(&mut session, load)?;
        let effort = self.config.effort;
        // One at a time, fewer do: what scatters is only where their pages lie.
        let pages = if is_alone { measured.min(effort.pages) / 8 } else { measured };
        let plan = Plan { is_alone, seed: self.config.seed + 1, ..self.plan(pages) };
        let stage = self.stage(&mut session, load, &plan)?;
        Ok(Outcome::Steady(figures(load, &stage)))
    }

    /// The writes before a load; how many pages are measured then.
    fn warm_up(&self, session: &mut Session, load: Load) -> Result<u64, RunError> {
        let (effort, user) = (self.config.effort, self.user_pages());
        let drive_writes = |count: f64| (count * user as f64) as u64;
        let (warm_up, measured) = match load {
            Load::RandomWrite => {
                (drive_writes(effort.warm_up_drive_writes), drive_writes(effort.drive_writes))
            }
            // Once around, so that what is measured overwrites what was written so.
            Load::SequentialWrite => (user, effort.pages),
            Load::SequentialRead | Load::RandomRead => (0, effort.pages),
        };
        if warm_up > 0 {
            self.stage(session, load, &self.plan(warm_up))?;
        }
        Ok(measured)
    }

    fn in_rtl(
        mut self,
        load: Load,
        check: &RtlCheck,
        engines: Engines<'_>,
    ) -> Result<Outcome, RunError> {
        self.drive.precondition = Precondition::Filled(1.0);
        let plan = Plan { seed: self.config.seed + 1, ..self.plan(check.pages) };
        let mut session = self.session()?;
        self.warm_up(&mut session, load)?;
        let model_mb_per_s = self.stage(&mut session, load, &plan)?.mb_per_s();

        let mut session = self.session()?;
        let channel = check.channel;
        let switch = session
            .attach(channel, |sim| engines(sim, &self.drive))
            .map_err(|message| RunError::Engine { channel, message })?;
        self.warm_up(&mut session, load)?;
        session.switch_on(&switch)?;
        let mb_per_s = self.stage(&mut session, load, &plan)?.mb_per_s();
        let record = session.record(&switch).expect("it was switched on");
        Ok(Outcome::InRtl(RtlFigures { mb_per_s, model_mb_per_s, compared: record.compared() }))
    }

    fn history(self) -> Result<Outcome, RunError> {
        let mut session = self.session()?;
        let piece = self.user_pages() / PIECES / REQUEST_PAGES * REQUEST_PAGES;
        let spans = [
            (Span::Fill, Load::SequentialWrite, 1),
            (Span::Random, Load::RandomWrite, RANDOM_DRIVE_WRITES),
            (Span::FirstPass, Load::SequentialWrite, 1),
            (Span::SecondPass, Load::SequentialWrite, 1),
        ];
        let mut points = Vec::new();
        for (span, load, drive_writes) in spans {
            for index in 0..drive_writes * PIECES {
                let seed = self.config.seed + points.len() as u64;
                let from_page = index % PIECES * piece;
                let plan = Plan { seed, from_page, ..self.plan(piece) };
                let stage = self.stage(&mut session, load, &plan)?;
                points.push(HistoryPoint {
                    span,
                    drive_writes: (points.len() + 1) as f64 / PIECES as f64,
                    mb_per_s: stage.mb_per_s(),
                    write_amplification: stage.write_amplification(),
                });
            }
        }
        Ok(Outcome::History(points))
    }
}

fn figures(load: Load, stage: &Stage) -> Figures {
    let parts = if load.is_write() { &stage.host.write_parts } else { &stage.host.read_parts };
    let sums = parts.all();
    Figures {
        iops: stage.iops(),
        mb_per_s: stage.mb_per_s(),
        write_amplification: stage.write_amplification(),
        moved_per_collection: stage.moved_per_collection(),
        written_at_choice: stage.written_at_choice(),
        parts_us: Part::ALL.map(|part| (part, sums.mean_ps(part) / 1e6)).to_vec(),
    }
}
