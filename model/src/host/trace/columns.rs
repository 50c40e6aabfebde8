//! Formats whose lines are fields in fixed columns.

use super::fields::{
    Field, LineFault, Record, Timestamp, place_of_bytes, place_of_sector_and_bytes,
    place_of_sectors, split_blanks, split_commas,
};
use super::format::{Parsed, ParsedLine};
use super::reader::Skip;
use crate::host::RequestKind;

/// The first line of SYSTOR'17 files.
const SYSTOR17_HEADER: &[u8] = b"Timestamp,Response,IOType,LUN,Offset,Size";

/// A read or a write, which is all that these formats have.
fn record<'a>(
    time: Timestamp,
    device: &'a [u8],
    kind: RequestKind,
    place: super::fields::Place,
) -> Parsed<'a> {
    Parsed::Record(Record { time, device, kind, fua: false, preflush: false, place })
}

/// One of two words, in any case.
fn read_or_write(field: Field, read: &str, write: &str) -> Result<RequestKind, LineFault> {
    if field.text.eq_ignore_ascii_case(read.as_bytes()) {
        Ok(RequestKind::Read)
    } else if field.text.eq_ignore_ascii_case(write.as_bytes()) {
        Ok(RequestKind::Write)
    } else {
        Err(field.is_not(&format!("`{read}` or `{write}`")))
    }
}

pub(super) fn mqsim(line: &[u8]) -> ParsedLine<'_> {
    let [arrival, device, lba, sectors, kind] =
        split_blanks(line, ["arrival_ns", "device", "lba", "sectors", "type"])?;
    let time = Timestamp::of_ns(arrival.number()?);
    device.number()?;
    let place = place_of_sectors(lba, sectors)?;
    let kind = match kind.text {
        b"0" => RequestKind::Write,
        b"1" => RequestKind::Read,
        _ => return Err(kind.is_not("0 (write) or 1 (read)")),
    };
    Ok(record(time, device.text, kind, place))
}

pub(super) fn msr(line: &[u8]) -> ParsedLine<'_> {
    let [timestamp, host, disk, kind, offset, size, response] = split_commas(
        line,
        ["Timestamp", "Hostname", "DiskNumber", "Type", "Offset", "Size", "ResponseTime"],
        false,
    )?;
    let time = Timestamp(u128::from(timestamp.number()?) * 100_000);
    if host.text.is_empty() {
        return Err(host.fault("is empty"));
    }
    disk.number()?;
    let kind = read_or_write(kind, "Read", "Write")?;
    let place = place_of_bytes(offset, size)?;
    response.number()?;
    let device = &line[timestamp.text.len() + 1..][..host.text.len() + 1 + disk.text.len()];
    Ok(record(time, device, kind, place))
}

pub(super) fn spc1(line: &[u8]) -> ParsedLine<'_> {
    let [asu, lba, size, opcode, timestamp] =
        split_commas(line, ["ASU", "LBA", "Size", "Opcode", "Timestamp"], true)?;
    asu.number()?;
    let place = place_of_sector_and_bytes(lba, size)?;
    let kind = read_or_write(opcode, "R", "W")?;
    Ok(record(timestamp.seconds()?, asu.text, kind, place))
}

pub(super) fn systor17(number: u64, line: &[u8]) -> ParsedLine<'_> {
    if number == 1 {
        return match line {
            SYSTOR17_HEADER => Ok(Parsed::Skipped(Skip::Header)),
            _ => Err(LineFault::line(format!(
                "is not the header `{}`",
                SYSTOR17_HEADER.escape_ascii()
            ))),
        };
    }
    let [timestamp, response, kind, lun, offset, size] =
        split_commas(line, ["Timestamp", "Response", "IOType", "LUN", "Offset", "Size"], false)?;
    if kind.text.is_empty() {
        return Ok(Parsed::Skipped(Skip::NoOperation));
    }
    let time = timestamp.seconds()?;
    if !response.text.is_empty() {
        response.seconds()?;
    }
    let kind = match kind.text {
        b"R" => RequestKind::Read,
        b"W" => RequestKind::Write,
        _ => return Err(kind.is_not("`R`, `W` or empty")),
    };
    lun.number()?;
    Ok(record(time, lun.text, kind, place_of_bytes(offset, size)?))
}

/// Process names may hold blanks, so the fields behind them are counted from the end.
pub(super) fn fiu(line: &[u8]) -> ParsedLine<'_> {
    const BEHIND: [&str; 6] = ["md5", "minor", "major", "W|R", "size", "lba"];
    let mut words = super::fields::blanks(line);
    let mut first = |name| words.next().map(|text| Field { name, text });
    let (timestamp, pid) = (first("timestamp"), first("pid"));
    let (Some(timestamp), Some(pid)) = (timestamp, pid) else {
        return Err(LineFault::line("has fewer than 9 fields"));
    };
    let behind_pid = words.clone().count();
    if behind_pid < 7 {
        return Err(LineFault::line(format!("has {} of 9 fields", behind_pid + 2)));
    }
    let mut rest = line.trim_ascii_end();
    let mut device = rest;
    let fields = BEHIND.map(|name| {
        let at = rest.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
        let text = &rest[at..];
        if name == "minor" {
            device = rest;
        } else if name == "major" {
            device = &device[at..];
        }
        rest = rest[..at].trim_ascii_end();
        Field { name, text }
    });
    let [_, minor, major, kind, size, lba] = fields;
    let time = Timestamp::of_ns(timestamp.number()?);
    pid.number()?;
    let place = place_of_sectors(lba, size)?;
    let kind = read_or_write(kind, "R", "W")?;
    major.number()?;
    minor.number()?;
    Ok(record(time, device, kind, place))
}
