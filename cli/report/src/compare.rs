//! Two run folders side by side: their flat metrics by the size of the change, and where both are
//! runs of drives, these over time on one axis.

mod page;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::drive::DriveResult;
use crate::error::ReportError;
use crate::folder::{METRICS, load_metrics};

/// What is compared of a run folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The folder.
    pub path: PathBuf,
    /// Flat metrics by name.
    pub metrics: BTreeMap<String, f64>,
    /// The result, of a drive's run.
    pub drive: Option<DriveResult>,
}

/// What all forms of `metrics.json` have.
#[derive(Deserialize)]
struct MetricsFile {
    metrics: BTreeMap<String, f64>,
    drive: Option<DriveResult>,
}

impl Side {
    /// Reads a run folder of any kind.
    ///
    /// # Errors
    /// [`ReportError::NoRun`] for a folder without metrics; as [`load`](crate::load) for one whose
    /// metrics are damaged or of another version.
    pub fn load(dir: &Path) -> Result<Self, ReportError> {
        if !dir.join(METRICS).is_file() {
            return Err(ReportError::NoRun { path: dir.to_owned() });
        }
        let MetricsFile { metrics, drive } = load_metrics(dir)?;
        Ok(Self { path: dir.to_owned(), metrics, drive })
    }
}

/// A metric of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its name, the unit last.
    pub name: String,
    /// In the first run, if it has it.
    pub before: Option<f64>,
    /// In the second.
    pub after: Option<f64>,
}

impl Change {
    /// The second over the first; none where one is missing or the first is 0.
    pub fn ratio(&self) -> Option<f64> {
        let (before, after) = (self.before?, self.after?);
        (before != 0.0).then(|| after / before)
    }

    /// Whether both runs have the same.
    pub fn is_none(&self) -> bool {
        self.before == self.after
    }

    /// How large it is: equal steps of the ratio count alike, up or down. From or to 0 it is
    /// larger than any, and a metric that only one run has is last.
    fn size(&self) -> f64 {
        match (self.before, self.after) {
            (Some(before), Some(after)) if before == after => 0.0,
            (Some(before), Some(after)) => (after / before).ln().abs(),
            _ => -1.0,
        }
    }
}

/// Two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The first.
    pub before: Side,
    /// The second.
    pub after: Side,
    /// Metrics, the largest change first; of equal ones by name.
    pub changes: Vec<Change>,
}

impl Comparison {
    /// Compares the metrics whose name contains one of `filters`; all of them where there is none.
    pub fn new(before: Side, after: Side, filters: &[String]) -> Self {
        let is_wanted = |name: &str| {
            filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
        };
        let names = before.metrics.keys().chain(after.metrics.keys());
        let mut names: Vec<&String> = names.filter(|name| is_wanted(name)).collect();
        names.sort();
        names.dedup();
        let change = |name: &String| Change {
            name: name.clone(),
            before: before.metrics.get(name).copied(),
            after: after.metrics.get(name).copied(),
        };
        let mut changes: Vec<Change> = names.into_iter().map(change).collect();
        changes.sort_by(|a, b| b.size().total_cmp(&a.size()));
        Self { before, after, changes }
    }

    /// A page of its own.
    pub fn html(&self) -> String {
        page::page(self)
    }
}
