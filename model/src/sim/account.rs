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

/// What a process has spent since its account was opened.
#[derive(Debug, Default)]
pub struct Account {
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

    /// When it was opened.
    pub fn opened(&self) -> Picoseconds {
        Picoseconds(self.opened_ps.get())
    }

    /// Spans by stage.
    #[inline]
    pub fn spans(&self) -> impl Iterator<Item = Picoseconds> + '_ {
        self.spans_ps.iter().map(|span| Picoseconds(span.get()))
    }
}
