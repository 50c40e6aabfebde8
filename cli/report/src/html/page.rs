//! The order of the page: recommendation, summary, plots, published work, method.

use maud::{Markup, html as markup};

use super::figure::figure;
use super::tables::{
    builds_table, comparison_table, controllers_table, points_table, programmability_table,
    recommendation_table,
};
use super::{document, head, method, shell_line, table_markup, tiles, unmarked};
use crate::derived::{mb_per_s, nanoseconds};
use crate::figures::View;
use crate::folder::Report;
use crate::format;
use crate::model::{Build, Code, ErrorLoad, Point, RunInfo, Settings, SweepResult};
use crate::published::Published;
use crate::table::Cell;

const LATENCY_MEANING: &str =
    "Decode latencies are means from the last codeword word in to the last corrected word out.";

/// The whole page, with links to the waveforms named.
pub(crate) fn page(report: &Report, waves: &[String]) -> String {
    let Report { sweep, run } = report;
    let published = Published::load();
    let codes = sweep.codes();
    let views: Vec<View> =
        codes.into_iter().map(|code| View::new(sweep, &published, code)).collect();
    let command = shell_line(&run.command);
    let body = markup! {
        (head(&sweep.name, &sweep.title, run, &facts(sweep)))
        (notices(sweep, run))
        (headline(sweep, &views))
        (summary(sweep, &views))
        (contents(&views))
        @for view in &views { (configuration(view, &command)) }
        (beside_published(sweep, &published))
        (method(run, &command, waves, definitions(sweep), MEANING))
    };
    document(&sweep.title, &body)
}

fn facts(sweep: &SweepResult) -> Markup {
    markup! {
        span { (format::real(sweep.settings.clock_mhz, 0)) " MHz" }
        span {
            (format::count(sweep.settings.codewords_per_point.into()))
            " codewords per strength and error count"
        }
    }
}

/// What the reader must know before reading on: missing tools and the caller's remarks.
fn notices(sweep: &SweepResult, run: &RunInfo) -> Markup {
    let missing: Vec<&str> =
        run.tools.iter().filter(|t| t.version.is_none()).map(|t| t.name.as_str()).collect();
    let builds = sweep.all_builds();
    let no_area = sweep.points.iter().filter(|point| point.build.is_none()).count();
    let no_path = builds.iter().filter(|build| build.critical_path_ns().is_none()).count();
    markup! {
        @if no_area == sweep.points.len() {
            p.notice role="note" {
                strong { "Area and timing are missing. " }
                "No build was synthesised in this run, so their columns and plots are left out."
                @if !missing.is_empty() { " Not found or failed: " (missing.join(", ")) "." }
            }
        } @else if no_area > 0 {
            p.notice role="note" {
                strong { "Area and timing are missing for " (no_area) " points. " }
                "Their cells show a dash."
            }
        }
        @if no_path > 0 {
            p.notice role="note" {
                strong { "The critical path is missing for " (no_path) " builds. " }
                "Timing analysis was not available."
            }
        }
        @for note in &sweep.notes { p.notice role="note" { (note) } }
    }
}

fn headline(sweep: &SweepResult, views: &[View]) -> Markup {
    let first = views.iter().find_map(|view| Some((view, view.recommendation.as_ref()?)));
    let table = recommendation_table(views);
    markup! {
        section.headline id="recommendation" {
            h2 { "Recommendation" }
            @match first {
                Some((view, recommendation)) => {
                    p.lead { (recommendation.sentence()) }
                    p.basis { (recommendation.basis()) }
                    @let chosen = view.choice().expect("the recommended strength was swept");
                    @let cycles = recommendation.choice().pe_cycles;
                    (choice_tiles(&sweep.settings, view.points[chosen], cycles))
                    @if table.rows.len() > 1 {
                        h3 { "By configuration" }
                        (table_markup(&table, unmarked))
                    }
                }
                None => {
                    p.lead {
                        "No strength is recommended: over this range no wear model gains life "
                        "from a stronger code, or fewer than two strengths were swept."
                    }
                }
            }
        }
    }
}

fn choice_tiles(settings: &Settings, point: &Point, pe_cycles: f64) -> Markup {
    let full = point.decode_at(ErrorLoad::Full);
    let latency_ns =
        full.map(|measure| nanoseconds(measure.last_word.mean_clocks, settings.clock_mhz));
    let rate = full
        .and_then(|measure| measure.period_clocks)
        .map(|period| mb_per_s(point.throughput_bits_per_clock(period), settings.clock_mhz));
    let area = point.build.as_ref().map(Build::codec);
    let parity = format!(
        "parity for {}, code rate {}",
        format::bytes(point.data_bytes.0),
        format::real(point.code_rate(), 3),
    );
    let rate = rate.map(|rate| format!("{} MB/s", format::real(rate, 0)));
    let area = area.map(|area| format::thousands(area.nand2_equivalents));
    tiles([
        (Some(format!("t = {}", point.t)), format!("strength of {}", point.code.name)),
        (Some(format::real(pe_cycles, 0)), "program/erase cycles survived".into()),
        (latency_ns.map(format::duration_ns), "decode latency with t errors".into()),
        (rate, "with t errors in every codeword".into()),
        (Some(format!("{} B", point.parity_bytes().0)), parity),
        (area, "NAND2 equivalents, encoder and decoder".into()),
    ])
}

