//! Waveform files as they are written: declarations first, then changes at ascending times.
//!
//! VCD is IEEE 1800-2017, section 21.7.2, with GTKWave's strings. FST has no strings: a text is a
//! vector of characters there, which viewers show as ASCII.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use floatgate_hal::units::Picoseconds;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError, open_fst,
};

/// Characters of a text in an FST file.
const TEXT_CHARS: u32 = 24;
/// Changes that an FST file keeps in memory.
const FST_BUFFER_BYTES: usize = 64 << 20;

/// The format of a waveform file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveFormat {
    /// Text.
    Vcd,
    /// Compressed.
    Fst,
}

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// So many bits.
    Bits(u32),
    /// A word without blanks.
    Text,
}

/// A waveform file.
pub(super) trait Sink {
    fn scope(&mut self, name: &str) -> io::Result<()>;
    fn upscope(&mut self) -> io::Result<()>;
    /// Variables with the same key are one.
    fn variable(&mut self, kind: Kind, key: &str, name: &str) -> io::Result<()>;
    fn end_declarations(&mut self) -> io::Result<()>;
    fn time(&mut self, at: Picoseconds) -> io::Result<()>;
    fn bits(&mut self, key: &str, value: &str) -> io::Result<()>;
    fn text(&mut self, key: &str, value: &str) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Opens a file; its first time is `start`.
pub(super) fn open(
    path: &Path,
    format: WaveFormat,
    start: Picoseconds,
) -> io::Result<Box<dyn Sink>> {
    Ok(match format {
        WaveFormat::Vcd => Box::new(Vcd::create(path)?),
        WaveFormat::Fst => Box::new(Fst::create(path, start)?),
    })
}

struct Vcd {
    out: BufWriter<File>,
    /// Keys of variables of one bit.
    single: BTreeSet<String>,
}

impl Vcd {
    fn create(path: &Path) -> io::Result<Self> {
        let mut out = BufWriter::new(File::create(path)?);
        writeln!(out, "$version Floatgate $end\n$timescale 1ps $end")?;
        Ok(Self { out, single: BTreeSet::new() })
    }
}

impl Sink for Vcd {
    fn scope(&mut self, name: &str) -> io::Result<()> {
        writeln!(self.out, "$scope module {name} $end")
    }

    fn upscope(&mut self) -> io::Result<()> {
        writeln!(self.out, "$upscope $end")
    }

    fn variable(&mut self, kind: Kind, key: &str, name: &str) -> io::Result<()> {
        if kind == Kind::Bits(1) {
            self.single.insert(key.to_owned());
        }
        match kind {
            Kind::Bits(width) => writeln!(self.out, "$var wire {width} {key} {name} $end"),
            Kind::Text => writeln!(self.out, "$var string 1 {key} {name} $end"),
        }
    }

    fn end_declarations(&mut self) -> io::Result<()> {
        writeln!(self.out, "$enddefinitions $end")
    }

    fn time(&mut self, at: Picoseconds) -> io::Result<()> {
        writeln!(self.out, "#{}", at.0)
    }

    fn bits(&mut self, key: &str, value: &str) -> io::Result<()> {
        // A vector stays one where leading zeros are left out: viewers refuse a scalar for it.
        match self.single.contains(key) {
            true => writeln!(self.out, "{value}{key}"),
            false => writeln!(self.out, "b{value} {key}"),
        }
    }

    fn text(&mut self, key: &str, value: &str) -> io::Result<()> {
        writeln!(self.out, "s{value} {key}")
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

/// What an FST file is at.
enum Stage {
    Header(FstHeaderWriter<BufWriter<File>>),
    Body(FstBodyWriter<BufWriter<File>>),
}

struct Fst {
    /// Present but for the moment of going over.
    stage: Option<Stage>,
    ids: BTreeMap<String, FstSignalId>,
}

impl Fst {
    fn create(path: &Path, start: Picoseconds) -> io::Result<Self> {
        let info = FstInfo {
            start_time: start.0,
            timescale_exponent: -12,
            version: "Floatgate".to_owned(),
            // The same run writes the same file.
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let header = open_fst(path, &info).map_err(as_io)?;
        Ok(Self { stage: Some(Stage::Header(header)), ids: BTreeMap::new() })
    }

    fn header(&mut self) -> &mut FstHeaderWriter<BufWriter<File>> {
        match &mut self.stage {
            Some(Stage::Header(header)) => header,
            _ => unreachable!("declarations come first"),
        }
    }

    fn body(&mut self) -> &mut FstBodyWriter<BufWriter<File>> {
        match &mut self.stage {
            Some(Stage::Body(body)) => body,
            _ => unreachable!("changes come behind the declarations"),
        }
    }
}

impl Sink for Fst {
    fn scope(&mut self, name: &str) -> io::Result<()> {
        self.header().scope(name, "", FstScopeType::Module).map_err(as_io)
    }

    fn upscope(&mut self) -> io::Result<()> {
        self.header().up_scope().map_err(as_io)
    }

    fn variable(&mut self, kind: Kind, key: &str, name: &str) -> io::Result<()> {
        let width = match kind {
            Kind::Bits(width) => width,
            Kind::Text => 8 * TEXT_CHARS,
        };
        let (alias, wire) = (self.ids.get(key).copied(), FstVarType::Wire);
        let (bits, way) = (FstSignalType::bit_vec(width), FstVarDirection::Implicit);
        let id = self.header().var(name, bits, wire, way, alias).map_err(as_io)?;
        self.ids.insert(key.to_owned(), id);
        Ok(())
    }

    fn end_declarations(&mut self) -> io::Result<()> {
        let Some(Stage::Header(header)) = self.stage.take() else {
            unreachable!("declarations end once");
        };
        self.stage = Some(Stage::Body(header.finish().map_err(as_io)?));
        Ok(())
    }

    fn time(&mut self, at: Picoseconds) -> io::Result<()> {
        let body = self.body();
        if body.size() > FST_BUFFER_BYTES {
            body.flush().map_err(as_io)?;
        }
        body.time_change(at.0).map_err(as_io)
    }

    fn bits(&mut self, key: &str, value: &str) -> io::Result<()> {
        let id = self.ids[key];
        self.body().signal_change(id, value.as_bytes()).map_err(as_io)
    }

    /// The characters that fit, behind zeros.
    fn text(&mut self, key: &str, value: &str) -> io::Result<()> {
        let shown = value.bytes().take(TEXT_CHARS as usize);
        let bits: String = shown.map(|byte| format!("{byte:08b}")).collect();
        let width = 8 * TEXT_CHARS as usize;
        self.bits(key, &format!("{bits:0>width$}"))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        match self.stage.take() {
            Some(Stage::Body(body)) => body.finish().map(drop).map_err(as_io),
            _ => unreachable!("a waveform has declarations"),
        }
    }
}

fn as_io(error: FstWriteError) -> io::Error {
    match error {
        FstWriteError::Io(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GTKWave ends at a vector's change that is written as a scalar's.
    #[test]
    fn a_vector_of_small_value_is_still_a_vector() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("w.vcd");
        let mut sink = open(&path, WaveFormat::Vcd, Picoseconds(0)).unwrap();
        sink.variable(Kind::Bits(8), "!", "dq").unwrap();
        sink.variable(Kind::Bits(1), "#", "cle").unwrap();
        sink.end_declarations().unwrap();
        sink.time(Picoseconds(5)).unwrap();
        sink.bits("!", "1").unwrap();
        sink.bits("#", "1").unwrap();
        sink.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("#5\nb1 !\n1#\n"), "{text}");
    }
}
