//! All configurations through Verilator's lint with every rule on, and every file through the
//! other two tools that must be able to read it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use floatgate_model::config::NamedCode;
use rayon::prelude::*;

use crate::codes;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Packages first.
fn sources() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ["rtl/prim", "ecc-rtl"]
        .iter()
        .flat_map(|dir| fs::read_dir(root().join(dir)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sv"))
        .collect();
    files.sort_by_key(|path| (!path.to_string_lossy().ends_with("_pkg.sv"), path.clone()));
    files
}

fn params(code: &NamedCode, top: &str) -> Vec<(&'static str, u32)> {
    let config = &code.config;
    let mut params = vec![
        ("M", config.m),
        ("K_MAX", config.k_max().0),
        ("T_MAX", config.t_max),
        ("P", config.p),
        ("CRC", config.crc.into()),
        ("FIXED", config.fixed.into()),
    ];
    if top == "bch_decoder" {
        params.extend([("P_C", config.p_c), ("KES_LANES", config.kes_lanes)]);
    }
    params
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn verilator_has_no_complaint() {
    let runs: Vec<(NamedCode, &str)> = codes()
        .into_iter()
        .flat_map(|code| ["bch_encoder", "bch_decoder"].map(|top| (code.clone(), top)))
        .collect();
    runs.par_iter().for_each(|(code, top)| {
        let output = Command::new("verilator")
            .args(["--lint-only", "-Wall", "--assert", "--top", top])
            .current_dir(root())
            .arg("-Irtl/prim")
            .args(params(code, top).iter().map(|(name, value)| format!("-G{name}={value}")))
            .arg("ecc-rtl/lint.vlt")
            .args(sources())
            .output()
            .expect("Verilator is there: the build needs it");
        assert!(output.status.success(), "{} of {}: {}", top, code.name, said(&output));
    });
}

/// Runs a tool over the sources, or says that it is not there.
fn reads(tool: &str, arguments: &[String]) {
    match Command::new(tool).current_dir(root()).args(arguments).output() {
        Ok(output) => assert!(output.status.success(), "{tool}: {}", said(&output)),
        Err(_) => println!("skipped: {tool} is not installed"),
    }
}

#[test]
fn yosys_reads_every_file() {
    let files: Vec<String> =
        sources().iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let script = format!(
        "read_verilog -sv -Irtl/prim {}; hierarchy -check -top bch_decoder; proc; check -assert",
        files.join(" ")
    );
    reads("yosys", &["-q".into(), "-p".into(), script]);
}

#[test]
fn icarus_reads_every_file() {
    for top in ["bch_encoder", "bch_decoder"] {
        let fixed = ["-g2012", "-t", "null", "-I", "rtl/prim", "-s", top];
        let mut arguments: Vec<String> = fixed.map(String::from).to_vec();
        arguments.extend(sources().iter().map(|path| path.to_string_lossy().into_owned()));
        reads("iverilog", &arguments);
    }
}
