//! Raw bit errors of a drive's flash, and the codec that corrects them.

use std::path::{Path, PathBuf};

use floatgate_firmware::ftl::{Ladder, MAX_LEVELS};
use floatgate_hal::units::{ByteCount, Picoseconds, Strength};
use serde::{Deserialize, Serialize};

use super::drive::{holds, within};
use super::{CodeConfig, ConfigError, Fault, NamedCode};
use crate::array::ReadErrors;
use crate::calibration::Calibration;
use crate::die::part::ErrorModel;
use crate::ecc::EccClocks;

/// A ladder of strengths. All blocks begin with that of [`ErrorConfig`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderConfig {
    /// The greater ones, ascending; the spare area has room for the parity of the last.
    pub stronger: Vec<u16>,
    /// A block goes one up when a read leaves no more bits than this to correct.
    pub margin_bits: u16,
}

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
    /// Greater strengths, for blocks that turn out to need them.
    #[serde(default, with = "super::given", skip_serializing_if = "Option::is_none")]
    pub ladder: Option<LadderConfig>,
    /// Period of the codec's clock.
    pub codec_clock_ps: u64,
    /// What the files say.
    #[serde(skip)]
    codec: Option<(CodeConfig, EccClocks)>,
}

impl ErrorConfig {
    /// Reads the codec's files, for pages of so many bytes, of which so many cross the bus for each
    /// sector.
    pub(super) fn load(
        &mut self,
        drive: &Path,
        page_bytes: u32,
        sector_bytes: u32,
    ) -> Result<(), ConfigError> {
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
        self.check_strengths(&code, sector_bytes).map_err(of_drive)?;
        self.codec = Some((code.config, clocks));
        Ok(())
    }

    /// The codec has all strengths, and so much as crosses the bus for a sector holds them.
    fn check_strengths(&self, code: &NamedCode, sector_bytes: u32) -> Result<(), Fault> {
        let has = |t: u16| code.config.strengths().any(|strength| strength.0 == t);
        let message = |t: u16| format!("is {t}, which `{}` does not have", code.name);
        holds("errors.strength", has(self.strength), message(self.strength))?;
        let Some(LadderConfig { stronger, .. }) = &self.ladder else { return Ok(()) };
        let field = "errors.ladder.stronger";
        for &t in stronger {
            holds(field, has(t), message(t))?;
            let data = ByteCount(code.config.k_max_bytes);
            let bits = code.config.message(data).0 + code.config.parity(Strength(t)).0;
            let (needed, room) = (bits.div_ceil(8), data.0 / 512 * sector_bytes);
            let message = format!("is {t}, whose codewords have {needed} bytes of {room} at most");
            holds(field, sector_bytes == 512 || needed <= room, message)?;
        }
        Ok(())
    }

    /// Bits that are corrected in a codeword, by level.
    fn strengths(&self) -> Vec<u16> {
        let stronger = self.ladder.iter().flat_map(|ladder| &ladder.stronger);
        std::iter::once(&self.strength).chain(stronger).copied().collect()
    }

    /// The ladder, as firmware has it.
    pub(super) fn ladder(&self) -> Ladder {
        let ladder = self.ladder.as_ref();
        ladder.map_or_else(Ladder::default, |of| Ladder::new(&self.strengths(), of.margin_bits))
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
            strengths: self.strengths().into_iter().map(Strength).collect(),
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
        if let Some(LadderConfig { stronger, margin_bits }) = &self.ladder {
            let message = format!("has {}, must be 1 to {}", stronger.len(), MAX_LEVELS - 1);
            holds("errors.ladder.stronger", (1..MAX_LEVELS).contains(&stronger.len()), message)?;
            let is_ascending = self.strengths().is_sorted_by(|one, next| one < next);
            let message = format!("is not ascending from {} on", self.strength);
            holds("errors.ladder.stronger", is_ascending, message)?;
            let message = format!("is {margin_bits}, must be less than {}", self.strength);
            holds("errors.ladder.margin_bits", *margin_bits < self.strength, message)?;
        }
        within("errors.initial_cycles", self.initial_cycles.into(), 0.0, 1e6)?;
        within("errors.retention_days", self.retention_days, 0.0, 1e5)?;
        within("errors.codec_clock_ps", self.codec_clock_ps as f64, 500.0, 1e5)
    }
}
