//! Whole drives at transaction level.

mod closed_forms;
mod contract;
mod peers;
mod power_cuts;
mod write_amplification;
