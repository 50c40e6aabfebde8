//! What operations take on the bus and in the array.

use floatgate_hal::units::Picoseconds;

use super::features::DieFeatures;
use super::turns::{Kind, Operation};
use crate::ssd::Part;

/// The order of page types in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageOrder {
    /// Types in turn: page n is of type n modulo their number.
    InTurn,
    /// 25 nm TLC: six LSB, two CSB, then LSB, CSB and MSB in pairs (OpenNVM).
    Tlc25Nm,
}

impl PageOrder {
    /// The type of a page of a block, of `types` types.
    pub const fn page_type(self, page: u32, types: u32) -> u32 {
        match self {
            Self::InTurn => page % types,
            Self::Tlc25Nm => match page {
                0..6 => 0,
                6..8 => 1,
                _ => (page - 8) / 2 % 3,
            },
        }
    }
}

/// Times of a channel, each that of holding the bus unless it says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusTiming {
    /// From an operation whose turn it is until it asks for the bus.
    pub accept: Picoseconds,
    /// Command and address of a read.
    pub read_command: Picoseconds,
    /// Of a program, beside its data.
    pub program_command: Picoseconds,
    /// Of an erase.
    pub erase_command: Picoseconds,
    /// The data of a read, beside those of its sectors.
    pub data_out: Picoseconds,
    /// A read of the status.
    pub status: Picoseconds,
    /// Bytes of a sector, with its parity and its share of the spare area.
    pub sector_bytes: u32,
    /// A sector into the die.
    pub sector_in: Picoseconds,
    /// A sector out of the die.
    pub sector_out: Picoseconds,
    /// From the end of an operation until firmware sees it.
    pub complete: Picoseconds,
    /// Whether commands and status go before the data of others.
    pub brief_first: bool,
}

/// Times of a channel and its dies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayTiming {
    /// Of the channel.
    pub bus: BusTiming,
    /// Array time of a read, for each page type.
    pub t_r: Vec<Picoseconds>,
    /// Array time of a program, for each page type.
    pub t_prog: Vec<Picoseconds>,
    /// Array time of an erase.
    pub t_bers: Picoseconds,
    /// The order of the page types.
    pub order: PageOrder,
    /// What the dies do beside one page or block after the other.
    pub features: DieFeatures,
}

/// A use of the bus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub(super) span: Picoseconds,
    /// Data bytes.
    pub(super) bytes: u32,
    /// The smaller, the sooner.
    pub(super) rank: u32,
}

impl ArrayTiming {
    /// Nothing takes any time.
    pub fn immediate() -> Self {
        let none = Picoseconds(0);
        Self {
            bus: BusTiming::default(),
            t_r: vec![none],
            t_prog: vec![none],
            t_bers: none,
            order: PageOrder::InTurn,
            features: DieFeatures::default(),
        }
    }

    /// Array time of a read of a page of a block.
    pub fn t_r(&self, page: u32) -> Picoseconds {
        self.of_type(&self.t_r, page)
    }

    pub(super) fn t_prog(&self, page: u32) -> Picoseconds {
        self.of_type(&self.t_prog, page)
    }

    /// The type of a page of a block, in the order of the times.
    pub(super) fn page_type(&self, page: u32) -> usize {
        self.order.page_type(page, self.t_prog.len() as u32) as usize
    }

    fn of_type(&self, times: &[Picoseconds], page: u32) -> Picoseconds {
        times[self.order.page_type(page, times.len() as u32) as usize]
    }

    /// What an operation takes alone, but for the data of a read: the bus, then the array.
    pub(super) fn parts(&self, operation: &Operation) -> [(Part, Picoseconds); 2] {
        let array = match operation.kind {
            Kind::Read => self.t_r(operation.page_in_block),
            Kind::Program => self.t_prog(operation.page_in_block),
            Kind::Erase => self.t_bers,
        };
        [(Part::Transfer, self.issue(operation).span), (Part::Array, array)]
    }

    /// Command and address of an operation, and the data of a program.
    pub(super) fn issue(&self, operation: &Operation) -> Burst {
        let BusTiming { read_command, program_command, erase_command, sector_in, .. } = self.bus;
        match operation.kind {
            Kind::Read => self.brief(read_command),
            Kind::Program => self.data(program_command, sector_in, operation.part.sectors),
            Kind::Erase => self.brief(erase_command),
        }
    }

    /// The data of a read.
    pub(super) fn data_out(&self, sectors: u8) -> Burst {
        self.data(self.bus.data_out, self.bus.sector_out, sectors)
    }

    pub(super) fn status(&self) -> Burst {
        self.brief(self.bus.status)
    }

    fn brief(&self, span: Picoseconds) -> Burst {
        Burst { span, bytes: 0, rank: 0 }
    }

    fn data(&self, beside: Picoseconds, sector: Picoseconds, sectors: u8) -> Burst {
        let span = Picoseconds(beside.0 + sector.0 * u64::from(sectors));
        let bytes = self.bus.sector_bytes * u32::from(sectors);
        Burst { span, bytes, rank: u32::from(self.bus.brief_first) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages of the OpenNVM table: 0 LSB, 1 CSB, 2 MSB.
    #[test]
    fn page_types_of_25_nm_tlc() {
        let of = |pages: &[u32]| -> Vec<u32> {
            pages.iter().map(|&page| PageOrder::Tlc25Nm.page_type(page, 3)).collect()
        };
        assert_eq!(of(&[0, 5, 6, 7]), [0, 0, 1, 1]);
        assert_eq!(of(&[8, 9, 10, 11, 12, 13, 14]), [0, 0, 1, 1, 2, 2, 0]);
    }
}
