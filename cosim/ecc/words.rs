//! Bytes of a codeword as the words of a stream, and back.
//!
//! A word's most significant bit goes first, so its first byte is its highest; a run of bytes that
//! does not fill its last word is left-aligned there and followed by zeros.

/// Appends `bytes` to `words` as words of `width_bits` bits.
pub(super) fn push_words(words: &mut Vec<u64>, bytes: &[u8], width_bits: u32) {
    let width_bytes = (width_bits / 8) as usize;
    words.extend(bytes.chunks(width_bytes).map(|chunk| {
        let value = chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        value << (8 * (width_bytes - chunk.len()))
    }));
}

/// The first `bytes` bytes of `words`, or none where the words hold fewer.
pub(super) fn take_bytes(words: &[u64], bytes: usize, width_bits: u32) -> Option<Vec<u8>> {
    let width_bytes = (width_bits / 8) as usize;
    let all = words.iter().flat_map(|word| word.to_be_bytes()[8 - width_bytes..].to_vec());
    let taken: Vec<u8> = all.take(bytes).collect();
    (taken.len() == bytes).then_some(taken)
}

/// Clocks that no batch takes, however often its streams stall, unless its words never end.
pub(super) fn endless_clocks(commands: usize, words: usize) -> u64 {
    1_000 * (commands + words + 100) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_bytes_first_on_top() {
        let mut words = Vec::new();
        push_words(&mut words, &[1, 2, 3, 4, 5], 32);
        assert_eq!(words, [0x0102_0304, 0x0500_0000]);
        assert_eq!(take_bytes(&words, 5, 32), Some(vec![1, 2, 3, 4, 5]));
        assert_eq!(take_bytes(&words, 9, 32), None);
    }
}
