//! `floatgate characterize`: the shipped calibration is what it writes, one code can be measured
//! alone, and broken files end in one line with their place.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::project::Project;
use crate::{exit, fails, floatgate, succeeds};

const FILES: [&str; 2] = ["codec.ron", "controller.ron"];

#[test]
fn the_shipped_calibration_is_what_it_writes() {
    let dir = tempfile::tempdir().unwrap();
    let (text, _) = succeeds(floatgate().args(["characterize", "--json", "--out"]).arg(dir.path()));
    let json: Value = serde_json::from_str(&text).expect("one document");
    assert!(json["codecs"].as_array().unwrap().len() > 10);
    let origin = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for name in FILES {
        let stored = fs::read_to_string(origin.join("configs/calibration").join(name)).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), stored, "{name}");
    }
}

/// Changes one place of a calibration file of the project.
fn change(project: &Project, file: &str, from: &str, to: &str) {
    let path = project.path("configs/calibration").join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "`{from}` stands in it once");
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn one_code_is_measured_alone_and_the_rest_is_kept() {
    let project = Project::new();
    let entry = |code, clocks| format!("(code: \"{code}\", encode_clocks: {clocks},");
    for code in ["n23-m5-t3", "k1-m14-t40"] {
        change(&project, "codec.ron", &entry(code, 4), &entry(code, 99));
    }
    succeeds(project.floatgate().args(["characterize", "--code", "n23-m5-t3"]));
    let text = fs::read_to_string(project.path("configs/calibration/codec.ron")).unwrap();
    assert!(text.contains(&entry("n23-m5-t3", 4)), "{text}");
    assert!(text.contains(&entry("k1-m14-t40", 99)), "{text}");
    let mut unknown = project.floatgate();
    unknown.args(["characterize", "--code", "n24"]);
    fails(&mut unknown, exit::INPUT, &["no code `n24`; there are "]);
    let mut nowhere = project.floatgate();
    nowhere.args(["characterize", "--code", "n23-m5-t3", "--out", "absent"]);
    fails(&mut nowhere, exit::INPUT, &["absent/codec.ron: cannot read"]);
}

#[test]
fn a_broken_calibration_is_named_with_its_place() {
    /// File, place, what stands there instead, and parts of the line.
    type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);
    let cases: [Case; 6] = [
        ("controller.ron", "accept_clocks: 2", "accept: 2", &["controller.ron:4:", "`accept`"]),
        (
            "controller.ron",
            "complete_clocks: 3",
            "complete_clocks: 3000",
            &["controller.ron:5:5: field `complete_clocks`: is 3000, must be 0 to 1000"],
        ),
        (
            "controller.ron",
            "erase: 12700",
            "erase: 0",
            &["controller.ron:11:9: field `time_out_units.erase`: is 0"],
        ),
        (
            "codec.ron",
            "\"b512-m13-t24-fixed\", encode_clocks: 4",
            "\"b512-m13-t24-fixed\", encode_clocks: -4",
            &["codec.ron:7:", "`codes[2].encode_clocks`"],
        ),
        ("codec.ron", "\"k1-m14-t40-crc\"", "\"k1-m14-t40\"", &["codec.ron:11:", "given twice"]),
        (
            "codec.ron",
            "\"k1-m14-t40\"",
            "\"k1\"",
            &["k1-m14-t40 is not calibrated; `floatgate characterize --code k1-m14-t40` measures"],
        ),
    ];
    for (file, from, to, parts) in cases {
        let project = Project::new();
        change(&project, file, from, to);
        project.write("file", b"a few bytes");
        let mut store = project.floatgate();
        store.args(["store", "file", "--config", "configs/ssd/mlc-nvddr5.ron"]);
        fails(&mut store, exit::INPUT, parts);
    }
}
