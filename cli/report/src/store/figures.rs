//! The plots of a stored file, each with its caption and its data.

use super::model::{EngineRun, Interface, ModeLatency, Steps, StoreResult};
use crate::chart::{Chart, Ink, Layer, LineChart, Scale, StackedBars};
use crate::figures::{Figure, series};
use crate::format;
use crate::table::{Cell, Column, Table};

/// The figures that have data, in the order of the page.
pub(super) fn all(store: &StoreResult) -> Vec<Figure> {
    let latencies = [Interface::Sdr, Interface::NvDdr];
    [
        budget(store, "page-read", "Where a page read spends its time", |run| run.read),
        budget(store, "page-program", "Where a page program spends its time", |run| run.write),
        corrected(store),
        bus(store),
    ]
    .into_iter()
    .chain(latencies.into_iter().filter_map(|interface| over_strength(store, interface)))
    .collect()
}

/// The steps of a page on every engine.
pub(super) fn steps_table(store: &StoreResult) -> Table {
    let mut columns = vec![Column::new("step", "Step", "")];
    for (way, title) in [("program", "Program"), ("read", "Read")] {
        for run in &store.engines {
            let (key, label) = (run.engine.key(), run.engine.label());
            columns.push(Column::new(format!("{way}_{key}_us"), format!("{title}, {label}"), "µs"));
        }
    }
    let mut table = Table::new(columns);
    let pick: [fn(&EngineRun) -> Steps; 2] = [|run| run.write, |run| run.read];
    let values = |figure: &dyn Fn(&Steps) -> f64, decimals| {
        let cell = move |steps: Steps| Cell::real(figure(&steps), decimals);
        let of = |pick: fn(&EngineRun) -> Steps| {
            store.engines.iter().map(move |run| cell(pick(run))).collect::<Vec<_>>()
        };
        pick.into_iter().flat_map(of).collect::<Vec<_>>()
    };
    let names = store.engines[0].read.named().map(|(name, _)| name);
    for (index, name) in names.into_iter().enumerate() {
        let mut row = vec![Cell::text(name)];
        row.extend(values(&|steps| steps.named()[index].1, 3));
        table.push(row);
    }
    let mut sum = vec![Cell::text("one page")];
    sum.extend(values(&Steps::sum_us, 3));
    table.push(sum);
    let mut whole = vec![Cell::text("whole file, all dies")];
    whole.extend(values(&|steps| steps.span_us, 0));
    table.push(whole);
    table
}

/// A page's steps, an engine a bar.
fn budget(
    store: &StoreResult,
    id: &'static str,
    title: &'static str,
    pick: fn(&EngineRun) -> Steps,
) -> Figure {
    let steps: Vec<Steps> = store.engines.iter().map(pick).collect();
    let names = steps[0].named().map(|(name, _)| name);
    let layer = |(index, name): (usize, &str)| Layer {
        label: name.to_owned(),
        ink: Ink::Series(index as u8),
        values: steps.iter().map(|steps| steps.named()[index].1).collect(),
    };
    let layers = names.into_iter().enumerate().map(layer).collect();
    let chart = Chart::Bars(StackedBars {
        x_title: "",
        y_title: "µs a page",
        categories: store.engines.iter().map(|run| run.engine.label().to_owned()).collect(),
        layers,
        total: |us| format!("{} µs", format::real(us, 1)),
        marked: None,
    });
    let mut table = Table::new(
        [Column::new("step", "Step", "")]
            .into_iter()
            .chain(store.engines.iter().map(|run| {
                Column::new(format!("{}_us", run.engine.key()), run.engine.label(), "µs")
            }))
            .collect(),
    );
    for (index, name) in names.into_iter().enumerate() {
        let cells = steps.iter().map(|steps| Cell::real(steps.named()[index].1, 3));
        table.push([Cell::text(name)].into_iter().chain(cells).collect());
    }
    let (largest, share) = steps[0]
        .named()
        .into_iter()
        .map(|(name, us)| (name, us / steps[0].sum_us()))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .expect("there are steps");
    let beside = match steps[..] {
        [first, second] => format!(
            " Model and RTL differ by {} %.",
            format::real((first.sum_us() / second.sum_us() - 1.0).abs() * 100.0, 2)
        ),
        _ => String::new(),
    };
    let caption = format!(
        "Mean over the {} pages of the file. The largest part is {largest}, {} %.{beside}",
        store.device.pages,
        format::real(share * 100.0, 0),
    );
    Figure { id, title, caption, chart, table }
}

/// Codewords by the bits corrected in them.
fn corrected(store: &StoreResult) -> Figure {
    let most = store.corrected.last().map_or(0, |count| count.bits);
    let of = |bits: u32| {
        let found = store.corrected.iter().find(|count| count.bits == bits);
        found.map_or(0, |count| count.codewords)
    };
    let counts: Vec<u64> = (0..=most).map(of).collect();
    let chart = Chart::Bars(StackedBars {
        x_title: "bits corrected in a codeword",
        y_title: "codewords",
        categories: (0..=most).map(|bits| bits.to_string()).collect(),
        layers: vec![Layer {
            label: "codewords".to_owned(),
            ink: Ink::Series(0),
            values: counts.iter().map(|&count| count as f64).collect(),
        }],
        total: |count| format::real(count, 0),
        marked: None,
    });
    let mut table = Table::new(vec![
        Column::new("corrected_bits", "Corrected", "bits"),
        Column::new("codewords", "Codewords", ""),
    ]);
    for (bits, &count) in counts.iter().enumerate() {
        table.push(vec![Cell::Count(bits as u64), Cell::Count(count)]);
    }
    let all: u64 = counts.iter().sum();
    let wrong: u64 = counts.iter().zip(0..).map(|(count, bits)| count * bits).sum();
    let caption = format!(
        "{} bits in {} codewords, {} in the worst of them, of the {} that strength {} corrects.",
        format::count(wrong),
        format::count(all),
        most,
        store.device.strength,
        store.device.strength,
    );
    Figure { id: "corrected", title: "Bits corrected", caption, chart, table }
}

