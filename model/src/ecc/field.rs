//! The fields GF(2^m), m = 4 to 16: elements are polynomials in alpha over GF(2), bit i the
//! coefficient of alpha^i; products go through tables of logarithms.
//!
//! Primitive polynomials are the ones of the Linux kernel's BCH codec (`lib/bch.c`), with
//! x^16 + x^12 + x^3 + x + 1 for m = 16, which the kernel does not have.

use std::sync::OnceLock;

/// The smallest m.
pub const MIN_DEGREE: u32 = 4;
/// The largest m.
pub const MAX_DEGREE: u32 = 16;

/// Bit i is the coefficient of x^i.
const PRIMITIVE_POLYNOMIALS: [u32; 13] =
    [0x13, 0x25, 0x43, 0x83, 0x11d, 0x211, 0x409, 0x805, 0x1053, 0x201b, 0x402b, 0x8003, 0x1100b];

/// Tables of one field.
#[derive(Debug)]
pub struct Field {
    degree: u32,
    /// Logarithms to the base alpha. That of zero is twice the order, so that any sum with it
    /// reaches the zeros at the end of `exp`.
    log: Box<[u32]>,
    /// alpha^i for i below twice the order, then zeros.
    exp: Box<[u16]>,
}

impl Field {
    /// The field of degree `m`, whose tables are made once for the process.
    ///
    /// # Panics
    /// Where `m` is not 4 to 16.
    pub fn of_degree(m: u32) -> &'static Field {
        static FIELDS: [OnceLock<Field>; PRIMITIVE_POLYNOMIALS.len()] =
            [const { OnceLock::new() }; PRIMITIVE_POLYNOMIALS.len()];
        assert!((MIN_DEGREE..=MAX_DEGREE).contains(&m), "no field of degree {m}");
        FIELDS[(m - MIN_DEGREE) as usize].get_or_init(|| Field::new(m))
    }

    fn new(degree: u32) -> Self {
        let polynomial = PRIMITIVE_POLYNOMIALS[(degree - MIN_DEGREE) as usize];
        let order = (1usize << degree) - 1;
        let mut log = vec![2 * order as u32; order + 1];
        let mut exp = vec![0u16; 4 * order + 1];
        let mut power = 1u32;
        for i in 0..order {
            log[power as usize] = i as u32;
            exp[i] = power as u16;
            exp[i + order] = power as u16;
            power <<= 1;
            if power >> degree != 0 {
                power ^= polynomial;
            }
        }
        assert_eq!(power, 1, "the polynomial of degree {degree} is not primitive");
        Self { degree, log: log.into(), exp: exp.into() }
    }

    /// m.
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// Number of elements other than zero, 2^m - 1.
    pub fn order(&self) -> u32 {
        (1 << self.degree) - 1
    }

    /// Logarithm of `a` to the base alpha; for zero, a number whose sum with any logarithm
    /// [`Field::exp`] takes to zero.
    #[inline]
    pub fn log(&self, a: u16) -> u32 {
        self.log[usize::from(a)]
    }

    /// alpha^i, for i a logarithm or the sum of two.
    #[inline]
    pub fn exp(&self, i: u32) -> u16 {
        self.exp[i as usize]
    }

    /// Logarithm of the product of an element, which may be zero, and one that is not, from
    /// theirs.
    #[inline]
    pub fn add_logs(&self, a: u32, b: u32) -> u32 {
        let sum = a + b;
        let reduced = if sum >= self.order() { sum - self.order() } else { sum };
        if a < self.order() { reduced } else { a }
    }

    /// a b.
    #[inline]
    pub fn mul(&self, a: u16, b: u16) -> u16 {
        self.exp(self.log(a) + self.log(b))
    }

    /// a / b, for b other than zero.
    #[inline]
    pub fn div(&self, a: u16, b: u16) -> u16 {
        debug_assert_ne!(b, 0);
        self.exp(self.log(a) + self.order() - self.log(b))
    }

    /// a^2.
    #[inline]
    pub fn square(&self, a: u16) -> u16 {
        self.exp(2 * self.log(a))
    }

    /// The one element whose square is a.
    #[inline]
    pub fn sqrt(&self, a: u16) -> u16 {
        let log = self.log(a);
        // An odd logarithm becomes even by adding the order, which is odd.
        self.exp((log + (log & 1) * self.order()) / 2 + u32::from(a == 0) * self.order())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Schoolbook product: shift, add, reduce.
    fn multiply(a: u16, b: u16, m: u32) -> u16 {
        let polynomial = PRIMITIVE_POLYNOMIALS[(m - MIN_DEGREE) as usize];
        let mut shifted = u32::from(a);
        let mut product = 0;
        for bit in 0..m {
            if b >> bit & 1 == 1 {
                product ^= shifted;
            }
            shifted <<= 1;
            if shifted >> m != 0 {
                shifted ^= polynomial;
            }
        }
        product as u16
    }

    #[test]
    fn products_of_small_fields_are_exhaustively_right() {
        for m in 4..=8 {
            let field = Field::of_degree(m);
            for a in 0..1 << m {
                for b in 0..1 << m {
                    assert_eq!(field.mul(a, b), multiply(a, b, m), "m={m} {a:#x} {b:#x}");
                    if b != 0 {
                        assert_eq!(field.mul(field.div(a, b), b), a);
                    }
                }
            }
        }
    }

    #[test]
    fn every_element_of_every_field_keeps_the_laws() {
        for m in MIN_DEGREE..=MAX_DEGREE {
            let field = Field::of_degree(m);
            for a in 0..=field.order() as u16 {
                assert_eq!(field.mul(a, 1), a);
                assert_eq!(field.mul(a, 0), 0);
                assert_eq!(field.mul(a, 2), multiply(a, 2, m));
                assert_eq!(field.square(a), multiply(a, a, m));
                assert_eq!(field.square(field.sqrt(a)), a);
            }
        }
    }

    #[test]
    #[should_panic(expected = "no field of degree 3")]
    fn degrees_without_a_polynomial_are_refused() {
        Field::of_degree(3);
    }
}
