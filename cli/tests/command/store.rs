//! `floatgate store`: a file comes back, the table tells where its time went, wrong devices end in
//! one line.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use crate::project::{Project, names_in};
use crate::{exit, fails, floatgate, succeeds};

const CONFIG: &str = "configs/ssd/mlc-nvddr5.ron";

/// A configuration of the project with places of it changed, and a file of 100,001 bytes.
struct Bench {
    dir: TempDir,
}

impl Bench {
    fn new(changes: &[(&str, &str)]) -> Self {
        let origin = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut text = fs::read_to_string(origin.join(CONFIG)).unwrap();
        for (from, to) in changes {
            assert_eq!(text.matches(from).count(), 1, "`{from}` stands in it once");
            text = text.replace(from, to);
        }
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("device.ron"), text).unwrap();
        let file: Vec<u8> = (0..100_001u32).map(|i| (i.wrapping_mul(77) >> 5) as u8).collect();
        fs::write(dir.path().join("file"), file).unwrap();
        Self { dir }
    }

    fn store(&self) -> Command {
        let mut command = floatgate();
        let path = |name| self.dir.path().join(name);
        command.arg("store").arg(path("file")).arg("--config").arg(path("device.ron"));
        command.arg("--out").arg(path("out"));
        command
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join(name)).unwrap()
    }
}

#[test]
fn a_file_comes_back_and_the_table_tells_of_its_time() {
    let bench = Bench::new(&[]);
    let back = bench.dir.path().join("back");
    let (table, _) = succeeds(bench.store().arg("-o").arg(&back));
    assert!(fs::read(back).unwrap() == fs::read(bench.dir.path().join("file")).unwrap());
    assert!(table.starts_with("100001 bytes in 13 pages, 104 codewords, on 2 x IX64MLC2LUN-A\n"));
    for step in ["firmware", "ECC", "command, address", "transfer", "array", "waiting"] {
        assert!(table.lines().any(|line| line.starts_with(step)), "{step}: {table}");
    }
    assert!(table.contains("protocol errors: 0\n"), "{table}");
}

/// The part with few blocks, so that it mounts soon, in a project of its own.
fn small_project(config_changes: &[(&str, &str)], part_changes: &[(&str, &str)]) -> Project {
    let project = Project::new();
    let change = |path: &str, changes: &[(&str, &str)]| {
        let mut text = fs::read_to_string(project.path(path)).unwrap();
        for (from, to) in changes {
            assert_eq!(text.matches(from).count(), 1, "`{from}` stands in {path} once");
            text = text.replace(from, to);
        }
        fs::write(project.path(path), text).unwrap();
    };
    change(CONFIG, config_changes);
    let small = [
        ("blocks_per_lun: 2048", "blocks_per_lun: 8"),
        ("factory_bad_blocks: 20", "factory_bad_blocks: 0"),
        ("max_bad_blocks: 50", "max_bad_blocks: 4"),
    ];
    change("configs/parts/ix64mlc2lun-a.ron", &[&small, part_changes].concat());
    project.write("file", (0..20_000u32).map(|i| ((i * 77) >> 5) as u8).collect::<Vec<_>>());
    project
}

fn store_in(project: &Project, engine: &str) -> Command {
    let mut store = project.floatgate();
    store.args(["store", "file", "--config", CONFIG, "--engine", engine]);
    store
}

#[test]
fn both_engines_bring_the_file_back_and_leave_a_report_and_a_waveform() {
    let project = small_project(&[], &[]);
    let mut store = store_in(&project, "both");
    store.args(["-o", "back", "--wave", "w.fst", "--wave-last", "300"]);
    let (table, _) = succeeds(&mut store);
    assert_eq!(fs::read(project.path("back")).unwrap(), fs::read(project.path("file")).unwrap());
    assert!(table.contains("protocol errors: 0\n"), "{table}");
    assert!(table.contains("read, model") && table.contains("read, RTL"), "{table}");
    let wave = wellen::simple::read(project.path("w.fst")).unwrap();
    let scopes = [&["TOP"][..], &["channel", "die0"]];
    assert!(scopes.iter().all(|scope| wave.hierarchy().lookup_scope(scope).is_some()));

    assert_eq!(table.lines().last(), Some("out/store-mlc-nvddr5/report.html"));
    let files = ["config.ron", "csv", "metrics.json", "report.html", "run.json", "waves"];
    assert_eq!(names_in(&project.path("out/store-mlc-nvddr5")), files);
    let metrics = fs::read_to_string(project.path("out/latest/metrics.json")).unwrap();
    let json: Value = serde_json::from_str(&metrics).expect("one document");
    let engines = json["store"]["engines"].as_array().unwrap();
    let spans = engines.iter().map(|run| run["write"]["span_us"].as_f64().unwrap());
    let [model, rtl] = spans.collect::<Vec<_>>()[..] else { panic!("two engines") };
    assert!((model / rtl - 1.0).abs() < 0.01, "{model} us, {rtl} us");
    let modes = json["store"]["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 12, "SDR and NV-DDR, 0 to 5");
    for mode in modes {
        let points = mode["points"].as_array().unwrap();
        let corrected = points.iter().map(|point| point["corrected_us"].as_f64().unwrap());
        assert!(corrected.is_sorted() && points.len() >= 9, "{mode}");
    }
    let page = fs::read_to_string(project.path("out/latest/report.html")).unwrap();
    succeeds(project.floatgate().args(["report", "out/store-mlc-nvddr5"]));
    assert_eq!(fs::read_to_string(project.path("out/latest/report.html")).unwrap(), page);
}

#[test]
fn dies_that_fail_in_mid_run_end_in_one_line() {
    /// Changes of device and part, and parts of the line.
    type Case = (
        &'static [(&'static str, &'static str)],
        &'static [(&'static str, &'static str)],
        &'static [&'static str],
    );
    let cases: [Case; 4] = [
        (
            &[("seed: 1", "faults: [(die: 1, at_us: 4000, kind: Dies)], seed: 1")],
            &[],
            &["mlc-nvddr5.ron: die 1, row ", "timed out"],
        ),
        (
            &[("seed: 1", "faults: [(die: 0, at_us: 4000, kind: StaysBusy)], seed: 1")],
            &[],
            &["mlc-nvddr5.ron: die 0, row ", "timed out"],
        ),
        (
            &[],
            &[("program_failure_rate: 1e-6", "program_failure_rate: 1.0")],
            &["mlc-nvddr5.ron: the good blocks of a die are full"],
        ),
        (
            &[("seed: 1", "faults: [(die: 0, at_us: 0, kind: Dies)], seed: 1")],
            &[],
            &["mlc-nvddr5.ron: die 0, row 000000h: Reset timed out"],
        ),
    ];
    for (config, part, parts) in cases {
        let project = small_project(config, part);
        for engine in ["model", "rtl"] {
            fails(&mut store_in(&project, engine), exit::DEVICE, parts);
        }
        assert!(project.runs().is_empty(), "nothing is left of an unfinished run");
    }
    let wrong = [("seed: 1", "faults: [(die: 2, at_us: 9, kind: Dies)], seed: 1")];
    let parts = ["mlc-nvddr5.ron:14:", "`faults[0].die`: is 2, must be less than the 2 dies"];
    fails(&mut store_in(&small_project(&wrong, &[]), "model"), exit::INPUT, &parts);
}

