//! A span of time in which a byte on DQ can be relied upon.

use super::bus::{FOREVER, Instant, NEVER};
use super::timing::Parameter;

/// When a byte is valid, both ends included, and which parameters say so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) byte: u8,
    pub(super) from: Instant,
    pub(super) until: Instant,
    /// The edge that `from` is measured from, and the parameter that says how long.
    pub(super) opens: (Instant, Parameter),
    /// The same of `until`.
    pub(super) closes: (Instant, Parameter),
}

impl Window {
    /// No byte at any time.
    pub(super) const NONE: Self = Self {
        byte: 0,
        from: FOREVER,
        until: NEVER,
        opens: (NEVER, Parameter::Rea),
        closes: (NEVER, Parameter::Rhoh),
    };

    pub(super) fn holds(&self, at: Instant) -> bool {
        self.from <= at && at <= self.until
    }

    /// Ends it some time after an edge, if it does not end before.
    pub(super) fn close(&mut self, edge: Instant, parameter: Parameter, hold: Instant) {
        if edge + hold < self.until {
            self.until = edge + hold;
            self.closes = (edge, parameter);
        }
    }

    /// The next of its two ends after `at`.
    pub(super) fn next(&self, at: Instant) -> Instant {
        if self.until < self.from {
            FOREVER
        } else if self.from > at {
            self.from
        } else if self.until >= at {
            self.until + 1
        } else {
            FOREVER
        }
    }
}
