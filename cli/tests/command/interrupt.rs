//! Ctrl-C in a sweep and while a file is stored: the exit code, no half-written run, tools stopped,
//! a cache that holds and a waveform that can be read.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::exit;
use crate::project::{Project, names_in, synthesised_sweep};
use crate::yosys::script;

const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(20);

/// Waits until `holds`, and says what it waited for where that never comes.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "no {what} in {PATIENCE:?}");
        thread::sleep(POLL);
    }
}

/// A sweep whose Yosys never ends, at the moment at which that Yosys works.
fn sweep_in_synthesis(project: &Project) -> Child {
    let pid_file = project.path("pid");
    let text = format!(
        "[ \"$1\" = -V ] && echo Yosys of the test && exit\n\
         sleep 600 & echo $! > '{0}.new'; mv '{0}.new' '{0}'; wait",
        pid_file.display()
    );
    let yosys = script(project, "yosys", &text);
    project.write("small.ron", synthesised_sweep());
    let mut sweep = std::process::Command::new(assert_cmd::cargo::cargo_bin("floatgate"))
        .args(["sweep", "--config", "small.ron", "--jobs", "1"])
        .current_dir(project.path("."))
        .env("FLOATGATE_YOSYS", yosys)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("synthesis", || {
        assert_eq!(sweep.try_wait().unwrap(), None, "the sweep ended before its synthesis");
        pid_file.exists()
    });
    sweep
}

/// Whether a process is at work: neither gone nor dead and waiting to be collected.
fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|line| !line.contains(") Z "))
}

#[test]
fn an_interrupted_sweep_leaves_no_run_and_a_sound_cache() {
    for signal in [Signal::INT, Signal::TERM] {
        let project = Project::new();
        let mut sweep = sweep_in_synthesis(&project);
        assert_eq!(names_in(&project.path("out")).len(), 1, "the run is being staged");
        kill_process(Pid::from_child(&sweep), signal).unwrap();
        wait_until("end of the sweep", || sweep.try_wait().unwrap().is_some());
        assert_eq!(sweep.wait().unwrap().code(), Some(exit::INTERRUPTED));
        let mut said = String::new();
        sweep.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "floatgate: interrupted; nothing was written\n");
        assert_eq!(project.runs(), [""; 0]);
        assert_eq!(names_in(&project.path("target/synth-cache")), [""; 0]);
        let tool = fs::read_to_string(project.path("pid")).unwrap();
        wait_until("end of the tool", || !is_alive(tool.trim()));
    }
}

/// While the RTL mounts thousands of blocks, after the beginning of its waveform.
#[test]
fn an_interrupted_store_leaves_no_run_and_a_sound_waveform() {
    let project = Project::new();
    project.write("file", vec![7; 3_000_000]);
    let config = "configs/ssd/mlc-nvddr5.ron";
    for (engine, said) in [
        ("rtl", "floatgate: interrupted; w.vcd ends there\n"),
        ("model", "floatgate: interrupted; nothing was written\n"),
    ] {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("floatgate"));
        command.args(["store", "file", "--config", config, "--engine", engine, "-o", "back"]);
        if engine == "rtl" {
            command.args(["--wave", "w.vcd", "--wave-from", "1"]);
        }
        let mut store = command
            .current_dir(project.path("."))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let has_begun = || match engine {
            "rtl" => fs::metadata(project.path("w.raw.vcd")).is_ok_and(|raw| raw.len() > 0),
            _ => !project.runs().is_empty(),
        };
        wait_until("beginning of the run", || {
            assert_eq!(store.try_wait().unwrap(), None, "the run ended before");
            has_begun()
        });
        kill_process(Pid::from_child(&store), Signal::INT).unwrap();
        wait_until("end of the run", || store.try_wait().unwrap().is_some());
        let mut line = String::new();
        store.stderr.take().unwrap().read_to_string(&mut line).unwrap();
        assert_eq!(line, said);
        assert_eq!(store.wait().unwrap().code(), Some(exit::INTERRUPTED));
        assert_eq!(project.runs(), [""; 0]);
        assert!(!project.path("back").exists());
    }
    let wave = wellen::simple::read(project.path("w.vcd")).unwrap();
    assert!(wave.hierarchy().lookup_scope(&["channel", "die0"]).is_some());
    assert!(!wave.time_table().is_empty() && !project.path("w.raw.vcd").exists());
}
