//! How long a codeword waits for its encoder and its decoder.

use std::collections::BTreeSet;

use super::{Figure, View, reference, series, verdict};
use crate::chart::{Ink, Marker, Scale, Series, Stroke};
use crate::derived::{FIRST_WORD_BOUND_CLOCKS, nanoseconds};
use crate::format;
use crate::model::{DecodeMeasure, ErrorLoad, LatencyStats, Point};
use crate::table::{Cell, Column, Table};

/// Latency of the encoder beside the words of the codeword.
pub(super) fn encode(view: &View) -> Option<Figure> {
    let longest = |point: &Point| point.encode.latency.max_clocks.0 as f64;
    let words = |point: &Point| point.codeword_words().0 as f64;
    let last = view.last();
    let caption = format!(
        "Longest time from the first data word in to the last codeword word out. A codeword at \
         t = {} has {} words at {} bits per clock and takes {} clocks ({}); without errors to \
         search for, the strength costs only its parity words.",
        last.t,
        format::count(last.codeword_words().0),
        last.code.p,
        format::real(longest(last), 0),
        format::duration_ns(nanoseconds(longest(last), view.clock_mhz())),
    );
    let columns = vec![
        Column::new("encode_min_clocks", "Min", "clocks"),
        Column::new("encode_mean_clocks", "Mean", "clocks"),
        Column::new("encode_p99_clocks", "p99", "clocks"),
        Column::new("encode_max_clocks", "Max", "clocks"),
        Column::new("codeword_words", "Limit", "words"),
        Column::new("encode_mean_ns", "Mean", "ns"),
    ];
    let table = view.table(columns, |point| {
        let stats = &point.encode.latency;
        vec![
            Cell::Count(stats.min_clocks.0),
            Cell::real(stats.mean_clocks, 1),
            Cell::Count(stats.p99_clocks.0),
            Cell::Count(stats.max_clocks.0),
            Cell::Count(point.codeword_words().0),
            Cell::real(nanoseconds(stats.mean_clocks, view.clock_mhz()), 0),
        ]
    });
    let lines = vec![
        series(0, "measured maximum", view.line(|point| Some(longest(point)))),
        reference(Ink::Series(1), "limit ⌈k/P⌉ + ⌈r/P⌉", view.line(|point| Some(words(point)))),
    ];
    let chart = view.over_strength("clocks", Scale::Fitted, lines);
    Some(Figure { id: "encode", title: "Encode latency", caption, chart, table })
}

/// Latency to the first corrected word, by number of errors.
pub(super) fn first_word(view: &View) -> Option<Figure> {
    let stats = |measure: &DecodeMeasure| measure.first_word.clone();
    let clean_max = longest(view, ErrorLoad::Zero, stats)?;
    let full = |point| mean(point, ErrorLoad::Full, stats);
    let within = if clean_max <= FIRST_WORD_BOUND_CLOCKS.0 { "within" } else { "over" };
    let caption = format!(
        "Mean clocks from the last codeword word in to the first corrected word out. An \
         error-free codeword starts to leave after at most {clean_max} clocks at any strength, \
         {within} the bound of {FIRST_WORD_BOUND_CLOCKS}; with t errors the wait grows with the \
         key equation, to {} clocks at t = {}.",
        format::real(full(view.last())?, 0),
        view.last().t,
    );
    Some(by_errors(view, "first-word", "Wait for the first word", caption, stats))
}

/// Latency to the last corrected word, by number of errors.
pub(super) fn last_word(view: &View) -> Option<Figure> {
    let stats = |measure: &DecodeMeasure| measure.last_word.clone();
    let (first, last) = (view.first(), view.last());
    let clean = mean(last, ErrorLoad::Zero, stats)?;
    let full = mean(last, ErrorLoad::Full, stats)?;
    let caption = format!(
        "Mean clocks from the last codeword word in to the last corrected word out. At t = {} a \
         codeword full of errors takes {} clocks ({}), {} more than an error-free one; at t = {} \
         it takes {}.",
        last.t,
        format::real(full, 0),
        format::duration_ns(nanoseconds(full, view.clock_mhz())),
        format::real(full - clean, 0),
        first.t,
        format::real(mean(first, ErrorLoad::Full, stats)?, 0),
    );
    Some(by_errors(view, "last-word", "Decode latency by number of errors", caption, stats))
}

