//! Uncorrectable bit error rate of a bounded-distance code on a memory whose bits fail
//! independently, and its inverse: the raw bit error rate that a target allows.
//!
//! UBER = (1/k) * sum over i > t of C(n, i) p^i (1-p)^(n-i), with k data bits in a codeword of n.
//! Targets: JESD218B asks 1e-15 of client drives and 1e-16 of enterprise drives. With the
//! beta-binomial option p varies from codeword to codeword, as Taranalli et al. measured on NAND;
//! the binomial is optimistic there.

use floatgate_hal::units::{BitCount, Strength};

/// Lengths and strength that the rates depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeSize {
    /// Data bits k.
    pub data: BitCount,
    /// Codeword bits n.
    pub codeword: BitCount,
    /// Strength t.
    pub strength: Strength,
}

/// How errors spread over codewords.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ErrorSpread {
    /// Every bit fails independently at the same rate.
    Binomial,
    /// The rate of a codeword is drawn from a beta distribution with this ratio of standard
    /// deviation to mean.
    BetaBinomial {
        /// Standard deviation of the codewords' rates over their mean.
        rate_spread: f64,
    },
}

impl CodeSize {
    /// Natural logarithm of the probability that a codeword has more errors than the strength.
    ///
    /// # Panics
    /// Where `rber` is not between 0 and 1.
    pub fn ln_codeword_failure(self, rber: f64, spread: ErrorSpread) -> f64 {
        assert!(rber > 0.0 && rber < 1.0, "a raw bit error rate of {rber}");
        let (n, first) = (self.codeword.0, u32::from(self.strength.0) + 1);
        if first > n {
            return f64::NEG_INFINITY;
        }
        // ln P(i) at the first i beyond the strength, then by the ratio of neighbours.
        let mut ln_term = match spread {
            ErrorSpread::Binomial => {
                ln_choose(n, first)
                    + f64::from(first) * rber.ln()
                    + f64::from(n - first) * (-rber).ln_1p()
            }
            ErrorSpread::BetaBinomial { rate_spread } => {
                let (a, b) = beta_shape(rber, rate_spread);
                ln_choose(n, first) + ln_rising(a, first) + ln_rising(b, n - first)
                    - ln_rising(a + b, n)
            }
        };
        let mut terms = vec![ln_term];
        for i in first..n {
            let (i, n) = (f64::from(i), f64::from(n));
            let odds = match spread {
                ErrorSpread::Binomial => rber / (1.0 - rber),
                ErrorSpread::BetaBinomial { rate_spread } => {
                    let (a, b) = beta_shape(rber, rate_spread);
                    (a + i) / (b + n - i - 1.0)
                }
            };
            ln_term += ((n - i) / (i + 1.0) * odds).ln();
            terms.push(ln_term);
        }
        ln_sum(&terms)
    }

    /// Natural logarithm of the uncorrectable bit error rate.
    ///
    /// # Panics
    /// Where `rber` is not between 0 and 1.
    pub fn ln_uber(self, rber: f64, spread: ErrorSpread) -> f64 {
        self.ln_codeword_failure(rber, spread) - f64::from(self.data.0).ln()
    }

    /// The largest raw bit error rate at which the uncorrectable one is at most `uber`.
    ///
    /// # Panics
    /// Where `uber` is not between 0 and 1.
    pub fn max_rber(self, uber: f64, spread: ErrorSpread) -> f64 {
        assert!(uber > 0.0 && uber < 1.0, "an uncorrectable bit error rate of {uber}");
        let (mut low, mut high) = (1e-18_f64.ln(), 0.5_f64.ln());
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if self.ln_uber(middle.exp(), spread) <= uber.ln() {
                low = middle;
            } else {
                high = middle;
            }
        }
        low.exp()
    }
}

/// Shape of the beta distribution with a mean and a ratio of standard deviation to mean.
fn beta_shape(mean: f64, rate_spread: f64) -> (f64, f64) {
    let total = (1.0 - mean) / (mean * rate_spread * rate_spread) - 1.0;
    (mean * total, (1.0 - mean) * total)
}

fn ln_choose(n: u32, k: u32) -> f64 {
    let k = k.min(n - k);
    (0..k).map(|j| (f64::from(n - j) / f64::from(j + 1)).ln()).sum()
}

/// ln of x (x + 1) .. (x + count - 1).
fn ln_rising(x: f64, count: u32) -> f64 {
    (0..count).map(|j| (x + f64::from(j)).ln()).sum()
}

fn ln_sum(ln_terms: &[f64]) -> f64 {
    let largest = ln_terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = ln_terms.iter().map(|term| (term - largest).exp()).sum();
    largest + sum.ln()
}
