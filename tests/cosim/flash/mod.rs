//! The ONFI channel controller at the pins of modelled dies.

mod bench;
mod bus_time;
mod faults;
mod interleaving;
mod lint;
mod modes;
mod operations;
