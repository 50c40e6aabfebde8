//! Addresses inside a channel, after ONFI: die (chip enable), row (LUN, block, page) and column.

use crate::units::ByteCount;

/// Which target of a channel: the index of its CE#.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DieIndex(pub u8);

/// A byte in a page register; array data in NV-DDR want an even one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnAddress(pub u16);

/// LUN, block and page as they go over the bus, page lowest, three bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowAddress(pub u32);

/// A LUN of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LunIndex(pub u8);

/// A block of a LUN; its lowest bits choose the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockIndex(pub u32);

/// A page of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageIndex(pub u16);

/// How a target is divided, as its parameter page tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Data bytes of a page.
    pub page_bytes: ByteCount,
    /// Spare bytes of a page.
    pub spare_bytes: ByteCount,
    /// Pages of a block.
    pub pages_per_block: u16,
    /// Blocks of a LUN.
    pub blocks_per_lun: u32,
    /// Planes of a LUN, a power of two.
    pub planes: u8,
    /// LUNs of the target.
    pub luns: u8,
}

/// Bits that hold `count` values.
const fn width(count: u32) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

impl Geometry {
    /// Data and spare bytes together: the length of the page register.
    pub const fn register_bytes(&self) -> ByteCount {
        ByteCount(self.page_bytes.0 + self.spare_bytes.0)
    }

    /// The row address of a page: each field as wide as its count needs, page lowest.
    pub const fn row(&self, lun: LunIndex, block: BlockIndex, page: PageIndex) -> RowAddress {
        let page_bits = width(self.pages_per_block as u32);
        let block_bits = width(self.blocks_per_lun);
        let block_and_lun = ((lun.0 as u32) << block_bits) | block.0;
        RowAddress((block_and_lun << page_bits) | page.0 as u32)
    }

    /// The fields of a row address, whether or not such a page exists.
    pub const fn split(&self, row: RowAddress) -> (LunIndex, BlockIndex, PageIndex) {
        let page_bits = width(self.pages_per_block as u32);
        let block_bits = width(self.blocks_per_lun);
        let page = row.0 & ((1 << page_bits) - 1);
        let block = (row.0 >> page_bits) & ((1 << block_bits) - 1);
        let lun = row.0 >> (page_bits + block_bits);
        (LunIndex(lun as u8), BlockIndex(block), PageIndex(page as u16))
    }

    /// The plane of a block.
    pub const fn plane(&self, block: BlockIndex) -> u8 {
        (block.0 % self.planes as u32) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The invented MLC device of the facts: LUN 1, block 1235, page 77 is row CD34Dh.
    #[test]
    fn row_packs_as_worked_by_hand() {
        let geometry = Geometry {
            page_bytes: ByteCount(8192),
            spare_bytes: ByteCount(744),
            pages_per_block: 256,
            blocks_per_lun: 2048,
            planes: 2,
            luns: 2,
        };
        let row = geometry.row(LunIndex(1), BlockIndex(1235), PageIndex(77));
        assert_eq!(row, RowAddress(0xCD34D));
        assert_eq!(geometry.split(row), (LunIndex(1), BlockIndex(1235), PageIndex(77)));
        assert_eq!(geometry.plane(BlockIndex(1235)), 1);
    }
}
