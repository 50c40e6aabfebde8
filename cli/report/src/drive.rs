//! The report of a run of a whole drive: what the host saw, where the time went, and what limits
//! the drive.

mod checked;
mod figures;
mod limit;
mod metrics;
mod model;
mod over_time;
mod page;
mod rtl;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use checked::{CheckedData, CodewordFates};
pub use model::{
    ComponentEnergy, DriveFacts, DriveResult, FirmwareCounts, FlashCounts, Ladder, LadderLevel,
    Latency, LatencyClass, PartMean, PhaseResult, Series, Traffic, Window,
};

pub use rtl::{RtlChannel, RtlOperations, RtlSpans};

pub(crate) use over_time::{TimeAxis, over_time, stretches};

use crate::derived::check_name;
use crate::error::ReportError;
use crate::folder::{Content, CsvFile, json, load_metrics, load_run};
use crate::metrics::flat;
use crate::model::{RunInfo, SCHEMA_VERSION};

/// The group of a drive's figures.
const GROUP: &str = "drive";

/// A run of a drive with its circumstances.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveReport {
    /// What came of it; the same again for the same seed.
    pub drive: DriveResult,
    /// What may differ from run to run.
    pub run: RunInfo,
}

/// The form of `metrics.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricsFile {
    schema_version: u32,
    /// Flat names with the unit last; derived from `drive`.
    metrics: BTreeMap<String, serde_json::Number>,
    drive: DriveResult,
}

impl DriveResult {
    /// Requests by kind, with the kind's name.
    pub fn kinds(&self) -> [(&'static str, &Traffic); 3] {
        [("reads", &self.reads), ("writes", &self.writes), ("others", &self.others)]
    }

    /// Energy of all components.
    pub fn energy_j(&self) -> f64 {
        self.energy.iter().map(|component| component.energy_j).sum()
    }
}

impl Content for DriveReport {
    fn run(&self) -> &RunInfo {
        &self.run
    }

    fn check(&self) -> Result<(), ReportError> {
        check_name(&self.drive.name)?;
        let wrong = |what: &str| Err(ReportError::Inconsistent(what.to_owned()));
        if metrics::figures(&self.drive).iter().any(|(_, value)| !(0.0..f64::MAX).contains(value)) {
            return wrong("a figure is negative or not finite");
        }
        for (kind, traffic) in self.drive.kinds() {
            let Some(latency) = &traffic.latency_us else { continue };
            let sum_us: f64 = traffic.parts.iter().map(|part| part.mean_us).sum();
            if (sum_us - latency.mean).abs() > 1e-6 * latency.mean {
                return wrong(&format!("the parts of {kind} do not add up to their latency"));
            }
        }
        let windows = self.drive.series.windows.len();
        if self.drive.series.die_use.iter().any(|shares| shares.len() != windows) {
            return wrong("a die has other windows than the run");
        }
        let components = self.drive.energy.len();
        if self.drive.phases.iter().any(|phase| phase.energy.len() != components) {
            return wrong("a phase has other components than the run");
        }
        Ok(())
    }

    fn metrics_json(&self) -> String {
        json(&MetricsFile {
            schema_version: SCHEMA_VERSION,
            metrics: flat(metrics::figures(&self.drive)),
            drive: self.drive.clone(),
        })
    }

    fn tables(&self) -> Vec<CsvFile> {
        let result = &self.drive;
        let mut files = vec![
            CsvFile::new("latency.csv", &figures::latency_table(result)),
            CsvFile::new("series.csv", &over_time::series_table(result)),
        ];
        if !result.phases.is_empty() {
            files.push(CsvFile::new("phases.csv", &figures::phases_table(result)));
        }
        if let Some(ladder) = &result.ladder {
            files.push(CsvFile::new("strengths.csv", &figures::ladder_table(ladder)));
        }
        if !result.rtl.is_empty() {
            files.push(CsvFile::new("rtl.csv", &rtl::table(&result.rtl)));
        }
        files.extend(figures::all(result).iter().map(|figure| figure.csv(GROUP)));
        files
    }

    fn html(&self, waves: &[String]) -> String {
        page::page(self, waves)
    }
}

/// Reads the run folder `dir` of a drive back.
///
/// # Errors
/// As [`load`](crate::load).
pub fn load_drive(dir: &Path) -> Result<DriveReport, ReportError> {
    let metrics: MetricsFile = load_metrics(dir)?;
    let report = DriveReport { drive: metrics.drive, run: load_run(dir)? };
    report.check()?;
    Ok(report)
}
