//! The report of a file that was stored on a device and read back.

mod figures;
mod metrics;
mod model;
mod page;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use model::{
    CorrectedCount, DeviceFacts, EngineKind, EngineRun, Interface, ModeLatency, Steps, StoreResult,
    StrengthLatency,
};

use crate::derived::check_name;
use crate::error::ReportError;
use crate::folder::{Content, CsvFile, json, load_metrics, load_run};
use crate::metrics::flat;
use crate::model::{RunInfo, SCHEMA_VERSION};

/// The group of a stored file's figures.
const GROUP: &str = "store";

/// A stored file with the circumstances of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreReport {
    /// What came of it; the same again for the same seed.
    pub store: StoreResult,
    /// What may differ from run to run.
    pub run: RunInfo,
}

/// The form of `metrics.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricsFile {
    schema_version: u32,
    /// Flat names with the unit last; derived from `store`.
    metrics: BTreeMap<String, serde_json::Number>,
    store: StoreResult,
}

impl Content for StoreReport {
    fn run(&self) -> &RunInfo {
        &self.run
    }

    fn check(&self) -> Result<(), ReportError> {
        check_name(&self.store.name)?;
        let wrong = |what: &str| Err(ReportError::Inconsistent(what.to_owned()));
        if self.store.engines.is_empty() {
            return wrong("no engine ran");
        }
        if metrics::figures(&self.store).any(|(_, value)| !(value.is_finite() && value >= 0.0)) {
            return wrong("a figure is negative or not finite");
        }
        Ok(())
    }

    fn metrics_json(&self) -> String {
        json(&MetricsFile {
            schema_version: SCHEMA_VERSION,
            metrics: flat(metrics::figures(&self.store)),
            store: self.store.clone(),
        })
    }

    fn tables(&self) -> Vec<CsvFile> {
        let steps = CsvFile::new("steps.csv", &figures::steps_table(&self.store));
        let figures = figures::all(&self.store);
        [steps].into_iter().chain(figures.iter().map(|figure| figure.csv(GROUP))).collect()
    }

    fn html(&self, waves: &[String]) -> String {
        page::page(self, waves)
    }
}

/// Reads the run folder `dir` of a stored file back.
///
/// # Errors
/// As [`load`](crate::load).
pub fn load_store(dir: &Path) -> Result<StoreReport, ReportError> {
    let metrics: MetricsFile = load_metrics(dir)?;
    let report = StoreReport { store: metrics.store, run: load_run(dir)? };
    report.check()?;
    Ok(report)
}
