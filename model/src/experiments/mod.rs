//! Published systems on the models, beside the figures that were published of them.
//!
//! Enters: an experiment's configuration (`configs/experiments`). Leaves: a row for each figure,
//! and the curves behind them.

pub mod ofc;
mod row;

pub use row::{Basis, Expectation, Row};
