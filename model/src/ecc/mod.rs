//! Binary BCH codes in software: data enter, parity leaves; a received codeword enters, the
//! corrected one leaves. Reference for the codec's RTL, and the decoder of the models.
//!
//! # Conventions
//!
//! The code is narrow-sense and primitive: g(x) has the roots alpha^1 .. alpha^2t, alpha being a
//! root of the field's primitive polynomial, which is the Linux kernel's ([`Field`]). It is
//! systematic and shortened: the codeword is the data followed by the parity, and the polynomial
//! parity(x) is data(x) x^r mod g(x).
//!
//! **Bit order.** Bit 0 of a codeword is the most significant bit of the first data byte; it is
//! transmitted first and is the coefficient of the highest power. The parity follows the data, most
//! significant bit first; its last bit is the coefficient of x^0. Where the parity does not fill
//! its last byte, the bits left over, the low ones, are zero when written and ignored when read.
//! Data of a number of bits that is not a multiple of eight follow the same rule.

#[cfg(target_arch = "x86_64")]
mod clmul;
mod code;
mod codec;
mod crc;
mod field;
mod generator;
mod key_equation;
mod remainder;
mod roots;
mod simd;
mod syndrome;
pub mod uber;
mod unit;

pub use code::{BchCode, BitIndex, CodeError, Decoded, Location};
pub use codec::Codec;
pub use crc::{CRC_BYTES, append_crc, crc32, verified_data};
pub use field::{Field, MAX_DEGREE, MIN_DEGREE};
pub use generator::{Polynomial, generator};
pub use simd::Kernels;
pub use unit::{EccClocks, EccUnit};
