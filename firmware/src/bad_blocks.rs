//! Which blocks of a target are bad: found by the maker's marks, and marked when they fail.
//!
//! The mark is a first spare byte of 00h in the first or the last page of a block. It has to be
//! read before the block is ever erased, since erasing may take it away.

use floatgate_hal::flash::FlashBus;
use floatgate_hal::flash::address::RowAddress;
use floatgate_hal::flash::address::{BlockIndex, ColumnAddress, Geometry, LunIndex, PageIndex};

use crate::commands::{BusFault, Die};

/// Bytes at the head of the spare area that are read: the mark, and one more because NV-DDR moves
/// bytes in pairs.
pub(crate) const MARK_BYTES: usize = 2;
/// Zeros that make a mark of the byte; fewer are bit errors of a good block's FFh.
const MARK_ZEROS: u32 = 4;

/// The storage lent to a table is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a table of {blocks} blocks needs {needed} bytes, {given} are given")]
pub struct TableTooShort {
    /// Blocks of the target.
    pub blocks: u32,
    /// Bytes for one bit each.
    pub needed: usize,
    /// Bytes given.
    pub given: usize,
}

/// One bit for every block of a target.
#[derive(Debug)]
pub struct BadBlocks<'a> {
    geometry: Geometry,
    bits: &'a mut [u8],
}

impl<'a> BadBlocks<'a> {
    /// A table without bad blocks, in lent storage.
    ///
    /// # Errors
    /// [`TableTooShort`] with the length that is needed.
    pub fn new(geometry: Geometry, storage: &'a mut [u8]) -> Result<Self, TableTooShort> {
        let table = Self::restored(geometry, storage)?;
        table.bits.fill(0);
        Ok(table)
    }

    /// A table whose storage holds what one of the same geometry left there.
    ///
    /// # Errors
    /// [`TableTooShort`] with the length that is needed.
    pub fn restored(geometry: Geometry, storage: &'a mut [u8]) -> Result<Self, TableTooShort> {
        let blocks = geometry.blocks_per_lun * u32::from(geometry.luns);
        let needed = blocks.div_ceil(8) as usize;
        let given = storage.len();
        let bits = storage.get_mut(..needed).ok_or(TableTooShort { blocks, needed, given })?;
        Ok(Self { geometry, bits })
    }

    /// Whether a block is bad.
    ///
    /// # Panics
    /// Where the target has no such block.
    pub fn is_bad(&self, lun: LunIndex, block: BlockIndex) -> bool {
        let (byte, mask) = self.place(lun, block);
        self.bits[byte] & mask != 0
    }

    /// Marks a block bad.
    ///
    /// # Panics
    /// Where the target has no such block.
    pub fn mark(&mut self, lun: LunIndex, block: BlockIndex) {
        let (byte, mask) = self.place(lun, block);
        self.bits[byte] |= mask;
    }

    /// How many blocks are bad.
    pub fn count(&self) -> u32 {
        self.bits.iter().map(|byte| byte.count_ones()).sum()
    }

    fn place(&self, lun: LunIndex, block: BlockIndex) -> (usize, u8) {
        let Geometry { blocks_per_lun, luns, .. } = self.geometry;
        assert!(lun.0 < luns && block.0 < blocks_per_lun, "LUN {}, block {}", lun.0, block.0);
        let index = u32::from(lun.0) * blocks_per_lun + block.0;
        ((index / 8) as usize, 1 << (index % 8))
    }
}

/// Reads the marks of all blocks into the table.
///
/// # Errors
/// The first operation that does not end as it should.
pub async fn scan_bad_blocks<B: FlashBus>(
    die: Die<'_, B>,
    table: &mut BadBlocks<'_>,
) -> Result<(), BusFault> {
    let geometry = table.geometry;
    for lun in (0..geometry.luns).map(LunIndex) {
        for block in (0..geometry.blocks_per_lun).map(BlockIndex) {
            if is_marked(die, &geometry, lun, block).await? {
                table.mark(lun, block);
            }
        }
    }
    Ok(())
}

async fn is_marked<B: FlashBus>(
    die: Die<'_, B>,
    geometry: &Geometry,
    lun: LunIndex,
    block: BlockIndex,
) -> Result<bool, BusFault> {
    for page in [0, geometry.pages_per_block - 1].map(PageIndex) {
        let row: RowAddress = geometry.row(lun, block, page);
        let column = ColumnAddress(geometry.page_bytes.0 as u16);
        let mut mark = [0xFF; MARK_BYTES];
        die.read(row, column, &mut mark).await?;
        if mark[0].count_zeros() >= MARK_ZEROS {
            return Ok(true);
        }
    }
    Ok(false)
}
