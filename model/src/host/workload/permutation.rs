//! A permutation of the numbers below any bound, computed and not stored.

use rand::RngCore;

use crate::sim::RandomStream;

const ROUNDS: usize = 3;

/// A bijection of `0..len` onto itself, drawn at random.
///
/// Over the smallest power of two that holds `len` a round multiplies by an odd number, adds, and
/// folds the upper half of the bits onto the lower one; each of these can be undone, so the rounds
/// permute. A result that is not below `len` is sent through again until it is, which leaves a
/// permutation of those below; as at least half of all are, that is rare.
#[derive(Clone, Debug)]
pub struct Permutation {
    len: u64,
    mask: u64,
    fold_bits: u32,
    rounds: [(u64, u64); ROUNDS],
}

impl Permutation {
    /// A permutation of `0..len`.
    ///
    /// # Panics
    /// Where `len` is 0.
    pub fn new(len: u64, random: &mut RandomStream) -> Self {
        assert!(len > 0, "there is nothing to permute");
        let bits = u64::BITS - (len - 1).leading_zeros();
        Self {
            len,
            mask: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0),
            fold_bits: bits.div_ceil(2),
            rounds: std::array::from_fn(|_| (random.next_u64() | 1, random.next_u64())),
        }
    }

    /// Where `index` goes.
    ///
    /// # Panics
    /// Where `index` is not below the length.
    pub fn apply(&self, index: u64) -> u64 {
        assert!(index < self.len, "{index} is not below {}", self.len);
        let mut value = index;
        loop {
            for (factor, addend) in self.rounds {
                value = value.wrapping_mul(factor).wrapping_add(addend) & self.mask;
                value ^= value >> self.fold_bits;
            }
            if value < self.len {
                return value;
            }
        }
    }
}
