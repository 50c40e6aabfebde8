//! Products of a vector by coefficients on x86-64 with GFNI and AVX-512: matrices and bytes enter,
//! the places where the sums of the products are zero leave.

use std::arch::x86_64::{
    __m512i, _mm512_cmpeq_epi8_mask, _mm512_gf2p8affine_epi64_epi8, _mm512_set1_epi64,
    _mm512_set1_epi8, _mm512_setzero_si512, _mm512_ternarylogic_epi64,
};

use super::super::simd::Gfni;
use super::Plane;

/// Bytes of a vector.
const VECTOR: usize = 64;
/// The truth table of the sum of three bits.
const SUM: i32 = 0x96;

/// For each factor, a pair of matrices and a pair of byte vectors, adds the two products to the
/// sums, which start at `constant`. Bit i of the result, lowest of the first word first, says that
/// sum i is zero.
#[target_feature(enable = "gfni,avx512f,avx512bw")]
pub(crate) fn zeros<'a>(
    constant: u8,
    factors: impl Iterator<Item = ([u64; 2], &'a Plane)>,
) -> [u64; Gfni::BLOCK / 64] {
    let mut sums = [_mm512_set1_epi8(constant as i8); Gfni::BLOCK / VECTOR];
    for (matrices, Plane([low, high])) in factors {
        let [from_low, from_high] = matrices.map(|matrix| _mm512_set1_epi64(matrix as i64));
        let (low, high) = (low.as_chunks::<VECTOR>().0, high.as_chunks::<VECTOR>().0);
        for (sum, (low, high)) in sums.iter_mut().zip(low.iter().zip(high)) {
            let a = _mm512_gf2p8affine_epi64_epi8::<0>(load(low), from_low);
            let b = _mm512_gf2p8affine_epi64_epi8::<0>(load(high), from_high);
            *sum = _mm512_ternarylogic_epi64::<SUM>(*sum, a, b);
        }
    }
    sums.map(|sum| _mm512_cmpeq_epi8_mask(sum, _mm512_setzero_si512()))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(bytes: &[u8; VECTOR]) -> __m512i {
    bytemuck::cast(*bytes)
}
