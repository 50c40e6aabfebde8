//! A plot with its legend, caption, data and the command that makes it again.

use maud::{Markup, PreEscaped, html as markup};

use super::{table_markup, unmarked};
use crate::chart::{LegendEntry, LegendLine, Room, Stroke};
use crate::figures::Figure;

/// A figure of a group, which is a configuration or a page.
pub(crate) fn figure(group: &str, figure: &Figure, command: &str) -> Markup {
    let label = format!("{}. {}", figure.title, figure.caption);
    let rows = figure.table.rows.len();
    markup! {
        figure id={ (group) "-" (figure.id) } {
            h3 { (figure.title) }
            (legend(&figure.chart.legend()))
            div.plot.wide { (PreEscaped(figure.chart.svg(Room::Wide, &label))) }
            div.plot.narrow { (PreEscaped(figure.chart.svg(Room::Narrow, &label))) }
            figcaption { (figure.caption) }
            details {
                summary { "Data, " (rows) " rows" }
                (table_markup(&figure.table, unmarked))
                p.links {
                    a href={ "csv/" (group) "/" (figure.id) ".csv" } { (figure.id) ".csv" }
                    " · again with " code { (command) }
                }
            }
        }
    }
}

pub(crate) fn legend(entries: &[LegendEntry]) -> Markup {
    markup! {
        // The box stays when it is empty, so that neighbouring figures line up.
        div.legend {
            @if !entries.is_empty() {
                ul { @for entry in entries { li { (swatch(entry)) (entry.label) } } }
            }
        }
    }
}

fn swatch(entry: &LegendEntry) -> Markup {
    let colour = entry.ink.variable();
    markup! {
        @match entry.line {
            Some(line) => {
                svg.swatch viewBox="0 0 26 12" aria-hidden="true" { (swatch_line(&colour, line)) }
            }
            None => {
                svg.swatch.block viewBox="0 0 12 12" aria-hidden="true" {
                    rect width="12" height="12" rx="2" fill=(colour) {}
                }
            }
        }
    }
}

fn swatch_line(colour: &str, line: LegendLine) -> Markup {
    let dashes = (line.stroke == Stroke::Dashed).then_some("5 4");
    markup! {
        @if line.stroke != Stroke::None {
            line x1="0" y1="6" x2="26" y2="6" stroke=(colour) stroke-width="2"
                stroke-dasharray=[dashes] {}
        }
        @if let Some(marker) = line.marker {
            @let corners = marker.corners(4);
            @if corners.is_empty() {
                circle cx="13" cy="6" r="4" fill=(colour) {}
            } @else {
                @let corners: Vec<_> =
                    corners.iter().map(|(x, y)| format!("{},{}", x + 13, y + 6)).collect();
                polygon points=(corners.join(" ")) fill=(colour) {}
            }
        }
    }
}
