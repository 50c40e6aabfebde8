//! The firmware builds into a program without the standard library and without a heap.

use std::path::Path;
use std::process::Command;

#[test]
fn builds_without_the_standard_library_and_without_a_heap() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/no_std");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--locked", "--manifest-path"])
        .arg(project.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(concat!(env!("CARGO_TARGET_TMPDIR"), "/no_std"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
