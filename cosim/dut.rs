//! The tops of `build.rs`: a constant with each row's name, a struct with each module's ports.
//!
//! A name goes to [`verilated::Model::new`], a struct to [`verilated::Model::ports`].

include!(concat!(env!("OUT_DIR"), "/models.rs"));
