//! A whole drive: `configs/drives/<name>.ron` enters, [`DriveConfig`] leaves.

use std::fmt;
use std::path::Path;

use floatgate_firmware::drive::{BufferConfig, slots};
use floatgate_firmware::ftl::{MAX_MOVES, VictimPolicy};
use floatgate_hal::Step;
use floatgate_hal::array::ArrayGeometry;
use floatgate_hal::units::Picoseconds;
use serde::{Deserialize, Serialize};

use super::bus::BusTimes;
use super::controller::ControllerConfig;
use super::dies::{DieConfig, PowerConfig, SuspendConfig};
use super::errors::ErrorConfig;
use super::memory::DramConfig;
use super::translation::TranslationConfig;
use super::{Check, ConfigError, Fault, load_checked};
use crate::array::{ArrayTiming, BusTiming, PageOrder, Scheduling, Topology};
use crate::ssd::{LinkConfig, has_steady_state};

/// A drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveConfig {
    /// Channels, dies, planes, blocks and pages.
    pub topology: TopologyConfig,
    /// Times of the dies.
    pub cells: CellTimes,
    /// What the dies do beside one page or block after the other; by default nothing.
    #[serde(default)]
    pub dies: DieConfig,
    /// Times of the channels ..
    #[serde(default, with = "super::given", skip_serializing_if = "Option::is_none")]
    pub bus: Option<BusTimes>,
    /// .. or the controller and the mode that they follow from.
    #[serde(default, with = "super::given", skip_serializing_if = "Option::is_none")]
    pub controller: Option<ControllerConfig>,
    /// Raw bit errors of pages that are read, and their codec; without, there are none.
    #[serde(default, with = "super::given", skip_serializing_if = "Option::is_none")]
    pub errors: Option<ErrorConfig>,
    /// What dies and channels take, where that is counted.
    #[serde(default, with = "super::given", skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerConfig>,
    /// Which of the waiting operations a die does first.
    #[serde(with = "SchedulingConfig")]
    pub scheduling: Scheduling,
    /// The way to the host.
    pub link: LinkTimes,
    /// The processor and its firmware.
    pub firmware: FirmwareConfig,
    /// The write-back buffer; without it, writes go to flash before they are reported.
    #[serde(default)]
    pub buffer: WriteBuffer,
    /// The memory of buffer and tasks, where its time and energy are to count.
    #[serde(default, with = "super::given", skip_serializing_if = "Option::is_none")]
    pub dram: Option<DramConfig>,
    /// The translation layer.
    pub ftl: TranslationConfig,
    /// What is on the drive when the run begins.
    pub precondition: Precondition,
}

/// How many of what there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologyConfig {
    /// Channels.
    pub channels: u32,
    /// Dies of a channel.
    pub dies_per_channel: u32,
    /// Planes of a die.
    pub planes: u32,
    /// Blocks of a plane.
    pub blocks_per_plane: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Data bytes of a page, a multiple of 512 up to 65,536.
    pub page_bytes: u32,
    /// Whether firmware takes the blocks of one number of a die's planes for one block, whose pages
    /// are on each plane in turn, so that the planes stay in step.
    #[serde(default)]
    pub joined_planes: bool,
}

/// Times of the dies, for each page type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellTimes {
    /// Array time of a read.
    pub t_r_us: Vec<f64>,
    /// Array time of a program.
    pub t_prog_us: Vec<f64>,
    /// Array time of an erase.
    pub t_bers_us: f64,
    /// The order of the page types in a block.
    #[serde(with = "PageOrderConfig")]
    pub page_order: PageOrder,
}

/// The way to the host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkTimes {
    /// Commands under way at most.
    pub queue_depth: u32,
    /// Bandwidth in each direction.
    pub mb_per_s: f64,
    /// From a command that is submitted until firmware sees it.
    pub command_ns: f64,
}

/// The processor and its firmware.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmwareConfig {
    /// Pages of commands under way at most.
    pub workers: u32,
    /// Cores that share the steps.
    pub cores: u32,
    /// What the steps cost.
    pub cost_ns: StepCosts,
}

/// What the steps of firmware cost on a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StepCosts {
    /// A command is taken up, with its first piece.
    pub command: f64,
    /// A piece of a command is taken up.
    pub accept: f64,
    /// The mapping is looked up.
    pub translate: f64,
    /// A page to write to is chosen.
    pub allocate: f64,
    /// The mapping is changed.
    pub map: f64,
    /// A block to collect is chosen.
    pub choose_victim: f64,
    /// A page is moved.
    pub move_page: f64,
    /// A piece is reported.
    pub report: f64,
    /// A page of the journal is put together.
    pub journal: f64,
}

