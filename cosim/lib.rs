//! The co-simulation: RTL that Verilator has compiled, behind the interfaces of the models.
//!
//! In: configurations (`configs/ecc`), codewords, flash operations. Out: what the RTL makes of
//! them, with the clocks it took ([`ecc`], [`measure`], [`flash`], put together in [`device`],
//! beside the models in [`lockstep`], as the models' calibration in
//! [`characterize`], as a channel of a whole drive in [`engine`]), and its area and timing
//! ([`synth`]). The bindings are the crate `verilated`; which tops are compiled stands in the table
//! of `build.rs`.

pub mod characterize;
pub mod device;
pub mod dut;
pub mod ecc;
pub mod engine;
pub mod flash;
pub mod guard;
pub mod lockstep;
pub mod measure;
pub mod synth;
pub mod wave;
