//! Uncorrectable bit error rate of a bounded-distance code on a memory whose bits fail
//! independently, and its inverse: the raw bit error rate that a target allows.
//!
//! UBER = (1/k) * sum over i > t of C(n, i) p^i (1-p)^(n-i), with k data bits in a codeword of n.
//! Targets: JESD218B asks 1e-15 of client drives and 1e-16 of enterprise drives. With the
//! beta-binomial option p varies from codeword to codeword, as Taranalli et al. measured on NAND;
//! the binomial is optimistic there.

use floatgate_hal::units::{BitCount, Strength};

/// How far below the largest term, in natural logarithms, one no longer counts: below 2^-53 even
/// when taken 2^16 times.
const NEGLIGIBLE_LN: f64 = 50.0;

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
        let mut largest = ln_term;
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
            largest = largest.max(ln_term);
            // The terms fall on after the largest; n of these add nothing to 53 bits.
            if ln_term < largest - NEGLIGIBLE_LN {
                break;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn size(codeword_bits: u32, strength: u16) -> CodeSize {
        let codeword = BitCount(codeword_bits);
        CodeSize { data: BitCount(1), codeword, strength: Strength(strength) }
    }

    /// p = 1/8 and n up to 40: numerators over 8^n are integers, and their sum is exact.
    #[test]
    fn short_codewords_fail_as_often_as_integers_say() {
        for n in [1u32, 7, 23, 40] {
            let choose =
                |i: u32| (0..i).fold(1u128, |c, j| c * u128::from(n - j) / u128::from(j + 1));
            for t in 0..n {
                let exact: u128 = (t + 1..=n).map(|i| choose(i) * 7u128.pow(n - i)).sum();
                let exact = (exact as f64).ln() - f64::from(n) * 8f64.ln();
                let found = size(n, t as u16).ln_codeword_failure(0.125, ErrorSpread::Binomial);
                assert!((found - exact).abs() < 1e-10, "n={n} t={t}: {found} and {exact}");
            }
        }
    }

    /// With a beta of mean 1/2 and shape 1, 1 every number of errors is as likely as another.
    #[test]
    fn uniform_rates_make_every_error_count_as_likely() {
        let spread = ErrorSpread::BetaBinomial { rate_spread: (1.0f64 / 3.0).sqrt() };
        for (n, t) in [(40, 3), (4000, 24), (33_920, 72)] {
            let found = size(n, t).ln_codeword_failure(0.5, spread);
            let exact = (f64::from(n - u32::from(t)) / f64::from(n + 1)).ln();
            assert!((found - exact).abs() < 1e-10, "n={n} t={t}: {found} and {exact}");
        }
    }

    /// Where failure is the rule, its probability and that of success make one.
    #[test]
    fn long_codewords_fail_or_do_not() {
        let (n, p) = (33_920u32, 2e-3);
        for t in [40u16, 68, 90] {
            let success = (0..=u32::from(t)).map(|i| {
                let ln_choose: f64 =
                    (0..i).map(|j| (f64::from(n - j) / f64::from(j + 1)).ln()).sum();
                (ln_choose + f64::from(i) * f64::ln(p) + f64::from(n - i) * f64::ln_1p(-p)).exp()
            });
            let failure = size(n, t).ln_codeword_failure(p, ErrorSpread::Binomial).exp();
            let both = failure + success.sum::<f64>();
            assert!((both - 1.0).abs() < 1e-10, "t={t}: {both}");
        }
    }
}
