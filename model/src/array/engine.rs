//! What carries out a channel's operations in place of the model, for a part of a run.
//!
//! Enters: what a die does next ([`Step`]), with the bytes that go in. Leaves: when it is done, the
//! bytes that came out, and what it took ([`Carried`]). An engine has dies of its own; what they
//! hold is put into them and taken out of them beside the bus.

use std::ops::Range;
use std::pin::Pin;

use floatgate_hal::units::{Cycles, Picoseconds};

/// A page of a die, or the block that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Die of the channel.
    pub die: u32,
    /// Block of the die, the planes' in turn: its remainder by their number is its plane.
    pub block: u32,
    /// Page of the block.
    pub page: u32,
}

/// Bytes of a page, from a column to before another.
pub type Columns = Range<u32>;

/// A step of what a die does. The pages or blocks of one step are on different planes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reads a page, and bytes of it go out.
    Read(Place, Columns),
    /// Reads pages into the registers of their planes.
    Load(Vec<Place>),
    /// Bytes of a page that was loaded go out.
    DataOut(Place, Columns),
    /// Programs pages with these bytes.
    Program(Vec<(Place, Vec<u8>)>),
    /// The same, until the registers are free for the next ones.
    ProgramCached(Vec<(Place, Vec<u8>)>),
    /// Waits until the array of a die has programmed what was given last by now. It takes so long
    /// from now on, if it works already.
    Settle {
        /// Die of the channel.
        die: u32,
        /// Typical time that is left.
        left: Picoseconds,
    },
    /// Erases blocks.
    Erase(Vec<Place>),
}

/// What came of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Bytes that came out.
    pub data: Vec<u8>,
    /// For how long the die was selected.
    pub bus: Picoseconds,
    /// For how long it was busy.
    pub array: Picoseconds,
}

/// What an engine is busy with, or waits for.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Carries out a channel's operations. A step that fails does not end: the failure does.
pub trait ChannelEngine {
    /// Waits until its dies take operations.
    fn ready(&self) -> Pending<'_, ()>;

    /// Carries a step out.
    fn carry(&self, step: Step) -> Pending<'_, Carried>;

    /// Puts a page into a die as if it had been programmed.
    fn put(&self, place: Place, bytes: Vec<u8>);

    /// What a die's page holds.
    fn stored(&self, place: Place) -> Vec<u8>;

    /// Waits for a failure, and tells what it is.
    fn failure(&self) -> Pending<'_, String>;

    /// Clocks that it was simulated for.
    fn clocks(&self) -> Cycles;
}
