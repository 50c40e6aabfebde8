//! The run folder: complete, replaced in one step, read back, and refused in one line.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use floatgate_report::{LATEST, Report, ReportError, RunFolder, load, render};

use crate::synthetic;

const CONFIG: (&str, u32) = ("a made-up configuration", 1);

fn finish(root: &Path, report: &Report) -> std::path::PathBuf {
    let folder = RunFolder::create(root, &report.sweep.name).unwrap();
    folder.finish(report, &CONFIG).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn one_line(error: &ReportError) -> String {
    let text = error.to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

#[test]
fn a_finished_folder_is_complete_and_reads_back() {
    let root = tempfile::tempdir().unwrap();
    let report = synthetic::report();
    let folder = RunFolder::create(root.path(), "synthetic").unwrap();
    fs::write(folder.waves().join("decode.fst"), "wave").unwrap();
    let dir = folder.finish(&report, &CONFIG).unwrap();

    let expected =
        ["config.ron", "csv", "metrics.json", "report.html", "run.json", "waves"].map(String::from);
    assert_eq!(names(&dir), expected);
    assert_eq!(fs::read_to_string(dir.join("waves/decode.fst")).unwrap(), "wave");
    let html = fs::read_to_string(dir.join("report.html")).unwrap();
    assert!(html.contains("href=\"waves/decode.fst\""));
    let config: (String, u32) =
        ron::from_str(&fs::read_to_string(dir.join("config.ron")).unwrap()).unwrap();
    assert_eq!((config.0.as_str(), config.1), CONFIG);

    assert!(load(&dir).unwrap() == report, "the stored result differs");
    assert!(load(&root.path().join(LATEST)).unwrap() == report, "latest differs");
    assert_eq!(names(root.path()), ["latest", "synthetic"]);

    // Other users may read it, as far as the umask allows.
    let plain = root.path().join("plain");
    fs::create_dir(&plain).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&dir), mode(&plain));
}

#[test]
fn rendering_again_gives_the_same_page() {
    let root = tempfile::tempdir().unwrap();
    let dir = finish(root.path(), &synthetic::report());
    let before = fs::read_to_string(dir.join("report.html")).unwrap();
    fs::remove_file(dir.join("report.html")).unwrap();
    fs::remove_dir_all(dir.join("csv")).unwrap();
    assert_eq!(render(&dir).unwrap(), dir.join("report.html"));
    assert_eq!(fs::read_to_string(dir.join("report.html")).unwrap(), before);
    assert!(dir.join("csv/summary.csv").is_file());
}

#[test]
fn a_second_run_replaces_the_first_whole() {
    let root = tempfile::tempdir().unwrap();
    let dir = finish(root.path(), &synthetic::report());
    fs::write(dir.join("waves/old.fst"), "old").unwrap();
    let mut second = synthetic::report();
    second.sweep.title = "second".into();
    assert_eq!(finish(root.path(), &second), dir);
    assert_eq!(load(&dir).unwrap().sweep.title, "second");
    assert!(names(&dir.join("waves")).is_empty());
    assert_eq!(names(root.path()), ["latest", "synthetic"]);

    let mut other = synthetic::report();
    other.sweep.name = "other".into();
    finish(root.path(), &other);
    assert_eq!(fs::read_link(root.path().join(LATEST)).unwrap(), Path::new("other"));
}

#[test]
fn an_unfinished_run_leaves_the_previous_one_alone() {
    let root = tempfile::tempdir().unwrap();
    let report = synthetic::report();
    let dir = finish(root.path(), &report);
    drop(RunFolder::create(root.path(), "synthetic").unwrap());
    let mut broken = report.clone();
    broken.sweep.points[0].max_rber_at_uber_1e15 = f64::NAN;
    let folder = RunFolder::create(root.path(), "synthetic").unwrap();
    let error = folder.finish(&broken, &CONFIG).unwrap_err();
    assert_eq!(
        one_line(&error),
        "inconsistent result: k1-m14-t40 at t = 1: a figure is negative or not finite"
    );
    assert!(load(&dir).unwrap() == report, "the stored result differs");
    assert_eq!(names(root.path()), ["latest", "synthetic"]);
}

