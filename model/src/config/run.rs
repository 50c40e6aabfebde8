//! A run: `configs/peers/<name>.ron` and the like enter, [`RunConfig`] leaves: a drive, and what a
//! host asks of it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Check, ConfigError, DriveConfig, Fault, load_checked};
use crate::host::trace::TraceConfig;
use crate::host::workload::Workload;

/// A drive, and what a host asks of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// What it is, for the report.
    pub title: String,
    /// The drive, a name in `configs/drives`.
    pub drive: String,
    /// Seed of what the drive draws at random.
    pub seed: u64,
    /// What the host asks for.
    pub load: Load,
}

/// What a host asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Load {
    /// Requests that are drawn.
    Workload(Workload),
    /// Requests that were recorded; a relative path is from the run's folder.
    Trace(TraceConfig),
}

impl RunConfig {
    /// Reads and checks a configuration.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let mut config: Self = load_checked(path)?;
        if let (Load::Trace(trace), Some(folder)) = (&mut config.load, path.parent()) {
            trace.path = folder.join(&trace.path);
        }
        Ok(config)
    }

    /// Reads and checks the drive, which is in a folder of drives.
    ///
    /// # Errors
    /// [`ConfigError`], of the drive's file, or of the run's `path` where there is no such drive.
    pub fn load_drive(&self, path: &Path, drives: &Path) -> Result<DriveConfig, ConfigError> {
        let file: PathBuf = drives.join(format!("{}.ron", self.drive));
        if !file.is_file() {
            let message = format!("no drive `{}` in {}", self.drive, drives.display());
            return Err(ConfigError::at(path, Fault::new("drive", message)));
        }
        DriveConfig::load(file)
    }
}

impl Check for RunConfig {
    fn check(&self) -> Result<(), Fault> {
        let checked = match &self.load {
            Load::Workload(workload) => workload.check(),
            Load::Trace(trace) => trace.check(),
        };
        checked.map_err(|Fault { field, message }| Fault::new(format!("load.{field}"), message))
    }
}
