//! The ONFI channel controller RTL at its pins.
//!
//! In: operations of the HAL's table, or raw sequences, and their data; dies behind [`Wires`], such
//! as the model's pin level. Out: completions with data and times ([`RtlController`]), which
//! firmware awaits in simulated time ([`RtlBus`]).

mod bus;
mod controller;
mod flight;
mod metered;
mod pads;
mod raw;
mod wires;

pub use bus::{BusError, RtlBus};
pub use controller::{Config, Idle, RtlController};
pub use flight::{Finished, Ticket};
pub use metered::{Metered, StateChange};
pub use raw::{Gap, RawSequence};
pub use wires::Wires;
