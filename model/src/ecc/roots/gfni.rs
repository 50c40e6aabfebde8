//! Values of a polynomial at a block of positions on x86-64 with GFNI and AVX-512: products
//! with its coefficients enter, the places where the values are zero leave.

use std::arch::x86_64::{
    __m512i, _mm512_cmpeq_epi8_mask, _mm512_gf2p8affine_epi64_epi8, _mm512_set1_epi8,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_ternarylogic_epi64, _mm512_xor_si512,
};

use super::super::simd::Gfni;
use super::planes::{Plane, Product};

/// Bytes of a vector.
const VECTOR: usize = 64;
/// Vectors of a block.
const VECTORS: usize = Gfni::BLOCK / VECTOR;
/// The truth table of the sum of three bits.
const SUM: i32 = 0x96;

/// Appends to `found` the positions of the block at which the value is zero, counted from `first`.
/// The polynomial's leading coefficient is 1; those of x and so on below it are given by their
/// products.
///
/// The low bytes of the values tell all but one in 256 of the others from zero; the high bytes are
/// computed only for the vectors in which some are left.
#[target_feature(enable = "gfni,avx512f,avx512bw")]
pub(crate) fn zeros(
    constant: u16,
    products: &[Product],
    powers: &[Plane],
    first: u32,
    found: &mut Vec<u32>,
) {
    let [low, high] = constant.to_le_bytes().map(|byte| byte as i8);
    let leading = &powers[products.len()];
    let mut sums = [_mm512_setzero_si512(); VECTORS];
    for (i, sum) in sums.iter_mut().enumerate() {
        *sum = _mm512_xor_si512(_mm512_set1_epi8(low), load(&leading.0[0], i));
    }
    for (Product([to_low, _]), plane) in products.iter().zip(powers) {
        let matrices = spread(to_low);
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = add_product(*sum, plane, i, matrices);
        }
    }
    let mut candidates = [0; VECTORS];
    let mut left = 0u32;
    for (i, &sum) in sums.iter().enumerate() {
        candidates[i] = zero_bytes(sum);
        left |= u32::from(candidates[i] != 0) << i;
    }
    while left != 0 {
        let i = left.trailing_zeros() as usize;
        left &= left - 1;
        let mut sum = _mm512_xor_si512(_mm512_set1_epi8(high), load(&leading.0[1], i));
        for (Product([_, to_high]), plane) in products.iter().zip(powers) {
            sum = add_product(sum, plane, i, spread(to_high));
        }
        let mut zeros = candidates[i] & zero_bytes(sum);
        while zeros != 0 {
            found.push(first + (VECTOR * i) as u32 + zeros.trailing_zeros());
            zeros &= zeros - 1;
        }
    }
}

/// Adds the products of the i-th vector of powers by the coefficient that the matrices stand for.
#[target_feature(enable = "gfni,avx512f")]
#[inline]
fn add_product(
    sum: __m512i,
    Plane([low, high]): &Plane,
    i: usize,
    [from_low, from_high]: [__m512i; 2],
) -> __m512i {
    let a = _mm512_gf2p8affine_epi64_epi8::<0>(load(low, i), from_low);
    let b = _mm512_gf2p8affine_epi64_epi8::<0>(load(high, i), from_high);
    _mm512_ternarylogic_epi64::<SUM>(sum, a, b)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(bytes: &[u8; Gfni::BLOCK], i: usize) -> __m512i {
    bytemuck::cast(bytes.as_chunks::<VECTOR>().0[i])
}

#[target_feature(enable = "avx512f")]
#[inline]
fn spread(&[from_low, from_high]: &[u64; 2]) -> [__m512i; 2] {
    [_mm512_set1_epi64(from_low as i64), _mm512_set1_epi64(from_high as i64)]
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn zero_bytes(bytes: __m512i) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, _mm512_setzero_si512())
}
