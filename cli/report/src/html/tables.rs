//! The tables of the report that belong to no plot.

use crate::derived::{mb_per_s, nanoseconds};
use crate::figures::{View, area_table};
use crate::format;
use crate::knee::Recommendation;
use crate::model::{Build, ErrorLoad, Point, SweepResult};
use crate::published::{Design, Published};
use crate::table::{Cell, Column, Table};

/// The main figures of every point, by configuration.
pub(crate) fn summary_table(sweep: &SweepResult) -> Table {
    let codes = sweep.codes();
    let points: Vec<&Point> = codes.iter().flat_map(|code| sweep.points_of(&code.name)).collect();
    points_table(sweep, &points)
}

/// The main figures of `points`. Columns that nothing was measured for are left out.
pub(super) fn points_table(sweep: &SweepResult, points: &[&Point]) -> Table {
    let mut columns = vec![
        Column::new("code", "Code", ""),
        Column::new("t", "t", ""),
        Column::new("parity_bytes", "Parity", "bytes"),
        Column::new("code_rate", "Code rate", ""),
        Column::new("encode_mean_clocks", "Encode", "clocks"),
        Column::new("first_word_clean_clocks", "First word, no errors", "clocks"),
        Column::new("last_word_clean_clocks", "Decode, no errors", "clocks"),
        Column::new("last_word_full_clocks", "Decode, t errors", "clocks"),
        Column::new("last_word_full_us", "Decode, t errors", "µs"),
        Column::new("decoder_full_mb_per_s", "Data rate, t errors", "MB/s"),
        Column::new("codec_nand2eq", "Area", "NAND2"),
        Column::new("codec_mhz", "Clock reached", "MHz"),
        Column::new("max_rber_at_uber_1e15", "Max RBER", "UBER 10⁻¹⁵"),
    ];
    for model in &sweep.settings.rber_models {
        let key = format!("{}_pe_cycles", crate::metrics::identifier(&model.name));
        columns.push(Column::new(key, &model.name, "P/E cycles"));
    }
    let mut table = Table::new(columns);
    for point in points {
        table.push(summary_row(sweep, point));
    }
    table.without_empty_columns()
}

fn summary_row(sweep: &SweepResult, point: &Point) -> Vec<Cell> {
    let clock_mhz = sweep.settings.clock_mhz;
    let clean = point.decode_at(ErrorLoad::Zero);
    let full = point.decode_at(ErrorLoad::Full);
    let full_clocks = full.map(|measure| measure.last_word.mean_clocks);
    let full_period = full.and_then(|measure| measure.period_clocks);
    let build = point.build.as_ref();
    let mut row = vec![
        Cell::text(&point.code.name),
        Cell::Count(u64::from(point.t.0)),
        Cell::Count(u64::from(point.parity_bytes().0)),
        Cell::real(point.code_rate(), 4),
        Cell::real(point.encode.latency.mean_clocks, 0),
        Cell::real_or_absent(clean.map(|measure| measure.first_word.mean_clocks), 0),
        Cell::real_or_absent(clean.map(|measure| measure.last_word.mean_clocks), 0),
        Cell::real_or_absent(full_clocks, 0),
        Cell::real_or_absent(full_clocks.map(|c| nanoseconds(c, clock_mhz) / 1000.0), 2),
        Cell::real_or_absent(
            full_period.map(|p| mb_per_s(point.throughput_bits_per_clock(p), clock_mhz)),
            0,
        ),
        Cell::real_or_absent(build.map(|build| build.codec().nand2_equivalents), 0),
        Cell::real_or_absent(build.and_then(Build::critical_path_ns).map(|ns| 1000.0 / ns), 0),
        Cell::Power(point.max_rber_at_uber_1e15),
    ];
    for model in &sweep.settings.rber_models {
        let endurance = point.endurance.iter().find(|e| e.model == model.name);
        row.push(Cell::real_or_absent(endurance.map(|e| e.pe_cycles), 0));
    }
    row
}

/// Recommendations of all configurations that have one.
pub(super) fn recommendation_table(views: &[View]) -> Table {
    let mut table = Table::new(vec![
        Column::new("code", "Code", ""),
        Column::new("chosen_t", "Choose t", ""),
        Column::new("life_percent", "Added life kept", "%"),
        Column::new("cost_percent", "Added cost taken", "%"),
        Column::new("basis", "Reason", ""),
    ]);
    for view in views {
        let Some(recommendation) = &view.recommendation else { continue };
        let choice = recommendation.choice();
        table.push(vec![
            Cell::text(&view.code.name),
            Cell::Count(u64::from(choice.t.0)),
            Cell::real(choice.life * 100.0, 0),
            Cell::real(choice.cost * 100.0, 0),
            Cell::text(basis(recommendation)),
        ]);
    }
    table
}

