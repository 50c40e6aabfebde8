//! The die: part files, parameter page, command set, rules of the bus, cells.

mod cells;
mod coverage;
mod faults;
mod host;
mod operations;
mod parts;
mod rules_address;
mod rules_array;
mod rules_habits;
mod rules_interface;
mod rules_planes;
mod rules_protocol;
mod rules_state;
mod soak;
mod wrong_parts;
