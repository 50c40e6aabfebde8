//! The page of the experiment: the published figures beside ours, then the curves.

use floatgate_model::experiments::Basis;
use floatgate_model::experiments::ofc::OfcResult;
use maud::{Markup, html as markup};

use super::figures::{all, rows_table, rtl_table};
use super::{GROUP, OfcReport};
use crate::format;
use crate::html::{document, figure, head, method, shell_line, table_markup, tiles, unmarked};

/// The whole page.
pub(super) fn page(OfcReport { ofc, run }: &OfcReport) -> String {
    let command = shell_line(&run.command);
    let body = markup! {
        (head("experiment", &ofc.title, run, &Markup::default()))
        (headline(ofc))
        section id="rows" {
            h2 { "Published figures beside ours" }
            p {
                "Calibrated rows had one parameter set for them that the publication leaves open; "
                "predicted ones follow. Rows that miss are set off. "
                a href="csv/rows.csv" { "rows.csv" }
            }
            (table_markup(&rows_table(&ofc.rows), |row| !ofc.rows[row].holds()))
        }
        @if !ofc.rtl.is_empty() {
            section id="rtl-section" {
                h2 { "One channel in RTL" }
                p {
                    "The operations of a channel that the controller RTL carried out with dies at "
                    "its pins, and what the same turns of the dies take in the model. "
                    a href="csv/rtl.csv" { "rtl.csv" }
                }
                (table_markup(&rtl_table(&ofc.rtl), unmarked))
            }
        }
        section id="curves" {
            h2 { "The curves behind them" }
            div.figures { @for drawn in &all(ofc) { (figure(GROUP, drawn, &command)) } }
        }
        (method(run, &command, &[], definitions(), MEANING))
    };
    document(&ofc.title, &body)
}

fn headline(ofc: &OfcResult) -> Markup {
    let missed: Vec<&str> =
        ofc.rows.iter().filter(|row| !row.holds()).map(|row| row.id.as_str()).collect();
    let predicted = ofc.rows.iter().filter(|row| row.basis == Basis::Predicted).count();
    let tile = |id: &str, decimals| {
        let row = ofc.rows.iter().find(|row| row.id == id)?;
        Some(format!("{} {}", format::real(row.ours, decimals), row.unit))
    };
    let figures = [
        (tile("C-1", 1), "sequential read, published 115".to_owned()),
        (tile("C-2", 1), "sequential write, published 72".to_owned()),
        (tile("C-3", 1), "random read, published 24".to_owned()),
        (tile("C-4", 2), "random write, published 8.5".to_owned()),
    ];
    markup! {
        section.headline id="outcome" {
            h2 { "Outcome" }
            p.lead {
                (ofc.rows.len() - missed.len()) " of " (ofc.rows.len())
                " figures are as they must be"
                @if !missed.is_empty() { "; " (format::list(&missed)) " " (verb(missed.len())) }
                "."
            }
            p.basis { (predicted) " of them are predicted; the others had a parameter set." }
            (tiles(figures))
        }
    }
}

fn verb(count: usize) -> &'static str {
    if count == 1 { "misses" } else { "miss" }
}

fn definitions() -> Markup {
    markup! {
        dt { "Over-provisioning" }
        dd {
            "(T - U) / U, with T the pages of the blocks that can hold data: two blocks of a die, "
            "the free one and the one that is written, cannot. Effective: with T the pages that "
            "were not free when a block was chosen to be collected, as the closed "
            "forms have it"
        }
        dt { "tW, tR" }
        dd {
            "what a program and the read of a move take of the drive's time, one pair for all "
            "over-provisionings: programs overlap with the data of the next ones only where no "
            "read comes between"
        }
        dt { "Hardware" }
        dd { "all of a request's latency but firmware's steps and waiting for the processor" }
    }
}

const MEANING: &str = "\
Each measurement is of a drive of its own at transaction level, under the firmware of the project. \
The publication does not name the die, the processor, the collection policy or the \
over-provisioning. The die's times are those of a 32 Gbit MLC part of its year; collection is \
greedy; what a page holds its channel for beside its data, what firmware takes for a command, and \
the over-provisioning were each set for one published figure and stand in config.ron.";
