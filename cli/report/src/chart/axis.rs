//! Tick positions: round values, few enough that their labels stay apart.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// One axis of a drawing: linear in drawing coordinates, with ticks where they were put.
pub(crate) struct Ticked {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, pixels: (i32, i32)) -> i32 {
        let share = (value - self.low) / (self.high - self.low);
        pixels.0 + (share * f64::from(pixels.1 - pixels.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

/// A linear or logarithmic axis over values.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// Lower end in drawing coordinates.
    pub(crate) low: f64,
    /// Upper end in drawing coordinates.
    pub(crate) high: f64,
    /// Ticks in drawing coordinates.
    pub(crate) ticks: Vec<f64>,
    /// Places after the point in tick labels.
    pub(crate) decimals: usize,
    /// Whether drawing coordinates are decimal logarithms.
    pub(crate) log: bool,
}

impl Axis {
    /// A linear axis over `values` with about `count` round ticks, from zero if asked.
    pub(crate) fn linear(values: impl Iterator<Item = f64>, from_zero: bool, count: u32) -> Self {
        let (mut low, mut high) = extent(values);
        if from_zero {
            low = 0.0;
        }
        if high - low <= high.abs() * 1e-9 {
            high = if high == 0.0 { 1.0 } else { low + high.abs() * 0.5 };
        }
        let step = round_step((high - low) / f64::from(count));
        // A sum of shares may be more than a whole by its last bit.
        let (first, last) = ((low / step).floor(), (high / step - 1e-9).ceil());
        let ticks = (0..=(last - first) as u32).map(|i| (first + f64::from(i)) * step).collect();
        let decimals =
            (-(step.log10() + 1e-9).floor()).max(0.0) as usize + usize::from(is_quarter(step));
        Self { low: first * step, high: last * step, ticks, decimals, log: false }
    }

    /// A logarithmic axis over the positive ones of `values`, with a tick per decade.
    pub(crate) fn log(values: impl Iterator<Item = f64>, count: u32) -> Self {
        let (low, high) = extent(values.filter(|value| *value > 0.0).map(f64::log10));
        let (first, mut last) = (low.floor() as i32, high.ceil() as i32);
        if first == last {
            last += 1;
        }
        let stride = ((last - first) as u32).div_ceil(count).max(1) as i32;
        last = first + ((last - first) as u32).next_multiple_of(stride as u32) as i32;
        let ticks = (first..=last).step_by(stride as usize).map(f64::from).collect();
        Self { low: f64::from(first), high: f64::from(last), ticks, decimals: 0, log: true }
    }

    /// The axis as the plotting library takes it.
    pub(crate) fn ticked(&self) -> Ticked {
        Ticked { low: self.low, high: self.high, ticks: self.ticks.clone() }
    }

    /// The drawing coordinate of `value`; `None` for what a logarithm cannot show.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        match self.log {
            false => Some(value),
            true => (value > 0.0).then(|| value.log10()),
        }
    }
}

/// About `count` round values from 0 up to `high`.
pub(crate) fn round_ticks(high: f64, count: u32) -> Vec<f64> {
    let mut ticks = Axis::linear([high].into_iter(), true, count).ticks;
    ticks.retain(|tick| *tick <= high * (1.0 + 1e-9));
    ticks
}

/// Those of `ticks` (value, label width) whose labels stay `gap` apart at `pixels_per_unit`;
/// earlier ticks of `order` win.
pub(crate) fn spaced(
    ticks: &[(f64, f64)],
    order: impl Iterator<Item = usize>,
    pixels_per_unit: f64,
    gap: f64,
) -> Vec<f64> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for index in order {
        let (value, width) = ticks[index];
        let clear = |other: &(f64, f64)| {
            (value - other.0).abs() * pixels_per_unit >= (width + other.1) / 2.0 + gap
        };
        if kept.iter().all(clear) {
            kept.push((value, width));
        }
    }
    let mut values: Vec<f64> = kept.into_iter().map(|(value, _)| value).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is at least `raw`.
fn round_step(raw: f64) -> f64 {
    let power = 10_f64.powf(raw.log10().floor());
    let factors = [1.0, 2.0, 2.5, 5.0, 10.0];
    let fitting = factors.into_iter().find(|factor| factor * power >= raw * (1.0 - 1e-9));
    fitting.expect("ten times its power is above any number") * power
}

fn is_quarter(step: f64) -> bool {
    let mantissa = step / 10_f64.powf(step.log10().floor());
    step < 10.0 && (mantissa - 2.5).abs() < 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_ticks_are_round_and_cover_the_values() {
        let axis = Axis::linear([3.0, 1157.0].into_iter(), true, 5);
        assert_eq!(axis.ticks, [0.0, 250.0, 500.0, 750.0, 1000.0, 1250.0]);
        assert_eq!((axis.low, axis.high, axis.decimals), (0.0, 1250.0, 0));
        let small = Axis::linear([0.91, 0.99].into_iter(), false, 4);
        assert_eq!(small.ticks.len(), 6);
        assert_eq!(small.decimals, 2);
        let quarter = Axis::linear([0.0, 1.0].into_iter(), true, 4);
        assert_eq!((quarter.ticks[1], quarter.decimals), (0.25, 2));
    }

    #[test]
    fn a_sum_that_is_off_by_its_last_bit_has_no_tick_of_its_own() {
        let axis = Axis::linear([100.000_000_000_000_01].into_iter(), true, 5);
        assert_eq!((axis.ticks.len(), axis.high), (6, 100.0));
    }

    #[test]
    fn equal_values_still_span_an_axis() {
        let axis = Axis::linear([8.0, 8.0].into_iter(), false, 4);
        assert!(axis.low <= 8.0 && axis.high > 8.0);
        let zeros = Axis::linear([0.0].into_iter(), true, 4);
        assert!(zeros.high > zeros.low);
        let none = Axis::linear(std::iter::empty(), true, 4);
        assert!(none.high > none.low);
    }

    #[test]
    fn log_ticks_are_decades() {
        let axis = Axis::log([4.9e-10, 1.3e-3, 0.0].into_iter(), 4);
        assert_eq!(axis.ticks, [-10.0, -8.0, -6.0, -4.0, -2.0]);
        assert_eq!(axis.place(0.0), None);
        assert_eq!(axis.place(1e-4), Some(-4.0));
    }

    #[test]
    fn crowded_labels_give_way_by_order() {
        let ticks = [1.0, 2.0, 4.0, 8.0, 40.0].map(|t| (t, 7.0));
        assert_eq!(spaced(&ticks, [3, 4, 0, 1, 2].into_iter(), 7.0, 6.0), [1.0, 4.0, 8.0, 40.0]);
    }
}
