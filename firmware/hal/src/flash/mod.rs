//! Operations of one flash channel: what firmware asks of a controller, and what comes back.
//!
//! An operation is a line of one table ([`op::OpKind::form`]), which the controller RTL and the
//! transaction-level model both follow: first command, address cycles, data in, confirming command,
//! busy time, data out. Names and opcodes are those of ONFI.

pub mod address;
pub mod mode;
pub mod op;
pub mod timing;

use crate::units::{ByteCount, Picoseconds};
use address::{ColumnAddress, DieIndex, RowAddress};
use op::OpKind;

/// One operation on one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusOp {
    /// What to do.
    pub kind: OpKind,
    /// To whom.
    pub die: DieIndex,
    /// Row address; for the kinds with a single address byte, that byte (ID, feature).
    pub row: RowAddress,
    /// Column address, of the kinds that have one.
    pub column: ColumnAddress,
    /// Bytes to transfer, of the kinds that have data.
    pub length: ByteCount,
}

/// The data of an operation.
#[derive(Debug)]
pub enum Transfer<'a> {
    /// The operation has none.
    None,
    /// Into the die.
    In(&'a [u8]),
    /// Out of the die.
    Out(&'a mut [u8]),
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should.
    Done,
    /// The die's status says FAIL (or FAILC, of the page before, in a cache program).
    Failed,
    /// The die stayed busy, or did not answer, for longer than the controller's time-out, or until
    /// a reset of it was asked for.
    TimedOut,
    /// The controller does not do this: unknown kind, absent die, length beyond its limits.
    Refused,
}

/// The answer to one [`BusOp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// How it ended.
    pub outcome: Outcome,
    /// The die's status register, where the operation reads it (ONFI status: bit 0 FAIL, bit 1
    /// FAILC, bit 5 ARDY, bit 6 RDY, bit 7 WP#).
    pub status: u8,
    /// When the first cycle of the operation went over the bus.
    pub started: Picoseconds,
    /// When the operation was complete.
    pub finished: Picoseconds,
}

/// A channel controller with its dies.
#[expect(async_fn_in_trait, reason = "one executor, one thread: no future has to be Send")]
pub trait FlashBus {
    /// Runs one operation to its end. Operations awaited side by side on different dies overlap;
    /// on one die they run in the order in which they were asked for, but for resets of it, which
    /// [overtake](op::OpKind::overtakes).
    async fn execute(&self, op: BusOp, data: Transfer<'_>) -> Completion;
}
