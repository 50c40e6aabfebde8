//! The queue of timers: a heap keyed (time, sequence).
//!
//! A cancelled timer's entry stays until it comes up or until such entries are the majority, when
//! one pass removes them all; so a cancelled timer costs constant time, and neither moves time nor
//! keeps the simulation alive.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Entries in time order, and among equal times in the order in which they were made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at_ps: u64,
    sequence: u64,
    node: u32,
}

/// Below so many cancelled entries no pass is worth its while.
const SWEEP_MIN: usize = 64;

#[derive(Default)]
pub(super) struct Timers {
    heap: BinaryHeap<Reverse<Entry>>,
    sequence: u64,
    cancelled: usize,
}

impl Timers {
    /// The sequence number of the next entry.
    #[inline]
    pub(super) fn next_sequence(&self) -> u64 {
        self.sequence
    }

    #[inline]
    pub(super) fn push(&mut self, at_ps: u64, node: u32) {
        self.heap.push(Reverse(Entry { at_ps, sequence: self.sequence, node }));
        self.sequence += 1;
    }

    /// The time of the first entry that is alive; dead ones before it are removed.
    #[inline]
    pub(super) fn peek(&mut self, is_alive: impl Fn(u32, u64) -> bool) -> Option<u64> {
        while let Some(Reverse(first)) = self.heap.peek() {
            if is_alive(first.node, first.sequence) {
                return Some(first.at_ps);
            }
            self.heap.pop();
            self.cancelled -= 1;
        }
        None
    }

    /// Takes the first entry, which is there.
    #[inline]
    pub(super) fn pop(&mut self) -> u32 {
        self.heap.pop().expect("the queue was looked at").0.node
    }

    /// Counts entries whose nodes are gone.
    pub(super) fn forget(&mut self, count: usize) {
        self.cancelled += count;
    }

    /// Removes dead entries where they are the majority.
    pub(super) fn sweep(&mut self, is_alive: impl Fn(u32, u64) -> bool) {
        if self.cancelled >= SWEEP_MIN && 2 * self.cancelled > self.heap.len() {
            self.heap.retain(|Reverse(entry)| is_alive(entry.node, entry.sequence));
            self.cancelled = 0;
        }
    }

    pub(super) fn clear(&mut self) {
        self.heap.clear();
        self.cancelled = 0;
    }

    /// Entries in the queue, dead ones included.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }
}
