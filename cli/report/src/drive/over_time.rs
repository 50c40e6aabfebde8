//! Plots over simulated time.

use super::model::{DriveResult, Window};
use crate::chart::{Chart, HeatMap, Ink, LineChart, Marker, Scale, Series, Stroke, round_ticks};
use crate::figures::Figure;
use crate::format;
use crate::table::{Cell, Column, Table};

/// Most rows of the heat map; more dies are put together.
const HEAT_ROWS: usize = 32;

/// A unit of time in which a span has at least two digits, if any has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeAxis {
    /// Units of a second.
    pub(crate) per_s: f64,
    pub(crate) title: &'static str,
}

impl TimeAxis {
    pub(crate) fn of(span_s: f64) -> Self {
        match span_s {
            10.0.. => Self { per_s: 1.0, title: "simulated time, s" },
            0.01.. => Self { per_s: 1e3, title: "simulated time, ms" },
            _ => Self { per_s: 1e6, title: "simulated time, µs" },
        }
    }
}

/// A line over time: its name, and its value in a window where it has one.
pub(crate) type Line<'a> = (String, Ink, &'a dyn Fn(&Window) -> Option<f64>);

/// Points of a line, in stretches without a gap.
pub(crate) type Stretches = Vec<Vec<(f64, f64)>>;

/// Values at the middles of the windows, in stretches without a gap.
pub(crate) fn stretches(
    result: &DriveResult,
    axis: TimeAxis,
    value: &dyn Fn(&Window) -> Option<f64>,
) -> Stretches {
    let series = &result.series;
    let middle = |index: usize| (index as f64 + 0.5) * series.window_s * axis.per_s;
    let values: Vec<Option<(f64, f64)>> = series
        .windows
        .iter()
        .enumerate()
        .map(|(index, window)| Some((middle(index), value(window)?)))
        .collect();
    let stretches = values.split(Option::is_none).filter(|stretch| !stretch.is_empty());
    stretches.map(|stretch| stretch.iter().copied().flatten().collect()).collect()
}

/// Lines over the time of a run: label, ink and stretches of each.
pub(crate) fn over_time(
    y_title: &'static str,
    y_scale: Scale,
    axis: TimeAxis,
    span_s: f64,
    lines: Vec<(String, Ink, Stretches)>,
) -> LineChart {
    let series = lines.into_iter().flat_map(|(label, ink, stretches)| {
        stretches.into_iter().enumerate().map(move |(index, points)| Series {
            // One entry of the legend for all of a line's stretches.
            label: if index == 0 { label.clone() } else { String::new() },
            ink,
            stroke: Stroke::Solid,
            // A single point has no line.
            marker: (points.len() == 1).then_some(Marker::Circle),
            points,
        })
    });
    LineChart {
        x_title: axis.title,
        y_title,
        x_ticks: round_ticks(span_s * axis.per_s, 6),
        x_label: format::short,
        y_scale,
        series: series.collect(),
        labels: Vec::new(),
        marks: Vec::new(),
    }
}

