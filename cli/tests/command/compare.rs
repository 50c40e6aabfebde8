//! `floatgate compare`.

use std::fs;

use crate::run::{run_file, run_in};
use crate::{exit, fails, floatgate, succeeds};

#[test]
fn two_runs_stand_side_by_side() {
    let (dir, first) = run_file(&[]);
    let second = dir.path().join("deeper.ron");
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&second, text.replace("queue_depth: 16", "queue_depth: 1")).unwrap();
    succeeds(run_in(&dir, &[]).args([&first, &second]));
    let [a, b] = ["run-short", "run-deeper"].map(|name| dir.path().join("out").join(name));
    let compare = |arguments: &[&str]| {
        let mut command = floatgate();
        command.arg("compare").args([&a, &b]).args(arguments).current_dir(dir.path());
        command
    };
    let (text, _) = succeeds(&mut compare(&["--filter", "iops"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].ends_with("ratio") && lines[1].contains("__iops"), "{text}");
    let (text, _) = succeeds(&mut compare(&["--html", "two.html"]));
    assert!(text.lines().last().unwrap().ends_with(" metrics are the same"), "{text}");
    let page = fs::read_to_string(dir.path().join("two.html")).unwrap();
    assert!(page.contains("Over time") && page.contains("<svg"));
    let all = succeeds(&mut compare(&["--all"])).0;
    assert!(all.lines().count() > text.lines().count());

    fails(&mut compare(&["--filter", "nonsense"]), exit::INPUT, &["no metric", "`nonsense`"]);
    fails(&mut compare(&["--html", "absent/two.html"]), exit::OUTPUT, &["absent/two.html"]);
    let mut none = floatgate();
    none.arg("compare").arg(&a).arg(dir.path());
    fails(&mut none, exit::INPUT, &["no run folder", "metrics.json"]);
    fs::write(b.join("metrics.json"), "{").unwrap();
    fails(&mut compare(&[]), exit::INPUT, &["run-deeper/metrics.json"]);
}
