//! Two runs side by side.

use floatgate_report::compare::{Comparison, Side};
use floatgate_report::{ReportError, RunFolder};

use crate::{synthetic_drive, synthetic_store};

fn drives() -> (tempfile::TempDir, Side, Side) {
    let root = tempfile::tempdir().unwrap();
    let mut second = synthetic_drive::report();
    second.drive.name = "run-second".into();
    second.drive.iops *= 1.5;
    second.drive.flash.erases = 0;
    second.drive.energy.pop();
    second.drive.phases.iter_mut().for_each(|phase| drop(phase.energy.pop()));
    let sides = [synthetic_drive::report(), second].map(|report| {
        let folder = RunFolder::create(root.path(), &report.drive.name).unwrap();
        Side::load(&folder.finish(&report, &"made up").unwrap()).unwrap()
    });
    let [before, after] = sides;
    (root, before, after)
}

#[test]
fn changes_come_by_their_size() {
    let (_root, before, after) = drives();
    let comparison = Comparison::new(before.clone(), after.clone(), &[]);
    let changes = &comparison.changes;
    assert_eq!(changes[0].name, "flash__all__blocks_erased");
    assert_eq!(
        (changes[0].before, changes[0].after, changes[0].ratio()),
        (Some(700.0), Some(0.0), Some(0.0))
    );
    let last = &changes[changes.len() - 1];
    assert_eq!((last.name.as_str(), last.after), ("energy__controller__j", None));
    let iops = changes.iter().position(|change| change.name == "host__all__iops").unwrap();
    assert_eq!(changes[iops].ratio(), Some(1.5));
    let same = changes.iter().position(|change| change.is_none()).unwrap();
    assert!(iops < same, "what is the same comes after what is not");

    let filtered = Comparison::new(before, after, &["iops".to_owned(), "erased".to_owned()]);
    assert!(filtered.changes.iter().all(|c| c.name.contains("iops") || c.name.contains("erased")));
    assert_eq!(filtered.changes.len(), 4, "the run's, two phases', and the blocks");
}

#[test]
fn drives_are_drawn_on_one_axis_and_other_runs_are_compared_as_well() {
    let (root, before, after) = drives();
    let page = Comparison::new(before.clone(), after, &[]).html();
    assert_eq!(page.matches("<figure>").count(), 8);
    assert!(page.contains("host__all__iops") && !page.contains("<script"));
    let store = synthetic_store::report();
    let folder = RunFolder::create(root.path(), &store.store.name).unwrap();
    let other = Side::load(&folder.finish(&store, &"made up").unwrap()).unwrap();
    let page = Comparison::new(before, other, &[]).html();
    assert!(!page.contains("<figure>") && page.contains("mount__rtl__us"));
}

#[test]
fn folders_that_are_no_runs_are_told() {
    let root = tempfile::tempdir().unwrap();
    let error = Side::load(root.path()).unwrap_err();
    assert!(matches!(error, ReportError::NoRun { .. }), "{error}");
    std::fs::write(root.path().join("metrics.json"), "{\"schema_version\": 1, }").unwrap();
    let error = Side::load(root.path()).unwrap_err();
    assert!(matches!(error, ReportError::Parse { .. }), "{error}");
}
