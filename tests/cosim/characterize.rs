//! The stored calibration of the models against the RTL, measured again: exact, because both count
//! clocks of single operations.

use std::path::Path;

use floatgate_cosim::characterize;
use floatgate_model::die::Part;
use rayon::prelude::*;

use crate::{calibration, codes};

/// As `floatgate characterize` draws them; another seed, so that other positions are wrong.
const SEED: u64 = 2;

#[test]
fn codecs_take_the_stored_clocks() {
    let stored = calibration();
    let named: Vec<String> = codes().into_iter().map(|code| code.name).collect();
    let keys: Vec<&String> = stored.codecs.keys().collect();
    assert_eq!(keys, named.iter().collect::<Vec<_>>(), "floatgate characterize measures them all");
    codes().par_iter().for_each(|code| {
        let measured = characterize::codec(code, SEED).unwrap();
        assert_eq!(stored.codec(code), Some(measured), "{}: stored, and measured", code.name);
    });
}

#[test]
fn the_controller_takes_the_stored_clocks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let part = Part::load(root.join("configs/parts/ix64mlc2lun-a.ron")).unwrap();
    let measured = characterize::controller(&part, SEED).unwrap();
    assert_eq!(calibration().controller, measured, "stored, and measured");
}
