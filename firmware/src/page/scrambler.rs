//! Scrambling: data are added to a pseudo-random stream that the row address seeds, so that cells
//! hold all states alike whatever the data are, and neighbouring pages differ. Adding the stream
//! again restores them.
//!
//! The stream is that of the shift register x^31 + x^28 + 1 (ITU-T O.150), eight bits a step.

use floatgate_hal::flash::address::RowAddress;

const REGISTER_MASK: u32 = 0x7FFF_FFFF;
/// Odd, with bits all over, so that rows that differ in one bit seed registers that differ in many.
const SPREAD: u32 = 0x9E37_79B1;

/// The stream of one page.
#[derive(Clone, Debug)]
pub struct Scrambler {
    register: u32,
}

impl Scrambler {
    /// The stream of the page at `row`, from its start.
    pub fn new(row: RowAddress) -> Self {
        let spread = (row.0 ^ 0x55_5555).wrapping_mul(SPREAD);
        let folded = (spread ^ spread >> 15).wrapping_mul(SPREAD);
        // The register that is all zero stays so.
        Self { register: (folded ^ folded >> 16) & REGISTER_MASK | 1 }
    }

    /// Adds the next bytes of the stream.
    pub fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte ^= self.next_byte();
        }
    }

    /// Bit n of the stream is bit n - 28 plus bit n - 31; eight of them depend on older ones only.
    fn next_byte(&mut self) -> u8 {
        let byte = (self.register >> 23 ^ self.register >> 20) as u8;
        self.register = (self.register << 8 | u32::from(byte)) & REGISTER_MASK;
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(row: u32) -> [u8; 4096] {
        let mut bytes = [0; 4096];
        Scrambler::new(RowAddress(row)).apply(&mut bytes);
        bytes
    }

    fn ones(bytes: impl Iterator<Item = u8>) -> u32 {
        bytes.map(u8::count_ones).sum()
    }

    /// One bit after the other, as the register is drawn.
    #[test]
    fn eight_bits_a_step_are_eight_steps_of_the_register() {
        let mut scrambler = Scrambler::new(RowAddress(77));
        let mut register = scrambler.register;
        for _ in 0..1000 {
            let byte = scrambler.next_byte();
            for i in (0..8).rev() {
                let bit = (register >> 30 ^ register >> 27) & 1;
                register = (register << 1 | bit) & REGISTER_MASK;
                assert_eq!(u32::from(byte >> i & 1), bit);
            }
        }
    }

    /// Of 32,768 bits, half within 2 %.
    #[test]
    fn streams_are_balanced_and_neighbours_differ_in_half_of_the_bits() {
        for row in (0..0x10_0000).step_by(0x3FF) {
            let (own, next, above) = (stream(row), stream(row + 1), stream(row ^ 0x10_0000));
            let count = ones(own.iter().copied());
            assert!(count.abs_diff(16_384) < 655, "row {row}: {count} ones");
            for other in [next, above] {
                let count = ones(own.iter().zip(other).map(|(a, b)| a ^ b));
                assert!(count.abs_diff(16_384) < 655, "row {row}: {count} bits differ");
            }
        }
    }

    #[test]
    fn applied_twice_it_restores() {
        let mut bytes = *b"some data of a page";
        Scrambler::new(RowAddress(5)).apply(&mut bytes);
        assert_ne!(&bytes, b"some data of a page");
        Scrambler::new(RowAddress(5)).apply(&mut bytes);
        assert_eq!(&bytes, b"some data of a page");
    }
}
