//! Verilator models behind one cxx bridge.
//!
//! In: the models that a build script has generated with `verilated-build` and that are linked
//! into the program. Out: [`Model`], with ports, clock edges, batched streams, waveforms and
//! errors. A new top needs a row in a build script and no code here.
//!
//! This is the only crate of the workspace with `unsafe` code: the bridge itself, the access to
//! port values in the model's memory, and the promise that a model may move between threads.

mod error;
#[expect(unreachable_pub, reason = "cxx declares what it generates as public")]
mod ffi;
mod model;
mod pins;
mod port;
mod stream;
mod trace;

pub use error::{Deadlock, Error, Failure, FailureKind, StreamName, StreamState};
pub use model::{CLOCK_NS, Model, ModelInfo, models};
pub use pins::{PinBatch, PinRun, Strobe};
pub use port::{Input, Output, Port, Ports};
pub use stream::{Batch, Command, Stall, Stalls, StreamOutput};
pub use trace::{Trace, TraceFormat, TraceWindow};
