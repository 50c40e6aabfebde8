//! Data interface and timing mode of a die, and how firmware tells the controller of them.
//!
//! A die starts, and comes out of FFh, in SDR mode 0; Set Features 01h moves it, and the controller
//! has to follow (ONFI timing mode feature: bits 3:0 the mode, bits 5:4 the interface).

use super::address::DieIndex;
use super::timing::TimingError;
use crate::units::Picoseconds;

/// How data go over the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DataInterface {
    /// One byte a strobe; modes 0 to 5.
    #[default]
    Sdr = 0,
    /// Two bytes a clock, with DQS; modes 0 to 5.
    NvDdr = 1,
}

/// An interface and one of its modes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimingMode {
    /// The interface.
    pub interface: DataInterface,
    /// Its mode, 0 to 5, higher being faster.
    pub mode: u8,
}

impl TimingMode {
    /// The mode of every die after power-up and FFh.
    pub const POWER_UP: Self = Self { interface: DataInterface::Sdr, mode: 0 };

    /// First parameter of feature 01h that asks for this mode.
    pub const fn feature(self) -> u8 {
        (self.interface as u8) << 4 | self.mode
    }
}

/// What the controller has to know of a die to keep its timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DieTiming {
    /// Interface and mode.
    pub mode: TimingMode,
    /// tCCS, from a change of column to the data (parameter page bytes 139-140).
    pub t_ccs: Picoseconds,
    /// Whether NV-DDR cycles may follow each other after the fast tCAD of 25 ns instead of 45 ns
    /// (byte 143, bit 0).
    pub fast_t_cad: bool,
}

impl Default for DieTiming {
    /// What is safe with a die of which nothing is known.
    fn default() -> Self {
        Self { mode: TimingMode::POWER_UP, t_ccs: Picoseconds(500_000), fast_t_cad: false }
    }
}

/// The controller's side of a change of mode.
pub trait BusTiming {
    /// Talks to `die` with this timing from the next operation on. To be called while no
    /// operation runs on the die.
    ///
    /// # Errors
    /// The controller's clock does not allow it; the die's timing stays as it was. The timing of
    /// [`DieTiming::default`] is one that every controller keeps.
    fn set_timing(&self, die: DieIndex, timing: DieTiming) -> Result<(), TimingError>;
}
