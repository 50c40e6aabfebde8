//! Syndromes from the difference between computed and received parity, which is the remainder of
//! the received word: S_j = R(alpha^j), because g(alpha^j) = 0 for j = 1 to 2t.

use super::field::Field;

/// Odd syndromes that a word holds.
const PER_WORD: usize = 4;
/// Words that one pass over the remainder sums up.
const WORDS: usize = 8;

/// The powers of alpha that the bits of a remainder contribute.
#[derive(Debug)]
pub(crate) struct Syndromes {
    strength: usize,
    parity_bits: usize,
    /// For each pass, for each parity bit i from the first to the last, and for the odd exponents
    /// j of the pass, four to a word and the first one lowest: alpha^(j (parity_bits - 1 - i)).
    rows: Vec<[u64; WORDS]>,
}

impl Syndromes {
    /// Tables for `strength` odd syndromes of a remainder of `parity_bits` bits.
    pub(crate) fn new(field: &Field, strength: usize, parity_bits: usize) -> Self {
        let mut rows = Vec::with_capacity(strength.div_ceil(PER_WORD * WORDS) * parity_bits);
        for first in (0..strength).step_by(PER_WORD * WORDS) {
            for power in (0..parity_bits as u64).rev() {
                let mut row = [0; WORDS];
                for (lane, j) in (first..strength).take(PER_WORD * WORDS).enumerate() {
                    let exponent = (2 * j as u64 + 1) * power % u64::from(field.order());
                    let term = u64::from(field.exp(exponent as u32));
                    row[lane / PER_WORD] |= term << (16 * (lane % PER_WORD));
                }
                rows.push(row);
            }
        }
        Self { strength, parity_bits, rows }
    }

    /// S_1, S_3 .. S_(2t-1) of a remainder, left-aligned in words, most significant bit first.
    pub(crate) fn odd(&self, remainder: &[u64]) -> Vec<u16> {
        let mut odd = Vec::with_capacity(self.strength + PER_WORD * WORDS);
        for rows in self.rows.chunks(self.parity_bits) {
            let mut sums = [0; WORDS];
            for (&word, rows) in remainder.iter().zip(rows.chunks(64)) {
                let mut bits = word;
                while bits != 0 {
                    let row = &rows[63 - bits.trailing_zeros() as usize];
                    bits &= bits - 1;
                    for (sum, term) in sums.iter_mut().zip(row) {
                        *sum ^= term;
                    }
                }
            }
            for sum in sums {
                odd.extend((0..PER_WORD).map(|lane| (sum >> (16 * lane)) as u16));
            }
        }
        odd.truncate(self.strength);
        odd
    }
}
