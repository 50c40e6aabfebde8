//! A queue in the order (time, order of pushing), as a radix heap.
//!
//! Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path problem", J. ACM 37,
//! 1990, section 3: simulated time never goes back, so an entry is kept by the highest digit in
//! which its time differs from that of the entry taken last, here to base 16, and by its own digit
//! there. When the lowest bucket in use is opened, its entries move to the empty ones below.
//! Entries of one time are always in one bucket and never overtake each other there, so the order
//! of pushing has not to be kept or compared.

use std::collections::VecDeque;

/// Entries and their times, apart: an entry of two words stays in registers on its way in, where
/// three words stalled in memory for two fifths of a delay's time.
struct Bucket<T> {
    times_ps: Vec<u64>,
    entries: Vec<T>,
}

impl<T> Bucket<T> {
    const EMPTY: Self = Self { times_ps: Vec::new(), entries: Vec::new() };

    #[inline]
    fn push(&mut self, at_ps: u64, entry: T) {
        self.times_ps.push(at_ps);
        self.entries.push(entry);
    }

    /// Removes the entries that are not to be kept; tells how many.
    fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) -> usize {
        let before = self.entries.len();
        let kept: Vec<bool> = self.entries.iter().map(&mut keep).collect();
        let mut of_times = kept.iter();
        self.times_ps.retain(|_| of_times.next().is_some_and(|kept| *kept));
        let mut of_entries = kept.iter();
        self.entries.retain(|_| of_entries.next().is_some_and(|kept| *kept));
        before - self.entries.len()
    }
}

const DIGIT_BITS: u32 = 4;
const DIGITS: usize = 1 << DIGIT_BITS;
const LEVELS: usize = (u64::BITS / DIGIT_BITS) as usize;

pub(super) struct RadixQueue<T> {
    /// The time of the entry taken last.
    last_ps: u64,
    /// Entries of that time.
    due: VecDeque<T>,
    /// By the highest digit in which an entry's time differs from `last_ps`, and the digit there.
    buckets: [[Bucket<T>; DIGITS]; LEVELS],
    /// The digits of each level whose buckets are not empty.
    used: [u16; LEVELS],
    /// The levels of which any is.
    used_levels: u16,
    len: usize,
}

impl<T> Default for RadixQueue<T> {
    fn default() -> Self {
        Self {
            last_ps: 0,
            due: VecDeque::new(),
            buckets: [const { [const { Bucket::EMPTY }; DIGITS] }; LEVELS],
            used: [0; LEVELS],
            used_levels: 0,
            len: 0,
        }
    }
}

impl<T> RadixQueue<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds an entry, at or after the time of the one taken last.
    #[inline]
    pub(super) fn push(&mut self, at_ps: u64, entry: T) {
        debug_assert!(at_ps >= self.last_ps, "time does not go back");
        self.len += 1;
        self.place(at_ps, entry);
    }

    #[inline]
    fn place(&mut self, at_ps: u64, entry: T) {
        match (at_ps ^ self.last_ps).checked_ilog2() {
            None => self.due.push_back(entry),
            Some(bit) => {
                let level = bit / DIGIT_BITS;
                let digit = (at_ps >> (level * DIGIT_BITS)) as usize % DIGITS;
                self.used_levels |= 1 << level;
                self.used[level as usize] |= 1 << digit;
                self.buckets[level as usize][digit].push(at_ps, entry);
            }
        }
    }

    /// Takes the first entry that is to be kept, if its time is no later than `limit_ps`; others
    /// before it are removed. `filters` tells whether there may be any of those: their times must
    /// not become that of the entry taken last, because time has not come to them.
    #[inline]
    pub(super) fn pop(
        &mut self,
        limit_ps: u64,
        filters: bool,
        mut keep: impl FnMut(&T) -> bool,
    ) -> Option<(u64, T)> {
        while !self.due.is_empty() && self.last_ps <= limit_ps {
            self.len -= 1;
            let entry = self.due.pop_front().filter(|entry| !filters || keep(entry));
            if let Some(entry) = entry {
                return Some((self.last_ps, entry));
            }
        }
        if !self.due.is_empty() {
            return None;
        }
        while let Some((level, digit)) = self.lowest().filter(|_| filters) {
            let bucket = &mut self.buckets[level][digit];
            self.len -= bucket.retain(&mut keep);
            if !bucket.entries.is_empty() {
                break;
            }
            self.mark_empty(level, digit);
        }
        self.pop_from_buckets(limit_ps)
    }

    /// The time of the first entry.
    pub(super) fn first_ps(&self) -> Option<u64> {
        if !self.due.is_empty() {
            return Some(self.last_ps);
        }
        let (level, digit) = self.lowest()?;
        self.buckets[level][digit].times_ps.iter().min().copied()
    }

    /// Level and digit of the bucket with the earliest entries.
    #[inline]
    fn lowest(&self) -> Option<(usize, usize)> {
        let level = self.used_levels.trailing_zeros() as usize;
        let digits = self.used.get(level)?;
        Some((level, digits.trailing_zeros() as usize % DIGITS))
    }

    #[inline]
    fn mark_empty(&mut self, level: usize, digit: usize) {
        self.used[level] &= !(1 << digit);
        if self.used[level] == 0 {
            self.used_levels &= !(1 << level);
        }
    }

    #[inline]
    fn pop_from_buckets(&mut self, limit_ps: u64) -> Option<(u64, T)> {
        let (level, digit) = self.lowest()?;
        let bucket = &mut self.buckets[level][digit];
        let (&some_ps, others_ps) = bucket.times_ps.split_first()?;
        let first_ps = others_ps.iter().fold(some_ps, |first_ps, &at_ps| first_ps.min(at_ps));
        if first_ps > limit_ps {
            return None;
        }
        self.last_ps = first_ps;
        self.len -= 1;
        if others_ps.is_empty() {
            bucket.times_ps.clear();
            let only = bucket.entries.pop();
            self.mark_empty(level, digit);
            return only.map(|entry| (first_ps, entry));
        }
        if bucket.times_ps.iter().all(|&at_ps| at_ps == first_ps) {
            bucket.times_ps.clear();
            self.due.extend(bucket.entries.drain(..));
            self.mark_empty(level, digit);
        } else {
            self.mark_empty(level, digit);
            self.open(level, digit);
        }
        self.due.pop_front().map(|entry| (first_ps, entry))
    }

    /// Moves the entries of the lowest bucket to those below.
    fn open(&mut self, level: usize, digit: usize) {
        let mut bucket = std::mem::replace(&mut self.buckets[level][digit], Bucket::EMPTY);
        for (at_ps, entry) in bucket.times_ps.drain(..).zip(bucket.entries.drain(..)) {
            self.place(at_ps, entry);
        }
        // They all differ from the first in lower digits, so this bucket gets its memory back.
        self.buckets[level][digit] = bucket;
    }

    /// Removes the entries that are not to be kept; the rest keeps its order.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.due.retain(&mut keep);
        self.len = self.due.len();
        for level in 0..LEVELS {
            for digit in 0..DIGITS {
                let bucket = &mut self.buckets[level][digit];
                bucket.retain(&mut keep);
                self.len += bucket.entries.len();
                if bucket.entries.is_empty() {
                    self.mark_empty(level, digit);
                }
            }
        }
    }
}
