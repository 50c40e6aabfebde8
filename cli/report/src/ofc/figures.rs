//! The table and the plots of the experiment.

use floatgate_model::experiments::ofc::{Load, OfcResult, RtlLine, ScalingPoint};
use floatgate_model::experiments::{Basis, Expectation, Row};

use crate::chart::{Chart, Ink, Layer, LineChart, Scale, Series, StackedBars};
use crate::figures::{Figure, reference, series};
use crate::format;
use crate::table::{Cell, Column, Table};

/// All plots, in the order of the page.
pub(super) fn all(ofc: &OfcResult) -> Vec<Figure> {
    let mut figures = vec![
        write_amplification(ofc),
        relocations(ofc),
        history(ofc),
        history_amplification(ofc),
        windows(ofc),
        operations(ofc),
    ];
    figures.extend(scaling(ofc));
    figures
}

/// The rows, with what each must be.
pub(super) fn rows_table(rows: &[Row]) -> Table {
    let mut table = Table::new(vec![
        Column::new("id", "Row", ""),
        Column::new("what", "Figure", ""),
        Column::new("unit", "Unit", ""),
        Column::new("published", "Published", ""),
        Column::new("ours", "Ours", ""),
        Column::new("must_be", "Must be", ""),
        Column::new("basis", "Basis", ""),
        Column::new("verdict", "", ""),
    ]);
    for row in rows {
        let basis = match row.basis {
            Basis::Calibrated => "calibrated",
            Basis::Predicted => "predicted",
        };
        table.push(vec![
            Cell::text(&row.id),
            Cell::text(&row.what),
            Cell::text(&row.unit),
            Cell::real_or_absent(row.published, 1),
            Cell::real(row.ours, 2),
            Cell::text(must_be(&row.expectation)),
            Cell::text(basis),
            Cell::text(if row.holds() { "holds" } else { "misses" }),
        ]);
    }
    table
}

/// The channel in RTL beside the model.
pub(super) fn rtl_table(lines: &[RtlLine]) -> Table {
    let mut table = Table::new(vec![
        Column::new("load", "Load", ""),
        Column::new("kind", "Operations", ""),
        Column::new("operations", "Count", ""),
        Column::new("rtl_mean_us", "Mean, RTL", "µs"),
        Column::new("model_mean_us", "Mean, model", "µs"),
        Column::new("rtl_p99_us", "p99, RTL", "µs"),
        Column::new("model_p99_us", "p99, model", "µs"),
    ]);
    for line in lines {
        table.push(vec![
            Cell::text(line.load.label()),
            Cell::text(&line.kind),
            Cell::Count(line.operations),
            Cell::real(line.rtl_mean_us, 2),
            Cell::real(line.model_mean_us, 2),
            Cell::real(line.rtl_p99_us, 2),
            Cell::real(line.model_p99_us, 2),
        ]);
    }
    table
}

pub(super) fn must_be(expectation: &Expectation) -> String {
    let plain = |value: f64| format::real(value, 2);
    match *expectation {
        Expectation::Near { figure, tolerance } => {
            format!("{} ± {} %", format::real(figure, 1), format::real(100.0 * tolerance, 0))
        }
        Expectation::Between(low, high) => format!("{} to {}", plain(low), plain(high)),
        Expectation::AtMost(high) => format!("at most {}", plain(high)),
        Expectation::AtLeast(low) => format!("at least {}", plain(low)),
    }
}

/// A line chart from zero.
fn lines(
    x_title: &'static str,
    y_title: &'static str,
    x_ticks: Vec<f64>,
    series: Vec<Series>,
) -> Chart {
    let y_scale = Scale::FromZero;
    Chart::Lines(LineChart {
        x_title,
        y_title,
        x_ticks,
        y_scale,
        series,
        labels: vec![],
        marks: Vec::new(),
        x_label: |x| format::real(x, 0),
    })
}

