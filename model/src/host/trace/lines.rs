//! The lines of a file, one at a time in one buffer.

use std::io::{self, BufRead, Read};

/// The longest line that is read; none of the formats comes near it.
const LINE_BYTES_MAX: u64 = 64 << 10;

/// Lines of a reader.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    number: u64,
}

/// Why there is no line.
#[derive(Debug)]
pub(super) enum LineError {
    Io(io::Error),
    TooLong,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, buffer: Vec::new(), number: 0 }
    }

    /// Number of the line that was read last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end, LF or CRLF; the last one may lack it.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, LineError> {
        self.buffer.clear();
        let mut limited = self.reader.by_ref().take(LINE_BYTES_MAX);
        let read = limited.read_until(b'\n', &mut self.buffer).map_err(LineError::Io)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let line = self.buffer.as_slice();
        match line.strip_suffix(b"\n") {
            Some(line) => Ok(Some(line.strip_suffix(b"\r").unwrap_or(line))),
            None if read as u64 == LINE_BYTES_MAX => Err(LineError::TooLong),
            None => Ok(Some(line.strip_suffix(b"\r").unwrap_or(line))),
        }
    }
}
