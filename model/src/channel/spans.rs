//! What an operation takes on a channel where nothing else goes on, in sums: for models that do not
//! follow single cycles.

use floatgate_hal::flash::BusOp;
use floatgate_hal::flash::mode::DieTiming;
use floatgate_hal::flash::timing::{TimingError, registers};
use floatgate_hal::units::Picoseconds;

use super::bus::{
    Controller, REGRANT_CLOCKS, RETURN_CLOCKS, SELECT_CLOCKS, SYNCHRONISER_CLOCKS, lay_finish,
};
use super::operation;
use super::phases::Visit;
use super::registers::Gaps;

/// The spans of an operation with a busy time, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationSpans {
    /// From the request until the bus is asked for.
    pub accept: Picoseconds,
    /// The bus is held by the first visit: command and address, and data into the die.
    pub issue: Picoseconds,
    /// From there until the bus is asked for again, beyond the time of the array. Negative where
    /// the array begins before the bus is given back.
    pub ready_ps: i64,
    /// The bus is held by the second visit: data out of the die, or its status.
    pub finish: Picoseconds,
    /// From there until firmware sees the end.
    pub complete: Picoseconds,
}

impl Controller {
    /// The spans of an operation that has a busy time and a second visit.
    ///
    /// # Errors
    /// The clock does not suit the mode of the die.
    pub fn spans(&self, timing: &DieTiming, op: &BusOp) -> Result<OperationSpans, TimingError> {
        let gaps: Gaps = registers(timing, self.clock_period)?.into();
        let lay = |lay: fn(&mut Visit<'_>, &BusOp)| {
            let mut visit = Visit::select(&gaps, self.clock_period, 0);
            lay(&mut visit, op);
            visit
        };
        let held = |visit: &Visit<'_>| SELECT_CLOCKS + visit.leave() - 1 + REGRANT_CLOCKS;
        let (issue, finish) = (lay(operation::issue), lay(lay_finish));
        // Pins change at the end of a clock.
        let confirmed = SELECT_CLOCKS + 1 + issue.last_strobe();
        let asks = confirmed + gaps.wb + SYNCHRONISER_CLOCKS + RETURN_CLOCKS;
        let clocks = |clocks: u64| Picoseconds(clocks * self.clock_period.0);
        Ok(OperationSpans {
            accept: clocks(self.clocks.accept.0),
            issue: clocks(held(&issue)),
            ready_ps: clocks(asks).0 as i64 - clocks(held(&issue)).0 as i64,
            finish: clocks(held(&finish)),
            complete: clocks(self.clocks.complete.0),
        })
    }
}