fn basis(recommendation: &Recommendation) -> String {
    let kind = if recommendation.is_knee { "knee" } else { "no knee, strongest code" };
    format!("{kind}, {}", recommendation.model)
}

/// Area of every build; `None` without any synthesis.
pub(crate) fn builds_table(sweep: &SweepResult) -> Option<Table> {
    let builds = sweep.all_builds();
    (!builds.is_empty()).then(|| area_table(&builds))
}

/// Area and flip-flops of every block of every build, one row each.
pub(crate) fn blocks_table(sweep: &SweepResult) -> Table {
    let mut table = Table::new(vec![
        Column::new("build", "Build", ""),
        Column::new("t_max", "T_MAX", ""),
        Column::new("block", "Block", ""),
        Column::new("area_nand2eq", "Area", "NAND2"),
        Column::new("area_um2", "Area", "µm²"),
        Column::new("flip_flops", "Flip-flops", ""),
    ]);
    for build in sweep.all_builds() {
        let encoder = [("encoder", build.encoder)];
        for (name, area) in encoder.into_iter().chain(build.decoder_blocks()) {
            table.push(vec![
                Cell::text(&build.code.name),
                Cell::Count(u64::from(build.code.t_max.0)),
                Cell::text(name),
                Cell::real(area.nand2_equivalents, 0),
                Cell::real(area.area_um2, 0),
                Cell::Count(area.flip_flops),
            ]);
        }
    }
    table
}

/// Area and timing of the channel controllers; `None` where none was synthesised.
pub(crate) fn controllers_table(sweep: &SweepResult) -> Option<Table> {
    let mut table = Table::new(vec![
        Column::new("dies", "Dies", ""),
        Column::new("banks", "Timing banks", ""),
        Column::new("cells", "Cells", ""),
        Column::new("flip_flops", "Flip-flops", ""),
        Column::new("area_nand2eq", "Area", "NAND2"),
        Column::new("area_um2", "Area", "µm²"),
        Column::new("critical_path_ns", "Critical path", "ns"),
        Column::new("clock_mhz", "Clock", "MHz"),
    ]);
    for build in &sweep.controllers {
        table.push(vec![
            Cell::Count(build.dies.into()),
            Cell::Count(build.banks.into()),
            Cell::Count(build.cells),
            Cell::Count(build.area.flip_flops),
            Cell::real(build.area.nand2_equivalents, 0),
            Cell::real(build.area.area_um2, 0),
            Cell::real_or_absent(build.critical_path_ns, 2),
            Cell::real_or_absent(build.critical_path_ns.map(|ns| 1000.0 / ns), 0),
        ]);
    }
    (!sweep.controllers.is_empty()).then_some(table)
}

/// Published areas with our builds of the same parameters beside them, and the goals.
pub(crate) fn comparison_table(sweep: &SweepResult, published: &Published) -> Table {
    let mut table = Table::new(vec![
        Column::new("strengths", "Strengths", ""),
        Column::new("design", "Design", ""),
        Column::new("encoder_nand2eq", "Encoder", "NAND2"),
        Column::new("decoder_nand2eq", "Decoder", "NAND2"),
        Column::new("codec_nand2eq", "Both", "NAND2"),
        Column::new("decoder_mhz", "Decoder", "MHz"),
        Column::new("goal", "Goal", ""),
        Column::new("source", "Source", ""),
    ]);
    let builds = sweep.all_builds();
    let mut groups: Vec<(u16, bool)> = Vec::new();
    for design in &published.designs {
        table.push(design_row(design));
        let group = (design.t, design.programmable);
        let next = published.designs.iter().filter(|d| (d.t, d.programmable) == group).count();
        groups.push(group);
        // Our row closes the group of designs with the same strengths.
        if groups.iter().filter(|known| **known == group).count() == next {
            let ours = published.ours(&builds, design.t, design.programmable);
            table.push(our_row(ours, design.t, design.programmable, published));
        }
    }
    table
}

fn design_row(design: &Design) -> Vec<Cell> {
    let area = |value: Option<u32>| value.map_or(Cell::Absent, |v| Cell::Count(u64::from(v)));
    let sum = design.encoder.zip(design.decoder).map(|(encoder, decoder)| encoder + decoder);
    vec![
        Cell::text(strengths(design.t, design.programmable)),
        Cell::text(&design.design),
        area(design.encoder),
        area(design.decoder),
        area(design.codec.or(sum)),
        area(design.decoder_mhz),
        Cell::text(""),
        Cell::text(&design.source),
    ]
}

