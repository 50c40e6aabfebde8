//! The golden vectors as Rust types; see `tests/vectors/README.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use floatgate_hal::units::{BitCount, Strength};
use floatgate_model::ecc::{BchCode, BitIndex, Kernels};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Every implementation of the inner loops that this processor runs.
pub(crate) const KERNELS: [Kernels; 3] = [Kernels::Detected, Kernels::Narrow, Kernels::Portable];

/// `bch/bch_*.json`
#[derive(Deserialize)]
pub(crate) struct CodecFile {
    pub(crate) m: u32,
    pub(crate) t: u16,
    pub(crate) data_bits: u32,
    pub(crate) parity_bits: u32,
    pub(crate) generator_poly: String,
    pub(crate) vectors: Vec<CodecVector>,
}

#[derive(Deserialize)]
pub(crate) struct CodecVector {
    pub(crate) id: String,
    pub(crate) message: String,
    pub(crate) parity: String,
    pub(crate) errors: Vec<u32>,
    pub(crate) status: Status,
    pub(crate) nerr: Option<usize>,
    #[serde(default)]
    pub(crate) wrongly_flipped: Vec<u32>,
    pub(crate) syndromes_odd: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Clean,
    Corrected,
    Uncorrectable,
    Miscorrected,
}

/// `bch/prog_*.json`
#[derive(Deserialize)]
pub(crate) struct ProgrammableFile {
    pub(crate) m: u32,
    pub(crate) data_bytes: u32,
    pub(crate) messages: Vec<String>,
    pub(crate) by_t: BTreeMap<u16, ProgrammableStrength>,
}

#[derive(Deserialize)]
pub(crate) struct ProgrammableStrength {
    pub(crate) parity_bits: u32,
    pub(crate) parity: Vec<String>,
    pub(crate) generator_poly: Option<String>,
}

/// `bch/exh_*.json`
#[derive(Deserialize)]
pub(crate) struct ExhaustiveFile {
    pub(crate) m: u32,
    pub(crate) t: u16,
    pub(crate) n: u32,
    pub(crate) k: u32,
    pub(crate) generator_poly: String,
    pub(crate) parity_by_message: Vec<String>,
    #[serde(alias = "patterns_pos_result_syndromes", alias = "patterns_pos_result")]
    pub(crate) patterns: Vec<Pattern>,
}

/// Flipped positions, the decoder's flips (none where the pattern is detected), and in all but one
/// file the odd syndromes.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Pattern {
    WithSyndromes(Vec<u32>, Option<Vec<u32>>, Vec<String>),
    Plain(Vec<u32>, Option<Vec<u32>>),
}

/// `more/*.json`
#[derive(Deserialize)]
pub(crate) struct MoreFile {
    pub(crate) m: u32,
    pub(crate) data_bytes: u32,
    pub(crate) t: u16,
    pub(crate) parity_bits: u32,
    pub(crate) generator: String,
    pub(crate) messages: Vec<MoreMessage>,
}

#[derive(Deserialize)]
pub(crate) struct MoreMessage {
    pub(crate) data: String,
    pub(crate) parity: String,
    pub(crate) cases: Vec<MoreCase>,
}

#[derive(Deserialize)]
pub(crate) struct MoreCase {
    pub(crate) kind: String,
    pub(crate) flips: Vec<u32>,
    pub(crate) result: Status,
    pub(crate) count: Option<usize>,
}

/// Every file of a folder whose name starts with `prefix`.
pub(crate) fn files<T: DeserializeOwned>(folder: &str, prefix: &str) -> Vec<(String, T)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(folder);
    let mut paths: Vec<PathBuf> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with(prefix) && name.ends_with(".json") {
            let text = std::fs::read_to_string(&path).unwrap();
            files.push((
                name.clone(),
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}")),
            ));
        }
    }
    assert!(!files.is_empty(), "no {prefix}*.json");
    files
}

pub(crate) fn code(m: u32, t: u16, data_bits: u32, kernels: Kernels) -> BchCode {
    BchCode::with_kernels(m, Strength(t), BitCount(data_bits), kernels).unwrap()
}

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    assert_eq!(hex.len() % 2, 0, "{hex}");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// `bits` bits of a number written in hex, left-aligned in bytes.
pub(crate) fn left_aligned(value: u64, bits: u32) -> Vec<u8> {
    let length = bits.div_ceil(8) as usize;
    (value << (64 - bits)).to_be_bytes()[..length].to_vec()
}

pub(crate) fn positions(indices: &[u32]) -> Vec<BitIndex> {
    indices.iter().copied().map(BitIndex).collect()
}

/// The generator polynomial in hex, without leading zeros.
pub(crate) fn generator_hex(code: &BchCode) -> String {
    let words = code.generator().as_raw_slice().iter().rev();
    let digits: String = words.map(|word| format!("{word:016x}")).collect();
    format!("0x{}", digits.trim_start_matches('0'))
}
