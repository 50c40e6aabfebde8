//! Run folders and reports: the result of an ECC-strength sweep, of storing a file, or of a run of
//! a whole drive, as JSON, CSV, SVG and HTML; and two of them side by side ([`compare`]).
//!
//! What enters is a [`SweepResult`](model::SweepResult), a [`StoreResult`](store::StoreResult) or a
//! [`DriveResult`](drive::DriveResult) and the circumstances of its run, together a [`Content`].
//! What leaves is a folder that holds all of it: `config.ron`, `metrics.json`, `run.json`, `csv/`,
//! `report.html` and whatever waveforms the caller put into `waves/`. The folder appears whole or
//! not at all, and [`load`] reads it back.
//!
//! ```
//! use std::path::{Path, PathBuf};
//! use floatgate_report::{Report, ReportError, RunFolder};
//!
//! fn store(report: &Report, config: &impl serde::Serialize) -> Result<PathBuf, ReportError> {
//!     // Opened before the sweep, so that a bad path fails in the first second.
//!     let folder = RunFolder::create(Path::new("out"), &report.sweep.name)?;
//!     // Here the sweep runs, and may put waveforms into folder.waves().
//!     folder.finish(report, config)
//! }
//! ```

mod chart;
pub mod compare;
pub mod derived;
pub mod drive;
mod error;
mod figures;
mod folder;
mod format;
mod html;
mod knee;
mod metrics;
pub mod model;
pub mod ofc;
mod published;
pub mod store;
mod table;

pub use error::ReportError;
pub use folder::{Content, CsvFile, LATEST, Report, RunFolder, load, metrics_json, render};
pub use html::html;
pub use knee::{Recommendation, TradeOff, recommend};
pub use metrics::flat_metrics;
