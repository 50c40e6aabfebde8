//! Newtypes for the quantities of a code, so that a strength is never taken for a length.

use core::fmt;

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident($inner:ty), $suffix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{}", $suffix), self.0)
            }
        }
    };
}

unit!(
    /// Correction strength t: the number of bit errors that a codeword survives.
    Strength(u16), "");
unit!(
    /// A number of bits.
    BitCount(u32), " bit");
unit!(
    /// A number of bytes.
    ByteCount(u32), " B");
unit!(
    /// A number of clock cycles.
    Cycles(u64), " clocks");
unit!(
    /// Simulated time in picoseconds.
    Picoseconds(u64), " ps");

impl ByteCount {
    /// The same length in bits.
    pub const fn bits(self) -> BitCount {
        BitCount(self.0 * 8)
    }
}
