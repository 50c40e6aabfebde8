//! Handles of a top's ports.

use crate::{Error, Model};

/// An input port of a model: can be set and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input(pub(crate) usize);

/// An output port of a model: can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output(pub(crate) usize);

/// Any port of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port(pub(crate) usize);

impl From<Input> for Port {
    fn from(input: Input) -> Self {
        Self(input.0)
    }
}

impl From<Output> for Port {
    fn from(output: Output) -> Self {
        Self(output.0)
    }
}

/// All ports of one module. The build script generates an implementation for each module of its
/// table, so that a port's name is checked when the test is compiled.
pub trait Ports: Sized {
    /// The module's name.
    const MODULE: &'static str;

    /// Looks all ports up.
    ///
    /// # Errors
    /// [`Error::WrongModule`] where the model is of another module.
    fn of(model: &Model) -> Result<Self, Error>;
}

/// A port's value in the model's memory.
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) input: bool,
    pub(crate) bits: u32,
    storage: Storage,
}

/// Where a value lies, by the size that Verilator gave it.
#[derive(Clone, Copy)]
enum Storage {
    Bits8(*mut u8),
    Bits16(*mut u16),
    Bits32(*mut u32),
    Bits64(*mut u64),
    Words(*mut u32, usize),
}

impl Slot {
    /// # Safety
    /// `storage` must point to `bytes` bytes with the alignment of an integer of that size (of 4
    /// where there are more than 8), and stay valid and in place as long as the slot is used.
    pub(crate) unsafe fn new(
        name: String,
        input: bool,
        bits: u32,
        bytes: u32,
        storage: *mut u8,
    ) -> Self {
        let storage = match bytes {
            1 => Storage::Bits8(storage),
            2 => Storage::Bits16(storage.cast()),
            4 => Storage::Bits32(storage.cast()),
            8 if bits <= 64 => Storage::Bits64(storage.cast()),
            _ => Storage::Words(storage.cast(), bytes as usize / 4),
        };
        Self { name, input, bits, storage }
    }

    fn mask(&self) -> u64 {
        if self.bits >= 64 { u64::MAX } else { (1 << self.bits) - 1 }
    }

    #[inline]
    pub(crate) fn get(&self) -> u64 {
        // SAFETY: `new` was promised that the storage is valid, and nobody else holds a reference
        // to it: C++ code runs only inside calls that borrow the model mutably.
        unsafe {
            match self.storage {
                Storage::Bits8(at) => at.read().into(),
                Storage::Bits16(at) => at.read().into(),
                Storage::Bits32(at) => at.read().into(),
                Storage::Bits64(at) => at.read(),
                Storage::Words(..) => {
                    panic!("port {} has {} bits: read it with get_wide", self.name, self.bits)
                }
            }
        }
    }

    /// Needs the model's owner to be borrowed mutably.
    #[inline]
    pub(crate) fn set(&self, value: u64) {
        assert!(
            value & !self.mask() == 0,
            "{value:#x} does not fit port {} of {} bits",
            self.name,
            self.bits
        );
        // SAFETY: as for `get`; the caller has the model for itself. The casts keep all set bits,
        // which the assertion above has confirmed.
        unsafe {
            match self.storage {
                Storage::Bits8(at) => at.write(value as u8),
                Storage::Bits16(at) => at.write(value as u16),
                Storage::Bits32(at) => at.write(value as u32),
                Storage::Bits64(at) => at.write(value),
                Storage::Words(..) => {
                    panic!("port {} has {} bits: set it with set_wide", self.name, self.bits)
                }
            }
        }
    }

    pub(crate) fn get_wide(&self) -> Vec<u32> {
        match self.storage {
            Storage::Words(at, count) => {
                // SAFETY: as for `get`; the storage has `count` words.
                unsafe { std::slice::from_raw_parts(at, count) }.to_vec()
            }
            _ if self.bits <= 32 => vec![self.get() as u32],
            _ => vec![self.get() as u32, (self.get() >> 32) as u32],
        }
    }

    /// Needs the model's owner to be borrowed mutably.
    pub(crate) fn set_wide(&self, words: &[u32]) {
        assert_eq!(
            words.len(),
            self.bits.div_ceil(32) as usize,
            "port {} has {} bits",
            self.name,
            self.bits
        );
        let Storage::Words(at, count) = self.storage else {
            let high = words.get(1).map_or(0, |&word| u64::from(word) << 32);
            return self.set(high | u64::from(words[0]));
        };
        let unused = count as u32 * 32 - self.bits;
        assert!(
            words[count - 1].leading_zeros() >= unused,
            "the value does not fit port {} of {} bits",
            self.name,
            self.bits
        );
        // SAFETY: as for `set`; both sides have `count` words, and Rust owns `words`.
        unsafe { at.copy_from_nonoverlapping(words.as_ptr(), count) }
    }
}
