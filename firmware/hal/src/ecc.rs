//! The error-correcting codec, one codeword at a time.
//!
//! Data and parity are laid out as in the published vectors: codeword bit 0 is the most significant
//! bit of data byte 0; parity follows, most significant bit first, and the rest of its last byte is
//! zero. A codec that keeps a CRC inside its codewords has it at the head of what is called parity
//! here, so that only the codec knows of it.

use crate::units::{BitCount, ByteCount, Strength};

/// What came of decoding one codeword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// The data are as they were encoded; so many bits of the codeword were wrong.
    Corrected(BitCount),
    /// More bits are wrong than the strength corrects; the data are not to be used.
    Uncorrectable,
    /// The codec found a codeword, but the wrong one, as its CRC shows; the data are not to be
    /// used.
    Miscorrected,
}

/// A request that the codec refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EccRefusal {
    /// No data, or more than the codec's field and buffers hold.
    Length(ByteCount),
    /// No strength, or more than the codec is built for.
    Strength(Strength),
}

/// An encoder and a decoder whose strength and data length are chosen codeword by codeword.
#[expect(async_fn_in_trait, reason = "one executor, one thread: no future has to be Send")]
pub trait Ecc {
    /// The length of the parity at `strength`, its padding and the CRC included.
    fn parity_bytes(&self, strength: Strength) -> ByteCount;

    /// Writes the parity of `data`, [`parity_bytes`](Self::parity_bytes) of it.
    ///
    /// # Errors
    /// Refuses lengths and strengths that the codec is not built for.
    async fn encode(
        &self,
        strength: Strength,
        data: &[u8],
        parity: &mut [u8],
    ) -> Result<(), EccRefusal>;

    /// Corrects `data` in place.
    ///
    /// # Errors
    /// Refuses lengths and strengths that the codec is not built for.
    async fn decode(
        &self,
        strength: Strength,
        data: &mut [u8],
        parity: &[u8],
    ) -> Result<Decoded, EccRefusal>;
}
