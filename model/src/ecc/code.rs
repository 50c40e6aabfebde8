//! One BCH code: encodes and decodes codewords given as bytes, in the bit order of the
//! [module](super).

use std::borrow::Cow;
use std::sync::Arc;

use bitvec::{order::Msb0, view::BitView};
use floatgate_hal::units::{BitCount, Strength};

use super::field::{Field, MAX_DEGREE, MIN_DEGREE};
use super::generator::{Polynomial, generator};
use super::key_equation::{KeyEquation, solve};
use super::remainder::{MAX_WORDS, Remainder};
use super::roots::RootFinder;
use super::simd::Kernels;
use super::syndrome::Syndromes;

/// The strength has eight bits in the RTL's ports.
const MAX_STRENGTH: u16 = 255;

/// Position of a bit in a codeword, 0 the bit transmitted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitIndex(pub u32);

/// Why there is no such code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// The field is not supported.
    #[error("field GF(2^{m}): m must be {MIN_DEGREE} to {MAX_DEGREE}")]
    Field {
        /// Degree asked for.
        m: u32,
    },
    /// The strength is zero or too large.
    #[error("strength {strength}: must be 1 to {MAX_STRENGTH}")]
    Strength {
        /// Strength asked for.
        strength: Strength,
    },
    /// There are no data.
    #[error("a codeword needs at least one bit of data")]
    NoData,
    /// Data and parity are longer than the field allows.
    #[error("{data} of data and {parity} of parity are more than the {limit} of GF(2^{m})")]
    Length {
        /// Degree of the field.
        m: u32,
        /// Data asked for.
        data: BitCount,
        /// Parity of the strength asked for.
        parity: BitCount,
        /// Longest codeword.
        limit: BitCount,
    },
}

/// What decoding found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// No error.
    Clean,
    /// These bits were wrong and have been flipped, ascending.
    Corrected {
        /// The bits, in the parity too.
        positions: Vec<BitIndex>,
    },
    /// More errors than the strength; nothing has been changed.
    Uncorrectable,
}

/// What the decoder's stages find before anything is decided.
///
/// A decoder that corrects while it searches flips [`Location::positions`] also where
/// [`Location::is_correctable`] says no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Length L of the solution of the key equation: the number of errors if correctable.
    pub length: usize,
    /// Error locator after t iterations, coefficients of x^0 (which is 1), x^1 ..; other
    /// formulations of the algorithm give a multiple of it.
    pub locator: Vec<u16>,
    /// Bits of the codeword at which the locator has roots, ascending; none are looked for where L
    /// is more than t.
    pub positions: Vec<BitIndex>,
}

impl Location {
    /// Whether flipping the positions gives a codeword within the strength.
    pub fn is_correctable(&self) -> bool {
        self.positions.len() == self.length
    }
}

/// A shortened binary BCH code. Clones and shortened forms share their tables.
#[derive(Clone, Debug)]
pub struct BchCode {
    tables: Arc<Tables>,
    data: BitCount,
}

#[derive(Debug)]
struct Tables {
    field: &'static Field,
    strength: Strength,
    max_data: BitCount,
    parity: BitCount,
    generator: Polynomial,
    remainder: Remainder,
    syndromes: Syndromes,
    roots: RootFinder,
}

impl BchCode {
    /// The code over GF(2^m) of strength t with the given length of data.
    ///
    /// # Errors
    /// [`CodeError`] where the field has no such code.
    pub fn new(m: u32, strength: Strength, data: BitCount) -> Result<Self, CodeError> {
        Self::with_kernels(m, strength, data, Kernels::Detected)
    }

    /// The same code on a choice of the processor's instructions.
    ///
    /// # Errors
    /// As [`BchCode::new`].
    pub fn with_kernels(
        m: u32,
        strength: Strength,
        data: BitCount,
        kernels: Kernels,
    ) -> Result<Self, CodeError> {
        if !(MIN_DEGREE..=MAX_DEGREE).contains(&m) {
            return Err(CodeError::Field { m });
        }
        if !(1..=MAX_STRENGTH).contains(&strength.0) {
            return Err(CodeError::Strength { strength });
        }
        if data.0 == 0 {
            return Err(CodeError::NoData);
        }
        let field = Field::of_degree(m);
        let generator = generator(field, u32::from(strength.0));
        let parity = BitCount(generator.len() as u32 - 1);
        if u64::from(data.0) + u64::from(parity.0) > u64::from(field.order()) {
            return Err(CodeError::Length { m, data, parity, limit: BitCount(field.order()) });
        }
        let tables = Tables {
            field,
            strength,
            max_data: data,
            parity,
            remainder: Remainder::new(&generator, data.0 as usize, kernels),
            syndromes: Syndromes::new(field, usize::from(strength.0), parity.0 as usize),
            roots: RootFinder::new(field, usize::from(strength.0), kernels),
            generator,
        };
        Ok(Self { tables: Arc::new(tables), data })
    }

    /// The same code with fewer data bits, on the same tables.
    ///
    /// # Panics
    /// Where `data` is zero or more than the code was made for.
    pub fn shortened(&self, data: BitCount) -> Self {
        assert!(
            (1..=self.tables.max_data.0).contains(&data.0),
            "{data} of data in a code made for {}",
            self.tables.max_data
        );
        Self { tables: Arc::clone(&self.tables), data }
    }

    /// Degree m of the field.
    pub fn m(&self) -> u32 {
        self.tables.field.degree()
    }

    /// Strength t.
    pub fn strength(&self) -> Strength {
        self.tables.strength
    }

    /// Length k of the data.
    pub fn data_bits(&self) -> BitCount {
        self.data
    }

