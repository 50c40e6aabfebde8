//! A mounted die: pages are programmed, read with correction and repetition, blocks erased, and
//! what fails is marked and reported, so that its owner moves the data elsewhere.

use floatgate_hal::flash::FlashBus;
use floatgate_hal::flash::address::{
    BlockIndex, ColumnAddress, Geometry, LunIndex, PageIndex, RowAddress,
};
use floatgate_hal::{Ecc, EccRefusal};

use crate::bad_blocks::{BadBlocks, MARK_BYTES};
use crate::commands::{BusFault, Die};
use crate::page::{DecodeError, DecodedPage, METADATA_BYTES, PageCodec};
use crate::policy::{FeatureSetting, ReadRetry, StrengthPolicy};

/// Why a page is not programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The block is bad; nothing was done.
    #[error("row {:06X}h is in a bad block", .0.0)]
    BadBlock(RowAddress),
    /// The program failed. The block is bad from now on: this page has to be programmed elsewhere,
    /// and what the block holds has to be moved.
    #[error("program failed at row {:06X}h; its block is bad now", .0.0)]
    Relocate(RowAddress),
    /// The operation did not come to its end.
    #[error(transparent)]
    Bus(BusFault),
    /// The codec does not do what the layout asks of it.
    #[error("the codec refuses: {0:?}")]
    Ecc(EccRefusal),
}

/// Why a block is not erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EraseError {
    /// The block is bad; nothing was done.
    #[error("LUN {}, block {} is bad", .0.0, .1.0)]
    BadBlock(LunIndex, BlockIndex),
    /// The erase failed. The block is bad from now on.
    #[error("erase of LUN {}, block {} failed; it is bad now", .0.0, .1.0)]
    Failed(LunIndex, BlockIndex),
    /// The operation did not come to its end.
    #[error(transparent)]
    Bus(BusFault),
}

/// Why a page is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The operation did not come to its end.
    #[error(transparent)]
    Bus(#[from] BusFault),
    /// The last attempt did not give the data.
    #[error("row {:06X}h, read {attempts} times: {fault}", row.0)]
    Page {
        /// Where.
        row: RowAddress,
        /// How often it was read.
        attempts: u8,
        /// What the last attempt ended in.
        fault: DecodeError,
    },
}

/// A page that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRead {
    /// What it held.
    pub page: DecodedPage,
    /// Repetitions that it took.
    pub retries: u8,
}

/// A die with its codec, its policies and the memory lent to it.
#[derive(Debug)]
pub struct FlashStore<'a, B, E, S, R> {
    die: Die<'a, B>,
    geometry: Geometry,
    codec: PageCodec<'a, E, S>,
    retry: R,
    bad_blocks: BadBlocks<'a>,
    register: &'a mut [u8],
}

impl<'a, B: FlashBus, E: Ecc, S: StrengthPolicy, R: ReadRetry> FlashStore<'a, B, E, S, R> {
    /// Mounts a die that is up. `register` is memory for one page as it goes over the bus.
    ///
    /// # Panics
    /// Where `register` is shorter than the layout's
    /// [`register_bytes`](crate::page::PageLayout::register_bytes).
    pub fn new(
        die: Die<'a, B>,
        geometry: Geometry,
        codec: PageCodec<'a, E, S>,
        retry: R,
        bad_blocks: BadBlocks<'a>,
        register: &'a mut [u8],
    ) -> Self {
        let register = &mut register[..codec.layout.register_bytes().0 as usize];
        Self { die, geometry, codec, retry, bad_blocks, register }
    }

