//! What a stronger code buys: errors, wear, and the price of both at the knee.

use super::{Figure, View, reference, series};
use crate::chart::{Chart, Ink, Layer, LineChart, PointLabel, Scale, Series, StackedBars, Stroke};
use crate::format;
use crate::knee::Recommendation;
use crate::model::{Miscorrection, PageRead, Point};
use crate::table::{Cell, Column, Table};

/// Largest raw bit error rate survived.
pub(super) fn max_rber(view: &View) -> Option<Figure> {
    let (first, last) = (view.first(), view.last());
    let step = |from: &Point, to: &Point| {
        let factor = to.max_rber_at_uber_1e15 / from.max_rber_at_uber_1e15;
        format::real(factor, if factor < 10.0 { 1 } else { 0 })
    };
    let (second, before_last) = (view.points[1], view.points[view.points.len() - 2]);
    let caption = format!(
        "Largest raw bit error rate at which the uncorrectable rate still meets its target; \
         logarithmic. From t = {} to t = {} it rises from {} to {} at 10⁻¹⁵. The first step, to \
         t = {}, multiplies it by {}; the last, from t = {}, by {}.",
        first.t,
        last.t,
        format::power(first.max_rber_at_uber_1e15),
        format::power(last.max_rber_at_uber_1e15),
        second.t,
        step(first, second),
        before_last.t,
        step(before_last, last),
    );
    let lines = vec![
        series(0, "UBER 10⁻¹⁵", view.line(|point| Some(point.max_rber_at_uber_1e15))),
        series(1, "UBER 10⁻¹⁶", view.line(|point| Some(point.max_rber_at_uber_1e16))),
    ];
    let columns = vec![
        Column::new("max_rber_at_uber_1e15", "At UBER 10⁻¹⁵", ""),
        Column::new("max_rber_at_uber_1e16", "At UBER 10⁻¹⁶", ""),
    ];
    let table = view.table(columns, |point| {
        vec![Cell::Power(point.max_rber_at_uber_1e15), Cell::Power(point.max_rber_at_uber_1e16)]
    });
    let chart = view.over_strength("raw bit error rate", Scale::Log, lines);
    Some(Figure { id: "max-rber", title: "Raw bit error rate survived", caption, chart, table })
}

/// Program/erase cycles under each wear model.
pub(super) fn endurance(view: &View) -> Option<Figure> {
    let cycles = |point: &Point, name: &str| {
        point.endurance.iter().find(|e| e.model == name).map(|e| e.pe_cycles)
    };
    let models: Vec<&str> = view
        .result
        .settings
        .rber_models
        .iter()
        .map(|model| model.name.as_str())
        .filter(|name| view.points.iter().any(|point| cycles(point, name).is_some()))
        .collect();
    if models.is_empty() {
        return None;
    }
    let hopeless: Vec<&str> = models
        .iter()
        .copied()
        .filter(|name| view.points.iter().all(|p| cycles(p, name).unwrap_or(0.0) == 0.0))
        .collect();
    let mut caption = format!(
        "Program/erase cycles until the raw bit error rate of the model exceeds what the code \
         survives at UBER {}.",
        format::power_in_text(view.result.settings.uber_target),
    );
    if !hopeless.is_empty() {
        let names = hopeless.join(" and ");
        caption += &format!(" No strength swept is enough for {names}: its line stays at zero.");
    }
    let lines = models
        .iter()
        .enumerate()
        .map(|(index, name)| series(index, *name, view.line(|point| cycles(point, name))))
        .collect();
    let column = |name: &&str| {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let key: String = name.chars().map(plain).collect();
        Column::new(format!("{key}_pe_cycles"), *name, "P/E cycles")
    };
    let table = view.table(models.iter().map(column).collect(), |point| {
        models.iter().map(|name| Cell::real_or_absent(cycles(point, name), 0)).collect()
    });
    let chart = view.over_strength("program/erase cycles", Scale::FromZero, lines);
    Some(Figure { id: "endurance", title: "Wear survived", caption, chart, table })
}

