//! The plots of a drive, each with its caption and its data, and the tables beside them.

use super::model::{ComponentEnergy, DriveResult, Ladder, Latency, Traffic};
use super::over_time;
use crate::chart::{Chart, Ink, Layer, LineChart, Scale, StackedBars};
use crate::figures::{Figure, series};
use crate::format;
use crate::table::{Cell, Column, Table};

/// All figures that have data, in the order of the page.
pub(super) fn all(result: &DriveResult) -> Vec<Figure> {
    latency(result).into_iter().chain(over_time::figures(result)).chain(energy(result)).collect()
}

/// Figures of latency.
pub(super) fn latency(result: &DriveResult) -> Vec<Figure> {
    let slow = [
        ("slow-reads", "What fast and slow reads spend their time on", &result.reads),
        ("slow-writes", "What fast and slow writes spend their time on", &result.writes),
    ];
    let slow = slow.into_iter().filter_map(|(id, title, traffic)| classes(id, title, traffic));
    [parts(result), percentiles(result)].into_iter().chain(slow).collect()
}

/// Kinds of requests that there are.
fn kinds(result: &DriveResult) -> Vec<(&'static str, &Traffic)> {
    result.kinds().into_iter().filter(|(_, traffic)| traffic.requests > 0).collect()
}

/// Latencies by kind.
pub(super) fn latency_table(result: &DriveResult) -> Table {
    let mut table = Table::new(vec![
        Column::new("kind", "Requests", ""),
        Column::new("requests", "Count", ""),
        Column::new("mb_per_s", "Data", "MB/s"),
        Column::new("mean_us", "Mean", "µs"),
        Column::new("p50_us", "p50", "µs"),
        Column::new("p90_us", "p90", "µs"),
        Column::new("p99_us", "p99", "µs"),
        Column::new("p99_9_us", "p99.9", "µs"),
        Column::new("p99_99_us", "p99.99", "µs"),
        Column::new("max_us", "Longest", "µs"),
    ]);
    for (kind, traffic) in kinds(result) {
        let Some(latency) = traffic.latency_us else { continue };
        let mut row = vec![
            Cell::text(kind),
            Cell::Count(traffic.requests),
            Cell::real(traffic.mb_per_s, 1),
            Cell::real(latency.mean, 1),
        ];
        row.extend(latency.percentiles().map(|(.., value)| Cell::real(value, 1)));
        table.push(row);
    }
    table
}

/// What the phases came to.
pub(super) fn phases_table(result: &DriveResult) -> Table {
    let mut columns = vec![
        Column::new("phase", "Phase", ""),
        Column::new("from_s", "From", "s"),
        Column::new("until_s", "Until", "s"),
        Column::new("reads", "Reads", ""),
        Column::new("writes", "Writes", ""),
        Column::new("iops", "Requests", "1/s"),
        Column::new("mb_per_s", "Data", "MB/s"),
        Column::new("read_mean_us", "Reads, mean", "µs"),
        Column::new("read_p99_us", "Reads, p99", "µs"),
        Column::new("write_mean_us", "Writes, mean", "µs"),
        Column::new("write_p99_us", "Writes, p99", "µs"),
        Column::new("write_amplification_ratio", "Write amplification", ""),
    ];
    for ComponentEnergy { component, .. } in &result.energy {
        let key = format!("{}_j", crate::metrics::identifier(component));
        columns.push(Column::new(key, component, "J"));
    }
    let mut table = Table::new(columns);
    for phase in &result.phases {
        let mut row = vec![
            Cell::text(&phase.name),
            Cell::real(phase.from_s, 6),
            Cell::real(phase.until_s, 6),
            Cell::Count(phase.reads),
            Cell::Count(phase.writes),
            Cell::real(phase.iops, 0),
            Cell::real(phase.mb_per_s, 1),
        ];
        for latency in [&phase.reads_us, &phase.writes_us] {
            let figure = |of: fn(&Latency) -> f64| latency.as_ref().map(of);
            row.push(Cell::real_or_absent(figure(|of| of.mean), 1));
            row.push(Cell::real_or_absent(figure(|of| of.p99), 1));
        }
        row.push(Cell::real_or_absent(phase.write_amplification, 3));
        row.extend(phase.energy.iter().map(|component| Cell::real(component.energy_j, 4)));
        table.push(row);
    }
    table.without_empty_columns()
}

