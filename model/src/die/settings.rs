//! What a run chooses about a target: seed, wear, which times, what the checker says, faults.

use std::collections::BTreeSet;

use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex};
use floatgate_hal::units::Picoseconds;

use super::rules::Rule;

/// Which of a part's times its array jobs take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// Typical ones, of the page type.
    #[default]
    Typical,
    /// The largest ones.
    Maximum,
}

/// What a die does wrong on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The target answers nothing from then on.
    Dies {
        /// When.
        at: Picoseconds,
    },
    /// The first array job of a LUN from then on never ends.
    StaysBusy {
        /// Which LUN.
        lun: LunIndex,
        /// When.
        at: Picoseconds,
    },
    /// Programs of a page fail.
    FailsProgram {
        /// Its LUN.
        lun: LunIndex,
        /// Its block.
        block: BlockIndex,
        /// The page.
        page: PageIndex,
    },
    /// Erases of a block fail.
    FailsErase {
        /// Its LUN.
        lun: LunIndex,
        /// The block.
        block: BlockIndex,
    },
    /// The first copies of the parameter page have a wrong CRC.
    SpoilsParameterPage {
        /// How many.
        copies: u8,
    },
}

/// What the checker says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckerSettings {
    /// Rules whose breaches are not told.
    pub silenced: BTreeSet<Rule>,
}

/// What a run chooses about a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Seed of everything that is drawn at random; each target of a run has its own stream.
    pub seed: u64,
    /// Which target this is: it tells streams and unique IDs apart.
    pub target: u32,
    /// Program/erase cycles of every block at the start.
    pub initial_cycles: u32,
    /// Factory bad blocks of each LUN, where not the part's own number.
    pub factory_bad_blocks: Option<u16>,
    /// Whether blocks may be programmed as they come from the factory. Otherwise the host has to
    /// erase each once ([`Rule::R03`]).
    pub factory_erased: bool,
    /// Which times array jobs take.
    pub times: Times,
    /// Whether parameter page and unique ID go over NV-DDR with every byte twice, as ID, status
    /// and feature bytes do.
    pub doubles_parameter_page: bool,
    /// What the checker says.
    pub checker: CheckerSettings,
    /// What goes wrong.
    pub faults: Vec<Fault>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            target: 0,
            initial_cycles: 0,
            factory_bad_blocks: None,
            factory_erased: false,
            times: Times::Typical,
            doubles_parameter_page: false,
            checker: CheckerSettings::default(),
            faults: Vec::new(),
        }
    }
}