/// Latency of a page read, by its parts.
pub(super) fn page_read(view: &View) -> Option<Figure> {
    let settings = view.result.settings.page.as_ref()?;
    let reads: Option<Vec<&PageRead>> =
        view.points.iter().map(|point| point.page_read.as_ref()).collect();
    let reads = reads?;
    let last = reads.last()?;
    let total_us = |read: &PageRead| read.array_us + read.transfer_us + read.decode_full_us;
    let caption = format!(
        "Read of a {} page when every codeword carries t errors, over a bus of {} MB/s. At t = {} \
         decoding takes {} µs of {} µs; error-free codewords would take {} µs.",
        format::bytes(settings.data_bytes.0),
        format::real(settings.bus_mb_per_s, 0),
        view.last().t,
        format::real(last.decode_full_us, 2),
        format::real(total_us(last), 1),
        format::real(last.decode_clean_us, 2),
    );
    let layer = |index: u8, label: &str, part: fn(&PageRead) -> f64| Layer {
        label: label.into(),
        ink: Ink::Series(index),
        values: reads.iter().map(|read| part(read)).collect(),
    };
    let has_knee = view.recommendation.as_ref().is_some_and(|r| r.is_knee);
    let chart = Chart::Bars(StackedBars {
        x_title: "strength t (bit errors corrected per codeword)",
        y_title: "µs",
        categories: view.points.iter().map(|point| point.t.to_string()).collect(),
        layers: vec![
            layer(0, "array", |read| read.array_us),
            layer(4, "transfer", |read| read.transfer_us),
            layer(1, "decode, t errors", |read| read.decode_full_us),
        ],
        total: |us| format::real(us, if us < 100.0 { 1 } else { 0 }),
        marked: view.choice().filter(|_| has_knee),
    });
    let columns = vec![
        Column::new("array_us", "Array", "µs"),
        Column::new("transfer_us", "Transfer", "µs"),
        Column::new("decode_clean_us", "Decode, no errors", "µs"),
        Column::new("decode_full_us", "Decode, t errors", "µs"),
        Column::new("total_full_us", "Total, t errors", "µs"),
    ];
    let table = view.table(columns, |point| {
        let read = point.page_read.as_ref().expect("every point has a page read");
        let parts = [read.array_us, read.transfer_us, read.decode_clean_us, read.decode_full_us];
        let mut row: Vec<_> = parts.map(|part| Cell::real(part, 2)).to_vec();
        row.push(Cell::real(total_us(read), 2));
        row
    });
    Some(Figure { id: "page-read", title: "Page read latency", caption, chart, table })
}

/// Life over cost, with the chosen strength.
pub(super) fn cost_against_life(view: &View) -> Option<Figure> {
    let recommendation = view.recommendation.as_ref()?;
    let percent = |share: f64| share * 100.0;
    let curve: Vec<(f64, f64)> =
        recommendation.curve.iter().map(|p| (percent(p.cost), percent(p.life))).collect();
    let labels = recommendation
        .curve
        .iter()
        .enumerate()
        .map(|(index, point)| PointLabel {
            x: percent(point.cost),
            y: percent(point.life),
            text: format!("t = {}", point.t),
            strong: index == recommendation.chosen,
        })
        .collect();
    let caption = trade_off_caption(recommendation);
    let chosen = curve[recommendation.chosen];
    let mut lines = vec![
        reference(Ink::Axis, "chord", vec![(0.0, 0.0), (100.0, 100.0)]),
        series(0, "strengths", curve),
    ];
    let choice = if recommendation.is_knee { "knee" } else { "choice" };
    let mark = series(3, choice, vec![chosen]);
    lines.push(Series { ink: Ink::Accent, stroke: Stroke::None, ..mark });
    let chart = Chart::Lines(LineChart {
        x_title: "share of the added cost, per cent",
        y_title: "share of the added life, per cent",
        x_ticks: vec![0.0, 25.0, 50.0, 75.0, 100.0],
        x_label: format::whole,
        y_scale: Scale::FromZero,
        series: lines,
        labels,
        marks: Vec::new(),
    });
    let mut table = Table::new(vec![
        Column::new("t", "t", ""),
        Column::new("pe_cycles", "Life", "P/E cycles"),
        Column::new("life_percent", "Added life", "%"),
        Column::new("cost_percent", "Added cost", "%"),
        Column::new("distance_percent", "Above the chord", "%"),
    ]);
    for point in &recommendation.curve {
        table.push(vec![
            Cell::Count(u64::from(point.t.0)),
            Cell::real(point.pe_cycles, 0),
            Cell::real(percent(point.life), 1),
            Cell::real(percent(point.cost), 1),
            Cell::real(percent(point.distance()), 1),
        ]);
    }
    Some(Figure { id: "knee", title: "Life against cost", caption, chart, table })
}

