//! The vocabulary of a die: one method for each thing that firmware asks of it, in the terms of
//! ONFI. What the controller answers beyond the data becomes a [`BusFault`].

use floatgate_hal::flash::address::{ColumnAddress, DieIndex, RowAddress};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::{BusOp, FlashBus, Outcome, Transfer};
use floatgate_hal::units::ByteCount;

/// Parameters of a feature.
pub(crate) const FEATURE_BYTES: usize = 4;

/// A status that no die gives.
const UNDRIVEN: u8 = 0xFF;

/// An operation that did not end as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BusFault {
    /// The die says that it failed.
    #[error("die {}, row {:06X}h: {kind:?} failed, status {status:02X}h", die.0, row.0)]
    Failed {
        /// The operation.
        kind: OpKind,
        /// On which die.
        die: DieIndex,
        /// Where.
        row: RowAddress,
        /// The die's status.
        status: u8,
    },
    /// The die did not become ready in time.
    #[error("die {}, row {:06X}h: {kind:?} timed out", die.0, row.0)]
    TimedOut {
        /// The operation.
        kind: OpKind,
        /// On which die.
        die: DieIndex,
        /// Where.
        row: RowAddress,
    },
    /// The controller does not do it.
    #[error("die {}, row {:06X}h: the controller refuses {kind:?}", die.0, row.0)]
    Refused {
        /// The operation.
        kind: OpKind,
        /// On which die.
        die: DieIndex,
        /// Where.
        row: RowAddress,
    },
}

/// A die on its bus.
#[derive(Debug)]
pub struct Die<'a, B> {
    bus: &'a B,
    index: DieIndex,
}

impl<B> Clone for Die<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Die<'_, B> {}

impl<'a, B> Die<'a, B> {
    /// The die behind a chip enable.
    pub fn new(bus: &'a B, index: DieIndex) -> Self {
        Self { bus, index }
    }

    /// The bus that it is on.
    pub fn bus(&self) -> &'a B {
        self.bus
    }

    /// Which die it is.
    pub fn index(&self) -> DieIndex {
        self.index
    }
}

impl<B: FlashBus> Die<'_, B> {
    pub(crate) async fn reset(&self) -> Result<(), BusFault> {
        self.run(OpKind::Reset, RowAddress(0), ColumnAddress(0), Transfer::None).await
    }

    pub(crate) async fn read_id(&self, address: u8, id: &mut [u8]) -> Result<(), BusFault> {
        let row = RowAddress(u32::from(address));
        self.run(OpKind::ReadId, row, ColumnAddress(0), Transfer::Out(id)).await
    }

    pub(crate) async fn read_parameter_page(&self, bytes: &mut [u8]) -> Result<(), BusFault> {
        let kind = OpKind::ReadParameterPage;
        self.run(kind, RowAddress(0), ColumnAddress(0), Transfer::Out(bytes)).await
    }

    pub(crate) async fn change_read_column(
        &self,
        column: ColumnAddress,
        bytes: &mut [u8],
    ) -> Result<(), BusFault> {
        let kind = OpKind::ChangeReadColumn;
        self.run(kind, RowAddress(0), column, Transfer::Out(bytes)).await
    }

    pub(crate) async fn feature(&self, address: u8) -> Result<[u8; FEATURE_BYTES], BusFault> {
        let row = RowAddress(u32::from(address));
        let mut value = [0; FEATURE_BYTES];
        let data = Transfer::Out(&mut value);
        self.run(OpKind::GetFeatures, row, ColumnAddress(0), data).await?;
        Ok(value)
    }

    pub(crate) async fn set_feature(
        &self,
        address: u8,
        value: [u8; FEATURE_BYTES],
    ) -> Result<(), BusFault> {
        let row = RowAddress(u32::from(address));
        self.run(OpKind::SetFeatures, row, ColumnAddress(0), Transfer::In(&value)).await
    }

    pub(crate) async fn read(
        &self,
        row: RowAddress,
        column: ColumnAddress,
        bytes: &mut [u8],
    ) -> Result<(), BusFault> {
        self.run(OpKind::ReadPage, row, column, Transfer::Out(bytes)).await
    }

    pub(crate) async fn program(
        &self,
        row: RowAddress,
        column: ColumnAddress,
        bytes: &[u8],
    ) -> Result<(), BusFault> {
        self.run(OpKind::ProgramPage, row, column, Transfer::In(bytes)).await
    }

    pub(crate) async fn erase(&self, row: RowAddress) -> Result<(), BusFault> {
        self.run(OpKind::EraseBlock, row, ColumnAddress(0), Transfer::None).await
    }

    async fn run(
        &self,
        kind: OpKind,
        row: RowAddress,
        column: ColumnAddress,
        data: Transfer<'_>,
    ) -> Result<(), BusFault> {
        let length = match &data {
            Transfer::None => 0,
            Transfer::In(bytes) => bytes.len(),
            Transfer::Out(bytes) => bytes.len(),
        };
        let die = self.index;
        let op = BusOp { kind, die, row, column, length: ByteCount(length as u32) };
        let completion = self.bus.execute(op, data).await;
        match completion.outcome {
            Outcome::Done => Ok(()),
            // All ones, reserved bits included, is what a bus reads that no die drives.
            Outcome::Failed if completion.status == UNDRIVEN => {
                Err(BusFault::TimedOut { kind, die, row })
            }
            Outcome::Failed => Err(BusFault::Failed { kind, die, row, status: completion.status }),
            Outcome::TimedOut => Err(BusFault::TimedOut { kind, die, row }),
            Outcome::Refused => Err(BusFault::Refused { kind, die, row }),
        }
    }
}