/// Blocks by the strength of their code.
pub(super) fn ladder_table(ladder: &Ladder) -> Table {
    let mut table = Table::new(vec![
        Column::new("strength_bits", "Corrected in a codeword", "bits"),
        Column::new("blocks", "Blocks", ""),
    ]);
    for level in &ladder.levels {
        table.push(vec![Cell::Count(level.strength_bits.into()), Cell::Count(level.blocks.into())]);
    }
    table
}

/// Shares of the parts of the mean latency, a bar for each kind.
fn parts(result: &DriveResult) -> Figure {
    let kinds = kinds(result);
    let categories = kinds.iter().map(|(kind, traffic)| {
        let mean_us = traffic.latency_us.map_or(0.0, |latency| latency.mean);
        format!("{kind}, {}", format::duration_ns(1e3 * mean_us))
    });
    let means: Vec<Vec<f64>> = kinds
        .iter()
        .map(|(_, traffic)| traffic.parts.iter().map(|part| part.mean_us).collect())
        .collect();
    let names: Vec<&str> = result.reads.parts.iter().map(|part| part.part.as_str()).collect();
    let mut columns = vec![Column::new("part", "Part", "")];
    columns.extend(kinds.iter().map(|(kind, _)| Column::new(format!("{kind}_us"), *kind, "µs")));
    let mut table = Table::new(columns);
    for (index, name) in names.iter().enumerate() {
        let cells = means.iter().map(|means| Cell::real(means[index], 3));
        table.push([Cell::text(*name)].into_iter().chain(cells).collect());
    }
    let caption = kinds.iter().filter_map(|(kind, traffic)| {
        let total_us = traffic.latency_us?.mean;
        let largest = traffic.parts.iter().max_by(|a, b| a.mean_us.total_cmp(&b.mean_us))?;
        let share = format::real(100.0 * largest.mean_us / total_us, 0);
        Some(format!("Of {kind} the largest part is {}, {share} %. ", largest.part))
    });
    let caption = caption.collect::<String>()
        + "Of a request of several pages the one that ends last counts; the parts add up.";
    let chart = shares(categories.collect(), &names, &means);
    Figure { id: "parts", title: "Where the latency goes", caption, chart, table }
}

/// Bars of shares in per cent.
fn shares(categories: Vec<String>, names: &[&str], values: &[Vec<f64>]) -> Chart {
    let totals: Vec<f64> = values.iter().map(|values| values.iter().sum()).collect();
    let layer = |(index, name): (usize, &&str)| Layer {
        label: (*name).to_owned(),
        ink: Ink::Part((index % usize::from(Ink::PART_COUNT)) as u8),
        values: values
            .iter()
            .zip(&totals)
            .map(|(values, total)| 100.0 * values[index] / total.max(f64::MIN_POSITIVE))
            .collect(),
    };
    let layers = names.iter().enumerate().map(layer);
    Chart::Bars(StackedBars {
        x_title: "",
        y_title: "per cent of the latency",
        categories,
        // A part that nobody has would only lengthen the legend.
        layers: layers.filter(|layer| layer.values.iter().any(|share| *share >= 0.05)).collect(),
        total: |_| String::new(),
        marked: None,
    })
}

/// The parts of requests by how long these took.
fn classes(id: &'static str, title: &'static str, traffic: &Traffic) -> Option<Figure> {
    if traffic.classes.len() < 2 {
        return None;
    }
    let names: Vec<&str> = traffic.parts.iter().map(|part| part.part.as_str()).collect();
    let label = |us: f64| match us {
        0.0..1e3 => format!("{} µs", format::real(us, 0)),
        _ => format!("{} ms", format::real(us / 1e3, usize::from(us < 1e4))),
    };
    let categories = traffic.classes.iter().map(|class| label(class.from_us)).collect();
    let values: Vec<Vec<f64>> =
        traffic.classes.iter().map(|class| class.parts_us.clone()).collect();
    let mut columns =
        vec![Column::new("from_us", "From", "µs"), Column::new("requests", "Requests", "")];
    columns.extend(
        names.iter().map(|name| {
            Column::new(format!("{}_us", crate::metrics::identifier(name)), *name, "µs")
        }),
    );
    let mut table = Table::new(columns);
    for class in &traffic.classes {
        let mut row = vec![Cell::real(class.from_us, 3), Cell::Count(class.requests)];
        row.extend(class.parts_us.iter().map(|us| Cell::real(*us, 3)));
        table.push(row);
    }
    let slowest = traffic.classes.last()?;
    let (index, us) = slowest.parts_us.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    let total: f64 = slowest.parts_us.iter().sum();
    let caption = format!(
        "Bars are requests that took from so long on up to twice as long. The slowest {} spend \
         {} % of it on {}.",
        format::count(slowest.requests),
        format::real(100.0 * us / total, 0),
        names[index],
    );
    let mut chart = shares(categories, &names, &values);
    if let Chart::Bars(bars) = &mut chart {
        bars.x_title = "latency from";
    }
    Some(Figure { id, title, caption, chart, table })
}

