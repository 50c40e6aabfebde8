//! A device with one channel: `configs/ssd/<name>.ron` enters, [`SsdConfig`] leaves.

use std::path::Path;

use floatgate_hal::flash::address::LunIndex;
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::Picoseconds;
use serde::{Deserialize, Serialize};

use super::{Check, ConfigError, Fault, load_checked};
use crate::die;

/// A channel has sixteen chip enables.
const MAX_DIES: u8 = 16;
/// The highest timing mode of SDR and of NV-DDR.
const MAX_MODE: u8 = 5;

/// How channel and codec are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Engine {
    /// The transaction-level models.
    Model,
    /// The SystemVerilog, in Verilator.
    Rtl,
}

/// A data interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BusInterface {
    /// Single data rate.
    Sdr,
    /// Double data rate with a clock.
    NvDdr,
}

/// A device, what its cells have been through, and how it is carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SsdConfig {
    /// The dies' part, a name in `configs/parts`.
    pub part: String,
    /// Dies on the channel, 1 to 16.
    pub dies: u8,
    /// The data interface to run them on.
    pub interface: BusInterface,
    /// Its timing mode, 0 to 5.
    pub mode: u8,
    /// Period of the channel controller's clock.
    pub controller_clock_ps: u64,
    /// The codec, a name in `configs/ecc`. Its longest data are the pieces that pages are cut into.
    pub code: String,
    /// Bits that are corrected in each codeword.
    pub strength: u16,
    /// Period of the codec's clock.
    pub codec_clock_ps: u64,
    /// Whether data are scrambled.
    pub scrambled: bool,
    /// Time that firmware takes for a page beside what it waits for.
    pub firmware_ns_per_page: u32,
    /// Program/erase cycles of all blocks before the run.
    pub initial_cycles: u32,
    /// Days between storing and reading.
    pub retention_days: f64,
    /// Seed of everything that is drawn at random.
    pub seed: u64,
    /// How channel and codec are carried out.
    pub engine: Engine,
    /// Dies that go wrong in mid-run.
    #[serde(default)]
    pub faults: Vec<DieFault>,
}

/// A die that goes wrong in mid-run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DieFault {
    /// Which one.
    pub die: u8,
    /// When, in simulated time.
    pub at_us: u32,
    /// How.
    pub kind: FaultKind,
}

/// How a die goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaultKind {
    /// It answers nothing any more.
    Dies,
    /// Its next array job never ends.
    StaysBusy,
}

impl DieFault {
    /// As a die's settings say it.
    pub fn fault(&self) -> die::Fault {
        let at = Picoseconds(1_000_000 * u64::from(self.at_us));
        match self.kind {
            FaultKind::Dies => die::Fault::Dies { at },
            FaultKind::StaysBusy => die::Fault::StaysBusy { lun: LunIndex(0), at },
        }
    }
}

impl SsdConfig {
    /// Reads and checks a configuration.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        load_checked(path.as_ref())
    }

    /// The timing mode to run the dies in.
    pub fn timing_mode(&self) -> TimingMode {
        let interface = match self.interface {
            BusInterface::Sdr => DataInterface::Sdr,
            BusInterface::NvDdr => DataInterface::NvDdr,
        };
        TimingMode { interface, mode: self.mode }
    }
}

impl Check for SsdConfig {
    fn check(&self) -> Result<(), Fault> {
        let holds = |field: &str, holds: bool, message: String| {
            if holds { Ok(()) } else { Err(Fault::new(field, message)) }
        };
        let &Self { dies, mode, strength, retention_days: days, .. } = self;
        holds("dies", (1..=MAX_DIES).contains(&dies), format!("is {dies}, must be 1 to 16"))?;
        holds("mode", mode <= MAX_MODE, format!("is {mode}, must be 0 to {MAX_MODE}"))?;
        holds("strength", strength > 0, "is 0, must be 1 or more".to_owned())?;
        for (field, period) in [
            ("controller_clock_ps", self.controller_clock_ps),
            ("codec_clock_ps", self.codec_clock_ps),
        ] {
            let sane = (500..=100_000).contains(&period);
            holds(field, sane, format!("is {period}, must be 500 to 100000"))?;
        }
        let wrong = self.faults.iter().enumerate().find(|(_, fault)| fault.die >= dies);
        if let Some((index, fault)) = wrong {
            let message = format!("is {}, must be less than the {dies} dies", fault.die);
            return Err(Fault::new(format!("faults[{index}].die"), message));
        }
        let message = format!("is {days}, must be 0 to 100000");
        holds("retention_days", (0.0..=100_000.0).contains(&days), message)
    }
}
