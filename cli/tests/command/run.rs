//! `floatgate run`.

use std::fs;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::interrupt::wait_until;
use crate::{exit, fails, floatgate, succeeds};

/// The small drive of the peers under a short load, with some changes to the run's file.
pub(crate) fn run_file(changes: &[(&str, &str)]) -> (tempfile::TempDir, std::path::PathBuf) {
    let mut text = r#"(
    title: "short",
    drive: "peer-d",
    seed: 1,
    load: Workload((seed: 7, flows: [(name: "flow", phases: [(
        until: Requests(3000),
        pace: Closed(queue_depth: 16),
        pattern: Uniform,
        sizes: Bytes(8192),
        kinds: (read: 1, write: 1),
    )])])),
)"#
    .to_owned();
    for (old, new) in changes {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text = text.replace(old, new);
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("short.ron");
    fs::write(&path, text).unwrap();
    (dir, path)
}

/// `floatgate run` with a folder of its own beside the run's file.
pub(crate) fn run_in(dir: &tempfile::TempDir, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = floatgate();
    command.arg("run").arg("--out").arg(dir.path().join("out")).args(arguments);
    command
}

#[test]
fn a_run_completes_every_request_and_repeats_itself() {
    let (dir, path) = run_file(&[]);
    let run = || succeeds(run_in(&dir, &["--json", "--check"]).arg(&path)).0;
    let text = run();
    assert_eq!(text, run());
    let folder = dir.path().join("out/run-short");
    assert_eq!(fs::read_to_string(folder.join("metrics.json")).unwrap(), text);
    let json: Value = serde_json::from_str(&text).expect("one document");
    assert_eq!(json["metrics"]["host__all__requests"], 3000.0);
    let json = &json["drive"];
    assert_eq!(json["requests"], 3000);
    assert_eq!(json["failed"], 0);
    assert_eq!(json["drive"]["precondition"], "100 % written in order");
    let requests = |kind: &str| json[kind]["requests"].as_u64().unwrap();
    assert_eq!(requests("reads") + requests("writes"), 3000);
    assert_eq!(json["firmware"]["unmapped_reads"], 0);
    // A read takes its array time at least, and a program too.
    assert!(json["reads"]["latency_us"]["p50"].as_f64().unwrap() > 75.0);
    assert!(json["writes"]["latency_us"]["p50"].as_f64().unwrap() > 750.0);
}

#[test]
fn a_run_says_what_the_host_saw_in_words_and_leaves_its_folder() {
    let (dir, path) = run_file(&[]);
    let (text, said) = succeeds(run_in(&dir, &[]).arg(&path));
    let parts = ["3000 in ", "(T-U)/U 28.0 %, (T-U)/T 21.9 %", "p99.99", "flash array 750.0"];
    for part in parts.iter().chain(&["write amplification ", "out/run-short/report.html"]) {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert_eq!(said, "", "a bar is for a terminal");
    let folder = dir.path().join("out/run-short");
    for name in ["config.ron", "metrics.json", "run.json", "report.html", "csv/series.csv"] {
        assert!(folder.join(name).is_file(), "no {name}");
    }
    let config = fs::read_to_string(folder.join("config.ron")).unwrap();
    assert!(config.contains("queue_depth: 16") && config.contains("blocks_per_plane: 128"));
}

/// Runs side by side give what they give one after the other, whatever the number of threads.
#[test]
fn runs_side_by_side_do_not_depend_on_the_number_of_threads() {
    let (dir, first) = run_file(&[]);
    let mut paths = vec![first.clone()];
    for (name, seed) in [("second.ron", "seed: 8"), ("third.ron", "seed: 9")] {
        let path = dir.path().join(name);
        let text = fs::read_to_string(&first).unwrap().replace("seed: 7", seed);
        fs::write(&path, text).unwrap();
        paths.push(path);
    }
    let run = |jobs: &str| succeeds(run_in(&dir, &["--json", "--jobs", jobs]).args(&paths)).0;
    let text = run("1");
    assert_eq!(text, run("3"));
    let json: Value = serde_json::from_str(&text).expect("one document");
    let names: Vec<_> = (0..3).map(|run| json[run]["drive"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["run-short", "run-second", "run-third"]);
    assert_ne!(json[0]["metrics"], json[1]["metrics"]);
    let alone = succeeds(run_in(&dir, &["--json"]).arg(&paths[1])).0;
    assert_eq!(serde_json::from_str::<Value>(&alone).unwrap(), json[1]);
    fails(
        run_in(&dir, &[]).args([&first, &first]),
        exit::INPUT,
        &["another run is called run-short"],
    );
}

#[test]
fn runs_that_cannot_be_end_in_one_line() {
    let cases: [(&str, &str, &[&str]); 5] = [
        ("\"peer-d\"", "\"peer-x\"", &["short.ron:3:", "`drive`", "no drive `peer-x`"]),
        ("seed: 7", "sede: 7", &["short.ron:5:", "sede`", "`seed`"]),
        ("queue_depth: 16", "queue_depth: 0", &["short.ron:7:", "queue_depth"]),
        ("Bytes(8192)", "Bytes(100)", &["short.ron:9:", "sizes"]),
        ("(read: 1, write: 1)", "(read: 0)", &["short.ron:10:", "kinds"]),
    ];
    for (old, new, parts) in cases {
        let (dir, path) = run_file(&[(old, new)]);
        fails(run_in(&dir, &[]).arg(&path), exit::INPUT, parts);
        assert!(!dir.path().join("out/run-short").exists());
    }
}

#[test]
fn drives_that_cannot_be_are_refused() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/drives/peer-d.ron");
    let text = fs::read_to_string(shipped).unwrap();
    let cases: [(&str, &str, &[&str]); 3] = [
        // No room to collect in: known to end other simulators by a signal.
        ("28.0", "1.0", &["over_provisioning_percent", "kept for collection", "room for"]),
        ("channels: 8", "channels: 0", &["topology.channels", "must be 1 to 256"]),
        ("t_prog_us: [750.0]", "t_prog_us: []", &["cells.t_prog_us", "has 0 page types"]),
    ];
    for (old, new, parts) in cases {
        let (dir, path) = run_file(&[("\"peer-d\"", "\"changed\"")]);
        let drives = dir.path().join("configs/drives");
        fs::create_dir_all(&drives).unwrap();
        fs::create_dir_all(dir.path().join("configs/ecc")).unwrap();
        fs::create_dir_all(dir.path().join("ecc-rtl")).unwrap();
        assert_eq!(text.matches(old).count(), 1, "{old}");
        fs::write(drives.join("changed.ron"), text.replace(old, new)).unwrap();
        let mut command = floatgate();
        fails(command.arg("run").arg(&path).current_dir(dir.path()), exit::INPUT, parts);
    }
}

/// The sample trace, shorter than a second: other simulators divide by whole seconds.
#[test]
fn a_trace_shorter_than_a_second_has_a_rate() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/peers/tpcc.ron");
    let dir = tempfile::tempdir().unwrap();
    let json: Value =
        serde_json::from_str(&succeeds(&mut run_in(&dir, &["--json", run])).0).unwrap();
    let json = &json["drive"];
    assert_eq!(json["requests"], 6999);
    let (seconds, iops) = (json["simulated_s"].as_f64().unwrap(), json["iops"].as_f64().unwrap());
    assert!(seconds > 0.136 && (iops * seconds / 6999.0 - 1.0).abs() < 1e-9, "{seconds} {iops}");
}

