//! Who may depend on whom, from `cargo metadata`: the chain runs hal, firmware, model,
//! co-simulation, command; the report stands beside the co-simulation; the bindings know nothing of
//! the codec.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::none;

/// Each crate of the workspace with the ones that it may use, tests of its own aside.
const LAYERS: [(&str, &[&str]); 10] = [
    ("floatgate-hal", &[]),
    ("floatgate-firmware", &["floatgate-hal"]),
    ("floatgate-model", &["floatgate-hal", "floatgate-firmware"]),
    ("verilated-build", &[]),
    ("verilated", &["verilated-build"]),
    ("verilated-echo", &["verilated", "verilated-build"]),
    ("floatgate-cosim", &["floatgate-hal", "floatgate-model", "verilated", "verilated-build"]),
    ("floatgate-report", &["floatgate-hal", "floatgate-model"]),
    (
        "floatgate-cli",
        &[
            "floatgate-hal",
            "floatgate-firmware",
            "floatgate-model",
            "floatgate-cosim",
            "floatgate-report",
            "verilated",
        ],
    ),
    (
        "floatgate-mutants",
        &["floatgate-hal", "floatgate-model", "floatgate-cosim", "verilated", "verilated-build"],
    ),
];

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(crate::tree::root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

fn name(value: &Value) -> &str {
    value["name"].as_str().expect("a name")
}

#[test]
fn crates_depend_along_the_chain_only() {
    let layers = BTreeMap::from(LAYERS);
    let packages = packages();
    let mut faults = Vec::new();
    for package in &packages {
        let Some(allowed) = layers.get(name(package)) else {
            faults.push(format!("{} has no place in the chain", name(package)));
            continue;
        };
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let of_ours = dependencies.iter().filter(|dependency| {
            dependency["kind"] != "dev" && packages.iter().any(|p| name(p) == name(dependency))
        });
        for dependency in of_ours.filter(|dependency| !allowed.contains(&name(dependency))) {
            faults.push(format!("{} uses {}", name(package), name(dependency)));
        }
    }
    none("dependencies against the chain", &faults);
}

#[test]
fn the_controller_s_crate_has_no_dependencies() {
    let packages = packages();
    let hal = packages.iter().find(|package| name(package) == "floatgate-hal").unwrap();
    assert_eq!(hal["dependencies"].as_array().map(Vec::len), Some(0));
    for crate_root in ["firmware/hal/src/lib.rs", "firmware/src/lib.rs"] {
        let head = std::fs::read_to_string(crate::tree::root().join(crate_root)).unwrap();
        for attribute in ["#![no_std]", "#![forbid(unsafe_code)]"] {
            assert!(head.lines().any(|line| line == attribute), "{crate_root} lacks {attribute}");
        }
    }
}
