//! Tables of the search by affine transformations of bytes ([`super::gfni`]): products with a
//! coefficient are products with a matrix over GF(2), and each byte of a product comes from an 8x8
//! matrix for each byte of the other factor.

use super::super::field::Field;
use super::super::simd::Gfni;
use super::moving::Moving;

/// The powers of x at the offsets of a block, and the matrices.
#[derive(Debug)]
pub(crate) struct Planes {
    /// alpha^(j a) for j = 1, 2 .. and the offsets a of a block.
    powers: Vec<Plane>,
    matrices: Matrices,
}

/// Low and high bytes of the powers at the offsets of a block.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Plane(pub(crate) [[u8; Gfni::BLOCK]; 2]);

impl Planes {
    /// For polynomials of degree up to `max_degree`.
    pub(crate) fn new(field: &Field, max_degree: usize) -> Self {
        let powers = (1..=max_degree as u64).map(|j| {
            let power = |offset| {
                field.exp((j * offset as u64 % u64::from(field.order())) as u32).to_le_bytes()
            };
            Plane([0, 1].map(|byte| std::array::from_fn(|offset| power(offset)[byte])))
        });
        Self { powers: powers.collect(), matrices: Matrices::new(field) }
    }

    /// Which offsets of the polynomial's block have the value zero.
    pub(crate) fn zeros(&self, gfni: Gfni, polynomial: &Moving) -> [u64; Gfni::BLOCK / 64] {
        let constant = polynomial.constant();
        gfni.zeros(constant, polynomial.others(), &self.powers, &self.matrices)
    }
}

/// Matrices of the products with a coefficient. They are linear in the coefficient, so a table for
/// each of its bytes suffices.
#[derive(Debug)]
pub(crate) struct Matrices {
    low: Box<[Product; 256]>,
    high: Box<[Product; 256]>,
}

/// From the low and the high byte of a factor to the low, then to the high byte of the product.
type Product = [[u64; 2]; 2];

impl Matrices {
    fn new(field: &Field) -> Self {
        let table = |shift: u32| {
            let mut table = Box::new([[[0; 2]; 2]; 256]);
            for bit in 0..8 {
                let coefficient = ((1 << bit << shift) & field.order()) as u16;
                let product =
                    [0, 8].map(|to| [0, 8].map(|from| matrix(field, coefficient, from, to)));
                let highest = 1usize << bit;
                for value in highest..2 * highest {
                    table[value] = [0, 1].map(|to| add(table[value - highest][to], product[to]));
                }
            }
            table
        };
        Self { low: table(0), high: table(8) }
    }

    /// The matrices from both bytes of a factor to the low byte of its product.
    #[inline]
    pub(crate) fn to_low_byte(&self, coefficient: u16) -> [u64; 2] {
        let [low, high] = coefficient.to_le_bytes().map(usize::from);
        add(self.low[low][0], self.high[high][0])
    }

    /// The matrices from both bytes of a factor to the high byte of its product.
    #[inline]
    pub(crate) fn to_high_byte(&self, coefficient: u16) -> [u64; 2] {
        let [low, high] = coefficient.to_le_bytes().map(usize::from);
        add(self.low[low][1], self.high[high][1])
    }
}

#[inline]
fn add(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

/// The matrix from bits `from..from + 8` of a factor to bits `to..to + 8` of its product with the
/// coefficient, in the layout of GF2P8AFFINEQB: byte 7 - i holds the row of result bit i.
fn matrix(field: &Field, coefficient: u16, from: u32, to: u32) -> u64 {
    let mut rows = [0u8; 8];
    for bit in (0..8).filter(|bit| from + bit < field.degree()) {
        let product = field.mul(coefficient, 1 << (from + bit)) >> to;
        for (i, row) in rows.iter_mut().enumerate() {
            *row |= ((product >> i & 1) as u8) << bit;
        }
    }
    u64::from_be_bytes(rows)
}
