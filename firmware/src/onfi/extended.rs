//! The extended parameter page, for parts whose needed correction does not fit byte 112 of the
//! page: CRC, "EPPS", section headers, sections. Section type 2 is the ECC's.

use floatgate_hal::units::ByteCount;

use super::crc16;
use super::fields::{cycles_at, u16_at};

/// Unit of the section lengths.
const SECTION_UNIT_BYTES: usize = 16;
/// Where the types and lengths of the sections stand, eight of them at most.
const HEADERS: core::ops::Range<usize> = 16..32;
const ECC_SECTION: u8 = 2;
/// Bytes of an ECC section that are read.
const ECC_SECTION_BYTES: usize = 6;

/// The correction that the maker asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EccRequirement {
    /// Correctable bits in each piece.
    pub bits: u8,
    /// Length of a piece.
    pub codeword_bytes: ByteCount,
    /// Program/erase cycles that it is good for; 0 where none are given.
    pub endurance_cycles: u32,
}

/// Why bytes are no extended page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtendedPageError {
    /// It does not begin as it should, or its sections do not fit it.
    #[error("not an extended parameter page")]
    Form,
    /// Its CRC is wrong.
    #[error("extended parameter page has CRC {stored:04X}h, its bytes give {computed:04X}h")]
    Crc {
        /// In the page.
        stored: u16,
        /// Over the page.
        computed: u16,
    },
}

/// The ECC requirement in an extended page, if it has one.
///
/// # Errors
/// [`ExtendedPageError`] for other bytes.
pub fn read_extended(bytes: &[u8]) -> Result<Option<EccRequirement>, ExtendedPageError> {
    if bytes.len() < HEADERS.end || &bytes[2..6] != b"EPPS" {
        return Err(ExtendedPageError::Form);
    }
    let (stored, computed) = (u16_at(bytes, 0), crc16(&bytes[2..]));
    if stored != computed {
        return Err(ExtendedPageError::Crc { stored, computed });
    }
    let mut start = HEADERS.end;
    for header in bytes[HEADERS].chunks_exact(2) {
        let end = start + usize::from(header[1]) * SECTION_UNIT_BYTES;
        let section = bytes.get(start..end).ok_or(ExtendedPageError::Form)?;
        if header[0] == ECC_SECTION && section.len() >= ECC_SECTION_BYTES {
            return Ok(requirement(section));
        }
        start = end;
    }
    Ok(None)
}

/// A length of more than 64 KiB cannot be meant: a page is not as long.
fn requirement(section: &[u8]) -> Option<EccRequirement> {
    (section[1] <= 16).then(|| EccRequirement {
        bits: section[0],
        codeword_bytes: ByteCount(1 << section[1]),
        endurance_cycles: cycles_at(section, 4),
    })
}
