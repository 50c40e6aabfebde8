//! A project folder of a test's own, so that a test may break configurations and keeps its
//! synthesis cache to itself.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

use crate::floatgate;

/// A sweep of seconds, without synthesis.
pub(crate) const SMALL_SWEEP: &str = r#"(
    title: "Small",
    codes: [(code: "n23-m5-t3", strengths: [1, 2, 3])],
    codewords_per_point: 3,
    clock_mhz: 100.0,
    seed: 7,
    data: None,
    uber_target: 1e-15,
    wear: [(chip: Mlc2yNm, retention_days: 90.0, reads_per_page: 1000.0)],
    page: (data_bytes: 64, t_r_us: 78.0, bus_mb_per_s: 100.0),
    miscorrection: (codewords: 20, crc_code: None),
    synthesis: None,
)
"#;

/// [`SMALL_SWEEP`] with one place of it changed.
#[track_caller]
pub(crate) fn small_sweep_with(from: &str, to: &str) -> String {
    assert_eq!(SMALL_SWEEP.matches(from).count(), 1, "`{from}` stands in it once");
    SMALL_SWEEP.replace(from, to)
}

/// [`SMALL_SWEEP`] at one strength, synthesised.
pub(crate) fn synthesised_sweep() -> String {
    small_sweep_with("synthesis: None", "synthesis: Some((per_strength: false, builds: []))")
        .replace("[1, 2, 3]", "[3]")
}

/// A folder with the RTL and a copy of the configurations.
pub(crate) struct Project {
    dir: TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let origin = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for name in ["rtl", "ecc-rtl"] {
            std::os::unix::fs::symlink(origin.join(name), dir.path().join(name)).unwrap();
        }
        for folder in ["ecc", "parts", "ssd", "calibration"].map(|name| format!("configs/{name}")) {
            fs::create_dir_all(dir.path().join(&folder)).unwrap();
            for entry in fs::read_dir(origin.join(&folder)).unwrap() {
                let path = entry.unwrap().path();
                fs::copy(&path, dir.path().join(&folder).join(path.file_name().unwrap())).unwrap();
            }
        }
        Self { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The command, in this folder.
    pub(crate) fn floatgate(&self) -> Command {
        let mut command = floatgate();
        command.current_dir(self.dir.path());
        command
    }

    /// A sweep by the configuration `text`, which is written to `small.ron`.
    pub(crate) fn sweep(&self, text: &str) -> Command {
        self.write("small.ron", text);
        let mut command = self.floatgate();
        command.args(["sweep", "--config", "small.ron"]);
        command
    }

    /// Everything in the folder of runs; empty where there is none.
    pub(crate) fn runs(&self) -> Vec<String> {
        names_in(&self.path("out"))
    }
}

/// Sorted names of what is in a folder; none where there is no folder.
pub(crate) fn names_in(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
