//! What the codec costs in gates and what clock it reaches.

use super::{Figure, View};
use crate::chart::{Chart, Ink, Layer, LineChart, Scale, StackedBars};
use crate::figures::series;
use crate::format;
use crate::model::Build;
use crate::table::{Cell, Column, Table};

/// Blocks in the order of the stack, with their share of a build.
const BLOCKS: [&str; 6] = ["encoder", "syndrome", "key equation", "Chien", "CRC", "control"];

/// Logic area by block, one bar per build.
pub(super) fn area(view: &View) -> Option<Figure> {
    let builds = builds(view);
    let last = builds.last()?;
    let layers: Vec<Layer> = BLOCKS
        .iter()
        .enumerate()
        .filter(|(_, name)| builds.iter().any(|build| block(build, name).is_some()))
        .map(|(index, name)| Layer {
            label: (*name).into(),
            ink: Ink::Series(index as u8),
            values: builds.iter().map(|build| block(build, name).unwrap_or(0.0)).collect(),
        })
        .collect();
    let (largest, area) = last.decoder_shares().into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let share = area / last.decoder.nand2_equivalents * 100.0;
    let shared = if builds.len() == 1 { " One build serves every strength." } else { "" };
    let library = view.result.settings.cell_library.as_deref().unwrap_or("the cell library");
    let caption = format!(
        "NAND2 equivalents of encoder and decoder in {library}, without the data buffer (a memory \
         of {} bits in {}). In that decoder the largest block is {largest} with {} %. Blocks are \
         mapped apart and scaled to the whole decoder.{shared}",
        format::count(u64::from(last.memory_bits.0)),
        last.code.name,
        format::real(share, 0),
    );
    let chosen = view.recommendation.as_ref().filter(|r| r.is_knee).map(|r| r.choice().t);
    let marked = builds.iter().position(|build| Some(build.code.t_max) == chosen);
    let chart = Chart::Bars(StackedBars {
        x_title: "largest strength of the build, T_MAX",
        y_title: "NAND2 equivalents",
        categories: builds.iter().map(|build| build.code.t_max.to_string()).collect(),
        layers,
        total: format::thousands,
        marked,
    });
    let table = area_table(&builds);
    Some(Figure { id: "area", title: "Logic area by block", caption, chart, table })
}

/// Longest register-to-register path, one point per build.
pub(super) fn critical_path(view: &View) -> Option<Figure> {
    let builds = builds(view);
    let line = |path: fn(&Build) -> Option<f64>| -> Vec<(f64, f64)> {
        let pair = |build: &&Build| Some((f64::from(build.code.t_max.0), path(build)?));
        builds.iter().filter_map(pair).collect()
    };
    let encoder = line(|build| build.encoder_critical_path_ns);
    let decoder = line(|build| build.decoder_critical_path_ns);
    if decoder.len() < 2 {
        return None;
    }
    let (t_max, longest) = *decoder.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let caption = format!(
        "Longest register-to-register path after buffering, without wires: compare builds, do not \
         read absolute speeds. The slowest decoder, T_MAX = {}, needs {} ns ({} MHz).",
        format::real(t_max, 0),
        format::real(longest, 2),
        format::real(1000.0 / longest, 0),
    );
    let chart = Chart::Lines(LineChart {
        x_title: "largest strength of the build, T_MAX",
        y_title: "ns",
        x_ticks: builds.iter().map(|build| f64::from(build.code.t_max.0)).collect(),
        x_label: format::whole,
        y_scale: Scale::FromZero,
        series: vec![series(0, "encoder", encoder), series(1, "decoder", decoder)],
        labels: Vec::new(),
        marks: Vec::new(),
    });
    let mut table = Table::new(vec![
        Column::new("build", "Build", ""),
        Column::new("t_max", "T_MAX", ""),
        Column::new("encoder_critical_path_ns", "Encoder", "ns"),
        Column::new("decoder_critical_path_ns", "Decoder", "ns"),
        Column::new("encoder_mhz", "Encoder", "MHz"),
        Column::new("decoder_mhz", "Decoder", "MHz"),
    ]);
    for build in &builds {
        let paths = [build.encoder_critical_path_ns, build.decoder_critical_path_ns];
        let mut row =
            vec![Cell::text(&build.code.name), Cell::Count(u64::from(build.code.t_max.0))];
        row.extend(paths.map(|ns| Cell::real_or_absent(ns, 2)));
        row.extend(paths.map(|ns| Cell::real_or_absent(ns.map(|ns| 1000.0 / ns), 0)));
        table.push(row);
    }
    Some(Figure { id: "critical-path", title: "Critical path", caption, chart, table })
}

/// Area, registers and memory of `builds`, by block.
pub(crate) fn area_table(builds: &[&Build]) -> Table {
    let mut columns = vec![Column::new("build", "Build", ""), Column::new("t_max", "T_MAX", "")];
    for name in BLOCKS {
        let key = format!("{}_nand2eq", name.to_lowercase().replace(' ', "_"));
        let mut title = name.to_owned();
        title[..1].make_ascii_uppercase();
        columns.push(Column::new(key, title, "NAND2"));
    }
    columns.extend([
        Column::new("decoder_nand2eq", "Decoder", "NAND2"),
        Column::new("codec_nand2eq", "Both", "NAND2"),
        Column::new("codec_area_um2", "Both", "µm²"),
        Column::new("codec_flip_flops", "Flip-flops", ""),
        Column::new("memory_bits", "Memory", "bits"),
    ]);
    let mut table = Table::new(columns);
    for build in builds {
        let codec = build.codec();
        let mut row =
            vec![Cell::text(&build.code.name), Cell::Count(u64::from(build.code.t_max.0))];
        row.extend(BLOCKS.map(|name| Cell::real_or_absent(block(build, name), 0)));
        row.extend([
            Cell::real(build.decoder.nand2_equivalents, 0),
            Cell::real(codec.nand2_equivalents, 0),
            Cell::real(codec.area_um2, 0),
            Cell::Count(codec.flip_flops),
            Cell::Count(u64::from(build.memory_bits.0)),
        ]);
        table.push(row);
    }
    table.without_empty_columns()
}

/// The different builds of a configuration's points, smallest first.
fn builds<'a>(view: &View<'a>) -> Vec<&'a Build> {
    let mut builds: Vec<&Build> = Vec::new();
    for build in view.points.iter().filter_map(|point| point.build.as_ref()) {
        if builds.iter().all(|known| known.code.name != build.code.name) {
            builds.push(build);
        }
    }
    builds.sort_by_key(|build| build.code.t_max);
    builds
}

/// NAND2 equivalents of a block, the decoder's scaled so that they add up to it.
fn block(build: &Build, name: &str) -> Option<f64> {
    if name == "encoder" {
        return Some(build.encoder.nand2_equivalents);
    }
    build.decoder_shares().into_iter().find(|(block, _)| *block == name).map(|(_, area)| area)
}
