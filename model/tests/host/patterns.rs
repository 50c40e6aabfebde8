//! Addresses, sizes and kinds that generators draw, against closed forms.

use std::collections::{BTreeMap, BTreeSet};

use floatgate_hal::units::Picoseconds;
use floatgate_model::host::{Capacity, Lba, Request, RequestKind, SectorCount};
use proptest::prelude::*;

use crate::{GIB, all, assert_distributed, one_phase};

const DRAWS: u64 = 400_000;
const CLOSED: &str = "pace: Closed(queue_depth: 16)";

/// Requests of reads of 4 KiB by this pattern over so many units of 4 KiB.
fn drawn(pattern: &str, units: u64) -> Vec<Request> {
    let fields = format!(
        "until: Requests({DRAWS}), {CLOSED}, pattern: {pattern}, sizes: Bytes(4096),
         kinds: (read: 1)"
    );
    all(&mut one_phase(&fields, Capacity(units * 8)))
}

/// How often each unit of 4 KiB is drawn.
fn unit_counts(requests: &[Request], units: u64) -> Vec<u64> {
    let mut counts = vec![0; units as usize];
    for request in requests {
        assert_eq!(request.sector.0 % 8, 0);
        counts[(request.sector.0 / 8) as usize] += 1;
    }
    counts
}

#[test]
fn a_request_is_three_words() {
    assert_eq!(size_of::<Request>(), 24);
    assert_eq!(size_of::<Option<Request>>(), 24);
    let sectors = SectorCount(8);
    let request = Request { sector: Lba(7), sectors, ..Request::flush(Picoseconds(0)) };
    assert_eq!((request.end(), sectors.bytes()), (Lba(15), 4096));
}

#[test]
fn sequential_addresses_follow_each_other_and_wrap() {
    let fields = format!(
        "until: Requests(5), {CLOSED}, pattern: Sequential,
         region: (offset: Bytes(1024), size: Bytes(14336)), sizes: Bytes(4096), kinds: (write: 1)"
    );
    let requests = all(&mut one_phase(&fields, Capacity(100)));
    let starts: Vec<_> = requests.iter().map(|request| request.sector.0).collect();
    assert_eq!(starts, [2, 10, 18, 2, 10]);
}

#[test]
fn a_wider_alignment_leaves_gaps_in_a_sequence() {
    let fields = format!(
        "until: Requests(4), {CLOSED}, pattern: Sequential, kinds: (write: 1),
         sizes: Mix([(bytes: 4096, align_bytes: 8192)])"
    );
    let requests = all(&mut one_phase(&fields, Capacity(40)));
    let starts: Vec<_> = requests.iter().map(|request| request.sector.0).collect();
    assert_eq!(starts, [0, 16, 32, 0]);
}

#[test]
fn uniform_addresses_are_uniform() {
    let counts = unit_counts(&drawn("Uniform", 1000), 1000);
    assert_distributed(&counts, &[1.0 / 1000.0; 1000]);
}

/// The sorted frequencies are those of the ranks where these are far apart, and the rest is put
/// together, so that no knowledge of the permutation enters.
#[test]
fn zipf_ranks_have_their_frequencies() {
    const UNITS: u64 = 100_000;
    const APART: usize = 10;
    for theta in [0.5, 0.99, 0.999_999_999_999, 1.0, 1.2, 2.0] {
        let mut counts = unit_counts(&drawn(&format!("Zipf(theta: {theta})"), UNITS), UNITS);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let weight = |rank: u64| (rank as f64).powf(-theta);
        let total: f64 = (1..=UNITS).map(weight).sum();
        if theta < 0.9 {
            // No rank stands out by itself: the share of the most popular hundredth, within 5
            // standard deviations plus what sorting by chance adds.
            let share = (1..=UNITS / 100).map(weight).sum::<f64>() / total;
            let top = counts[..UNITS as usize / 100].iter().sum::<u64>() as f64 / DRAWS as f64;
            assert!((share..share * 1.15).contains(&top), "{top} of {share}");
            continue;
        }
        let mut probabilities: Vec<f64> = (1..=APART as u64).map(|r| weight(r) / total).collect();
        probabilities.push(1.0 - probabilities.iter().sum::<f64>());
        let mut observed = counts[..APART].to_vec();
        observed.push(counts[APART..].iter().sum());
        assert_distributed(&observed, &probabilities);
    }
}

