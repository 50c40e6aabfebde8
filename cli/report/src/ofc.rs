//! The report of the OFC experiment.

mod figures;
mod page;

use std::collections::BTreeMap;
use std::path::Path;

use floatgate_model::experiments::Row;
use floatgate_model::experiments::ofc::OfcResult;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::error::ReportError;
use crate::folder::{Content, CsvFile, json, load_metrics, load_run};
use crate::format;
use crate::metrics::flat;
use crate::model::{RunInfo, SCHEMA_VERSION};

/// The group of the experiment's figures.
const GROUP: &str = "ofc";

/// The experiment's result with the circumstances of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct OfcReport {
    /// What came of it; the same again for the same seed.
    pub ofc: OfcResult,
    /// What may differ from run to run.
    pub run: RunInfo,
}

/// The form of `metrics.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricsFile {
    schema_version: u32,
    /// Flat names with the unit last; derived from `ofc`.
    metrics: BTreeMap<String, Number>,
    ofc: OfcResult,
}

impl OfcReport {
    /// The published figures beside ours, as lines of text.
    pub fn table(&self) -> String {
        let line = |[id, published, ours, must_be, what]: [&str; 5]| {
            format!("{id:<5}{published:>10}{ours:>10}  {must_be:<18}{what}\n")
        };
        let head = line(["row", "published", "ours", "must be", ""]);
        let rows = self.ofc.rows.iter().map(|row| {
            let published = row.published.map_or("-".to_owned(), |value| format::real(value, 1));
            let verdict = if row.holds() { "" } else { "MISSES " };
            let what = format!("{verdict}{} {}", row.what, row.unit);
            let (ours, must_be) = (format::real(row.ours, 2), figures::must_be(&row.expectation));
            line([&row.id, &published, &ours, &must_be, what.trim_end()])
        });
        [head].into_iter().chain(rows).collect()
    }
}

impl Content for OfcReport {
    fn run(&self) -> &RunInfo {
        &self.run
    }

    fn check(&self) -> Result<(), ReportError> {
        if let Some(row) = self.ofc.rows.iter().find(|row| !row.ours.is_finite()) {
            return Err(ReportError::Inconsistent(format!("{}, {}: no figure", row.id, row.what)));
        }
        Ok(())
    }

    fn metrics_json(&self) -> String {
        let (metrics, ofc) = (figures_of(&self.ofc), self.ofc.clone());
        json(&MetricsFile { schema_version: SCHEMA_VERSION, metrics, ofc })
    }

    fn tables(&self) -> Vec<CsvFile> {
        let rows = CsvFile::new("rows.csv", &figures::rows_table(&self.ofc.rows));
        let figures = figures::all(&self.ofc);
        let in_rtl = (!self.ofc.rtl.is_empty())
            .then(|| CsvFile::new("rtl.csv", &figures::rtl_table(&self.ofc.rtl)));
        [rows]
            .into_iter()
            .chain(in_rtl)
            .chain(figures.iter().map(|figure| figure.csv(GROUP)))
            .collect()
    }

    fn html(&self, _waves: &[String]) -> String {
        page::page(self)
    }
}

/// Flat metrics: the rows, and the rates of every shape.
fn figures_of(ofc: &OfcResult) -> BTreeMap<String, Number> {
    let mut places = BTreeMap::new();
    let rows = ofc.rows.iter().map(|row| {
        let place: &mut u32 = places.entry(&row.id).or_default();
        *place += 1;
        let id = row.id.to_lowercase().replace('-', "_");
        (format!("{id}__figure_{place}__{}", unit_name(row)), row.ours)
    });
    let rows: Vec<_> = rows.collect();
    let scaling = ofc.scaling.iter().flat_map(|point| {
        let subject = format!("scaling__{}x{}", point.shape.channels, point.shape.dies);
        [
            (format!("{subject}__sequential_read_mb_per_s"), point.sequential_read_mb_per_s),
            (format!("{subject}__sequential_write_mb_per_s"), point.sequential_write_mb_per_s),
            (format!("{subject}__random_read_iops"), point.random_read_iops),
            (format!("{subject}__random_write_iops"), point.random_write_iops),
        ]
    });
    flat(rows.into_iter().chain(scaling))
}

/// A row's unit as a metric ends with it.
fn unit_name(row: &Row) -> &'static str {
    match row.unit.as_str() {
        "MB/s" => "mb_per_s",
        "KIOPS" => "kiops",
        "%" => "percent",
        _ => "ratio",
    }
}

/// Reads the run folder `dir` of the experiment back.
///
/// # Errors
/// As [`load`](crate::load).
pub fn load_ofc(dir: &Path) -> Result<OfcReport, ReportError> {
    let metrics: MetricsFile = load_metrics(dir)?;
    let report = OfcReport { ofc: metrics.ofc, run: load_run(dir)? };
    report.check()?;
    Ok(report)
}
