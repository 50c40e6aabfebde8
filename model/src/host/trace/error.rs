//! What can be wrong with a trace. Each error displays as one line.

use std::path::PathBuf;

/// Why a trace could not be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read.
    #[error("{}: cannot read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A line is not what the format says.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// What is wrong.
        message: String,
    },
    /// A field of a line is not what the format says, or cannot be used.
    #[error("{}:{line}: field `{field}`: {message}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// The field, as the format calls it.
        field: &'static str,
        /// What is wrong.
        message: String,
    },
}