fn write_amplification(ofc: &OfcResult) -> Figure {
    let points = &ofc.over_provisioning;
    let over = |figure: fn(&floatgate_model::experiments::ofc::OverProvisioningPoint) -> f64| {
        points.iter().map(|point| (point.effective_percent, figure(point))).collect::<Vec<_>>()
    };
    let chart = lines(
        "over-provisioning (T - U) / U, %",
        "pages programmed per page written",
        points.iter().map(|point| point.percent).collect(),
        vec![
            series(0, "measured, greedy", over(|point| point.write_amplification)),
            reference(Ink::Series(1), "greedy, Desnoyers", over(|point| point.greedy)),
            reference(Ink::Series(2), "least recently written", over(|point| point.lru)),
        ],
    );
    let mut table = Table::new(vec![
        Column::new("over_provisioning_percent", "Over-provisioning", "%"),
        Column::new("effective_percent", "Effective", "%"),
        Column::new("measured", "Measured", ""),
        Column::new("greedy", "Greedy, Desnoyers", ""),
        Column::new("lru", "Least recently written", ""),
    ]);
    for point in points {
        let of = [point.write_amplification, point.greedy, point.lru];
        let cells = of.map(|value| Cell::real(value, 3));
        let spare = [point.percent, point.effective_percent].map(|value| Cell::real(value, 2));
        table.push(spare.into_iter().chain(cells).collect());
    }
    let worst = points
        .iter()
        .map(|point| (point.write_amplification / point.greedy - 1.0).abs())
        .fold(0.0, f64::max);
    let caption = format!(
        "Uniform random writes of 4 KiB in the steady state. The measured figures are within {} % \
         of the closed form of greedy collection.",
        format::real(100.0 * worst, 1),
    );
    let title = "Write amplification over the spare space";
    Figure { id: "write-amplification", title, caption, chart, table }
}

fn relocations(ofc: &OfcResult) -> Figure {
    let points = &ofc.over_provisioning;
    let of = |iops: &dyn Fn(usize) -> f64| {
        (0..points.len()).map(|i| (points[i].moved_per_collection, iops(i))).collect::<Vec<_>>()
    };
    let fitted = |i: usize| ofc.times.iops(points[i].write_amplification);
    let expected = of(&|i| fitted(i) / 1e3);
    let chart = lines(
        "pages relocated by a collection",
        "thousand random writes per second",
        points.iter().map(|point| point.moved_per_collection.round()).collect(),
        vec![
            series(0, "measured", of(&|i| points[i].iops / 1e3)),
            reference(Ink::Series(1), "1 / (A tW + (A - 1) tR)", expected),
        ],
    );
    let mut table = Table::new(vec![
        Column::new("over_provisioning_percent", "Over-provisioning", "%"),
        Column::new("moved_per_collection", "Relocated", "pages"),
        Column::new("iops", "Measured", "IOPS"),
        Column::new("expected_iops", "Expected", "IOPS"),
    ]);
    for (index, point) in points.iter().enumerate() {
        table.push(vec![
            Cell::real(point.percent, 1),
            Cell::real(point.moved_per_collection, 1),
            Cell::real(point.iops, 0),
            Cell::real(fitted(index), 0),
        ]);
    }
    let caption = format!(
        "The more pages a collection has to relocate, the fewer writes of the host the same \
         programs leave room for. tW = {} µs and tR = {} µs, fitted to all points.",
        format::real(ofc.times.program_us, 1),
        format::real(ofc.times.move_us, 1),
    );
    Figure { id: "relocations", title: "Relocated pages against rate", caption, chart, table }
}

fn history_chart(
    ofc: &OfcResult,
    y_title: &'static str,
    figure: fn(&floatgate_model::experiments::ofc::HistoryLine) -> f64,
) -> Chart {
    let mut phases: Vec<&str> = Vec::new();
    for line in &ofc.history {
        if !phases.contains(&line.phase.as_str()) {
            phases.push(&line.phase);
        }
    }
    let of_phase = |(index, phase): (usize, &&str)| {
        let lines = ofc.history.iter().filter(|line| line.phase == **phase);
        let points = lines.map(|line| (line.drive_writes, figure(line))).collect();
        Series { marker: None, ..series(index, *phase, points) }
    };
    let last = ofc.history.last().map_or(0.0, |line| line.drive_writes);
    let ticks = (0..=last.ceil() as u32).map(f64::from).collect();
    lines("drive writes", y_title, ticks, phases.iter().enumerate().map(of_phase).collect())
}

