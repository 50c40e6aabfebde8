//! Fields of a parameter page: multi-byte ones are little-endian.

pub(super) fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes([bytes[offset], bytes[offset + 1]])
}

pub(super) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from(u16_at(bytes, offset)) | u32::from(u16_at(bytes, offset + 2)) << 16
}

/// An endurance: a value and a power of ten; what does not fit is as good as without limit.
pub(super) fn cycles_at(bytes: &[u8], offset: usize) -> u32 {
    let power = 10u32.checked_pow(u32::from(bytes[offset + 1])).unwrap_or(u32::MAX);
    u32::from(bytes[offset]).saturating_mul(power)
}
