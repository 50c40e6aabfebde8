//! The result of an ECC-strength sweep, as it is stored and as the report reads it.
//!
//! What enters is what was measured or configured; nothing here can be computed from the rest.
//! Derived figures (code rate, nanoseconds, limits, throughput) are methods in [`crate::derived`].
//! Units stand last in the names. A figure that could not be measured is `None`, never zero.

use floatgate_hal::units::{BitCount, ByteCount, Cycles, Strength};
use serde::{Deserialize, Serialize};

/// Version of the stored form; a reader refuses any other.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything a sweep measured, apart from the circumstances of the run ([`RunInfo`]).
///
/// The same seed and configuration give the same value, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepResult {
    /// Name of the sweep, which is also the name of its folder.
    pub name: String,
    /// One line that says what was swept, for the head of the report.
    pub title: String,
    /// Conditions shared by all points.
    pub settings: Settings,
    /// One entry per code configuration and strength.
    pub points: Vec<Point>,
    /// Further builds, synthesised only to compare fixed with programmable codecs.
    pub builds: Vec<Build>,
    /// Builds of the channel controller, which no code changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<ControllerBuild>,
    /// Remarks the reader must see, one sentence each.
    pub notes: Vec<String>,
}

/// Conditions shared by all points of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Clock at which clocks are turned into time, in MHz.
    pub clock_mhz: f64,
    /// Codewords measured for each strength and error count.
    pub codewords_per_point: u32,
    /// Where the data came from, for example a file name and its length.
    pub data_source: String,
    /// Uncorrectable bit error rate that a device must keep: the end of life.
    pub uber_target: f64,
    /// Wear models, in order of preference; the first with a gain decides the knee.
    pub rber_models: Vec<RberModel>,
    /// The flash page whose read latency is reported.
    pub page: Option<PageSettings>,
    /// Cell library of the synthesis, for example `osu018`.
    pub cell_library: Option<String>,
}

/// A model of the raw bit error rate over wear.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RberModel {
    /// Name, as points refer to it.
    pub name: String,
    /// Conditions and source, for example retention and reads per page.
    pub conditions: String,
}

/// The flash page whose read latency is reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageSettings {
    /// Data bytes of the page.
    #[serde(with = "stored::ByteCountDef")]
    pub data_bytes: ByteCount,
    /// Rate of the flash bus in 10^6 bytes per second.
    pub bus_mb_per_s: f64,
}

/// One elaboration of the codec: the fields of `configs/ecc/<name>.ron`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// File stem of the configuration.
    pub name: String,
    /// Field GF(2^m).
    pub m: u32,
    /// Longest data.
    #[serde(with = "stored::ByteCountDef")]
    pub data_bytes_max: ByteCount,
    /// Largest strength.
    #[serde(with = "stored::StrengthDef")]
    pub t_max: Strength,
    /// Stream width in bits per clock.
    pub p: u32,
    /// Chien search width in bits per clock.
    pub p_c: u32,
    /// Locator coefficients processed per clock by the key-equation solver.
    pub kes_lanes: u32,
    /// Whether a CRC-32 lies inside the codeword.
    pub crc: bool,
    /// Whether the build serves the strength `t_max` only.
    pub fixed: bool,
}

/// What was measured for one code configuration at one strength.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The configuration that was simulated.
    pub code: Code,
    /// Strength in use.
    #[serde(with = "stored::StrengthDef")]
    pub t: Strength,
    /// Data bytes per codeword, without the CRC.
    #[serde(with = "stored::ByteCountDef")]
    pub data_bytes: ByteCount,
    /// Parity bits per codeword, without the padding of the last byte.
    #[serde(with = "stored::BitCountDef")]
    pub parity_bits: BitCount,
    /// Encoder measurement.
    pub encode: EncodeMeasure,
    /// Decoder measurements, one per error load.
    pub decode: Vec<DecodeMeasure>,
    /// Clocks of the key equation for a codeword with t errors.
    #[serde(with = "stored::CyclesDef")]
    pub key_equation_clocks: Cycles,
    /// Synthesis of the build that serves this strength; absent when Yosys is missing.
    pub build: Option<Build>,
    /// Largest raw bit error rate at an uncorrectable bit error rate of 1e-15.
    pub max_rber_at_uber_1e15: f64,
    /// Largest raw bit error rate at an uncorrectable bit error rate of 1e-16.
    pub max_rber_at_uber_1e16: f64,
    /// Program/erase cycles survived, one entry per wear model.
    pub endurance: Vec<Endurance>,
    /// Latency of a page read, if a page was configured.
    pub page_read: Option<PageRead>,
    /// Codewords with more than t errors taken for good, one entry per error count.
    pub miscorrection: Vec<Miscorrection>,
}

/// Spread of a latency over codewords.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyStats {
    /// Codewords measured.
    pub codewords: u64,
    /// Shortest, in clocks.
    #[serde(with = "stored::CyclesDef")]
    pub min_clocks: Cycles,
    /// Arithmetic mean, in clocks.
    pub mean_clocks: f64,
    /// 99th percentile by nearest rank, in clocks.
    #[serde(with = "stored::CyclesDef")]
    pub p99_clocks: Cycles,
    /// Longest, in clocks.
    #[serde(with = "stored::CyclesDef")]
    pub max_clocks: Cycles,
}

