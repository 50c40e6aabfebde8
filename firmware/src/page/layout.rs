//! Where codewords and metadata lie in page and spare area.
//!
//! ```text
//! page area   data of codeword 0 | 1 | 2 | ..
//! spare area  bad-block mark (2) | metadata (16) | its parity | parity of codeword 0 | 1 | ..
//! ```
//!
//! The metadata are a short codeword of their own at the greatest strength of the layout, so that a
//! mount can read them without the data; they hold the strength of the others. The parities of the
//! data are packed at whatever strength they have; the layout keeps room for the greatest.

use core::ops::Range;

use floatgate_hal::Ecc;
use floatgate_hal::flash::address::Geometry;
use floatgate_hal::units::{BitCount, ByteCount, Strength};

use crate::bad_blocks::MARK_BYTES;

/// The most codewords of a page: 16 KiB in pieces of 512 B.
pub const MAX_CODEWORDS: usize = 32;

/// Metadata that go with a page on behalf of its owner, beside the two bytes of the codec.
pub const METADATA_BYTES: usize = 14;

/// All of the metadata codeword's data: format, strength, the owner's bytes.
pub(super) const HEADER_BYTES: usize = 2 + METADATA_BYTES;

/// Why a page cannot be divided so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// The page is not a whole number of codewords, or of too many.
    #[error("a page of {page} is not 1 to {MAX_CODEWORDS} codewords of {codeword} of data")]
    Codewords {
        /// Data bytes of the page.
        page: ByteCount,
        /// Data bytes of a codeword.
        codeword: ByteCount,
    },
    /// The strength cannot be stored in the metadata.
    #[error("strength {0}: must be 1 to 255")]
    Strength(Strength),
    /// Parity and metadata are longer than the spare area.
    #[error(
        "spare area of {spare} is too short for strength {strength}: {codewords} codewords need \
         {parity} of parity each, mark, metadata and their parity {overhead}, in all {needed}"
    )]
    Spare {
        /// Bytes of the spare area.
        spare: ByteCount,
        /// The greatest strength of the layout.
        strength: Strength,
        /// Codewords of data.
        codewords: u32,
        /// Parity of each.
        parity: ByteCount,
        /// What is needed beside.
        overhead: ByteCount,
        /// What is needed in all.
        needed: ByteCount,
    },
}

/// A division of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLayout {
    page_bytes: usize,
    codeword_bytes: usize,
    strength_max: Strength,
    /// At the greatest strength.
    parity_bytes_max: usize,
}

impl PageLayout {
    /// Divides pages of `geometry` into codewords of `codeword` data bytes, with strengths up to
    /// `strength_max`.
    ///
    /// # Errors
    /// [`LayoutError`] with the numbers where it does not fit.
    pub fn new<E: Ecc>(
        geometry: &Geometry,
        ecc: &E,
        codeword: ByteCount,
        strength_max: Strength,
    ) -> Result<Self, LayoutError> {
        let Geometry { page_bytes: page, spare_bytes: spare, .. } = *geometry;
        let codewords = page.0.checked_div(codeword.0).unwrap_or(0);
        let whole = codewords * codeword.0 == page.0;
        if !whole || !(1..=MAX_CODEWORDS as u32).contains(&codewords) {
            return Err(LayoutError::Codewords { page, codeword });
        }
        if !(1..=255).contains(&strength_max.0) {
            return Err(LayoutError::Strength(strength_max));
        }
        let parity = ecc.parity_bytes(strength_max);
        let overhead = ByteCount((MARK_BYTES + HEADER_BYTES) as u32 + parity.0);
        let needed = ByteCount(overhead.0 + codewords * parity.0);
        if needed.0 > spare.0 {
            let strength = strength_max;
            let error = LayoutError::Spare { spare, strength, codewords, parity, overhead, needed };
            return Err(error);
        }
        Ok(Self {
            page_bytes: page.0 as usize,
            codeword_bytes: codeword.0 as usize,
            strength_max,
            parity_bytes_max: parity.0 as usize,
        })
    }

    /// Data of a page.
    pub fn page_bytes(&self) -> ByteCount {
        ByteCount(self.page_bytes as u32)
    }

    /// Codewords of data in a page.
    pub fn codewords(&self) -> usize {
        self.page_bytes / self.codeword_bytes
    }

    /// The greatest strength that it has room for, and that of the metadata.
    pub fn strength_max(&self) -> Strength {
        self.strength_max
    }

    /// Bytes of page and spare area that go over the bus: an even number, for NV-DDR.
    pub fn register_bytes(&self) -> ByteCount {
        let used = self.parity(self.codewords(), self.parity_bytes_max).start;
        ByteCount((self.page_bytes + used).next_multiple_of(2) as u32)
    }

    /// Data of a codeword in the page area.
    pub(super) fn data(&self, codeword: usize) -> Range<usize> {
        let start = codeword * self.codeword_bytes;
        start..start + self.codeword_bytes
    }

    /// The data of a page by codewords.
    pub(super) fn split<'p>(&self, page: &'p mut [u8]) -> impl Iterator<Item = &'p mut [u8]> {
        page.chunks_exact_mut(self.codeword_bytes)
    }

    /// Parity of a codeword in the spare area, where each has `length` bytes of it.
    pub(super) fn parity(&self, codeword: usize, length: usize) -> Range<usize> {
        let start = self.header_parity().end + codeword * length;
        start..start + length
    }

    /// Metadata in the spare area.
    pub(super) fn header(&self) -> Range<usize> {
        MARK_BYTES..MARK_BYTES + HEADER_BYTES
    }

    /// Parity of the metadata in the spare area.
    pub(super) fn header_parity(&self) -> Range<usize> {
        let start = self.header().end;
        start..start + self.parity_bytes_max
    }

    /// Whether a register's bytes are those of an erased page, and how many of its bits read 0:
    /// at most as many in each codeword's data, in the metadata's codeword and in the other
    /// parities as the greatest strength corrects. A programmed page has more zeros: parity looks
    /// like random bits.
    pub(super) fn erased(&self, register: &[u8]) -> Option<BitCount> {
        let (page, spare) = register.split_at(self.page_bytes);
        let (head, parities) = spare.split_at(self.header_parity().end);
        let pieces = [head, parities].into_iter().chain(page.chunks(self.codeword_bytes));
        let mut total = 0;
        for piece in pieces {
            let zeros: u32 = piece.iter().map(|byte| byte.count_zeros()).sum();
            if zeros > u32::from(self.strength_max.0) {
                return None;
            }
            total += zeros;
        }
        Some(BitCount(total))
    }
}
