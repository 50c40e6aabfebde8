//! One elaboration of the BCH codec: `configs/ecc/<name>.ron` enters, [`NamedCode`] leaves.
//!
//! The limits follow the code (Lin and Costello, Error Control Coding, chapter 6: a narrow-sense
//! primitive BCH code over GF(2^m) is at most 2^m - 1 bits long) and the widths of the RTL's ports.

use std::fs;
use std::path::Path;

use floatgate_hal::units::{BitCount, ByteCount, Cycles, Strength};
use serde::{Deserialize, Serialize};

use super::{Check, ConfigError, Fault, load_checked};

/// Bits of the CRC-32 inside a codeword.
const CRC_BITS: u32 = 32;
/// The widest stream word.
const MAX_WORD_BITS: u32 = 64;
/// The RTL's strength input and its count of corrected bits have eight bits.
const MAX_STRENGTH: u32 = 255;
/// The RTL's length input has sixteen bits.
const MAX_DATA_BYTES: u32 = 65_535;

/// The parameters of one elaboration of the codec.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeConfig {
    /// Field GF(2^m), 5 to 16.
    pub m: u32,
    /// Longest data of a codeword in bytes, without the CRC.
    pub k_max_bytes: u32,
    /// Largest strength t in bits corrected per codeword.
    pub t_max: u32,
    /// Bits per clock at the streams: 8, 16, 32 or 64.
    pub p: u32,
    /// Bits per clock of the Chien search and of the decoder's output stream: a multiple of `p`,
    /// at most 64.
    pub p_c: u32,
    /// Locator coefficients that the key-equation solver processes per clock.
    pub kes_lanes: u32,
    /// Whether a CRC-32 over the data stands inside the codeword.
    pub crc: bool,
    /// Whether the strength is `t_max` only.
    pub fixed: bool,
}

/// A configuration and its name, the stem of its file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NamedCode {
    /// The stem of the file.
    pub name: String,
    /// What the file says.
    pub config: CodeConfig,
}

impl CodeConfig {
    /// Reads and checks one configuration.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load(path: impl AsRef<Path>) -> Result<NamedCode, ConfigError> {
        let path = path.as_ref();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(NamedCode { name, config: load_checked(path)? })
    }

    /// Reads every `.ron` file of a folder, in order of the names.
    ///
    /// # Errors
    /// The first [`ConfigError`], or [`ConfigError::NoFiles`] for a folder without any.
    pub fn load_dir(dir: impl AsRef<Path>) -> Result<Vec<NamedCode>, ConfigError> {
        let dir = dir.as_ref();
        let fail = |source| ConfigError::Read { path: dir.to_owned(), source };
        let mut codes = Vec::new();
        for entry in fs::read_dir(dir).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_some_and(|extension| extension == "ron") {
                codes.push(Self::load(path)?);
            }
        }
        if codes.is_empty() {
            return Err(ConfigError::NoFiles { path: dir.to_owned() });
        }
        codes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(codes)
    }

    /// Longest message of the BCH code (the RTL's `K_MAX`): the data, and the CRC where there is
    /// one.
    pub fn k_max(&self) -> BitCount {
        BitCount(self.message_bits(self.k_max_bytes))
    }

    /// Length of the message for `data` bytes of data.
    pub fn message(&self, data: ByteCount) -> BitCount {
        BitCount(self.message_bits(data.0))
    }

    /// Parity of a codeword of strength `t`: m bits for each corrected bit.
    pub fn parity(&self, t: Strength) -> BitCount {
        BitCount(self.m * u32::from(t.0))
    }

    /// Clocks in which a codeword passes the streams into a codec: data and parity begin a word
    /// each.
    pub fn words_in(&self, t: Strength, data: ByteCount) -> Cycles {
        let words = |bits: BitCount| u64::from(bits.0.div_ceil(self.p));
        Cycles(words(self.message(data)) + words(self.parity(t)))
    }

    /// Clocks in which the decoder goes through the positions of a codeword: its message, and the
    /// parity as far as it has errors. `wrong` are the bits up to the last wrong one.
    pub fn search(&self, data: ByteCount, wrong: BitCount) -> Cycles {
        Cycles(self.message(data).max(wrong).0.div_ceil(self.p_c).into())
    }

    /// Length of the longest codeword, at `t_max`.
    pub fn n_max(&self) -> BitCount {
        BitCount(self.k_max().0 + self.m * self.t_max)
    }

    /// The strengths that the elaboration accepts, ascending.
    pub fn strengths(&self) -> impl Iterator<Item = Strength> + use<> {
        let first = if self.fixed { self.t_max } else { 1 };
        (first..=self.t_max).map(|t| Strength(u16::try_from(t).expect("checked to fit")))
    }

    /// Clocks in which the longest codeword passes a stream of `p` bits: the time that the
    /// key-equation solver has if it is not to hold up the next codeword.
    pub fn codeword_period(&self) -> Cycles {
        Cycles(u64::from(self.n_max().0.div_ceil(self.p)))
    }

    /// Clocks of the key-equation solver at strength `t`, from the last word's syndromes to the
    /// locator: t iterations, each of which passes the T_MAX + 1 coefficients through `kes_lanes`
    /// multipliers, and the start (`ecc-rtl/bch_key_equation.sv`).
    pub fn key_equation(&self, t: Strength) -> Cycles {
        let (lag, lead) = if self.kes_lanes == 1 { (2, 3) } else { (1, 2) };
        let pass = (self.t_max + 1).div_ceil(self.kes_lanes) + lag;
        Cycles(u64::from(lead + u32::from(t.0) * pass))
    }

    fn message_bits(&self, data_bytes: u32) -> u32 {
        8 * data_bytes + if self.crc { CRC_BITS } else { 0 }
    }
}