/// The plots over time that have data, in the order of the page.
pub(super) fn figures(result: &DriveResult) -> Vec<Figure> {
    [
        rates(result),
        latencies(result),
        used(result),
        heat(result),
        amplification(result),
        levels(result, "buffer", "Pages in the buffer", "pages", |window| window.buffered_pages),
        levels(result, "free-blocks", "Free blocks", "blocks", |window| window.free_blocks),
        power(result),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn figure(
    result: &DriveResult,
    (id, title): (&'static str, &'static str),
    (y_title, y_scale): (&'static str, Scale),
    lines: &[Line],
    caption: String,
) -> Option<Figure> {
    let axis = TimeAxis::of(result.simulated_s);
    let drawn = lines
        .iter()
        .map(|(label, ink, value)| (label.clone(), *ink, stretches(result, axis, *value)));
    let mut chart = over_time(y_title, y_scale, axis, result.simulated_s, drawn.collect());
    if chart.series.is_empty() {
        return None;
    }
    if result.phases.len() > 1 {
        let mark = |phase: &super::PhaseResult| (phase.from_s * axis.per_s, phase.name.clone());
        chart.marks = result.phases.iter().map(mark).collect();
    }
    let mut columns = vec![Column::new("until_s", "Until", "s")];
    for (label, ..) in lines {
        columns.push(Column::new(crate::metrics::identifier(label), label, ""));
    }
    let mut table = Table::new(columns);
    for (index, window) in result.series.windows.iter().enumerate() {
        let until_s = (index + 1) as f64 * result.series.window_s;
        let mut row = vec![Cell::real(until_s.min(result.simulated_s), 6)];
        row.extend(lines.iter().map(|(.., value)| Cell::real_or_absent(value(window), 3)));
        table.push(row);
    }
    let table = table.without_empty_columns();
    Some(Figure { id, title, caption, chart: Chart::Lines(chart), table })
}

const READS: Ink = Ink::Series(0);
const WRITES: Ink = Ink::Series(1);

fn rates(result: &DriveResult) -> Option<Figure> {
    let shown = |traffic: &super::Traffic| traffic.requests > 0;
    let (reads, writes) = (shown(&result.reads), shown(&result.writes));
    let read = |window: &Window| reads.then_some(window.read_iops);
    let write = |window: &Window| writes.then_some(window.write_iops);
    let lines: [Line; 2] = [("reads".into(), READS, &read), ("writes".into(), WRITES, &write)];
    let caption = format!(
        "{} requests a second over the whole run of {}; windows of {}.",
        format::real(result.iops, 0),
        format::duration_ns(result.simulated_s * 1e9),
        format::duration_ns(result.series.window_s * 1e9),
    );
    figure(result, ("iops", "Requests"), ("a second", Scale::FromZero), &lines, caption)
}

fn latencies(result: &DriveResult) -> Option<Figure> {
    let lines: [Line; 4] = [
        ("reads, mean".into(), READS, &|window| window.read_mean_us),
        ("reads, p99".into(), Ink::Series(4), &|window| window.read_p99_us),
        ("writes, mean".into(), WRITES, &|window| window.write_mean_us),
        ("writes, p99".into(), Ink::Series(5), &|window| window.write_p99_us),
    ];
    let caption = "Of the requests that end in a window, from when the host wanted them.".into();
    figure(result, ("latency", "Latency"), ("µs", Scale::Log), &lines, caption)
}

fn used(result: &DriveResult) -> Option<Figure> {
    let lines: [Line; 2] = [
        ("dies".into(), Ink::Series(2), &|window| Some(100.0 * window.die_use)),
        ("channels".into(), Ink::Series(3), &|window| Some(100.0 * window.channel_use)),
    ];
    let caption = format!(
        "Mean over all of them; over the whole run dies work {} % of the time, channels carry \
         something {} %.",
        format::real(100.0 * result.flash.mean_die_use(), 1),
        format::real(100.0 * result.flash.mean_channel_use(), 1),
    );
    let y = ("per cent in use", Scale::FromZero);
    figure(result, ("use", "Use of dies and channels"), y, &lines, caption)
}

fn amplification(result: &DriveResult) -> Option<Figure> {
    let lines: [Line; 1] =
        [("write amplification".into(), WRITES, &|window| window.write_amplification)];
    let ratio = result.firmware.write_amplification?;
    let caption = format!(
        "Pages programmed for each page that the host wrote; {} over the whole run.",
        format::real(ratio, 3)
    );
    let y = ("pages a page", Scale::FromZero);
    figure(result, ("write-amplification", "Write amplification"), y, &lines, caption)
}

fn levels(
    result: &DriveResult,
    id: &'static str,
    title: &'static str,
    unit: &'static str,
    level: fn(&Window) -> u32,
) -> Option<Figure> {
    let values = || result.series.windows.iter().map(level);
    let (least, most) = (values().min()?, values().max()?);
    // A level that never changes says nothing.
    if least == most {
        return None;
    }
    let value = |window: &Window| Some(f64::from(level(window)));
    let lines: [Line; 1] = [(title.to_lowercase(), Ink::Series(0), &value)];
    let caption = format!(
        "At the end of each window; from {} to {} {unit}.",
        format::count(least.into()),
        format::count(most.into())
    );
    figure(result, (id, title), (unit, Scale::FromZero), &lines, caption)
}

fn power(result: &DriveResult) -> Option<Figure> {
    let lines: [Line; 1] = [("power".into(), Ink::Series(3), &|window| window.power_w)];
    let caption = format!(
        "Mean of each window, all components; {} W over the whole run.",
        format::real(result.energy_j() / result.simulated_s, 3)
    );
    figure(result, ("power", "Power"), ("W", Scale::FromZero), &lines, caption)
}

/// Dies with their names by channel, neighbours put together where there are many.
fn heat_rows(result: &DriveResult) -> Vec<(String, Vec<f64>)> {
    let channels = result.drive.channels as usize;
    let mut dies: Vec<(usize, usize, &Vec<f64>)> = result
        .series
        .die_use
        .iter()
        .enumerate()
        .map(|(index, shares)| (index % channels, index / channels, shares))
        .collect();
    dies.sort_by_key(|&(channel, die, _)| (channel, die));
    let together = dies.len().div_ceil(HEAT_ROWS).max(1);
    let row = |group: &[(usize, usize, &Vec<f64>)]| {
        let (channel, die, first) = group[0];
        let mean = |window: usize| {
            group.iter().map(|(.., shares)| shares[window]).sum::<f64>() / group.len() as f64
        };
        (format!("ch {channel} die {die}"), (0..first.len()).map(mean).collect())
    };
    dies.chunks(together).map(row).collect()
}

fn heat(result: &DriveResult) -> Option<Figure> {
    let rows = heat_rows(result);
    let windows = result.series.windows.len();
    if windows == 0 || rows.is_empty() {
        return None;
    }
    let axis = TimeAxis::of(result.simulated_s);
    let x_high = windows as f64 * result.series.window_s * axis.per_s;
    let used = &result.flash.dies_used;
    let (least, most) =
        used.iter().fold((f64::MAX, 0.0_f64), |(least, most), &x| (least.min(x), most.max(x)));
    let together = result.series.die_use.len().div_ceil(HEAT_ROWS);
    let grouped = match together {
        ..2 => String::new(),
        _ => format!(" Each row is {together} dies."),
    };
    let caption = format!(
        "Share of each window in which a die's array works. Over the whole run the least used die \
         works {} % of the time, the most used one {} %.{grouped}",
        format::real(100.0 * least, 1),
        format::real(100.0 * most, 1),
    );
    let mut columns = vec![Column::new("until_s", "Until", "s")];
    columns.extend(rows.iter().map(|(name, _)| {
        Column::new(format!("{}_ratio", crate::metrics::identifier(name)), name, "")
    }));
    let mut table = Table::new(columns);
    for window in 0..windows {
        let until_s = ((window + 1) as f64 * result.series.window_s).min(result.simulated_s);
        let cells = rows.iter().map(|(_, shares)| Cell::real(shares[window], 3));
        table.push([Cell::real(until_s, 6)].into_iter().chain(cells).collect());
    }
    let chart = Chart::Heat(HeatMap {
        x_title: axis.title,
        y_title: "",
        x_high,
        x_ticks: round_ticks(x_high, 6),
        x_label: format::short,
        rows,
    });
    Some(Figure { id: "dies", title: "Dies at work", caption, chart, table })
}

/// All of the windows.
pub(super) fn series_table(result: &DriveResult) -> Table {
    let mut table = Table::new(vec![
        Column::new("until_s", "Until", "s"),
        Column::new("read_iops", "Reads", "1/s"),
        Column::new("write_iops", "Writes", "1/s"),
        Column::new("read_mean_us", "Reads, mean", "µs"),
        Column::new("read_p99_us", "Reads, p99", "µs"),
        Column::new("write_mean_us", "Writes, mean", "µs"),
        Column::new("write_p99_us", "Writes, p99", "µs"),
        Column::new("write_amplification_ratio", "Write amplification", ""),
        Column::new("buffered_pages", "Buffer", "pages"),
        Column::new("free_blocks", "Free blocks", ""),
        Column::new("channel_use_ratio", "Channels", ""),
        Column::new("die_use_ratio", "Dies", ""),
        Column::new("power_w", "Power", "W"),
    ]);
    for (index, window) in result.series.windows.iter().enumerate() {
        let until_s = ((index + 1) as f64 * result.series.window_s).min(result.simulated_s);
        table.push(vec![
            Cell::real(until_s, 6),
            Cell::real(window.read_iops, 1),
            Cell::real(window.write_iops, 1),
            Cell::real_or_absent(window.read_mean_us, 3),
            Cell::real_or_absent(window.read_p99_us, 3),
            Cell::real_or_absent(window.write_mean_us, 3),
            Cell::real_or_absent(window.write_p99_us, 3),
            Cell::real_or_absent(window.write_amplification, 4),
            Cell::Count(window.buffered_pages.into()),
            Cell::Count(window.free_blocks.into()),
            Cell::real(window.channel_use, 4),
            Cell::real(window.die_use, 4),
            Cell::real_or_absent(window.power_w, 4),
        ]);
    }
    table.without_empty_columns()
}
