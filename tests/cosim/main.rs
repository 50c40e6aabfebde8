//! Co-simulation regressions: one binary, one module for each subject.

mod array_agreement;
mod bounds;
mod bus_lockstep;
mod characterize;
mod corners;
mod flash;
mod golden;
mod lint;
mod lockstep;
mod page_path;
mod run_window;
mod streams;
mod synth;

use std::path::Path;

use floatgate_model::calibration::Calibration;
use floatgate_model::config::{CodeConfig, NamedCode};

/// All shipped configurations of the codec.
fn codes() -> Vec<NamedCode> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/ecc");
    CodeConfig::load_dir(dir).expect("shipped configurations are right")
}

/// The calibration of the models, as it is shipped.
fn calibration() -> Calibration {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/calibration");
    Calibration::load(dir).expect("the shipped calibration is right")
}

/// The configuration of a name.
fn code(name: &str) -> NamedCode {
    codes().into_iter().find(|code| code.name == name).expect("a shipped configuration")
}