const PERCENTILES: [&str; 6] = ["p50", "p90", "p99", "p99.9", "p99.99", "max"];

fn percentiles(result: &DriveResult) -> Figure {
    let kinds = kinds(result);
    let line = |(index, (kind, traffic)): (usize, &(&str, &Traffic))| {
        let latency = traffic.latency_us?;
        let values = latency.percentiles().map(|(.., value)| value);
        let points = (0..).map(f64::from).zip(values).collect();
        Some(series(index, *kind, points))
    };
    let chart = Chart::Lines(LineChart {
        x_title: "share of the requests that take no longer",
        y_title: "µs",
        x_ticks: (0..6).map(f64::from).collect(),
        x_label: |x| PERCENTILES[(x as usize).min(5)].to_owned(),
        y_scale: Scale::Log,
        series: kinds.iter().enumerate().filter_map(line).collect(),
        labels: Vec::new(),
        marks: Vec::new(),
    });
    let ratio = kinds.iter().filter_map(|(kind, traffic)| {
        let latency = traffic.latency_us?;
        let ratio = format::real(latency.p99_9 / latency.p50, 1);
        Some(format!("One in a thousand {kind} takes {ratio} times the median or longer. "))
    });
    Figure {
        id: "percentiles",
        title: "Latency percentiles",
        caption: ratio.collect(),
        chart,
        table: latency_table(result),
    }
}

/// Energy by component, a bar for the run and one for each phase.
pub(super) fn energy(result: &DriveResult) -> Option<Figure> {
    if result.energy.is_empty() {
        return None;
    }
    let mut spans: Vec<(String, f64, &Vec<ComponentEnergy>)> =
        vec![("whole run".to_owned(), result.simulated_s, &result.energy)];
    if result.phases.len() > 1 {
        spans.extend(
            result
                .phases
                .iter()
                .map(|phase| (phase.name.clone(), phase.until_s - phase.from_s, &phase.energy)),
        );
    }
    let watts = |joules: f64, span_s: f64| if span_s > 0.0 { joules / span_s } else { 0.0 };
    let layer = |(index, component): (usize, &ComponentEnergy)| Layer {
        label: component.component.clone(),
        ink: Ink::Series((index % usize::from(Ink::SERIES_COUNT)) as u8),
        values: spans
            .iter()
            .map(|(_, span_s, energy)| watts(energy[index].energy_j, *span_s))
            .collect(),
    };
    let layers = result.energy.iter().enumerate().map(layer).collect();
    let mut table = Table::new(vec![
        Column::new("component", "Component", ""),
        Column::new("energy_j", "Energy", "J"),
        Column::new("power_w", "Mean power", "W"),
        Column::new("share_percent", "Share", "%"),
    ]);
    let total_j = result.energy_j();
    let all = ComponentEnergy { component: "all".to_owned(), energy_j: total_j };
    for ComponentEnergy { component, energy_j } in result.energy.iter().chain([&all]) {
        table.push(vec![
            Cell::text(component),
            Cell::real(*energy_j, 4),
            Cell::real(watts(*energy_j, result.simulated_s), 4),
            Cell::real(100.0 * energy_j / total_j.max(f64::MIN_POSITIVE), 1),
        ]);
    }
    let caption = format!(
        "{} J in {}; {} µJ a request.",
        format::real(total_j, 3),
        format::duration_ns(result.simulated_s * 1e9),
        format::real(1e6 * total_j / result.requests.max(1) as f64, 1),
    );
    let chart = Chart::Bars(StackedBars {
        x_title: "",
        y_title: "mean power, W",
        categories: spans.iter().map(|(name, ..)| name.clone()).collect(),
        layers,
        total: |watts| format!("{} W", format::real(watts, 2)),
        marked: None,
    });
    Some(Figure { id: "energy", title: "Energy by component", caption, chart, table })
}
