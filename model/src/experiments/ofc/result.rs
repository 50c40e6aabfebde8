//! What came of the experiment: the published figures beside ours, and the curves behind them.

use serde::{Deserialize, Serialize};

use super::config::{OfcConfig, Shape};
use super::cross_check::{self, RtlLine};
use super::load::Load;
use super::measure::{Figures, HistoryPoint, Measurement, Outcome, Span};
use crate::closed_forms;
use crate::config::DriveConfig;
use crate::experiments::{Expectation, Row};
use crate::ssd::Part;

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfcResult {
    /// What it is.
    pub title: String,
    /// The published figures beside ours.
    pub rows: Vec<Row>,
    /// Where the latency of a request goes, one at a time.
    pub operations: Vec<OperationParts>,
    /// Random writes over the over-provisioning.
    pub over_provisioning: Vec<OverProvisioningPoint>,
    /// What their rates follow from.
    pub times: Times,
    /// A drive over its writes.
    pub history: Vec<HistoryLine>,
    /// Windowed greedy collection over its window.
    pub windows: Vec<WindowPoint>,
    /// Rates over channels and dies.
    pub scaling: Vec<ScalingPoint>,
    /// One channel in RTL, beside the model; empty where that was not asked for.
    pub rtl: Vec<RtlLine>,
}

/// Where the latency of a load's requests goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationParts {
    /// The load.
    pub load: Load,
    /// Parts of the mean latency by name, in microseconds.
    pub parts_us: Vec<(String, f64)>,
    /// Share of it in which hardware is at work, or waited for.
    pub hardware_share: f64,
}

/// Random writes at an over-provisioning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverProvisioningPoint {
    /// (T - U) / U, T being pages of blocks that can hold data, as configured.
    pub percent: f64,
    /// The same, T being the pages that were not free when a block was chosen.
    pub effective_percent: f64,
    /// Measured.
    pub write_amplification: f64,
    /// Greedy collection (Desnoyers 2012).
    pub greedy: f64,
    /// Least recently written block (Xiang and Kurkoski, Desnoyers).
    pub lru: f64,
    /// Pages that a collection moved.
    pub moved_per_collection: f64,
    /// Measured.
    pub iops: f64,
}

/// What random writes take of the drive's time: 1 / IOPS = A tW + (A - 1) tR, with A the write
/// amplification. tW and tR are fitted to all that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// tW.
    pub program_us: f64,
    /// tR.
    pub move_us: f64,
}

/// A piece of a drive's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryLine {
    /// What was going on.
    pub phase: String,
    /// Drive writes up to its end.
    pub drive_writes: f64,
    /// Rate of the host's writes.
    pub mb_per_s: f64,
    /// Pages programmed for each page written.
    pub write_amplification: f64,
}

/// Windowed greedy collection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowPoint {
    /// The window in per cent of a plane's blocks.
    pub percent: f64,
    /// Measured.
    pub write_amplification: f64,
}

/// Rates of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScalingPoint {
    /// Channels and dies.
    pub shape: Shape,
    /// 128 KiB, 10^6 bytes per second.
    pub sequential_read_mb_per_s: f64,
    /// The same, written.
    pub sequential_write_mb_per_s: f64,
    /// Pages per second.
    pub random_read_iops: f64,
    /// The same, written.
    pub random_write_iops: f64,
}

/// The published rates.
mod published {
    pub(super) const SEQUENTIAL_READ_MB_PER_S: f64 = 115.0;
    pub(super) const SEQUENTIAL_WRITE_MB_PER_S: f64 = 72.0;
    pub(super) const RANDOM_READ_KIOPS: f64 = 24.0;
    pub(super) const RANDOM_WRITE_KIOPS: f64 = 8.5;
}

