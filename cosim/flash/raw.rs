//! Raw sequences: what the table of operations does not have, spelled out cycle by cycle.

/// What a cycle waits for, after the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Gap {
    /// The usual distance of cycles.
    #[default]
    Next = 0,
    /// tWHR.
    Whr = 1,
    /// tADL.
    Adl = 2,
    /// tCCS.
    Ccs = 3,
}

/// A sequence of bus cycles on one die, as instructions for the controller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawSequence {
    instructions: Vec<u8>,
    bytes_out: usize,
}

impl RawSequence {
    /// A sequence without cycles.
    pub fn new() -> Self {
        Self::default()
    }

    /// A sequence of instructions as the RTL takes them, two bytes each, without bytes out.
    pub fn from_bytes(instructions: &[u8]) -> Self {
        Self { instructions: instructions.to_vec(), bytes_out: 0 }
    }

    fn push(mut self, code: u8, gap: Gap, argument: u8) -> Self {
        self.instructions.extend([code | (gap as u8) << 4, argument]);
        self
    }

    /// A command cycle.
    pub fn command(self, opcode: u8) -> Self {
        self.push(1, Gap::Next, opcode)
    }

    /// Address cycles.
    pub fn address(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |sequence, &byte| sequence.push(2, Gap::Next, byte))
    }

    /// Data into the die; in NV-DDR, an even number of bytes.
    pub fn data_in(self, gap: Gap, bytes: &[u8]) -> Self {
        bytes.chunks(256).fold(self, |sequence, chunk| {
            let mut sequence = sequence.push(3, gap, chunk.len() as u8);
            sequence.instructions.extend(chunk);
            sequence
        })
    }

    /// Data out of the die.
    pub fn data_out(self, gap: Gap, count: usize) -> Self {
        let mut sequence = self;
        let mut left = count;
        while left > 0 {
            let chunk = left.min(256);
            sequence = sequence.push(4, gap, chunk as u8);
            left -= chunk;
        }
        sequence.bytes_out += count;
        sequence
    }

    /// The die becomes busy, and the sequence goes on when it is ready; other dies have the bus
    /// until then.
    pub fn wait(self, limit: floatgate_hal::flash::timing::TimeLimit) -> Self {
        self.push(5, Gap::Next, limit as u8)
    }

    /// A byte out of the die into the completion, after tWHR.
    pub fn status(self) -> Self {
        self.push(6, Gap::Whr, 0)
    }

    /// The instructions.
    pub fn bytes(&self) -> &[u8] {
        &self.instructions
    }

    /// The number of bytes that come out of the die into the stream.
    pub fn bytes_out(&self) -> usize {
        self.bytes_out
    }
}