impl Check for CodeConfig {
    fn check(&self) -> Result<(), Fault> {
        self.check_code()?;
        self.check_parallelism()
    }
}

impl CodeConfig {
    fn check_code(&self) -> Result<(), Fault> {
        let &Self { m, k_max_bytes, t_max, .. } = self;
        in_range("m", m, 5, 16)?;
        in_range("k_max_bytes", k_max_bytes, 1, MAX_DATA_BYTES)?;
        in_range("t_max", t_max, 1, MAX_STRENGTH)?;
        let distinct = full_strengths(m);
        if t_max > distinct {
            let message = format!(
                "is {t_max}, but parity of m bits per corrected bit needs t <= {distinct} \
                 in GF(2^{m})"
            );
            return Err(Fault::new("t_max", message));
        }
        let longest = (1 << m) - 1;
        let BitCount(n) = self.n_max();
        if n > longest {
            let BitCount(k) = self.k_max();
            let message = format!(
                "is {t_max}, so a codeword of {k} message and {} parity bits has {n}; GF(2^{m}) \
                 allows {longest}",
                n - k
            );
            return Err(Fault::new("t_max", message));
        }
        Ok(())
    }

    fn check_parallelism(&self) -> Result<(), Fault> {
        let &Self { t_max, p, p_c, kes_lanes, .. } = self;
        if ![8, 16, 32, 64].contains(&p) {
            return Err(Fault::new("p", format!("is {p}, must be 8, 16, 32 or 64")));
        }
        if p_c < p || !p_c.is_power_of_two() {
            let message = format!("is {p_c}, must be p = {p} times a power of two");
            return Err(Fault::new("p_c", message));
        }
        if p_c > MAX_WORD_BITS {
            return Err(Fault::new("p_c", format!("is {p_c}, must be at most {MAX_WORD_BITS}")));
        }
        in_range("kes_lanes", kes_lanes, 1, t_max + 1)
    }
}

fn in_range(field: &str, value: u32, low: u32, high: u32) -> Result<(), Fault> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Fault::new(field, format!("is {value}, must be {low} to {high}")))
}

/// The largest t for which alpha^1, alpha^3 .. alpha^(2t-1) have distinct minimal polynomials of
/// degree m, so that each unit of strength costs exactly m bits of parity.
fn full_strengths(m: u32) -> u32 {
    let order = (1u32 << m) - 1;
    // The roots of the minimal polynomial of alpha^i are alpha^(2^s i). One that comes back to
    // alpha^i early lowers the degree; one with a smaller exponent has been counted before.
    let adds_m_roots = |t: &u32| (1..m).all(|s| ((2 * t - 1) << s) % order > 2 * t - 1);
    (1..).take_while(adds_m_roots).count() as u32
}