#[test]
fn traces_that_cannot_be_replayed_end_in_one_line() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/peers/tpcc.ron");
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("short.mqsim");
    fs::write(&trace, "0 0 48 8 0\n200 0 80 8 0\n15000 0 80 eight 1\n").unwrap();
    let mut command = run_in(&dir, &[run, "--trace"]);
    fails(command.arg(&trace), exit::INPUT, &["short.mqsim:3: "]);
    fails(&mut run_in(&dir, &[run, "--trace", "absent"]), exit::INPUT, &["absent: "]);
}

/// Ctrl-C as soon as it is caught: what was asked for till then is complete, told and kept.
#[test]
fn ctrl_c_prints_and_keeps_what_there_is() {
    let (dir, path) = run_file(&[("Requests(3000)", "Requests(1000000000000)")]);
    let mut run = std::process::Command::new(assert_cmd::cargo::cargo_bin("floatgate"))
        .args(["run", "--json"])
        .arg(&path)
        .arg("--out")
        .arg(dir.path().join("out"))
        // The document is more than a pipe holds.
        .stdout(fs::File::create(dir.path().join("stdout")).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", run.id());
    wait_until("handler", || {
        let text = fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << (Signal::INT.as_raw() - 1)) != 0
    });
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    wait_until("end of the run", || run.try_wait().unwrap().is_some());
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(exit::INTERRUPTED));
    let line = String::from_utf8(output.stderr).unwrap();
    let folder = dir.path().join("out/run-short");
    let Some(rest) = line.strip_prefix("floatgate: interrupted after ") else {
        assert_eq!(line, "floatgate: interrupted; nothing was written\n");
        return assert!(!folder.exists());
    };
    let (requests, rest) = rest.split_once(' ').unwrap();
    assert_eq!(rest, format!("requests; {} ends there\n", folder.display()));
    let stdout = fs::read_to_string(dir.path().join("stdout")).unwrap();
    let json: Value = serde_json::from_str(&stdout).expect("one document");
    assert_eq!(json["drive"]["requests"], requests.parse::<u64>().unwrap());
    assert_eq!(json["drive"]["is_complete"], false);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("The run was interrupted"));
}