#[test]
fn a_waveform_that_cannot_be_ends_in_one_line() {
    let bench = Bench::new(&[]);
    let wave = |path: &str, engine: &str| {
        let mut store = bench.store();
        store.args(["--engine", engine, "--wave", path]);
        store
    };
    fails(&mut wave("w.vcd", "model"), exit::INPUT, &["--wave", "choose --engine rtl"]);
    fails(&mut wave("w.txt", "rtl"), exit::INPUT, &["--wave: w.txt", "end in .vcd or .fst"]);
    let mut backwards = wave("w.vcd", "rtl");
    backwards.args(["--wave-from", "9", "--wave-to", "9"]);
    fails(&mut backwards, exit::INPUT, &["--wave-to 9: is not after --wave-from 9"]);
    fails(&mut wave("absent/w.vcd", "rtl"), exit::OUTPUT, &["absent/w.vcd: No such file"]);
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let bench = Bench::new(&[]);
    fails(bench.store().args(["-o", "absent/back"]), exit::OUTPUT, &["absent/back: No such file"]);
}

#[test]
fn json_counts_every_codeword_and_repeats_itself() {
    let bench = Bench::new(&[]);
    let run = || succeeds(bench.store().arg("--json")).0;
    let text = run();
    assert_eq!(text, run());
    assert_eq!(text.trim_end(), bench.read("out/store-device/metrics.json").trim_end());
    let json: Value = serde_json::from_str(&text).expect("one document");
    let counts = json["store"]["corrected"].as_array().unwrap().iter();
    assert_eq!(counts.map(|count| count["codewords"].as_u64().unwrap()).sum::<u64>(), 104);
    assert_eq!(json["store"]["device"]["codewords"], 104);
    assert!(json["metrics"]["read__model__transfer_us"].as_f64().unwrap() > 40.0);
}

#[test]
fn devices_that_cannot_be_end_in_one_line() {
    /// What is changed in the device's file, the exit code, and parts of the line.
    type Case = (&'static [(&'static str, &'static str)], i32, &'static [&'static str]);
    let cases: [Case; 7] = [
        (
            &[("engine: Model", "engine: Rtl"), ("dies: 2", "dies: 9")],
            exit::INPUT,
            &["device.ron: 9 dies", "at most 8 chip enables"],
        ),
        (&[("mode: 5", "mode: 6")], exit::INPUT, &["device.ron:5:", "`mode`", "must be 0 to 5"]),
        (&[("dies: 2", "dice: 2")], exit::INPUT, &["device.ron:3:", "`dice`", "`dies`"]),
        (&[("ix64mlc2lun-a", "x")], exit::INPUT, &["no part `x`; there are ix64mlc2lun-a, "]),
        (&[("k1-m14-t40", "x")], exit::INPUT, &["no code `x`"]),
        (
            &[("ix64mlc2lun-a", "mt29f64g08akaba")],
            exit::INPUT,
            &["spare area of 224 B is too short for strength 40", "in all 368 B"],
        ),
        (
            &[("retention_days: 30.0", "retention_days: 90000.0")],
            exit::UNCORRECTABLE,
            &["device.ron: row 0", "has more errors than strength 40 corrects"],
        ),
    ];
    for (changes, code, parts) in cases {
        fails(&mut Bench::new(changes).store(), code, parts);
    }
}

#[test]
fn files_that_cannot_be_stored_end_in_one_line() {
    let bench = Bench::new(&[]);
    fs::write(bench.dir.path().join("file"), b"").unwrap();
    fails(&mut bench.store(), exit::INPUT, &["file: there is nothing to store"]);
    fs::remove_file(bench.dir.path().join("file")).unwrap();
    fails(&mut bench.store(), exit::INPUT, &["file: "]);
}
