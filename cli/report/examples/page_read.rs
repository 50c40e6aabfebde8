//! Draws the first page read of a waveform as three panels: all of it, its command and address
//! cycles, and the beginning of its data.
//!
//! `cargo run -p floatgate-report --example page_read -- w.vcd waveforms/page-read.svg`, the
//! waveform being one that `floatgate store --wave` wrote of a device in SDR.

use std::fmt::Write;

use wellen::simple::{Waveform, read};

/// Changes of a row: time in picoseconds and value.
type Changes = Vec<(u64, String)>;

/// A row of all panels.
struct Row {
    name: &'static str,
    changes: Changes,
    /// Whether it holds texts, else a level.
    is_text: bool,
}

/// A part of the time axis.
struct Panel {
    title: String,
    from_ps: u64,
    to_ps: u64,
}

const WIDTH: f64 = 900.0;
const LABELS: f64 = 86.0;
const ROW: f64 = 24.0;
const GAP: f64 = 58.0;
const CHAR: f64 = 6.3;

fn main() {
    let mut paths = std::env::args().skip(1);
    let (Some(wave), Some(picture)) = (paths.next(), paths.next()) else {
        panic!("usage: page_read WAVE.vcd PICTURE.svg");
    };
    let mut wave = read(&wave).unwrap_or_else(|error| panic!("{wave}: {error}"));
    let rows = rows(&mut wave);
    let svg = draw(&rows, &panels(&rows));
    std::fs::write(&picture, svg).unwrap_or_else(|error| panic!("{picture}: {error}"));
}

fn rows(wave: &mut Waveform) -> Vec<Row> {
    let texts = [("firmware", "firmware"), ("die", "state"), ("bus", "bus")];
    let pins = [
        ("CE#", "ce_no"),
        ("CLE", "cle_o"),
        ("ALE", "ale_o"),
        ("WE#", "we_no"),
        ("RE#", "re_no"),
        ("R/B#", "rb_ni"),
    ];
    let mut row = |scope: &[&str], (name, variable), is_text| Row {
        name,
        changes: changes(wave, scope, variable),
        is_text,
    };
    let mut rows: Vec<Row> =
        texts.into_iter().map(|of| row(&["channel", "die0"], of, true)).collect();
    rows.extend(pins.into_iter().map(|of| row(&["TOP"], of, false)));
    rows
}

fn changes(wave: &mut Waveform, scope: &[&str], name: &str) -> Changes {
    let variable = wave.hierarchy().lookup_var(scope, name).expect("a waveform of store");
    let signal = wave.hierarchy()[variable].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table();
    let changes = wave.get_signal(signal).expect("it was just loaded").iter_changes();
    changes.map(|(at, value)| (times[at as usize], value.to_string())).collect()
}

/// The first page read, from its request to its answer, and what is looked at closely.
fn panels(rows: &[Row]) -> [Panel; 3] {
    let [firmware, _, bus, ..] = rows else { unreachable!("the rows are fixed") };
    let asked = firmware.changes.iter().position(|(_, text)| text.starts_with("ReadPage:"));
    let asked = asked.expect("there is a page read");
    let [(begin, _), (end, _)] = firmware.changes[asked..=asked + 1] else {
        unreachable!("two changes");
    };
    let inside: Vec<_> = bus.changes.iter().filter(|(at, _)| (begin..end).contains(at)).collect();
    let issued = inside.iter().find(|(_, text)| text == "cmd:30h").expect("its confirmation").0;
    let data = inside.iter().find(|(_, text)| text.starts_with("out")).expect("its data").0;
    let us = |ps: u64| format!("{:.1} us", ps as f64 / 1e6);
    let margin = (end - begin) / 40;
    [
        Panel {
            title: format!("One page read, {}", us(end - begin)),
            from_ps: begin - margin,
            to_ps: end + margin,
        },
        Panel {
            title: "Its command and address cycles".to_owned(),
            from_ps: begin - 20_000,
            to_ps: issued + 250_000,
        },
        Panel {
            title: "The beginning of its data".to_owned(),
            from_ps: data - 200_000,
            to_ps: data + 300_000,
        },
    ]
}

