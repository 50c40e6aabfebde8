//! What a die tells of itself: the ONFI parameter page, its copies and its extension.

mod copies;
mod extended;
mod fields;
mod parameter_page;

pub use copies::{COPIES, recover};
pub use extended::{EccRequirement, ExtendedPageError, read_extended};
pub use parameter_page::{ParameterPage, ParameterPageError, RatedTimes};

use crc::{Algorithm, Crc, NoTable};

/// Length of a parameter page in bytes.
pub const PARAMETER_PAGE_BYTES: usize = 256;

/// The CRC of parameter pages: polynomial 8005h, start 4F4Eh, most significant bit first.
const ALGORITHM: Algorithm<u16> = Algorithm {
    width: 16,
    poly: 0x8005,
    init: 0x4F4E,
    refin: false,
    refout: false,
    xorout: 0,
    check: 0x2771,
    residue: 0,
};

/// Bit by bit: a page is read once, and a table would be larger than the page.
const CRC: Crc<u16, NoTable> = Crc::<u16, NoTable>::new(&ALGORITHM);

/// The CRC of a parameter page's bytes.
pub fn crc16(bytes: &[u8]) -> u16 {
    CRC.checksum(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures are those of the ONFI facts, on which three independent forms agree.
    #[test]
    fn crc_of_known_texts() {
        assert_eq!(crc16(b""), 0x4F4E);
        assert_eq!(crc16(b"ONFI"), 0x15B3);
        assert_eq!(crc16(b"123456789"), 0x2771);
        assert_eq!(crc16(&[0; 254]), 0x3EEE);
        assert_eq!(crc16(&[0xFF; 254]), 0xC1E2);
    }
}
