//! The permutation that scatters ranks.

use floatgate_model::host::workload::Permutation;
use floatgate_model::sim::random_stream;
use proptest::prelude::*;

use crate::assert_distributed;

fn permutation(len: u64, seed: u64) -> Permutation {
    Permutation::new(len, &mut random_stream(seed, "permutation"))
}

fn assert_permutes(len: u64, seed: u64) {
    let permutation = permutation(len, seed);
    let mut images: Vec<u64> = (0..len).map(|index| permutation.apply(index)).collect();
    images.sort_unstable();
    let is_whole = images.iter().copied().eq(0..len);
    assert!(is_whole, "not a permutation of {len}, seed {seed}");
}

#[test]
fn every_small_length_is_permuted() {
    for len in 1..=1100 {
        assert_permutes(len, len);
    }
}

proptest! {
    #[test]
    fn any_length_is_permuted(len in 1u64..30_000, seed: u64) {
        assert_permutes(len, seed);
    }

    /// Too long to list: no two of some go to the same place, and none leaves the range.
    #[test]
    fn long_ranges_are_permuted(len in 1u64 << 32..=u64::MAX, from: u64, seed: u64) {
        let permutation = permutation(len, seed);
        let from = from % (len - 1000);
        let mut images: Vec<u64> = (from..from + 1000).map(|i| permutation.apply(i)).collect();
        images.sort_unstable();
        prop_assert!(images.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(images.last().is_some_and(|&last| last < len));
    }
}

/// Neighbours do not stay together: the images of the first ranks, and the distances between those
/// of neighbours, are spread evenly.
#[test]
fn neighbours_are_spread_evenly() {
    for (len, seed) in [(1 << 20, 1), ((1 << 20) + 1, 2), (3_000_000, 3), (500_000_000_000, 4)] {
        let permutation = permutation(len, seed);
        let (mut places, mut distances) = ([0; 64], [0; 64]);
        let part = |at: u64| (u128::from(at) * 64 / u128::from(len)) as usize;
        for index in 0..6400 {
            let (here, next) = (permutation.apply(index), permutation.apply(index + 1));
            places[part(here)] += 1;
            distances[part((next + len - here) % len)] += 1;
        }
        assert_distributed(&places, &[1.0 / 64.0; 64]);
        assert_distributed(&distances, &[1.0 / 64.0; 64]);
    }
}
