//! The ONFI channel controller at the pins of modelled dies.

mod bench;
mod bus_time;
mod errors;
mod faults;
mod interleaving;
mod lint;
mod modes;
mod operations;
mod pipelines;
mod resets;
mod soak;
