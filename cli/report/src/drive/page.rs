//! The page of a drive: what limits it, where the latency goes, the run over time, energy.

use maud::{Markup, html as markup};

use super::figures::{self, ladder_table, latency_table, phases_table};
use super::limit::limit;
use super::model::{DriveFacts, DriveResult};
use super::{DriveReport, GROUP, over_time, rtl};
use crate::figures::Figure;
use crate::format;
use crate::html::{document, figure, head, method, shell_line, table_markup, tiles, unmarked};

const GIB: f64 = (1_u64 << 30) as f64;

/// The whole page.
pub(super) fn page(DriveReport { drive, run }: &DriveReport, waves: &[String]) -> String {
    let command = shell_line(&run.command);
    let plots = |figures: &[Figure]| {
        markup! { div.figures { @for drawn in figures { (figure(GROUP, drawn, &command)) } } }
    };
    let energy: Vec<Figure> = figures::energy(drive).into_iter().collect();
    let body = markup! {
        (head(&drive.name, &drive.title, run, &facts(drive)))
        (notices(drive))
        (headline(drive))
        section id="latency-section" {
            h2 { "Latency" }
            p { a href="csv/latency.csv" { "latency.csv" } }
            (table_markup(&latency_table(drive), unmarked))
            (plots(&figures::latency(drive)))
        }
        section id="time-section" {
            h2 { "The run over time" }
            p { a href="csv/series.csv" { "series.csv" } }
            @if drive.phases.len() > 1 {
                (table_markup(&phases_table(drive), unmarked))
            }
            (plots(&over_time::figures(drive)))
        }
        @if let Some(ladder) = &drive.ladder {
            section id="strengths-section" {
                h2 { "Strengths of the code" }
                p { a href="csv/strengths.csv" { "strengths.csv" } }
                (table_markup(&ladder_table(ladder), unmarked))
                p {
                    (format::count(ladder.raised_blocks.into()))
                    " times a block outgrew its strength and got the next one; "
                    (format::count(ladder.retired_blocks.into()))
                    " blocks outgrew the last one and were taken out of use."
                }
            }
        }
        @if !drive.rtl.is_empty() { (in_rtl(drive)) }
        @if !energy.is_empty() {
            section id="energy-section" {
                h2 { "Energy" }
                @for Figure { table, .. } in &energy {
                    (table_markup(table, |row| row + 1 == table.rows.len()))
                }
                (plots(&energy))
            }
        }
        (method(run, &command, waves, definitions(drive), MEANING))
    };
    document(&drive.title, &body)
}

/// Channels that were RTL for a part of the run.
fn in_rtl(drive: &DriveResult) -> Markup {
    let clocks = drive.rtl.iter().map(|channel| channel.clocks).sum();
    markup! {
        section id="rtl-section" {
            h2 { "In RTL" }
            p {
                "These operations were carried out by the controller RTL with dies at its pins, in "
                (format::count(clocks)) " clocks, and once more by the model: the same turns of \
                 the dies, begun at the same times. Latencies count from when an operation was \
                 asked for, or the RTL was switched on. "
                a href="csv/rtl.csv" { "rtl.csv" }
            }
            (table_markup(&rtl::table(&drive.rtl), unmarked))
        }
    }
}

fn facts(result: &DriveResult) -> Markup {
    let DriveFacts { channels, dies_per_channel, planes, .. } = result.drive;
    markup! {
        span { "drive " (result.drive.name) }
        span { (format::real(result.drive.user_bytes as f64 / GIB, 1)) " GiB" }
        span { (channels) " channels × " (dies_per_channel) " dies × " (planes) " planes" }
    }
}

/// What the reader must know before reading on.
fn notices(result: &DriveResult) -> Markup {
    markup! {
        @if !result.is_complete {
            p.notice role="note" {
                strong { "The run was interrupted. " }
                "The figures are those of the " (format::count(result.requests))
                " requests until then."
            }
        }
        @if result.failed > 0 {
            p.notice role="note" {
                strong { (format::count(result.failed)) " requests ended with an error. " }
            }
        }
        @if let Some(checked) = &result.checked {
            p.basis { "Checked: " (checked) "." }
        }
        @for note in &result.notes { p.notice role="note" { (note) } }
    }
}

fn headline(result: &DriveResult) -> Markup {
    let limit = limit(result);
    let us = |us: f64| format::duration_ns(1e3 * us);
    let of = |traffic: &super::Traffic| traffic.latency_us.map(|latency| us(latency.p99));
    let percent = |share: f64| format!("{} %", format::real(100.0 * share, 0));
    let amplification = result.firmware.write_amplification;
    let power = (!result.energy.is_empty())
        .then(|| format!("{} W", format::real(result.energy_j() / result.simulated_s, 2)));
    let rate = result.reads.mb_per_s + result.writes.mb_per_s;
    let figures = [
        (Some(format::real(result.iops, 0)), "requests a second".to_owned()),
        (Some(format!("{} MB/s", format::real(rate, 0))), "read and written".to_owned()),
        (of(&result.reads), "99 % of the reads take no longer".to_owned()),
        (of(&result.writes), "99 % of the writes take no longer".to_owned()),
        (
            amplification.map(|ratio| format::real(ratio, 2)),
            "pages programmed for each that the host writes".to_owned(),
        ),
        (Some(percent(result.flash.mean_die_use())), "of the time dies work".to_owned()),
        (Some(percent(result.flash.mean_channel_use())), "of the time channels carry".to_owned()),
        (power, "mean power".to_owned()),
    ];
    markup! {
        section.headline id="outcome" {
            h2 { "What limits this drive" }
            p.lead { (limit.verdict) }
            p.basis { (limit.reason) }
            (tiles(figures))
        }
    }
}

const MEANING: &str = "\
Latencies count from when the host wants a request, so they include its wait for a place in the \
queue. Of a request of several pages the page that ends last counts for the parts of the latency. \
Garbage collection is the wait for a free block and for dies that collect; a die that is busy with \
anything else counts as busy. What the drive had done is sampled at the first request after a \
window's end.";

fn definitions(result: &DriveResult) -> Markup {
    let drive = &result.drive;
    let firmware = &result.firmware;
    markup! {
        dt { "Drive" }
        dd {
            (format::real(drive.user_bytes as f64 / GIB, 2)) " GiB of "
            (format::real(drive.flash_bytes as f64 / GIB, 2))
            " GiB flash; over-provisioning (T−U)/U "
            (format::real(drive.over_provisioning_percent, 1)) " %, (T−U)/T "
            (format::real(drive.spare_factor_percent, 1)) " %"
        }
        dt { "When the run began" } dd { (drive.precondition) }
        dt { "Page" } dd { (format::bytes(drive.page_bytes)) }
        dt { "Buffer" }
        dd {
            @if drive.buffer_pages > 0 { (format::count(drive.buffer_pages.into())) " pages" }
            @else { "none: writes go to flash before they are reported" }
        }
        dt { "Firmware" }
        dd {
            (drive.workers) " pieces of requests at a time; "
            (format::count(firmware.host_pages)) " pages written by the host, "
            (format::count(firmware.stored_pages)) " stored, "
            (format::count(firmware.moved_pages)) " moved in "
            (format::count(firmware.collections)) " collections; "
            (format::count(firmware.stalled_writes)) " writes waited for a free block, "
            (format::count(firmware.buffer_stalls)) " for the buffer"
        }
        dt { "Flash" }
        dd {
            (format::count(result.flash.reads)) " pages read, "
            (format::count(result.flash.programs)) " programmed, "
            (format::count(result.flash.erases)) " blocks erased"
        }
    }
}