/// All frequencies of a space so small that chance does not change the order of the ranks.
#[test]
fn zipf_over_few_units_matches_in_every_rank() {
    for theta in [0.0, 0.8, 1.0, 1.5] {
        let mut counts = unit_counts(&drawn(&format!("Zipf(theta: {theta})"), 12), 12);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let total: f64 = (1..=12).map(|rank| f64::from(rank).powf(-theta)).sum();
        let probabilities: Vec<_> =
            (1..=12).map(|rank| f64::from(rank).powf(-theta) / total).collect();
        assert_distributed(&counts, &probabilities);
    }
}

/// 2^40 units: the sum over all ranks is that of the series, pi^2 / 6.
#[test]
fn zipf_over_very_many_units_needs_no_table() {
    let mut counts = BTreeMap::new();
    for request in drawn("Zipf(theta: 2.0)", 1 << 40) {
        *counts.entry(request.sector).or_insert(0u64) += 1;
    }
    let mut counts: Vec<_> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let series = std::f64::consts::PI.powi(2) / 6.0;
    let mut probabilities: Vec<f64> =
        (1..=10).map(|rank| f64::from(rank).powi(-2) / series).collect();
    probabilities.push(1.0 - probabilities.iter().sum::<f64>());
    let rest = counts.split_off(10).iter().sum();
    counts.push(rest);
    assert_distributed(&counts, &probabilities);
}

#[test]
fn popular_units_are_scattered() {
    const UNITS: u64 = 64 * 1024;
    let counts = unit_counts(&drawn("Zipf(theta: 1.0)", UNITS), UNITS);
    let mut by_count: Vec<usize> = (0..counts.len()).collect();
    by_count.sort_by_key(|&unit| std::cmp::Reverse(counts[unit]));
    let mut sixteenths = [0; 16];
    for unit in &by_count[..1600] {
        sixteenths[unit * 16 / UNITS as usize] += 1;
    }
    assert_distributed(&sixteenths, &[1.0 / 16.0; 16]);
}

#[test]
fn hot_and_cold_parts_have_their_shares() {
    for (space, accesses) in [(0.2, 0.8), (0.1, 0.9), (0.5, 0.25)] {
        let pattern = format!("HotCold(space: {space}, accesses: {accesses})");
        let counts = unit_counts(&drawn(&pattern, 1000), 1000);
        let hot = (space * 1000.0) as usize;
        let mut probabilities = vec![accesses / hot as f64; hot];
        probabilities.resize(1000, (1.0 - accesses) / (1000 - hot) as f64);
        assert_distributed(&counts, &probabilities);
    }
}

#[test]
fn the_enterprise_mix_is_that_of_jesd219() {
    let fields = format!(
        "until: Requests({DRAWS}), {CLOSED}, pattern: Jesd219Enterprise,
         sizes: Jesd219Enterprise, kinds: (read: 40, write: 60)"
    );
    let requests = all(&mut one_phase(&fields, Capacity::of_bytes(GIB)));
    let (mut sizes, mut zones) = (BTreeMap::new(), [0; 3]);
    for request in &requests {
        *sizes.entry(request.sectors.bytes()).or_insert(0) += 1;
        let place = request.sector.0 as f64 / Capacity::of_bytes(GIB).0 as f64;
        zones[if place < 0.05 {
            0
        } else if place < 0.2 {
            1
        } else {
            2
        }] += 1;
        assert!(request.sectors.0 < 8 || request.sector.0 % 8 == 0, "{request:?}");
    }
    let kib: Vec<f64> = sizes.keys().map(|&bytes| bytes as f64 / 1024.0).collect();
    assert_eq!(kib, [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 8.0, 16.0, 32.0, 64.0]);
    let shares = [0.04, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.67, 0.1, 0.07, 0.03, 0.03];
    assert_distributed(&sizes.into_values().collect::<Vec<_>>(), &shares);
    assert_distributed(&zones, &[0.5, 0.3, 0.2]);
}

