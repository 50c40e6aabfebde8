//! The controller through Verilator's lint with every rule on, and through the other two tools that
//! must be able to read it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Sources of the controller, packages first.
fn sources() -> Vec<String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("rtl"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sv"))
        .collect();
    files.sort_by_key(|path| (!path.to_string_lossy().ends_with("_pkg.sv"), path.clone()));
    files.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Runs a tool over the sources, or says that it is not there.
fn reads(tool: &str, arguments: &[String]) {
    match Command::new(tool).current_dir(root()).args(arguments).output() {
        Ok(output) => assert!(output.status.success(), "{tool}: {}", said(&output)),
        Err(_) => println!("skipped: {tool} is not installed"),
    }
}

#[test]
fn verilator_has_no_complaint_of_the_controller() {
    for dies in [2, 3, 8] {
        let fixed = ["--lint-only", "-Wall", "--assert", "--top", "onfi_controller", "-Irtl/prim"];
        let mut arguments: Vec<String> = fixed.map(String::from).to_vec();
        arguments.extend([format!("-GN_DIES={dies}"), "rtl/lint.vlt".into()]);
        arguments.extend(sources());
        reads("verilator", &arguments);
    }
}

#[test]
fn yosys_reads_the_controller() {
    let script = format!(
        "read_verilog -sv -Irtl/prim {}; hierarchy -check -top onfi_controller; proc; \
         check -assert",
        sources().join(" ")
    );
    reads("yosys", &["-q".into(), "-p".into(), script]);
}

#[test]
fn icarus_reads_the_controller() {
    let fixed = ["-g2012", "-t", "null", "-I", "rtl/prim", "-s", "onfi_controller"];
    let mut arguments: Vec<String> = fixed.map(String::from).to_vec();
    arguments.extend(sources());
    reads("iverilog", &arguments);
}
