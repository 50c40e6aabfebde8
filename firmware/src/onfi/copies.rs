//! The right parameter page from several copies of it: the first whose CRC is right, or else the
//! majority of three, bit by bit, if that has a right CRC (the rule of ONFI and of Linux).

use super::{PARAMETER_PAGE_BYTES, ParameterPage, ParameterPageError};

/// Copies that every die has, and that are read.
pub const COPIES: usize = 3;

/// The page that the copies agree on.
///
/// # Errors
/// Why the majority is no parameter page, where no copy is one either.
pub fn recover(
    copies: &[[u8; PARAMETER_PAGE_BYTES]; COPIES],
) -> Result<ParameterPage, ParameterPageError> {
    let good = copies.iter().find_map(|copy| ParameterPage::parse(copy).ok());
    good.map_or_else(|| ParameterPage::parse(&majority(copies)), Ok)
}

fn majority(copies: &[[u8; PARAMETER_PAGE_BYTES]; COPIES]) -> [u8; PARAMETER_PAGE_BYTES] {
    let [a, b, c] = copies;
    core::array::from_fn(|i| (a[i] & b[i]) | (b[i] & c[i]) | (c[i] & a[i]))
}
