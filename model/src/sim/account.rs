//! Where the time of a process goes: an account for each, kept by stage.
//!
//! Models name the stages. Each of them charges the spans that it makes the process that runs wait
//! or work, and does not know whose process it is; whoever gave the process its work opens the
//! account and reads it at the end. What nobody charged is the process's own.

use std::cell::Cell;

use floatgate_hal::units::Picoseconds;

/// What a process does or waits for. Its number is below [`STAGES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage(pub u8);

/// Stages that an account tells apart.
pub const STAGES: usize = 13;

/// What is in an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// When it was opened.
    pub opened: Picoseconds,
    /// Spans by stage.
    pub spans: [Picoseconds; STAGES],
}

#[derive(Default)]
pub(super) struct Account {
    opened_ps: Cell<u64>,
    spans_ps: [Cell<u64>; STAGES],
}

impl Account {
    /// Begins anew.
    pub(super) fn open(&self, now_ps: u64) {
        self.opened_ps.set(now_ps);
        self.spans_ps.iter().for_each(|span| span.set(0));
    }

    #[inline]
    pub(super) fn charge(&self, Stage(stage): Stage, span_ps: u64) {
        let sum = &self.spans_ps[usize::from(stage)];
        sum.set(sum.get() + span_ps);
    }

    #[inline]
    pub(super) fn statement(&self) -> Statement {
        let spans = std::array::from_fn(|stage| Picoseconds(self.spans_ps[stage].get()));
        Statement { opened: Picoseconds(self.opened_ps.get()), spans }
    }
}
