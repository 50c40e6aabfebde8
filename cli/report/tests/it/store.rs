//! The run folder and page of a stored file: complete, read back, told from a sweep's, escaped.

use std::fs;

use floatgate_report::store::load_store;
use floatgate_report::{Content, RunFolder};

use crate::synthetic_store::{report, report_of_one_engine};
use crate::written;

#[test]
fn a_stored_file_has_a_folder_that_reads_back_and_renders_again() {
    let root = tempfile::tempdir().unwrap();
    for report in [report(), report_of_one_engine()] {
        let (dir, _) = written(root.path(), &report.store.name, &report, load_store);
        let steps = fs::read_to_string(dir.join("csv/steps.csv")).unwrap();
        assert_eq!(steps.lines().count(), 1 + 6 + 2, "{steps}");
        let metrics = fs::read_to_string(dir.join("metrics.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&metrics).unwrap();
        let latency = &json["metrics"]["page_read__sdr_5_t8__corrected_us"];
        assert!(latency.as_f64().unwrap() > 50.0);
    }
}

#[test]
fn a_breach_is_told_and_foreign_text_is_escaped() {
    let mut report = report_of_one_engine();
    let hostile = "<script>alert(\"x\")</script>&";
    report.store.device.file = hostile.into();
    report.store.engines[0].breaches.push(hostile.into());
    let page = report.html(&[hostile.to_owned()]);
    assert!(page.contains("The protocol was broken (RTL)"));
    assert!(!page.contains("<script") && page.matches("&lt;script&gt;").count() >= 4);
}

#[test]
fn a_result_that_contradicts_itself_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let mut wrong = report();
    wrong.store.engines[0].read.array_us = f64::NAN;
    let mut empty = report();
    empty.store.engines.clear();
    for (report, what) in [(wrong, "not finite"), (empty, "no engine ran")] {
        let folder = RunFolder::create(root.path(), "store").unwrap();
        let error = folder.finish(&report, &"made up").unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}
