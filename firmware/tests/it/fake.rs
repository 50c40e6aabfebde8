//! A die that answers at once, and a codec that knows all its codewords.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use floatgate_hal::flash::address::{DieIndex, Geometry, RowAddress};
use floatgate_hal::flash::mode::{BusTiming, DataInterface, DieTiming, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::timing::TimingError;
use floatgate_hal::flash::{BusOp, Completion, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{BitCount, ByteCount, Picoseconds, Strength};
use floatgate_hal::{Clock, Decoded, Ecc, EccRefusal};

/// Whether an operation is to fail, time out or be refused.
type Fault = Box<dyn Fn(&BusOp) -> Option<Outcome>>;

/// A bus with one die on it, whose faults a test sets.
pub(crate) struct FakeBus {
    pub(crate) geometry: Geometry,
    /// The answer to ECh.
    pub(crate) parameter_stream: Vec<u8>,
    /// The answer to 90h 20h.
    pub(crate) id: [u8; 4],
    /// What 01h becomes instead of what is written, where the die is not to follow.
    pub(crate) stubborn_mode: Option<u8>,
    /// The fastest mode that the controller keeps.
    pub(crate) fastest: TimingMode,
    pub(crate) fault: RefCell<Fault>,
    /// Bytes of every page that is not erased, from column 0 of the register.
    pub(crate) pages: RefCell<BTreeMap<u32, Vec<u8>>>,
    pub(crate) features: RefCell<BTreeMap<u8, [u8; 4]>>,
    pub(crate) timing: Cell<DieTiming>,
    /// Every operation with the timing that it was run at.
    pub(crate) log: RefCell<Vec<(BusOp, DieTiming)>>,
    /// Flips these bits of what is read next from an array.
    pub(crate) flips: RefCell<Vec<usize>>,
}

impl FakeBus {
    pub(crate) fn new(geometry: Geometry, parameter_stream: Vec<u8>) -> Self {
        Self {
            geometry,
            parameter_stream,
            id: *b"ONFI",
            stubborn_mode: None,
            fastest: TimingMode { interface: DataInterface::NvDdr, mode: 5 },
            fault: RefCell::new(Box::new(|_| None)),
            pages: RefCell::default(),
            features: RefCell::default(),
            timing: Cell::default(),
            log: RefCell::default(),
            flips: RefCell::default(),
        }
    }

    /// Lets operations end as the test says.
    pub(crate) fn set_fault(&self, fault: impl Fn(&BusOp) -> Option<Outcome> + 'static) {
        *self.fault.borrow_mut() = Box::new(fault);
    }

    pub(crate) fn kinds(&self) -> Vec<OpKind> {
        self.log.borrow().iter().map(|(op, _)| op.kind).collect()
    }

    fn register(&self, row: u32) -> Vec<u8> {
        let erased = || vec![0xFF; self.geometry.register_bytes().0 as usize];
        self.pages.borrow().get(&row).cloned().unwrap_or_else(erased)
    }

    fn write(&self, op: &BusOp, bytes: &[u8]) {
        match op.kind {
            OpKind::SetFeatures => {
                let mut value: [u8; 4] = bytes.try_into().expect("four parameters");
                let address = op.row.0 as u8;
                if address == 1 {
                    value[0] = self.stubborn_mode.unwrap_or(value[0]);
                }
                self.features.borrow_mut().insert(address, value);
            }
            OpKind::ProgramPage => {
                let mut register = self.register(op.row.0);
                let start = usize::from(op.column.0);
                for (cell, byte) in register[start..].iter_mut().zip(bytes) {
                    *cell &= byte;
                }
                self.pages.borrow_mut().insert(op.row.0, register);
            }
            other => panic!("{other:?} takes no data"),
        }
    }

    fn read(&self, op: &BusOp, bytes: &mut [u8]) {
        let column = usize::from(op.column.0);
        let source = match op.kind {
            OpKind::ReadId => self.id.to_vec(),
            OpKind::ReadParameterPage | OpKind::ChangeReadColumn => self.parameter_stream.clone(),
            OpKind::GetFeatures => {
                self.features.borrow().get(&(op.row.0 as u8)).copied().unwrap_or_default().to_vec()
            }
            OpKind::ReadPage => {
                let mut register = self.register(op.row.0);
                for bit in self.flips.take() {
                    register[bit / 8] ^= 0x80 >> (bit % 8);
                }
                register
            }
            other => panic!("{other:?} gives no data"),
        };
        bytes.copy_from_slice(&source[column..column + bytes.len()]);
    }
}

impl FlashBus for FakeBus {
    async fn execute(&self, op: BusOp, data: Transfer<'_>) -> Completion {
        self.log.borrow_mut().push((op, self.timing.get()));
        let outcome = (self.fault.borrow())(&op).unwrap_or(Outcome::Done);
        let status = if outcome == Outcome::Failed { 0xE1 } else { 0xE0 };
        if outcome == Outcome::Done {
            match data {
                Transfer::In(bytes) => self.write(&op, bytes),
                Transfer::Out(bytes) => self.read(&op, bytes),
                Transfer::None if op.kind == OpKind::EraseBlock => {
                    let (lun, block, _) = self.geometry.split(op.row);
                    let of_block = |row: &u32| {
                        let (l, b, _) = self.geometry.split(RowAddress(*row));
                        (l, b) == (lun, block)
                    };
                    self.pages.borrow_mut().retain(|row, _| !of_block(row));
                }
                Transfer::None => {}
            }
        }
        let now = Picoseconds(0);
        Completion { outcome, status, started: now, finished: now }
    }
}

impl BusTiming for FakeBus {
    fn set_timing(&self, _: DieIndex, timing: DieTiming) -> Result<(), TimingError> {
        if timing.mode > self.fastest {
            return Err(TimingError::ClockUnsuitable);
        }
        self.timing.set(timing);
        Ok(())
    }
}

impl Clock for FakeBus {
    fn now(&self) -> Picoseconds {
        Picoseconds(0)
    }

    async fn delay(&self, _: Picoseconds) {}
}

/// A bounded-distance decoder by search: it remembers every codeword that it made, and a received
/// word becomes the one within t bits of it.
#[derive(Default)]
pub(crate) struct FakeEcc {
    codewords: RefCell<Vec<Codeword>>,
}

struct Codeword {
    strength: Strength,
    data: Vec<u8>,
    parity: Vec<u8>,
}

impl Ecc for FakeEcc {
    /// Two bytes for each bit corrected.
    fn parity_bytes(&self, strength: Strength) -> ByteCount {
        ByteCount(2 * u32::from(strength.0))
    }

    async fn encode(
        &self,
        strength: Strength,
        data: &[u8],
        parity: &mut [u8],
    ) -> Result<(), EccRefusal> {
        assert_eq!(parity.len(), self.parity_bytes(strength).0 as usize);
        let mut hash = 0xCBF2_9CE4_8422_2325u64;
        data.iter().for_each(|&byte| hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
        for byte in &mut *parity {
            hash = hash.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            *byte = (hash >> 56) as u8;
        }
        let (data, parity) = (data.to_vec(), parity.to_vec());
        self.codewords.borrow_mut().push(Codeword { strength, data, parity });
        Ok(())
    }

    async fn decode(
        &self,
        strength: Strength,
        data: &mut [u8],
        parity: &[u8],
    ) -> Result<Decoded, EccRefusal> {
        let distance = |a: &[u8], b: &[u8]| -> u32 {
            a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
        };
        for codeword in &*self.codewords.borrow() {
            if codeword.strength != strength || codeword.data.len() != data.len() {
                continue;
            }
            let errors = distance(&codeword.data, data) + distance(&codeword.parity, parity);
            if errors <= u32::from(strength.0) {
                data.copy_from_slice(&codeword.data);
                return Ok(Decoded::Corrected(BitCount(errors)));
            }
        }
        Ok(Decoded::Uncorrectable)
    }
}