    /// Length r of the parity: m t, or less where minimal polynomials are short or shared.
    pub fn parity_bits(&self) -> BitCount {
        self.tables.parity
    }

    /// Length n of the codeword.
    pub fn codeword_bits(&self) -> BitCount {
        BitCount(self.data.0 + self.tables.parity.0)
    }

    /// Length of the data slices in bytes.
    pub fn data_len(&self) -> usize {
        self.data.0.div_ceil(8) as usize
    }

    /// Length of the parity slices in bytes.
    pub fn parity_len(&self) -> usize {
        self.tables.parity.0.div_ceil(8) as usize
    }

    /// Generator polynomial g(x), bit i the coefficient of x^i.
    pub fn generator(&self) -> &Polynomial {
        &self.tables.generator
    }

    /// Writes the parity of the data.
    ///
    /// # Panics
    /// Where a slice has not the length of the code's data or parity.
    pub fn encode(&self, data: &[u8], parity: &mut [u8]) {
        assert_eq!(parity.len(), self.parity_len(), "parity bytes");
        let mut words = [0; MAX_WORDS];
        let words = self.computed_parity(data, &mut words);
        for (bytes, word) in parity.chunks_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_be_bytes()[..bytes.len()]);
        }
    }

    /// Corrects a received codeword in place.
    ///
    /// # Panics
    /// Where a slice has not the length of the code's data or parity.
    pub fn decode(&self, data: &mut [u8], parity: &mut [u8]) -> Decoded {
        let mut words = [0; MAX_WORDS];
        let remainder = self.received_remainder(data, parity, &mut words);
        if remainder.iter().all(|&word| word == 0) {
            return Decoded::Clean;
        }
        let location = self.locate_from(remainder);
        if !location.is_correctable() {
            return Decoded::Uncorrectable;
        }
        self.flip(data, parity, &location.positions);
        Decoded::Corrected { positions: location.positions }
    }

    /// What the stages of a decoder find in a received codeword.
    ///
    /// # Panics
    /// Where a slice has not the length of the code's data or parity.
    pub fn locate(&self, data: &[u8], parity: &[u8]) -> Location {
        let mut words = [0; MAX_WORDS];
        self.locate_from(self.received_remainder(data, parity, &mut words))
    }

    /// The syndromes S_1, S_3 .. S_(2t-1) of a received codeword, bit i the coefficient of alpha^i.
    ///
    /// # Panics
    /// Where a slice has not the length of the code's data or parity.
    pub fn odd_syndromes(&self, data: &[u8], parity: &[u8]) -> Vec<u16> {
        let mut words = [0; MAX_WORDS];
        self.tables.syndromes.odd(self.received_remainder(data, parity, &mut words))
    }

    /// Flips bits of a codeword.
    ///
    /// # Panics
    /// Where a slice has not the length of the code's data or parity, or a position lies beyond.
    pub fn flip(&self, data: &mut [u8], parity: &mut [u8], positions: &[BitIndex]) {
        assert_eq!(data.len(), self.data_len(), "data bytes");
        assert_eq!(parity.len(), self.parity_len(), "parity bytes");
        let BitCount(k) = self.data;
        for &BitIndex(position) in positions {
            assert!(
                position < self.codeword_bits().0,
                "bit {position} of {}",
                self.codeword_bits()
            );
            let (bytes, at) = match position.checked_sub(k) {
                None => (&mut *data, position),
                Some(at) => (&mut *parity, at),
            };
            bytes[at as usize / 8] ^= 0x80 >> (at % 8);
        }
    }

    /// The parity of the data in the first words of `words`.
    fn computed_parity<'a>(&self, data: &[u8], words: &'a mut [u64; MAX_WORDS]) -> &'a mut [u64] {
        assert_eq!(data.len(), self.data_len(), "data bytes");
        let words = &mut words[..self.tables.remainder.words()];
        self.tables.remainder.of(&align_right(data, self.data), words);
        words
    }

    /// The remainder of a received codeword modulo g(x): the computed parity plus the received one.
    fn received_remainder<'a>(
        &self,
        data: &[u8],
        parity: &[u8],
        words: &'a mut [u64; MAX_WORDS],
    ) -> &'a [u64] {
        assert_eq!(parity.len(), self.parity_len(), "parity bytes");
        let words = self.computed_parity(data, words);
        let (whole, rest) = parity.as_chunks::<8>();
        for (word, &bytes) in words.iter_mut().zip(whole) {
            *word ^= u64::from_be_bytes(bytes);
        }
        let unused = (words.len() * 64) as u32 - self.tables.parity.0;
        let last = words.last_mut().expect("there is parity");
        if !rest.is_empty() {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            *last ^= u64::from_be_bytes(bytes);
        }
        *last &= u64::MAX << unused;
        words
    }

    fn locate_from(&self, remainder: &[u64]) -> Location {
        let Tables { field, strength, syndromes, roots, .. } = &*self.tables;
        let KeyEquation { length, locator } = solve(field, &syndromes.odd(remainder));
        let BitCount(n) = self.codeword_bits();
        let mut positions = Vec::new();
        if length <= usize::from(strength.0) {
            let degrees = roots.degrees(&locator, n).into_iter();
            positions = degrees.map(|degree| BitIndex(n - 1 - degree)).collect();
        }
        Location { length, locator, positions }
    }
}

/// The data with their last bit as the last bit of the last byte.
fn align_right(data: &[u8], length: BitCount) -> Cow<'_, [u8]> {
    let unused = (8 - length.0 % 8) % 8;
    if unused == 0 {
        return Cow::Borrowed(data);
    }
    let mut aligned = data.to_vec();
    aligned.view_bits_mut::<Msb0>().shift_end(unused as usize);
    Cow::Owned(aligned)
}
