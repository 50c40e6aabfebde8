//! Transaction-level models, software BCH codec and configuration.
#![deny(unsafe_code)]

pub mod array;
pub mod calibration;
pub mod channel;
pub mod closed_forms;
pub mod config;
pub mod device;
pub mod die;
pub mod dram;
pub mod ecc;
pub mod experiments;
pub mod host;
pub mod pins;
pub mod sim;
pub mod ssd;
