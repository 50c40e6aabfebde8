//! A page's data as they lie in the die: codewords in page and spare area, metadata, scrambling.

mod codec;
mod layout;
mod scrambler;

pub use codec::{DecodeError, DecodedPage, PageCodec, Piece};
pub use layout::{LayoutError, MAX_CODEWORDS, METADATA_BYTES, PageLayout};
pub use scrambler::Scrambler;
