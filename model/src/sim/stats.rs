//! Statistics of a run: counts, averages over time, and latencies with their percentiles.

use std::cell::Cell;

use floatgate_hal::units::Picoseconds;
use hdrhistogram::Histogram;

/// A count that several models share by reference.
#[derive(Debug, Default)]
pub struct Counter(Cell<u64>);

impl Counter {
    /// Counts one more.
    pub fn increment(&self) {
        self.add(1);
    }

    /// Counts so many more.
    pub fn add(&self, count: u64) {
        self.0.set(self.0.get() + count);
    }

    /// The count so far.
    pub fn get(&self) -> u64 {
        self.0.get()
    }
}

/// The average over time of a level, such as the length of a queue, or how many units are busy.
/// Sums are exact.
#[derive(Clone, Debug)]
pub struct TimeAverage {
    start: Picoseconds,
    since: Picoseconds,
    level: u64,
    max: u64,
    /// Level times picoseconds, up to `since`.
    area: u128,
}

impl TimeAverage {
    /// A level that is averaged from `now` on.
    pub fn new(now: Picoseconds, level: u64) -> Self {
        Self { start: now, since: now, level, max: level, area: 0 }
    }

    /// The level is another from `now` on, which is not before the last change.
    pub fn set(&mut self, now: Picoseconds, level: u64) {
        self.area = self.area_at(now);
        self.since = now;
        self.level = level;
        self.max = self.max.max(level);
    }

    /// The level is one greater from `now` on.
    pub fn increment(&mut self, now: Picoseconds) {
        self.set(now, self.level + 1);
    }

    /// The level is one smaller from `now` on.
    pub fn decrement(&mut self, now: Picoseconds) {
        self.set(now, self.level.checked_sub(1).expect("a level is not negative"));
    }

    /// The level since the last change.
    pub fn level(&self) -> u64 {
        self.level
    }

    /// The greatest level so far.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The average up to `now`; none while no time has passed.
    pub fn mean(&self, now: Picoseconds) -> Option<f64> {
        let span_ps = now.0 - self.start.0;
        (span_ps > 0).then(|| self.area_at(now) as f64 / span_ps as f64)
    }

    fn area_at(&self, now: Picoseconds) -> u128 {
        let span_ps = now.0.checked_sub(self.since.0).expect("time does not go back");
        self.area + u128::from(self.level) * u128::from(span_ps)
    }
}

/// Significant decimal digits of a percentile: it is at most 0.1 % above the exact value.
const DIGITS: u8 = 3;

/// Latencies: their exact number, mean, least and greatest, and percentiles within 0.1 %
/// (G. Tene's HDR histogram).
#[derive(Clone, Debug)]
pub struct LatencyHistogram {
    histogram: Histogram<u64>,
    sum_ps: u128,
    min_ps: u64,
    max_ps: u64,
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self::new()
    }
}

impl LatencyHistogram {
    /// An empty histogram, which grows with the latencies.
    pub fn new() -> Self {
        let histogram = Histogram::new(DIGITS).expect("a legal number of digits");
        Self { histogram, sum_ps: 0, min_ps: u64::MAX, max_ps: 0 }
    }

    /// Notes a latency.
    pub fn record(&mut self, latency: Picoseconds) {
        self.histogram.record(latency.0).expect("a histogram that grows takes every latency");
        self.sum_ps += u128::from(latency.0);
        self.min_ps = self.min_ps.min(latency.0);
        self.max_ps = self.max_ps.max(latency.0);
    }

    /// Adds the latencies of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("a histogram that grows takes every latency");
        self.sum_ps += other.sum_ps;
        self.min_ps = self.min_ps.min(other.min_ps);
        self.max_ps = self.max_ps.max(other.max_ps);
    }

    /// Those that came after it was `earlier`. Least and greatest are within 0.1 %.
    ///
    /// # Panics
    /// Where it never was.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut histogram = self.histogram.clone();
        histogram.subtract(&earlier.histogram).expect("an earlier state of the same histogram");
        let within = |ps: u64| ps.clamp(self.min_ps, self.max_ps);
        let (min_ps, max_ps) = match histogram.len() {
            0 => (u64::MAX, 0),
            _ => (within(histogram.min()), within(histogram.max())),
        };
        Self { histogram, sum_ps: self.sum_ps - earlier.sum_ps, min_ps, max_ps }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The mean in picoseconds, of exact sums; none without latencies.
    pub fn mean_ps(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum_ps as f64 / self.count() as f64)
    }

    /// The least; none without latencies.
    pub fn min(&self) -> Option<Picoseconds> {
        (self.count() > 0).then_some(Picoseconds(self.min_ps))
    }

    /// The greatest; none without latencies.
    pub fn max(&self) -> Option<Picoseconds> {
        (self.count() > 0).then_some(Picoseconds(self.max_ps))
    }

    /// The least latency that `percent` of all do not exceed, such as 99.999, taken to three
    /// decimals; none without latencies.
    ///
    /// # Panics
    /// `percent` is not from 0 to 100.
    pub fn percentile(&self, percent: f64) -> Option<Picoseconds> {
        assert!((0.0..=100.0).contains(&percent), "{percent} is no percentage");
        let (count, thousandths) = (u128::from(self.count()), (1000.0 * percent).round() as u128);
        // Asking for the middle between two ranks keeps rounding from moving to the next.
        let rank = (count * thousandths).div_ceil(100_000).max(1);
        let quantile = (rank as f64 - 0.5) / count as f64;
        let value_ps = self.histogram.value_at_quantile(quantile);
        // A bucket's ends may lie outside the latencies.
        (count > 0).then(|| Picoseconds(value_ps.clamp(self.min_ps, self.max_ps)))
    }
}
