//! The search over blocks of positions: a polynomial enters, the roots of the first blocks that
//! hold any leave.
//!
//! A block of consecutive powers of alpha is tried at once. Only the low eight bits of the
//! polynomial's values are computed, by one of two kernels; the few positions where these are zero
//! by chance are told from roots one by one.

use super::super::field::Field;
use super::super::remainder::Kernels;
use super::super::simd::Gfni;

/// Bytes that the portable kernel computes at a time.
const ROW: usize = 64;

/// The search over blocks.
#[derive(Debug)]
pub(crate) struct Search {
    field: &'static Field,
    kernel: Kernel,
}

#[derive(Debug)]
enum Kernel {
    Affine(Gfni, Planes),
    Rows(Rows),
}

/// A term c x^j of the polynomial, its coefficient as a logarithm.
#[derive(Clone, Copy, Debug)]
struct Term {
    power: usize,
    log: u32,
}

impl Search {
    pub(crate) fn new(field: &'static Field, max_degree: usize, kernels: Kernels) -> Self {
        let gfni = match kernels {
            Kernels::Detected => Gfni::detect(),
            Kernels::Portable => None,
        };
        let kernel = match gfni {
            Some(gfni) => Kernel::Affine(gfni, Planes::new(field, max_degree)),
            None => Kernel::Rows(Rows::new(field, max_degree)),
        };
        Self { field, kernel }
    }

    /// Appends to `found` the d in `from..n`, ascending, of the first block with roots alpha^d.
    /// Returns where the next search starts.
    pub(crate) fn next(&self, polynomial: &[u16], from: u32, n: u32, found: &mut Vec<u32>) -> u32 {
        match &self.kernel {
            Kernel::Affine(gfni, planes) => {
                let zeros = |terms: &[Term], low: u8| planes.zeros(*gfni, self.field, terms, low);
                self.scan(polynomial, from, n, found, zeros)
            }
            Kernel::Rows(rows) => {
                let zeros = |terms: &[Term], low: u8| rows.zeros(self.field, terms, low);
                self.scan(polynomial, from, n, found, zeros)
            }
        }
    }

    /// `zeros` tells for a block which of its positions have values whose low byte is zero, as
    /// words of 64 positions, the first one lowest.
    fn scan<const WORDS: usize>(
        &self,
        polynomial: &[u16],
        mut from: u32,
        n: u32,
        found: &mut Vec<u32>,
        zeros: impl Fn(&[Term], u8) -> [u64; WORDS],
    ) -> u32 {
        let block = 64 * WORDS as u32;
        let order = self.field.order();
        let constant = polynomial[0];
        let mut terms = Vec::with_capacity(polynomial.len());
        for (power, &coefficient) in polynomial.iter().enumerate().skip(1) {
            if coefficient != 0 {
                let moved = (power as u64 * u64::from(from) % u64::from(order)) as u32;
                terms.push(Term { power, log: (self.field.log(coefficient) + moved) % order });
            }
        }
        let steps: Vec<u32> = terms.iter().map(|term| term.power as u32 * block % order).collect();
        let before = found.len();
        while from < n && found.len() == before {
            for (word, bits) in zeros(&terms, constant as u8).into_iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let offset = 64 * word as u32 + bits.trailing_zeros();
                    bits &= bits - 1;
                    if from + offset < n && self.value(&terms, constant, offset) == 0 {
                        found.push(from + offset);
                    }
                }
            }
            for (term, step) in terms.iter_mut().zip(&steps) {
                let log = term.log + step;
                term.log = if log >= order { log - order } else { log };
            }
            from += block;
        }
        from
    }

    /// The value of the polynomial at `offset` positions after the start of the block.
    fn value(&self, terms: &[Term], constant: u16, offset: u32) -> u16 {
        let order = self.field.order();
        let offset = offset % order;
        let mut exponent = 0;
        let mut power = 0;
        let mut value = constant;
        for term in terms {
            while power < term.power {
                power += 1;
                exponent += offset;
                exponent = if exponent >= order { exponent - order } else { exponent };
            }
            value ^= self.field.exp(term.log + exponent);
        }
        value
    }
}

/// For the kernel on affine transformations of bytes: alpha^(j a) for the offsets a of a block,
/// low bytes and high bytes apart, and products with a coefficient as 8x8 matrices.
#[derive(Debug)]
struct Planes {
    powers: Vec<Plane>,
    matrices: Matrices,
}

