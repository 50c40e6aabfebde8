//! All roots of a polynomial of degree 1 to 4, where they are distinct and lie in the field.
//!
//! Each degree is reduced to the one below: a cubic to z^3 + z = c and a quadratic, a quartic to a
//! cubic (its resolvent) and three quadratics, a quadratic to z^2 + z = c; the two normal forms
//! are solved by table (Chen, Formulas for the Solutions of Quadratic Equations over GF(2^m), IEEE
//! Trans. Information Theory 28, 1982; Berlekamp, Rumsey and Solomon, On the Solution of Algebraic
//! Equations over Finite Fields, Information and Control 10, 1967).

use std::sync::OnceLock;

use super::super::field::{Field, MAX_DEGREE, MIN_DEGREE};

/// Up to four roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Roots {
    roots: [u16; 4],
    count: usize,
}

impl std::ops::Deref for Roots {
    type Target = [u16];

    fn deref(&self) -> &[u16] {
        &self.roots[..self.count]
    }
}

/// Solutions of the normal forms; zero where there is none, which is never one itself for the
/// arguments other than zero that are looked up.
#[derive(Debug)]
pub(crate) struct SmallDegrees {
    /// For c, one z with z^2 + z = c.
    quadratic: Box<[u16]>,
    /// For c, one z with z^3 + z = c.
    cubic: Box<[u16]>,
}

impl SmallDegrees {
    /// The largest degree with a formula.
    pub(crate) const MAX_DEGREE: usize = 4;

