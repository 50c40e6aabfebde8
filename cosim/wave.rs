//! Waveforms of a channel on simulated time: one file with the signals of the controller RTL, one
//! with what they mean.
//!
//! In: the RTL's own trace, whose time counts clocks without those that were skipped, and a
//! [`Transcript`] of the channel. Out: two VCD files in picoseconds of simulated time. The second
//! has, for each die, bus cycles put together to commands, addresses and bursts, the state of the
//! die, and the operation that firmware waits for.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::LunState;
use floatgate_model::pins::{Transaction, TransactionKind};
use vcd::{IdCode, TimescaleUnit, VarType, Writer};

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

/// Copies a VCD file of the RTL's trace with its times moved to those of the simulation.
///
/// # Errors
/// A file that cannot be read or written.
pub fn retime(from: &Path, to: &Path, map: &TimeMap) -> io::Result<()> {
    let mut output = BufWriter::new(File::create(to)?);
    for line in BufReader::new(File::open(from)?).lines() {
        let line = line?;
        if let Some(time) = line.strip_prefix('#').and_then(|time| time.parse().ok()) {
            writeln!(output, "#{}", map.simulated(time).0)?;
        } else if line.starts_with("$timescale") {
            writeln!(output, "$timescale 1ps $end")?;
        } else {
            writeln!(output, "{line}")?;
        }
    }
    output.flush()
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
    /// Writes it as text on the time axis of the simulation.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, path: &Path, dies: u8) -> io::Result<()> {
        let mut writer = Writer::new(BufWriter::new(File::create(path)?));
        writer.timescale(1, TimescaleUnit::PS)?;
        writer.add_module("channel")?;
        let mut ids: Vec<[IdCode; 3]> = Vec::new();
        for die in 0..dies {
            writer.add_module(&format!("die{die}"))?;
            let mut row = |name| writer.add_var(VarType::String, 1, name, None);
            ids.push([row(ROWS[0])?, row(ROWS[1])?, row(ROWS[2])?]);
            writer.upscope()?;
        }
        writer.upscope()?;
        writer.enddefinitions()?;
        let mut changes = self.changes();
        changes.sort_by_key(|change| change.at);
        let mut last = None;
        for Change { at, die, row, text } in changes {
            if last != Some(at) {
                writer.timestamp(at.0)?;
                last = Some(at);
            }
            writer.change_string(ids[usize::from(die.0)][row], &text)?;
        }
        writer.flush()
    }

    /// All changes of all rows; a row is empty between two things, or goes over to the next one.
    fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |at, die, row, text: String| changes.push(Change { at, die, row, text });
        for (die, transaction) in &self.transactions {
            add(transaction.start, *die, 0, describe(transaction));
            add(Picoseconds(transaction.end.0 + 1), *die, 0, "-".to_owned());
        }
        for (die, at, state) in &self.states {
            add(*at, *die, 1, format!("{state:?}"));
        }
        for entry in &self.operations {
            let row = entry.op.row.0;
            add(entry.asked, entry.op.die, 2, format!("{:?}:{row:06X}h", entry.op.kind));
            add(entry.answered, entry.op.die, 2, format!("{:?}", entry.completion.outcome));
        }
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
