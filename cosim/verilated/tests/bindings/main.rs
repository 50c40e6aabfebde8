//! The bindings against their own test tops (tests/rtl), without the codec.

mod failures;
mod parallel;
mod ports;
mod streams;
mod traces;

use verilated::{Command, Model};
use verilated_echo::EchoPorts;

/// A model that has been reset, and its ports.
fn echo(name: &str, seed: u64) -> (Model, EchoPorts) {
    let mut model = Model::new(name, seed).expect("the model is linked");
    let ports = model.ports().expect("it is an echo");
    model.reset(2).expect("a reset fails nothing");
    (model, ports)
}

/// Commands of these lengths in bytes, with their positions as strengths.
fn commands(bytes: &[u16]) -> Vec<Command> {
    bytes.iter().zip(1..).map(|(&bytes, strength)| Command { strength, bytes }).collect()
}

/// Words of so many bits from a counter, spread by a multiplication.
fn words(count: usize, bits: u32) -> Vec<u64> {
    let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
    (1..=count as u64).map(spread).collect()
}
