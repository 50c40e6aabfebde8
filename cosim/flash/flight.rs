//! Operations on their way through the controller, by tag.

use std::collections::VecDeque;

use floatgate_hal::flash::op::{DataPhase, OpKind};
use floatgate_hal::flash::{BusOp, Completion, Outcome};
use floatgate_hal::units::Picoseconds;

use super::raw::RawSequence;

/// Names an operation that was given to the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// An operation that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Which one.
    pub ticket: Ticket,
    /// How.
    pub completion: Completion,
    /// The bytes that came out of the die.
    pub data: Vec<u8>,
}

/// Tags of the RTL.
pub(super) const TAGS: usize = 64;

/// The code of a raw sequence, behind those of the table.
const RAW_CODE: u8 = OpKind::ALL.len() as u8;

/// An operation as the command queue takes it.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) ticket: Ticket,
    pub(super) code: u8,
    pub(super) die: u8,
    pub(super) row: u32,
    pub(super) column: u16,
    pub(super) length: u16,
    pub(super) data_in: Vec<u8>,
    pub(super) bytes_out: usize,
}

impl Command {
    pub(super) fn of(ticket: Ticket, op: &BusOp, data_in: Vec<u8>) -> Self {
        let length = u16::try_from(op.length.0).expect("a page register has less than 64 KiB");
        let bytes_out = match op.kind.form().data {
            DataPhase::OutAfterWhr | DataPhase::OutAfterCcs | DataPhase::OutAfterBusy => length,
            DataPhase::None | DataPhase::InAfterAdl | DataPhase::InAfterCcs => 0,
        };
        Self {
            ticket,
            code: op.kind as u8,
            die: op.die.0,
            row: op.row.0,
            column: op.column.0,
            length,
            data_in,
            bytes_out: bytes_out.into(),
        }
    }

    /// How it ends where a reset of its die comes before it has begun.
    pub(super) fn overtaken_at(self, now: Picoseconds) -> Finished {
        let outcome = Outcome::TimedOut;
        let completion = Completion { outcome, status: 0, started: now, finished: now };
        Finished { ticket: self.ticket, completion, data: Vec::new() }
    }

    pub(super) fn raw(ticket: Ticket, die: u8, sequence: &RawSequence) -> Self {
        let length = u16::try_from(sequence.bytes().len()).expect("a sequence has below 64 KiB");
        Self {
            ticket,
            code: RAW_CODE,
            die,
            row: 0,
            column: 0,
            length,
            data_in: sequence.bytes().to_vec(),
            bytes_out: sequence.bytes_out(),
        }
    }
}

/// An operation that the RTL has taken.
#[derive(Debug)]
struct Flight {
    command: Command,
    sent: usize,
    data_out: Vec<u8>,
    completion: Option<Completion>,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Flights {
    by_tag: Vec<Option<Flight>>,
    /// The tag used longest ago comes first, so that none comes back soon.
    free: VecDeque<u8>,
    /// The tag whose data are in the stream.
    sending: Option<u8>,
}

impl Flights {
    pub(super) fn new() -> Self {
        Self {
            by_tag: (0..TAGS).map(|_| None).collect(),
            free: (0..TAGS as u8).collect(),
            sending: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.free.len() == TAGS && self.sending.is_none()
    }

    /// The tag of the next operation, if one is free.
    pub(super) fn next_tag(&self) -> Option<u8> {
        self.free.front().copied()
    }

    /// The operation that the RTL has taken under the next tag.
    pub(super) fn begin(&mut self, command: Command) {
        let tag = self.free.pop_front().expect("the RTL was given this tag");
        let flight = Flight { command, sent: 0, data_out: Vec::new(), completion: None };
        self.by_tag[usize::from(tag)] = Some(flight);
    }

    fn flight(&mut self, tag: u8) -> Option<&mut Flight> {
        self.by_tag[usize::from(tag)].as_mut()
    }

    /// The tag whose data are in the stream into the dies; `asked` is the tag that the RTL asks
    /// for. A burst that has begun is sent to its end.
    pub(super) fn sending(&mut self, asked: Option<u8>) -> Option<u8> {
        if self.sending.is_none() {
            let tag = asked?;
            let flight = self.flight(tag)?;
            if flight.sent < flight.command.data_in.len() {
                self.sending = Some(tag);
            }
        }
        self.sending
    }

    /// What is left of those data.
    pub(super) fn bytes_to_send(&self) -> &[u8] {
        let flight = self.sending.and_then(|tag| self.by_tag[usize::from(tag)].as_ref());
        flight.map_or(&[], |flight| &flight.command.data_in[flight.sent..])
    }

    /// The stream has taken so many of them.
    pub(super) fn bytes_sent(&mut self, count: usize) -> Option<Finished> {
        let tag = self.sending?;
        let flight = self.flight(tag)?;
        flight.sent += count;
        if flight.sent < flight.command.data_in.len() {
            return None;
        }
        self.sending = None;
        self.end_if_whole(tag)
    }

    /// A byte out of a die. One that comes behind the end of its operation is of no use.
    pub(super) fn byte_received(&mut self, tag: u8, byte: u8) -> Option<Finished> {
        self.flight(tag)?.data_out.push(byte);
        self.end_if_whole(tag)
    }

    pub(super) fn completed(&mut self, tag: u8, completion: Completion) -> Option<Finished> {
        let flight = self.flight(tag).expect("the RTL completes what it was given");
        assert!(flight.completion.is_none(), "tag {tag} completes twice");
        flight.completion = Some(completion);
        self.end_if_whole(tag)
    }

    /// Ends the operation if its completion, its data and the stream are through with it.
    fn end_if_whole(&mut self, tag: u8) -> Option<Finished> {
        let is_sending = self.sending == Some(tag);
        let flight = self.flight(tag)?;
        let completion = flight.completion?;
        let has_data = matches!(completion.outcome, Outcome::Done | Outcome::Failed);
        if is_sending || (has_data && flight.data_out.len() < flight.command.bytes_out) {
            return None;
        }
        let flight = self.by_tag[usize::from(tag)].take().expect("it was there");
        self.free.push_back(tag);
        Some(Finished { ticket: flight.command.ticket, completion, data: flight.data_out })
    }
}
