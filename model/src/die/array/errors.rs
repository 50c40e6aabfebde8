//! Everything about cells that is drawn at random, from streams that depend on nothing but the
//! run's seed and what the draw is for.
//!
//! Bit errors: each cell of a programmed page has a threshold, uniform over 0 to 1, and reads wrong
//! when the page's raw bit error rate is above it. So the number of errors is binomial, and more
//! stress adds errors to those that are there. The thresholds are made in ascending order (the
//! spacing of uniform order statistics), which takes as many draws as there are errors.

use std::collections::HashSet;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Thresholds of the cells of a page since its last program.
    Errors = 1,
    /// Whether a program fails.
    ProgramFailure = 2,
    /// Whether an erase fails.
    EraseFailure = 3,
    /// How many cycles a block bears.
    Life = 4,
    /// Which blocks come bad from the factory.
    FactoryBad = 5,
    /// What a job that is cut short leaves.
    Torn = 6,
    /// A target's unique ID.
    UniqueId = 7,
}

/// A seed and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// The run's seed.
    pub(crate) seed: u64,
    /// Which target.
    pub(crate) target: u32,
    /// Which LUN.
    pub(crate) lun: u8,
}

impl Source {
    /// The stream for `purpose` at a place and a point of its life.
    pub(crate) fn stream(self, purpose: Purpose, block: u32, page: u16, life: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..12].copy_from_slice(&self.target.to_le_bytes());
        key[12] = self.lun;
        key[13] = purpose as u8;
        key[14..16].copy_from_slice(&page.to_le_bytes());
        key[16..20].copy_from_slice(&block.to_le_bytes());
        key[20..28].copy_from_slice(&life.to_le_bytes());
        ChaCha8Rng::from_seed(key)
    }
}

/// Rates above this say that the page is lost; the rest of its bits are as good as drawn.
const RATE_MAX: f64 = 0.5;

/// The positions of the cells, out of `cells`, that read wrong at `rate`.
pub(crate) fn wrong_cells(mut stream: ChaCha8Rng, cells: u32, rate: f64) -> Vec<u32> {
    let rate = rate.min(RATE_MAX);
    let mut wrong = Vec::new();
    let mut seen = HashSet::new();
    let mut threshold = 0.0;
    for left in (1..=cells).rev() {
        // The least of `left` uniform values above `threshold`.
        let uniform: f64 = stream.random();
        threshold = 1.0 - (1.0 - threshold) * (1.0 - uniform).powf(1.0 / f64::from(left));
        if threshold >= rate {
            break;
        }
        let position = loop {
            let position = stream.random_range(0..cells);
            if seen.insert(position) {
                break position;
            }
        };
        wrong.push(position);
    }
    wrong
}

/// How far a job had come when it was cut short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Progress(pub(crate) f64);

/// What a job leaves that is cut short: bits that had been on their way from `before` to `after`,
/// some of which have arrived.
pub(crate) fn torn(
    mut stream: ChaCha8Rng,
    before: &[u8],
    after: &[u8],
    progress: Progress,
) -> Vec<u8> {
    // Each bit arrives with a probability of quarters: one draw more for each quarter.
    let quarters = (progress.0.clamp(0.0, 1.0) * 4.0).round() as u32;
    let mut arrived = || -> u8 {
        let (a, b): (u8, u8) = (stream.random(), stream.random());
        match quarters {
            0 => a & b & stream.random::<u8>(),
            1 => a & b,
            2 => a,
            3 => a | b,
            _ => a | b | stream.random::<u8>(),
        }
    };
    let mix = |(&before, &after): (&u8, &u8)| {
        let arrived = arrived();
        (after & arrived) | (before & !arrived)
    };
    before.iter().zip(after).map(mix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: Source = Source { seed: 7, target: 0, lun: 0 };

    fn stream(page: u16) -> ChaCha8Rng {
        SOURCE.stream(Purpose::Errors, 3, page, 1)
    }

    #[test]
    fn more_stress_adds_to_the_errors_that_are_there() {
        let mut fewer = Vec::new();
        for rate in [1e-5, 1e-4, 1e-3, 1e-2, 0.1] {
            let wrong = wrong_cells(stream(0), 70_000, rate);
            assert!(wrong.len() >= fewer.len());
            assert_eq!(wrong[..fewer.len()], fewer[..], "at {rate}");
            fewer = wrong;
        }
    }

    #[test]
    fn errors_are_binomial() {
        for (cells, rate) in [(71_488, 1e-3), (2_000, 0.4)] {
            const PAGES: u16 = 1_000;
            let count = |page| wrong_cells(stream(page), cells, rate).len() as f64;
            let counts: Vec<f64> = (0..PAGES).map(count).collect();
            let pages = f64::from(PAGES);
            let mean = counts.iter().sum::<f64>() / pages;
            let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / pages;
            let (wanted_mean, wanted_variance) =
                (f64::from(cells) * rate, f64::from(cells) * rate * (1.0 - rate));
            // Four standard errors of mean and variance.
            let error = 4.0 * (wanted_variance / pages).sqrt();
            assert!((mean - wanted_mean).abs() < error, "{rate}: mean {mean}");
            let error = 4.0 * (2.0 / pages).sqrt();
            assert!((variance / wanted_variance - 1.0).abs() < error, "{rate}: {variance}");
        }
    }

    #[test]
    fn a_torn_page_lies_between() {
        let (before, after) = (vec![0xFF; 1000], vec![0x00; 1000]);
        let ones = |progress| {
            let torn = torn(SOURCE.stream(Purpose::Torn, 0, 0, 0), &before, &after, progress);
            torn.iter().map(|byte| byte.count_ones()).sum::<u32>()
        };
        let (early, late) = (ones(Progress(0.2)), ones(Progress(0.8)));
        assert!((5500..6500).contains(&early), "{early}");
        assert!((1500..2500).contains(&late), "{late}");
    }
}
