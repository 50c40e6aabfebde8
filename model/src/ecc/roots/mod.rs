//! Roots of the error locator: its coefficients enter, the degrees of the wrong bits leave.
//!
//! The polynomial is taken in reverse, so that its roots are alpha^d for the wrong bits x^d.
//! Down to degree 5 the positions are searched block by block (Chien, IEEE Trans. Information
//! Theory 10, 1964), and each root found is divided out; from degree 4 on, roots are computed.

mod closed;
#[cfg(target_arch = "x86_64")]
pub(crate) mod gfni;
mod search;

use self::closed::SmallDegrees;
pub(crate) use self::search::Plane;
use self::search::Search;
use super::field::Field;
use super::remainder::Kernels;

/// Finds roots among alpha^0 .. alpha^(n-1) of polynomials of limited degree.
#[derive(Debug)]
pub(crate) struct RootFinder {
    field: &'static Field,
    small: &'static SmallDegrees,
    search: Search,
}

impl RootFinder {
    /// For polynomials of degree up to `max_degree`.
    pub(crate) fn new(field: &'static Field, max_degree: usize, kernels: Kernels) -> Self {
        let search = Search::new(field, max_degree, kernels);
        Self { field, small: SmallDegrees::of(field), search }
    }

    /// The distinct d below `n` for which alpha^-d is a root of the locator, ascending. There are
    /// fewer than the locator's degree where the codeword is not correctable.
    pub(crate) fn degrees(&self, locator: &[u16], n: u32) -> Vec<u32> {
        let mut polynomial: Vec<u16> = locator.iter().rev().copied().collect();
        let mut found = Vec::with_capacity(polynomial.len() - 1);
        let mut from = 0;
        while polynomial.len() > 1 && from < n {
            if let Some(roots) = self.small.all_roots(self.field, &polynomial) {
                let degrees = roots.iter().map(|&root| self.field.log(root));
                // A root met again has been found by the search already.
                found.extend(degrees.filter(|degree| (from..n).contains(degree)));
                break;
            }
            let first = found.len();
            from = self.search.next(&polynomial, from, n, &mut found);
            for &degree in &found[first..] {
                divide_by_root(self.field, &mut polynomial, degree);
            }
        }
        found.sort_unstable();
        found
    }
}

/// Divides a polynomial by x - alpha^d, which is a factor of it.
fn divide_by_root(field: &Field, polynomial: &mut Vec<u16>, d: u32) {
    let mut quotient = 0;
    for coefficient in polynomial.iter_mut().rev() {
        quotient = *coefficient ^ field.exp(field.log(quotient) + d);
        *coefficient = quotient;
    }
    // What the constant term has become is the remainder.
    assert_eq!(polynomial.remove(0), 0, "alpha^{d} is no root");
}