/// Low and high bytes of the powers at the offsets of a block.
pub(crate) type Plane = [[u8; Gfni::BLOCK]; 2];

/// Matrices that yield the low byte of a product, from the low and from the high byte of the
/// factor. They are linear in the coefficient, so a table for each of its bytes suffices.
#[derive(Debug)]
struct Matrices {
    of_low: Box<[[u64; 2]; 256]>,
    of_high: Box<[[u64; 2]; 256]>,
}

impl Matrices {
    fn new(field: &Field) -> Self {
        let table = |shift: u32| {
            let mut table = Box::new([[0; 2]; 256]);
            for bit in 0..8 {
                let coefficient = (1 << bit << shift) & field.order();
                let matrices = [0, 8].map(|from| matrix(field, coefficient as u16, from));
                let highest = 1usize << bit;
                for value in highest..2 * highest {
                    let below = table[value - highest];
                    table[value] = [below[0] ^ matrices[0], below[1] ^ matrices[1]];
                }
            }
            table
        };
        Self { of_low: table(0), of_high: table(8) }
    }

    #[inline]
    fn of(&self, coefficient: u16) -> [u64; 2] {
        let [low, high] = coefficient.to_le_bytes().map(usize::from);
        let (a, b) = (self.of_low[low], self.of_high[high]);
        [a[0] ^ b[0], a[1] ^ b[1]]
    }
}

/// The matrix from bits `from..from + 8` of a factor to the low byte of its product with the
/// coefficient, in the layout of GF2P8AFFINEQB: byte 7 - i holds the row of result bit i.
fn matrix(field: &Field, coefficient: u16, from: u32) -> u64 {
    let mut rows = [0u8; 8];
    for bit in (0..8).filter(|bit| from + bit < field.degree()) {
        let product = field.mul(coefficient, 1 << (from + bit));
        for (i, row) in rows.iter_mut().enumerate() {
            *row |= ((product >> i & 1) as u8) << bit;
        }
    }
    u64::from_be_bytes(rows)
}

impl Planes {
    fn new(field: &Field, max_degree: usize) -> Self {
        let powers = (0..=max_degree as u64).map(|j| {
            let power = |offset| {
                field.exp((j * offset as u64 % u64::from(field.order())) as u32).to_le_bytes()
            };
            [0, 1].map(|byte| std::array::from_fn(|offset| power(offset)[byte]))
        });
        Self { powers: powers.collect(), matrices: Matrices::new(field) }
    }

    fn zeros(&self, gfni: Gfni, field: &Field, terms: &[Term], low: u8) -> [u64; Gfni::BLOCK / 64] {
        let factors = terms
            .iter()
            .map(|term| (self.matrices.of(field.exp(term.log)), &self.powers[term.power]));
        gfni.zeros(low, factors)
    }
}

/// For the portable kernel: for every power, every four bits of its coefficient and every value of
/// these, the low bytes of the products at the offsets of a block.
#[derive(Debug)]
struct Rows {
    rows: Vec<[[[u8; ROW]; 16]; 4]>,
}

impl Rows {
    fn new(field: &Field, max_degree: usize) -> Self {
        let rows = (0..=max_degree as u64).map(|j| {
            let mut rows = [[[0; ROW]; 16]; 4];
            for (place, rows) in rows.iter_mut().enumerate() {
                for (value, row) in rows.iter_mut().enumerate() {
                    let coefficient = (value << (4 * place)) & field.order() as usize;
                    for (offset, low) in row.iter_mut().enumerate() {
                        let exponent = j * offset as u64 % u64::from(field.order());
                        let power = field.exp(exponent as u32);
                        *low = field.mul(coefficient as u16, power) as u8;
                    }
                }
            }
            rows
        });
        Self { rows: rows.collect() }
    }

    fn zeros(&self, field: &Field, terms: &[Term], low: u8) -> [u64; 1] {
        let mut sums = [low; ROW];
        for term in terms {
            let coefficient = usize::from(field.exp(term.log));
            let rows = &self.rows[term.power];
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| &rows[i][coefficient >> (4 * i) & 15]);
            for lane in 0..ROW {
                sums[lane] ^= a[lane] ^ b[lane] ^ c[lane] ^ d[lane];
            }
        }
        let bits = sums.iter().enumerate().map(|(lane, &sum)| u64::from(sum == 0) << lane);
        [bits.fold(0, |word, bit| word | bit)]
    }
}