/// Puts the outcomes together.
///
/// # Panics
/// Where one of the experiment's measurements is not among them.
pub fn result(
    config: &OfcConfig,
    drive: &DriveConfig,
    outcomes: &[(Measurement, Outcome)],
) -> OfcResult {
    let all = Outcomes(outcomes);
    let over_provisioning = over_provisioning(config, drive, &all);
    let times = Times::fitted(&over_provisioning);
    let windows = all.windows(config);
    let history = all.history();
    let shapes = [config.shape].into_iter().chain(config.shapes.iter().copied());
    let scaling: Vec<_> = shapes.map(|shape| all.scaling(shape)).collect();
    let rows = [
        rates(config, &all, times),
        models(&over_provisioning, times),
        past(config, &all, history),
        window_rows(config, drive, &all, &windows),
        scaling_rows(config, &scaling),
        cross_check::rows(outcomes),
    ];
    OfcResult {
        title: config.title.clone(),
        rows: rows.concat(),
        operations: Load::ALL.map(|load| all.operation(load)).to_vec(),
        over_provisioning,
        times,
        history: history.iter().map(line).collect(),
        windows,
        scaling,
        rtl: cross_check::lines(outcomes),
    }
}

/// Pages of a block as firmware has them.
fn pages_of_block(drive: &DriveConfig) -> u32 {
    drive.topology().geometry().pages_per_block
}

impl Times {
    /// Those that explain the measured rates best, by the sum of the squares of what is left of
    /// each, relative to it.
    fn fitted(points: &[OverProvisioningPoint]) -> Self {
        let (mut aa, mut ab, mut bb, mut a1, mut b1) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for point in points {
            let us = 1e6 / point.iops;
            let (a, b) = (point.write_amplification / us, (point.write_amplification - 1.0) / us);
            (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b);
            (a1, b1) = (a1 + a, b1 + b);
        }
        let determinant = aa * bb - ab * ab;
        Self {
            program_us: (a1 * bb - b1 * ab) / determinant,
            move_us: (aa * b1 - ab * a1) / determinant,
        }
    }

    /// Writes per second at a write amplification.
    pub fn iops(&self, wa: f64) -> f64 {
        1e6 / (wa * self.program_us + (wa - 1.0) * self.move_us)
    }

    /// The write amplification at which there are so many writes per second.
    pub fn write_amplification(&self, iops: f64) -> f64 {
        (1e6 / iops + self.move_us) / (self.program_us + self.move_us)
    }
}

fn over_provisioning(
    config: &OfcConfig,
    drive: &DriveConfig,
    all: &Outcomes<'_>,
) -> Vec<OverProvisioningPoint> {
    let point = |&percent: &f64| {
        let of = all.steady(&Measurement::OverProvisioned(percent));
        let ratio = written_over_user(config, drive, percent, of);
        OverProvisioningPoint {
            percent,
            effective_percent: 100.0 * (ratio - 1.0),
            write_amplification: of.write_amplification,
            greedy: closed_forms::desnoyers_greedy(ratio, pages_of_block(drive)),
            lru: closed_forms::fifo(ratio),
            moved_per_collection: of.moved_per_collection,
            iops: of.iops,
        }
    };
    config.over_provisioning_percent.iter().map(point).collect()
}

/// T / U with the T that was.
fn written_over_user(config: &OfcConfig, drive: &DriveConfig, percent: f64, of: &Figures) -> f64 {
    let drive = config.drive(drive, config.shape, percent);
    let units = drive.topology().geometry().units;
    of.written_at_choice * f64::from(units) / f64::from(drive.user_pages())
}

/// C-1 to C-4.
fn rates(config: &OfcConfig, all: &Outcomes<'_>, times: Times) -> Vec<Row> {
    let near = |figure, tolerance| Expectation::Near { figure, tolerance };
    let of = |load| all.rate(load, config.shape);
    let write = of(Load::SequentialWrite);
    let random = of(Load::RandomWrite);
    let implied = times.write_amplification(1e3 * published::RANDOM_WRITE_KIOPS);
    vec![
        Row::calibrated(
            "C-1",
            "sequential reads of 128 KiB, 8 outstanding",
            "MB/s",
            of(Load::SequentialRead).mb_per_s,
            near(published::SEQUENTIAL_READ_MB_PER_S, 0.05),
        ),
        Row::predicted(
            "C-2",
            "sequential writes of 128 KiB, 8 outstanding",
            "MB/s",
            write.mb_per_s,
            near(published::SEQUENTIAL_WRITE_MB_PER_S, 0.05),
        ),
        Row::predicted(
            "C-2",
            "their write amplification",
            "",
            write.write_amplification,
            Expectation::Between(1.0, 1.02),
        ),
        Row::calibrated(
            "C-3",
            "random reads of 4 KiB, 32 outstanding",
            "KIOPS",
            of(Load::RandomRead).iops / 1e3,
            near(published::RANDOM_READ_KIOPS, 0.07),
        ),
        Row::calibrated(
            "C-4",
            "random writes of 4 KiB, 128 outstanding, steady state",
            "KIOPS",
            random.iops / 1e3,
            near(published::RANDOM_WRITE_KIOPS, 0.08),
        ),
        Row::predicted(
            "C-4",
            "their write amplification, beside that which the published rate implies",
            "",
            random.write_amplification,
            Expectation::Between(implied - 0.1, implied + 0.1),
        ),
    ]
}