fn by_errors(
    view: &View,
    id: &'static str,
    title: &'static str,
    caption: String,
    stats: impl Fn(&DecodeMeasure) -> LatencyStats + Copy,
) -> Figure {
    let line = |(index, load): (usize, ErrorLoad)| Series {
        label: load.label().into(),
        ink: Ink::Ramp(index as u8),
        stroke: Stroke::Solid,
        marker: Some(Marker::ALL[index]),
        points: view.line(|point| mean(point, load, stats)),
    };
    let lines = ErrorLoad::ALL.into_iter().enumerate().map(line).collect();
    let chart = view.over_strength("clocks", Scale::Fitted, lines);
    Figure { id, title, caption, chart, table: spread_table(view, stats) }
}

/// Minimum, mean, 99th percentile and maximum by strength and load, and the mean in ns.
fn spread_table(view: &View, stats: impl Fn(&DecodeMeasure) -> LatencyStats) -> Table {
    let mut table = Table::new(vec![
        Column::new("t", "t", ""),
        Column::new("errors", "Errors", ""),
        Column::new("codewords", "Codewords", ""),
        Column::new("latency_min_clocks", "Min", "clocks"),
        Column::new("latency_mean_clocks", "Mean", "clocks"),
        Column::new("latency_p99_clocks", "p99", "clocks"),
        Column::new("latency_max_clocks", "Max", "clocks"),
        Column::new("latency_mean_ns", "Mean", "ns"),
    ]);
    for point in &view.points {
        for measure in &point.decode {
            let stats = stats(measure);
            table.push(vec![
                Cell::Count(u64::from(point.t.0)),
                Cell::Count(u64::from(measure.errors)),
                Cell::Count(stats.codewords),
                Cell::Count(stats.min_clocks.0),
                Cell::real(stats.mean_clocks, 1),
                Cell::Count(stats.p99_clocks.0),
                Cell::Count(stats.max_clocks.0),
                Cell::real(nanoseconds(stats.mean_clocks, view.clock_mhz()), 0),
            ]);
        }
    }
    table
}

/// Measured worst case beside the architectural limit, the bound and a published decoder.
pub(super) fn against_limit(view: &View) -> Option<Figure> {
    let longest = |point: &Point| {
        let full = point.decode_at(ErrorLoad::Full)?;
        Some(full.last_word.max_clocks.0 as f64)
    };
    let limit = |point: &Point| point.limit_clocks().0 as f64;
    let bound = |point: &Point| point.bound_clocks().0 as f64;
    let published = |point: &Point| published_clocks(view, point);
    let excess = view
        .points
        .iter()
        .filter_map(|point| Some((point.t, longest(point)? - limit(point))))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let missed = view.points.iter().filter(|p| longest(p).is_some_and(|l| l > bound(p))).count();
    let mut lines = vec![
        series(0, "measured maximum, t errors", view.line(longest)),
        reference(Ink::Series(1), "limit t + 1 + ⌈k/P_C⌉ + 2", view.line(|p| Some(limit(p)))),
        reference(
            Ink::Series(3),
            "bound: key equation + ⌈k/P_C⌉ + 8",
            view.line(|p| Some(bound(p))),
        ),
    ];
    if view.points.iter().any(|point| published(point).is_some()) {
        lines.push(series(2, "bch_verilog, parallel solver", view.line(published)));
    }
    let caption = format!(
        "Longest wait for the last corrected word with t errors, beside what the architecture \
         allows at best. The largest distance to the limit is {} clocks, at t = {}; {}.",
        format::real(excess.1, 0),
        excess.0,
        verdict(missed),
    );
    let columns = vec![
        Column::new("measured_max_clocks", "Measured", "clocks"),
        Column::new("limit_clocks", "Limit", "clocks"),
        Column::new("bound_clocks", "Bound", "clocks"),
        Column::new("key_equation_clocks", "Key equation", "clocks"),
        Column::new("status_max_clocks", "Status", "clocks"),
        Column::new("bch_verilog_parallel_clocks", "bch_verilog", "clocks"),
    ];
    let table = view.table(columns, |point| {
        vec![
            Cell::real_or_absent(longest(point), 0),
            Cell::Count(point.limit_clocks().0),
            Cell::Count(point.bound_clocks().0),
            Cell::Count(point.key_equation_clocks.0),
            Cell::Count(status_max(point)),
            Cell::real_or_absent(published(point), 0),
        ]
    });
    let chart = view.over_strength("clocks", Scale::Fitted, lines);
    Some(Figure { id: "limit", title: "Measured latency and its limit", caption, chart, table })
}

