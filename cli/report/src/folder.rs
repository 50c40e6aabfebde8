//! The run folder: written whole or not at all, and read back.
//!
//! Everything is written into a hidden folder beside the target, which takes the target's place
//! in one step at the end. An interrupted run leaves the previous result as it was.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::derived::check_name;
use crate::drive::load_drive;
use crate::error::ReportError;
use crate::figures::View;
use crate::html;
use crate::metrics::flat_metrics;
use crate::model::{RunInfo, SCHEMA_VERSION, SweepResult};
use crate::ofc::load_ofc;
use crate::published::Published;
use crate::store::load_store;
use crate::table::Table;

/// Name of the link beside the run folders that points to the last one written.
pub const LATEST: &str = "latest";

pub(crate) const METRICS: &str = "metrics.json";
const RUN: &str = "run.json";
const CONFIG: &str = "config.ron";
const HTML: &str = "report.html";
const CSV: &str = "csv";
const WAVES: &str = "waves";

/// What a run folder holds: a result, the same again for the same seed, and how it was run.
pub trait Content {
    /// What may differ from run to run.
    fn run(&self) -> &RunInfo;

    /// Whether the result contradicts itself.
    ///
    /// # Errors
    /// [`ReportError::Inconsistent`] or [`ReportError::Name`].
    fn check(&self) -> Result<(), ReportError>;

    /// The text of `metrics.json`: flat metrics and the whole result, as one JSON document.
    fn metrics_json(&self) -> String;

    /// The tables of `csv/`.
    fn tables(&self) -> Vec<CsvFile>;

    /// The page, complete. It links to the files of the folder, the waveforms of these names among
    /// them, by relative paths.
    fn html(&self, waves: &[String]) -> String;
}

/// A table of a run folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvFile {
    /// Its path in `csv/`.
    pub path: PathBuf,
    /// RFC 4180 text with a header line.
    pub text: String,
}

impl CsvFile {
    pub(crate) fn new(path: impl Into<PathBuf>, table: &Table) -> Self {
        Self { path: path.into(), text: table.to_csv() }
    }
}

/// A sweep with the circumstances of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What was measured; the same again for the same seed.
    pub sweep: SweepResult,
    /// What may differ from run to run.
    pub run: RunInfo,
}

impl Content for Report {
    fn run(&self) -> &RunInfo {
        &self.run
    }

    fn check(&self) -> Result<(), ReportError> {
        self.sweep.check()
    }

    fn metrics_json(&self) -> String {
        metrics_json(&self.sweep)
    }

    fn tables(&self) -> Vec<CsvFile> {
        let (sweep, published) = (&self.sweep, Published::load());
        let mut files = vec![CsvFile::new("summary.csv", &html::summary_table(sweep))];
        if let Some(areas) = html::builds_table(sweep) {
            files.push(CsvFile::new("builds.csv", &areas));
            files.push(CsvFile::new("blocks.csv", &html::blocks_table(sweep)));
        }
        if let Some(controllers) = html::controllers_table(sweep) {
            files.push(CsvFile::new("controllers.csv", &controllers));
        }
        let comparison = html::comparison_table(sweep, &published);
        files.push(CsvFile::new("published-area.csv", &comparison));
        for code in sweep.codes() {
            for figure in View::new(sweep, &published, code).figures() {
                files.push(figure.csv(&code.name));
            }
        }
        files
    }

    fn html(&self, waves: &[String]) -> String {
        html::page(self, waves)
    }
}

/// The form of a sweep's `metrics.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricsFile {
    schema_version: u32,
    /// Flat names with the unit last; derived from `sweep`.
    metrics: BTreeMap<String, serde_json::Number>,
    sweep: SweepResult,
}

/// The form of `run.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunFile {
    schema_version: u32,
    run: RunInfo,
}

/// The one field that every version of a stored file has.
#[derive(Deserialize)]
struct Versioned {
    schema_version: u32,
}

/// What tells other runs from a sweep.
#[derive(Deserialize)]
struct Kind {
    store: Option<IgnoredAny>,
    drive: Option<IgnoredAny>,
    ofc: Option<IgnoredAny>,
}

/// A run folder in the making. Dropped unfinished, it leaves nothing behind.
#[derive(Debug)]
pub struct RunFolder {
    staging: TempDir,
    target: PathBuf,
    latest: PathBuf,
}

