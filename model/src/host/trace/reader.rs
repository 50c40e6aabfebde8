//! The recorded requests of a file.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::device::{DeviceIndex, DeviceNames};
use super::fields::{LineFault, Place, Timestamp};
use super::format::{Parsed, Parser, Unclear, recognise};
use super::lines::{LineError, Lines};
use super::{BlkparseAction, FormatChoice, TraceConfig, TraceError, TraceFormat};
use crate::host::RequestKind;

const BUFFER_BYTES: usize = 64 << 10;
/// Lines from which a format is recognised.
const FIRST_LINES: usize = 16;

/// A line that is no request, and yet as its format has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The header of SYSTOR'17 or iolog.
    Header,
    /// A row that does nothing: SYSTOR'17 without a type, blkparse's `N` and pass-through commands.
    NoOperation,
    /// An event of blkparse other than the chosen one.
    OtherAction,
    /// blkparse's summary.
    Summary,
    /// iolog's add, open and close.
    FileAction,
    /// iolog's wait.
    Wait,
    /// A request of a device that was not chosen.
    OtherDevice,
}

impl Skip {
    /// All reasons.
    pub const ALL: [Self; 7] = [
        Self::Header,
        Self::NoOperation,
        Self::OtherAction,
        Self::Summary,
        Self::FileAction,
        Self::Wait,
        Self::OtherDevice,
    ];

    fn what(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::NoOperation => "without an operation",
            Self::OtherAction => "of other actions",
            Self::Summary => "of a summary",
            Self::FileAction => "of file actions",
            Self::Wait => "of waits",
            Self::OtherDevice => "of other devices",
        }
    }
}

/// What became of the lines that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub lines: u64,
    /// Lines that became requests; one with a flush before it became two.
    pub requests: u64,
    /// Requests whose bytes were not whole sectors and were widened to them.
    pub widened: u64,
    /// Requests whose address was folded onto the device.
    pub folded: u64,
    skipped: [u64; Skip::ALL.len()],
}

impl Counts {
    /// Lines that were skipped for this reason.
    pub fn skipped(&self, reason: Skip) -> u64 {
        self.skipped[reason as usize]
    }

    pub(super) fn skip(&mut self, reason: Skip) {
        self.skipped[reason as usize] += 1;
    }
}

/// Says how many lines were skipped and why.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for reason in Skip::ALL.into_iter().filter(|&reason| self.skipped(reason) > 0) {
            write!(f, "{separator}{} {}", self.skipped(reason), reason.what())?;
            separator = ", ";
        }
        if separator.is_empty() { f.write_str("none skipped") } else { f.write_str(" skipped") }
    }
}

/// A recorded request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    pub(super) time: Timestamp,
    pub(super) device: DeviceIndex,
    pub(super) kind: RequestKind,
    pub(super) fua: bool,
    pub(super) preflush: bool,
    pub(super) place: Place,
    pub(super) line: u64,
}

/// Reads a trace.
#[derive(Debug)]
pub(super) struct Reader {
    path: PathBuf,
    format: TraceFormat,
    lines: Lines<BufReader<File>>,
    parser: Parser,
    pub(super) devices: DeviceNames,
    pub(super) counts: Counts,
}

impl Reader {
    /// Opens a trace and, unless its format is named, recognises it.
    pub(super) fn open(config: &TraceConfig) -> Result<Self, Box<TraceError>> {
        let path = config.path.clone();
        let cannot = |source| Box::new(TraceError::Read { path: path.clone(), source });
        let file = File::open(&path).map_err(cannot)?;
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
        let action = config.blkparse_action;
        let format = match config.format {
            FormatChoice::Named(format) => format,
            FormatChoice::Recognised => {
                let first = reader.fill_buf().map_err(cannot)?;
                format_of(first, action).map_err(|unclear| unclear.of(config))?
            }
        };
        Ok(Self {
            lines: Lines::new(reader),
            parser: Parser::new(format, action),
            path,
            format,
            devices: DeviceNames::default(),
            counts: Counts::default(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn format(&self) -> TraceFormat {
        self.format
    }

    /// The next recorded request.
    pub(super) fn next(&mut self) -> Result<Option<Recorded>, Box<TraceError>> {
        loop {
            let number = self.lines.number() + 1;
            let line = match self.lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(None),
                Err(LineError::Io(source)) => {
                    return Err(Box::new(TraceError::Read { path: self.path.clone(), source }));
                }
                Err(LineError::TooLong) => {
                    return Err(self.fault(number, LineFault::line("is longer than 65535 bytes")));
                }
            };
            self.counts.lines = number;
            match self.parser.parse(number, line) {
                Ok(Parsed::Record(record)) => {
                    let device = self.devices.index(record.device);
                    return Ok(Some(Recorded {
                        time: record.time,
                        device,
                        kind: record.kind,
                        fua: record.fua,
                        preflush: record.preflush,
                        place: record.place,
                        line: number,
                    }));
                }
                Ok(Parsed::Skipped(reason)) => self.counts.skip(reason),
                Err(_) if line.is_empty() => {
                    return Err(self.fault(number, LineFault::line("is empty")));
                }
                Err(fault) => return Err(self.fault(number, fault)),
            }
        }
    }

    /// The error of a line.
    #[cold]
    pub(super) fn fault(&self, line: u64, fault: LineFault) -> Box<TraceError> {
        let (path, message) = (self.path.clone(), fault.message);
        Box::new(match fault.field {
            Some(field) => TraceError::Field { path, line, field, message },
            None => TraceError::Line { path, line, message },
        })
    }
}

/// The format of a file that begins with these bytes. Where it is empty any will do, since what
/// follows is that it holds no request.
fn format_of(first: &[u8], action: BlkparseAction) -> Result<TraceFormat, Unclear> {
    if first.is_empty() {
        return Ok(TraceFormat::MqSim);
    }
    let all = first.strip_suffix(b"\n").unwrap_or(first);
    let whole = match all.iter().rposition(|&byte| byte == b'\n') {
        // The buffer may end within a line.
        Some(end) if first.len() >= BUFFER_BYTES => &all[..end],
        _ => all,
    };
    let lines = whole.split(|&byte| byte == b'\n').take(FIRST_LINES);
    recognise(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)), action)
}

impl Unclear {
    fn of(self, config: &TraceConfig) -> Box<TraceError> {
        let path = config.path.clone();
        Box::new(match self {
            Self::None(reasons) => {
                let reasons: Vec<_> =
                    reasons.iter().map(|(format, fault)| format!("{format}: {fault}")).collect();
                TraceError::Unrecognised { path, reasons: reasons.join("; ") }
            }
            Self::Several(formats) => {
                let names: Vec<_> = formats.iter().map(TraceFormat::to_string).collect();
                TraceError::Ambiguous { path, candidates: names.join(" or ") }
            }
        })
    }
}
