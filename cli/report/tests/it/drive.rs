//! The run folder and page of a drive: complete, read back, its stored form, escaped.

use std::fs;

use floatgate_report::drive::load_drive;
use floatgate_report::{Content, RunFolder};

use crate::synthetic_drive::{report, report_of_reads};
use crate::written;

#[test]
fn a_drive_has_a_folder_that_reads_back_and_renders_again() {
    let root = tempfile::tempdir().unwrap();
    for report in [report(), report_of_reads()] {
        let (dir, page) = written(root.path(), &report.drive.name, &report, load_drive);
        let series = fs::read_to_string(dir.join("csv/series.csv")).unwrap();
        assert_eq!(series.lines().count(), 1 + 100);
        assert_eq!(page.contains("The run was interrupted"), !report.drive.is_complete);
        assert_eq!(page.contains("id=\"drive-energy\""), !report.drive.energy.is_empty());
    }
}

/// Other programs read names and values; they are those of the made-up run, but for the windows.
#[test]
fn flat_metrics_of_a_drive() {
    let json: serde_json::Value = serde_json::from_str(&report().metrics_json()).unwrap();
    insta::assert_snapshot!("drive_metrics", format!("{:#}", json["metrics"]));
}

#[test]
fn the_page_says_what_limits_the_drive() {
    let says = |change: fn(&mut floatgate_report::drive::DriveResult), what: &str| {
        let mut report = report();
        report.drive.firmware.write_amplification = Some(1.0);
        report.drive.flash.dies_used = vec![0.5; 40];
        change(&mut report.drive);
        let page = report.html(&[]);
        let lead = page.split("class=\"lead\">").nth(1).unwrap().split('<').next().unwrap();
        assert!(lead.contains(what), "{what}: {lead}");
    };
    says(|drive| drive.flash.channels_used = vec![0.95; 8], "flash channels limit");
    says(|drive| drive.reads.mb_per_s = 3900.0, "link to the host limits");
    says(|drive| drive.flash.dies_used = vec![0.9; 40], "The dies limit");
    says(|_| (), "Nothing is full");
    says(|drive| drive.reads.parts[5].mean_us = 1e4, "Garbage collection limits");
    says(|drive| drive.reads.parts[0].mean_us = 1e4, "queue for firmware");
    says(|drive| drive.reads.parts[6].mean_us = 1e4, "collide on dies");
}

#[test]
fn foreign_text_on_a_drive_s_page_is_escaped() {
    let mut report = report();
    let hostile = "<script>alert(\"x\")</script>&";
    report.drive.title = hostile.into();
    report.drive.phases[1].name = hostile.into();
    report.drive.notes.push(hostile.into());
    let page = report.html(&[hostile.to_owned()]);
    assert!(!page.contains("<script") && page.matches("&lt;script&gt;").count() >= 4);
}

#[test]
fn a_drive_s_result_that_contradicts_itself_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let mut wrong = report();
    wrong.drive.iops = f64::NAN;
    let mut parts = report();
    parts.drive.reads.parts[0].mean_us += 1.0;
    let mut windows = report();
    windows.drive.series.die_use[3].pop();
    let mut energy = report();
    energy.drive.phases[1].energy.pop();
    for (report, what) in [
        (wrong, "not finite"),
        (parts, "do not add up"),
        (windows, "other windows"),
        (energy, "other components"),
    ] {
        let folder = RunFolder::create(root.path(), "run").unwrap();
        let error = folder.finish(&report, &"made up").unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}
