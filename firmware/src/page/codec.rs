//! From data and metadata to the bytes of a page register, and back with correction.

use arrayvec::ArrayVec;
use embassy_futures::join::join_array;
use floatgate_hal::flash::address::RowAddress;
use floatgate_hal::units::{BitCount, Strength};
use floatgate_hal::{Decoded, Ecc, EccRefusal};

use super::layout::{HEADER_BYTES, MAX_CODEWORDS, METADATA_BYTES, PageLayout};
use super::scrambler::Scrambler;
use crate::policy::StrengthPolicy;

/// First byte of the metadata: a page of this layout.
const FORMAT: u8 = 0x5A;

/// A codeword of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The metadata.
    Metadata,
    /// A codeword of the data.
    Data(usize),
}

/// Why a page's bytes do not give its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A codeword has more errors than its code corrects.
    #[error("{piece:?} has more errors than strength {strength} corrects")]
    Uncorrectable {
        /// The first such codeword.
        piece: Piece,
        /// The strength of its code.
        strength: Strength,
    },
    /// The metadata are correct, but not this layout's.
    #[error("the page is of format {format:02X}h, strength {strength}; not written by this layout")]
    Foreign {
        /// The byte where the format stands.
        format: u8,
        /// The byte where the strength stands.
        strength: Strength,
    },
    /// The codec does not do what the layout asks of it.
    #[error("the codec refuses: {0:?}")]
    Refused(EccRefusal),
}

impl From<EccRefusal> for DecodeError {
    fn from(refusal: EccRefusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What a page held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodedPage {
    /// Data, which have been copied out.
    Data {
        /// The owner's metadata.
        metadata: [u8; METADATA_BYTES],
        /// The strength of the codewords.
        strength: Strength,
        /// Wrong bits of the metadata's codeword.
        metadata_corrected: BitCount,
        /// Wrong bits of each codeword of the data.
        corrected: ArrayVec<BitCount, MAX_CODEWORDS>,
    },
    /// Nothing: the page is erased, and the data are all FFh.
    Erased {
        /// Bits that read 0 all the same.
        zeros: BitCount,
    },
}

/// A layout with the codec and the choices that go with it.
#[derive(Debug)]
pub struct PageCodec<'a, E, S> {
    /// The codec.
    pub ecc: &'a E,
    /// Where everything lies.
    pub layout: PageLayout,
    /// The strength of each page's codewords.
    pub strength: S,
    /// Whether data and metadata are scrambled.
    pub scrambled: bool,
}

impl<E: Ecc, S: StrengthPolicy> PageCodec<'_, E, S> {
    /// Fills `register` with the page that is to be programmed at `row`.
    ///
    /// # Errors
    /// What the codec refuses.
    ///
    /// # Panics
    /// Where `data` is not a page, or `register` not as long as the layout says.
    pub async fn encode(
        &self,
        row: RowAddress,
        data: &[u8],
        metadata: &[u8; METADATA_BYTES],
        register: &mut [u8],
    ) -> Result<(), EccRefusal> {
        let layout = &self.layout;
        let strength = self.strength.strength(row).min(layout.strength_max());
        let (page, spare) = self.areas(register);
        page.copy_from_slice(data);
        spare.fill(0xFF);
        let header = &mut spare[layout.header()];
        header[..2].copy_from_slice(&[FORMAT, strength.0 as u8]);
        header[2..].copy_from_slice(metadata);
        self.scramble(row, header, page);
        let (head, parities) = spare.split_at_mut(layout.header().end);
        let parity = &mut parities[..layout.header_parity().len()];
        self.ecc.encode(layout.strength_max(), &head[layout.header()], parity).await?;
        let parity_bytes = self.ecc.parity_bytes(strength).0 as usize;
        for codeword in 0..layout.codewords() {
            let parity = &mut spare[layout.parity(codeword, parity_bytes)];
            self.ecc.encode(strength, &page[layout.data(codeword)], parity).await?;
        }
        Ok(())
    }

