//! The software BCH codec against vectors of other implementations, and against its own laws.

mod exhaustive;
mod golden;
mod laws;
mod unit;
mod vectors;
