//! What the RTL takes beyond what follows from words and gaps: `configs/calibration/*.ron`, as
//! `floatgate characterize` measured them, enter; [`Calibration`] leaves.
//!
//! `codec.ron` has the clocks of each codec, `controller.ron` those of the channel controller. They
//! are the only place of these figures: the transaction-level models are made with them, and
//! `tests/cosim/characterize.rs` holds them against the RTL.

use std::collections::BTreeMap;
use std::path::Path;

use floatgate_hal::units::Cycles;
use serde::{Deserialize, Serialize};

use crate::channel::ControllerClocks;
use crate::config::{Check, ConfigError, Fault, NamedCode, load_checked};
use crate::ecc::EccClocks;

/// The clocks of the codecs.
pub const CODEC_FILE: &str = "codec.ron";
/// The clocks of the channel controller.
pub const CONTROLLER_FILE: &str = "controller.ron";
/// More than any register stage takes.
const CLOCKS_MAX: u64 = 1000;

/// What the RTL was measured to take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// Of each codec, by the name of its configuration.
    pub codecs: BTreeMap<String, EccClocks>,
    /// Of the channel controller.
    pub controller: ControllerClocks,
}

impl Calibration {
    /// Reads both files of a folder.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load(dir: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let dir = dir.as_ref();
        let codecs: CodecFile = load_checked(&dir.join(CODEC_FILE))?;
        let controller = Self::load_controller(dir.join(CONTROLLER_FILE))?;
        let codecs = codecs.codes.into_iter().map(CodeEntry::into_clocks).collect();
        Ok(Self { codecs, controller })
    }

    /// Reads the clocks of a channel controller.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load_controller(path: impl AsRef<Path>) -> Result<ControllerClocks, ConfigError> {
        Ok(load_checked::<ControllerFile>(path.as_ref())?.into())
    }

    /// The clocks of a codec; none where it has not been measured.
    pub fn codec(&self, code: &NamedCode) -> Option<EccClocks> {
        self.codecs.get(&code.name).copied()
    }

    /// The text of `codec.ron`.
    pub fn codec_text(&self) -> String {
        let codes = self.codecs.iter().map(CodeEntry::new).collect();
        text(
            "Clocks of the codecs beyond those of their words and key equation.",
            &CodecFile { codes },
        )
    }

    /// The text of `controller.ron`.
    pub fn controller_text(&self) -> String {
        let file = ControllerFile::from(self.controller);
        text("Clocks of the channel controller, and its time-outs in units of 1024 clocks.", &file)
    }
}

fn text(what: &str, value: &impl Serialize) -> String {
    let pretty = ron::ser::PrettyConfig::new().depth_limit(2);
    let body = ron::ser::to_string_pretty(value, pretty).expect("numbers and names have a form");
    format!("// {what}\n// Measured by `floatgate characterize`, which writes this file.\n{body}\n")
}

/// The form of `codec.ron`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CodecFile {
    codes: Vec<CodeEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CodeEntry {
    code: String,
    encode_clocks: u64,
    decode_clocks: u64,
    correct_clocks: u64,
}

impl CodeEntry {
    fn new((code, clocks): (&String, &EccClocks)) -> Self {
        Self {
            code: code.clone(),
            encode_clocks: clocks.encode.0,
            decode_clocks: clocks.decode.0,
            correct_clocks: clocks.correct.0,
        }
    }

    fn into_clocks(self) -> (String, EccClocks) {
        let [encode, decode, correct] =
            [self.encode_clocks, self.decode_clocks, self.correct_clocks].map(Cycles);
        (self.code, EccClocks { encode, decode, correct })
    }
}

impl Check for CodecFile {
    fn check(&self) -> Result<(), Fault> {
        for (index, entry) in self.codes.iter().enumerate() {
            let field = |name: &str| format!("codes[{index}].{name}");
            if self.codes[..index].iter().any(|other| other.code == entry.code) {
                return Err(Fault::new(field("code"), format!("`{}` is given twice", entry.code)));
            }
            few(&field("encode_clocks"), entry.encode_clocks)?;
            few(&field("decode_clocks"), entry.decode_clocks)?;
            few(&field("correct_clocks"), entry.correct_clocks)?;
        }
        Ok(())
    }
}

/// The form of `controller.ron`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ControllerFile {
    accept_clocks: u64,
    complete_clocks: u64,
    time_out_units: TimeOutUnits,
}

/// In the order of [`TimeLimit`](floatgate_hal::flash::timing::TimeLimit).
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeOutUnits {
    short: u16,
    reset: u16,
    read: u16,
    program: u16,
    erase: u16,
}

impl From<ControllerFile> for ControllerClocks {
    fn from(file: ControllerFile) -> Self {
        let TimeOutUnits { short, reset, read, program, erase } = file.time_out_units;
        Self {
            accept: Cycles(file.accept_clocks),
            complete: Cycles(file.complete_clocks),
            time_limits: [short, reset, read, program, erase],
        }
    }
}

impl From<ControllerClocks> for ControllerFile {
    fn from(clocks: ControllerClocks) -> Self {
        let [short, reset, read, program, erase] = clocks.time_limits;
        Self {
            accept_clocks: clocks.accept.0,
            complete_clocks: clocks.complete.0,
            time_out_units: TimeOutUnits { short, reset, read, program, erase },
        }
    }
}

impl Check for ControllerFile {
    fn check(&self) -> Result<(), Fault> {
        few("accept_clocks", self.accept_clocks)?;
        few("complete_clocks", self.complete_clocks)?;
        let TimeOutUnits { short, reset, read, program, erase } = &self.time_out_units;
        let units = [("short", short), ("reset", reset), ("read", read), ("program", program)];
        match units.into_iter().chain([("erase", erase)]).find(|&(_, &units)| units == 0) {
            Some((name, _)) => {
                let message = "is 0, must be 1 or more".to_owned();
                Err(Fault::new(format!("time_out_units.{name}"), message))
            }
            None => Ok(()),
        }
    }
}

fn few(field: &str, clocks: u64) -> Result<(), Fault> {
    if clocks <= CLOCKS_MAX {
        return Ok(());
    }
    Err(Fault::new(field, format!("is {clocks}, must be 0 to {CLOCKS_MAX}")))
}
