//! Counters, averages and histograms, against sums and sorted lists.

use floatgate_hal::units::Picoseconds;
use floatgate_model::sim::{Counter, LatencyHistogram, TimeAverage};
use proptest::prelude::*;

use crate::ns;

#[test]
fn counters_count() {
    let counter = Counter::default();
    counter.increment();
    counter.add(41);
    assert_eq!(counter.get(), 42);
}

#[test]
fn levels_are_weighted_with_their_time() {
    let mut queue = TimeAverage::new(ns(10), 0);
    assert_eq!(queue.mean(ns(10)), None);
    queue.increment(ns(20));
    queue.increment(ns(20));
    queue.decrement(ns(30));
    // 10 ns at 0, 10 ns at 2, 20 ns at 1.
    assert_eq!(queue.mean(ns(50)), Some(1.0));
    assert_eq!((queue.level(), queue.max()), (1, 2));
    queue.set(ns(50), 5);
    assert_eq!(queue.mean(ns(60)), Some((40.0 + 50.0) / 50.0));
}

#[test]
#[should_panic(expected = "time does not go back")]
fn a_level_does_not_change_in_the_past() {
    TimeAverage::new(ns(10), 0).set(ns(9), 1);
}

#[test]
fn an_empty_histogram_has_no_figures() {
    let empty = LatencyHistogram::new();
    assert_eq!((empty.count(), empty.mean_ps(), empty.min(), empty.max()), (0, None, None, None));
    assert_eq!(empty.percentile(99.0), None);
}

/// The tail of 200,000 latencies is not rounded away.
#[test]
fn the_far_tail_is_seen() {
    let mut histogram = LatencyHistogram::new();
    for _ in 0..199_996 {
        histogram.record(ns(50_000));
    }
    for tail in [60_000, 70_000, 80_000, 90_000] {
        histogram.record(ns(tail));
    }
    let at = |percent| histogram.percentile(percent).unwrap().0 as f64 / 1e6;
    assert!((at(99.99) - 50.0).abs() < 0.05);
    assert!((at(99.999) - 70.0).abs() < 0.07, "{}", at(99.999));
    assert_eq!(histogram.percentile(100.0), Some(ns(90_000)));
}

/// Where a percentile falls exactly between two latencies, no rounding moves it to the next.
#[test]
fn percentiles_of_round_numbers_are_exact() {
    for count in [10, 100, 200, 1000, 2000] {
        let mut histogram = LatencyHistogram::new();
        (1..=count).for_each(|value| histogram.record(Picoseconds(value)));
        for percent in 1..=100 {
            let expected = (count * percent).div_ceil(100);
            let value = histogram.percentile(percent as f64).unwrap();
            assert_eq!(value, Picoseconds(expected), "p{percent} of {count}");
        }
        let expected = (count * 999).div_ceil(1000);
        assert_eq!(histogram.percentile(99.9), Some(Picoseconds(expected)), "p99.9 of {count}");
    }
}

/// The exact percentile: the least value that so many per cent of all do not exceed.
fn exact(sorted: &[u64], per_100_000: usize) -> u64 {
    sorted[(sorted.len() * per_100_000).div_ceil(100_000).max(1) - 1]
}

fn latencies() -> impl Strategy<Value = Vec<u64>> {
    let value =
        prop_oneof![0u64..5_000, 1_000_000u64..2_000_000, any::<u64>().prop_map(|v| v >> 20)];
    prop::collection::vec(value, 1..400)
}

proptest! {
    #[test]
    fn histograms_agree_with_sorted_lists(mut list in latencies(), split in 0usize..400) {
        let (mut histogram, mut other) = (LatencyHistogram::new(), LatencyHistogram::new());
        for (index, &value) in list.iter().enumerate() {
            let part = if index < split { &mut histogram } else { &mut other };
            part.record(Picoseconds(value));
        }
        histogram.merge(&other);
        list.sort_unstable();
        let sum: u128 = list.iter().map(|&value| u128::from(value)).sum();
        prop_assert_eq!(histogram.count(), list.len() as u64);
        prop_assert_eq!(histogram.mean_ps(), Some(sum as f64 / list.len() as f64));
        prop_assert_eq!(histogram.min(), list.first().copied().map(Picoseconds));
        prop_assert_eq!(histogram.max(), list.last().copied().map(Picoseconds));
        for per_100_000 in [0, 1_000, 50_000, 90_000, 99_000, 99_900, 99_990, 99_999, 100_000] {
            let value = histogram.percentile(per_100_000 as f64 / 1000.0).unwrap().0;
            let exact = exact(&list, per_100_000);
            prop_assert!(
                exact <= value && value as f64 <= exact as f64 * 1.001,
                "p{} is {value}, exactly {exact}", per_100_000 as f64 / 1000.0
            );
        }
    }

    #[test]
    fn what_came_later_is_what_a_fresh_histogram_would_hold(
        before in latencies(), later in latencies(),
    ) {
        let (mut all, mut fresh) = (LatencyHistogram::new(), LatencyHistogram::new());
        before.iter().for_each(|&value| all.record(Picoseconds(value)));
        let earlier = all.clone();
        prop_assert_eq!(all.since(&earlier).percentile(50.0), None);
        for &value in &later {
            all.record(Picoseconds(value));
            fresh.record(Picoseconds(value));
        }
        let since = all.since(&earlier);
        prop_assert_eq!((since.count(), since.mean_ps()), (fresh.count(), fresh.mean_ps()));
        for percent in [0.0, 50.0, 99.0, 100.0] {
            let (value, expected) = (since.percentile(percent), fresh.percentile(percent));
            let (value, expected) = (value.unwrap().0 as f64, expected.unwrap().0 as f64);
            prop_assert!((value - expected).abs() <= 0.001 * expected, "{value}, {expected}");
        }
    }
}
