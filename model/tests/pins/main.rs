//! The pin level: bounds, bus rules, drivers, and the jobs of the sequence table.

mod bounds;
mod plain;
