//! The codec RTL as firmware's codec: codewords awaited in simulated time.
//!
//! In: data to encode, codewords to correct. Out: what the encoder and decoder RTL make of them,
//! after the clocks that the RTL takes from a codeword's command to its last word and status.
//! Encoder and decoder each have one codeword at a time here; codewords that could follow each
//! other closer in the decoder's pipeline wait for its end.

use std::cell::RefCell;

use floatgate_hal::units::{BitCount, ByteCount, Cycles, Picoseconds, Strength};
use floatgate_hal::{Decoded, Ecc, EccRefusal};
use floatgate_model::config::NamedCode;
use floatgate_model::sim::{Arbiter, Policy, Sim};
use verilated::Stalls;

use super::{Encoded, Message, Passage, Received, RtlDecoder, RtlEncoder, Status};
use crate::guard::Guard;

/// An encoder and a decoder of one configuration, in RTL.
pub struct RtlEcc {
    sim: Sim,
    code: NamedCode,
    clock_period: Picoseconds,
    encoder: RefCell<RtlEncoder>,
    decoder: RefCell<RtlDecoder>,
    encoder_turn: Arbiter,
    decoder_turn: Arbiter,
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
        Ok(Self {
            sim: sim.clone(),
            code: code.clone(),
            clock_period,
            encoder: RefCell::new(RtlEncoder::new(code, seed)?),
            decoder: RefCell::new(RtlDecoder::new(code, seed)?),
            encoder_turn: sim.arbiter("encoder RTL", Policy::FirstCome, 1),
            decoder_turn: sim.arbiter("decoder RTL", Policy::FirstCome, 1),
            guard: Guard::new(sim, "failure of the codec"),
        })
    }

    /// Where a failing assertion of the RTL is noted, which leaves its codeword without an answer.
    pub fn guard(&self) -> Guard<verilated::Error> {
        self.guard.clone()
    }

    /// The outcome of a run, where it has one; else the codeword is not answered.
    async fn answered<T>(&self, outcome: Result<Vec<T>, verilated::Error>) -> T {
        match outcome {
            Ok(mut all) => all.remove(0),
            Err(error) => {
                self.guard.fail(error);
                std::future::pending().await
            }
        }
    }

    /// Lets the clocks of a codeword pass.
    async fn pass(&self, passage: &Passage) {
        let Cycles(clocks) = passage.latency();
        self.sim.delay(Picoseconds(clocks * self.clock_period.0)).await;
    }

    /// Bytes of CRC at the head of what the trait calls parity.
    fn crc_bytes(&self) -> usize {
        if self.code.config.crc { 4 } else { 0 }
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
        let _turn = self.encoder_turn.acquire(0).await;
        let message = Message { strength, data: data.to_vec() };
        let outcome = self.encoder.borrow_mut().encode(&[message], Stalls::default());
        let Encoded { status, message, parity: its, passage } = self.answered(outcome).await;
        self.pass(&passage).await;
        if let Some(refused) = refusal(status, strength, data) {
            return Err(refused);
        }
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
        let _turn = self.decoder_turn.acquire(0).await;
        let (crc, rest) = parity.split_at(self.crc_bytes());
        let message = [&*data, crc].concat();
        let received = Received { strength, message, parity: rest.to_vec() };
        let outcome = self.decoder.borrow_mut().decode(&[received], Stalls::default());
        let corrected = self.answered(outcome).await;
        self.pass(&corrected.passage).await;
        if let Some(refused) = refusal(corrected.status, strength, data) {
            return Err(refused);
        }
        Ok(match corrected.status {
            Status::Ok { corrected_bits } => {
                data.copy_from_slice(&corrected.data);
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