fn summary(sweep: &SweepResult, views: &[View]) -> Markup {
    let [view] = views else { return summary_of_many(sweep, views) };
    markup! {
        section id="summary" {
            h2 { "Summary" }
            p { (LATENCY_MEANING) " " a href="csv/summary.csv" { "summary.csv" } }
            (strengths(view))
        }
    }
}

/// One row per configuration: its recommended strength, or else its strongest.
fn summary_of_many(sweep: &SweepResult, views: &[View]) -> Markup {
    let shown = |view: &View| view.choice().unwrap_or(view.points.len() - 1);
    let points: Vec<_> = views.iter().map(|view| view.points[shown(view)]).collect();
    markup! {
        section id="summary" {
            h2 { "Summary" }
            p {
                "Each configuration at its recommended strength, or at its strongest where none "
                "is recommended. " (LATENCY_MEANING) " All strengths: "
                a href="csv/summary.csv" { "summary.csv" }
            }
            (table_markup(&points_table(sweep, &points), unmarked))
        }
    }
}

/// All strengths of a configuration, the recommended one set off.
fn strengths(view: &View) -> Markup {
    let mut table = points_table(view.result, &view.points);
    table.remove_first_column();
    let chosen = view.choice();
    table_markup(&table, |index| Some(index) == chosen)
}

/// Links to the configurations, where there is more than one to read about.
fn contents(views: &[View]) -> Markup {
    let drawn: Vec<&str> =
        views.iter().filter(|v| v.points.len() > 1).map(|v| v.code.name.as_str()).collect();
    markup! {
        @if drawn.len() > 1 {
            nav aria-label="Configurations" {
                @for name in drawn { a href={ "#" (name) } { (name) } }
            }
        }
    }
}

fn configuration(view: &View, command: &str) -> Markup {
    let figures = view.figures();
    markup! {
        @if !figures.is_empty() {
            section id=(view.code.name) {
                h2 { (view.code.name) }
                p { (described(view.code)) }
                @if view.result.codes().len() > 1 { (strengths(view)) }
                div.figures {
                    @for drawn in &figures { (figure(&view.code.name, drawn, command)) }
                }
            }
        }
    }
}

fn described(code: &Code) -> String {
    let strengths = match code.fixed {
        true => format!("t = {} only", code.t_max),
        false => format!("t = 1 to {}, chosen per codeword", code.t_max),
    };
    let crc = if code.crc { ", CRC-32 inside the codeword" } else { "" };
    format!(
        "Binary BCH code over GF(2{}), up to {} of data, {strengths}; {} bits per clock at the \
         streams, {} in the Chien search, {} locator coefficients per clock in the key \
         equation{crc}.",
        format::superscript(&code.m.to_string()),
        format::bytes(code.data_bytes_max.0),
        code.p,
        code.p_c,
        code.kes_lanes,
    )
}

fn beside_published(sweep: &SweepResult, published: &Published) -> Markup {
    let comparison = comparison_table(sweep, published);
    let ours = |index: usize| comparison.rows[index][1] == Cell::text("Floatgate");
    markup! {
        section id="published" {
            h2 { "Area beside published codecs" }
            p {
                "512 B of data, m = 13, 8 bits per clock, NAND2 equivalents without the data "
                "buffer. The bch_verilog rows were synthesised with Yosys and the osu018 "
                "library, by the script that synthesises these builds; the others are as their "
                "authors state them, in their technology. "
                a href="csv/published-area.csv" { "published-area.csv" }
            }
            (table_markup(&comparison, ours))
            @if let Some(table) = programmability_table(sweep) {
                h3 { "The price of programmability" }
                p { "The same parameters built for one strength and for all strengths up to it." }
                (table_markup(&table, unmarked))
            }
            @if let Some(table) = builds_table(sweep) {
                details {
                    summary { "All builds, by block" }
                    (table_markup(&table, unmarked))
                    p.links {
                        a href="csv/builds.csv" { "builds.csv" }
                        " · each block with area and flip-flops: "
                        a href="csv/blocks.csv" { "blocks.csv" }
                    }
                }
            }
            @if let Some(table) = controllers_table(sweep) {
                h3 { "The ONFI channel controller" }
                p {
                    "Synthesised by the same script; no code changes it. "
                    a href="csv/controllers.csv" { "controllers.csv" }
                }
                (table_markup(&table, unmarked))
            }
        }
    }
}

const MEANING: &str = "\
Latencies count clocks between accepted words, from the last codeword word in. Limits and bounds \
follow from the parameters: t + 1 + ⌈k/P_C⌉ + 2 clocks is what one clock per key-equation \
iteration and one search step per output word allow, with k the message bits and P_C the Chien \
width. Throughput counts data bits only. The knee is the strength farthest above the chord of \
life over cost, both scaled from the strongest strength that gives no life, or the weakest \
swept, to the strongest; cost is the mean of area, page read latency and parity overhead, as far \
as each is known and grows.";

fn definitions(sweep: &SweepResult) -> Markup {
    let settings = &sweep.settings;
    markup! {
        dt { "Data" } dd { (settings.data_source) }
        dt { "End of life" }
        dd {
            "uncorrectable bit error rate above " (format::power_in_text(settings.uber_target))
        }
        @for model in &settings.rber_models {
            dt { (model.name) } dd { (model.conditions) }
        }
        @if let Some(library) = &settings.cell_library {
            dt { "Cell library" } dd { (library) }
        }
    }
}
