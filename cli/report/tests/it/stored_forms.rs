//! The stored forms that other programs read: a change of one shows as a change of a snapshot.

use std::fs;

use floatgate_report::RunFolder;

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
