//! The ONFI pin level in front of a die: a host's pins enter with their times, what the dies drive
//! leaves, and every breach of the bus's timing is told.
//!
//! [`Channel::step`] takes the host's pins whenever one changes; [`Channel::levels`] says what the
//! wires carry at a time, and [`Channel::next_change`] when that will change by itself. SDR and
//! NV-DDR, modes 0 to 5, after the ONFI bus states and timing modes; the die behind chooses the
//! interface. [`PinDriver`] is the ideal host: every gap at its bound.
//!
//! In path order: `bus` keeps the host's edges; `target` selects and hands on; `sdr` and `nvddr`
//! decode and check; `channel` puts the wires together.

mod behind;
mod bus;
mod channel;
mod checker;
mod driver;
mod level;
mod monitor;
mod nvddr;
mod nvddr_burst;
mod nvddr_output;
mod protocol;
mod sdr;
mod target;
mod timing;
mod window;

pub use behind::{Behind, Corner, PinOptions};
pub use channel::{BusDiagnostic, Channel};
pub use driver::PinDriver;
pub use level::{BusLevels, DiePins, HostPins, Level, Octet, TARGETS_MAX};
pub use monitor::{Monitor, Transaction, TransactionKind};
pub use target::PinTarget;
pub use timing::{MODE_MAX, NvddrTimings, Parameter, SdrTimings, Timings};
