//! The stored forms that other programs read: a change of one shows as a change of a snapshot.

use std::fs;

use floatgate_report::RunFolder;
use floatgate_report::model::{BlockArea, ControllerBuild};

use crate::synthetic;

#[test]
fn json_of_one_point() {
    let mut report = synthetic::report();
    report.sweep.points.drain(..3);
    report.sweep.points.truncate(1);
    report.sweep.builds.truncate(1);
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), "synthetic").unwrap();
    let dir = folder.finish(&report, &"made up").unwrap();
    insta::assert_snapshot!("metrics", fs::read_to_string(dir.join("metrics.json")).unwrap());
    insta::assert_snapshot!("run", fs::read_to_string(dir.join("run.json")).unwrap());
}

#[test]
fn csv_tables() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), "synthetic").unwrap();
    let csv = folder.finish(&synthetic::report(), &"made up").unwrap().join("csv");
    let tables = ["summary", "builds", "published-area"].map(|name| csv.join(name));
    let mut of_code: Vec<_> =
        fs::read_dir(csv.join("k1-m14-t40")).unwrap().map(|entry| entry.unwrap().path()).collect();
    of_code.sort();
    let mut text = String::new();
    for path in tables.iter().chain(&of_code) {
        let path = path.with_extension("csv");
        let name = path.strip_prefix(&csv).unwrap().display().to_string();
        text += &format!("# {name}\n{}\n", fs::read_to_string(&path).unwrap());
    }
    insta::assert_snapshot!("csv", text);
}

/// Controllers have rows of their own, metrics and a table of the page; without any there is none.
#[test]
fn controllers_are_rows_beside_the_codecs() {
    let area = BlockArea { nand2_equivalents: 24_000.0, area_um2: 577_000.0, flip_flops: 1_900 };
    let critical_path_ns = Some(5.0);
    let build = ControllerBuild { dies: 2, banks: 2, cells: 13_500, area, critical_path_ns };
    let mut report = synthetic::report();
    let root = tempfile::tempdir().unwrap();
    let plain = RunFolder::create(root.path(), "plain").unwrap();
    let plain = plain.finish(&report, &"made up").unwrap();
    assert!(!plain.join("csv/controllers.csv").exists());
    report.sweep.controllers.push(build);
    let folder = RunFolder::create(root.path(), "synthetic").unwrap();
    let dir = folder.finish(&report, &"made up").unwrap();
    let csv = fs::read_to_string(dir.join("csv/controllers.csv")).unwrap();
    let row = csv.lines().nth(1).unwrap();
    assert_eq!(row, "2,2,13500,1900,24000,577000,5,200");
    let page = fs::read_to_string(dir.join("report.html")).unwrap();
    assert!(page.contains("csv/controllers.csv"));
    let metrics = fs::read_to_string(dir.join("metrics.json")).unwrap();
    assert!(metrics.contains("\"synth__onfi_controller_2_dies__mhz\": 200"));
}
