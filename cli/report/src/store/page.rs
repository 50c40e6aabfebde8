//! The page of a stored file: what came of it, where the time went, what strength costs.

use maud::{Markup, html as markup};

use super::figures::{all, steps_table};
use super::model::{EngineRun, StoreResult};
use super::{GROUP, StoreReport};
use crate::format;
use crate::html::{document, figure, head, method, shell_line, table_markup, tiles};

/// The whole page, with links to the waveforms named.
pub(super) fn page(StoreReport { store, run }: &StoreReport, waves: &[String]) -> String {
    let command = shell_line(&run.command);
    let title = format!("{} on {} × {}", store.device.file, store.device.dies, store.device.part);
    let body = markup! {
        (head(&store.name, &title, run, &facts(store)))
        (notices(store))
        (headline(store))
        section id="budget" {
            h2 { "Latency budget of a page" }
            p {
                "Mean of a page of the file, in the order in which the time is spent. "
                a href="csv/steps.csv" { "steps.csv" }
            }
            (table_markup(&steps_table(store), |row| row == 6))
            div.figures {
                @for drawn in &all(store) { (figure(GROUP, drawn, &command)) }
            }
        }
        (method(run, &command, waves, definitions(store), MEANING))
    };
    document(&title, &body)
}

fn facts(store: &StoreResult) -> Markup {
    let engines: Vec<&str> = store.engines.iter().map(|run| run.engine.label()).collect();
    markup! {
        span { (store.device.mode) }
        span { (store.device.code) ", t = " (store.device.strength) }
        span { (format::list(&engines)) }
    }
}

/// What the reader must know before reading on.
fn notices(store: &StoreResult) -> Markup {
    markup! {
        @for run in &store.engines {
            @for breach in &run.breaches {
                p.notice role="note" {
                    strong { "The protocol was broken (" (run.engine.label()) "). " } (breach)
                }
            }
        }
        @for note in &store.notes { p.notice role="note" { (note) } }
    }
}

fn headline(store: &StoreResult) -> Markup {
    let device = &store.device;
    let first = &store.engines[0];
    let breaches: usize = store.engines.iter().map(|run| run.breaches.len()).sum();
    let rate = |run: &EngineRun| device.file_bytes as f64 / run.read.span_us;
    let figures = [
        (format!("{} µs", format::real(first.read.sum_us(), 1)), "to read a page".to_owned()),
        (format!("{} µs", format::real(first.write.sum_us(), 0)), "to program a page".to_owned()),
        (format!("{} MB/s", format::real(rate(first), 0)), "while the file is read".to_owned()),
        (
            format!("{} %", format::real(100.0 * first.read.data_share, 1)),
            "of that time data are on the bus".to_owned(),
        ),
        (
            store.corrected.last().map_or(0, |count| count.bits).to_string(),
            format!("bits corrected in the worst of {} codewords", format::count(device.codewords)),
        ),
        (breaches.to_string(), "breaches found by the protocol checkers".to_owned()),
    ];
    markup! {
        section.headline id="outcome" {
            h2 { "Outcome" }
            p.lead {
                (format::count(device.file_bytes)) " bytes went through firmware, the BCH code "
                (device.code) " and an ONFI channel in " (device.mode) " into "
                (format::count(device.pages.into())) " pages, and came back identical."
            }
            p.basis {
                "Cells with " (format::count(device.initial_cycles.into()))
                " program/erase cycles, read " (format::real(device.retention_days, 0))
                " days after they were written."
            }
            (tiles(figures.map(|(value, label)| (Some(value), label))))
        }
    }
}

const MEANING: &str = "\
Firmware is the same on both engines. On the RTL, clocks and pins are simulated with Verilator; \
the models take the clocks of their calibration, measured on the RTL by floatgate characterize. \
Pages on different dies overlap, so the steps of all pages add up to more than the whole file \
takes. Waiting is for the bus or for an earlier operation on the die; waiting for the codec \
counts as ECC.";

fn definitions(store: &StoreResult) -> Markup {
    let device = &store.device;
    markup! {
        dt { "Clocks" }
        dd {
            "codec " (format::real(device.codec_mhz, 0)) " MHz, channel controller "
            (format::real(device.controller_mhz, 0)) " MHz"
        }
        dt { "Page" } dd { (format::bytes(device.page_bytes.0)) " of data" }
        @for run in &store.engines {
            dt { "Mounted, " (run.engine.label()) }
            dd {
                "in " (format::real(run.mount_us, 0)) " µs, with "
                (format::count(run.bad_blocks.into())) " bad blocks"
            }
        }
    }
}
