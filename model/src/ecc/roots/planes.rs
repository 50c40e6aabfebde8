//! Tables of the search by affine transformations of bytes ([`super::gfni`]): products with a
//! coefficient are products with a matrix over GF(2), and each byte of a product comes from an 8x8
//! matrix for each byte of the other factor.

use super::super::field::Field;
use super::super::simd::Gfni;
use super::moving::Moving;

/// The powers of x at the offsets of a block, and products with every coefficient.
#[derive(Debug)]
pub(crate) struct Planes {
    gfni: Gfni,
    /// For each part of a block, alpha^(j a) for j = 1, 2 .. and the offsets a of the part.
    parts: Vec<Vec<Plane>>,
    products: Products,
}

/// Low and high bytes of the powers at the offsets of a part.
#[derive(Debug)]
#[repr(align(64))]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for x86-64 only"))]
pub(crate) struct Plane(pub(crate) [[u8; Gfni::BLOCK]; 2]);

impl Planes {
    /// The largest degree for which the planes of two parts stay in a first-level cache of
    /// 32 KiB.
    const MAX_DEGREE_IN_CACHE: usize = 16;

    /// For polynomials of degree up to `max_degree`.
    pub(crate) fn new(gfni: Gfni, field: &Field, max_degree: usize) -> Self {
        let parts = if max_degree <= Self::MAX_DEGREE_IN_CACHE { 2 } else { 1 };
        let plane = |part: usize, j: usize| {
            let power = |offset| {
                let exponent = j as u64 * (part * Gfni::BLOCK + offset) as u64;
                field.exp((exponent % u64::from(field.order())) as u32).to_le_bytes()
            };
            Plane([0, 1].map(|byte| std::array::from_fn(|offset| power(offset)[byte])))
        };
        let planes = |part| (1..=max_degree).map(|j| plane(part, j)).collect();
        Self { gfni, parts: (0..parts).map(planes).collect(), products: Products::new(field) }
    }

    /// Positions of a block.
    pub(crate) fn block(&self) -> usize {
        self.parts.len() * Gfni::BLOCK
    }

    /// Appends to `found` the positions of the polynomial's block at which the value is zero; the
    /// parts of the block that begin at `n` or beyond are left out.
    pub(crate) fn zeros(
        &self,
        polynomial: &Moving,
        n: u32,
        scratch: &mut Scratch,
        found: &mut Vec<u32>,
    ) {
        let mut coefficients = polynomial.others();
        let constant = coefficients.next().expect("a polynomial without roots is not searched");
        scratch.products.clear();
        scratch.products.extend(coefficients.map(|coefficient| self.products.of(coefficient)));
        let starts = (polynomial.base()..n).step_by(Gfni::BLOCK);
        for (powers, start) in self.parts.iter().zip(starts) {
            self.gfni.zeros(constant, &scratch.products, powers, start, found);
        }
    }
}

/// Room that one search after another uses.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    products: Vec<Product>,
}

/// Products with a coefficient as matrices: from the low and the high byte of a factor to the low,
/// then to the high byte of the product.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(crate) struct Product(pub(crate) [[u64; 2]; 2]);

/// The products with every coefficient. They are linear in it, so a table for each of its bytes
/// suffices.
#[derive(Debug)]
struct Products {
    low: Box<[Product; 256]>,
    high: Box<[Product; 256]>,
}

impl Products {
    fn new(field: &Field) -> Self {
        let table = |shift: u32| {
            let mut table = Box::new([Product::default(); 256]);
            for bit in 0..8 {
                let coefficient = ((1 << bit << shift) & field.order()) as u16;
                let product = Product(
                    [0, 8].map(|to| [0, 8].map(|from| matrix(field, coefficient, from, to))),
                );
                let highest = 1usize << bit;
                for value in highest..2 * highest {
                    table[value] = table[value - highest].plus(product);
                }
            }
            table
        };
        Self { low: table(0), high: table(8) }
    }

    #[inline]
    fn of(&self, coefficient: u16) -> Product {
        let [low, high] = coefficient.to_le_bytes().map(usize::from);
        self.low[low].plus(self.high[high])
    }
}

impl Product {
    #[inline]
    fn plus(self, other: Self) -> Self {
        let (Self([[a, b], [c, d]]), Self([[e, f], [g, h]])) = (self, other);
        Self([[a ^ e, b ^ f], [c ^ g, d ^ h]])
    }
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