/// C-5: the largest distance from the models.
fn models(points: &[OverProvisioningPoint], times: Times) -> Vec<Row> {
    let worst = |apart: &dyn Fn(&OverProvisioningPoint) -> f64| {
        points.iter().map(|point| 100.0 * apart(point).abs()).fold(0.0, f64::max)
    };
    vec![
        Row::predicted(
            "C-5",
            "write amplification, farthest from greedy collection's closed form",
            "%",
            worst(&|point| point.write_amplification / point.greedy - 1.0),
            Expectation::AtMost(2.0),
        ),
        Row::predicted(
            "C-5",
            "random writes per second, farthest from 1 / (A tW + (A - 1) tR), one pair for all",
            "%",
            worst(&|point| point.iops / times.iops(point.write_amplification) - 1.0),
            Expectation::AtMost(5.0),
        ),
    ]
}

/// C-6: what came before shows, and is forgotten.
fn past(config: &OfcConfig, all: &Outcomes<'_>, history: &[HistoryPoint]) -> Vec<Row> {
    let mean = |span| {
        let of: Vec<f64> =
            history.iter().filter(|point| point.span == span).map(|p| p.mb_per_s).collect();
        // Pieces are of one size, so that the mean rate is the harmonic one.
        of.len() as f64 / of.iter().map(|rate| 1.0 / rate).sum::<f64>()
    };
    let usual = all.rate(Load::SequentialWrite, config.shape).mb_per_s;
    let figure =
        |what, span, expectation| Row::predicted("C-6", what, "", mean(span) / usual, expectation);
    vec![
        figure(
            "sequential writes right after random ones, of C-2",
            Span::FirstPass,
            Expectation::AtMost(0.9),
        ),
        figure(
            "a second sequential pass, of C-2",
            Span::SecondPass,
            Expectation::Near { figure: 1.0, tolerance: 0.05 },
        ),
    ]
}

/// C-7: a larger window is not worse, and one of all blocks is greedy.
fn window_rows(
    config: &OfcConfig,
    drive: &DriveConfig,
    all: &Outcomes<'_>,
    windows: &[WindowPoint],
) -> Vec<Row> {
    let rise = windows
        .windows(2)
        .map(|pair| pair[1].write_amplification / pair[0].write_amplification - 1.0)
        .fold(0.0, f64::max);
    let (largest, ratio) = windows.last().map_or((f64::NAN, f64::NAN), |point| {
        let of = all.steady(&Measurement::Windowed(point.percent));
        let percent = config.calibrated.over_provisioning_percent;
        (point.write_amplification, written_over_user(config, drive, percent, of))
    });
    let greedy = closed_forms::desnoyers_greedy(ratio, pages_of_block(drive));
    vec![
        Row::predicted(
            "C-7",
            "windowed greedy: largest rise of write amplification to the next larger window",
            "%",
            100.0 * rise,
            Expectation::AtMost(1.0),
        ),
        Row::predicted(
            "C-7",
            "with the largest window, beside greedy's closed form",
            "",
            largest / greedy,
            Expectation::Near { figure: 1.0, tolerance: 0.02 },
        ),
    ]
}