fn trade_off_caption(recommendation: &Recommendation) -> String {
    let names: Vec<&str> = recommendation.costs.iter().map(|(name, _)| *name).collect();
    let chosen_t = recommendation.choice().t;
    let others: Vec<String> = recommendation
        .costs
        .iter()
        .filter(|(_, t)| *t != chosen_t)
        .map(|(name, t)| format!("t = {t} by {name}"))
        .collect();
    let alone = match others.as_slice() {
        [] => "Each cost alone would choose the same strength.".to_owned(),
        _ => format!("One cost alone would choose otherwise: {}.", format::list(&others)),
    };
    let place = match recommendation.is_knee {
        true => "The knee is farthest above the dashed chord.",
        false => "No strength lies above the dashed chord, so there is no knee.",
    };
    format!(
        "Share of the added life ({}) over share of the added cost, the mean of {}. {place} \
         {alone}",
        recommendation.model,
        format::list(&names),
    )
}

/// Codewords with more than t errors that pass as good.
pub(super) fn miscorrection(view: &View) -> Option<Figure> {
    let total = |point: &Point, passed: fn(&Miscorrection) -> Option<u64>| {
        let codewords: u64 = point.miscorrection.iter().map(|row| row.codewords).sum();
        let passed: Option<Vec<u64>> = point.miscorrection.iter().map(passed).collect();
        (codewords > 0).then_some(())?;
        Some(passed?.iter().sum::<u64>() as f64 / codewords as f64)
    };
    let without = |point: &Point| total(point, |row| Some(row.passed_without_crc));
    let with = |point: &Point| total(point, |row| row.passed_with_crc);
    let without_line = view.line(without);
    if without_line.is_empty() {
        return None;
    }
    let with_line = view.line(with);
    let mut lines = vec![series(1, "without CRC", without_line)];
    if !with_line.is_empty() {
        lines.push(series(0, "with CRC-32", with_line));
    }
    let caption = "Share of codewords with t + 1 to 2t errors that are handed up as good although \
                   their data is wrong. Theory allows at most about 1/t! without a CRC, so it \
                   matters for weak codes only; a zero is a count of zero, not a rate of zero."
        .to_owned();
    let mut table = Table::new(vec![
        Column::new("t", "t", ""),
        Column::new("errors", "Errors", ""),
        Column::new("codewords", "Codewords", ""),
        Column::new("passed_without_crc", "Passed without CRC", ""),
        Column::new("passed_with_crc", "Passed with CRC", ""),
    ]);
    for point in &view.points {
        for row in &point.miscorrection {
            table.push(vec![
                Cell::Count(u64::from(point.t.0)),
                Cell::Count(u64::from(row.errors)),
                Cell::Count(row.codewords),
                Cell::Count(row.passed_without_crc),
                row.passed_with_crc.map_or(Cell::Absent, Cell::Count),
            ]);
        }
    }
    let table = table.without_empty_columns();
    let chart = view.over_strength("share of codewords", Scale::FromZero, lines);
    Some(Figure { id: "miscorrection", title: "Miscorrections", caption, chart, table })
}
