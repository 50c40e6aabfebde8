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
    (Block::Crc, &["crc32", "crc32_append"]),
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
    fn the_modules_of_the_blocks_are_those_of_the_rtl() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut in_rtl = Vec::new();
        for dir in ["ecc-rtl", "rtl/prim"] {
            for entry in std::fs::read_dir(root.join(dir)).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "sv") {
                    in_rtl.push(path.file_stem().unwrap().to_str().unwrap().to_string());
                }
            }
        }
        for module in block_modules() {
            assert!(in_rtl.iter().any(|name| name == module), "{module} is no module of the RTL");
        }
        // What is not named in the table counts as control, and would go unseen.
        for name in in_rtl.iter().filter(|name| name.contains("crc")) {
            assert_eq!(Block::of_module(name, Block::Control), Block::Crc, "{name}");
        }
    }
}
