//! What was read of a drive and compared with what was written.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::format;

/// Sectors that the host read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckedData {
    /// Those whose fingerprints were compared.
    pub sectors: u64,
    /// Those of them whose bytes were compared as well.
    pub sectors_in_full: u64,
    /// Codewords that were decoded on the way; none where bytes are not kept or have no errors.
    pub codewords: Option<CodewordFates>,
}

/// What became of codewords.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodewordFates {
    /// All that were decoded.
    pub decoded: u64,
    /// Bits that were corrected in those that came back right.
    pub corrected_bits: u64,
    /// Codewords that could not be corrected.
    pub uncorrectable: u64,
    /// Codewords that were taken for other ones, which their CRC told.
    pub caught: u64,
    /// Codewords that were taken for other ones, which nothing told.
    pub miscorrected: u64,
}

/// What it says in a sentence.
impl fmt::Display for CheckedData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = format::count;
        write!(f, "{} sectors that were read are what was written", count(self.sectors))?;
        if self.sectors_in_full > 0 {
            let bytes = 512 * self.sectors_in_full;
            write!(
                f,
                ", {} of them byte by byte ({} bytes)",
                count(self.sectors_in_full),
                count(bytes)
            )?;
        }
        let Some(codewords) = &self.codewords else { return Ok(()) };
        write!(
            f,
            "; {} codewords decoded, {} bits corrected, {} codewords uncorrectable, {} \
             miscorrected",
            count(codewords.decoded),
            count(codewords.corrected_bits),
            count(codewords.uncorrectable),
            count(codewords.caught + codewords.miscorrected)
        )?;
        if codewords.caught > 0 {
            write!(f, ", of which the CRC told {}", count(codewords.caught))?;
        }
        Ok(())
    }
}

/// Names and figures.
pub(super) fn figures(checked: &CheckedData) -> Vec<(String, f64)> {
    let mut all = vec![("sectors", checked.sectors), ("sectors_in_full", checked.sectors_in_full)];
    if let Some(codewords) = &checked.codewords {
        all.extend([
            ("codewords_decoded", codewords.decoded),
            ("corrected_bits", codewords.corrected_bits),
            ("codewords_uncorrectable", codewords.uncorrectable),
            ("codewords_caught", codewords.caught),
            ("codewords_miscorrected", codewords.miscorrected),
        ]);
    }
    all.into_iter().map(|(name, value)| (format!("check__all__{name}"), value as f64)).collect()
}
