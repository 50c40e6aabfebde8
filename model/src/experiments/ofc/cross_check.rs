//! One channel of the experiment on its controller's RTL, beside the model of it.

use floatgate_hal::units::Picoseconds;
use serde::{Deserialize, Serialize};

use super::load::Load;
use super::measure::{Measurement, Outcome, RtlFigures};
use crate::array::Compared;
use crate::experiments::{Expectation, Row};

/// How far the model may be from the RTL in the mean, and at the 99th percentile.
const RTL_MEAN: f64 = 0.01;
const RTL_P99: f64 = 0.03;

/// Operations of the channel that was in RTL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RtlLine {
    /// The load.
    pub load: Load,
    /// Read, program or erase; or all.
    pub kind: String,
    /// How many there were.
    pub operations: u64,
    /// Mean latency on the RTL, waits for the die among it.
    pub rtl_mean_us: f64,
    /// The same in the model.
    pub model_mean_us: f64,
    /// 99th percentile on the RTL.
    pub rtl_p99_us: f64,
    /// The same in the model.
    pub model_p99_us: f64,
}

/// One channel on its controller's RTL: the same rates, and the same latencies of its operations.
pub(super) fn rows(outcomes: &[(Measurement, Outcome)]) -> Vec<Row> {
    let rate = |(load, of): (Load, &RtlFigures)| {
        let what = format!("{}, a channel in RTL over all in the model", load.label());
        let expectation = Expectation::Near { figure: 1.0, tolerance: RTL_MEAN };
        Row {
            published: None,
            ..Row::predicted("RTL", &what, "", of.mb_per_s / of.model_mb_per_s, expectation)
        }
    };
    let mut rows: Vec<Row> = in_rtl(outcomes).map(rate).collect();
    if rows.is_empty() {
        return rows;
    }
    let farthest = |off: &dyn Fn(&Compared) -> f64| {
        let compared = in_rtl(outcomes).flat_map(|(_, of)| &of.compared);
        100.0 * compared.map(|of| off(of).abs()).fold(0.0, f64::max)
    };
    for (what, percent, tolerance) in [
        (
            "mean latency of its operations, farthest of a kind",
            farthest(&Compared::mean_off),
            RTL_MEAN,
        ),
        ("their 99th percentile, farthest of a kind", farthest(&Compared::p99_off), RTL_P99),
    ] {
        let expectation = Expectation::AtMost(100.0 * tolerance);
        rows.push(Row::predicted("RTL", what, "%", percent, expectation));
    }
    rows
}

fn lines_of(load: Load, of: &RtlFigures) -> impl Iterator<Item = RtlLine> {
    let us = |span: Picoseconds| span.0 as f64 / 1e6;
    of.compared.iter().map(move |of| RtlLine {
        load,
        kind: of.name.to_owned(),
        operations: of.count as u64,
        rtl_mean_us: of.engine.mean_ps / 1e6,
        model_mean_us: of.model.mean_ps / 1e6,
        rtl_p99_us: us(of.engine.p99),
        model_p99_us: us(of.model.p99),
    })
}

/// The channel's operations, load by load.
pub(super) fn lines(outcomes: &[(Measurement, Outcome)]) -> Vec<RtlLine> {
    in_rtl(outcomes).flat_map(|(load, of)| lines_of(load, of)).collect()
}

fn in_rtl(outcomes: &[(Measurement, Outcome)]) -> impl Iterator<Item = (Load, &RtlFigures)> {
    outcomes.iter().filter_map(|(measurement, outcome)| match (measurement, outcome) {
        (Measurement::InRtl(load), Outcome::InRtl(figures)) => Some((*load, figures)),
        _ => None,
    })
}
