//! The search on any processor: products with a coefficient are sums of four rows of a table, one
//! for every four bits of the coefficient. They hold only the low bytes; the few values that are
//! zero there by chance are told from zeros one by one.

use super::super::field::Field;
use super::moving::Moving;

/// For x, x^2 .., for every four bits of the coefficient and every value of these, the low bytes
/// of the products at the offsets of a block, eight to a word, the first one lowest.
#[derive(Debug)]
pub(crate) struct Rows {
    rows: Vec<[[Row; 16]; 4]>,
}

type Row = [u64; Rows::BLOCK / 8];

impl Rows {
    /// Positions of a block.
    pub(crate) const BLOCK: usize = 64;

    /// For polynomials of degree up to `max_degree`.
    pub(crate) fn new(field: &Field, max_degree: usize) -> Self {
        let rows = (1..=max_degree as u64).map(|j| {
            let mut rows = [[[0; Self::BLOCK / 8]; 16]; 4];
            for (place, rows) in rows.iter_mut().enumerate() {
                for (value, row) in rows.iter_mut().enumerate() {
                    let coefficient = (value << (4 * place)) & field.order() as usize;
                    for offset in 0..Self::BLOCK {
                        let exponent = j * offset as u64 % u64::from(field.order());
                        let product = field.mul(coefficient as u16, field.exp(exponent as u32));
                        row[offset / 8] |= u64::from(product as u8) << (offset % 8 * 8);
                    }
                }
            }
            rows
        });
        Self { rows: rows.collect() }
    }

    /// Appends to `found` the positions of the polynomial's block at which the value is zero.
    pub(crate) fn zeros(&self, polynomial: &Moving, found: &mut Vec<u32>) {
        // The leading coefficient is 1.
        let mut coefficients = polynomial.others().chain([1]).map(usize::from);
        let constant = coefficients.next().expect("a polynomial without roots is not searched");
        let mut sums = [(constant as u64 & 0xff) * (u64::MAX / 0xff); Self::BLOCK / 8];
        for (coefficient, [a, b, c, d]) in coefficients.zip(&self.rows) {
            let (a, b) = (&a[coefficient & 15], &b[coefficient >> 4 & 15]);
            let (c, d) = (&c[coefficient >> 8 & 15], &d[coefficient >> 12]);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum ^= a[i] ^ b[i] ^ c[i] ^ d[i];
            }
        }
        for (i, &sum) in (0..).zip(&sums) {
            let mut candidates = zero_bytes(sum);
            while candidates != 0 {
                let offset = 8 * i + candidates.trailing_zeros() / 8;
                candidates &= candidates - 1;
                if polynomial.value(offset) == 0 {
                    found.push(polynomial.base() + offset);
                }
            }
        }
    }
}

/// The top bit of each byte that is zero.
fn zero_bytes(word: u64) -> u64 {
    const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // The top bit of each byte of the sum says whether any bit is set; no carry leaves a byte.
    !(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS)
}
