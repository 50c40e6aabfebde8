//! The codec as a part of the simulated controller: the software codec's results, after the clocks
//! that the RTL would take.
//!
//! Encoder and decoder are pipelines of stages that take one codeword each (`ecc-rtl`): the encoder
//! passes words on as they come; the decoder takes words in while it sums syndromes, solves the key
//! equation, and searches while it sends corrected words out. A codeword without errors skips the
//! key equation. The search ends with the last error; it goes through the whole codeword where it
//! does not find them all.

use floatgate_hal::units::{BitCount, ByteCount, Cycles, Picoseconds, Strength};
use floatgate_hal::{Decoded as Verdict, Ecc, EccRefusal};

use super::Codec;
use crate::config::CodeConfig;
use crate::sim::{Arbiter, Policy, Sim};

/// Clocks beyond those that follow from the numbers of words: what registers between the stages
/// and the handshakes of a command take ([`Calibration`](crate::calibration::Calibration)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EccClocks {
    /// Of an encoder's codeword, beyond its words.
    pub encode: Cycles,
    /// Of a decoder's codeword without errors, beyond its words in and its search.
    pub decode: Cycles,
    /// The same beyond the key equation, for a codeword with errors.
    pub correct: Cycles,
}

impl EccClocks {
    /// Clocks from a codeword's last word to the search for its errors.
    pub fn solve(&self, code: &CodeConfig, strength: Strength, has_errors: bool) -> Cycles {
        if !has_errors {
            return self.decode;
        }
        Cycles(code.key_equation(strength).0 + self.correct.0)
    }
}

/// An encoder and a decoder of one configuration.
pub struct EccUnit {
    sim: Sim,
    codec: Codec,
    clock_period: Picoseconds,
    clocks: EccClocks,
    encoder: Arbiter,
    syndromes: Arbiter,
    key_equation: Arbiter,
    correction: Arbiter,
}

impl EccUnit {
    /// The codec of `config` with a clock of `clock_period`.
    pub fn new(
        sim: &Sim,
        config: CodeConfig,
        clock_period: Picoseconds,
        clocks: EccClocks,
    ) -> Self {
        let stage = |name: &'static str| sim.arbiter(name, Policy::FirstCome, 1);
        Self {
            sim: sim.clone(),
            codec: Codec::new(config),
            clock_period,
            clocks,
            encoder: stage("ecc encoder"),
            syndromes: stage("ecc syndromes"),
            key_equation: stage("ecc key equation"),
            correction: stage("ecc correction"),
        }
    }

    fn config(&self) -> &CodeConfig {
        self.codec.config()
    }

    /// Clocks in which data and parity pass the encoder.
    pub fn encode_clocks(&self, strength: Strength, data: ByteCount) -> Cycles {
        Cycles(self.config().words_in(strength, data).0 + self.clocks.encode.0)
    }

    /// Clocks from the command of a codeword in an idle decoder to its last corrected word and its
    /// status. `wrong` are the bits up to the last wrong one.
    pub fn decode_clocks(&self, strength: Strength, data: ByteCount, wrong: BitCount) -> Cycles {
        let Cycles(solve) = self.clocks.solve(self.config(), strength, wrong.0 > 0);
        let Cycles(words) = self.config().words_in(strength, data);
        Cycles(words + solve + self.config().search(data, wrong).0)
    }

    /// Holds a stage for so many clocks.
    async fn pass(&self, stage: &Arbiter, clocks: Cycles) {
        let _grant = stage.acquire(0).await;
        self.sim.delay(Picoseconds(clocks.0 * self.clock_period.0)).await;
    }
}

impl std::fmt::Debug for EccUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EccUnit").field("config", self.config()).finish_non_exhaustive()
    }
}

impl Ecc for EccUnit {
    fn parity_bytes(&self, strength: Strength) -> ByteCount {
        self.codec.check_bytes(strength)
    }

    async fn encode(
        &self,
        strength: Strength,
        data: &[u8],
        parity: &mut [u8],
    ) -> Result<(), EccRefusal> {
        let code = self.codec.code(strength, data.len())?;
        let clocks = self.encode_clocks(strength, ByteCount(data.len() as u32));
        self.pass(&self.encoder, clocks).await;
        self.codec.encode(&code, data, parity);
        Ok(())
    }

    async fn decode(
        &self,
        strength: Strength,
        data: &mut [u8],
        parity: &[u8],
    ) -> Result<Verdict, EccRefusal> {
        let code = self.codec.code(strength, data.len())?;
        let length = ByteCount(data.len() as u32);
        self.pass(&self.syndromes, self.config().words_in(strength, length)).await;
        let (verdict, wrong) = self.codec.decode(&code, data, parity);
        let solve = self.clocks.solve(self.config(), strength, wrong.0 > 0);
        self.pass(&self.key_equation, solve).await;
        self.pass(&self.correction, self.config().search(length, wrong)).await;
        Ok(verdict)
    }
}