fn history_table(ofc: &OfcResult) -> Table {
    let mut table = Table::new(vec![
        Column::new("phase", "Phase", ""),
        Column::new("drive_writes", "Drive writes", ""),
        Column::new("mb_per_s", "Rate", "MB/s"),
        Column::new("write_amplification", "Write amplification", ""),
    ]);
    for line in &ofc.history {
        table.push(vec![
            Cell::text(&line.phase),
            Cell::real(line.drive_writes, 3),
            Cell::real(line.mb_per_s, 2),
            Cell::real(line.write_amplification, 3),
        ]);
    }
    table
}

fn history(ofc: &OfcResult) -> Figure {
    let chart = history_chart(ofc, "MB/s", |line| line.mb_per_s);
    let caption = "The same drive, filled in order, written at random, and twice in order again: \
                   what came before shows until it is written over."
        .to_owned();
    let table = history_table(ofc);
    Figure { id: "history", title: "A drive's past in its write rate", caption, chart, table }
}

fn history_amplification(ofc: &OfcResult) -> Figure {
    let chart =
        history_chart(ofc, "pages programmed per page written", |line| line.write_amplification);
    let caption = "Pages that random writes left valid in every block have to be moved while the \
                   drive is written in order for the first time."
        .to_owned();
    let table = history_table(ofc);
    let title = "A drive's past in its write amplification";
    Figure { id: "history-amplification", title, caption, chart, table }
}

fn windows(ofc: &OfcResult) -> Figure {
    let points: Vec<_> =
        ofc.windows.iter().map(|point| (point.percent, point.write_amplification)).collect();
    let ticks = points.iter().map(|point| point.0).collect();
    let mut table = Table::new(vec![
        Column::new("window_percent", "Window", "%"),
        Column::new("write_amplification", "Write amplification", ""),
    ]);
    for &(percent, value) in &points {
        table.push(vec![Cell::real(percent, 1), Cell::real(value, 3)]);
    }
    let chart = lines(
        "window, % of a plane's blocks",
        "pages programmed per page written",
        ticks,
        vec![series(0, "measured", points)],
    );
    let caption = "Windowed greedy collection takes the emptiest of the oldest blocks. With all \
                   of them it is greedy; with few, close to the oldest block."
        .to_owned();
    Figure { id: "windows", title: "Windowed greedy collection", caption, chart, table }
}

fn operations(ofc: &OfcResult) -> Figure {
    let sums: Vec<f64> =
        ofc.operations.iter().map(|of| of.parts_us.iter().map(|(_, us)| us).sum()).collect();
    let names = ofc.operations.first().map_or(&[][..], |of| &of.parts_us);
    let share =
        |load: usize, part: usize| 100.0 * ofc.operations[load].parts_us[part].1 / sums[load];
    let layer = |(index, (name, _)): (usize, &(String, f64))| Layer {
        label: name.clone(),
        ink: Ink::Series((index % usize::from(Ink::SERIES_COUNT)) as u8),
        values: (0..sums.len()).map(|load| share(load, index)).collect(),
    };
    let is_seen = |(index, _): &(usize, &(String, f64))| {
        (0..sums.len()).any(|load| share(load, *index) >= 0.5)
    };
    let layers = names.iter().enumerate().filter(is_seen).enumerate();
    let layers = layers.map(|(place, of)| Layer {
        ink: Ink::Series((place % usize::from(Ink::SERIES_COUNT)) as u8),
        ..layer(of)
    });
    let chart = Chart::Bars(StackedBars {
        x_title: "",
        y_title: "per cent of the latency",
        categories: ofc.operations.iter().map(|of| of.load.label().to_owned()).collect(),
        layers: layers.collect(),
        total: |_| String::new(),
        marked: None,
    });
    let mut columns =
        vec![Column::new("load", "Load", ""), Column::new("hardware_percent", "Hardware", "%")];
    columns.extend(names.iter().map(|(name, _)| {
        Column::new(format!("{}_us", name.replace(' ', "_")), name.clone(), "µs")
    }));
    let mut table = Table::new(columns);
    for of in &ofc.operations {
        let mut row = vec![Cell::text(of.load.label()), Cell::real(100.0 * of.hardware_share, 1)];
        row.extend(of.parts_us.iter().map(|(_, us)| Cell::real(*us, 2)));
        table.push(row);
    }
    let firmware: Vec<String> = ofc
        .operations
        .iter()
        .map(|of| {
            let percent = format::real(100.0 * (1.0 - of.hardware_share), 0);
            format!("{percent} % of a {}", of.load.label())
        })
        .collect();
    let caption = format!(
        "One request at a time; sequential ones have 128 KiB, random ones 4. Firmware takes {}.",
        format::list(&firmware),
    );
    Figure { id: "operations", title: "Hardware and firmware", caption, chart, table }
}

