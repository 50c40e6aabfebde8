//! Energy of a drive by component, up to a time. What two times differ by is that of the span
//! between them.

use floatgate_hal::units::Picoseconds;

use super::Ssd;

/// A component of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// The dies.
    Nand,
    /// The channels.
    Bus,
    /// The buffer memory.
    Dram,
    /// Encoders and decoders.
    Ecc,
    /// Processor and all else of the controller.
    Controller,
}

impl Component {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Nand, Self::Bus, Self::Dram, Self::Ecc, Self::Controller];

    /// As a report calls it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Nand => "NAND",
            Self::Bus => "channels",
            Self::Dram => "DRAM",
            Self::Ecc => "ECC",
            Self::Controller => "controller",
        }
    }
}

/// Joules by component, in the order of [`Component::ALL`].
pub type Energy = [f64; Component::ALL.len()];

impl Ssd {
    /// The energy up to now; what is not configured takes none.
    pub(super) fn energy(&self, now: Picoseconds) -> Energy {
        let drive = self.drive();
        let usage = drive.array().usage();
        let dram_j = drive.host().memory().map_or(0.0, |memory| memory.energy().total_j());
        let Some(power) = &self.power else { return [0.0, 0.0, dram_j, 0.0, 0.0] };
        let array = power.power();
        let seconds = now.0 as f64 / 1e12;
        let dies_j = usage.die_energy_j(now, &array);
        let standby_j = power.standby_w() * dies_j.len() as f64 * seconds;
        let bytes: u64 = usage.channel_bytes().iter().sum();
        [
            dies_j.iter().sum::<f64>() + standby_j,
            usage.channel_energy_j(&array).iter().sum(),
            dram_j,
            power.ecc_j(bytes, usage.coded_byte_bits()),
            power.controller_w * seconds,
        ]
    }
}