/// C-8: a second die helps writes, not reads.
fn scaling_rows(config: &OfcConfig, scaling: &[ScalingPoint]) -> Vec<Row> {
    let of = |shape: Shape| scaling.iter().find(|point| point.shape == shape);
    let single = Shape { dies: 1, ..config.shape };
    let (Some(all), Some(one)) = (of(config.shape), of(single)) else { return Vec::new() };
    vec![
        Row::predicted(
            "C-8",
            "sequential reads, second die of a channel over one",
            "",
            all.sequential_read_mb_per_s / one.sequential_read_mb_per_s,
            Expectation::AtMost(1.351),
        ),
        Row::predicted(
            "C-8",
            "sequential writes, second die of a channel over one",
            "",
            all.sequential_write_mb_per_s / one.sequential_write_mb_per_s,
            Expectation::Between(1.8, 2.05),
        ),
    ]
}

fn line(point: &HistoryPoint) -> HistoryLine {
    let phase = match point.span {
        Span::Fill => "sequential fill",
        Span::Random => "random",
        Span::FirstPass => "sequential, first pass",
        Span::SecondPass => "sequential, second pass",
    };
    HistoryLine {
        phase: phase.to_owned(),
        drive_writes: point.drive_writes,
        mb_per_s: point.mb_per_s,
        write_amplification: point.write_amplification,
    }
}

/// Outcomes by their measurement.
struct Outcomes<'a>(&'a [(Measurement, Outcome)]);

impl Outcomes<'_> {
    fn of(&self, measurement: &Measurement) -> &Outcome {
        let found = self.0.iter().find(|(of, _)| of == measurement);
        &found.unwrap_or_else(|| panic!("{measurement:?} was not measured")).1
    }

    fn steady(&self, measurement: &Measurement) -> &Figures {
        match self.of(measurement) {
            Outcome::Steady(figures) => figures,
            _ => panic!("{measurement:?} has one rate"),
        }
    }

    fn rate(&self, load: Load, shape: Shape) -> &Figures {
        self.steady(&Measurement::Rate(load, shape))
    }

    fn history(&self) -> &[HistoryPoint] {
        match self.of(&Measurement::History) {
            Outcome::History(points) => points,
            _ => panic!("a history has many rates"),
        }
    }

    fn windows(&self, config: &OfcConfig) -> Vec<WindowPoint> {
        let point = |&percent: &f64| {
            let of = self.steady(&Measurement::Windowed(percent));
            WindowPoint { percent, write_amplification: of.write_amplification }
        };
        config.window_percent.iter().map(point).collect()
    }

    fn scaling(&self, shape: Shape) -> ScalingPoint {
        let of = |load| self.rate(load, shape);
        ScalingPoint {
            shape,
            sequential_read_mb_per_s: of(Load::SequentialRead).mb_per_s,
            sequential_write_mb_per_s: of(Load::SequentialWrite).mb_per_s,
            random_read_iops: of(Load::RandomRead).iops,
            random_write_iops: of(Load::RandomWrite).iops,
        }
    }

    fn operation(&self, load: Load) -> OperationParts {
        let parts = &self.steady(&Measurement::Alone(load)).parts_us;
        let sum: f64 = parts.iter().map(|(_, us)| us).sum();
        let firmware = parts.iter().find(|(part, _)| *part == Part::Firmware);
        let firmware = firmware.map_or(0.0, |(_, us)| *us);
        OperationParts {
            load,
            parts_us: parts.iter().map(|(part, us)| (part.label().to_owned(), *us)).collect(),
            hardware_share: 1.0 - firmware / sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitted_times_are_those_that_made_the_rates() {
        let made = Times { program_us: 60.0, move_us: 25.0 };
        let point = |write_amplification| OverProvisioningPoint {
            percent: 0.0,
            effective_percent: 0.0,
            write_amplification,
            greedy: 0.0,
            lru: 0.0,
            moved_per_collection: 0.0,
            iops: made.iops(write_amplification),
        };
        let fitted = Times::fitted(&[1.5, 2.5, 5.0].map(point));
        assert!((fitted.program_us - 60.0).abs() < 1e-6, "{fitted:?}");
        assert!((fitted.move_us - 25.0).abs() < 1e-6, "{fitted:?}");
        let back = made.write_amplification(made.iops(2.0));
        assert!((back - 2.0).abs() < 1e-9, "{back}");
    }
}
