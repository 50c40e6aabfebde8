//! The queue of timers, in the order (time, sequence of their creation).
//!
//! A radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path
//! problem", J. ACM 37, 1990, section 3): simulated time never goes back, so an entry is kept by the
//! highest bit in which its time differs from that of the entry taken last. When the lowest bucket
//! in use is opened, its entries move to the empty ones below. Entries of one time are always in one
//! bucket and never overtake each other there, so no sequence number has to be kept or compared.
//!
//! A cancelled timer's entry stays until its bucket is opened, or until such entries are the
//! majority and one pass removes them all. It neither moves time nor keeps the simulation alive.

use std::collections::VecDeque;

/// A timer: its time, and the number of its node.
#[derive(Clone, Copy)]
struct Entry {
    at_ps: u64,
    node: u32,
}

/// Below so many cancelled entries no pass is worth its while.
const SWEEP_MIN: usize = 64;

pub(super) struct RadixQueue {
    /// The time of the entry taken last.
    last_ps: u64,
    /// Entries of that time.
    due: VecDeque<u32>,
    /// Entries whose time differs from `last_ps` in bit n, and in none above.
    buckets: [Vec<Entry>; 64],
    /// The buckets that are not empty.
    used: u64,
    len: usize,
    cancelled: usize,
}

impl Default for RadixQueue {
    fn default() -> Self {
        Self {
            last_ps: 0,
            due: VecDeque::new(),
            buckets: [const { Vec::new() }; 64],
            used: 0,
            len: 0,
            cancelled: 0,
        }
    }
}

impl RadixQueue {
    /// Adds an entry, at or after the time of the one taken last.
    #[inline]
    pub(super) fn push(&mut self, at_ps: u64, node: u32) {
        debug_assert!(at_ps >= self.last_ps, "time does not go back");
        self.len += 1;
        self.place(Entry { at_ps, node });
    }

    #[inline]
    fn place(&mut self, entry: Entry) {
        match (entry.at_ps ^ self.last_ps).checked_ilog2() {
            None => self.due.push_back(entry.node),
            Some(bit) => {
                self.used |= 1 << bit;
                self.buckets[bit as usize].push(entry);
            }
        }
    }

    /// Takes the first entry, if its time is no later than `limit_ps`. Of entries that are not
    /// `alive` on its way there it forgets; `alive` frees their nodes.
    #[inline]
    pub(super) fn pop(
        &mut self,
        limit_ps: u64,
        mut alive: impl FnMut(u32) -> bool,
    ) -> Option<(u64, u32)> {
        loop {
            while let Some(node) = self.due.front().copied() {
                if self.last_ps > limit_ps {
                    return None;
                }
                self.due.pop_front();
                self.len -= 1;
                if alive(node) {
                    return Some((self.last_ps, node));
                }
                self.cancelled -= 1;
            }
            if !self.open(limit_ps, &mut alive) {
                return None;
            }
        }
    }

    /// Opens the lowest bucket, if an entry in it is due by `limit_ps`; false if there is none.
    fn open(&mut self, limit_ps: u64, alive: &mut impl FnMut(u32) -> bool) -> bool {
        let Some(bit) = self.used.checked_ilog2().map(|_| self.used.trailing_zeros()) else {
            return false;
        };
        let mut entries = std::mem::take(&mut self.buckets[bit as usize]);
        if self.cancelled > 0 {
            let before = entries.len();
            entries.retain(|entry| alive(entry.node));
            self.len -= before - entries.len();
            self.cancelled -= before - entries.len();
        }
        let first_ps = entries.iter().map(|entry| entry.at_ps).min();
        let is_due = first_ps.is_none_or(|first_ps| first_ps <= limit_ps);
        if is_due {
            self.used &= !(1 << bit);
            self.last_ps = first_ps.unwrap_or(self.last_ps);
            for entry in entries.drain(..) {
                self.place(entry);
            }
        }
        // All entries went to lower buckets, so this one gets its memory back.
        self.buckets[bit as usize] = entries;
        is_due
    }

    /// Counts an entry whose node is no longer alive, and removes such entries where they are the
    /// majority.
    pub(super) fn cancel(&mut self, mut alive: impl FnMut(u32) -> bool) {
        self.cancelled += 1;
        if self.cancelled < SWEEP_MIN || 2 * self.cancelled <= self.len {
            return;
        }
        self.due.retain(|&node| alive(node));
        self.len = self.due.len();
        for (bit, bucket) in self.buckets.iter_mut().enumerate() {
            bucket.retain(|entry| alive(entry.node));
            self.len += bucket.len();
            if bucket.is_empty() {
                self.used &= !(1 << bit);
            }
        }
        self.cancelled = 0;
    }

    /// Whether there is an entry that is not cancelled.
    pub(super) fn any_alive(&self) -> bool {
        self.len > self.cancelled
    }

    /// Entries in the queue, cancelled ones included.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.len
    }
}
