//! The host's pins with the times of their last edges. All targets of a channel read the same ones,
//! so that a change costs its bookkeeping once, however many targets there are.

use floatgate_hal::units::Picoseconds;

use super::level::{HostPins, Level, TARGETS_MAX};

/// A time in picoseconds, signed so that [`NEVER`] lies far enough back for any difference.
pub(super) type Instant = i64;

/// The same time in the unit of everyone else.
pub(super) fn ps(at: Instant) -> Picoseconds {
    Picoseconds(at.max(0) as u64)
}

/// The time of an edge that has not happened yet.
pub(super) const NEVER: Instant = i64::MIN / 4;

/// A time that does not come.
pub(super) const FOREVER: Instant = i64::MAX / 4;

/// Which pins changed, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes(u16);

impl Changes {
    pub(super) const CLE: Self = Self(1);
    pub(super) const ALE: Self = Self(1 << 1);
    pub(super) const WE_FELL: Self = Self(1 << 2);
    pub(super) const WE_ROSE: Self = Self(1 << 3);
    pub(super) const RE_FELL: Self = Self(1 << 4);
    pub(super) const RE_ROSE: Self = Self(1 << 5);
    pub(super) const WP: Self = Self(1 << 6);
    pub(super) const DQ: Self = Self(1 << 7);
    /// DQS is driven to another level than before, or let go.
    pub(super) const DQS: Self = Self(1 << 8);
    /// DQS went from one known level to the other.
    pub(super) const DQS_EDGE: Self = Self(1 << 9);
    pub(super) const CE: Self = Self(1 << 10);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// A wire whose edges are timed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strobe {
    /// Its last known level.
    pub(super) high: bool,
    pub(super) fell: Instant,
    pub(super) rose: Instant,
    pub(super) fell_before: Instant,
    pub(super) rose_before: Instant,
}

impl Strobe {
    pub(super) const fn new(high: bool) -> Self {
        Self { high, fell: NEVER, rose: NEVER, fell_before: NEVER, rose_before: NEVER }
    }

    /// Takes a new level; whether it is an edge.
    pub(super) fn set(&mut self, at: Instant, level: Level) -> bool {
        if !level.is_known() || level.is_high() == self.high {
            return false;
        }
        self.high = level.is_high();
        if self.high {
            self.rose_before = self.rose;
            self.rose = at;
        } else {
            self.fell_before = self.fell;
            self.fell = at;
        }
        true
    }
}

/// The host's pins, and when they last changed.
#[derive(Clone, Debug)]
pub(super) struct Bus {
    pub(super) pins: HostPins,
    pub(super) we: Strobe,
    pub(super) re: Strobe,
    pub(super) dqs: Strobe,
    pub(super) cle_changed: Instant,
    pub(super) ale_changed: Instant,
    pub(super) wp_changed: Instant,
    pub(super) dq_changed: Instant,
    /// When the host last began to drive DQS low.
    pub(super) dqs_lowered: Instant,
    /// Control pins that went to X or Z in this step, as bits of [`CONTROL_NAMES`].
    pub(super) lost: u16,
}

/// Control pins in the order of the bits of [`Bus::lost`]; CE# of target n is bit 5 + n.
pub(super) const CONTROL_NAMES: [&str; 5] = ["CLE", "ALE", "WE#", "RE#", "WP#"];

impl Bus {
    pub(super) fn new() -> Self {
        Self {
            pins: HostPins::IDLE,
            we: Strobe::new(true),
            re: Strobe::new(true),
            dqs: Strobe::new(false),
            cle_changed: NEVER,
            ale_changed: NEVER,
            wp_changed: NEVER,
            dq_changed: NEVER,
            dqs_lowered: NEVER,
            lost: 0,
        }
    }

    /// Takes the pins as they are from `at` on.
    pub(super) fn apply(&mut self, at: Instant, new: &HostPins) -> Changes {
        let mut changes = Changes::default();
        self.lost = 0;
        if *new == self.pins {
            return changes;
        }
        let old = std::mem::replace(&mut self.pins, *new);
        self.strobes(at, &mut changes);
        let mut level = |bit: u16, old: Level, new: Level, when: &mut Instant, change| {
            if old != new {
                *when = at;
                changes.add(change);
                self.lost |= u16::from(!new.is_known()) << bit;
            }
        };
        level(0, old.cle, new.cle, &mut self.cle_changed, Changes::CLE);
        level(1, old.ale, new.ale, &mut self.ale_changed, Changes::ALE);
        level(4, old.wp_n, new.wp_n, &mut self.wp_changed, Changes::WP);
        self.lost |= u16::from(old.we_n != new.we_n && !new.we_n.is_known()) << 2;
        self.lost |= u16::from(old.re_n != new.re_n && !new.re_n.is_known()) << 3;
        if old.ce_n != new.ce_n {
            changes.add(Changes::CE);
            for target in 0..TARGETS_MAX {
                let lost = old.ce_n[target] != new.ce_n[target] && !new.ce_n[target].is_known();
                self.lost |= u16::from(lost) << (5 + target);
            }
        }
        if old.dq != new.dq {
            self.dq_changed = at;
            changes.add(Changes::DQ);
        }
        if old.dqs != new.dqs {
            changes.add(Changes::DQS);
            if new.dqs.is_low() {
                self.dqs_lowered = at;
            }
            // A level that nobody drove before is not an edge of a burst.
            let edge = self.dqs.set(at, new.dqs);
            if edge && old.dqs.is_known() {
                changes.add(Changes::DQS_EDGE);
            }
        }
        changes
    }

    fn strobes(&mut self, at: Instant, changes: &mut Changes) {
        if self.we.set(at, self.pins.we_n) {
            changes.add(if self.we.high { Changes::WE_ROSE } else { Changes::WE_FELL });
        }
        if self.re.set(at, self.pins.re_n) {
            changes.add(if self.re.high { Changes::RE_ROSE } else { Changes::RE_FELL });
        }
    }
}
