//! The error of a run that ends with work outstanding.

use std::fmt;

use floatgate_hal::units::Picoseconds;

/// Nothing is left that could happen, and processes still wait. Servers may wait for ever and are
/// not listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("deadlock at {at}: {}", list(.waiting))]
pub struct Deadlock {
    /// When the last thing happened.
    pub at: Picoseconds,
    /// Who waits, in the order of the processes' creation as far as places were not reused.
    pub waiting: Vec<Waiting>,
}

/// A process that waits in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its name.
    pub process: String,
    /// What it waits for, each by kind and name; none where it is something of which the kernel
    /// does not know.
    pub awaited: Vec<String>,
}

impl Deadlock {
    pub(super) fn new(now_ps: u64, waiting: Vec<Waiting>) -> Self {
        Self { at: Picoseconds(now_ps), waiting }
    }
}

fn list(waiting: &[Waiting]) -> String {
    waiting.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` waits for ", self.process)?;
        match &self.awaited[..] {
            [] => f.write_str("something outside the kernel"),
            awaited => f.write_str(&awaited.join(" or ")),
        }
    }
}
