//! Synthesis within a sweep: with Yosys, without it, and with one that fails.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::project::{Project, names_in, synthesised_sweep};
use crate::{exit, fails, succeeds};

/// An executable script in the project's folder, to stand for Yosys.
pub(crate) fn script(project: &Project, name: &str, text: &str) -> PathBuf {
    let path = project.write(name, format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn metrics(project: &Project) -> Value {
    let path = project.path("out/sweep-small/metrics.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn without_yosys_the_sweep_ends_with_a_note_and_without_areas() {
    let project = Project::new();
    let (_, said) =
        succeeds(project.sweep(&synthesised_sweep()).env("FLOATGATE_YOSYS", "/nonexistent"));
    let line = "floatgate: /nonexistent not found: install the Debian package yosys; \
                the report has no area and no timing\n";
    assert_eq!(said, line);
    let metrics = metrics(&project);
    assert!(metrics["sweep"]["points"][0]["build"].is_null());
    let note = metrics["sweep"]["notes"][0].as_str().unwrap();
    assert!(note.starts_with("No area and no timing: /nonexistent not found"), "{note}");
    let page = fs::read_to_string(project.path("out/sweep-small/report.html")).unwrap();
    assert!(page.contains("No area and no timing"), "the report says what it lacks");
    assert!(!project.path("out/sweep-small/csv/builds.csv").exists());
    let summary = fs::read_to_string(project.path("out/sweep-small/csv/summary.csv")).unwrap();
    let head = summary.lines().next().unwrap();
    assert!(!head.contains("NAND2"), "no area column: {head}");
}

#[test]
fn a_yosys_that_gives_no_version_counts_as_missing() {
    let project = Project::new();
    let yosys = script(&project, "yosys", "exit 1");
    let (_, said) = succeeds(project.sweep(&synthesised_sweep()).env("FLOATGATE_YOSYS", yosys));
    assert!(said.contains("the report has no area and no timing"), "{said}");
}

#[test]
fn a_yosys_that_fails_ends_the_sweep_with_its_reason() {
    let project = Project::new();
    let text =
        "[ \"$1\" = -V ] && echo Yosys of the test && exit\necho ERROR: out of gates\nexit 1";
    let yosys = script(&project, "yosys", text);
    let mut sweep = project.sweep(&synthesised_sweep());
    let parts = ["yosys failed on bch_", "out of gates", "(log: "];
    fails(sweep.env("FLOATGATE_YOSYS", yosys), exit::TOOL, &parts);
    assert_eq!(project.runs(), [""; 0]);
    let kept = names_in(&project.path("target/synth-cache"));
    assert!(kept.iter().all(|name| name.ends_with(".log")), "{kept:?}");
    assert!(!kept.is_empty(), "the log that the line names is kept");
}

#[test]
fn a_missing_cell_library_is_named() {
    let project = Project::new();
    let mut sweep = project.sweep(&synthesised_sweep());
    let (_, said) = succeeds(sweep.args(["--liberty", "absent.lib"]));
    assert!(said.contains("absent.lib") && said.lines().count() == 1, "{said}");
}

/// The whole way, twice: the second run finds every result in the cache.
#[test]
fn areas_are_in_the_report_and_the_cache_gives_the_same_ones() {
    if Command::new("yosys").arg("-V").output().is_err() {
        println!("skipped: no yosys on the search path");
        return;
    }
    let project = Project::new();
    let (_, said) = succeeds(&mut project.sweep(&synthesised_sweep()));
    assert_eq!(said, "");
    let first = metrics(&project);
    let area = &first["sweep"]["points"][0]["build"]["decoder"]["nand2_equivalents"];
    assert!(area.as_f64().is_some_and(|area| area > 100.0), "{area}");
    let entries = names_in(&project.path("target/synth-cache"));
    assert_eq!(entries.len(), 3, "one entry for each netlist: {entries:?}");
    // Were a result not in the cache, this Yosys, which gives the same version, would fail.
    let version = Command::new("yosys").arg("-V").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let text = format!("[ \"$1\" = -V ] && echo '{}' && exit\nexit 1", version.trim());
    let yosys = script(&project, "yosys", &text);
    succeeds(project.sweep(&synthesised_sweep()).env("FLOATGATE_YOSYS", yosys));
    assert_eq!(metrics(&project), first);
}
