//! What a sweep is told: `configs/sweeps/*.ron`.

use std::path::PathBuf;

use floatgate_hal::units::Strength;
use floatgate_model::config::{Check, Fault};
use floatgate_model::die::rber::{RberModel, Stress, TlcPage};
use serde::{Deserialize, Serialize};

/// An ECC-strength sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SweepConfig {
    /// One line for the head of the report.
    pub(crate) title: String,
    /// Configurations and the strengths at which each is measured.
    pub(crate) codes: Vec<SweptCode>,
    /// Codewords measured for each strength and number of errors, at least 3.
    pub(crate) codewords_per_point: u32,
    /// Clock at which clocks are turned into time, in MHz.
    pub(crate) clock_mhz: f64,
    /// Seed of error positions and of what has no reset.
    pub(crate) seed: u64,
    /// File whose bytes are encoded, over and over; absent: a file of the project.
    pub(crate) data: Option<PathBuf>,
    /// Uncorrectable bit error rate that a device must keep.
    pub(crate) uber_target: f64,
    /// Wear models for the cycles reached, the preferred one first.
    pub(crate) wear: Vec<Wear>,
    /// The flash page whose read latency is reported.
    pub(crate) page: Page,
    /// Codewords with more errors than the strength, tried for miscorrections.
    pub(crate) miscorrection: Miscorrection,
    /// Synthesis, where Yosys is there; absent: none.
    pub(crate) synthesis: Option<Synthesis>,
}

/// A configuration in a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SweptCode {
    /// Name of the configuration in `configs/ecc`.
    pub(crate) code: String,
    /// Strengths measured.
    pub(crate) strengths: Vec<u16>,
}

/// A flash chip and what its pages go through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wear {
    /// The chip.
    pub(crate) chip: Chip,
    /// Days that data must be kept.
    pub(crate) retention_days: f64,
    /// Reads of a page before it is written again.
    pub(crate) reads_per_page: f64,
}

/// Chips with a known error rate (`model/src/die/rber.rs` has their sources).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Chip {
    /// 2y-nm MLC, FAST'19.
    Mlc2yNm,
    /// 72-layer TLC, FAST'19.
    Tlc72Layer,
    /// 25 nm TLC, OpenNVM, mean over its page types.
    Tlc25Nm,
}

/// A flash page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    /// Data bytes, a whole number of codewords.
    pub(crate) data_bytes: u32,
    /// From array to page register (t_R), in microseconds.
    pub(crate) t_r_us: f64,
    /// Rate of the flash bus, in 10^6 bytes per second.
    pub(crate) bus_mb_per_s: f64,
}

/// Trials with more errors than the strength.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Miscorrection {
    /// Codewords for each number of errors; 0: none.
    pub(crate) codewords: u32,
    /// Configuration with the CRC that is tried beside; absent: none.
    pub(crate) crc_code: Option<String>,
}

/// What is synthesised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Synthesis {
    /// Whether each strength is also built on its own (T_MAX = t), for area over strength.
    pub(crate) per_strength: bool,
    /// Further configurations, built to compare fixed with programmable.
    pub(crate) builds: Vec<String>,
    /// Channel controllers, by their number of dies.
    #[serde(default)]
    pub(crate) controllers: Vec<u32>,
}

impl Wear {
    /// The model and the stress of a page at the end of its retention.
    pub(crate) fn model(&self) -> (RberModel, Stress) {
        let model = match self.chip {
            Chip::Mlc2yNm => RberModel::Mlc2yNm,
            Chip::Tlc72Layer => RberModel::Tlc72Layer,
            Chip::Tlc25Nm => RberModel::Tlc25Nm(TlcPage::Mean),
        };
        let Self { retention_days, reads_per_page: reads, .. } = *self;
        (model, Stress { pe_cycles: 0.0, retention_days, reads })
    }
}

impl SweptCode {
    /// The strengths in their unit.
    pub(crate) fn strengths(&self) -> impl Iterator<Item = Strength> + '_ {
        self.strengths.iter().map(|&t| Strength(t))
    }
}

impl Check for SweepConfig {
    fn check(&self) -> Result<(), Fault> {
        let positive = [
            ("clock_mhz", self.clock_mhz),
            ("page.t_r_us", self.page.t_r_us),
            ("page.bus_mb_per_s", self.page.bus_mb_per_s),
            ("page.data_bytes", f64::from(self.page.data_bytes)),
        ];
        for (field, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return Err(Fault::new(field, format!("is {value}, must be more than 0")));
            }
        }
        if self.codes.is_empty() {
            return Err(Fault::new("codes", "is empty: a sweep needs a configuration"));
        }
        if let Some(code) = self.codes.iter().find(|code| code.strengths.is_empty()) {
            let message = format!("of `{}` is empty: a sweep needs a strength", code.code);
            return Err(Fault::new("strengths", message));
        }
        if self.codewords_per_point < 3 {
            let message = format!("is {}, must be 3 or more", self.codewords_per_point);
            return Err(Fault::new("codewords_per_point", message));
        }
        if !(self.uber_target > 0.0 && self.uber_target < 1.0) {
            let message = format!("is {}, must be between 0 and 1", self.uber_target);
            return Err(Fault::new("uber_target", message));
        }
        let controllers = self.synthesis.iter().flat_map(|synthesis| &synthesis.controllers);
        if let Some(dies) = controllers.into_iter().find(|dies| !(2..=8).contains(*dies)) {
            let message = format!("has {dies} dies, must be 2 to 8");
            return Err(Fault::new("synthesis.controllers", message));
        }
        Ok(())
    }
}
