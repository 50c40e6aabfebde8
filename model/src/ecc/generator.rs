//! Generator polynomials of narrow-sense primitive binary BCH codes: field and strength enter,
//! the polynomial over GF(2) leaves.
//!
//! g(x) is the least common multiple of the minimal polynomials of alpha, alpha^3 .. alpha^(2t-1)
//! (Lin and Costello, Error Control Coding, section 6.1).

use bitvec::prelude::{BitVec, Lsb0, bitvec};

use super::field::Field;

/// A polynomial over GF(2): bit i is the coefficient of x^i, the last bit is set.
pub type Polynomial = BitVec<u64, Lsb0>;

/// The generator polynomial of strength `t`, of degree m t or less.
pub fn generator(field: &Field, t: u32) -> Polynomial {
    let mut product = bitvec![u64, Lsb0; 1];
    let mut covered = vec![false; field.order() as usize];
    for exponent in (1..2 * t).step_by(2).map(|i| i % field.order()) {
        if covered[exponent as usize] {
            continue;
        }
        let conjugates = conjugates(field, exponent);
        for &conjugate in &conjugates {
            covered[conjugate as usize] = true;
        }
        product = multiply(&product, &minimal_polynomial(field, &conjugates));
    }
    product
}

/// The exponents 2^s i of the conjugates of alpha^i.
fn conjugates(field: &Field, i: u32) -> Vec<u32> {
    let mut exponents = vec![i];
    let mut next = 2 * i % field.order();
    while next != i {
        exponents.push(next);
        next = 2 * next % field.order();
    }
    exponents
}

/// The product of x + alpha^e over the given exponents.
fn minimal_polynomial(field: &Field, exponents: &[u32]) -> Polynomial {
    let mut coefficients = vec![1u16];
    for &exponent in exponents {
        let root = field.exp(exponent);
        coefficients.insert(0, 0);
        for i in 1..coefficients.len() {
            coefficients[i - 1] ^= field.mul(coefficients[i], root);
        }
    }
    assert!(coefficients.iter().all(|&c| c <= 1), "the conjugates of {} are not all", exponents[0]);
    coefficients.iter().map(|&c| c == 1).collect()
}

fn multiply(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut product = bitvec![u64, Lsb0; 0; a.len() + b.len() - 1];
    for i in b.iter_ones() {
        product[i..i + a.len()] ^= a;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(polynomial: &Polynomial) -> String {
        let words = polynomial.as_raw_slice().iter().rev();
        let digits: String = words.map(|word| format!("{word:016x}")).collect();
        digits.trim_start_matches('0').to_owned()
    }

    #[test]
    fn generators_are_the_published_ones() {
        // Lin and Costello, table 6.1 and examples: (15,7) and (15,5) codes over x^4 + x + 1.
        assert_eq!(hex(&generator(Field::of_degree(4), 1)), "13");
        assert_eq!(hex(&generator(Field::of_degree(4), 2)), "1d1");
        assert_eq!(hex(&generator(Field::of_degree(4), 3)), "537");
    }

    #[test]
    fn every_generator_vanishes_at_its_roots() {
        for (m, t_max) in [(5, 7), (8, 20), (13, 24), (16, 40)] {
            let field = Field::of_degree(m);
            for t in 1..=t_max {
                let polynomial = generator(field, t);
                for root in 1..=2 * t {
                    let terms =
                        polynomial.iter_ones().map(|i| field.exp(root * i as u32 % field.order()));
                    assert_eq!(terms.fold(0, |sum, term| sum ^ term), 0, "m={m} t={t} root {root}");
                }
            }
        }
    }
}
