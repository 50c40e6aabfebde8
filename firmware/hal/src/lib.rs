//! What firmware, models and RTL agree on: units and the names that cross their boundaries.
//!
//! Nothing here allocates or knows an operating system, so the same code runs on a controller.
#![no_std]
#![forbid(unsafe_code)]

pub mod units;