impl RunFolder {
    /// Opens the folder `root/name` for a run, making `root` if it is missing.
    ///
    /// # Errors
    /// [`ReportError::Write`] when `root` cannot be written, [`ReportError::Foreign`] when
    /// `root/name` or `root/latest` exists and was not written by a run, and
    /// [`ReportError::Name`] when `name` is no plain file name.
    pub fn create(root: &Path, name: &str) -> Result<Self, ReportError> {
        check_name(name)?;
        if name == LATEST {
            return Err(ReportError::Name(name.into()));
        }
        let target = root.join(name);
        let latest = root.join(LATEST);
        fs::create_dir_all(root).map_err(ReportError::write(root))?;
        if is_foreign(&target) {
            return Err(ReportError::Foreign { path: target });
        }
        if latest.symlink_metadata().is_ok_and(|meta| !meta.is_symlink()) {
            return Err(ReportError::Foreign { path: latest });
        }
        let staging = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .permissions(fs::Permissions::from_mode(0o777)) // less the umask, as mkdir does
            .tempdir_in(root)
            .map_err(|error| ReportError::Write { path: target.clone(), source: error })?;
        let folder = Self { staging, target, latest };
        fs::create_dir(folder.waves()).map_err(ReportError::write(&folder.target))?;
        Ok(folder)
    }

    /// Where the caller puts waveforms before [`RunFolder::finish`].
    pub fn waves(&self) -> PathBuf {
        self.staging.path().join(WAVES)
    }

    /// Where the folder will be once it is finished.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes all files, moves the folder to its place and points `latest` to it. `config` is
    /// the configuration with every default filled in. Returns the folder's path.
    ///
    /// # Errors
    /// [`ReportError::Inconsistent`] or [`ReportError::Name`] for a result that fails
    /// [`Content::check`], and [`ReportError::Write`] for what the file system refuses.
    pub fn finish(
        self,
        report: &impl Content,
        config: &impl Serialize,
    ) -> Result<PathBuf, ReportError> {
        report.check()?;
        let stage = self.staging.path();
        // A configuration of the caller's own making, such as a string, is still RON.
        let config = ron::ser::to_string_pretty(config, ron::ser::PrettyConfig::default())?;
        write(&stage.join(CONFIG), &format!("{config}\n"))?;
        write(&stage.join(METRICS), &report.metrics_json())?;
        let run = RunFile { schema_version: SCHEMA_VERSION, run: report.run().clone() };
        write(&stage.join(RUN), &json(&run))?;
        write_views(stage, report)?;
        put_in_place(self.staging, &self.target).map_err(ReportError::write(&self.target))?;
        point_latest(&self.latest, &self.target).map_err(ReportError::write(&self.latest))?;
        Ok(self.target)
    }
}

/// The text of a sweep's `metrics.json`: flat metrics and the whole result, as one JSON document.
///
/// # Panics
/// When `sweep` does not pass [`SweepResult::check`].
pub fn metrics_json(sweep: &SweepResult) -> String {
    json(&MetricsFile {
        schema_version: SCHEMA_VERSION,
        metrics: flat_metrics(sweep),
        sweep: sweep.clone(),
    })
}

/// Reads the run folder `dir` of a sweep back.
///
/// # Errors
/// [`ReportError::Read`] for a missing file, [`ReportError::Schema`] for one of another version,
/// [`ReportError::Parse`] with line and column for one that is damaged, and
/// [`ReportError::Inconsistent`] for a result that fails [`SweepResult::check`].
pub fn load(dir: &Path) -> Result<Report, ReportError> {
    let metrics: MetricsFile = read(&dir.join(METRICS))?;
    metrics.sweep.check()?;
    Ok(Report { sweep: metrics.sweep, run: load_run(dir)? })
}

/// Reads the circumstances of the run in folder `dir` back.
pub(crate) fn load_run(dir: &Path) -> Result<RunInfo, ReportError> {
    let file: RunFile = read(&dir.join(RUN))?;
    Ok(file.run)
}

/// Reads a run folder's `metrics.json`.
pub(crate) fn load_metrics<T: DeserializeOwned>(dir: &Path) -> Result<T, ReportError> {
    read(&dir.join(METRICS))
}

