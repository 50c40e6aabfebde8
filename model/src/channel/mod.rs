//! A channel at the level of transactions: operations enter, their effects on the dies and their
//! times leave, in the clocks of a controller that keeps the minimum gaps of ONFI.
//!
//! An operation is one or two visits of the bus with the die's busy time between
//! ([`TransactionBus`], after the controller RTL). The times of a visit follow from the timing
//! registers, phase by phase.

mod bus;
mod operation;
mod phases;
mod registers;
mod spans;
mod usage;

pub use bus::{Controller, ControllerClocks, TransactionBus};
pub use operation::fits as transfer_fits;
pub use spans::OperationSpans;
pub use usage::Usage;
