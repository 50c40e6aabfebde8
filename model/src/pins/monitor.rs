//! Bus cycles put together to what a reader of a waveform looks for: commands, addresses, bursts of
//! data, each with the time of its first and last cycle.

use floatgate_hal::units::Picoseconds;

use crate::die::Cycle;

/// What went over the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    /// One command cycle.
    Command,
    /// Address cycles in a row.
    Address,
    /// Data cycles into the target.
    DataIn,
    /// Data cycles out of it.
    DataOut,
}

/// One command, address or burst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// What it was.
    pub kind: TransactionKind,
    /// When its first cycle was latched or fetched.
    pub start: Picoseconds,
    /// When its last one was.
    pub end: Picoseconds,
    /// The bytes, in order.
    pub bytes: Vec<u8>,
}

/// Collects the transactions of one target.
#[derive(Clone, Debug, Default)]
pub struct Monitor {
    done: Vec<Transaction>,
    open: Option<Transaction>,
}

impl Monitor {
    /// A cycle into the target.
    pub(super) fn cycle_in(&mut self, at: Picoseconds, cycle: Cycle) {
        let (kind, byte) = match cycle {
            Cycle::Command(byte) => (TransactionKind::Command, byte),
            Cycle::Address(byte) => (TransactionKind::Address, byte),
            Cycle::DataIn(byte) => (TransactionKind::DataIn, byte),
        };
        self.cycle(at, kind, byte);
    }

    /// A byte out of the target.
    pub(super) fn data_out(&mut self, at: Picoseconds, byte: u8) {
        self.cycle(at, TransactionKind::DataOut, byte);
    }

    fn cycle(&mut self, at: Picoseconds, kind: TransactionKind, byte: u8) {
        match &mut self.open {
            Some(open) if open.kind == kind && kind != TransactionKind::Command => {
                open.end = at;
                open.bytes.push(byte);
            }
            _ => {
                let next = Transaction { kind, start: at, end: at, bytes: vec![byte] };
                self.done.extend(self.open.replace(next));
            }
        }
    }

    /// Takes out the transactions so far, and ends the one that runs.
    pub fn drain(&mut self) -> Vec<Transaction> {
        self.done.extend(self.open.take());
        std::mem::take(&mut self.done)
    }
}
