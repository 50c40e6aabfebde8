//! Carry-less products on x86-64: words enter, sums of their 128-bit products leave.
//!
//! Everything works on groups of eight words of 64 bits, the first one first. Those of the message
//! are bytes, most significant first; those of the factors are numbers.

use std::arch::x86_64::{
    _mm_clmulepi64_si128, _mm_setzero_si128, _mm_shuffle_epi8, _mm_xor_si128,
    _mm512_broadcast_i32x4, _mm512_clmulepi64_epi128, _mm512_setzero_si512, _mm512_shuffle_epi8,
    _mm512_ternarylogic_epi64,
};

use super::remainder::{Group, Message};

/// The truth table of the sum of three bits.
const SUM: i32 = 0x96;
/// The bytes of two words, each in reverse.
const REVERSED: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];

/// For each column of factors, up to four, the sum of message word times factor.
#[target_feature(enable = "pclmulqdq,ssse3")]
pub(crate) fn dot_products(message: &Message<'_>, columns: &[&[Group]], sums: &mut [u128]) {
    match *columns {
        [a] => sums.copy_from_slice(&dot_products_128(message, [a])),
        [a, b] => sums.copy_from_slice(&dot_products_128(message, [a, b])),
        [a, b, c] => sums.copy_from_slice(&dot_products_128(message, [a, b, c])),
        [a, b, c, d] => sums.copy_from_slice(&dot_products_128(message, [a, b, c, d])),
        _ => unreachable!("{} columns", columns.len()),
    }
}

/// The same with vectors of 512 bits.
#[target_feature(enable = "vpclmulqdq,avx512f,avx512bw")]
pub(crate) fn wide_dot_products(message: &Message<'_>, columns: &[&[Group]], sums: &mut [u128]) {
    match *columns {
        [a] => sums.copy_from_slice(&dot_products_512(message, [a])),
        [a, b] => sums.copy_from_slice(&dot_products_512(message, [a, b])),
        [a, b, c] => sums.copy_from_slice(&dot_products_512(message, [a, b, c])),
        [a, b, c, d] => sums.copy_from_slice(&dot_products_512(message, [a, b, c, d])),
        _ => unreachable!("{} columns", columns.len()),
    }
}

#[target_feature(enable = "pclmulqdq,ssse3")]
#[inline]
fn dot_products_128<const N: usize>(message: &Message<'_>, columns: [&[Group]; N]) -> [u128; N] {
    let reversed = bytemuck::cast(REVERSED);
    let mut sums = [_mm_setzero_si128(); N];
    for (i, group) in message.groups().enumerate() {
        for (pair, bytes) in group.as_chunks::<16>().0.iter().enumerate() {
            let words = _mm_shuffle_epi8(bytemuck::cast(*bytes), reversed);
            for (sum, column) in sums.iter_mut().zip(columns) {
                let factors = bytemuck::cast(column[i].as_chunks::<2>().0[pair]);
                let first = _mm_clmulepi64_si128::<0x00>(words, factors);
                let second = _mm_clmulepi64_si128::<0x11>(words, factors);
                *sum = _mm_xor_si128(*sum, _mm_xor_si128(first, second));
            }
        }
    }
    bytemuck::cast(sums)
}

#[target_feature(enable = "vpclmulqdq,avx512f,avx512bw")]
#[inline]
fn dot_products_512<const N: usize>(message: &Message<'_>, columns: [&[Group]; N]) -> [u128; N] {
    let reversed = _mm512_broadcast_i32x4(bytemuck::cast(REVERSED));
    let mut sums = [_mm512_setzero_si512(); N];
    for (i, group) in message.groups().enumerate() {
        let words = _mm512_shuffle_epi8(bytemuck::cast(*group), reversed);
        for (sum, column) in sums.iter_mut().zip(columns) {
            let factors = bytemuck::cast(column[i]);
            let first = _mm512_clmulepi64_epi128::<0x00>(words, factors);
            let second = _mm512_clmulepi64_epi128::<0x11>(words, factors);
            *sum = _mm512_ternarylogic_epi64::<SUM>(*sum, first, second);
        }
    }
    let mut products = [0; N];
    for (product, sum) in products.iter_mut().zip(sums) {
        let lanes: [u128; 4] = bytemuck::cast(sum);
        *product = lanes.iter().fold(0, |sum, lane| sum ^ lane);
    }
    products
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
    let (a, b) = (bytemuck::cast([a, 0]), bytemuck::cast([b, 0]));
    bytemuck::cast(_mm_clmulepi64_si128::<0x00>(a, b))
}