fn our_row(ours: Option<&Build>, t: u16, programmable: bool, published: &Published) -> Vec<Cell> {
    let mut row = vec![Cell::text(strengths(t, programmable)), Cell::text("Floatgate")];
    let Some(build) = ours else {
        row.extend([const { Cell::Absent }; 4]);
        row.push(Cell::text(""));
        row.push(Cell::text("not synthesised in this run"));
        return row;
    };
    let decoder = build.decoder.nand2_equivalents;
    let codec = build.codec().nand2_equivalents;
    row.extend([
        Cell::real(build.encoder.nand2_equivalents, 0),
        Cell::real(decoder, 0),
        Cell::real(codec, 0),
        Cell::real_or_absent(build.decoder_critical_path_ns.map(|ns| 1000.0 / ns), 0),
        Cell::text(goal(build, published)),
        Cell::text(format!("{}, this run", build.code.name)),
    ]);
    row
}

/// The goals for a build and whether each is met.
fn goal(build: &Build, published: &Published) -> String {
    let goals = &published.goals;
    let decoder = build.decoder.nand2_equivalents;
    let at_most = |what: &str, value: f64, limit: f64| {
        let verdict = if value <= limit { "met" } else { "missed" };
        format!("{what} ≤ {}: {verdict}", format::thousands(limit))
    };
    if !build.code.fixed {
        let codec = build.codec().nand2_equivalents;
        let decoder = at_most("decoder", decoder, f64::from(goals.programmable_decoder));
        return format!(
            "{decoder}; {}",
            at_most("both", codec, f64::from(goals.programmable_codec))
        );
    }
    // The serial solver is the smaller of the two published for the same strength.
    let same = |d: &&Design| d.same_flow && !d.programmable && d.t == build.code.t_max.0;
    let smallest = published.designs.iter().filter(same).min_by_key(|design| design.decoder);
    let Some((serial, area)) = smallest.and_then(|design| Some((design, design.decoder?))) else {
        return String::new();
    };
    let mut text = at_most("decoder", decoder, f64::from(area) * goals.fixed_decoder_share);
    if let Some((ns, mhz)) = build.decoder_critical_path_ns.zip(serial.decoder_mhz) {
        let verdict = if 1000.0 / ns >= f64::from(mhz) { "met" } else { "missed" };
        text += &format!("; ≥ {mhz} MHz: {verdict}");
    }
    text
}

fn strengths(t: u16, programmable: bool) -> String {
    if programmable { format!("1 to {t}") } else { format!("{t}, fixed") }
}

/// What programmability costs: builds that differ only in it.
pub(super) fn programmability_table(sweep: &SweepResult) -> Option<Table> {
    let mut table = Table::new(vec![
        Column::new("fixed", "Fixed build", ""),
        Column::new("programmable", "Programmable build", ""),
        Column::new("fixed_decoder_nand2eq", "Fixed decoder", "NAND2"),
        Column::new("programmable_decoder_nand2eq", "Programmable decoder", "NAND2"),
        Column::new("decoder_price_percent", "Price", "%"),
        Column::new("codec_price_percent", "Price, both", "%"),
    ]);
    let builds = sweep.all_builds();
    for fixed in builds.iter().filter(|build| build.code.fixed) {
        let twin = |other: &&&Build| {
            let (a, b) = (&fixed.code, &other.code);
            !b.fixed
                && (a.m, a.data_bytes_max, a.t_max, a.p) == (b.m, b.data_bytes_max, b.t_max, b.p)
                && (a.p_c, a.kes_lanes, a.crc) == (b.p_c, b.kes_lanes, b.crc)
        };
        let Some(programmable) = builds.iter().find(twin) else { continue };
        let decoders = [fixed, programmable].map(|build| build.decoder.nand2_equivalents);
        let codecs = [fixed, programmable].map(|build| build.codec().nand2_equivalents);
        let price = |areas: [f64; 2]| (areas[1] / areas[0] - 1.0) * 100.0;
        table.push(vec![
            Cell::text(&fixed.code.name),
            Cell::text(&programmable.code.name),
            Cell::real(decoders[0], 0),
            Cell::real(decoders[1], 0),
            Cell::real(price(decoders), 1),
            Cell::real(price(codecs), 1),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}