    /// The blocks that are bad.
    pub fn bad_blocks(&self) -> &BadBlocks<'a> {
        &self.bad_blocks
    }

    /// Programs one page.
    ///
    /// # Errors
    /// [`ProgramError`]; [`ProgramError::Relocate`] is what its caller has to act on.
    ///
    /// # Panics
    /// Where `data` is not one page, or `row` not in the die.
    pub async fn program_page(
        &mut self,
        row: RowAddress,
        data: &[u8],
        metadata: &[u8; METADATA_BYTES],
    ) -> Result<(), ProgramError> {
        let (lun, block, _) = self.geometry.split(row);
        if self.bad_blocks.is_bad(lun, block) {
            return Err(ProgramError::BadBlock(row));
        }
        let encoded = self.codec.encode(row, data, metadata, self.register).await;
        encoded.map_err(ProgramError::Ecc)?;
        match self.die.program(row, ColumnAddress(0), self.register).await {
            Err(BusFault::Failed { .. }) => {
                self.bad_blocks.mark(lun, block);
                Err(ProgramError::Relocate(row))
            }
            other => other.map_err(ProgramError::Bus),
        }
    }

    /// Reads one page, again with other thresholds where it cannot be corrected.
    ///
    /// # Errors
    /// [`ReadError`], `data` being of no use then.
    ///
    /// # Panics
    /// Where `data` is not one page.
    pub async fn read_page(
        &mut self,
        row: RowAddress,
        data: &mut [u8],
    ) -> Result<PageRead, ReadError> {
        let mut retries = 0;
        let attempt = loop {
            let attempt = self.read_once(row, data).await?;
            if attempt.is_ok() {
                break attempt;
            }
            let Some(setting) = self.retry.setting(retries + 1) else { break attempt };
            self.apply(setting).await?;
            retries += 1;
        };
        if let Some(usual) = self.retry.usual().filter(|_| retries > 0) {
            self.apply(usual).await?;
        }
        match attempt {
            Ok(page) => Ok(PageRead { page, retries }),
            Err(fault) => Err(ReadError::Page { row, attempts: retries + 1, fault }),
        }
    }

    /// Erases one block.
    ///
    /// # Errors
    /// [`EraseError`]; a block that fails is bad from then on.
    ///
    /// # Panics
    /// Where the die has no such block.
    pub async fn erase_block(
        &mut self,
        lun: LunIndex,
        block: BlockIndex,
    ) -> Result<(), EraseError> {
        if self.bad_blocks.is_bad(lun, block) {
            return Err(EraseError::BadBlock(lun, block));
        }
        match self.die.erase(self.geometry.row(lun, block, PageIndex(0))).await {
            Err(BusFault::Failed { .. }) => {
                self.bad_blocks.mark(lun, block);
                Err(EraseError::Failed(lun, block))
            }
            other => other.map_err(EraseError::Bus),
        }
    }

    /// Takes a block out of use for good, once what it holds has been moved: besides the table, its
    /// first page gets the mark that the next scan finds. That erase or program fail is what such a
    /// block is expected to do.
    ///
    /// # Errors
    /// A die that does not answer.
    ///
    /// # Panics
    /// Where the die has no such block.
    pub async fn retire_block(&mut self, lun: LunIndex, block: BlockIndex) -> Result<(), BusFault> {
        self.bad_blocks.mark(lun, block);
        let row = self.geometry.row(lun, block, PageIndex(0));
        let spare = ColumnAddress(self.geometry.page_bytes.0 as u16);
        expect_failure(self.die.erase(row).await)?;
        expect_failure(self.die.program(row, spare, &[0; MARK_BYTES]).await)
    }

    async fn read_once(
        &mut self,
        row: RowAddress,
        data: &mut [u8],
    ) -> Result<Result<DecodedPage, DecodeError>, BusFault> {
        self.die.read(row, ColumnAddress(0), self.register).await?;
        Ok(self.codec.decode(row, self.register, data).await)
    }

    async fn apply(&self, setting: FeatureSetting) -> Result<(), BusFault> {
        self.die.set_feature(setting.address, setting.value).await
    }
}

fn expect_failure(outcome: Result<(), BusFault>) -> Result<(), BusFault> {
    match outcome {
        Err(BusFault::Failed { .. }) => Ok(()),
        other => other,
    }
}
