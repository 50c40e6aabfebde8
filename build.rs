//! The table of RTL tops: each configuration of `configs/ecc` as encoder and as decoder, and the
//! ONFI channel controller.

use std::path::{Path, PathBuf};

use floatgate_model::config::{CodeConfig, NamedCode};
use verilated_build::{Coverage, Top, build_or_report};

const ECC_DIRS: [&str; 2] = ["rtl/prim", "ecc-rtl"];
const ONFI_DIRS: [&str; 2] = ["rtl/prim", "rtl"];
/// Names and dies of the controllers.
const CONTROLLERS: [(&str, i64); 2] = [("onfi_controller_x2", 2), ("onfi_controller_x8", 8)];
const CODEC_TOPS: [&str; 2] = ["bch_encoder", "bch_decoder"];

fn main() {
    println!("cargo::rerun-if-changed=configs/ecc");
    for dir in ECC_DIRS.into_iter().chain(ONFI_DIRS) {
        println!("cargo::rerun-if-changed={dir}");
    }
    let codes = match CodeConfig::load_dir("configs/ecc") {
        Ok(codes) => codes,
        Err(error) => return println!("cargo::error={error}"),
    };
    let files = rtl_files(&ECC_DIRS);
    let rows = codes.iter().flat_map(|code| CODEC_TOPS.map(|module| codec(module, code, &files)));
    let controllers = CONTROLLERS.map(|(name, dies)| controller(name, dies));
    build_or_report(&rows.chain(controllers).collect::<Vec<_>>());
}

/// One configuration of the encoder or the decoder.
fn codec(module: &str, code: &NamedCode, files: &[PathBuf]) -> Top {
    let config = &code.config;
    // The name that `floatgate_cosim::ecc::model_name` makes.
    let mut top = Top::new(format!("{module}_{}", code.name.replace('-', "_")), module);
    top.files = files.to_vec();
    top.include_dirs = vec!["rtl/prim".into()];
    let mut params = vec![
        ("M", config.m),
        ("K_MAX", config.k_max().0),
        ("T_MAX", config.t_max),
        ("P", config.p),
        ("CRC", config.crc.into()),
        ("FIXED", config.fixed.into()),
    ];
    if module == "bch_decoder" {
        params.extend([("P_C", config.p_c), ("KES_LANES", config.kes_lanes)]);
    }
    top.params = params.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    top.coverage = coverage();
    top
}

/// The channel controller for so many dies.
fn controller(name: &str, dies: i64) -> Top {
    let mut top = Top::new(name, "onfi_controller");
    top.files = rtl_files(&ONFI_DIRS);
    top.include_dirs = vec!["rtl/prim".into()];
    top.params = vec![("N_DIES".into(), dies)];
    top.coverage = coverage();
    top
}

/// Coverage costs speed, so it is a feature: `make coverage` sets it.
fn coverage() -> Coverage {
    match std::env::var_os("CARGO_FEATURE_COVERAGE") {
        Some(_) => Coverage::LinesAndToggles,
        None => Coverage::Off,
    }
}

/// All sources of these folders, packages first.
fn rtl_files(dirs: &[&str]) -> Vec<PathBuf> {
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "sv");
    let is_package = |path: &Path| path.to_string_lossy().ends_with("_pkg.sv");
    let mut files: Vec<PathBuf> = dirs
        .iter()
        .filter_map(|dir| std::fs::read_dir(dir).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(is_source)
        .collect();
    files.sort_by_key(|path| (!is_package(path), path.clone()));
    files
}