fn draw(rows: &[Row], panels: &[Panel]) -> String {
    let panel_height = GAP + ROW * rows.len() as f64;
    let height = panel_height * panels.len() as f64 + 12.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (index, panel) in panels.iter().enumerate() {
        let top = index as f64 * panel_height;
        let title = &panel.title;
        let _ = writeln!(
            svg,
            "<text x=\"{LABELS}\" y=\"{:.0}\" font-size=\"13\" font-weight=\"bold\">{title}</text>",
            top + 22.0
        );
        draw_axis(&mut svg, panel, top + 40.0, ROW * rows.len() as f64);
        for (index, row) in rows.iter().enumerate() {
            let y = top + 46.0 + ROW * index as f64;
            let name = row.name;
            let _ = writeln!(svg, "<text x=\"10\" y=\"{:.1}\">{name}</text>", y + 14.0);
            if row.is_text {
                draw_texts(&mut svg, row, panel, y);
            } else {
                draw_level(&mut svg, row, panel, y);
            }
        }
    }
    svg + "</svg>\n"
}

impl Panel {
    fn x(&self, at_ps: u64) -> f64 {
        let at = at_ps.clamp(self.from_ps, self.to_ps) - self.from_ps;
        let share = at as f64 / (self.to_ps - self.from_ps) as f64;
        LABELS + share * (WIDTH - LABELS - 14.0)
    }

    /// The spans in which a row keeps a value.
    fn spans<'a>(&self, row: &'a Row) -> Vec<(f64, f64, &'a str)> {
        let ends = row.changes.iter().skip(1).map(|(at, _)| *at).chain([u64::MAX]);
        let all = row.changes.iter().zip(ends);
        all.filter(|((from, _), to)| *to > self.from_ps && *from < self.to_ps)
            .map(|((from, value), to)| (self.x(*from), self.x(to), value.as_str()))
            .collect()
    }
}

fn draw_axis(svg: &mut String, panel: &Panel, y: f64, height: f64) {
    let span_ns = (panel.to_ps - panel.from_ps) / 1000;
    let steps = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];
    let step_ns = steps.into_iter().find(|step| span_ns / step <= 12).unwrap_or(200_000);
    for tick in 0..=span_ns / step_ns {
        let x = panel.x(panel.from_ps + tick * step_ns * 1000);
        let label = match step_ns {
            1000.. => format!("{} us", tick * step_ns / 1000),
            _ => format!("{} ns", tick * step_ns),
        };
        let bottom = y + height + 6.0;
        let label = if x > WIDTH - 40.0 { String::new() } else { label };
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{y}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#e2e5e8\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"9\" fill=\"#68707a\">{label}</text>",
            x + 2.0,
            y - 2.0
        );
    }
}

fn draw_level(svg: &mut String, row: &Row, panel: &Panel, y: f64) {
    let (high, low) = (y + 4.0, y + 18.0);
    let mut points = String::new();
    let (mut drawn, mut is_dense) = (f64::MIN, false);
    for (from, to, value) in panel.spans(row) {
        // What is closer than half a pixel is not told apart: a stroke over both levels.
        if to - drawn < 0.5 {
            is_dense = true;
            continue;
        }
        if is_dense {
            let _ = write!(points, "{from:.1},{high} {from:.1},{low} ");
        }
        // Of several dies' levels, the first die's is the last bit.
        let level = if value.ends_with('0') { low } else { high };
        let _ = write!(points, "{from:.1},{level} {to:.1},{level} ");
        (drawn, is_dense) = (to, false);
    }
    let points = points.trim_end();
    let _ = writeln!(
        svg,
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"#00598c\" stroke-width=\"1.2\"/>"
    );
}

fn draw_texts(svg: &mut String, row: &Row, panel: &Panel, y: f64) {
    let spans = panel.spans(row);
    for (index, &(from, to, value)) in spans.iter().enumerate() {
        if value == "-" {
            continue;
        }
        let width = (to - from).max(1.0);
        let fill = if row.name == "bus" { "#fbe3cf" } else { "#dfecf6" };
        let _ = writeln!(
            svg,
            "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"18\" fill=\"{fill}\" \
             stroke=\"#8a949e\" stroke-width=\"0.6\"/>",
            y + 2.0
        );
        let room = |width: f64| ((width - 4.0) / CHAR).max(0.0) as usize;
        // Behind a box without room, as far as the row is empty.
        let behind = spans.get(index + 1).filter(|(.., next)| *next == "-");
        let behind = behind.map_or(0, |(begin, end, _)| room(end - begin));
        let (x, room) = match room(width) {
            room if room >= value.len().min(4) => (from, room),
            _ if behind >= value.len() => (to, behind),
            _ => continue,
        };
        let shown: String = value.chars().take(room).collect();
        let shown = shown.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{shown}</text>", x + 3.0, y + 15.0);
    }
}
