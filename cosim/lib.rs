//! RTL-backed flash bus and codec.
pub mod synth;
