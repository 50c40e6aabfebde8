//! The flash die: for now how its raw bit errors grow.

pub mod rber;
