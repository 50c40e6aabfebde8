//! Raw bit error rate of NAND over wear, retention and reads.
//!
//! Two chips of Kim, Choi and Min, FAST'19, fitted as
//! RBER = e + a N^k + b N^m d^n + g N^p r^q with N program/erase cycles, d days of retention and r
//! reads per page; and a 25 nm TLC chip, per page type, from the OpenNVM measurements (Micron
//! MT29F64G08E), whose published figure gives the ends of the curves at 0 and 4,000 cycles, fresh
//! data, no disturbing reads.

use std::fmt;

/// Where on its cells a TLC page lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TlcPage {
    /// Least significant bit.
    Lsb,
    /// Centre significant bit.
    Csb,
    /// Most significant bit.
    Msb,
    /// Mean over the three.
    Mean,
}

/// A chip whose raw bit error rate is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RberModel {
    /// 2y-nm MLC (FAST'19); the fit holds to about 90 days.
    Mlc2yNm,
    /// 72-layer TLC (FAST'19).
    Tlc72Layer,
    /// 25 nm planar TLC (OpenNVM), 0 to 4,000 cycles.
    Tlc25Nm(TlcPage),
}

/// What a page has been through.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stress {
    /// Program/erase cycles.
    pub pe_cycles: f64,
    /// Days since it was programmed.
    pub retention_days: f64,
    /// Reads per page since then.
    pub reads: f64,
}

/// Last cycle count of the 25 nm measurements.
const TLC25_END_CYCLES: f64 = 4_000.0;

/// The most that [`RberModel::pe_cycles_at`] searches.
const SEARCH_END_CYCLES: f64 = 1e7;

struct Fit {
    e: f64,
    a: f64,
    k: f64,
    b: f64,
    m: f64,
    n: f64,
    g: f64,
    p: f64,
    q: f64,
}

const MLC_2Y: Fit = Fit {
    e: 8.34e-5,
    a: 3.30e-11,
    k: 1.71,
    b: 5.56e-19,
    m: 2.49,
    n: 3.33,
    g: 6.26e-13,
    p: 1.76,
    q: 0.47,
};

const TLC_72: Fit = Fit {
    e: 1.48e-3,
    a: 3.90e-10,
    k: 2.05,
    b: 6.28e-5,
    m: 0.14,
    n: 0.54,
    g: 3.73e-9,
    p: 0.33,
    q: 1.71,
};

impl Fit {
    fn at(&self, stress: Stress) -> f64 {
        let Stress { pe_cycles, retention_days, reads } = stress;
        self.e
            + self.a * pe_cycles.powf(self.k)
            + self.b * pe_cycles.powf(self.m) * retention_days.powf(self.n)
            + self.g * pe_cycles.powf(self.p) * reads.powf(self.q)
    }
}

impl RberModel {
    /// All models.
    pub const ALL: [Self; 6] = [
        Self::Mlc2yNm,
        Self::Tlc72Layer,
        Self::Tlc25Nm(TlcPage::Mean),
        Self::Tlc25Nm(TlcPage::Lsb),
        Self::Tlc25Nm(TlcPage::Csb),
        Self::Tlc25Nm(TlcPage::Msb),
    ];

    /// Raw bit error rate under a stress. The 25 nm chip knows no retention and no reads.
    pub fn rber(self, stress: Stress) -> f64 {
        match self {
            Self::Mlc2yNm => MLC_2Y.at(stress),
            Self::Tlc72Layer => TLC_72.at(stress),
            Self::Tlc25Nm(page) => {
                let (new, worn): (f64, f64) = match page {
                    TlcPage::Lsb => (2.0e-4, 6.0e-4),
                    TlcPage::Csb => (5.5e-4, 1.6e-3),
                    TlcPage::Msb => (2.0e-4, 1.5e-3),
                    TlcPage::Mean => (3.0e-4, 1.25e-3),
                };
                // Exponential between the ends, as wear curves of 3x to 5x nm parts are.
                let share = (stress.pe_cycles / TLC25_END_CYCLES).min(1.0);
                new * (worn / new).powf(share)
            }
        }
    }

    /// Cycles beyond which nothing is known of the chip.
    pub fn end_of_data_cycles(self) -> f64 {
        match self {
            Self::Tlc25Nm(_) => TLC25_END_CYCLES,
            _ => SEARCH_END_CYCLES,
        }
    }

    /// Program/erase cycles at which the raw bit error rate reaches `rber_limit` with the
    /// retention and reads of `stress`; 0 where a new chip is worse already, and
    /// [`Self::end_of_data_cycles`] where it never does as far as is known.
    pub fn pe_cycles_at(self, rber_limit: f64, stress: Stress) -> f64 {
        let within = |pe_cycles| self.rber(Stress { pe_cycles, ..stress }) <= rber_limit;
        let (mut low, mut high) = (0.0, self.end_of_data_cycles());
        if !within(low) {
            return 0.0;
        }
        if within(high) {
            return high;
        }
        while high - low > 1e-6 {
            let middle = (low + high) / 2.0;
            if within(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low.floor()
    }
}

impl fmt::Display for RberModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mlc2yNm => "2y-nm MLC",
            Self::Tlc72Layer => "72-layer TLC",
            Self::Tlc25Nm(TlcPage::Mean) => "25 nm TLC",
            Self::Tlc25Nm(TlcPage::Lsb) => "25 nm TLC, LSB pages",
            Self::Tlc25Nm(TlcPage::Csb) => "25 nm TLC, CSB pages",
            Self::Tlc25Nm(TlcPage::Msb) => "25 nm TLC, MSB pages",
        })
    }
}
