//! Zipf-distributed ranks in constant time and memory, whatever their number.
//!
//! Rejection-inversion after Hörmann and Derflinger, "Rejection-inversion to generate variates from
//! monotone discrete distributions" (1996). The hull is h(x) = x^-theta, its integral from 1 is
//! H(x); x = H^-1(u) of a uniform u is rounded to a rank, and kept where u lies within the rank's
//! share of the hull, which a comparison of x with the rank mostly shows already. `rand_distr`'s
//! Zipf computes more powers and takes twice as long; and it loses all digits for exponents that
//! are almost 1.

use rand::Rng;

/// Below it the series of the functions of the hull are exact to the last bit.
const SERIES_BELOW: f64 = 1e-8;

/// Ranks from 1 to a count, in proportion to 1 / rank^theta.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipf {
    theta: f64,
    count: f64,
    /// H where the first rank begins, and where the last one ends.
    bounds: (f64, f64),
    /// A rank that x lies below by no more than this is kept without further ado.
    kept: f64,
}

impl Zipf {
    /// Over `count` ranks, 1 or more; `theta` is 0 or more.
    pub(super) fn new(count: u64, theta: f64) -> Self {
        let count = count as f64;
        let end_of_first = integral(theta, 1.5) - 1.0;
        let kept = 2.0 - inverse(theta, integral(theta, 2.5) - hull(theta, 2.0));
        Self { theta, count, bounds: (end_of_first, integral(theta, count + 0.5)), kept }
    }

    /// Draws a rank.
    pub(super) fn sample(&self, random: &mut impl Rng) -> u64 {
        let (first, last) = self.bounds;
        loop {
            let u = last + random.random::<f64>() * (first - last);
            let x = inverse(self.theta, u);
            let rank = (x + 0.5).floor().clamp(1.0, self.count);
            let is_within = || u >= integral(self.theta, rank + 0.5) - hull(self.theta, rank);
            if rank - x <= self.kept || is_within() {
                return rank as u64;
            }
        }
    }
}

fn hull(theta: f64, x: f64) -> f64 {
    (-theta * x.ln()).exp()
}

/// (x^(1 - theta) - 1) / (1 - theta), which is ln x for theta = 1.
fn integral(theta: f64, x: f64) -> f64 {
    let ln = x.ln();
    let exponent = (1.0 - theta) * ln;
    let ratio = if exponent.abs() < SERIES_BELOW {
        1.0 + exponent / 2.0
    } else {
        exponent.exp_m1() / exponent
    };
    ln * ratio
}

/// The inverse of [`integral`].
fn inverse(theta: f64, u: f64) -> f64 {
    // Rounding may carry u beyond the integral's limit, where theta is above 1.
    let power_less_1 = ((1.0 - theta) * u).max(-1.0);
    let ratio = if power_less_1.abs() < SERIES_BELOW {
        1.0 - power_less_1 / 2.0
    } else {
        power_less_1.ln_1p() / power_less_1
    };
    (u * ratio).exp()
}
