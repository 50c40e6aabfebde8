//! The page of two runs.

use maud::{Markup, PreEscaped, html as markup};

use super::{Change, Comparison, Side};
use crate::chart::{Chart, Ink, Room, Scale};
use crate::drive::{DriveResult, TimeAxis, Window, over_time, stretches};
use crate::format;
use crate::html::{document, legend, table_markup, unmarked};
use crate::table::{Cell, Column, Table};

/// A figure that both runs have over time.
type Figure = (&'static str, &'static str, Scale, fn(&Window) -> Option<f64>);

const FIGURES: [Figure; 8] = [
    ("Requests", "a second", Scale::FromZero, |window| Some(window.read_iops + window.write_iops)),
    ("Reads, mean latency", "µs", Scale::Log, |window| window.read_mean_us),
    ("Reads, p99", "µs", Scale::Log, |window| window.read_p99_us),
    ("Writes, mean latency", "µs", Scale::Log, |window| window.write_mean_us),
    ("Writes, p99", "µs", Scale::Log, |window| window.write_p99_us),
    ("Write amplification", "pages a page", Scale::FromZero, |window| window.write_amplification),
    ("Dies at work", "per cent", Scale::FromZero, |window| Some(100.0 * window.die_use)),
    ("Power", "W", Scale::FromZero, |window| window.power_w),
];

pub(super) fn page(comparison: &Comparison) -> String {
    let Comparison { before, after, changes } = comparison;
    let title = format!("{} beside {}", name(after), name(before));
    let (equal, changed): (Vec<&Change>, Vec<&Change>) =
        changes.iter().partition(|change| change.is_none());
    let body = markup! {
        header {
            p.eyebrow { "Floatgate · two runs" }
            h1 { (title) }
            p.meta {
                span { "before: " (before.path.display()) }
                span { "after: " (after.path.display()) }
            }
        }
        @if let (Some(first), Some(second)) = (&before.drive, &after.drive) {
            section id="time-section" {
                h2 { "Over time" }
                (plots(first, second))
            }
        }
        section id="changes" {
            h2 { "Metrics, the largest change first" }
            p { (changed.len()) " differ, " (equal.len()) " are the same." }
            (table_markup(&table(&changed), unmarked))
        }
    };
    document(&title, &body)
}

/// The last part of a folder's path.
fn name(side: &Side) -> String {
    side.path.file_name().unwrap_or(side.path.as_os_str()).to_string_lossy().into_owned()
}

fn plots(before: &DriveResult, after: &DriveResult) -> Markup {
    let span_s = before.simulated_s.max(after.simulated_s);
    let axis = TimeAxis::of(span_s);
    let drawn = FIGURES.iter().filter_map(|(title, y_title, scale, value)| {
        let line = |label: &str, index, result| {
            (label.to_owned(), Ink::Series(index), stretches(result, axis, value))
        };
        let lines = vec![line("before", 0, before), line("after", 1, after)];
        let chart = over_time(y_title, *scale, axis, span_s, lines);
        (!chart.series.is_empty()).then_some((*title, Chart::Lines(chart)))
    });
    markup! {
        div.figures {
            @for (title, chart) in drawn {
                figure {
                    h3 { (title) }
                    (legend(&chart.legend()))
                    div.plot.wide { (PreEscaped(chart.svg(Room::Wide, title))) }
                    div.plot.narrow { (PreEscaped(chart.svg(Room::Narrow, title))) }
                }
            }
        }
    }
}

fn table(changes: &[&Change]) -> Table {
    let mut table = Table::new(vec![
        Column::new("metric", "Metric", ""),
        Column::new("before", "Before", ""),
        Column::new("after", "After", ""),
        Column::new("ratio", "After over before", ""),
    ]);
    let cell = |value: Option<f64>| value.map_or(Cell::Absent, |v| Cell::text(format::plain(v)));
    for change in changes {
        table.push(vec![
            Cell::text(&change.name),
            cell(change.before),
            cell(change.after),
            Cell::real_or_absent(change.ratio(), 4),
        ]);
    }
    table
}
