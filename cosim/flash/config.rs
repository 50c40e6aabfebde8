//! What a controller is made with.

use floatgate_hal::units::Picoseconds;

/// Whether the clock runs while there is nothing to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Idle {
    /// It stops, and time jumps to the next change of a wire or time-out.
    #[default]
    Skipped,
    /// It runs.
    Clocked,
}

/// What a controller is made with.
#[derive(Clone, Debug)]
pub struct Config {
    /// The name of its row in `build.rs`.
    pub model: &'static str,
    /// Its dies, as that row has them.
    pub dies: usize,
    /// Period of its clock.
    pub clock: Picoseconds,
    /// Fills what has no reset.
    pub seed: u64,
    /// What it does while there is nothing to do.
    pub idle: Idle,
}
