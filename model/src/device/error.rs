//! Why a file is not stored, or not read back: one line each.

use floatgate_firmware::page::LayoutError;
use floatgate_firmware::{BringUpError, BusFault, ProgramError, ReadError};
use floatgate_hal::flash::address::{DieIndex, RowAddress};
use floatgate_hal::units::Strength;

use crate::sim::Deadlock;

/// Why a file is not stored, or not read back.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is empty.
    #[error("there is nothing to store")]
    Empty,
    /// The device is smaller than the file.
    #[error("{file} bytes are more than the {device} of {dies} dies of {model}")]
    TooLarge {
        /// Length of the file.
        file: u64,
        /// Data bytes of the device.
        device: u64,
        /// Its dies.
        dies: u8,
        /// Its part.
        model: String,
    },
    /// The strength is not one of the code's.
    #[error("strength {strength}: the code has 1 to {most}")]
    Strength {
        /// What was asked for.
        strength: Strength,
        /// The greatest.
        most: u32,
    },
    /// The codec's clocks are not known.
    #[error("{code} is not calibrated; `floatgate characterize --code {code}` measures it")]
    Uncalibrated {
        /// Its name.
        code: String,
    },
    /// The codewords do not fit the page.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A die does not come up as it should.
    #[error(transparent)]
    BringUp(BringUpError),
    /// A die runs in SDR mode 0, because it did not follow into the mode that was asked for.
    #[error("die {}: did not take its timing mode", .0.0)]
    Mode(DieIndex),
    /// An operation did not come to its end.
    #[error(transparent)]
    Bus(#[from] BusFault),
    /// A page is not programmed.
    #[error(transparent)]
    Program(ProgramError),
    /// A page is not read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// No good block is left.
    #[error("the good blocks of a die are full")]
    Full,
    /// A page holds something else than what was stored there.
    #[error("row {:06X}h does not hold page {page} of the file", row.0)]
    Lost {
        /// Page of the file.
        page: u32,
        /// Where it should be.
        row: RowAddress,
    },
    /// Somebody set the job's flag.
    #[error("interrupted")]
    Interrupted,
    /// Nothing can happen any more.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
}

impl From<BringUpError> for StoreError {
    fn from(error: BringUpError) -> Self {
        match error {
            BringUpError::Bus(fault) => Self::Bus(fault),
            other => Self::BringUp(other),
        }
    }
}

impl From<ProgramError> for StoreError {
    fn from(error: ProgramError) -> Self {
        match error {
            ProgramError::Bus(fault) => Self::Bus(fault),
            other => Self::Program(other),
        }
    }
}
