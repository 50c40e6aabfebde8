//! What can go wrong with a run folder. Each error is one line that names the file.

use std::io;
use std::path::{Path, PathBuf};

use crate::model::SCHEMA_VERSION;

/// A run folder that could not be written, read or understood.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The file system refused a write.
    #[error("failed to write {}: {source}", path.display())]
    Write {
        /// What was being written.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The file system refused a read.
    #[error("failed to read {}: {source}", path.display())]
    Read {
        /// What was being read.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A stored file is not what this version writes.
    #[error("{}: {source}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// The first fault, with line and column.
        source: serde_json::Error,
    },
    /// A stored file has another schema version.
    #[error(
        "{}: schema_version {found} is not readable, this version reads {SCHEMA_VERSION}",
        path.display()
    )]
    Schema {
        /// The file.
        path: PathBuf,
        /// The version it states.
        found: u32,
    },
    /// The resolved configuration has no RON form.
    #[error("failed to write the resolved configuration: {0}")]
    Config(#[from] ron::Error),
    /// The folder to be replaced was not written by a run.
    #[error("{} exists and is not a run folder, it is left untouched", path.display())]
    Foreign {
        /// The folder, file or link in the way.
        path: PathBuf,
    },
    /// A folder is none of a run.
    #[error("{} is no run folder: it has no metrics.json", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// A name would leave the folder it belongs to.
    #[error("\"{0}\" is no plain file name (letters, digits, '-', '_' and '.')")]
    Name(String),
    /// The result contradicts itself.
    #[error("inconsistent result: {0}")]
    Inconsistent(String),
}

impl ReportError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }
}
