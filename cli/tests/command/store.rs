//! `floatgate store`: a file comes back, the table tells where its time went, wrong devices end in
//! one line.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

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
        command
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

#[test]
fn the_rtl_brings_the_file_back_and_leaves_a_waveform() {
    let bench = Bench::new(&[("dies: 2", "dies: 1")]);
    let (back, wave) = (bench.dir.path().join("back"), bench.dir.path().join("w.vcd"));
    fs::write(bench.dir.path().join("file"), b"a short file").unwrap();
    let mut store = bench.store();
    store.args(["--engine", "rtl", "-o"]).arg(&back).arg("--wave").arg(&wave);
    let (table, _) = succeeds(&mut store);
    assert_eq!(fs::read(back).unwrap(), b"a short file");
    assert!(table.contains("protocol errors: 0\n"), "{table}");
    for file in [wave, bench.dir.path().join("w.transactions.vcd")] {
        assert!(fs::metadata(file).unwrap().len() > 1000);
    }
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
    fails(&mut wave("w.fst", "rtl"), exit::INPUT, &["--wave: w.fst", "end in .vcd"]);
    fails(&mut wave("absent/w.vcd", "rtl"), exit::OUTPUT, &["absent/w.vcd: No such file"]);
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let bench = Bench::new(&[]);
    fails(bench.store().args(["-o", "absent/back"]), exit::OUTPUT, &["absent/back: No such file"]);
}

#[test]
fn json_counts_every_codeword_and_repeats_itself() {
    let run = || succeeds(Bench::new(&[]).store().arg("--json")).0;
    let text = run();
    assert_eq!(text, run());
    let json: Value = serde_json::from_str(&text).expect("one document");
    let counts = json["corrected"].as_object().unwrap().values();
    assert_eq!(counts.map(|count| count.as_u64().unwrap()).sum::<u64>(), 104);
    assert_eq!(json["codewords"], 104);
    assert!(json["read"]["transfer_us"].as_f64().unwrap() > 40.0);
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
