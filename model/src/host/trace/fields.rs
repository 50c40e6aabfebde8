//! Fields of a line and what they mean, with faults that name them.

use std::num::IntErrorKind;
use std::{fmt, str};

use crate::host::request::SECTOR_BYTES;
use crate::host::{Lba, RequestKind, SectorCount};

const PS_DIGITS: usize = 12;
/// As much of a wrong value as a message shows.
const SHOWN_BYTES: usize = 40;

/// A point in time in picoseconds, from whatever the trace counts from. MSR's count from the year
/// 1601 needs more than 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Timestamp(pub(super) u128);

impl Timestamp {
    pub(super) fn of_ns(ns: u64) -> Self {
        Self(u128::from(ns) * 1000)
    }
}

/// A request as a line gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    pub(super) time: Timestamp,
    /// The device, as the line spells it.
    pub(super) device: &'a [u8],
    pub(super) kind: RequestKind,
    pub(super) fua: bool,
    /// Whether all that was written before is to be flushed first.
    pub(super) preflush: bool,
    pub(super) place: Place,
}

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) sector: Lba,
    pub(super) sectors: SectorCount,
    /// Whether it was made of bytes that are not whole sectors.
    pub(super) widened: bool,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineFault {
    /// The field, where it is one.
    pub(super) field: Option<&'static str>,
    pub(super) message: String,
}

impl LineFault {
    pub(super) fn line(message: impl Into<String>) -> Self {
        Self { field: None, message: message.into() }
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            Some(field) => write!(f, "field `{field}` {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// A field: what the format calls it, and what the line says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) name: &'static str,
    pub(super) text: &'a [u8],
}

impl Field<'_> {
    /// A fault of this field.
    pub(super) fn fault(self, message: impl Into<String>) -> LineFault {
        LineFault { field: Some(self.name), message: message.into() }
    }

    /// A fault of this field that shows its text.
    pub(super) fn is_not(self, expected: &str) -> LineFault {
        let shown = &self.text[..self.text.len().min(SHOWN_BYTES)];
        let more = if shown.len() < self.text.len() { ".." } else { "" };
        self.fault(format!("is `{}{more}`, must be {expected}", shown.escape_ascii()))
    }

    /// A whole number of 64 bits.
    pub(super) fn number(self) -> Result<u64, LineFault> {
        // The library takes a leading `+`, which no format has.
        let digits = self.text.first().is_some_and(u8::is_ascii_digit);
        let text = str::from_utf8(self.text).ok().filter(|_| digits);
        match text.map(str::parse) {
            Some(Ok(number)) => Ok(number),
            Some(Err(error)) if *error.kind() == IntErrorKind::PosOverflow => {
                Err(self.is_not("below 2^64"))
            }
            _ => Err(self.is_not("a whole number")),
        }
    }

    /// Seconds with up to twelve decimals.
    pub(super) fn seconds(self) -> Result<Timestamp, LineFault> {
        let fault = || self.is_not("seconds with at most 12 decimals");
        let point = self.text.iter().position(|&byte| byte == b'.');
        let (whole, decimals) = match point {
            Some(at) => (&self.text[..at], &self.text[at + 1..]),
            None => (self.text, &b"0"[..]),
        };
        if decimals.is_empty() || decimals.len() > PS_DIGITS {
            return Err(fault());
        }
        let number = |text| Field { name: self.name, text }.number();
        let (Ok(whole), Ok(fraction)) = (number(whole), number(decimals)) else {
            return Err(fault());
        };
        let scale = 10u128.pow((PS_DIGITS - decimals.len()) as u32);
        Ok(Timestamp(u128::from(whole) * 10u128.pow(12) + u128::from(fraction) * scale))
    }

    /// A length in sectors, 1 or more.
    fn sectors(self, count: u64) -> Result<SectorCount, LineFault> {
        match u32::try_from(count) {
            Ok(0) => Err(self.is_not("1 or more")),
            Ok(sectors) => Ok(SectorCount(sectors)),
            Err(_) => Err(self.is_not("less than 2 TiB")),
        }
    }
}

/// The place of a request whose start and length are in sectors.
pub(super) fn place_of_sectors(start: Field, length: Field) -> Result<Place, LineFault> {
    let (sector, sectors) = (start.number()?, length.sectors(length.number()?)?);
    place(start, sector, sectors, false)
}

/// The place of a request that starts at a sector and has a length in bytes.
pub(super) fn place_of_sector_and_bytes(start: Field, length: Field) -> Result<Place, LineFault> {
    let (sector, bytes) = (start.number()?, length.number()?);
    let sectors = length.sectors(bytes.div_ceil(SECTOR_BYTES))?;
    place(start, sector, sectors, bytes % SECTOR_BYTES != 0)
}

/// The place of a request whose start and length are in bytes: all sectors that it touches.
pub(super) fn place_of_bytes(start: Field, length: Field) -> Result<Place, LineFault> {
    let (offset, bytes) = (start.number()?, length.number()?);
    if bytes == 0 {
        return Err(length.is_not("1 or more"));
    }
    let end = offset.checked_add(bytes).ok_or_else(|| start.fault("ends beyond 2^64 bytes"))?;
    let sector = offset / SECTOR_BYTES;
    let sectors = length.sectors(end.div_ceil(SECTOR_BYTES) - sector)?;
    place(start, sector, sectors, (offset | bytes) % SECTOR_BYTES != 0)
}

fn place(
    start: Field,
    sector: u64,
    sectors: SectorCount,
    widened: bool,
) -> Result<Place, LineFault> {
    // A byte address of 64 bits is the most that anything behind this can mean.
    if sector.checked_add(u64::from(sectors.0)).is_none_or(|end| end > u64::MAX / SECTOR_BYTES) {
        return Err(start.fault("ends beyond 2^64 bytes"));
    }
    Ok(Place { sector: Lba(sector), sectors, widened })
}

/// No place, for a flush.
pub(super) const NOWHERE: Place = Place { sector: Lba(0), sectors: SectorCount(0), widened: false };

/// Cuts a line at commas into exactly these fields; what `extra` allows may follow.
pub(super) fn split_commas<'a, const N: usize>(
    line: &'a [u8],
    names: [&'static str; N],
    extra: bool,
) -> Result<[Field<'a>; N], LineFault> {
    assemble(line.split(|&byte| byte == b','), names, extra)
}

/// Cuts a line at blanks into exactly these fields.
pub(super) fn split_blanks<'a, const N: usize>(
    line: &'a [u8],
    names: [&'static str; N],
) -> Result<[Field<'a>; N], LineFault> {
    assemble(blanks(line), names, false)
}

/// The words of a line.
pub(super) fn blanks(line: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn assemble<'a, const N: usize>(
    mut texts: impl Iterator<Item = &'a [u8]>,
    names: [&'static str; N],
    extra: bool,
) -> Result<[Field<'a>; N], LineFault> {
    let mut fields = names.map(|name| Field { name, text: &[] });
    for (index, field) in fields.iter_mut().enumerate() {
        let Some(text) = texts.next() else {
            return Err(field.fault(format!("is missing, the line has {index} of {N} fields")));
        };
        field.text = text;
    }
    match texts.next() {
        Some(_) if !extra => {
            let count = N + 1 + texts.count();
            Err(LineFault::line(format!("has {count} fields, must have {N}")))
        }
        _ => Ok(fields),
    }
}
