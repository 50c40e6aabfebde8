//! Channels whose times follow from an ONFI mode and the controller's calibration.

use std::path::{Path, PathBuf};

use floatgate_hal::flash::BusOp;
use floatgate_hal::flash::address::{ColumnAddress, DieIndex, RowAddress};
use floatgate_hal::flash::mode::{DataInterface, DieTiming, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::timing::{MODE_MAX, TimingError};
use floatgate_hal::units::{ByteCount, Cycles, Picoseconds};
use serde::{Deserialize, Serialize};

use super::bus::sector_bytes;
use super::drive::holds;
use super::{BusInterface, Check, ConfigError, Fault};
use crate::array::{ArrayTiming, BusTiming};
use crate::calibration::Calibration;
use crate::channel::{Controller, ControllerClocks, OperationSpans};

/// A controller and the mode of its dies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerConfig {
    /// The data interface.
    pub interface: BusInterface,
    /// Its timing mode, 0 to 5.
    pub mode: u8,
    /// Period of the controller's clock.
    pub clock_ps: u64,
    /// What `floatgate characterize` measured of the controller; a relative path is from the
    /// drive's folder.
    pub calibration: PathBuf,
    /// Bytes that cross the bus for each sector: its 512, or these with parity and spare bytes.
    #[serde(default = "sector_bytes")]
    pub sector_bytes: u32,
    /// What the file says.
    #[serde(skip)]
    clocks: Option<ControllerClocks>,
}

impl ControllerConfig {
    /// With clocks that were measured.
    pub fn new(mode: TimingMode, clock: Picoseconds, clocks: ControllerClocks) -> Self {
        Self {
            interface: match mode.interface {
                DataInterface::Sdr => BusInterface::Sdr,
                DataInterface::NvDdr => BusInterface::NvDdr,
            },
            mode: mode.mode,
            clock_ps: clock.0,
            calibration: PathBuf::new(),
            sector_bytes: sector_bytes(),
            clocks: Some(clocks),
        }
    }

    /// Reads the calibration, which lies where the drive at `drive` says.
    pub(crate) fn load(&mut self, drive: &Path) -> Result<(), ConfigError> {
        if let Some(folder) = drive.parent() {
            self.calibration = folder.join(&self.calibration);
        }
        self.clocks = Some(Calibration::load_controller(&self.calibration)?);
        Ok(())
    }

    /// The spans of an operation on so many sectors.
    fn spans(&self, kind: OpKind, sectors: u32) -> Result<OperationSpans, TimingError> {
        let interface = match self.interface {
            BusInterface::Sdr => DataInterface::Sdr,
            BusInterface::NvDdr => DataInterface::NvDdr,
        };
        let mode = TimingMode { interface, mode: self.mode };
        let none = ControllerClocks { accept: Cycles(0), complete: Cycles(0), time_limits: [1; 5] };
        let clocks = self.clocks.unwrap_or(none);
        let controller = Controller { clock_period: Picoseconds(self.clock_ps), clocks };
        let op = BusOp {
            kind,
            die: DieIndex(0),
            row: RowAddress(0),
            column: ColumnAddress(0),
            length: ByteCount(sectors * self.sector_bytes),
        };
        controller.spans(&DieTiming { mode, ..DieTiming::default() }, &op)
    }

    /// Puts the times of the channel into those of the array.
    ///
    /// # Panics
    /// The configuration was not checked, or not [`load`](super::DriveConfig::load)ed.
    pub(super) fn apply(&self, timing: &mut ArrayTiming) {
        assert!(self.clocks.is_some(), "the calibration was not read");
        let spans = |kind, sectors| self.spans(kind, sectors).expect("it was checked");
        let (read, program) = (spans(OpKind::ReadPage, 1), spans(OpKind::ProgramPage, 1));
        let erase = spans(OpKind::EraseBlock, 0);
        let sector_out = spans(OpKind::ReadPage, 2).finish.0 - read.finish.0;
        let sector_in = spans(OpKind::ProgramPage, 2).issue.0 - program.issue.0;
        timing.bus = BusTiming {
            accept: read.accept,
            read_command: read.issue,
            program_command: Picoseconds(program.issue.0 - sector_in),
            erase_command: erase.issue,
            data_out: Picoseconds(read.finish.0 - sector_out),
            status: erase.finish,
            sector_bytes: self.sector_bytes,
            sector_in: Picoseconds(sector_in),
            sector_out: Picoseconds(sector_out),
            complete: read.complete,
            brief_first: true,
        };
        // The array begins with the last cycle of the command, the bus is free a little later, and
        // the controller sees the end a little later still.
        let seen = |span: &mut Picoseconds, spans: &OperationSpans| {
            span.0 = span.0.saturating_add_signed(spans.ready_ps);
        };
        timing.t_r.iter_mut().for_each(|t_r| seen(t_r, &read));
        timing.t_prog.iter_mut().for_each(|t_prog| seen(t_prog, &program));
        seen(&mut timing.t_bers, &erase);
    }
}

impl Check for ControllerConfig {
    fn check(&self) -> Result<(), Fault> {
        let message = format!("is {}, must be 0 to {MODE_MAX}", self.mode);
        holds("controller.mode", self.mode <= MODE_MAX, message)?;
        let message = format!("is {}, must be 500 to 100000", self.clock_ps);
        holds("controller.clock_ps", (500..=100_000).contains(&self.clock_ps), message)?;
        let bytes = self.sector_bytes;
        let is_right = (2..=1024).contains(&bytes) && bytes.is_multiple_of(2);
        let message = format!("is {bytes}, must be even and 2 to 1024");
        holds("controller.sector_bytes", is_right, message)?;
        let message = format!("is {}, which does not suit mode {}", self.clock_ps, self.mode);
        holds("controller.clock_ps", self.spans(OpKind::ReadPage, 1).is_ok(), message)
    }
}