/// What the bus was used for.
fn bus(store: &StoreResult) -> Figure {
    let mut table = Table::new(vec![
        Column::new("phase", "Phase", ""),
        Column::new("data_percent", "Data", "%"),
        Column::new("command_percent", "Commands, addresses, gaps", "%"),
        Column::new("idle_percent", "Idle", "%"),
    ]);
    let mut categories = Vec::new();
    let mut shares: [Vec<f64>; 3] = Default::default();
    for run in &store.engines {
        for (way, steps) in [("write", run.write), ("read", run.read)] {
            let (data, command) = (100.0 * steps.data_share, 100.0 * steps.command_share);
            let all = [data, command, (100.0 - data - command).max(0.0)];
            let phase = format!("{way}, {}", run.engine.label());
            let cells = all.map(|share| Cell::real(share, 1));
            table.push([Cell::text(&phase)].into_iter().chain(cells).collect());
            categories.push(phase);
            shares.iter_mut().zip(all).for_each(|(layer, share)| layer.push(share));
        }
    }
    let [data, command, idle] = shares;
    let caption = format!(
        "Share of the time from the first page's beginning to the last one's end. While the file \
         is read, data are on the bus for {} % of the time.",
        format::real(data[1], 1),
    );
    let layer = |label: &str, ink, values| Layer { label: label.to_owned(), ink, values };
    let chart = Chart::Bars(StackedBars {
        x_title: "",
        y_title: "per cent of the time",
        categories,
        layers: vec![
            layer("data and status", Ink::Series(0), data),
            layer("commands, addresses, gaps", Ink::Series(5), command),
            layer("idle", Ink::Grid, idle),
        ],
        total: |_| String::new(),
        marked: None,
    });
    Figure { id: "bus", title: "Use of the bus", caption, chart, table }
}

/// Page read latency over the strength, a line for each mode of an interface.
fn over_strength(store: &StoreResult, interface: Interface) -> Option<Figure> {
    let modes: Vec<&ModeLatency> =
        store.modes.iter().filter(|mode| mode.interface == interface).collect();
    let (fastest, first) = (modes.last()?, modes.first()?);
    let label = |mode: &ModeLatency| format!("{} {}", interface.label(), mode.mode);
    let line = |(index, mode): (usize, &&ModeLatency)| {
        let points = mode.points.iter().map(|point| (f64::from(point.t.0), point.corrected_us));
        series(index, label(mode), points.collect())
    };
    let strengths = first.points.iter().map(|point| f64::from(point.t.0)).collect();
    let own = f64::from(store.device.strength.0);
    let chart = Chart::Lines(LineChart {
        x_title: "strength t (bit errors corrected per codeword)",
        y_title: "µs",
        x_ticks: strengths,
        x_label: format::whole,
        y_scale: Scale::FromZero,
        series: modes.iter().enumerate().map(line).collect(),
        labels: Vec::new(),
        marks: vec![(own, format!("device t = {own}"))],
    });
    let mut table = Table::new(vec![
        Column::new("mode", "Mode", ""),
        Column::new("controller_mhz", "Controller", "MHz"),
        Column::new("t", "t", ""),
        Column::new("clean_us", "No error", "µs"),
        Column::new("corrected_us", "An error in every codeword", "µs"),
    ]);
    for mode in &modes {
        for point in &mode.points {
            table.push(vec![
                Cell::text(label(mode)),
                Cell::real(mode.controller_mhz, 0),
                Cell::Count(point.t.0.into()),
                Cell::real(point.clean_us, 2),
                Cell::real(point.corrected_us, 2),
            ]);
        }
    }
    let ends = [fastest.points.first()?, fastest.points.last()?];
    let caption = format!(
        "From firmware's request for one page to its corrected data, with an error in every \
         codeword; transaction-level models, one die. In {} it grows from {} µs at t = {} to {} \
         µs at t = {}: a stronger code sends more parity and solves longer.",
        label(fastest),
        format::real(ends[0].corrected_us, 1),
        ends[0].t,
        format::real(ends[1].corrected_us, 1),
        ends[1].t,
    );
    let same = match interface {
        Interface::Sdr => "",
        Interface::NvDdr => " Modes coincide where the controller's clock gives them one CLK.",
    };
    let caption = caption + same;
    let (id, title) = match interface {
        Interface::Sdr => ("strength-sdr", "Strength against page read latency, SDR"),
        Interface::NvDdr => ("strength-nv-ddr", "Strength against page read latency, NV-DDR"),
    };
    Some(Figure { id, title, caption, chart, table })
}