    /// The tables of a field, made once for the process.
    pub(crate) fn of(field: &Field) -> &'static Self {
        static TABLES: [OnceLock<SmallDegrees>; (MAX_DEGREE - MIN_DEGREE + 1) as usize] =
            [const { OnceLock::new() }; (MAX_DEGREE - MIN_DEGREE + 1) as usize];
        TABLES[(field.degree() - MIN_DEGREE) as usize].get_or_init(|| Self::new(field))
    }

    fn new(field: &Field) -> Self {
        let size = field.order() as usize + 1;
        let mut quadratic = vec![0; size];
        let mut cubic = vec![0; size];
        for z in 2..=field.order() as u16 {
            let square = field.square(z);
            quadratic[usize::from(square ^ z)] = z;
            cubic[usize::from(field.mul(square, z) ^ z)] = z;
        }
        Self { quadratic: quadratic.into(), cubic: cubic.into() }
    }

    /// The roots of the polynomial with the given coefficients, the leading one first and 1, if
    /// there are as many distinct ones as its degree, none of them zero. `None` says only that the
    /// formulas do not apply.
    pub(crate) fn all_roots(&self, field: &Field, polynomial: &[u16]) -> Option<Roots> {
        let (roots, count) = match *polynomial {
            [1] => ([0; 4], 0),
            [1, b] => ([b, 0, 0, 0], 1),
            [1, b, c] => {
                let [x, y] = self.quadratic(field, b, c)?;
                ([x, y, 0, 0], 2)
            }
            [1, b, c, d] => {
                let [x, y, z] = self.cubic(field, b, c, d)?;
                ([x, y, z, 0], 3)
            }
            [1, b, c, d, e] => (self.quartic(field, [b, c, d, e])?, 4),
            _ => return None,
        };
        (!roots[..count].contains(&0)).then_some(Roots { roots, count })
    }

    /// x^2 + b x + c. With x = b z it is z^2 + z = c / b^2.
    fn quadratic(&self, field: &Field, b: u16, c: u16) -> Option<[u16; 2]> {
        if b == 0 || c == 0 {
            return None;
        }
        let z = self.quadratic[usize::from(field.div(c, field.square(b)))];
        let x = field.mul(b, z);
        (z != 0).then_some([x, x ^ b])
    }

    /// One s with s^3 + p s + q = 0. With s = sqrt(p) z it is z^3 + z = q / sqrt(p)^3.
    fn depressed_cubic(&self, field: &Field, p: u16, q: u16) -> Option<u16> {
        if p == 0 || q == 0 {
            return None;
        }
        let root = field.sqrt(p);
        let z = self.cubic[usize::from(field.div(q, field.mul(p, root)))];
        (z != 0).then_some(field.mul(root, z))
    }

    /// x^3 + b x^2 + c x + d. With x = s + b it is s^3 + (b^2 + c) s + (b c + d); the other two
    /// roots of that solve y^2 + s y + (s^2 + p).
    fn cubic(&self, field: &Field, b: u16, c: u16, d: u16) -> Option<[u16; 3]> {
        let p = field.square(b) ^ c;
        let q = field.mul(b, c) ^ d;
        let s = self.depressed_cubic(field, p, q)?;
        let [y, z] = self.quadratic(field, s, field.square(s) ^ p)?;
        Some([s ^ b, y ^ b, z ^ b])
    }

    /// x^4 + b x^3 + c x^2 + d x + e.
    fn quartic(&self, field: &Field, [b, c, d, e]: [u16; 4]) -> Option<[u16; 4]> {
        if b == 0 {
            return self.depressed_quartic(field, c, d, e);
        }
        // With x = s + shift, shift^2 = d / b, the linear term vanishes; with s = 1 / y the cubic.
        let shift = field.sqrt(field.div(d, b));
        let square = field.square(shift);
        let quadratic = c ^ field.mul(b, shift);
        let constant = field.square(square) ^ field.mul(square, c) ^ field.mul(d, shift) ^ e;
        let constant = constant ^ field.mul(b, field.mul(square, shift));
        if constant == 0 {
            return None;
        }
        let over = |a| field.div(a, constant);
        let roots = self.depressed_quartic(field, over(quadratic), over(b), over(1))?;
        Some(roots.map(|y| field.div(1, y) ^ shift))
    }

    /// y^4 + p y^2 + q y + r = (y^2 + s y + t) (y^2 + s y + u) with s^3 + p s + q = 0,
    /// t + u = s^2 + p and t u = r.
    fn depressed_quartic(&self, field: &Field, p: u16, q: u16, r: u16) -> Option<[u16; 4]> {
        let s = self.depressed_cubic(field, p, q)?;
        let [t, u] = self.quadratic(field, field.square(s) ^ p, r)?;
        let [w, x] = self.quadratic(field, s, t)?;
        let [y, z] = self.quadratic(field, s, u)?;
        Some([w, x, y, z])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distinct nonzero roots, by trying every element.
    fn tried(field: &Field, polynomial: &[u16]) -> Vec<u16> {
        let value = |x: u16| polynomial.iter().fold(0, |value, &c| field.mul(value, x) ^ c);
        (1..=field.order() as u16).filter(|&x| value(x) == 0).collect()
    }

    /// Every polynomial of degree 1 to 4 over two small fields, one with cube roots of unity (m
    /// even) and one without. The rare all-roots cases that the formulas leave to the search are
    /// counted: a cubic with p = 0, a quartic whose resolvent has p = 0.
    #[test]
    fn every_small_polynomial() {
        for (m, left_to_search) in [(4, [0, 0, 65, 195]), (5, [0, 0, 0, 0])] {
            let field = Field::of_degree(m);
            let small = SmallDegrees::of(field);
            let size = field.order() + 1;
            for degree in 1..=4 {
                let mut left = 0;
                for index in 0..size.pow(degree) {
                    let mut polynomial: Vec<u16> =
                        (0..degree).map(|i| (index / size.pow(i) % size) as u16).collect();
                    polynomial.insert(0, 1);
                    let expected = tried(field, &polynomial);
                    match small.all_roots(field, &polynomial) {
                        Some(roots) => {
                            let mut roots = roots.to_vec();
                            roots.sort_unstable();
                            assert_eq!(roots, expected, "m={m} {polynomial:?}");
                        }
                        None => left += usize::from(expected.len() == degree as usize),
                    }
                }
                assert_eq!(left, left_to_search[degree as usize - 1], "m={m} degree {degree}");
            }
        }
    }
}
