//! The die: part files, parameter page, command set, rules of the bus, cells.

mod parts;
