//! The ONFI channel controller RTL at its pins.
//!
//! In: operations of the HAL's table, or raw sequences, and their data; dies behind [`Wires`], such
//! as the model's pin level. Out: completions with data and times ([`RtlController`]), which
//! firmware awaits in simulated time ([`RtlBus`]).

mod banks;
mod bus;
mod config;
mod controller;
mod flight;
mod metered;
mod pads;
mod raw;
mod wires;

pub use bus::{BusError, RtlBus};
pub use config::{Config, Idle};
pub use controller::RtlController;
pub use flight::{Finished, Ticket};
pub use metered::{Metered, StateChange, Use};
pub use raw::{Gap, RawSequence};
pub use wires::Wires;
