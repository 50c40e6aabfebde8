//! The only place where the codec enters code compiled for instructions that not every processor
//! has. A value of these types proves that the processor has them; what they call is safe code.
#![expect(unsafe_code, reason = "a call into code for a detected processor feature is unsafe")]

use super::roots::{Matrices, Plane};

/// The processor multiplies without carries (PCLMULQDQ on x86-64).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clmul(Proof);

/// The processor transforms vectors of bytes by 8x8 matrices (GFNI and AVX-512 on x86-64).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gfni(Proof);

#[cfg(target_arch = "x86_64")]
type Proof = ();
/// Nothing proves it elsewhere.
#[cfg(not(target_arch = "x86_64"))]
type Proof = std::convert::Infallible;

impl Clmul {
    /// Sums that [`Clmul::sum_of_products`] forms side by side: as many as fit the registers.
    pub(crate) const COLUMNS: usize = 8;
}

impl Gfni {
    /// Positions that [`Gfni::zeros`] tries at once.
    pub(crate) const BLOCK: usize = 512;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::{clmul, roots::gfni};
    use super::{Clmul, Gfni, Matrices, Plane};

    impl Clmul {
        /// The proof, where the processor has the instructions.
        pub(crate) fn detect() -> Option<Self> {
            is_x86_feature_detected!("pclmulqdq").then_some(Self(()))
        }

        /// See [`clmul::sum_of_products`].
        pub(crate) fn sum_of_products(
            self,
            head: u64,
            body: &[[u8; 8]],
            factors: &[u64],
            products: &mut [u128],
        ) {
            // SAFETY: `self` exists only where PCLMULQDQ has been detected.
            unsafe { clmul::sum_of_products(head, body, factors, products) }
        }

        /// See [`clmul::reduce`].
        pub(crate) fn reduce(self, carry: u64, quotient: u64, low: &[u64], remainder: &mut [u64]) {
            // SAFETY: `self` exists only where PCLMULQDQ has been detected.
            unsafe { clmul::reduce(carry, quotient, low, remainder) }
        }
    }

    impl Gfni {
        /// The proof, where the processor has the instructions.
        pub(crate) fn detect() -> Option<Self> {
            let all = is_x86_feature_detected!("gfni")
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw");
            all.then_some(Self(()))
        }

        /// See [`gfni::zeros`].
        pub(crate) fn zeros(
            self,
            constant: u16,
            coefficients: impl Iterator<Item = u16> + Clone,
            powers: &[Plane],
            matrices: &Matrices,
        ) -> [u64; Gfni::BLOCK / 64] {
            // SAFETY: `self` exists only where GFNI, AVX512F and AVX512BW have been detected.
            unsafe { gfni::zeros(constant, coefficients, powers, matrices) }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod other {
    use super::{Clmul, Gfni, Matrices, Plane};

    impl Clmul {
        /// Not on this processor.
        pub(crate) fn detect() -> Option<Self> {
            None
        }

        /// Never called.
        pub(crate) fn sum_of_products(self, _: u64, _: &[[u8; 8]], _: &[u64], _: &mut [u128]) {
            match self.0 {}
        }

        /// Never called.
        pub(crate) fn reduce(self, _: u64, _: u64, _: &[u64], _: &mut [u64]) {
            match self.0 {}
        }
    }

    impl Gfni {
        /// Not on this processor.
        pub(crate) fn detect() -> Option<Self> {
            None
        }

        /// Never called.
        pub(crate) fn zeros(
            self,
            _: u16,
            _: impl Iterator<Item = u16> + Clone,
            _: &[Plane],
            _: &Matrices,
        ) -> [u64; Gfni::BLOCK / 64] {
            match self.0 {}
        }
    }
}
