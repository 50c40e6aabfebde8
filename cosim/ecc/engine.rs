//! The codec RTL as firmware's codec: codewords awaited in simulated time.
//!
//! In: data to encode, codewords to correct, several at a time. Out: what the encoder and decoder
//! RTL make of them, at the clocks at which the RTL gives them: codewords follow each other in its
//! pipelines as closely as it lets them.

use floatgate_hal::units::{BitCount, ByteCount, Picoseconds, Strength};
use floatgate_hal::{Decoded, Ecc, EccRefusal};
use floatgate_model::config::NamedCode;
use floatgate_model::sim::Sim;

use super::encoder::{self, command};
use super::pipeline::Pipeline;
use super::words::{push_words, take_bytes};
use super::{Status, Top, admission};
use crate::guard::Guard;

/// An encoder and a decoder of one configuration, in RTL.
pub struct RtlEcc {
    code: NamedCode,
    encoder: Pipeline,
    decoder: Pipeline,
    guard: Guard<verilated::Error>,
}

impl RtlEcc {
    /// The codec of a configuration with a clock of `clock_period`; `seed` fills what has no reset.
    ///
    /// # Errors
    /// Where the configuration is not linked in, or the RTL fails an assertion.
    pub fn new(
        sim: &Sim,
        code: &NamedCode,
        clock_period: Picoseconds,
        seed: u64,
    ) -> Result<Self, verilated::Error> {
        let guard = Guard::new(sim, "failure of the codec");
        let pipeline = |top| Pipeline::new(sim, top, code, clock_period, seed, guard.clone());
        let (encoder, decoder) = (pipeline(Top::Encoder)?, pipeline(Top::Decoder)?);
        Ok(Self { code: code.clone(), encoder, decoder, guard })
    }

    /// Where a failing assertion of the RTL is noted, which leaves its codeword without an answer.
    pub fn guard(&self) -> Guard<verilated::Error> {
        self.guard.clone()
    }

    /// Bytes of CRC at the head of what the trait calls parity.
    fn crc_bytes(&self) -> usize {
        if self.code.config.crc { 4 } else { 0 }
    }

    /// The words of a codeword's parts, none where the RTL refuses it.
    fn words(&self, strength: Strength, data_bytes: usize, parts: &[&[u8]]) -> Vec<u64> {
        let mut words = Vec::new();
        if admission(&self.code, strength, data_bytes).is_none() {
            parts.iter().for_each(|part| push_words(&mut words, part, self.code.config.p));
        }
        words
    }
}

/// What the RTL refuses.
fn refusal(status: Status, strength: Strength, data: &[u8]) -> Option<EccRefusal> {
    match status {
        Status::LengthZero | Status::LengthOver => {
            let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
            Some(EccRefusal::Length(ByteCount(length)))
        }
        Status::StrengthRange => Some(EccRefusal::Strength(strength)),
        Status::Ok { .. } | Status::Uncorrectable | Status::CrcMismatch { .. } => None,
    }
}

impl Ecc for RtlEcc {
    fn parity_bytes(&self, strength: Strength) -> ByteCount {
        let parity = self.code.config.parity(strength).0.div_ceil(8);
        ByteCount(parity + self.crc_bytes() as u32)
    }

    async fn encode(
        &self,
        strength: Strength,
        data: &[u8],
        parity: &mut [u8],
    ) -> Result<(), EccRefusal> {
        let words = self.words(strength, data.len(), &[data]);
        let (status, words) = self.encoder.pass(command(strength, data.len()), &words).await;
        if let Some(refused) = refusal(status, strength, data) {
            return Err(refused);
        }
        let (message, its) = encoder::bytes(&self.code.config, strength, data.len(), &words);
        let (crc, rest) = parity.split_at_mut(self.crc_bytes());
        crc.copy_from_slice(&message[data.len()..]);
        rest.copy_from_slice(&its);
        Ok(())
    }

    async fn decode(
        &self,
        strength: Strength,
        data: &mut [u8],
        parity: &[u8],
    ) -> Result<Decoded, EccRefusal> {
        let (crc, rest) = parity.split_at(self.crc_bytes());
        let message = [&*data, crc].concat();
        let words = self.words(strength, data.len(), &[&message, rest]);
        let (status, words) = self.decoder.pass(command(strength, data.len()), &words).await;
        if let Some(refused) = refusal(status, strength, data) {
            return Err(refused);
        }
        Ok(match status {
            Status::Ok { corrected_bits } => {
                let corrected = take_bytes(&words, data.len(), self.code.config.p_c);
                data.copy_from_slice(&corrected.expect("the packet ends where the data does"));
                Decoded::Corrected(BitCount(corrected_bits.into()))
            }
            Status::CrcMismatch { .. } => Decoded::Miscorrected,
            _ => Decoded::Uncorrectable,
        })
    }
}

impl std::fmt::Debug for RtlEcc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RtlEcc").field("code", &self.code.name).finish_non_exhaustive()
    }
}
