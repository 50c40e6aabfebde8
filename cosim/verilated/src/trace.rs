//! Waveforms: format and window are chosen for each run.

use std::ops::Range;
use std::path::PathBuf;

/// The format of a waveform file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Value change dump: text, the faster one to write.
    Vcd,
    /// Fast signal trace: about a tenth of the size.
    Fst,
}

/// Which clocks are recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceWindow {
    /// All clocks from now on.
    All,
    /// These clocks, counted from the model's construction.
    Clocks(Range<u64>),
    /// The last so many clocks before a failure, a deadlock or [`crate::Model::end_trace`],
    /// whichever comes first. They are held in memory until then, and nothing is written where
    /// none comes.
    LastClocks(u64),
}

/// A waveform to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The file; an existing one is replaced.
    pub path: PathBuf,
    /// Its format.
    pub format: TraceFormat,
    /// The clocks to record.
    pub window: TraceWindow,
}
