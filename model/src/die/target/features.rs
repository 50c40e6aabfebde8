//! Set Features and Get Features: four bytes at a feature address (ONFI features).

use super::output::{ByteKind, Source};
use super::{Target, us};
use crate::die::lun::BusyKind;
use crate::die::part::Feature;
use crate::die::rules::{Diagnostic, Quantity, Rule};
use crate::die::{Interface, TimingMode};

/// Interface (P1 bits 5:4), timing mode (3:0), program clear (6).
pub(super) const TIMING_MODE: u8 = 0x01;
/// P1 bit of feature 01h that keeps 80h from clearing the registers of other LUNs.
const PROGRAM_CLEAR: u8 = 0x40;
/// Drive strength.
const DRIVE_STRENGTH: u8 = 0x10;
/// The strength after power-up: 35 ohm.
const NOMINAL_STRENGTH: u8 = 2;

impl Interface {
    /// What the field calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sdr => "SDR",
            Self::NvDdr => "NV-DDR",
        }
    }
}

impl Target {
    /// EEh: the parameters go out after tFEAT.
    pub(super) fn get_features(&mut self, address: u8) {
        self.mode_is_unchecked &= address != TIMING_MODE;
        let parameters = self.feature(address);
        self.output.put(Source::bytes(ByteKind::Features, parameters.to_vec()));
        self.make_all_busy(BusyKind::Features, us(self.part.timing.t_feat_us));
    }

    /// EFh with its four parameters.
    pub(super) fn set_features(&mut self, address: u8, parameters: [u8; 4]) {
        self.output.put(Source::None);
        if address == TIMING_MODE {
            self.make_all_busy(BusyKind::InterfaceChange, us(self.part.timing.t_itc_us));
            if self.change_mode(parameters[0]) {
                self.features.insert(address, parameters);
                self.mode_is_unchecked = true;
            }
        } else {
            self.make_all_busy(BusyKind::Features, us(self.part.timing.t_feat_us));
            self.features.insert(address, parameters);
        }
    }

    /// The four bytes at a feature address.
    pub(super) fn feature(&self, address: u8) -> [u8; 4] {
        let at_power_up = match address {
            DRIVE_STRENGTH => [NOMINAL_STRENGTH, 0, 0, 0],
            _ => [0; 4],
        };
        self.features.get(&address).copied().unwrap_or(at_power_up)
    }

    /// Whether 80h leaves the registers of other LUNs alone.
    pub(super) fn clears_own_register_only(&self) -> bool {
        let asked = self.feature(TIMING_MODE)[0] & PROGRAM_CLEAR != 0;
        asked && self.part.has(Feature::ProgramClear)
    }

    /// Whether erases leave their blocks with one bit per cell.
    pub(super) fn erases_to_slc(&self) -> bool {
        let slc = self.part.cells.slc_mode.as_ref();
        slc.is_some_and(|slc| self.feature(slc.feature_address)[0] & 1 != 0)
    }

    /// Changes interface and mode, where the part offers them.
    fn change_mode(&mut self, p1: u8) -> bool {
        let (mode, interface) = (p1 & 0x0F, p1 >> 4 & 0x03);
        let offered = &self.part.interfaces;
        let (interface, modes) = match interface {
            0 => (Interface::Sdr, &offered.sdr_modes),
            1 if !offered.nv_ddr_modes.is_empty() => (Interface::NvDdr, &offered.nv_ddr_modes),
            other => {
                let text = format!("MODE-UNSUP: interface {other} not offered");
                let figures = (count(other), count(u8::from(!offered.nv_ddr_modes.is_empty())));
                let breach = Diagnostic::new(Rule::I20, self.now, text);
                self.tell(breach.with(figures.0, figures.1));
                return false;
            }
        };
        if !modes.contains(&mode) {
            let highest = modes.last().copied().unwrap_or_default();
            let text = format!("MODE-UNSUP: {} mode {mode} not offered", interface.name());
            let breach = Diagnostic::new(Rule::I01, self.now, text);
            self.tell(breach.with(count(mode), count(highest)));
            return false;
        }
        self.interface = interface;
        self.mode = TimingMode(mode);
        self.reset_from = None;
        true
    }
}

fn count(value: u8) -> Quantity {
    Quantity::Count(value.into())
}
