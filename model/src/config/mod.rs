//! Configuration files: a RON file goes in, a checked value comes out, or one line that says what
//! is wrong and where.
//!
//! Every type refuses unknown fields. What serde cannot see (a range, a relation between fields)
//! is stated by [`Check`], and its failures carry the position of the field all the same.

mod bus;
mod code;
mod controller;
mod dies;
mod drive;
mod errors;
mod load;
mod memory;
mod run;
mod ssd;
mod translation;

pub use bus::BusTimes;
pub use code::{CodeConfig, NamedCode};
pub use controller::ControllerConfig;
pub use dies::{CacheConfig, DieConfig, PowerConfig, SuspendConfig};
pub use drive::{
    CellTimes, DriveConfig, FirmwareConfig, LinkTimes, Precondition, StepCosts, TopologyConfig,
    WriteBuffer,
};
pub use errors::{ErrorConfig, LadderConfig};
pub use load::{Check, ConfigError, Fault, load_checked, load_ron};
pub use memory::DramConfig;
pub use run::{Load, RunConfig};
pub use ssd::{BusInterface, DieFault, Engine, FaultKind, SsdConfig};
pub use translation::TranslationConfig;

/// A field that stands there or does not.
mod given {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        T::deserialize(deserializer).map(Some)
    }

    pub(super) fn serialize<S: Serializer, T: Serialize>(
        field: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        field.as_ref().expect("what is not there is left out").serialize(serializer)
    }
}