#[test]
fn sizes_and_kinds_have_their_weights() {
    let fields = format!(
        "until: Requests({DRAWS}), {CLOSED}, pattern: Uniform, fua_share: 0.25,
         sizes: Mix([(bytes: 4096, weight: 5), (bytes: 512, weight: 3), (bytes: 65536, weight: 2)]),
         kinds: (read: 7, write: 2, trim: 1)"
    );
    let requests = all(&mut one_phase(&fields, Capacity::of_bytes(GIB)));
    let mut classes = BTreeMap::new();
    for &Request { sectors, kind, fua, .. } in &requests {
        *classes.entry((sectors, kind, fua)).or_insert(0) += 1;
    }
    let probabilities: Vec<f64> = [0.3, 0.5, 0.2]
        .into_iter()
        .flat_map(|size| [0.7, 0.15, 0.05, 0.1].map(|kind| size * kind))
        .collect();
    assert_distributed(&classes.into_values().collect::<Vec<_>>(), &probabilities);
}

#[test]
fn a_flush_follows_on_every_so_many_writes() {
    let fields = format!(
        "until: Requests(20000), {CLOSED}, pattern: Uniform, sizes: Bytes(4096),
         kinds: (read: 1, write: 1), flush_every_writes: 8"
    );
    let requests = all(&mut one_phase(&fields, Capacity::of_bytes(GIB)));
    assert_eq!(requests.len(), 20_000, "flushes count as requests");
    let mut writes = 0;
    for request in requests {
        match request.kind {
            RequestKind::Write => writes += 1,
            RequestKind::Flush => {
                assert_eq!((writes, request), (8, Request::flush(request.arrival)));
                writes = 0;
            }
            RequestKind::Read | RequestKind::Trim => assert!(writes < 8),
        }
        assert!(writes <= 8);
    }
}

#[test]
fn a_working_set_is_reached_to_its_last_sector_and_not_left() {
    let fields = format!(
        "until: Requests(20000), {CLOSED}, pattern: Uniform, sizes: Bytes(4096),
         kinds: (read: 1), region: (offset: Fraction(0.333), size: Fraction(0.5))"
    );
    let requests = all(&mut one_phase(&fields, Capacity(10_000)));
    let starts: BTreeSet<u64> = requests.iter().map(|request| request.sector.0).collect();
    // 3330 rounded down to 4 KiB, and 5000 sectors from there.
    assert_eq!((starts.first(), starts.last()), (Some(&3328), Some(&(3328 + 5000 - 8))));
    assert_eq!(starts.len(), 625, "every unit");
}

proptest! {
    /// Whatever the sizes, alignments and region: requests are aligned and stay inside.
    #[test]
    fn requests_stay_in_their_region(
        pattern in prop_oneof![
            Just("Sequential"), Just("Uniform"), Just("Zipf(theta: 0.9)"),
            Just("HotCold(space: 0.5, accesses: 0.9)"),
        ],
        sizes in prop::collection::vec((1u64..40, 1u64..20), 1..4),
        offset in 0u64..1000,
        len in 100u64..5000,
    ) {
        let mix: Vec<_> = sizes
            .iter()
            .map(|(size, align)| format!("(bytes: {}, align_bytes: {})", size * 512, align * 512))
            .collect();
        let fields = format!(
            "until: Requests(200), {CLOSED}, pattern: {pattern}, sizes: Mix([{}]),
             kinds: (write: 1), region: (offset: Bytes({}), size: Bytes({}))",
            mix.join(", "), offset * 512, len * 512
        );
        for request in all(&mut one_phase(&fields, Capacity(6000))) {
            prop_assert!(request.sector.0 >= offset && request.end().0 <= offset + len);
            let is_aligned = sizes.iter().any(|&(size, align)| {
                size == u64::from(request.sectors.0) && (request.sector.0 - offset) % align == 0
            });
            prop_assert!(is_aligned, "{request:?}");
        }
    }
}
