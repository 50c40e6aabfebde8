//! Figures over time: a record for each window of simulated time. Memory has a bound whatever the
//! length of a run, because windows are put together by twos when there are too many.

use floatgate_hal::units::Picoseconds;

/// Records that can be put together.
pub trait Merge {
    /// Takes in the record of the window that follows.
    fn merge(&mut self, later: Self);
}

/// Width of the windows at first, 1/8 ms: whole milliseconds after three mergers.
const FIRST_WIDTH_PS: u64 = 125_000_000;

/// Records by window, the first of which begins at time 0.
#[derive(Clone, Debug)]
pub struct Windows<T> {
    width_ps: u64,
    /// Where the last window ends.
    end_ps: u64,
    records: Vec<T>,
}

impl<T> Default for Windows<T> {
    fn default() -> Self {
        Self { width_ps: FIRST_WIDTH_PS, end_ps: 0, records: Vec::new() }
    }
}

impl<T: Default + Merge> Windows<T> {
    /// With more windows than this, they are put together.
    pub const MOST: usize = 128;

    /// The record of the window that a time is in.
    #[inline]
    pub fn at(&mut self, time: Picoseconds) -> &mut T {
        if time.0 >= self.end_ps {
            self.grow(time);
        }
        let last = self.records.len() - 1;
        let index = if time.0 >= self.end_ps - self.width_ps {
            last
        } else {
            (time.0 / self.width_ps) as usize
        };
        &mut self.records[index]
    }

    #[cold]
    fn grow(&mut self, time: Picoseconds) {
        while time.0 >= self.width_ps * Self::MOST as u64 {
            self.halve();
        }
        let count = (time.0 / self.width_ps) as usize + 1;
        self.records.resize_with(count, T::default);
        self.end_ps = self.width_ps * count as u64;
    }

    /// Puts windows together by twos.
    fn halve(&mut self) {
        self.width_ps *= 2;
        let mut records = std::mem::take(&mut self.records).into_iter();
        while let Some(mut record) = records.next() {
            if let Some(later) = records.next() {
                record.merge(later);
            }
            self.records.push(record);
        }
        self.end_ps = self.width_ps * self.records.len() as u64;
    }

    /// The same with windows of at least this width, so that records of several kinds lie side by
    /// side.
    pub fn widen(&mut self, width: Picoseconds) {
        while self.width_ps < width.0 {
            self.halve();
        }
    }

    /// Width of the windows.
    pub fn width(&self) -> Picoseconds {
        Picoseconds(self.width_ps)
    }

    /// Where the last window ends.
    pub fn end(&self) -> Picoseconds {
        Picoseconds(self.end_ps)
    }

    /// The records, window by window.
    pub fn records(&self) -> &[T] {
        &self.records
    }
}
