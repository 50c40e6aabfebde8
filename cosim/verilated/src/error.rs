//! Why a simulation could not go on, or could not start.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

/// What went wrong in a model, or in asking something of it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// No model of that name is linked into the program.
    #[error("no model is called `{name}`; there are: {known}")]
    NoSuchModel {
        /// The name asked for.
        name: String,
        /// All names, with commas between them.
        known: String,
    },
    /// The top has no port of that name and direction.
    #[error("{model}: no {direction} port is called `{port}`")]
    NoSuchPort {
        /// The model's name.
        model: String,
        /// The port asked for.
        port: String,
        /// "input" or "output".
        direction: &'static str,
    },
    /// Ports of one module were asked of a model of another.
    #[error("{model}: this is a `{module}`, not a `{wanted}`")]
    WrongModule {
        /// The model's name.
        model: String,
        /// Its module.
        module: String,
        /// The module whose ports were asked for.
        wanted: &'static str,
    },
    /// The RTL reported a failure, or ended the simulation, in this call.
    #[error("{0}")]
    Failed(Box<Failure>),
    /// The model failed in an earlier call and cannot go on.
    #[error("not simulated any further after: {0}")]
    Poisoned(Box<Failure>),
    /// A batch made no progress on any stream.
    #[error("{0}")]
    Deadlock(Box<Deadlock>),
    /// A waveform could not be written.
    #[error("{}: cannot write the waveform: {reason}", path.display())]
    Trace {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// Coverage could not be written.
    #[error("{}: cannot write coverage: {reason}", path.display())]
    Coverage {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The model lacks what the call needs, such as a clock or streams.
    #[error("{model}: {reason}")]
    Unsupported {
        /// The model's name.
        model: String,
        /// What is missing.
        reason: String,
    },
}

/// How a model failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A failed assertion, `$error` or `$fatal`; Verilator reports the three alike.
    Assertion,
    /// `$stop`.
    Stop,
    /// `$finish`.
    Finish,
    /// Verilator's runtime gave up, for example on a loop that does not settle.
    Runtime,
}

/// The first failure of a model, with its place and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How it failed.
    pub kind: FailureKind,
    /// The model's name, as in the build script's table.
    pub model: String,
    /// The hierarchical name of the instance or assertion, empty where Verilator gives none.
    pub instance: String,
    /// The RTL's message.
    pub message: String,
    /// The source file, as it was named to Verilator.
    pub file: String,
    /// The line in the source file.
    pub line: u32,
    /// The number of the clock in which it failed, counted from 0 at construction.
    pub clock: u64,
    /// The waveform that was written, where a trace was running.
    pub trace: Option<PathBuf>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, instance, message, file, line, clock, .. } = self;
        write!(f, "{file}:{line}: {message} (model {model}")?;
        if !instance.is_empty() {
            write!(f, ", in {instance}")?;
        }
        write!(f, ", clock {clock}")?;
        if let Some(trace) = &self.trace {
            write!(f, ", waveform {}", trace.display())?;
        }
        f.write_str(")")
    }
}

/// One side of the four streams of a codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamName {
    /// cmd_*: one command a codeword, into the model.
    Command,
    /// s_*: data words into the model.
    Input,
    /// m_*: data words out of the model.
    Output,
    /// sts_*: one status a command, out of the model.
    Status,
}

/// A stream in the last clock of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamState {
    /// Which stream.
    pub stream: StreamName,
    /// Whether its sender offered a beat.
    pub valid: bool,
    /// Whether its receiver would have taken one.
    pub ready: bool,
    /// Beats so far (packets for the output stream).
    pub done: usize,
    /// Beats that the batch asks for.
    pub wanted: usize,
}

impl StreamState {
    /// Whether the batch needs more beats of this stream.
    pub fn waits(&self) -> bool {
        self.done < self.wanted
    }
}

impl fmt::Display for StreamState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (prefix, unit) = match self.stream {
            StreamName::Command => ("cmd", "commands"),
            StreamName::Input => ("s", "words"),
            StreamName::Output => ("m", "packets"),
            StreamName::Status => ("sts", "statuses"),
        };
        let state = match (self.valid, self.ready) {
            (false, false) => "neither valid nor ready",
            (true, false) => "valid but not ready",
            (false, true) => "ready but not valid",
            (true, true) => "moving",
        };
        write!(f, "{prefix} waits ({} of {} {unit}, {state})", self.done, self.wanted)
    }
}

/// A batch in which no stream moved for too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The model's name.
    pub model: String,
    /// The clock at which the batch was given up.
    pub clock: u64,
    /// The number of clocks without a beat.
    pub idle_clocks: u64,
    /// All four streams, in the last clock.
    pub streams: [StreamState; 4],
    /// The waveform that was written, where a trace was running.
    pub trace: Option<PathBuf>,
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, clock, idle_clocks, .. } = self;
        write!(f, "{model}: nothing moved for {idle_clocks} clocks, given up at clock {clock}: ")?;
        for (i, stream) in self.streams.iter().filter(|stream| stream.waits()).enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{stream}")?;
        }
        if let Some(trace) = &self.trace {
            write!(f, " (waveform {})", trace.display())?;
        }
        Ok(())
    }
}
