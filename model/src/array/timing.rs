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

/// Times of a channel and its dies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayTiming {
    /// Command and address of a read on the bus, CE# low to CE# high.
    pub read_command: Picoseconds,
    /// Of a program.
    pub program_command: Picoseconds,
    /// Of an erase.
    pub erase_command: Picoseconds,
    /// A read of the status.
    pub status: Picoseconds,
    /// A byte of data.
    pub byte: Picoseconds,
    /// What of it belongs to a sector: its 512 bytes, or these with parity and spare bytes.
    pub sector_bytes: u32,
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

impl ArrayTiming {
    /// Nothing takes any time.
    pub fn immediate() -> Self {
        let none = Picoseconds(0);
        Self {
            read_command: none,
            program_command: none,
            erase_command: none,
            status: none,
            byte: none,
            sector_bytes: 512,
            t_r: vec![none],
            t_prog: vec![none],
            t_bers: none,
            order: PageOrder::InTurn,
            features: DieFeatures::default(),
        }
    }

    pub(super) fn t_r(&self, page: u32) -> Picoseconds {
        self.of_type(&self.t_r, page)
    }

    pub(super) fn t_prog(&self, page: u32) -> Picoseconds {
        self.of_type(&self.t_prog, page)
    }

    fn of_type(&self, times: &[Picoseconds], page: u32) -> Picoseconds {
        times[self.order.page_type(page, times.len() as u32) as usize]
    }

    /// What an operation takes alone, but for the data of a read: the bus, then the array.
    pub(super) fn parts(&self, operation: &Operation) -> [(Part, Picoseconds); 2] {
        let (bus, array) = match operation.kind {
            Kind::Read => (self.read_command, self.t_r(operation.page_in_block)),
            Kind::Program => {
                (self.data_in(operation.sectors), self.t_prog(operation.page_in_block))
            }
            Kind::Erase => (self.erase_command, self.t_bers),
        };
        [(Part::Transfer, bus), (Part::Array, array)]
    }

    pub(super) fn data_in(&self, sectors: u8) -> Picoseconds {
        Picoseconds(self.program_command.0 + self.data_out(sectors).0)
    }

    pub(super) fn data_out(&self, sectors: u8) -> Picoseconds {
        Picoseconds(self.byte.0 * u64::from(self.sector_bytes) * u64::from(sectors))
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