/// The write-back buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteBuffer {
    /// Pages that it holds.
    pub pages: u32,
    /// Pages that are written to flash at a time.
    pub flushers: u32,
    /// With more pages than this, writing to flash begins ..
    pub flush_above: u32,
    /// .. and goes on until so many are left.
    pub flush_down_to: u32,
}

/// What is on the drive when the run begins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Precondition {
    /// Nothing.
    Empty,
    /// This share of the host's pages, 0 to 1, written in order.
    Filled(f64),
    /// All of the host's pages, overwritten at random for so long that nothing changes any more:
    /// the state is drawn from the closed form of the victim policy, which must have one.
    Steady,
    /// All of the host's pages in order, then pages at random, collected as the drive does.
    Written {
        /// Pages at random, in multiples of the host's pages.
        drive_writes: f64,
    },
}

impl fmt::Display for Precondition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "empty"),
            Self::Filled(share) => write!(f, "{} % written in order", 100.0 * share),
            Self::Steady => write!(f, "in the steady state of uniform random writes"),
            Self::Written { drive_writes } => {
                write!(f, "written in order, then {drive_writes} times at random")
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Scheduling")]
enum SchedulingConfig {
    FirstCome,
    ReadsFirst,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PageOrder")]
enum PageOrderConfig {
    InTurn,
    Tlc25Nm,
}

/// Nanoseconds as picoseconds.
pub(super) fn ns(value: f64) -> Picoseconds {
    Picoseconds((1e3 * value).round() as u64)
}

/// Microseconds as picoseconds.
pub(super) fn us(value: f64) -> Picoseconds {
    ns(1e3 * value)
}

impl DriveConfig {
    /// Reads and checks a configuration.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let mut config: Self = load_checked(path)?;
        if let Some(controller) = &mut config.controller {
            controller.load(path)?;
        }
        let sector_bytes = config.timing().bus.sector_bytes;
        if let Some(errors) = &mut config.errors {
            errors.load(path, config.topology.page_bytes, sector_bytes)?;
        }
        if let Some(dram) = &mut config.dram {
            dram.load(path)?;
        }
        config.check_memory().map_err(|fault| ConfigError::at(path, fault))?;
        Ok(config)
    }

    /// Slots of the buffer memory, those of tasks included.
    pub fn slots(&self) -> u32 {
        let (workers, moves) = (self.firmware.workers, self.ftl.moves_at_once);
        slots(&self.topology().geometry(), workers, &self.buffer(), moves)
    }

    fn check_memory(&self) -> Result<(), Fault> {
        let Some(dram) = &self.dram else { return Ok(()) };
        let needed = u64::from(self.slots()) * u64::from(self.topology.page_bytes);
        let has = dram.loaded().capacity_bytes();
        let message = format!("has {has} bytes, {} pages need {needed}", self.slots());
        holds("dram", needed <= has, message)
    }

    /// Channels, dies, planes, blocks and pages.
    pub fn topology(&self) -> Topology {
        let of = self.topology;
        Topology {
            channels: of.channels,
            dies_per_channel: of.dies_per_channel,
            planes: of.planes,
            blocks_per_plane: of.blocks_per_plane,
            pages_per_block: of.pages_per_block,
            sectors_per_page: (of.page_bytes / 512) as u8,
            joined_planes: of.joined_planes,
        }
    }

    /// Times of channels and dies.
    pub fn timing(&self) -> ArrayTiming {
        let CellTimes { t_r_us, t_prog_us, t_bers_us, page_order } = &self.cells;
        let mut timing = ArrayTiming {
            bus: self.bus.as_ref().map_or_else(BusTiming::default, BusTimes::timing),
            t_r: t_r_us.iter().copied().map(us).collect(),
            t_prog: t_prog_us.iter().copied().map(us).collect(),
            t_bers: us(*t_bers_us),
            order: *page_order,
            features: self.dies.features(),
        };
        if let Some(controller) = &self.controller {
            controller.apply(&mut timing);
        }
        timing
    }

    /// The host interface.
    pub fn link(&self) -> LinkConfig {
        LinkConfig {
            sectors_per_page: self.topology().sectors_per_page,
            queue_depth: self.link.queue_depth,
            byte: us(1.0 / self.link.mb_per_s),
            command: ns(self.link.command_ns),
        }
    }

    /// What the steps of firmware cost, in the order of [`Step::ALL`].
    pub fn costs(&self) -> [Picoseconds; Step::ALL.len()] {
        let of = self.firmware.cost_ns;
        Step::ALL.map(|step| {
            ns(match step {
                Step::Command => of.command,
                Step::Accept => of.accept,
                Step::Translate => of.translate,
                Step::Allocate => of.allocate,
                Step::Map => of.map,
                Step::ChooseVictim => of.choose_victim,
                Step::Move => of.move_page,
                Step::Report => of.report,
                Step::Journal => of.journal,
            })
        })
    }

    /// The write-back buffer.
    pub fn buffer(&self) -> BufferConfig {
        let WriteBuffer { pages, flushers, flush_above, flush_down_to } = self.buffer;
        BufferConfig { pages, flushers, flush_above, flush_down_to }
    }

    /// Pages that the host sees: U of T pages with (T - U) / U as configured.
    pub fn user_pages(&self) -> u32 {
        let pages = f64::from(self.topology().geometry().pages());
        (pages / (1.0 + self.ftl.over_provisioning_percent / 100.0)).floor() as u32
    }

    /// Bytes that the host sees.
    pub fn user_bytes(&self) -> u64 {
        u64::from(self.user_pages()) * u64::from(self.topology.page_bytes)
    }

    /// Bytes of the flash, spare areas apart.
    pub fn flash_bytes(&self) -> u64 {
        u64::from(self.topology().geometry().pages()) * u64::from(self.topology.page_bytes)
    }

    fn check_counts(&self) -> Result<(), Fault> {
        let of = &self.topology;
        let counts = [
            ("topology.channels", of.channels, 256),
            ("topology.dies_per_channel", of.dies_per_channel, 256),
            ("topology.planes", of.planes, 16),
            ("topology.blocks_per_plane", of.blocks_per_plane, 1 << 20),
            ("topology.pages_per_block", of.pages_per_block, 1 << 14),
            ("link.queue_depth", self.link.queue_depth, 1 << 16),
            ("firmware.workers", self.firmware.workers, 1024),
            ("firmware.cores", self.firmware.cores, 64),
            ("ftl.moves_at_once", self.ftl.moves_at_once, MAX_MOVES as u32),
        ];
        for (field, count, most) in counts {
            let message = format!("is {count}, must be 1 to {most}");
            holds(field, (1..=most).contains(&count), message)?;
        }
        let bytes = of.page_bytes;
        let is_page = bytes > 0 && bytes.is_multiple_of(512) && bytes < 1 << 17;
        let message = format!("is {bytes}, must be a multiple of 512 up to 130560");
        holds("topology.page_bytes", is_page, message)?;
        let units = of.channels * of.dies_per_channel * of.planes;
        holds("topology", units <= 512, format!("has {units} planes, must be at most 512"))?;
        let pages =
            u64::from(units) * u64::from(of.blocks_per_plane) * u64::from(of.pages_per_block);
        holds("topology", pages < 1 << 32, format!("has {pages} pages, must be below 2^32"))
    }

    fn check_buffer(&self) -> Result<(), Fault> {
        let WriteBuffer { pages, flushers, flush_above, flush_down_to } = self.buffer;
        let most = 1024_u32.saturating_sub(self.firmware.workers);
        let least = u32::from(pages > 0);
        let message = format!("is {flushers}, must be {least} to {most}");
        holds("buffer.flushers", (least..=most).contains(&flushers), message)?;
        let message = format!("is {pages}, must be 0 to {}", 1 << 24);
        holds("buffer.pages", pages <= 1 << 24, message)?;
        let message = format!("is {flush_above}, must be {flush_down_to} to {pages}");
        holds("buffer.flush_above", (flush_down_to..=pages).contains(&flush_above), message)
    }

    fn check_precondition(&self) -> Result<(), Fault> {
        match self.precondition {
            Precondition::Empty => Ok(()),
            Precondition::Filled(share) => within("precondition", share, 0.0, 1.0),
            Precondition::Written { drive_writes } => {
                within("precondition.drive_writes", drive_writes, 0.0, 1e4)
            }
            Precondition::Steady => {
                let message = format!(
                    "is `Steady`, but `{:?}` has no closed form of its steady state; `Written` \
                     brings it about",
                    self.ftl.victim
                );
                holds("precondition", has_steady_state(self.ftl.victim), message)?;
                let ArrayGeometry { units, pages_per_block, .. } = self.topology().geometry();
                let (pages, open) = (self.user_pages(), 2 * units * pages_per_block);
                let message = format!("is `Steady`, for which {pages} pages are too few: {open}");
                holds("precondition", pages >= open, message)
            }
        }
    }

    fn check_bus(&self) -> Result<(), Fault> {
        let bus = match (&self.bus, &self.controller) {
            (Some(bus), None) => bus,
            (None, Some(controller)) => return controller.check(),
            (Some(_), Some(_)) => {
                return Err(Fault::new("controller", "is given beside `bus`, must be one of them"));
            }
            (None, None) => return Err(Fault::new("bus", "is missing, as is `controller`")),
        };
        bus.check()
    }

    fn check_times(&self) -> Result<(), Fault> {
        let types =
            [("cells.t_r_us", &self.cells.t_r_us), ("cells.t_prog_us", &self.cells.t_prog_us)];
        for (field, times) in types {
            let most = if self.cells.page_order == PageOrder::Tlc25Nm { 3..=3 } else { 1..=8 };
            let message = format!("has {} page types, must be {most:?}", times.len());
            holds(field, most.contains(&times.len()), message)?;
            times.iter().try_for_each(|&time| within(field, time, 0.0, 1e6))?;
        }
        let of = &self.firmware.cost_ns;
        let costs = [
            of.command,
            of.accept,
            of.translate,
            of.allocate,
            of.map,
            of.choose_victim,
            of.move_page,
            of.report,
            of.journal,
        ];
        costs.into_iter().try_for_each(|cost| within("firmware.cost_ns", cost, 0.0, 1e9))?;
        within("cells.t_bers_us", self.cells.t_bers_us, 0.0, 1e6)?;
        within("link.mb_per_s", self.link.mb_per_s, 0.1, 1e6)?;
        within("link.command_ns", self.link.command_ns, 0.0, 1e9)
    }
}

pub(super) fn holds(field: &str, holds: bool, message: String) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault::new(field, message)) }
}

