//! Roots of the error locator: its coefficients enter, the degrees of the wrong bits leave.
//!
//! The polynomial is taken in reverse, so that its roots are alpha^d for the wrong bits x^d.
//! Down to degree 5 the positions are searched block by block (Chien, IEEE Trans. Information
//! Theory 10, 1964), and each root found is divided out; from degree 4 on, roots are computed.

mod closed;
#[cfg(target_arch = "x86_64")]
pub(crate) mod gfni;
mod moving;
mod planes;
mod rows;
mod search;

use self::closed::{Roots, SmallDegrees};
use self::moving::Moving;
use self::planes::Scratch;
pub(crate) use self::planes::{Plane, Product};
use self::search::Search;
use super::field::Field;
use super::simd::Kernels;

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

    /// The distinct d below `n` for which alpha^-d is a root of the locator, descending. There are
    /// fewer than the locator's degree where the codeword is not correctable.
    pub(crate) fn degrees(&self, locator: &[u16], n: u32) -> Vec<u32> {
        // The locator's coefficients in reverse are, leading one first, in their own order.
        let mut polynomial = Moving::new(self.field, locator);
        let mut found = Vec::with_capacity(locator.len() - 1);
        let mut scratch = Scratch::default();
        loop {
            let from = polynomial.base();
            if let Some(roots) = self.small_roots(&polynomial) {
                let logs = roots.iter().map(|&root| self.field.log(root));
                let degrees = logs.map(|log| self.field.add_logs(log, from));
                // A root met again has been found by the search already.
                found.extend(degrees.filter(|degree| (from..n).contains(degree)));
                break;
            }
            if from >= n {
                break;
            }
            self.search.run(&mut polynomial, n, &mut scratch, &mut found);
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found
    }

    fn small_roots(&self, polynomial: &Moving) -> Option<Roots> {
        let (coefficients, count) = polynomial.monic::<{ SmallDegrees::MAX_DEGREE + 1 }>()?;
        self.small.all_roots(self.field, &coefficients[..count])
    }
}
