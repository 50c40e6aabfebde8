//! Waveforms of a channel on simulated time: the signals of the controller RTL, and what they mean.
//!
//! In: the RTL's own trace, whose time counts clocks without those that were skipped, and a
//! [`Transcript`] of the channel. Out: one file in picoseconds of simulated time ([`write`]).
//! Beside the scope of the RTL it has, for each die, bus cycles put together to commands, addresses
//! and bursts, the state of the die, and the operation that firmware waits for.

mod sink;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::iter::Peekable;
use std::path::Path;

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::LunState;
use floatgate_model::pins::{Transaction, TransactionKind};

pub use sink::WaveFormat;
use sink::{Kind, Sink};

use crate::lockstep::Entry;

/// A clock of the RTL's trace, in the units of its time (`cosim/verilated/cpp/model.hpp`).
const TRACE_CLOCK: u64 = 10;
/// Bytes of a burst that are spelled out.
const BYTES_SHOWN: usize = 8;

/// When the clocks of a trace were: from clock number to the time at which it began; clocks in
/// between follow one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeMap {
    /// Ascending.
    segments: Vec<(u64, Picoseconds)>,
    clock: Picoseconds,
}

impl TimeMap {
    /// A map for a clock of that period.
    pub fn new(clock: Picoseconds) -> Self {
        Self { segments: Vec::new(), clock }
    }

    /// Clock `number` begins at `at`, and others follow.
    pub fn begin(&mut self, number: u64, at: Picoseconds) {
        self.segments.push((number, at));
    }

    /// The time of a moment of the trace.
    fn simulated(&self, trace_time: u64) -> Picoseconds {
        let (number, phase) = (trace_time / TRACE_CLOCK, trace_time % TRACE_CLOCK);
        let at = self.segments.partition_point(|&(first, _)| first <= number);
        let (first, begin) = match at {
            0 => (number, Picoseconds(0)),
            at => self.segments[at - 1],
        };
        // The clock falls in the middle of its period here, and rises at its end.
        let half = if phase == 0 { self.clock.0 / 2 } else { self.clock.0 };
        Picoseconds(begin.0 + (number - first) * self.clock.0 + half)
    }
}

/// A file to write a channel's waveform into.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Where.
    pub path: &'a Path,
    /// Its format.
    pub format: WaveFormat,
    /// Dies on the channel.
    pub dies: u8,
}

/// Brings the RTL's trace `raw`, a VCD file, to the time of the simulation, and writes it with the
/// transcript beside; both end at `end`.
///
/// # Errors
/// A file that cannot be read or written.
pub fn write(
    raw: &Path,
    times: &TimeMap,
    transcript: &Transcript,
    end: Picoseconds,
    target: &Target<'_>,
) -> io::Result<()> {
    let start = first_time(raw)?.map_or(end, |time| times.simulated(time));
    let mut sink = sink::open(target.path, target.format, start)?;
    let mut lines = BufReader::new(File::open(raw)?).lines();
    declare(&mut lines, sink.as_mut(), target.dies)?;
    let mut writer = Writer {
        sink: sink.as_mut(),
        changes: transcript.changes(start, end).into_iter().peekable(),
        last: None,
    };
    for line in lines {
        let line = line?;
        if let Some(time) = line.strip_prefix('#').and_then(|time| time.parse().ok()) {
            writer.signals_at(times.simulated(time))?;
        } else if let Some((value, key)) = line.strip_prefix('b').and_then(|it| it.split_once(' '))
        {
            writer.sink.bits(key, value)?;
        } else if line.starts_with(['0', '1', 'x', 'z']) {
            let (value, key) = line.split_at(1);
            writer.sink.bits(key, value)?;
        }
    }
    writer.texts_before(Picoseconds(end.0 + 1))?;
    sink.finish()
}

/// The first time of a VCD file, in its own unit.
fn first_time(raw: &Path) -> io::Result<Option<u64>> {
    for line in BufReader::new(File::open(raw)?).lines() {
        if let Some(time) = line?.strip_prefix('#').and_then(|time| time.parse().ok()) {
            return Ok(Some(time));
        }
    }
    Ok(None)
}

