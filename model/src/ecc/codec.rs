//! The software codec of one configuration: the code of each strength, with the CRC where the
//! configuration has one. It takes no simulated time.

use std::cell::RefCell;
use std::collections::BTreeMap;

use floatgate_hal::units::{BitCount, ByteCount, Strength};
use floatgate_hal::{Decoded as Verdict, EccRefusal};

use super::{BchCode, CRC_BYTES, Decoded, append_crc, verified_data};
use crate::config::CodeConfig;

/// A configuration with its codes.
#[derive(Debug)]
pub struct Codec {
    config: CodeConfig,
    codes: RefCell<BTreeMap<Strength, BchCode>>,
}

impl Codec {
    /// The codec of a checked configuration.
    pub fn new(config: CodeConfig) -> Self {
        Self { config, codes: RefCell::default() }
    }

    /// The configuration.
    pub fn config(&self) -> &CodeConfig {
        &self.config
    }

    /// What follows the data of a codeword: the CRC if there is one, then the parity.
    pub fn check_bytes(&self, strength: Strength) -> ByteCount {
        let parity = self.config.parity(strength).0.div_ceil(8);
        ByteCount(parity + self.crc_bytes() as u32)
    }

    /// The code for so many bytes of data; its tables are made when its strength is first used.
    ///
    /// # Errors
    /// [`EccRefusal`]: the configuration has no such length or strength.
    pub fn code(&self, strength: Strength, data: usize) -> Result<BchCode, EccRefusal> {
        let data = ByteCount(u32::try_from(data).unwrap_or(u32::MAX));
        if !(1..=self.config.k_max_bytes).contains(&data.0) {
            return Err(EccRefusal::Length(data));
        }
        let least = if self.config.fixed { self.config.t_max } else { 1 };
        if !(least..=self.config.t_max).contains(&u32::from(strength.0)) {
            return Err(EccRefusal::Strength(strength));
        }
        let mut codes = self.codes.borrow_mut();
        let code = codes.entry(strength).or_insert_with(|| {
            BchCode::new(self.config.m, strength, self.config.k_max())
                .expect("a checked configuration has its codes")
        });
        Ok(code.shortened(self.config.message(data)))
    }

    /// Writes what follows the data of a codeword.
    ///
    /// # Panics
    /// Where a slice has not the length of the code's data or of what follows them.
    pub fn encode(&self, code: &BchCode, data: &[u8], check: &mut [u8]) {
        let (crc, parity) = check.split_at_mut(self.crc_bytes());
        if self.config.crc {
            let message = append_crc(data);
            crc.copy_from_slice(&message[data.len()..]);
            code.encode(&message, parity);
        } else {
            code.encode(data, parity);
        }
    }

    /// Corrects a codeword; also the bits up to the last wrong one that was found, all of them
    /// where not every one was. Data that are not corrected stay as they are.
    ///
    /// # Panics
    /// Where a slice has not the length of the code's data or of what follows them.
    pub fn decode(&self, code: &BchCode, data: &mut [u8], check: &[u8]) -> (Verdict, BitCount) {
        let (crc, parity) = check.split_at(self.crc_bytes());
        let mut message = [&*data, crc].concat();
        let (corrected, wrong) = match code.decode(&mut message, &mut parity.to_vec()) {
            Decoded::Clean => (BitCount(0), BitCount(0)),
            Decoded::Corrected { positions } => {
                let last = positions.last().expect("there is an error");
                (BitCount(positions.len() as u32), BitCount(last.0 + 1))
            }
            Decoded::Uncorrectable => return (Verdict::Uncorrectable, code.codeword_bits()),
        };
        if self.config.crc && verified_data(&message).is_none() {
            return (Verdict::Miscorrected, wrong);
        }
        data.copy_from_slice(&message[..data.len()]);
        (Verdict::Corrected(corrected), wrong)
    }

    fn crc_bytes(&self) -> usize {
        if self.config.crc { CRC_BYTES } else { 0 }
    }
}