    /// Corrects the page that was read from `row` into `register` and copies its data out.
    ///
    /// # Errors
    /// [`DecodeError`]; what is in `data` is then of no use.
    ///
    /// # Panics
    /// As [`encode`](Self::encode).
    pub async fn decode(
        &self,
        row: RowAddress,
        register: &mut [u8],
        data: &mut [u8],
    ) -> Result<DecodedPage, DecodeError> {
        if let Some(zeros) = self.layout.erased(register) {
            data.fill(0xFF);
            return Ok(DecodedPage::Erased { zeros });
        }
        let (page, spare) = self.areas(register);
        let mut stream = Scrambler::new(row);
        let (header, metadata_corrected) = self.decode_header(spare, &mut stream).await?;
        let strength = self.strength_in(header)?;
        let corrected = self.decode_data(strength, page, spare).await?;
        if self.scrambled {
            stream.apply(page);
        }
        data.copy_from_slice(page);
        let metadata = core::array::from_fn(|i| header[2 + i]);
        Ok(DecodedPage::Data { metadata, strength, metadata_corrected, corrected })
    }

    async fn decode_header(
        &self,
        spare: &mut [u8],
        stream: &mut Scrambler,
    ) -> Result<([u8; HEADER_BYTES], BitCount), DecodeError> {
        let layout = &self.layout;
        let strength = layout.strength_max();
        let (head, parities) = spare.split_at_mut(layout.header().end);
        let header = &mut head[layout.header()];
        let parity = &parities[..layout.header_parity().len()];
        let decoded = self.ecc.decode(strength, header, parity).await?;
        let corrected = corrected(decoded, Piece::Metadata, strength)?;
        if self.scrambled {
            stream.apply(header);
        }
        Ok((core::array::from_fn(|i| header[i]), corrected))
    }

    fn strength_in(&self, header: [u8; HEADER_BYTES]) -> Result<Strength, DecodeError> {
        let [format, strength, ..] = header;
        let strength = Strength(strength.into());
        let possible = 1..=self.layout.strength_max().0;
        if format == FORMAT && possible.contains(&strength.0) {
            return Ok(strength);
        }
        Err(DecodeError::Foreign { format, strength })
    }

    /// All codewords side by side, so that one is received while another is corrected.
    async fn decode_data(
        &self,
        strength: Strength,
        page: &mut [u8],
        spare: &[u8],
    ) -> Result<ArrayVec<BitCount, MAX_CODEWORDS>, DecodeError> {
        let parity_bytes = self.ecc.parity_bytes(strength).0 as usize;
        let mut codewords = self.layout.split(page).enumerate();
        let decodes: [_; MAX_CODEWORDS] = core::array::from_fn(|_| {
            let next = codewords.next();
            async move {
                let (codeword, data) = next?;
                let parity = &spare[self.layout.parity(codeword, parity_bytes)];
                Some(self.ecc.decode(strength, data, parity).await)
            }
        });
        let decoded = join_array(decodes).await.into_iter().flatten().enumerate();
        decoded
            .map(|(codeword, decoded)| corrected(decoded?, Piece::Data(codeword), strength))
            .collect()
    }

    /// Metadata first, so that they can be read alone.
    fn scramble(&self, row: RowAddress, header: &mut [u8], page: &mut [u8]) {
        if self.scrambled {
            let mut stream = Scrambler::new(row);
            stream.apply(header);
            stream.apply(page);
        }
    }

    fn areas<'r>(&self, register: &'r mut [u8]) -> (&'r mut [u8], &'r mut [u8]) {
        assert_eq!(register.len(), self.layout.register_bytes().0 as usize, "register");
        register.split_at_mut(self.layout.page_bytes().0 as usize)
    }
}

fn corrected(decoded: Decoded, piece: Piece, strength: Strength) -> Result<BitCount, DecodeError> {
    match decoded {
        Decoded::Corrected(bits) => Ok(bits),
        Decoded::Uncorrectable | Decoded::Miscorrected => {
            Err(DecodeError::Uncorrectable { piece, strength })
        }
    }
}
