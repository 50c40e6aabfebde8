//! The buffer memory of a drive.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ConfigError;
use crate::dram::DramPart;

/// The memory that data of the host and of the flash go through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramConfig {
    /// The part, as in configs/dram; a relative path is from the drive's folder.
    pub part: PathBuf,
    /// What the file says.
    #[serde(skip)]
    loaded: Option<DramPart>,
}

impl DramConfig {
    /// With a part that is known.
    pub fn new(part: DramPart) -> Self {
        Self { part: PathBuf::new(), loaded: Some(part) }
    }

    /// Reads the part, which lies where the drive at `drive` says.
    pub(super) fn load(&mut self, drive: &Path) -> Result<(), ConfigError> {
        if let Some(folder) = drive.parent() {
            self.part = folder.join(&self.part);
        }
        self.loaded = Some(DramPart::load(&self.part)?);
        Ok(())
    }

    /// The part.
    ///
    /// # Panics
    /// The configuration was not loaded as that of a drive.
    pub fn loaded(&self) -> &DramPart {
        self.loaded.as_ref().expect("a drive's file is loaded with its memory's")
    }
}