pub(super) fn within(field: &str, value: f64, least: f64, most: f64) -> Result<(), Fault> {
    let message = format!("is {value}, must be {least} to {most}");
    holds(field, (least..=most).contains(&value), message)
}

impl Check for DriveConfig {
    fn check(&self) -> Result<(), Fault> {
        self.check_counts()?;
        self.check_times()?;
        self.check_bus()?;
        self.check_buffer()?;
        self.dies.check()?;
        let page_types = self.cells.t_prog_us.len();
        self.errors.as_ref().map_or(Ok(()), |errors| errors.check(page_types))?;
        let is_off = self.dies.suspend == SuspendConfig::Off;
        let is_right = is_off || self.scheduling == Scheduling::ReadsFirst;
        holds("dies.suspend", is_right, "is for `scheduling: ReadsFirst`".to_owned())?;
        self.power.as_ref().map_or(Ok(()), Check::check)?;
        let of = &self.ftl;
        within("ftl.over_provisioning_percent", of.over_provisioning_percent, 0.1, 1000.0)?;
        holds("ftl.reserve_blocks", of.reserve_blocks > 0, "is 0, must be 1 or more".to_owned())?;
        let message = format!("is {}, must be more than the reserve", of.collect_below);
        holds("ftl.collect_below", of.collect_below > of.reserve_blocks, message)?;
        // Blocks that hold no data of the host: free ones, and those at the frontiers.
        let reserve =
            of.collect_below + 1 + u32::from(of.separate_moved) + of.metadata.blocks_per_unit();
        let geometry = self.topology().geometry();
        let room = u64::from(geometry.units)
            * u64::from(geometry.blocks_per_unit.saturating_sub(reserve))
            * u64::from(geometry.pages_per_block);
        let message = format!(
            "is {}, which leaves the host {} pages; {reserve} of the {} blocks of a plane are kept \
             for collection and journal, so there is room for {room}",
            of.over_provisioning_percent,
            self.user_pages(),
            geometry.blocks_per_unit
        );
        self.check_journal()?;
        let fits = u64::from(self.user_pages()) < room;
        holds("ftl.over_provisioning_percent", fits, message)?;
        if let VictimPolicy::WindowedGreedy { window: count }
        | VictimPolicy::Choices { choices: count } = of.victim
        {
            holds("ftl.victim", count > 0, "chooses from no block".to_owned())?;
        }
        self.check_precondition()
    }
}
