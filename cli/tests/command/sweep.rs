//! `floatgate sweep` to its end: the files of a run, and the same figures from the same seed.

use std::fs;

use predicates::prelude::*;
use serde_json::Value;

use crate::project::{Project, SMALL_SWEEP, names_in, small_sweep_with};
use crate::succeeds;

fn json(project: &Project, path: &str) -> Value {
    let text = fs::read_to_string(project.path(path)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn a_run_leaves_report_metrics_tables_and_a_waveform() {
    let project = Project::new();
    let (said, _) = succeeds(project.sweep(SMALL_SWEEP).arg("--wave"));
    assert_eq!(said.lines().last(), Some("out/sweep-small/report.html"));
    assert_eq!(project.runs(), ["latest", "sweep-small"]);
    let files = ["config.ron", "csv", "metrics.json", "report.html", "run.json", "waves"];
    assert_eq!(names_in(&project.path("out/sweep-small")), files);

    let metrics = json(&project, "out/latest/metrics.json");
    let points = metrics["sweep"]["points"].as_array().unwrap();
    let strengths: Vec<&Value> = points.iter().map(|point| &point["t"]).collect();
    assert_eq!(strengths, [1, 2, 3]);
    let run = json(&project, "out/sweep-small/run.json");
    assert_eq!(run["run"]["seed"], 7);

    let page = fs::read_to_string(project.path("out/sweep-small/report.html")).unwrap();
    let has_figures = predicate::str::contains("<svg").and(predicate::str::contains("n23-m5-t3"));
    assert!(has_figures.eval(&page), "no figure of the code in the report");
    let table = fs::read_to_string(project.path("out/sweep-small/csv/summary.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 3, "a head and a row for each strength:\n{table}");
}

#[test]
fn the_waveform_shows_a_codeword_passing() {
    let project = Project::new();
    succeeds(project.sweep(SMALL_SWEEP).arg("--wave"));
    let waves = project.path("out/sweep-small/waves");
    assert_eq!(names_in(&waves), ["n23-m5-t3-decode-t3.fst"]);
    let path = waves.join("n23-m5-t3-decode-t3.fst");
    let mut wave = wellen::simple::read(&path).unwrap_or_else(|error| panic!("{error}"));
    let hierarchy = wave.hierarchy();
    let variable = hierarchy.lookup_var(&["TOP"], "m_last_o").expect("a port of the decoder");
    let signal = hierarchy[variable].signal_ref();
    wave.load_signals(&[signal]);
    let last = wave.get_signal(signal).expect("it was just loaded");
    let rises =
        last.iter_changes().filter(|(_, value)| value.to_bit_string().as_deref() == Some("1"));
    assert_eq!(rises.count(), 1, "one codeword has one last word");
}

#[test]
fn threads_do_not_change_the_figures() {
    let project = Project::new();
    let metrics = |jobs: &str, out: &str| {
        succeeds(project.sweep(SMALL_SWEEP).args(["--jobs", jobs, "--out", out]));
        fs::read(project.path(out).join("sweep-small/metrics.json")).unwrap()
    };
    let first = metrics("1", "a");
    assert!(first == metrics("3", "b"), "metrics.json of 1 and of 3 threads part");
}

#[test]
fn the_stored_configuration_runs_the_same_sweep_again() {
    let project = Project::new();
    succeeds(&mut project.sweep(SMALL_SWEEP));
    let stored = fs::read_to_string(project.path("out/sweep-small/config.ron")).unwrap();
    let first = fs::read(project.path("out/sweep-small/metrics.json")).unwrap();
    succeeds(&mut project.sweep(&stored));
    assert!(first == fs::read(project.path("out/sweep-small/metrics.json")).unwrap());
}

#[test]
fn json_on_stdout_is_the_stored_document() {
    let project = Project::new();
    let (said, _) = succeeds(project.sweep(SMALL_SWEEP).arg("--json"));
    let said: Value = serde_json::from_str(&said).expect("one JSON document");
    assert_eq!(said, json(&project, "out/sweep-small/metrics.json"));
}

#[test]
fn the_data_of_the_command_line_comes_before_the_configuration_s() {
    let project = Project::new();
    project.write("configured", "abc");
    project.write("asked", "defgh");
    let text = small_sweep_with("data: None", "data: Some(\"configured\")");
    let source = |project: &Project| {
        json(project, "out/latest/metrics.json")["sweep"]["settings"]["data_source"].clone()
    };
    succeeds(&mut project.sweep(&text));
    assert_eq!(source(&project), "configured, 3 bytes");
    succeeds(project.sweep(&text).args(["--data", "asked"]));
    assert_eq!(source(&project), "asked, 5 bytes");
}

#[test]
fn a_report_is_written_anew_from_a_run_folder() {
    let project = Project::new();
    succeeds(&mut project.sweep(SMALL_SWEEP));
    let path = project.path("out/sweep-small/report.html");
    let page = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let (said, _) = succeeds(project.floatgate().args(["report", "out/sweep-small"]));
    assert_eq!(said, "out/sweep-small/report.html\n");
    assert!(fs::read_to_string(&path).unwrap() == page);
}
