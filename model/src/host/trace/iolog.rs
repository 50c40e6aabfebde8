//! fio's iolog, versions 2 and 3.
//!
//! A header names the version. `file add|open|close` and `file action offset length` follow, in
//! version 3 with milliseconds before them; in version 2 `file wait microseconds length` is all
//! that lets time pass.

use std::collections::HashSet;

use super::fields::{Field, LineFault, NOWHERE, Record, Timestamp, blanks, place_of_bytes};
use super::format::{Parsed, ParsedLine};
use super::reader::Skip;
use crate::host::RequestKind;

const PS_PER_US: u128 = 1_000_000;
const PS_PER_MS: u128 = 1_000_000_000;
/// Of `file action offset length` in version 2 and with the time of version 3, the most words.
const WORDS_MAX: usize = 5;

/// Reads the lines of an iolog.
#[derive(Clone, Debug, Default)]
pub(super) struct Iolog {
    /// None before the header.
    version: Option<Version>,
    files: HashSet<Box<[u8]>>,
    /// Version 2: the sum of the waits.
    waited: u128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

impl Iolog {
    pub(super) fn parse<'a>(&mut self, line: &'a [u8]) -> ParsedLine<'a> {
        let Some(version) = self.version else {
            self.version = Some(match line {
                b"fio version 2 iolog" => Version::Two,
                b"fio version 3 iolog" => Version::Three,
                _ => return Err(LineFault::line("is not the header `fio version 2|3 iolog`")),
            });
            return Ok(Parsed::Skipped(Skip::Header));
        };
        let mut words = blanks(line);
        let mut word = |name| {
            let field = Field { name, text: words.next().unwrap_or_default() };
            let missing = || field.fault("is missing");
            if field.text.is_empty() { Err(missing()) } else { Ok(field) }
        };
        let time = match version {
            Version::Two => self.waited,
            Version::Three => u128::from(word("time_ms")?.number()?) * PS_PER_MS,
        };
        let (file, action) = (word("file")?, word("action")?);
        let is_of_file = [&b"add"[..], b"open", b"close"].contains(&action.text);
        let parsed = if is_of_file {
            self.file_action(file, action)?
        } else {
            let (offset, length) = (word("offset")?, word("length")?);
            self.io_action(version, Timestamp(time), [file, action, offset, length])?
        };
        match words.next() {
            None => Ok(parsed),
            Some(_) => {
                let count = blanks(line).count();
                let most = if is_of_file { WORDS_MAX - 2 } else { WORDS_MAX };
                let most = most - usize::from(version == Version::Two);
                Err(LineFault::line(format!("has {count} fields, must have {most}")))
            }
        }
    }

    fn file_action<'a>(&mut self, file: Field<'a>, action: Field) -> ParsedLine<'a> {
        if action.text == b"add" {
            self.files.insert(file.text.into());
        } else {
            self.require_added(file)?;
        }
        Ok(Parsed::Skipped(Skip::FileAction))
    }

    fn io_action<'a>(
        &mut self,
        version: Version,
        time: Timestamp,
        [file, action, offset, length]: [Field<'a>; 4],
    ) -> ParsedLine<'a> {
        let kind = match (action.text, version) {
            (b"read", _) => RequestKind::Read,
            (b"write", _) => RequestKind::Write,
            (b"trim", _) => RequestKind::Trim,
            (b"sync" | b"datasync", _) => RequestKind::Flush,
            (b"wait", Version::Two) => {
                self.waited += u128::from(offset.number()?) * PS_PER_US;
                return Ok(Parsed::Skipped(Skip::Wait));
            }
            (b"wait", Version::Three) => {
                return Err(action.fault("`wait` is not allowed in version 3"));
            }
            _ => return Err(action.is_not("an action of iolog")),
        };
        self.require_added(file)?;
        let place = match kind {
            RequestKind::Flush => {
                offset.number()?;
                length.number()?;
                NOWHERE
            }
            _ => place_of_bytes(offset, length)?,
        };
        let device = file.text;
        Ok(Parsed::Record(Record { time, device, kind, fua: false, preflush: false, place }))
    }

    fn require_added(&self, file: Field) -> Result<(), LineFault> {
        if self.files.contains(file.text) {
            Ok(())
        } else {
            Err(file.is_not("a file that was added before"))
        }
    }
}
