//! Sectors as they cross a bus: a stamp, and bytes that follow from it.

/// What the bytes behind a stamp are XORed with, so that all differ.
const SPREAD: u32 = 0x9E37_79B9;

/// The bytes of sectors with these stamps.
pub(super) fn bytes(stamps: impl Iterator<Item = u32>, sector_bytes: usize) -> Vec<u8> {
    let sector = |stamp: u32| {
        let words = (0u32..).map(move |at| stamp ^ at.wrapping_mul(SPREAD));
        words.flat_map(u32::to_le_bytes).take(sector_bytes)
    };
    stamps.flat_map(sector).collect()
}

/// The stamps of sectors that came over a bus; of a sector that is not as it was sent, another one.
pub(super) fn stamps(bytes: &[u8], sector_bytes: usize) -> impl Iterator<Item = u32> {
    bytes.chunks(sector_bytes).map(move |sector| {
        let first = sector.first_chunk().map_or(0, |first| u32::from_le_bytes(*first));
        let is_whole = self::bytes(std::iter::once(first), sector_bytes) == sector;
        if is_whole { first } else { !first }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_byte_anywhere_changes_its_sectors_stamp() {
        let sent = bytes([1, 0, u32::MAX].into_iter(), 540);
        assert_eq!(stamps(&sent, 540).collect::<Vec<_>>(), [1, 0, u32::MAX]);
        for at in 540..1080 {
            let mut came = sent.clone();
            came[at] ^= 0x10;
            let stamps: Vec<_> = stamps(&came, 540).collect();
            assert_eq!((stamps[0], stamps[2]), (1, u32::MAX));
            assert_ne!(stamps[1], 0, "byte {at}");
        }
    }
}
