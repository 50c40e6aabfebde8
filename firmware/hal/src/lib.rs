//! What firmware, models and RTL agree on: units, the flash operations and the traits behind which
//! either a model or the RTL stands.
//!
//! Nothing here allocates or knows an operating system, so the same code runs on a controller.
#![no_std]
#![forbid(unsafe_code)]

pub mod array;
mod clock;
mod ecc;
pub mod flash;
pub mod host;
mod processor;
pub mod units;

pub use array::FlashArray;
pub use clock::Clock;
pub use ecc::{Decoded, Ecc, EccRefusal};
pub use flash::mode::BusTiming;
pub use flash::{BusOp, Completion, FlashBus, Transfer};
pub use host::HostPort;
pub use processor::{Event, Processor, Step, Wait};
