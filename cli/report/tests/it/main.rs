//! Tests of run folder and report, on a made-up sweep, stored file and run of a drive.

mod browser;
mod compare;
mod drive;
mod folder;
mod page;
mod recommendation;
mod store;
mod stored_forms;
mod synthetic;
mod synthetic_drive;
mod synthetic_store;

use std::fs;
use std::path::{Path, PathBuf};

use floatgate_report::{Content, ReportError, RunFolder, render};

/// Writes the folder of a report, which must read back, render again with its tables, and link to
/// files that there are; tells where it is, and its page.
fn written<R: Content + PartialEq>(
    root: &Path,
    name: &str,
    report: &R,
    load: fn(&Path) -> Result<R, ReportError>,
) -> (PathBuf, String) {
    let dir = RunFolder::create(root, name).unwrap().finish(report, &"made up").unwrap();
    assert!(load(&dir).unwrap() == *report, "the stored result differs");
    let page = fs::read_to_string(dir.join("report.html")).unwrap();
    fs::remove_dir_all(dir.join("csv")).unwrap();
    render(&dir).unwrap();
    assert_eq!(fs::read_to_string(dir.join("report.html")).unwrap(), page);
    for link in page.split(" href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(dir.join(link).is_file(), "no file {link}");
    }
    (dir, page)
}