/// Takes over the declarations of a VCD file, and adds the rows of the dies.
fn declare(
    lines: &mut impl Iterator<Item = io::Result<String>>,
    sink: &mut dyn Sink,
    dies: u8,
) -> io::Result<()> {
    for line in lines {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["$scope", _, name, "$end"] => sink.scope(name)?,
            ["$upscope", ..] => sink.upscope()?,
            ["$var", _, bits, key, ref name @ .., "$end"] => {
                let bits = bits.parse().map_err(io::Error::other)?;
                sink.variable(Kind::Bits(bits), key, &name.join(" "))?;
            }
            ["$enddefinitions", ..] => break,
            _ => {}
        }
    }
    sink.scope("channel")?;
    for die in (0..dies).map(DieIndex) {
        sink.scope(&format!("die{}", die.0))?;
        for (row, name) in ROWS.into_iter().enumerate() {
            sink.variable(Kind::Text, &key(die, row), name)?;
        }
        sink.upscope()?;
    }
    sink.upscope()?;
    sink.end_declarations()
}

/// The key of a die's row; those of the RTL's signals have no such sign.
fn key(die: DieIndex, row: usize) -> String {
    format!("channel.{}.{row}", die.0)
}

/// Puts the texts of a transcript between the changes of the signals.
struct Writer<'a, I: Iterator<Item = Change>> {
    sink: &'a mut dyn Sink,
    changes: Peekable<I>,
    last: Option<Picoseconds>,
}

impl<I: Iterator<Item = Change>> Writer<'_, I> {
    /// The signals' changes of a time are next; texts of up to then come before.
    fn signals_at(&mut self, at: Picoseconds) -> io::Result<()> {
        self.texts_before(Picoseconds(at.0 + 1))?;
        self.at(at)
    }

    fn texts_before(&mut self, limit: Picoseconds) -> io::Result<()> {
        while let Some(change) = self.changes.next_if(|change| change.at < limit) {
            self.at(change.at)?;
            self.sink.text(&key(change.die, change.row), &change.text)?;
        }
        Ok(())
    }

    fn at(&mut self, at: Picoseconds) -> io::Result<()> {
        if self.last.replace(at) == Some(at) {
            return Ok(());
        }
        self.sink.time(at)
    }
}

/// What happened on a channel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// Bus cycles of each die.
    pub transactions: Vec<(DieIndex, Transaction)>,
    /// States that the first LUN of a die went over to.
    pub states: Vec<(DieIndex, Picoseconds, LunState)>,
    /// Operations of firmware.
    pub operations: Vec<Entry>,
}

/// The rows of a die.
const ROWS: [&str; 3] = ["bus", "state", "firmware"];

impl Transcript {
    /// The changes of all rows from `start` to `end`, in order; what has begun before is there at
    /// the start. A row is empty between two things, or goes over to the next one.
    fn changes(&self, start: Picoseconds, end: Picoseconds) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |from: Picoseconds, until: Picoseconds, die, row, text: String| {
            if until >= start && from <= end {
                changes.push(Change { at: from.max(start), die, row, text });
            }
        };
        for (die, transaction) in &self.transactions {
            let over = Picoseconds(transaction.end.0 + 1);
            add(transaction.start, transaction.end, *die, 0, describe(transaction));
            add(over, over, *die, 0, "-".to_owned());
        }
        for (index, (die, at, state)) in self.states.iter().enumerate() {
            let next = self.states[index + 1..].iter().find(|(of, ..)| of == die);
            let until = next.map_or(end, |(_, next, _)| Picoseconds(next.0.saturating_sub(1)));
            add(*at, until, *die, 1, format!("{state:?}"));
        }
        for entry in &self.operations {
            let (die, row) = (entry.op.die, entry.op.row.0);
            let text = format!("{:?}:{row:06X}h", entry.op.kind);
            add(entry.asked, entry.answered, die, 2, text);
            let outcome = format!("{:?}", entry.completion.outcome);
            add(entry.answered, entry.answered, die, 2, outcome);
        }
        changes.sort_by_key(|change| change.at);
        changes
    }
}

/// A row of a die takes a value.
struct Change {
    at: Picoseconds,
    die: DieIndex,
    row: usize,
    text: String,
}

/// A word without blanks, as VCD wants it.
fn describe(transaction: &Transaction) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let Transaction { kind, bytes, .. } = transaction;
    match kind {
        TransactionKind::Command => format!("cmd:{}h", hex(bytes)),
        TransactionKind::Address => format!("addr:{}", hex(bytes)),
        TransactionKind::DataIn | TransactionKind::DataOut => {
            let way = if *kind == TransactionKind::DataIn { "in" } else { "out" };
            let shown = hex(&bytes[..bytes.len().min(BYTES_SHOWN)]);
            let more = if bytes.len() > BYTES_SHOWN { ".." } else { "" };
            format!("{way}[{}]:{shown}{more}", bytes.len())
        }
    }
}