#[test]
fn a_root_that_cannot_be_written_is_one_error_at_once() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("out");
    fs::write(&file, "").unwrap();
    let error = RunFolder::create(&file, "synthetic").unwrap_err();
    assert!(matches!(error, ReportError::Write { .. }));
    let text = one_line(&error);
    assert!(text.starts_with(&format!("failed to write {}: ", file.display())), "{text}");
}

#[test]
fn what_is_no_run_folder_is_left_untouched() {
    let root = tempfile::tempdir().unwrap();
    let precious = root.path().join("thesis");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("chapter"), "1").unwrap();
    let error = RunFolder::create(root.path(), "thesis").unwrap_err();
    assert!(matches!(error, ReportError::Foreign { .. }), "{error}");
    assert!(one_line(&error).contains("thesis"));
    assert_eq!(names(&precious), ["chapter"]);

    fs::create_dir(root.path().join(LATEST)).unwrap();
    let error = RunFolder::create(root.path(), "fine").unwrap_err();
    assert!(matches!(error, ReportError::Foreign { .. }), "{error}");
    let error = RunFolder::create(root.path(), "../escape").unwrap_err();
    assert!(matches!(error, ReportError::Name(_)), "{error}");
    assert_eq!(names(root.path()), [LATEST, "thesis"]);
}

#[test]
fn an_empty_folder_may_be_used() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("synthetic")).unwrap();
    finish(root.path(), &synthetic::report());
}

#[test]
fn damaged_folders_are_refused_with_file_and_place() {
    let root = tempfile::tempdir().unwrap();
    let dir = finish(root.path(), &synthetic::report());
    let path = dir.join("metrics.json");
    let good = fs::read_to_string(&path).unwrap();
    let refused = |text: &str| {
        fs::write(&path, text).unwrap();
        let error = load(&dir).unwrap_err();
        let text = one_line(&error);
        assert!(text.starts_with(&path.display().to_string()), "{text}");
        (text, error)
    };

    let newer = good.replacen("\"schema_version\": 1", "\"schema_version\": 2", 1);
    assert!(matches!(refused(&newer).1, ReportError::Schema { found: 2, .. }));
    let (text, _) = refused(&good[..good.len() / 2]);
    assert!(text.contains("at line "), "{text}");
    let (text, _) = refused(&good.replacen("\"clock_mhz\"", "\"clock_ghz\"", 1));
    assert!(text.contains("unknown field `clock_ghz`") && text.contains("at line "), "{text}");

    fs::remove_file(&path).unwrap();
    let text = one_line(&load(&dir).unwrap_err());
    assert!(text.starts_with(&format!("failed to read {}: ", path.display())), "{text}");
}

#[test]
fn contradictions_are_named() {
    let fault = |change: fn(&mut Report)| {
        let mut report = synthetic::report();
        change(&mut report);
        report.sweep.check().unwrap_err().to_string()
    };
    let twice = fault(|r| r.sweep.points.push(r.sweep.points[3].clone()));
    assert_eq!(twice, "inconsistent result: k1_m14_t40 at t = 8: more than one point");
    let model = fault(|r| r.sweep.points[0].endurance[0].model = "worn".into());
    assert!(model.ends_with("t = 1: unknown wear model \"worn\""), "{model}");
    let name = fault(|r| r.sweep.points[0].code.name = "../x".into());
    assert!(name.contains("\"../x\" is no plain file name"), "{name}");
    let empty = fault(|r| r.sweep.points.clear());
    assert_eq!(empty, "inconsistent result: a sweep without points");
    let load = fault(|r| {
        let decode = &mut r.sweep.points[1].decode;
        decode.push(decode[0].clone());
    });
    assert!(load.contains("more than one decoder measurement with"), "{load}");
}
