//! Recorded requests in order of their time stamps.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::Order;
use super::fields::Timestamp;
use super::reader::Recorded;

/// Holds back as many requests as the window allows and gives the oldest.
#[derive(Debug)]
pub(super) struct Sorter {
    window: usize,
    held: BinaryHeap<Reverse<ByTime>>,
    /// The time of the request given last.
    given: Timestamp,
}

/// A request that is older than the one given last.
#[derive(Debug)]
pub(super) struct TooOld {
    pub(super) by_ps: u128,
    pub(super) window: usize,
}

/// A request, ordered by time and then by line.
#[derive(Debug)]
struct ByTime(Recorded);

impl Sorter {
    pub(super) fn new(order: Order) -> Self {
        let window = match order {
            Order::Strict => 0,
            Order::Reordered { window } => window,
        };
        Self { window, held: BinaryHeap::new(), given: Timestamp(0) }
    }

    /// Takes the next request of the file and gives the oldest one, once the window is full.
    pub(super) fn push(&mut self, recorded: Recorded) -> Result<Option<Recorded>, TooOld> {
        if recorded.time < self.given {
            let by_ps = self.given.0 - recorded.time.0;
            return Err(TooOld { by_ps, window: self.window });
        }
        if self.window == 0 {
            self.given = recorded.time;
            return Ok(Some(recorded));
        }
        self.held.push(Reverse(ByTime(recorded)));
        Ok(if self.held.len() > self.window { self.pop() } else { None })
    }

    /// Gives the oldest one that is held.
    pub(super) fn pop(&mut self) -> Option<Recorded> {
        let Reverse(ByTime(oldest)) = self.held.pop()?;
        self.given = oldest.time;
        Some(oldest)
    }
}

impl Ord for ByTime {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.time, self.0.line).cmp(&(other.0.time, other.0.line))
    }
}

impl PartialOrd for ByTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByTime {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ByTime {}
