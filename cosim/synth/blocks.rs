//! The functional blocks that a codec's area is reported by, and the modules that make them up.

use serde::{Deserialize, Serialize};

use super::job::Area;

/// A functional block of the codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Division of the data by the generator polynomial.
    Encoder,
    /// Syndromes of the received word.
    Syndrome,
    /// Error locator polynomial from the syndromes.
    KeyEquation,
    /// Search for the locator's roots, and correction.
    Chien,
    /// CRC-32 over the data.
    Crc,
    /// Everything else: framing, streams, buffer addressing, status.
    Control,
}

/// Modules whose boundary is kept when blocks are measured. What they contain counts with them;
/// what is in none of them is control.
const BLOCK_MODULES: &[(Block, &[&str])] = &[
    (Block::Encoder, &["bch_parity"]),
    (Block::Syndrome, &["bch_syndrome"]),
    (Block::KeyEquation, &["bch_key_equation"]),
    (Block::Chien, &["bch_chien"]),
    (Block::Crc, &["bch_crc"]),
];

/// Size of one block of a design.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockArea {
    /// Which block.
    pub block: Block,
    /// Its size when it is mapped apart from its neighbours.
    pub area: Area,
    /// Its part of the sum over all blocks, 0 to 1. The sum differs a little from the area of the
    /// whole design, where gates are shared across boundaries.
    pub share: f64,
}

impl Block {
    /// Name as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Encoder => "encoder",
            Self::Syndrome => "syndrome",
            Self::KeyEquation => "key equation",
            Self::Chien => "Chien search",
            Self::Crc => "CRC",
            Self::Control => "control",
        }
    }

    /// The block of what is in the module `name`, which itself is in the block `outer`.
    pub(super) fn of_module(name: &str, outer: Self) -> Self {
        let home = BLOCK_MODULES.iter().find(|(_, modules)| modules.contains(&name));
        match (outer, home) {
            (Self::Control, Some((block, _))) => *block,
            _ => outer,
        }
    }
}

/// Names of all modules that make up a block.
pub(super) fn block_modules() -> impl Iterator<Item = &'static str> {
    BLOCK_MODULES.iter().flat_map(|(_, modules)| modules.iter().copied())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_block_has_its_modules_in_the_rtl() {
        let rtl_dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("ecc-rtl");
        for module in block_modules() {
            let file = rtl_dir.join(module).with_extension("sv");
            assert!(file.is_file(), "{module} is no module: its area would count as control");
        }
    }
}
