//! Channels that were RTL for a part of a run, beside the model.

use serde::{Deserialize, Serialize};

use crate::metrics::identifier;
use crate::table::{Cell, Column, Table};

/// A channel that was RTL for a part of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RtlChannel {
    /// The channel.
    pub channel: u32,
    /// From when it was RTL ..
    pub from_us: f64,
    /// .. until when.
    pub until_us: f64,
    /// Clocks of the controller that were simulated.
    pub clocks: u64,
    /// Its operations meanwhile, by kind, then all of them.
    pub operations: Vec<RtlOperations>,
}

/// Operations of a kind on the RTL, and the same turns of the dies in the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RtlOperations {
    /// Read, program, erase; or all.
    pub kind: String,
    /// How many.
    pub operations: u64,
    /// On the RTL.
    pub rtl: RtlSpans,
    /// In the model.
    pub model: RtlSpans,
}

/// Latencies of operations, waits for their die among them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RtlSpans {
    /// Mean.
    pub mean_us: f64,
    /// 99 % take no longer.
    pub p99_us: f64,
}

impl RtlOperations {
    /// How much more the mean and the 99th percentile are in the model, in per cent.
    pub fn off_percent(&self) -> [f64; 2] {
        let off = |model: f64, rtl: f64| 100.0 * (model / rtl - 1.0);
        [off(self.model.mean_us, self.rtl.mean_us), off(self.model.p99_us, self.rtl.p99_us)]
    }
}

/// All of it, a line for each kind of operation of each channel.
pub(super) fn table(channels: &[RtlChannel]) -> Table {
    let mut table = Table::new(vec![
        Column::new("channel", "Channel", ""),
        Column::new("from_us", "From", "µs"),
        Column::new("until_us", "Until", "µs"),
        Column::new("kind", "Operations", ""),
        Column::new("operations", "Count", ""),
        Column::new("rtl_mean_us", "Mean, RTL", "µs"),
        Column::new("model_mean_us", "Mean, model", "µs"),
        Column::new("mean_off_percent", "Off by", "%"),
        Column::new("rtl_p99_us", "p99, RTL", "µs"),
        Column::new("model_p99_us", "p99, model", "µs"),
        Column::new("p99_off_percent", "Off by", "%"),
    ]);
    for channel in channels {
        for of in &channel.operations {
            let [mean, p99] = of.off_percent();
            table.push(vec![
                Cell::Count(channel.channel.into()),
                Cell::real(channel.from_us, 1),
                Cell::real(channel.until_us, 1),
                Cell::text(&of.kind),
                Cell::Count(of.operations),
                Cell::real(of.rtl.mean_us, 2),
                Cell::real(of.model.mean_us, 2),
                Cell::real(mean, 3),
                Cell::real(of.rtl.p99_us, 2),
                Cell::real(of.model.p99_us, 2),
                Cell::real(p99, 3),
            ]);
        }
    }
    table
}

/// Flat metrics.
pub(super) fn figures(channels: &[RtlChannel]) -> Vec<(String, f64)> {
    let mut all = Vec::new();
    for channel in channels {
        let subject = format!("rtl__channel_{}", channel.channel);
        all.push((format!("{subject}__clocks"), channel.clocks as f64));
        for of in &channel.operations {
            let kind = identifier(&of.kind);
            let mut push = |name, value| all.push((format!("{subject}__{kind}_{name}"), value));
            push("operations", of.operations as f64);
            push("rtl_mean_us", of.rtl.mean_us);
            push("model_mean_us", of.model.mean_us);
            push("rtl_p99_us", of.rtl.p99_us);
            push("model_p99_us", of.model.p99_us);
        }
    }
    all
}
