//! The table of mutants, `mutants.ron`: read by the build script, which makes the models, and by
//! the program, which runs them.

use floatgate_model::config::{CodeConfig, NamedCode};
use serde::Deserialize;

/// A fault put into the RTL.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutant {
    /// File in `ecc-rtl`.
    pub(crate) file: String,
    /// What is replaced, unique in the file.
    pub(crate) snippet: String,
    /// By what.
    pub(crate) replacement: String,
    /// What it breaks.
    pub(crate) why: String,
    /// The configuration in which it shows; `Narrow` where none is named.
    #[serde(default)]
    pub(crate) on: Elaboration,
    /// Why no stimulus can tell it from the original, where none can.
    #[serde(default)]
    pub(crate) equivalent: Option<String>,
}

impl Mutant {
    /// The tops that show the fault: those that the file is part of, or only one of two that
    /// depend on it alike.
    pub(crate) fn tops(&self) -> Vec<&'static str> {
        match self.file.as_str() {
            "bch_encoder.sv" | "bch_parity.sv" | "bch_parity_stage.sv" | "crc32_append.sv" => {
                vec!["bch_encoder"]
            }
            "bch_framer.sv" | "bch_pkg.sv" => vec!["bch_encoder", "bch_decoder"],
            _ => vec!["bch_decoder"],
        }
    }
}

/// A small elaboration of the codec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) enum Elaboration {
    /// GF(2^8), 16 bytes, t <= 4, 8 bits a clock throughout.
    #[default]
    Narrow,
    /// GF(2^8), 12 bytes and CRC, t <= 4, 16 bits in and 32 out, one multiplier lane.
    Wide,
    /// GF(2^5), one byte, t <= 3: small enough for all error patterns.
    Tiny,
    /// As Narrow, of strength 4 only.
    Fixed,
}

impl Elaboration {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Narrow, Self::Wide, Self::Tiny, Self::Fixed];

    /// Its parameters, under a name of its own for each mutant (`None`: the RTL as it is).
    pub(crate) fn code(self, mutant: Option<usize>) -> NamedCode {
        let narrow = CodeConfig {
            m: 8,
            k_max_bytes: 16,
            t_max: 4,
            p: 8,
            p_c: 8,
            kes_lanes: 2,
            crc: false,
            fixed: false,
        };
        let config = match self {
            Self::Narrow => narrow,
            Self::Wide => {
                CodeConfig { k_max_bytes: 12, p: 16, p_c: 32, kes_lanes: 1, crc: true, ..narrow }
            }
            Self::Tiny => CodeConfig { m: 5, k_max_bytes: 1, t_max: 3, kes_lanes: 3, ..narrow },
            Self::Fixed => CodeConfig { fixed: true, ..narrow },
        };
        let mutant = mutant.map_or("original".to_owned(), |index| format!("mutant{index}"));
        NamedCode { name: format!("{mutant}-{self:?}").to_lowercase(), config }
    }
}

/// Reads the table.
///
/// # Panics
/// With the place where the table is wrong.
pub(crate) fn read() -> Vec<Mutant> {
    ron::from_str(include_str!("../mutants.ron"))
        .unwrap_or_else(|error| panic!("tests/mutants/mutants.ron:{error}"))
}
