//! The pin level: bounds, bus rules, drivers, and the jobs of the sequence table.

mod bounds;
mod bus_rules;
mod coverage;
mod interface;
mod jobs;
mod monitor;
mod output;
mod plain;
mod raw;
mod registers;
mod tables;
