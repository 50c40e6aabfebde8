//! One LUN: registers of its planes, what it is busy with, and the jobs of its array.
//!
//! RDY and ARDY of the status register are two clocks: R/B# and RDY show when the next command may
//! come; ARDY when the array has no job left (ONFI status register). Jobs that overlap the bus
//! (cache read and cache program) run one after the other.

mod jobs;

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use floatgate_hal::flash::address::LunIndex;
use floatgate_hal::units::Picoseconds;

use super::array::{Bytes, LunArray, PageAddress};
pub(crate) use jobs::{Job, Work};

/// What a LUN does, for waveforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LunState {
    /// Powered up, first reset not done.
    PoweredUp,
    /// Nothing.
    Idle,
    /// tR.
    Reading,
    /// Ready, while the array reads ahead.
    ReadingAhead,
    /// tPROG, tPCBSY.
    Programming,
    /// Ready, while the array programs.
    ProgrammingBehind,
    /// tBERS.
    Erasing,
    /// tRST.
    Resetting,
    /// tPLRBSY, tPLPBSY, tPLEBSY.
    QueueingPlane,
    /// tFEAT, tITC.
    SettingFeatures,
    /// No answer.
    Dead,
}

/// Why a LUN is busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BusyKind {
    Reset,
    Read,
    CacheRead,
    Program,
    CacheProgram,
    Erase,
    Plane,
    Features,
    InterfaceChange,
}

impl BusyKind {
    /// The name of the busy time.
    pub(crate) const fn time_name(self) -> &'static str {
        match self {
            Self::Reset => "tRST",
            Self::Read => "tR",
            Self::CacheRead => "tRCBSY",
            Self::Program => "tPROG",
            Self::CacheProgram => "tPCBSY",
            Self::Erase => "tBERS",
            Self::Plane => "tPLxBSY",
            Self::Features => "tFEAT",
            Self::InterfaceChange => "tITC",
        }
    }

    const fn state(self) -> LunState {
        match self {
            Self::Reset => LunState::Resetting,
            Self::Read | Self::CacheRead => LunState::Reading,
            Self::Program | Self::CacheProgram => LunState::Programming,
            Self::Erase => LunState::Erasing,
            Self::Plane => LunState::QueueingPlane,
            Self::Features | Self::InterfaceChange => LunState::SettingFeatures,
        }
    }
}

/// A busy time. From the command to `falls` R/B# and RDY still say ready (tWB).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Busy {
    pub(crate) kind: BusyKind,
    pub(crate) falls: Picoseconds,
    pub(crate) rises: Picoseconds,
    /// The longest that a sound LUN would take.
    pub(crate) longest_ps: u64,
}

/// Time that never comes.
pub(crate) const NEVER: Picoseconds = Picoseconds(u64::MAX);

/// What a cache register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// Nothing of use.
    Nothing,
    /// Data that were read, or loaded.
    Data,
    /// Data were read, and an 80h to any LUN cleared them.
    Lost,
}

/// The two registers of a plane.
#[derive(Clone, Debug)]
pub(crate) struct PlaneRegisters {
    /// Next to the array.
    pub(crate) page: Bytes,
    /// Next to the bus.
    pub(crate) cache: Bytes,
    /// What the cache register holds.
    pub(crate) held: Held,
    /// Columns of the cache register that the host loaded for the next program.
    pub(crate) loaded: Vec<Range<usize>>,
}

impl PlaneRegisters {
    fn new(blank: &Bytes) -> Self {
        let (page, cache) = (blank.clone(), blank.clone());
        Self { page, cache, held: Held::Nothing, loaded: Vec::new() }
    }
}

/// How far a cache read has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CacheRead {
    /// None can begin.
    Closed,
    /// These pages were read: 31h may begin.
    MayBegin(Vec<PageAddress>),
    /// These pages were asked for last: 31h and 3Fh go on.
    Open(Vec<PageAddress>),
}

/// Operations that are queued plane by plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    Read,
    Program,
    Erase,
}

impl GroupKind {
    /// Opening and queueing command.
    pub(crate) const fn commands(self) -> (u8, u8) {
        match self {
            Self::Read => (0x00, 0x32),
            Self::Program => (0x80, 0x11),
            Self::Erase => (0x60, 0xD1),
        }
    }
}

/// Planes that wait for the last one of their operation.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) kind: GroupKind,
    pub(crate) pages: Vec<PageAddress>,
}

/// Where data out come from: a plane's cache register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputPlace {
    pub(crate) plane: u8,
    pub(crate) column: usize,
    /// Whether a byte was taken since the data came.
    pub(crate) taken: bool,
    /// Whether other planes have data too, and none was chosen.
    pub(crate) of_several: bool,
}

