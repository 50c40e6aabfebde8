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
    /// The first lines fit no format.
    #[error("{}: its format is none of those known: {reasons}", path.display())]
    Unrecognised {
        /// The file.
        path: PathBuf,
        /// What each format has against it.
        reasons: String,
    },
    /// The first lines fit several formats equally well.
    #[error("{}: its format may be {candidates}; name one", path.display())]
    Ambiguous {
        /// The file.
        path: PathBuf,
        /// The formats.
        candidates: String,
    },
    /// There is nothing to replay.
    #[error("{}: holds no request{which}; of {lines} lines {skipped}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// Of which device, where one was asked for.
        which: String,
        /// The lines that were read.
        lines: u64,
        /// How many were skipped, and why.
        skipped: String,
    },
    /// What was asked for cannot be meant.
    #[error("{}: option `{option}`: {message}", path.display())]
    Option {
        /// The trace.
        path: PathBuf,
        /// The option of [`TraceConfig`](super::TraceConfig).
        option: String,
        /// What is wrong with it.
        message: String,
    },
}
