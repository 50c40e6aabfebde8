//! The search over blocks of positions: a polynomial enters, and moves on from block to block with
//! the roots found divided out of it.

use super::super::field::Field;
use super::super::remainder::Kernels;
use super::super::simd::Gfni;
use super::moving::Moving;
use super::planes::Planes;
use super::rows::Rows;

/// The search over blocks.
#[derive(Debug)]
pub(crate) struct Search {
    kernel: Kernel,
    /// What moving on by a block adds to the logarithm of the coefficient of x, x^2 ..
    steps: Vec<u32>,
}

#[derive(Debug)]
enum Kernel {
    Affine(Gfni, Planes),
    Rows(Rows),
}

impl Search {
    /// For polynomials of degree up to `max_degree`.
    pub(crate) fn new(field: &Field, max_degree: usize, kernels: Kernels) -> Self {
        let gfni = match kernels {
            Kernels::Detected => Gfni::detect(),
            Kernels::Portable => None,
        };
        let (kernel, block) = match gfni {
            Some(gfni) => (Kernel::Affine(gfni, Planes::new(field, max_degree)), Gfni::BLOCK),
            None => (Kernel::Rows(Rows::new(field, max_degree)), Rows::BLOCK),
        };
        let steps = (1..=max_degree as u32).map(|power| power * block as u32 % field.order());
        Self { kernel, steps: steps.collect() }
    }

    /// Goes on until a block has roots alpha^d with d below `n`, or none is left. The d are
    /// appended to `found`, the roots divided out, and the polynomial is left at the next block.
    pub(crate) fn run(&self, polynomial: &mut Moving, n: u32, found: &mut Vec<u32>) {
        match &self.kernel {
            Kernel::Affine(gfni, planes) => {
                self.scan(polynomial, n, found, |polynomial| planes.zeros(*gfni, polynomial));
            }
            Kernel::Rows(rows) => {
                self.scan(polynomial, n, found, |polynomial| rows.zeros(polynomial));
            }
        }
    }

    /// `zeros` tells which positions of a block have the value zero, as words of 64 positions, the
    /// first one lowest.
    #[inline]
    fn scan<const WORDS: usize>(
        &self,
        polynomial: &mut Moving,
        n: u32,
        found: &mut Vec<u32>,
        zeros: impl Fn(&Moving) -> [u64; WORDS],
    ) {
        let block = 64 * WORDS as u32;
        let before = found.len();
        while polynomial.base() < n && found.len() == before {
            let base = polynomial.base();
            for (word, mut bits) in (0..).zip(zeros(polynomial)) {
                while bits != 0 {
                    let offset = 64 * word + bits.trailing_zeros();
                    bits &= bits - 1;
                    if base + offset < n {
                        found.push(base + offset);
                        polynomial.divide_by_root(offset);
                    }
                }
            }
            polynomial.move_by(block, &self.steps);
        }
    }
}