/// Encoder measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncodeMeasure {
    /// From the first data word accepted to the last codeword word handed out.
    pub latency: LatencyStats,
    /// Clocks between codewords when they follow without a gap.
    pub period_clocks: f64,
}

/// How many errors a codeword of a measurement carries, relative to the strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ErrorLoad {
    /// No error.
    Zero,
    /// One error.
    One,
    /// t / 2 errors.
    Half,
    /// t errors.
    Full,
}

/// Decoder measurement at one error load. Latencies count from the last codeword word accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecodeMeasure {
    /// The error load.
    pub load: ErrorLoad,
    /// Errors injected in each codeword.
    pub errors: u16,
    /// To the first corrected data word.
    pub first_word: LatencyStats,
    /// To the last corrected data word.
    pub last_word: LatencyStats,
    /// To the status.
    pub status: LatencyStats,
    /// Clocks between codewords when they follow without a gap, where it was measured.
    pub period_clocks: Option<f64>,
}

/// One synthesised build of encoder and decoder.
///
/// Encoder and decoder are mapped whole. The decoder's blocks are mapped apart from each other,
/// so their sum differs a little from the whole, which shares gates across their boundaries; they
/// are absent where that was not asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// What was elaborated.
    pub code: Code,
    /// The encoder, whole.
    pub encoder: BlockArea,
    /// The decoder, whole and without its memory.
    pub decoder: BlockArea,
    /// Syndrome computation.
    pub syndrome: Option<BlockArea>,
    /// Key-equation solver.
    pub key_equation: Option<BlockArea>,
    /// Chien search and correction.
    pub chien: Option<BlockArea>,
    /// CRC check; absent when the build has none.
    pub crc: Option<BlockArea>,
    /// Sequencing and stream stages of the decoder.
    pub control: Option<BlockArea>,
    /// Bits of the buffer that holds data while the solver works, a memory of its own.
    #[serde(with = "stored::BitCountDef")]
    pub memory_bits: BitCount,
    /// Longest register-to-register path of the encoder; absent without OpenSTA.
    pub encoder_critical_path_ns: Option<f64>,
    /// Longest register-to-register path of the decoder; absent without OpenSTA.
    pub decoder_critical_path_ns: Option<f64>,
}

/// One synthesised build of the ONFI channel controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerBuild {
    /// Dies on the channel.
    pub dies: u32,
    /// Timing modes in use at a time.
    pub banks: u32,
    /// Library cells, flip-flops among them.
    pub cells: u64,
    /// The controller, whole.
    pub area: BlockArea,
    /// Longest register-to-register path.
    pub critical_path_ns: Option<f64>,
}

/// Area of one block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockArea {
    /// Area over that of a two-input NAND gate.
    pub nand2_equivalents: f64,
    /// Cell area in square micrometres.
    pub area_um2: f64,
    /// Flip-flops.
    pub flip_flops: u64,
}

/// Wear that a point survives under one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endurance {
    /// Name of the model in [`Settings::rber_models`].
    pub model: String,
    /// Program/erase cycles at which the raw bit error rate reaches what the code survives;
    /// zero when a new device is already worse.
    pub pe_cycles: f64,
}

/// Parts of a page read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageRead {
    /// From array to page register.
    pub array_us: f64,
    /// Data and parity over the flash bus.
    pub transfer_us: f64,
    /// Added by the decoder after the transfer when no codeword has an error.
    pub decode_clean_us: f64,
    /// Added by the decoder after the transfer when every codeword has t errors.
    pub decode_full_us: f64,
}

/// Codewords with more than t errors, and how many of them passed as good.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Miscorrection {
    /// Errors injected.
    pub errors: u16,
    /// Codewords tried.
    pub codewords: u64,
    /// Wrong data handed up as good, without a CRC.
    pub passed_without_crc: u64,
    /// Wrong data handed up as good, with the CRC inside the codeword.
    pub passed_with_crc: Option<u64>,
}

/// The circumstances of a run: what may differ when the same sweep is run again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    /// The command line, argument by argument.
    pub command: Vec<String>,
    /// Seed of all random streams.
    pub seed: u64,
    /// Revision of the sources, if they are under version control.
    pub git_revision: Option<String>,
    /// Start in UTC, for example `2026-01-31T12:00:00Z`.
    pub started_utc: String,
    /// Wall time in seconds.
    pub wall_time_s: f64,
    /// Worker threads.
    pub jobs: u32,
    /// Tools asked for.
    pub tools: Vec<Tool>,
}

/// A tool of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Name of the tool.
    pub name: String,
    /// Its version line; absent when the tool was not found or failed.
    pub version: Option<String>,
}

/// Stored forms of the unit newtypes, which carry no serialisation of their own so that the
/// crate that defines them stays free of dependencies.
pub(crate) mod stored {
    use floatgate_hal::units::{BitCount, ByteCount, Cycles, Strength};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "Strength")]
    pub(crate) struct StrengthDef(u16);

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "BitCount")]
    pub(crate) struct BitCountDef(u32);

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "ByteCount")]
    pub(crate) struct ByteCountDef(u32);

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "Cycles")]
    pub(crate) struct CyclesDef(u64);
}
