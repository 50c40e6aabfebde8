//! What the checker says: a rule, when it was broken, what was measured and what was wanted.

mod table;

use std::fmt;

use floatgate_hal::flash::address::LunIndex;
use floatgate_hal::units::Picoseconds;

pub use table::Rule;

/// How much a breach matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Legal, and yet no good host does it.
    Warning,
    /// The die may do anything after it.
    Error,
}

/// A measured or a required value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A span of time.
    Time(Picoseconds),
    /// A number of cycles, bytes, pages, blocks or programs, or an index of one.
    Count(u64),
    /// A command.
    Opcode(u8),
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Time(Picoseconds(ps)) if ps >= 1_000_000 => write!(f, "{} us", ps as f64 / 1e6),
            Self::Time(Picoseconds(ps)) => write!(f, "{:.1} ns", ps as f64 / 1e3),
            Self::Count(count) => write!(f, "{count}"),
            Self::Opcode(opcode) => write!(f, "{opcode:02X}h"),
        }
    }
}

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The rule.
    pub rule: Rule,
    /// How much it matters.
    pub severity: Severity,
    /// When the cycle came that broke it.
    pub at: Picoseconds,
    /// The LUN concerned, where it is one.
    pub lun: Option<LunIndex>,
    /// What the host did.
    pub measured: Option<Quantity>,
    /// The bound that this breaks.
    pub required: Option<Quantity>,
    /// The breach in words: a tag, then what happened.
    pub text: String,
}

impl Diagnostic {
    /// A breach of `rule` at `at`, without figures.
    pub fn new(rule: Rule, at: Picoseconds, text: impl Into<String>) -> Self {
        let severity = rule.severity();
        let text = text.into();
        Self { rule, severity, at, lun: None, measured: None, required: None, text }
    }

    /// The same, of one LUN.
    #[must_use]
    pub fn of(self, lun: LunIndex) -> Self {
        Self { lun: Some(lun), ..self }
    }

    /// The same, with figures.
    #[must_use]
    pub fn with(self, measured: Quantity, required: Quantity) -> Self {
        Self { measured: Some(measured), required: Some(required), ..self }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} ns: {}", self.rule.code(), self.at.0 as f64 / 1e3, self.text)
    }
}
