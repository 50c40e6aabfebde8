//! The CRC-32 inside a codeword, which tells a miscorrection from a correction: data enter, four
//! bytes leave that follow the data, most significant first, before the BCH parity is formed.
//!
//! Polynomial 0x04C11DB7, most significant bit first, initial value and final addition all ones:
//! CRC-32/BZIP2 in the catalogue of parametrised CRC algorithms.

use crc::{CRC_32_BZIP2, Crc, Table};

/// Bytes that the CRC adds to the message.
pub const CRC_BYTES: usize = 4;

/// Sixteen bytes at a time.
static CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_BZIP2);

/// The CRC of the data.
pub fn crc32(data: &[u8]) -> u32 {
    CRC.checksum(data)
}

/// The message of a code with CRC: the data, then their CRC.
pub fn append_crc(data: &[u8]) -> Vec<u8> {
    [data, &crc32(data).to_be_bytes()].concat()
}

/// The data of a decoded message, if they agree with the CRC that follows them.
pub fn verified_data(message: &[u8]) -> Option<&[u8]> {
    let (data, crc) = message.split_last_chunk::<CRC_BYTES>()?;
    (crc32(data).to_be_bytes() == *crc).then_some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit after the other, as the register is drawn.
    fn bit_serial(data: &[u8]) -> u32 {
        let mut register = u32::MAX;
        for bit in data.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1)) {
            let feedback = register >> 31 ^ u32::from(bit);
            register = (register << 1) ^ (feedback * 0x04C1_1DB7);
        }
        !register
    }

    #[test]
    fn check_value_of_the_catalogue() {
        assert_eq!(crc32(b"123456789"), 0xFC89_1918);
        assert_eq!(bit_serial(b"123456789"), 0xFC89_1918);
    }

    #[test]
    fn agrees_with_the_shift_register_at_every_length() {
        let data: Vec<u8> = (0..100u32).map(|i| (i * 37 + 11) as u8).collect();
        for length in 0..data.len() {
            assert_eq!(crc32(&data[..length]), bit_serial(&data[..length]), "{length} bytes");
        }
    }

    #[test]
    fn message_holds_data_then_crc_most_significant_byte_first() {
        let message = append_crc(b"123456789");
        assert_eq!(message[9..], [0xFC, 0x89, 0x19, 0x18]);
        assert_eq!(verified_data(&message), Some(&b"123456789"[..]));
        for bit in 0..8 * message.len() {
            let mut wrong = message.clone();
            wrong[bit / 8] ^= 0x80 >> (bit % 8);
            assert_eq!(verified_data(&wrong), None, "bit {bit}");
        }
        assert_eq!(verified_data(b"abc"), None);
    }
}
