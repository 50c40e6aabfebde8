//! Carry-less products on x86-64: words enter, sums of 128-bit products leave.

use std::arch::x86_64::{
    __m128i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_setzero_si128,
    _mm_unpackhi_epi64, _mm_xor_si128,
};

/// For each of the `products.len()` columns, the sum over the message's words of word times
/// factor. `head` is the odd part at the start of the message, which counts where there is one row
/// of factors more than `body` has words.
#[target_feature(enable = "pclmulqdq")]
pub(crate) fn sum_of_products(head: u64, body: &[[u8; 8]], factors: &[u64], products: &mut [u128]) {
    match products.len() {
        1 => columns::<1>(head, body, factors, products),
        2 => columns::<2>(head, body, factors, products),
        3 => columns::<3>(head, body, factors, products),
        4 => columns::<4>(head, body, factors, products),
        5 => columns::<5>(head, body, factors, products),
        6 => columns::<6>(head, body, factors, products),
        7 => columns::<7>(head, body, factors, products),
        8 => columns::<8>(head, body, factors, products),
        other => unreachable!("{other} columns"),
    }
}

#[target_feature(enable = "pclmulqdq")]
fn columns<const N: usize>(head: u64, body: &[[u8; 8]], factors: &[u64], products: &mut [u128]) {
    let (mut rows, rest) = factors.as_chunks::<N>();
    assert!(rest.is_empty());
    let mut sums = [_mm_setzero_si128(); N];
    if rows.len() > body.len() {
        accumulate(&mut sums, head, &rows[0]);
        rows = &rows[1..];
    }
    assert_eq!(rows.len(), body.len());
    for (&bytes, row) in body.iter().zip(rows) {
        accumulate(&mut sums, u64::from_be_bytes(bytes), row);
    }
    for (product, sum) in products.iter_mut().zip(sums) {
        *product = to_u128(sum);
    }
}

#[target_feature(enable = "pclmulqdq")]
#[inline]
fn accumulate<const N: usize>(sums: &mut [__m128i; N], word: u64, row: &[u64; N]) {
    let word = _mm_set_epi64x(0, word as i64);
    for i in (0..N).step_by(2) {
        let high = if i + 1 < N { row[i + 1] } else { 0 };
        let pair = _mm_set_epi64x(high as i64, row[i] as i64);
        sums[i] = _mm_xor_si128(sums[i], _mm_clmulepi64_si128::<0x00>(word, pair));
        if i + 1 < N {
            sums[i + 1] = _mm_xor_si128(sums[i + 1], _mm_clmulepi64_si128::<0x10>(word, pair));
        }
    }
}

/// Barrett reduction of `carry` x^(64 W), which is added to the W words of `remainder`:
/// q = floor(carry x^64 (x^64 + quotient) / x^128), and the low words of q G are those of q `low`.
#[target_feature(enable = "pclmulqdq")]
pub(crate) fn reduce(carry: u64, quotient: u64, low: &[u64], remainder: &mut [u64]) {
    let q = carry ^ (multiply(carry, quotient) >> 64) as u64;
    for (i, &word) in low.iter().enumerate() {
        let product = multiply(q, word);
        // The leftmost high word cancels the carry.
        if i > 0 {
            remainder[i - 1] ^= (product >> 64) as u64;
        }
        remainder[i] ^= product as u64;
    }
}

#[target_feature(enable = "pclmulqdq")]
#[inline]
fn multiply(a: u64, b: u64) -> u128 {
    let (a, b) = (_mm_set_epi64x(0, a as i64), _mm_set_epi64x(0, b as i64));
    to_u128(_mm_clmulepi64_si128::<0x00>(a, b))
}

#[target_feature(enable = "pclmulqdq")]
#[inline]
fn to_u128(value: __m128i) -> u128 {
    let low = _mm_cvtsi128_si64(value) as u64;
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(value, value)) as u64;
    u128::from(high) << 64 | u128::from(low)
}
