//! Raw bit errors of a drive's flash, and the codec that corrects them.

use std::path::{Path, PathBuf};

use floatgate_hal::units::{Picoseconds, Strength};
use serde::{Deserialize, Serialize};

use super::drive::{holds, within};
use super::{CodeConfig, ConfigError, Fault};
use crate::array::ReadErrors;
use crate::calibration::Calibration;
use crate::die::part::ErrorModel;
use crate::ecc::EccClocks;

/// Raw bit errors and their codec. Relative paths are from the drive's folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorConfig {
    /// The chip.
    pub model: ErrorModel,
    /// Factors of its rate for each page type.
    pub page_factors: Vec<f64>,
    /// Program/erase cycles of all blocks before the run.
    pub initial_cycles: u32,
    /// Days for which data were there that are there when the run begins.
    pub retention_days: f64,
    /// The codec: its longest data are the pieces that pages are cut into.
    pub code: PathBuf,
    /// The folder with what `floatgate characterize` measured of the codecs.
    pub calibration: PathBuf,
    /// Bits that are corrected in each codeword.
    pub strength: u16,
    /// Period of the codec's clock.
    pub codec_clock_ps: u64,
    /// What the files say.
    #[serde(skip)]
    codec: Option<(CodeConfig, EccClocks)>,
}

impl ErrorConfig {
    /// Reads the codec's files, for pages of so many bytes.
    pub(super) fn load(&mut self, drive: &Path, page_bytes: u32) -> Result<(), ConfigError> {
        if let Some(folder) = drive.parent() {
            self.code = folder.join(&self.code);
            self.calibration = folder.join(&self.calibration);
        }
        let code = CodeConfig::load(&self.code)?;
        let of_drive = |fault| ConfigError::at(drive, fault);
        let clocks = Calibration::load(&self.calibration)?.codec(&code).ok_or_else(|| {
            let message = format!("`{}` is not in {}", code.name, self.calibration.display());
            of_drive(Fault::new("errors.code", message))
        })?;
        let data = code.config.k_max_bytes;
        let is_right = data.is_multiple_of(512) && page_bytes.is_multiple_of(data);
        let message = format!("is of {data} bytes, of which pages of {page_bytes} do not consist");
        holds("errors.code", is_right, message).map_err(of_drive)?;
        let has_strength = code.config.strengths().any(|strength| strength.0 == self.strength);
        let message = format!("is {}, which `{}` does not have", self.strength, code.name);
        holds("errors.strength", has_strength, message).map_err(of_drive)?;
        self.codec = Some((code.config, clocks));
        Ok(())
    }

    /// As the array has them.
    ///
    /// # Panics
    /// The configuration was not [`load`](super::DriveConfig::load)ed.
    pub fn errors(&self) -> ReadErrors {
        ReadErrors {
            model: self.model,
            page_factors: self.page_factors.clone(),
            initial_cycles: self.initial_cycles,
            retention_days: self.retention_days,
            codec: self.codec.clone().expect("the codec was read"),
            strength: Strength(self.strength),
            codec_clock: Picoseconds(self.codec_clock_ps),
        }
    }

    /// What must hold for so many page types.
    pub(super) fn check(&self, page_types: usize) -> Result<(), Fault> {
        let message = format!("has {}, must be {page_types}", self.page_factors.len());
        holds("errors.page_factors", self.page_factors.len() == page_types, message)?;
        for &factor in &self.page_factors {
            within("errors.page_factors", factor, 0.0, 1e6)?;
        }
        within("errors.initial_cycles", self.initial_cycles.into(), 0.0, 1e6)?;
        within("errors.retention_days", self.retention_days, 0.0, 1e5)?;
        within("errors.codec_clock_ps", self.codec_clock_ps as f64, 500.0, 1e5)
    }
}
