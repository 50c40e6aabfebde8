//! `floatgate experiment`: the run folder, its rows, the exit code, and what is refused.

use std::fs;

use assert_cmd::Command;
use serde_json::Value;

use crate::project::{Project, names_in};
use crate::{exit, fails};

/// The experiment on a drive so small that it takes a second; some figures miss there.
const SMALL: &str = r#"(
    title: "Small",
    drive: "small",
    seed: 1,
    calibrated: (
        page_overhead_ns: 34500.0,
        command_ns: 40200.0,
        over_provisioning_percent: 60.0,
    ),
    shape: (channels: 2, dies: 2),
    shapes: [(channels: 2, dies: 1)],
    over_provisioning_percent: [40.0, 60.0],
    window_percent: [10.0, 100.0],
    effort: (pages: 2000, warm_up_drive_writes: 1.0, drive_writes: 0.5),
)
"#;

/// The drive of the shipped experiment with fewer and smaller blocks.
fn project() -> Project {
    let project = Project::new();
    let shipped = include_str!("../../../configs/drives/ofc.ron");
    let small = shipped
        .replace("blocks_per_plane: 128", "blocks_per_plane: 24")
        .replace("pages_per_block: 256", "pages_per_block: 16");
    assert_ne!(small, shipped);
    fs::create_dir_all(project.path("configs/drives")).unwrap();
    project.write("configs/drives/small.ron", &small);
    project.write("small.ron", SMALL);
    project
}

fn experiment(project: &Project, more: &[&str]) -> Command {
    let mut command = project.floatgate();
    command.args(["experiment", "ofc", "--config", "small.ron"]).args(more);
    command
}

#[test]
fn an_experiment_leaves_rows_and_says_which_of_them_miss() {
    let project = project();
    let output = experiment(&project, &["--jobs", "1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(exit::UNREPRODUCED));
    let said = String::from_utf8(output.stdout).unwrap();
    let rows = said.lines().filter(|line| line.starts_with("C-")).count();
    let missed = said.lines().filter(|line| line.contains("MISSES")).count();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.ends_with(&format!("{missed} of {rows} figures are not as they must be\n")));
    assert_eq!(rows, 14, "{said}");

    let files = ["config.ron", "csv", "metrics.json", "report.html", "run.json", "waves"];
    assert_eq!(names_in(&project.path("out/experiment-ofc")), files);
    let text = fs::read_to_string(project.path("out/experiment-ofc/metrics.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["ofc"]["rows"].as_array().unwrap().len(), rows);
    assert!(json["metrics"]["c_2__figure_1__mb_per_s"].as_f64().unwrap() > 10.0);
    let page = fs::read_to_string(project.path("out/experiment-ofc/report.html")).unwrap();
    assert_eq!(page.matches("<figure").count(), 10, "a plot is missing");

    experiment(&project, &["--jobs", "3", "--out", "other"]).assert().code(exit::UNREPRODUCED);
    let other = fs::read_to_string(project.path("other/experiment-ofc/metrics.json")).unwrap();
    assert!(text == other, "metrics.json of 1 and of 3 threads part");
}

#[test]
fn wrong_experiments_are_refused_in_one_line() {
    let cases = [
        ("drive: \"small\"", "drive: \"large\"", "small.ron:3:5: field `drive`: no drive `large`"),
        ("pages: 2000", "pages: 0", "field `effort.pages`: is 0, must be more than 0"),
        ("[10.0, 100.0]", "[10.0, 101.0]", "field `window_percent`: is 101, must be at most 100"),
        ("(channels: 2, dies: 1)", "(channels: 0, dies: 1)", "field `shapes`: has 0 channels"),
        ("seed: 1,", "sed: 1,", "small.ron:4:5: field `sed`: unknown"),
    ];
    for (from, to, part) in cases {
        let project = project();
        assert_eq!(SMALL.matches(from).count(), 1, "{from}");
        project.write("small.ron", SMALL.replace(from, to));
        fails(&mut experiment(&project, &[]), exit::INPUT, &[part]);
    }
}
