//! Configuration files: a RON file goes in, a checked value comes out, or one line that says what
//! is wrong and where.
//!
//! Every type refuses unknown fields. What serde cannot see (a range, a relation between fields)
//! is stated by [`Check`], and its failures carry the position of the field all the same.

mod code;
mod dies;
mod drive;
mod load;
mod run;
mod ssd;

pub use code::{CodeConfig, NamedCode};
pub use dies::{CacheConfig, DieConfig};
pub use drive::{
    BusTimes, CellTimes, DriveConfig, FirmwareConfig, LinkTimes, Precondition, StepCosts,
    TopologyConfig, TranslationConfig, WriteBuffer,
};
pub use load::{Check, ConfigError, Fault, load_checked, load_ron};
pub use run::{Load, RunConfig};
pub use ssd::{BusInterface, DieFault, Engine, FaultKind, SsdConfig};