/// A figure of a shape.
type OfShape = fn(&ScalingPoint) -> f64;

fn scaling(ofc: &OfcResult) -> Vec<Figure> {
    let plots: [(&'static str, &'static str, &'static str, Load, OfShape); 4] = [
        (
            "scaling-sequential-read",
            "Sequential reads over channels",
            "MB/s",
            Load::SequentialRead,
            |p| p.sequential_read_mb_per_s,
        ),
        (
            "scaling-sequential-write",
            "Sequential writes over channels",
            "MB/s",
            Load::SequentialWrite,
            |p| p.sequential_write_mb_per_s,
        ),
        (
            "scaling-random-read",
            "Random reads over channels",
            "thousand per second",
            Load::RandomRead,
            |p| p.random_read_iops / 1e3,
        ),
        (
            "scaling-random-write",
            "Random writes over channels",
            "thousand per second",
            Load::RandomWrite,
            |p| p.random_write_iops / 1e3,
        ),
    ];
    plots.into_iter().map(|plot| scaling_figure(ofc, plot)).collect()
}

fn scaling_figure(
    ofc: &OfcResult,
    (id, title, unit, load, figure): (&'static str, &'static str, &'static str, Load, OfShape),
) -> Figure {
    let mut dies: Vec<u32> = ofc.scaling.iter().map(|point| point.shape.dies).collect();
    dies.sort_unstable();
    dies.dedup();
    let of_dies = |(index, &dies): (usize, &u32)| {
        let with = ofc.scaling.iter().filter(|point| point.shape.dies == dies);
        let mut points: Vec<_> =
            with.map(|point| (f64::from(point.shape.channels), figure(point))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        series(
            index,
            format!("{dies} {} per channel", if dies == 1 { "die" } else { "dies" }),
            points,
        )
    };
    let mut ticks: Vec<f64> =
        ofc.scaling.iter().map(|point| f64::from(point.shape.channels)).collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    let chart = lines("channels", unit, ticks, dies.iter().enumerate().map(of_dies).collect());
    let mut table = Table::new(vec![
        Column::new("channels", "Channels", ""),
        Column::new("dies", "Dies per channel", ""),
        Column::new("figure", load.label(), unit),
    ]);
    for point in &ofc.scaling {
        table.push(vec![
            Cell::Count(point.shape.channels.into()),
            Cell::Count(point.shape.dies.into()),
            Cell::real(figure(point), 2),
        ]);
    }
    let caption = match load {
        Load::SequentialRead => "The bus bounds them: a second die hides only the array's time.",
        Load::SequentialWrite => "The array bounds them, so a second die nearly doubles them.",
        Load::RandomRead => "Up to two channels the bus bounds them, then firmware's processor.",
        Load::RandomWrite => "The array bounds them, relocations included.",
    };
    Figure { id, title, caption: caption.to_owned(), chart, table }
}
