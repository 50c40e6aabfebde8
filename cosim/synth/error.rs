//! What can go wrong between a synthesis job and its result; each message is one line.

use std::{io, path::PathBuf, sync::Arc};

use thiserror::Error;

/// A program or library that the machine lacks; the caller says so and goes on without the figures.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{tool} not found: {hint}")]
pub struct ToolMissing {
    /// What was looked for: a program's name, or the path of the cell library.
    pub tool: String,
    /// How to get it.
    pub hint: &'static str,
}

/// Why a job has no result.
#[derive(Clone, Debug, Error)]
pub enum SynthError {
    /// A tool or the cell library is not installed.
    #[error(transparent)]
    ToolMissing(#[from] ToolMissing),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// No source file defines the top module.
    #[error("no source file defines the module {top}")]
    TopMissing {
        /// The module asked for.
        top: String,
    },
    /// The cell library does not read as liberty text, or lacks a cell that is needed.
    #[error("{path}: {reason}")]
    Liberty {
        /// The library.
        path: PathBuf,
        /// What is wrong, with its line where there is one.
        reason: String,
    },
    /// A tool ended with an error, or wrote something else than its known report.
    #[error("{tool} failed on {top}: {reason} (log: {log})")]
    ToolFailed {
        /// The program.
        tool: &'static str,
        /// Top module of the job.
        top: String,
        /// First error line of its log, or what its report lacks.
        reason: String,
        /// The log, kept.
        log: PathBuf,
    },
    /// The caller asked to stop; tools at work were killed and nothing of them was kept.
    #[error("synthesis interrupted")]
    Interrupted,
}

impl SynthError {
    /// Names the file that an input/output error happened on.
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source: Arc::new(source) }
    }
}
