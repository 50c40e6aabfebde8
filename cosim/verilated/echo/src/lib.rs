//! The test tops of the bindings: linking this crate makes them known to `verilated`.

include!(concat!(env!("OUT_DIR"), "/models.rs"));