/// Bytes go through the codec, with the same results as without them.
#[test]
fn a_run_is_checked_byte_by_byte() {
    let (dir, path) = run_file(&[("\"peer-d\"", "\"tlc-ladder\""), ("Bytes(8192)", "Bytes(4096)")]);
    let document = |arguments: &[&str]| -> Value {
        let json = succeeds(run_in(&dir, arguments).arg("--json").arg(&path)).0;
        serde_json::from_str(&json).expect("one document")
    };
    let (full, none) = (document(&["--check=full"]), document(&[]));
    let checked = &full["drive"]["checked"];
    assert_eq!(checked["sectors"], full["metrics"]["check__all__sectors"].as_f64().unwrap() as u64);
    assert!(checked["sectors_in_full"].as_u64() > Some(1000), "{checked}");
    assert!(checked["codewords"]["corrected_bits"].as_u64() > Some(1000), "{checked}");
    assert_eq!(full["drive"]["reads"], none["drive"]["reads"]);
    assert_eq!(none["drive"]["checked"], Value::Null);
    assert_eq!(document(&["--check"])["drive"]["checked"]["codewords"], Value::Null);
    let (text, _) = succeeds(run_in(&dir, &["--check=full"]).arg(&path));
    assert!(text.contains("\nchecked     ") && text.contains(" bits corrected, 0 code"), "{text}");
    let page = fs::read_to_string(dir.path().join("out/run-short/report.html")).unwrap();
    assert!(page.contains("codewords decoded"));
    run_in(&dir, &["--check=half"]).arg(&path).assert().code(exit::USAGE).stdout("");
    let (dir, path) = run_file(&[("\"peer-d\"", "\"peer-a-empty\"")]);
    let line = "short.ron: the drive has 512 GiB of flash, and bytes are kept of 64 at most";
    fails(run_in(&dir, &["--check=full"]).arg(&path), exit::INPUT, &[line]);
}

/// A run that is short enough for RTL.
fn run_for_rtl() -> (tempfile::TempDir, std::path::PathBuf) {
    run_file(&[
        ("\"peer-d\"", "\"mlc-2ch\""),
        ("Requests(3000)", "Requests(400)"),
        ("Bytes(8192)", "Bytes(4096)"),
    ])
}

#[test]
fn a_channel_is_rtl_for_a_part_of_a_run() {
    let (dir, path) = run_for_rtl();
    let window = ["--rtl", "channel=1,from=2ms,until=8ms", "--check", "--json"];
    let json = succeeds(run_in(&dir, &window).arg(&path)).0;
    let json: Value = serde_json::from_str(&json).expect("one document");
    let channel = &json["drive"]["rtl"][0];
    assert_eq!(channel["channel"], 1);
    assert!((2000.0..6000.0).contains(&channel["from_us"].as_f64().unwrap()), "{channel}");
    let all = channel["operations"].as_array().unwrap().last().unwrap();
    assert_eq!(all["kind"], "all");
    let (rtl, model) = (&all["rtl"]["mean_us"], &all["model"]["mean_us"]);
    let off = rtl.as_f64().unwrap() / model.as_f64().unwrap() - 1.0;
    assert!(off.abs() < 0.01, "{channel}");
    assert!(json["metrics"]["rtl__channel_1__all_rtl_mean_us"].is_number());
    let folder = dir.path().join("out/run-short");
    let table = fs::read_to_string(folder.join("csv/rtl.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + channel["operations"].as_array().unwrap().len());
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("id=\"rtl-section\""));
    let (text, _) = succeeds(run_in(&dir, &["--rtl", "channel=0"]).arg(&path));
    assert!(text.contains("in RTL      channel 0 from 0."), "{text}");
}

#[test]
fn wrong_windows_of_rtl_are_refused_in_one_line() {
    let (dir, path) = run_for_rtl();
    let beyond = "channel=0,from=5s";
    let cases: [(&[&str], &str); 3] = [
        (&["channel=2"], "--rtl: drive mlc-2ch has no channel 2, the last one is 1"),
        (&["channel=0", "channel=0,from=1ms"], "one window for a channel, channel 0 has two"),
        (&[beyond], "short.ron: the window of channel 0 begins at 5000000 us, the run ended at "),
    ];
    for (windows, part) in cases {
        let windows: Vec<&str> = windows.iter().flat_map(|window| ["--rtl", window]).collect();
        fails(run_in(&dir, &windows).arg(&path), exit::INPUT, &[part]);
    }
    run_in(&dir, &["--rtl", "channel=0,from=1"]).arg(&path).assert().code(exit::USAGE).stdout("");
    let (dir, path) = run_file(&[]);
    let parts = ["--rtl: ", "peer-d.ron:", "`bus`: has no controller; RTL needs `controller`"];
    fails(run_in(&dir, &["--rtl", "channel=0"]).arg(&path), exit::INPUT, &parts);
    let (dir, path) = run_file(&[("\"peer-d\"", "\"mlc-4ch\"")]);
    let parts = ["--rtl: ", "mlc-4ch.ron:", "`dies.cache_read`: is on"];
    fails(run_in(&dir, &["--rtl", "channel=0"]).arg(&path), exit::INPUT, &parts);
}
