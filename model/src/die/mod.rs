//! NAND flash: a [`Target`] behind one CE#, driven by bus cycles.
//!
//! Cycles enter with their time: commands, addresses, data. Data, R/B# and [`Diagnostic`]s leave.
//! Pins and the times between cycles are checked before they come here (ONFI, bus states); busy
//! times, the order of cycles and the state of the cells are checked here (ONFI, command
//! definition and status register).
//!
//! In path order: [`Target`] decodes cycles into sequences; a LUN has registers and jobs; the jobs
//! act on an array of blocks whose pages keep data, wear and disturbance.

mod array;
mod commands;
mod lun;
pub mod parameter_page;
pub mod part;
pub mod rber;
mod rules;
mod settings;
mod target;

pub use array::{BlockView, PageState};
pub use lun::LunState;
pub use part::Part;
pub use rules::{Diagnostic, Quantity, Rule, Severity};
pub use settings::{CheckerSettings, Fault, Settings, Times};
pub use target::{Statistics, Target};

/// A cycle on the bus, as a target latches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// CLE high.
    Command(u8),
    /// ALE high.
    Address(u8),
    /// Neither: a byte for the register.
    DataIn(u8),
}

/// A data interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interface {
    /// Single data rate, asynchronous.
    Sdr,
    /// Double data rate with a clock.
    NvDdr,
}

/// A timing mode of a data interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimingMode(pub u8);