/// Writes `csv/` and `report.html` of the run folder `dir` anew from its stored result, and
/// returns the path of the report.
///
/// # Errors
/// Those of [`load`], and [`ReportError::Write`].
pub fn render(dir: &Path) -> Result<PathBuf, ReportError> {
    let kind: Kind = load_metrics(dir)?;
    if kind.store.is_some() {
        write_views(dir, &load_store(dir)?)?;
    } else if kind.drive.is_some() {
        write_views(dir, &load_drive(dir)?)?;
    } else if kind.ofc.is_some() {
        write_views(dir, &load_ofc(dir)?)?;
    } else {
        write_views(dir, &load(dir)?)?;
    }
    Ok(dir.join(HTML))
}

/// Writes what is derived from the stored result: tables and report.
fn write_views(dir: &Path, report: &impl Content) -> Result<(), ReportError> {
    for CsvFile { path, text } in report.tables() {
        let path = dir.join(CSV).join(path);
        let folder = path.parent().expect("a table is in a folder");
        fs::create_dir_all(folder).map_err(ReportError::write(folder))?;
        write(&path, &text)?;
    }
    write(&dir.join(HTML), &report.html(&waves_in(dir)?))
}

/// Names of the waveforms in `dir`, sorted.
fn waves_in(dir: &Path) -> Result<Vec<String>, ReportError> {
    let waves = dir.join(WAVES);
    let entries = match fs::read_dir(&waves) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ReportError::read(&waves)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(ReportError::read(&waves))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Whether something other than a run folder or an empty folder is at `target`.
fn is_foreign(target: &Path) -> bool {
    let Ok(meta) = target.symlink_metadata() else { return false };
    let is_empty = || fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
    !meta.is_dir() || !(target.join(RUN).is_file() || is_empty())
}

/// Puts the staged folder at `target`. A folder already there is exchanged in one step and then
/// removed.
fn put_in_place(staging: TempDir, target: &Path) -> io::Result<()> {
    if target.exists() {
        exchange(staging.path(), target)?;
        // The staging path now holds the previous result.
        return staging.close();
    }
    fs::rename(staging.path(), target)?;
    // The folder has moved, so nothing is left to remove at the staging path.
    let _moved = staging.keep();
    Ok(())
}

/// Exchanges two folders, in one step where the file system can.
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => exchange_in_steps(a, b),
        result => Ok(result?),
    }
}

/// Exchanges two folders through a third name, for file systems without an exchange.
fn exchange_in_steps(a: &Path, b: &Path) -> io::Result<()> {
    let aside = a.with_extension("previous");
    fs::rename(b, &aside)?;
    fs::rename(a, b)?;
    fs::rename(&aside, a)
}

/// Points the link `latest` to its neighbour `target`, in one step.
fn point_latest(latest: &Path, target: &Path) -> io::Result<()> {
    let name = target.file_name().expect("a run folder has a name");
    let fresh = latest.with_file_name(format!(".{LATEST}.{}", std::process::id()));
    std::os::unix::fs::symlink(name, &fresh)?;
    fs::rename(&fresh, latest)
}

/// Writes a file whole or not at all.
fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    let dir = path.parent().expect("a file of a run folder has a parent");
    let write = || -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o666)) // less the umask, as open does
            .tempfile_in(dir)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(ReportError::write(path))
}

pub(crate) fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("a result has a JSON form");
    format!("{text}\n")
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, ReportError> {
    let text = fs::read_to_string(path).map_err(ReportError::read(path))?;
    let parse = |source| ReportError::Parse { path: path.to_owned(), source };
    let version: Versioned = serde_json::from_str(&text).map_err(parse)?;
    if version.schema_version != SCHEMA_VERSION {
        return Err(ReportError::Schema { path: path.to_owned(), found: version.schema_version });
    }
    serde_json::from_str(&text).map_err(parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_exchanged_without_support_of_the_file_system() {
        let root = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| root.path().join(name));
        for dir in [&a, &b] {
            fs::create_dir(dir).unwrap();
            fs::write(dir.join("origin"), dir.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        exchange_in_steps(&a, &b).unwrap();
        assert_eq!(fs::read_to_string(a.join("origin")).unwrap(), "b");
        assert_eq!(fs::read_to_string(b.join("origin")).unwrap(), "a");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
    }
}
