//! What the experiment is told: `configs/experiments/ofc.ron`.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::load::REQUEST_PAGES;
use crate::config::{Check, ConfigError, ControllerConfig, DriveConfig, Fault, load_checked};

/// The experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfcConfig {
    /// What it is, for the report.
    pub title: String,
    /// The drive, a name in `configs/drives`; what is calibrated, and its shape, stand here.
    pub drive: String,
    /// Seed of all that is drawn at random.
    pub seed: u64,
    /// Parameters that the publication leaves open, each set for one of its figures.
    pub calibrated: Calibrated,
    /// Channels and dies of a channel, as published.
    pub shape: Shape,
    /// Other shapes to compare it with.
    pub shapes: Vec<Shape>,
    /// Over-provisioning (T - U) / U, in per cent, of the drives that are written at random.
    pub over_provisioning_percent: Vec<f64>,
    /// Windows of windowed greedy collection, in per cent of a plane's blocks.
    pub window_percent: Vec<f64>,
    /// How much is measured.
    pub effort: Effort,
    /// A channel that is put beside its controller in RTL.
    #[serde(default)]
    pub rtl: Option<RtlCheck>,
}

/// A channel on the controller RTL, beside the model of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RtlCheck {
    /// The channel.
    pub channel: u32,
    /// Pages of each load.
    pub pages: u64,
    /// The controller, in place of the drive's times of its channels; what a page holds its
    /// channel for beside its data is not among them. The calibration's path is from the
    /// experiment's folder.
    pub controller: ControllerConfig,
}

/// Parameters that the publication leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibrated {
    /// What a page holds its channel for beside its data: for the sequential read rate (C-1).
    pub page_overhead_ns: f64,
    /// What firmware takes for a command: for the random read rate (C-3).
    pub command_ns: f64,
    /// Over-provisioning: for the random write rate (C-4).
    pub over_provisioning_percent: f64,
}

/// How many dies on how many channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Channels.
    pub channels: u32,
    /// Dies of a channel.
    pub dies: u32,
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// Pages that a rate is measured over, but for random writes.
    pub pages: u64,
    /// Drive writes at random before measuring, for a steady state.
    pub warm_up_drive_writes: f64,
    /// Drive writes at random that are measured.
    pub drive_writes: f64,
}

/// Blocks of a unit that hold no data in the steady state: the free one that collection needs,
/// and the one that is being written.
const BLOCKS_WITHOUT_DATA: u32 = 2;

impl OfcConfig {
    /// Reads and checks a configuration.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let mut config: Self = load_checked(path)?;
        if let Some(rtl) = &mut config.rtl {
            rtl.controller.load(path)?;
        }
        Ok(config)
    }

    /// A drive of the experiment. `percent` is (T - U) / U with T the pages of the blocks that can
    /// hold data, as the closed forms count them.
    pub fn drive(&self, drive: &DriveConfig, shape: Shape, percent: f64) -> DriveConfig {
        let mut drive = drive.clone();
        drive.topology.channels = shape.channels;
        drive.topology.dies_per_channel = shape.dies;
        if let Some(bus) = &mut drive.bus {
            bus.read_command_ns = self.calibrated.page_overhead_ns;
            bus.program_command_ns = self.calibrated.page_overhead_ns;
        }
        drive.firmware.cost_ns.command = self.calibrated.command_ns;
        let blocks = f64::from(drive.topology.blocks_per_plane);
        let with_data = blocks - f64::from(BLOCKS_WITHOUT_DATA);
        let all_over_user = (1.0 + percent / 100.0) * blocks / with_data;
        drive.ftl.over_provisioning_percent = 100.0 * (all_over_user - 1.0);
        drive
    }
}

impl Check for OfcConfig {
    fn check(&self) -> Result<(), Fault> {
        let positive = [
            ("calibrated.page_overhead_ns", self.calibrated.page_overhead_ns),
            ("calibrated.command_ns", self.calibrated.command_ns),
            ("calibrated.over_provisioning_percent", self.calibrated.over_provisioning_percent),
            ("effort.pages", self.effort.pages as f64),
            ("effort.warm_up_drive_writes", self.effort.warm_up_drive_writes),
            ("effort.drive_writes", self.effort.drive_writes),
        ];
        let percents = |field, all: &[f64]| all.iter().map(move |&value| (field, value)).collect();
        let over: Vec<_> = percents("over_provisioning_percent", &self.over_provisioning_percent);
        let windows: Vec<_> = percents("window_percent", &self.window_percent);
        for (field, value) in positive.into_iter().chain(over).chain(windows.iter().copied()) {
            if !(value.is_finite() && value > 0.0) {
                return Err(Fault::new(field, format!("is {value}, must be more than 0")));
            }
        }
        if let Some((field, value)) = windows.iter().find(|(_, value)| *value > 100.0) {
            return Err(Fault::new(*field, format!("is {value}, must be at most 100")));
        }
        if let Some(RtlCheck { channel, pages, controller }) = &self.rtl {
            let wrong = |Fault { field, message }| Fault::new(format!("rtl.{field}"), message);
            controller.check().map_err(wrong)?;
            let channels = self.shape.channels;
            if *channel >= channels {
                let message = format!("is {channel}, must be below {channels}");
                return Err(Fault::new("rtl.channel", message));
            }
            if *pages < REQUEST_PAGES {
                let message = format!("is {pages}, must be {REQUEST_PAGES} or more");
                return Err(Fault::new("rtl.pages", message));
            }
        }
        let shapes = [("shape", self.shape)].into_iter();
        for (field, Shape { channels, dies }) in
            shapes.chain(self.shapes.iter().map(|&shape| ("shapes", shape)))
        {
            if !(1..=64).contains(&channels) || !(1..=64).contains(&dies) {
                let message = format!("has {channels} channels of {dies} dies, must be 1 to 64");
                return Err(Fault::new(field, message));
            }
        }
        Ok(())
    }
}
