//! blkparse's default output.
//!
//! `major,minor cpu sequence time pid action rwbs` begins each event; a request goes on with
//! `sector + sectors [process]`. RWBS is a word of letters: a leading F asks for a flush first; one
//! letter says what is done (R, W, D discard, F flush, N nothing); behind it come F for force unit
//! access and others that change nothing here.

use super::BlkparseAction;
use super::fields::{Field, LineFault, NOWHERE, Record, Timestamp, blanks, place_of_sectors};
use super::format::{Parsed, ParsedLine};
use super::reader::Skip;
use crate::host::RequestKind;

/// All actions that blkparse prints.
const ACTIONS: [&[u8]; 18] = [
    b"A", b"B", b"C", b"D", b"F", b"G", b"I", b"M", b"P", b"Q", b"R", b"S", b"T", b"U", b"UT",
    b"W", b"X", b"m",
];

/// Reads blkparse's lines.
#[derive(Clone, Debug)]
pub(super) struct Blkparse {
    action: BlkparseAction,
    in_summary: bool,
}

impl Blkparse {
    pub(super) fn new(action: BlkparseAction) -> Self {
        Self { action, in_summary: false }
    }

    pub(super) fn parse<'a>(&mut self, line: &'a [u8]) -> ParsedLine<'a> {
        let begins_summary = line.starts_with(b"CPU") || line.starts_with(b"Total (");
        self.in_summary |= begins_summary && line.ends_with(b":");
        if self.in_summary {
            let first = blanks(line).next().unwrap_or_default();
            return match device(Field { name: "device", text: first }) {
                Ok(()) => Err(LineFault::line("is an event behind the summary")),
                Err(_) => Ok(Parsed::Skipped(Skip::Summary)),
            };
        }
        self.event(line)
    }

    fn event<'a>(&self, line: &'a [u8]) -> ParsedLine<'a> {
        const HEAD: [&str; 7] = ["device", "cpu", "sequence", "time", "pid", "action", "rwbs"];
        let mut words = blanks(line);
        let mut head = HEAD.map(|name| Field { name, text: &[] });
        for (index, field) in head.iter_mut().enumerate() {
            let missing = || format!("is missing, the line has {index} fields");
            field.text = words.next().ok_or_else(|| field.fault(missing()))?;
        }
        let [volume, cpu, sequence, time, pid, action, rwbs] = head;
        device(volume)?;
        for field in [cpu, sequence, pid] {
            field.number()?;
        }
        let time = time.seconds()?;
        if !ACTIONS.contains(&action.text) {
            return Err(action.is_not("an action of blkparse"));
        }
        let wanted: &[u8] = match self.action {
            BlkparseAction::Issued => b"D",
            BlkparseAction::Queued => b"Q",
        };
        if action.text != wanted {
            return Ok(Parsed::Skipped(Skip::OtherAction));
        }
        request(time, volume, rwbs, words)
    }
}

/// `major,minor`.
fn device(field: Field) -> Result<(), LineFault> {
    let parts = field.text.iter().position(|&byte| byte == b',').map(|at| field.text.split_at(at));
    let is_number = |text| Field { name: field.name, text }.number().is_ok();
    match parts {
        Some((major, minor)) if is_number(major) && is_number(&minor[1..]) => Ok(()),
        _ => Err(field.is_not("`major,minor`")),
    }
}

/// What stands behind RWBS: `sector + sectors [process]` where data move, otherwise `[process]`; or
/// `bytes [process]` of a command that is no block request. Before the process there may be the
/// command's bytes or, with `blkparse -t`, a time, both in parentheses.
fn request<'a>(
    time: Timestamp,
    device: Field<'a>,
    rwbs: Field<'a>,
    mut words: impl Iterator<Item = &'a [u8]>,
) -> ParsedLine<'a> {
    let Letters { preflush, kind, fua } = letters(rwbs)?;
    let record = |kind, fua, preflush, place| {
        Parsed::Record(Record { time, device: device.text, kind, fua, preflush, place })
    };
    let mut word = |name| Field { name, text: words.next().unwrap_or_default() };
    let (sector, sign, sectors) = (word("sector"), word("sector").text, word("sectors"));
    let has_data = sign == b"+" && sectors.text != b"0";
    if kind == Some(RequestKind::Flush) || (preflush && !has_data) {
        return Ok(record(RequestKind::Flush, false, false, NOWHERE));
    }
    let is_command = sector.number().is_ok() && (sign.starts_with(b"(") || sign.starts_with(b"["));
    let Some(kind) = kind.filter(|_| !is_command) else {
        return Ok(Parsed::Skipped(Skip::NoOperation));
    };
    if sign != b"+" {
        return Err(sector.is_not("followed by `+ sectors`"));
    }
    let place = place_of_sectors(sector, sectors)?;
    if !words.any(|word| word.starts_with(b"[")) {
        return Err(Field { name: "process", text: &[] }.fault("is missing"));
    }
    Ok(record(kind, fua, preflush, place))
}

struct Letters {
    preflush: bool,
    /// None for N, nothing.
    kind: Option<RequestKind>,
    fua: bool,
}

fn letters(rwbs: Field) -> Result<Letters, LineFault> {
    let fault = || rwbs.is_not("letters of RWBS");
    let preflush = rwbs.text.starts_with(b"F");
    let rest = &rwbs.text[usize::from(preflush)..];
    let (kind, modifiers) = match rest.split_first() {
        Some((b'R', rest)) => (Some(RequestKind::Read), rest),
        Some((b'W', rest)) => (Some(RequestKind::Write), rest),
        Some((b'D', rest)) => (Some(RequestKind::Trim), rest),
        Some((b'F', rest)) => (Some(RequestKind::Flush), rest),
        Some((b'N', rest)) => (preflush.then_some(RequestKind::Flush), rest),
        _ if preflush => (Some(RequestKind::Flush), rest),
        _ => return Err(fault()),
    };
    if !modifiers.iter().all(|letter| b"FASMBE".contains(letter)) {
        return Err(fault());
    }
    let fua = kind == Some(RequestKind::Write) && modifiers.contains(&b'F');
    Ok(Letters { preflush, kind, fua })
}
