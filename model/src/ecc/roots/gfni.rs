//! Products of a vector by coefficients on x86-64 with GFNI and AVX2: matrices and bytes enter,
//! the places where the sums of the products are zero leave.

use std::arch::x86_64::{
    __m256i, _mm256_cmpeq_epi8, _mm256_gf2p8affine_epi64_epi8, _mm256_movemask_epi8,
    _mm256_set1_epi64x, _mm256_set1_epi8, _mm256_set_epi64x, _mm256_setzero_si256,
    _mm256_xor_si256,
};

use super::super::simd::Gfni;
use super::Plane;

/// Bytes of a vector.
const VECTOR: usize = 32;

/// For each factor, a pair of matrices and a pair of byte vectors, adds the two products to the
/// sums, which start at `constant`. Bit i of the result, lowest of the first word first, says that
/// sum i is zero.
#[target_feature(enable = "gfni,avx2")]
pub(crate) fn zeros<'a>(
    constant: u8,
    factors: impl Iterator<Item = ([u64; 2], &'a Plane)>,
) -> [u64; Gfni::BLOCK / 64] {
    let mut sums = [_mm256_set1_epi8(constant as i8); Gfni::BLOCK / VECTOR];
    for (matrices, [low, high]) in factors {
        let [from_low, from_high] = matrices.map(|matrix| _mm256_set1_epi64x(matrix as i64));
        let (low, high) = (low.as_chunks::<VECTOR>().0, high.as_chunks::<VECTOR>().0);
        for (sum, (low, high)) in sums.iter_mut().zip(low.iter().zip(high)) {
            let a = _mm256_gf2p8affine_epi64_epi8::<0>(load(low), from_low);
            let b = _mm256_gf2p8affine_epi64_epi8::<0>(load(high), from_high);
            *sum = _mm256_xor_si256(*sum, _mm256_xor_si256(a, b));
        }
    }
    let mut words = [0; Gfni::BLOCK / 64];
    for (i, &sum) in sums.iter().enumerate() {
        let zero = _mm256_cmpeq_epi8(sum, _mm256_setzero_si256());
        let bits = _mm256_movemask_epi8(zero) as u32;
        words[i / 2] |= u64::from(bits) << (i % 2 * VECTOR);
    }
    words
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(bytes: &[u8; VECTOR]) -> __m256i {
    let (words, _) = bytes.as_chunks::<8>();
    let word = |i: usize| i64::from_le_bytes(words[i]);
    _mm256_set_epi64x(word(3), word(2), word(1), word(0))
}
