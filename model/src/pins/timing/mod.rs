//! Bus timings of SDR and NV-DDR by mode, in picoseconds: what a host has to keep and what a die
//! promises. The figures are those of Linux's and others' tables of the ONFI modes; a test compares
//! them with the list of facts.

mod tables;

use super::bus::Instant;
use floatgate_hal::units::Picoseconds;

pub use tables::Parameter;

/// The highest mode number of SDR and of NV-DDR.
pub const MODE_MAX: u8 = 5;

/// The bounds of one parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bound {
    min: Option<Instant>,
    max: Option<Instant>,
}

/// All bounds of one interface and mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timings {
    bounds: [Bound; Parameter::ALL.len()],
}

/// Timings of the SDR interface.
#[derive(Clone, Copy, Debug)]
pub struct SdrTimings;

/// Timings of the NV-DDR interface.
#[derive(Clone, Copy, Debug)]
pub struct NvddrTimings;

impl SdrTimings {
    /// The bounds of a mode, 0 to [`MODE_MAX`].
    ///
    /// # Panics
    /// On a higher mode.
    pub fn mode(mode: u8) -> Timings {
        Timings::from_rows(tables::SDR, mode)
    }

    /// Whether data have to be captured at the next fall of RE# instead of its rise, because RE#
    /// at its shortest is low for less than tREA (ONFI calls it EDO; tRC below 30 ns).
    pub fn wants_edo(timings: &Timings) -> bool {
        timings.minimum(Parameter::Rc) < 30_000
    }
}

impl NvddrTimings {
    /// The bounds of a mode, 0 to [`MODE_MAX`], of a device with the slow tCAD.
    ///
    /// # Panics
    /// On a higher mode.
    pub fn mode(mode: u8) -> Timings {
        Timings::from_rows(tables::NVDDR, mode)
    }
}

impl Timings {
    fn from_rows(rows: &[tables::Row], mode: u8) -> Self {
        assert!(mode <= MODE_MAX, "mode {mode} is beyond {MODE_MAX}");
        let mut bounds = [Bound::default(); Parameter::ALL.len()];
        for row in rows {
            let of_mode = |values: &[Instant; 6]| values[usize::from(mode)];
            bounds[row.parameter as usize] =
                Bound { min: row.min.as_ref().map(of_mode), max: row.max.as_ref().map(of_mode) };
        }
        Self { bounds }
    }

    /// The least that a parameter may be, where it has such a bound.
    pub fn min(&self, parameter: Parameter) -> Option<Picoseconds> {
        self.bounds[parameter as usize].min.map(|ps| Picoseconds(ps as u64))
    }

    /// The most that a parameter may be, where it has such a bound.
    pub fn max(&self, parameter: Parameter) -> Option<Picoseconds> {
        self.bounds[parameter as usize].max.map(|ps| Picoseconds(ps as u64))
    }

    /// Replaces the lower bound of a parameter: a part's own figure, or a host's on purpose.
    pub fn set_min(&mut self, parameter: Parameter, bound: Picoseconds) {
        self.bounds[parameter as usize].min = Some(bound.0 as Instant);
    }

    /// Replaces the upper bound of a parameter.
    pub fn set_max(&mut self, parameter: Parameter, bound: Picoseconds) {
        self.bounds[parameter as usize].max = Some(bound.0 as Instant);
    }

    /// The lower bound, 0 where there is none.
    #[inline]
    pub(super) fn minimum(&self, parameter: Parameter) -> Instant {
        self.bounds[parameter as usize].min.unwrap_or(0)
    }

    /// The upper bound, 0 where there is none.
    #[inline]
    pub(super) fn maximum(&self, parameter: Parameter) -> Instant {
        self.bounds[parameter as usize].max.unwrap_or(0)
    }
}
