//! Syndromes from the difference between computed and received parity, which is the remainder of
//! the received word: S_j = R(alpha^j), because g(alpha^j) = 0 for j = 1 to 2t.

use super::field::Field;

/// Odd syndromes that one pass over the remainder sums up.
const LANES: usize = 32;

type Row = [u16; LANES];

/// The powers of alpha that the bits of a remainder contribute.
#[derive(Debug)]
pub(crate) struct Syndromes {
    strength: usize,
    parity_bits: usize,
    /// For each group of `LANES` odd exponents j and each parity bit i, first to last:
    /// alpha^(j (parity_bits - 1 - i)).
    rows: Vec<Row>,
}

impl Syndromes {
    /// Tables for `strength` odd syndromes of a remainder of `parity_bits` bits.
    pub(crate) fn new(field: &Field, strength: usize, parity_bits: usize) -> Self {
        let mut rows = Vec::with_capacity(strength.div_ceil(LANES) * parity_bits);
        for first in (0..strength).step_by(LANES) {
            for power in (0..parity_bits as u64).rev() {
                let mut row = [0; LANES];
                for (lane, j) in (first..strength.min(first + LANES)).enumerate() {
                    let exponent = (2 * j as u64 + 1) * power % u64::from(field.order());
                    row[lane] = field.exp(exponent as u32);
                }
                rows.push(row);
            }
        }
        Self { strength, parity_bits, rows }
    }

    /// S_1, S_3 .. S_(2t-1) of a remainder, left-aligned in words, most significant bit first.
    pub(crate) fn odd(&self, remainder: &[u64]) -> Vec<u16> {
        let mut odd = Vec::with_capacity(self.strength);
        for rows in self.rows.chunks(self.parity_bits) {
            let mut sums: Row = [0; LANES];
            for (word, rows) in remainder.iter().zip(rows.chunks(64)) {
                let mut bits = *word;
                while bits != 0 {
                    let bit = bits.leading_zeros();
                    bits ^= 1 << (63 - bit);
                    let row = &rows[bit as usize];
                    for lane in 0..LANES {
                        sums[lane] ^= row[lane];
                    }
                }
            }
            let wanted = LANES.min(self.strength - odd.len());
            odd.extend_from_slice(&sums[..wanted]);
        }
        odd
    }
}