/// Results of programs and erases, a bit for each plane.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Results {
    /// FAIL.
    pub(crate) last: u32,
    /// FAILC.
    pub(crate) before: u32,
}

/// How the host has looked at the result of the last program or erase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looked {
    /// There is none to look at, or it was looked at.
    Enough,
    /// Not at all.
    Never,
    /// Only while the LUN was busy.
    WhileBusy,
}

/// One LUN.
#[derive(Clone, Debug)]
pub(crate) struct Lun {
    pub(crate) index: LunIndex,
    pub(crate) array: LunArray,
    pub(crate) planes: Vec<PlaneRegisters>,
    pub(crate) busy: Option<Busy>,
    pub(crate) jobs: VecDeque<Job>,
    pub(crate) results: Results,
    pub(crate) cache_read: CacheRead,
    /// Planes that hold a page of a copyback read, a bit each.
    pub(crate) copyback: u32,
    pub(crate) group: Option<Group>,
    pub(crate) output: Option<OutputPlace>,
    pub(crate) looked: Looked,
    /// Factory bad blocks of which a page was read.
    pub(crate) scanned: BTreeSet<u32>,
    /// Whether its fault of staying busy has shown.
    pub(crate) has_hung: bool,
    /// Whether a host that waits for that without end was told.
    pub(crate) hang_told: bool,
}

impl Lun {
    pub(crate) fn new(index: LunIndex, array: LunArray, planes: u8) -> Self {
        let registers = PlaneRegisters::new(&array.blank());
        Self {
            index,
            array,
            planes: vec![registers; planes.into()],
            busy: None,
            jobs: VecDeque::new(),
            results: Results::default(),
            cache_read: CacheRead::Closed,
            copyback: 0,
            group: None,
            output: None,
            looked: Looked::Enough,
            scanned: BTreeSet::new(),
            has_hung: false,
            hang_told: false,
        }
    }

    /// The busy time that a command at `at` would fall into.
    pub(crate) fn busy_at(&self, at: Picoseconds) -> Option<Busy> {
        self.busy.filter(|busy| at < busy.rises)
    }

    /// RDY, and this LUN's part of R/B#.
    pub(crate) fn is_ready(&self, at: Picoseconds) -> bool {
        self.busy.is_none_or(|busy| at < busy.falls || at >= busy.rises)
    }

    /// When the array has no job left.
    pub(crate) fn array_free(&self) -> Picoseconds {
        self.jobs.back().map_or(Picoseconds(0), |job| job.end)
    }

    /// ARDY.
    pub(crate) fn is_array_ready(&self, at: Picoseconds) -> bool {
        self.is_ready(at) && self.array_free() <= at
    }

    /// Whether a program runs behind the bus (between 15h and its end).
    pub(crate) fn programs_behind(&self, at: Picoseconds) -> bool {
        let is_program = |job: &Job| matches!(job.work, Work::Program { .. }) && job.end > at;
        self.jobs.iter().any(is_program)
    }

    /// Whether data wait of which no byte was taken.
    pub(crate) fn has_unread_data(&self) -> bool {
        self.output.is_some_and(|output| {
            !output.taken && self.planes[usize::from(output.plane)].held == Held::Data
        })
    }

    /// The status register, of the planes in `planes`.
    pub(crate) fn status(&self, at: Picoseconds, planes: u32, write_protected: bool) -> u8 {
        let protection = if write_protected { 0 } else { 0x80 };
        if !self.is_ready(at) {
            // The other bits mean nothing while RDY is 0.
            return protection;
        }
        let bit = |set: bool, value: u8| if set { value } else { 0 };
        protection
            | 0x40
            | bit(self.is_array_ready(at), 0x20)
            | bit(self.results.before & planes != 0, 0x02)
            | bit(self.results.last & planes != 0, 0x01)
    }

    pub(crate) fn state(&self, at: Picoseconds) -> LunState {
        if let Some(busy) = self.busy.filter(|_| !self.is_ready(at)) {
            return busy.kind.state();
        }
        match self.jobs.back().filter(|job| job.end > at && job.start <= at) {
            Some(Job { work: Work::Program { .. }, .. }) => LunState::ProgrammingBehind,
            Some(Job { work: Work::Load { .. }, .. }) => LunState::ReadingAhead,
            _ => LunState::Idle,
        }
    }

    /// Forgets everything but the cells: reset and power-up.
    pub(crate) fn clear(&mut self) {
        let blank = self.array.blank();
        for registers in &mut self.planes {
            *registers = PlaneRegisters::new(&blank);
        }
        self.busy = None;
        self.jobs.clear();
        self.results = Results::default();
        self.cache_read = CacheRead::Closed;
        self.copyback = 0;
        self.group = None;
        self.output = None;
        self.looked = Looked::Enough;
        self.hang_told = false;
    }
}
