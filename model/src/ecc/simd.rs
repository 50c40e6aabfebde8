//! The only place where the codec enters code compiled for instructions that not every processor
//! has. A value of these types proves that the processor has them; what they call is safe code.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "a call into code for a detected processor feature is unsafe")
)]

use super::remainder::{Group, Message};
use super::roots::{Plane, Product};

/// What the codec may use of the processor it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// All it has.
    Detected,
    /// Nothing beyond vectors of 128 bits.
    Narrow,
    /// Nothing that not every processor has.
    Portable,
}

/// The processor multiplies without carries (PCLMULQDQ and SSSE3 on x86-64).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clmul {
    _proof: Proof,
    /// It also does so in vectors of 512 bits (VPCLMULQDQ and AVX-512).
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for x86-64 only"))]
    wide: bool,
}

/// The processor transforms vectors of bytes by 8x8 matrices (GFNI and AVX-512 on x86-64).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gfni {
    _proof: Proof,
}

#[cfg(target_arch = "x86_64")]
type Proof = ();
/// Nothing proves it elsewhere.
#[cfg(not(target_arch = "x86_64"))]
type Proof = std::convert::Infallible;

impl Clmul {
    /// Sums that [`Clmul::dot_products`] forms side by side.
    pub(crate) const COLUMNS: usize = 4;
}

impl Gfni {
    /// Positions that [`Gfni::zeros`] tries at once.
    pub(crate) const BLOCK: usize = 512;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::{clmul, roots::gfni};
    use super::{Clmul, Gfni, Group, Kernels, Message, Plane, Product};

    impl Clmul {
        /// The proof, where the processor has the instructions and they may be used.
        pub(crate) fn detect(kernels: Kernels) -> Option<Self> {
            let narrow = kernels != Kernels::Portable
                && is_x86_feature_detected!("pclmulqdq")
                && is_x86_feature_detected!("ssse3");
            let wide = kernels == Kernels::Detected
                && is_x86_feature_detected!("vpclmulqdq")
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw");
            narrow.then_some(Self { _proof: (), wide })
        }

        /// See [`clmul::dot_products`].
        pub(crate) fn dot_products(
            self,
            message: &Message<'_>,
            columns: &[&[Group]],
            sums: &mut [u128],
        ) {
            if self.wide {
                // SAFETY: `wide` is set only where VPCLMULQDQ, AVX512F and AVX512BW have been
                // detected.
                unsafe { clmul::wide_dot_products(message, columns, sums) }
            } else {
                // SAFETY: `self` exists only where PCLMULQDQ and SSSE3 have been detected.
                unsafe { clmul::dot_products(message, columns, sums) }
            }
        }

        /// See [`clmul::reduce`].
        pub(crate) fn reduce(self, carry: u64, quotient: u64, low: &[u64], remainder: &mut [u64]) {
            // SAFETY: `self` exists only where PCLMULQDQ has been detected.
            unsafe { clmul::reduce(carry, quotient, low, remainder) }
        }
    }

    impl Gfni {
        /// The proof, where the processor has the instructions and they may be used.
        pub(crate) fn detect(kernels: Kernels) -> Option<Self> {
            let all = kernels == Kernels::Detected
                && is_x86_feature_detected!("gfni")
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw");
            all.then_some(Self { _proof: () })
        }

        /// See [`gfni::zeros`].
        pub(crate) fn zeros(
            self,
            constant: u16,
            products: &[Product],
            powers: &[Plane],
            first: u32,
            found: &mut Vec<u32>,
        ) {
            // SAFETY: `self` exists only where GFNI, AVX512F and AVX512BW have been detected.
            unsafe { gfni::zeros(constant, products, powers, first, found) }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod other {
    use super::{Clmul, Gfni, Group, Kernels, Message, Plane, Product};

    impl Clmul {
        /// Not on this processor.
        pub(crate) fn detect(_: Kernels) -> Option<Self> {
            None
        }

        /// Never called.
        pub(crate) fn dot_products(self, _: &Message<'_>, _: &[&[Group]], _: &mut [u128]) {
            match self._proof {}
        }

        /// Never called.
        pub(crate) fn reduce(self, _: u64, _: u64, _: &[u64], _: &mut [u64]) {
            match self._proof {}
        }
    }

    impl Gfni {
        /// Not on this processor.
        pub(crate) fn detect(_: Kernels) -> Option<Self> {
            None
        }

        /// Never called.
        pub(crate) fn zeros(self, _: u16, _: &[Product], _: &[Plane], _: u32, _: &mut Vec<u32>) {
            match self._proof {}
        }
    }
}
