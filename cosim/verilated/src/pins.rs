//! The batched call of the channel controller: clock edges until something happens at its pins or
//! streams.

pub use crate::ffi::bridge::StrobeRecord as Strobe;

/// What may happen to the controller without anybody looking.
#[derive(Clone, Copy, Debug)]
pub struct PinBatch<'a> {
    /// At most so many edges of the clock.
    pub edges: u64,
    /// What s_data_i carries, byte by byte, while s_valid_i is up.
    pub bytes: &'a [u8],
    /// Edges of DQS, in their order.
    pub strobes: &'a [Strobe],
    /// What dq_i becomes before the next rise of the clock, where it is to change.
    pub captured: Option<u8>,
}

/// How far a batch has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinRun {
    /// Edges of the clock.
    pub edges: u64,
    /// Bytes that s_* has taken.
    pub bytes: usize,
    /// Edges of DQS that were made.
    pub strobes: usize,
}