/// Decode time beside that of a published controller.
pub(super) fn against_published(view: &View) -> Option<Figure> {
    let ours_us = |point: &Point| {
        let full = point.decode_at(ErrorLoad::Full)?;
        Some(nanoseconds(full.last_word.mean_clocks, view.clock_mhz()) / 1000.0)
    };
    ours_us(view.last())?;
    let published = &view.published.latency;
    let theirs = |t: u16| published.points.iter().find(|p| p.t == t).map(|p| p.us);
    let theirs_line: Vec<_> = published.points.iter().map(|p| (f64::from(p.t), p.us)).collect();
    let ends: Vec<_> = published
        .points
        .iter()
        .map(|p| format!("{} µs at t = {}", format::real(p.us, 0), p.t))
        .collect();
    let caption = format!(
        "Time from the last word in to the last corrected word out with t errors, at {} MHz, for \
         {} codewords; logarithmic. Published: {}, {}.",
        format::real(view.clock_mhz(), 0),
        format::bytes(view.last().data_bytes.0),
        published.design,
        ends.join(" and "),
    );
    // A published strength that was not swept still has a row, so that the table tells all.
    let swept = view.points.iter().map(|point| point.t.0);
    let strengths: BTreeSet<u16> = swept.chain(published.points.iter().map(|p| p.t)).collect();
    let mut table = Table::new(vec![
        Column::new("t", "t", ""),
        Column::new("decode_us", "Floatgate", "µs"),
        Column::new("isca_2008_us", "ISCA 2008", "µs"),
    ]);
    for t in strengths {
        let point = view.points.iter().find(|point| point.t.0 == t);
        table.push(vec![
            Cell::Count(u64::from(t)),
            Cell::real_or_absent(point.and_then(|point| ours_us(point)), 2),
            Cell::real_or_absent(theirs(t), 0),
        ]);
    }
    let lines = vec![
        series(0, format!("Floatgate, {}, t errors", view.code.name), view.line(ours_us)),
        Series { stroke: Stroke::Dashed, ..series(1, "ISCA 2008 controller", theirs_line) },
    ];
    let chart = view.over_strength("µs", Scale::Log, lines);
    Some(Figure { id: "published", title: "Beside a published controller", caption, chart, table })
}

/// Longest wait for a status at any error load, in clocks.
fn status_max(point: &Point) -> u64 {
    point.decode.iter().map(|measure| measure.status.max_clocks.0).max().unwrap_or(0)
}

fn published_clocks(view: &View, point: &Point) -> Option<f64> {
    if !view.published.is_comparable(&point.code) || point.data_bytes != point.code.data_bytes_max {
        return None;
    }
    let row = view.published.decode_clocks.iter().find(|row| row.t == point.t.0)?;
    Some(f64::from(row.clocks))
}

fn mean(
    point: &Point,
    load: ErrorLoad,
    stats: impl Fn(&DecodeMeasure) -> LatencyStats,
) -> Option<f64> {
    point.decode_at(load).map(|measure| stats(measure).mean_clocks)
}

fn longest(
    view: &View,
    load: ErrorLoad,
    stats: impl Fn(&DecodeMeasure) -> LatencyStats,
) -> Option<u64> {
    let maxima = view.points.iter().filter_map(|point| point.decode_at(load));
    maxima.map(|measure| stats(measure).max_clocks.0).max()
}
