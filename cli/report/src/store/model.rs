//! The result of storing a file, as it is kept and as the report reads it.

use floatgate_hal::units::{ByteCount, Strength};
use serde::{Deserialize, Serialize};

use crate::model::stored;

/// What came of a file on a device: the same for the same seed, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreResult {
    /// Name of the run, which is also the name of its folder.
    pub name: String,
    /// The device and the file.
    pub device: DeviceFacts,
    /// What was carried out, in order; all of them brought back the same.
    pub engines: Vec<EngineRun>,
    /// Codewords by the bits that were corrected in them, ascending.
    pub corrected: Vec<CorrectedCount>,
    /// Latency of one page read over the strength, mode by mode, on the transaction-level models.
    pub modes: Vec<ModeLatency>,
    /// Remarks the reader must see, one sentence each.
    pub notes: Vec<String>,
}

/// The device and the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceFacts {
    /// Name of the part.
    pub part: String,
    /// Dies on the channel.
    pub dies: u8,
    /// The mode that the dies ran in, for example `NV-DDR 5`.
    pub mode: String,
    /// The codec's configuration.
    pub code: String,
    /// Bits that are corrected in a codeword.
    #[serde(with = "stored::StrengthDef")]
    pub strength: Strength,
    /// Clock of the codec in MHz.
    pub codec_mhz: f64,
    /// Clock of the channel controller in MHz.
    pub controller_mhz: f64,
    /// Program/erase cycles before the run.
    pub initial_cycles: u32,
    /// Days between storing and reading.
    pub retention_days: f64,
    /// The file's name.
    pub file: String,
    /// Its length.
    pub file_bytes: u64,
    /// Pages that it takes.
    pub pages: u32,
    /// Data of a page.
    #[serde(with = "stored::ByteCountDef")]
    pub page_bytes: ByteCount,
    /// Codewords that were read.
    pub codewords: u64,
}

/// What channel and codec were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineKind {
    /// The transaction-level models.
    Model,
    /// The SystemVerilog.
    Rtl,
}

impl EngineKind {
    /// As headings say it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rtl => "RTL",
        }
    }

    /// As names of columns and metrics say it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rtl => "rtl",
        }
    }
}

/// The run on one engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineRun {
    /// Which.
    pub engine: EngineKind,
    /// Bring-up and the scan for bad blocks.
    pub mount_us: f64,
    /// Blocks that are bad.
    pub bad_blocks: u32,
    /// Programming, erasures included.
    pub write: Steps,
    /// Reading.
    pub read: Steps,
    /// Breaches of the protocol that the dies' checkers found.
    pub breaches: Vec<String>,
}

/// Time of a page, averaged over the pages of the file, in the order in which it is spent; what it
/// waits for is not in the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// Firmware's own.
    pub firmware_us: f64,
    /// Encoding or decoding, waiting for the codec included.
    pub ecc_us: f64,
    /// Commands, addresses and gaps on the bus.
    pub command_address_us: f64,
    /// Data and status on the bus.
    pub transfer_us: f64,
    /// The die was busy.
    pub array_us: f64,
    /// For the bus, or for an earlier operation on the die.
    pub waiting_us: f64,
    /// From the first page's beginning to the last one's end, all dies.
    pub span_us: f64,
    /// Share of that in which data or status were on the bus.
    pub data_share: f64,
    /// Share of that in which commands, addresses and gaps were.
    pub command_share: f64,
}

impl Steps {
    /// The steps of a page by name.
    pub fn named(&self) -> [(&'static str, f64); 6] {
        [
            ("firmware", self.firmware_us),
            ("ECC", self.ecc_us),
            ("command, address", self.command_address_us),
            ("transfer", self.transfer_us),
            ("array", self.array_us),
            ("waiting", self.waiting_us),
        ]
    }

    /// All of them.
    pub fn sum_us(&self) -> f64 {
        self.named().iter().map(|(_, us)| us).sum()
    }
}

/// Codewords in which so many bits were corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrectedCount {
    /// Bits.
    pub bits: u32,
    /// Codewords.
    pub codewords: u64,
}

/// Page read latency over the strength in a mode of the bus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeLatency {
    /// The data interface.
    pub interface: Interface,
    /// Its mode.
    pub mode: u8,
    /// Clock of the controller, one that suits the mode.
    pub controller_mhz: f64,
    /// Ascending.
    pub points: Vec<StrengthLatency>,
}

/// A data interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interface {
    /// Single data rate.
    Sdr,
    /// Double data rate with a clock.
    NvDdr,
}

impl Interface {
    /// As data sheets call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Sdr => "SDR",
            Self::NvDdr => "NV-DDR",
        }
    }
}

/// Page read latency at a strength, from firmware's request to corrected data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrengthLatency {
    /// The strength.
    #[serde(with = "stored::StrengthDef")]
    pub t: Strength,
    /// No bit was wrong.
    pub clean_us: f64,
    /// A bit of every codeword was wrong.
    pub corrected_us: f64,
}
