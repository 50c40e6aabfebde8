//! Traces: a file of recorded requests enters, the requests leave.

mod error;

pub use error::TraceError;
