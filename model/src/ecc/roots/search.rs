//! The search over blocks of positions: a polynomial enters, and moves on from block to block with
//! the roots found divided out of it.

use super::super::field::Field;
use super::super::simd::{Gfni, Kernels};
use super::moving::Moving;
use super::planes::{Planes, Scratch};
use super::rows::Rows;

/// The search over blocks.
#[derive(Debug)]
pub(crate) struct Search {
    kernel: Kernel,
    /// Positions of a block.
    block: u32,
    /// What moving on by a block adds to the logarithm of the coefficient of x, x^2 ..
    steps: Vec<u32>,
}

#[derive(Debug)]
enum Kernel {
    Affine(Planes),
    Rows(Rows),
}

impl Search {
    /// For polynomials of degree up to `max_degree`.
    pub(crate) fn new(field: &Field, max_degree: usize, kernels: Kernels) -> Self {
        let (kernel, block) = match Gfni::detect(kernels) {
            Some(gfni) => {
                let planes = Planes::new(gfni, field, max_degree);
                let block = planes.block();
                (Kernel::Affine(planes), block)
            }
            None => (Kernel::Rows(Rows::new(field, max_degree)), Rows::BLOCK),
        };
        let block = block as u32;
        let steps = (1..=max_degree as u32).map(|power| power * block % field.order());
        Self { kernel, block, steps: steps.collect() }
    }

    /// Goes on until a block has roots alpha^d with d below `n`, or none is left. The d are
    /// appended to `found`, the roots divided out, and the polynomial is left at the next block.
    pub(crate) fn run(
        &self,
        polynomial: &mut Moving,
        n: u32,
        scratch: &mut Scratch,
        found: &mut Vec<u32>,
    ) {
        let before = found.len();
        while polynomial.base() < n && found.len() == before {
            match &self.kernel {
                Kernel::Affine(planes) => planes.zeros(polynomial, n, scratch, found),
                Kernel::Rows(rows) => rows.zeros(polynomial, found),
            }
            while found.pop_if(|position| *position >= n).is_some() {}
            for position in &found[before..] {
                polynomial.divide_by_root(position - polynomial.base());
            }
            polynomial.move_by(self.block, &self.steps);
        }
    }
}
