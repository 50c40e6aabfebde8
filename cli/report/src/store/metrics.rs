//! Flat metrics of a stored file: `stage__subject__metric`, the unit last.

use super::model::{EngineRun, Steps, StoreResult};

/// Names and figures.
pub(super) fn figures(store: &StoreResult) -> impl Iterator<Item = (String, f64)> + '_ {
    let corrected = store
        .corrected
        .iter()
        .map(|count| (format!("read__bits_{}__codewords", count.bits), count.codewords as f64));
    let latencies = store.modes.iter().flat_map(|mode| {
        let name = mode.interface.label().to_lowercase().replace('-', "_");
        mode.points.iter().flat_map(move |point| {
            let subject = format!("page_read__{name}_{}_t{}__", mode.mode, point.t);
            [
                (format!("{subject}clean_us"), point.clean_us),
                (format!("{subject}corrected_us"), point.corrected_us),
            ]
        })
    });
    store.engines.iter().flat_map(of_engine).chain(corrected).chain(latencies)
}

fn of_engine(run: &EngineRun) -> Vec<(String, f64)> {
    let key = run.engine.key();
    let mut all = vec![
        (format!("mount__{key}__us"), run.mount_us),
        (format!("mount__{key}__bad_blocks"), run.bad_blocks.into()),
        (format!("check__{key}__breaches"), run.breaches.len() as f64),
    ];
    all.extend(of_steps(&format!("write__{key}__"), &run.write));
    all.extend(of_steps(&format!("read__{key}__"), &run.read));
    all
}

fn of_steps(subject: &str, steps: &Steps) -> [(String, f64); 9] {
    [
        ("firmware_us", steps.firmware_us),
        ("ecc_us", steps.ecc_us),
        ("command_address_us", steps.command_address_us),
        ("transfer_us", steps.transfer_us),
        ("array_us", steps.array_us),
        ("waiting_us", steps.waiting_us),
        ("span_us", steps.span_us),
        ("data_ratio", steps.data_share),
        ("command_ratio", steps.command_share),
    ]
    .map(|(name, value)| (format!("{subject}{name}"), value))
}
