//! What stands behind the pins: a target that takes decoded bus cycles.

use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::Picoseconds;

use crate::die::{self, Cycle, Diagnostic, Part, Settings, Target};

/// A target as its pins see it: cycles go in, bytes come out, R/B# and the interface in use are
/// its state.
pub trait Behind {
    /// Takes a command, address or data cycle that was latched at `at`.
    fn cycle(&mut self, at: Picoseconds, cycle: Cycle);

    /// Fetches the next bytes that go out; how many there were.
    fn data_out(&mut self, at: Picoseconds, into: &mut [u8]) -> usize;

    /// Whether R/B# is high at `at`.
    fn is_ready(&self, at: Picoseconds) -> bool;

    /// When this target will next change after `at` without a cycle.
    fn next_change(&self, at: Picoseconds) -> Option<Picoseconds>;

    /// The interface and mode that it was told to talk in. The pins follow when its busy time ends.
    fn timing_mode(&self) -> TimingMode;

    /// Whether each byte that goes over the bus now goes twice, if the interface is NV-DDR.
    fn bytes_are_doubled(&self) -> bool;

    /// WP# is low from `at` on, or high again.
    fn write_protect(&mut self, at: Picoseconds, is_protected: bool);

    /// Takes out what it found wrong with the cycles since the last call.
    fn drain_diagnostics(&mut self) -> Vec<Diagnostic>;
}

impl Behind for Target {
    fn cycle(&mut self, at: Picoseconds, cycle: Cycle) {
        self.cycle(at, cycle);
    }

    fn data_out(&mut self, at: Picoseconds, into: &mut [u8]) -> usize {
        self.data_out(at, into)
    }

    fn is_ready(&self, at: Picoseconds) -> bool {
        self.is_ready(at)
    }

    fn next_change(&self, at: Picoseconds) -> Option<Picoseconds> {
        self.next_change(at)
    }

    fn timing_mode(&self) -> TimingMode {
        let (interface, die::TimingMode(mode)) = self.interface();
        let interface = match interface {
            die::Interface::Sdr => DataInterface::Sdr,
            die::Interface::NvDdr => DataInterface::NvDdr,
        };
        TimingMode { interface, mode }
    }

    fn bytes_are_doubled(&self) -> bool {
        self.bytes_are_doubled()
    }

    fn write_protect(&mut self, at: Picoseconds, is_protected: bool) {
        self.set_write_protect(at, is_protected);
    }

    fn drain_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.drain_diagnostics()
    }
}

/// What the pin level has to know of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinOptions {
    /// tCCS of the part (parameter page bytes 139-140).
    pub t_ccs: Picoseconds,
    /// tADL of the part; the ONFI 4 figure unless its data sheet says otherwise.
    pub t_adl: Picoseconds,
    /// Whether it takes cycles after the fast tCAD (byte 143 bit 0).
    pub fast_t_cad: bool,
    /// Whether CLK may stop while data go in (byte 143 bit 2).
    pub clk_may_stop: bool,
    /// Whether tCS3 holds after a long time deselected, as ONFI 4 has it.
    pub long_chip_enable_setup: bool,
    /// Whether bytes of the parameter page and the unique ID go over NV-DDR twice, like those of
    /// IDs and features; no source settles it.
    pub doubles_parameter_page: bool,
    /// Which end of its windows the part's NV-DDR output keeps to.
    pub corner: Corner,
}

/// Where in the windows of tDQSCK and tDQSD a part drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Corner {
    /// As early as it may.
    Fast,
    /// As late as it may.
    #[default]
    Slow,
}

impl PinOptions {
    /// The options of a part, as its parameter page tells them.
    pub fn of(part: &Part, settings: &Settings) -> Self {
        /// Bit of the revision field that stands for ONFI 4.0; later ones are above it.
        const ONFI_4: u16 = 9;
        Self {
            t_ccs: Picoseconds(u64::from(part.timing.t_ccs_ns) * 1_000),
            fast_t_cad: part.interfaces.fast_t_cad,
            clk_may_stop: part.parameter_page.pins.clk_may_stop,
            long_chip_enable_setup: part.parameter_page.revision >> ONFI_4 != 0,
            doubles_parameter_page: settings.doubles_parameter_page,
            ..Self::default()
        }
    }
}

impl Default for PinOptions {
    /// A part of which nothing is known.
    fn default() -> Self {
        Self {
            t_ccs: Picoseconds(500_000),
            t_adl: Picoseconds(400_000),
            fast_t_cad: false,
            clk_may_stop: false,
            long_chip_enable_setup: false,
            doubles_parameter_page: false,
            corner: Corner::Slow,
        }
    }
}
