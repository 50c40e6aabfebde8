//! How the command ends: one enum of exit codes, and the failure that carries one.

use std::fmt;

/// Exit codes of failures; 0 is success, and clap ends with 2 where it can't understand the
/// command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ExitCode {
    /// A failure that should not be possible; worth a report.
    Unexpected = 1,
    /// A configuration or an input file is wrong or missing.
    Input = 3,
    /// A tool is missing or failed.
    Tool = 4,
    /// An output can't be written.
    Output = 5,
    /// A codeword has more errors than its code corrects.
    Uncorrectable = 10,
    /// RTL and model part.
    Mismatch = 11,
    /// A die does not answer, or has no good block left.
    Device = 12,
    /// An experiment's figure is not as it must be.
    Unreproduced = 13,
    /// Ctrl-C.
    Interrupted = 130,
}

/// A failure of the command: one line, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    /// How the process ends.
    pub(crate) code: ExitCode,
    /// What is said of it.
    pub(crate) line: String,
}

impl Failure {
    /// A failure with its line.
    pub(crate) fn new(code: ExitCode, line: impl fmt::Display) -> Self {
        Self { code, line: line.to_string().replace('\n', " ") }
    }

    /// Ctrl-C.
    pub(crate) fn interrupted() -> Self {
        Self::new(ExitCode::Interrupted, "interrupted; nothing was written")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

impl std::error::Error for Failure {}

/// Gives errors an exit code.
pub(crate) trait OrExit<T> {
    /// The value, or a failure that ends the process with `code`.
    ///
    /// # Errors
    /// The error, as a failure.
    fn or_exit(self, code: ExitCode) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> OrExit<T> for Result<T, E> {
    fn or_exit(self, code: ExitCode) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(code, error))
    }
}
