//! Yosys' account of a mapped design (`stat -json` and a dump of the memory cells) in, sizes out.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{
    blocks::{Block, BlockArea},
    job::Area,
    liberty::Liberty,
};

/// The module that holds data while the decoder works: a memory macro in silicon, counted in bits.
pub(super) const MEMORY_MODULE: &str = "bch_buffer";

/// Cell counts of every module, as `stat -json` gives them.
#[derive(Debug)]
pub(super) struct DesignStat {
    modules: BTreeMap<String, ModuleStat>,
}

#[derive(Debug, Deserialize)]
struct ModuleStat {
    /// Instances by type; a type is a library cell or another module.
    num_cells_by_type: BTreeMap<String, u64>,
    /// Later versions list the instances of modules apart.
    #[serde(default)]
    num_submodules_by_type: BTreeMap<String, u64>,
}

impl DesignStat {
    /// Reads the object `modules`, and nothing after it: Yosys 0.23 writes its summary of a deeper
    /// hierarchy in something else than JSON.
    pub(super) fn parse(json: &str) -> Result<Self, String> {
        let label = r#""modules":"#;
        let (_, rest) = json.split_once(label).ok_or("stat.json lists no modules")?;
        let mut values =
            serde_json::Deserializer::from_str(rest).into_iter::<BTreeMap<String, ModuleStat>>();
        let modules = values.next().ok_or("stat.json ends before its modules")?;
        let modules = modules.map_err(|error| format!("modules in stat.json: {error}"))?;
        let modules = modules.into_iter().map(|(name, module)| (unescape(&name), module));
        Ok(Self { modules: modules.collect() })
    }

    /// Sizes of the blocks below `top`, all instances counted.
    pub(super) fn blocks(&self, top: &str, library: &Liberty) -> Result<Vec<BlockArea>, String> {
        let mut areas = BTreeMap::new();
        self.add_instances(top, (1, Block::Control), library, &mut areas)?;
        let sum_um2: f64 = areas.values().map(|area| area.area_um2).sum();
        let share = |area: &Area| if sum_um2 > 0.0 { area.area_um2 / sum_um2 } else { 0.0 };
        let blocks = areas.iter().map(|(&block, area)| {
            let mut area = *area;
            area.gate_equivalents = area.area_um2 / library.nand2_area_um2();
            BlockArea { block, area, share: share(&area) }
        });
        Ok(blocks.collect())
    }

    /// Size of everything below `top`.
    pub(super) fn total(&self, top: &str, library: &Liberty) -> Result<Area, String> {
        let blocks = self.blocks(top, library)?;
        let mut total = Area::default();
        for BlockArea { area, .. } in &blocks {
            total.cells += area.cells;
            total.flip_flops += area.flip_flops;
            total.area_um2 += area.area_um2;
        }
        total.gate_equivalents = total.area_um2 / library.nand2_area_um2();
        Ok(total)
    }

    /// Adds the cells of a module, which stands that many times in that block, and of all below.
    fn add_instances(
        &self,
        module_name: &str,
        (instances, outer): (u64, Block),
        library: &Liberty,
        areas: &mut BTreeMap<Block, Area>,
    ) -> Result<(), String> {
        let module = self
            .modules
            .get(module_name)
            .ok_or_else(|| format!("stat.json has no module {module_name}"))?;
        let block = Block::of_module(written_name(module_name), outer);
        let children = module.num_cells_by_type.iter().chain(&module.num_submodules_by_type);
        for (cell_type, count) in children {
            let count = count * instances;
            let name = unescape(cell_type);
            if written_name(&name) == MEMORY_MODULE {
                continue;
            }
            if self.modules.contains_key(&name) {
                self.add_instances(&name, (count, block), library, areas)?;
                continue;
            }
            // A cell without an area would make the design look smaller than it is.
            let cell = library
                .cell(&name)
                .ok_or_else(|| format!("{name} in {module_name} is no cell of the library"))?;
            let area = areas.entry(block).or_default();
            area.cells += count;
            area.flip_flops += if cell.is_flip_flop { count } else { 0 };
            area.area_um2 += cell.area_um2 * count as f64;
        }
        Ok(())
    }
}

/// Yosys marks names from the source text by a backslash.
fn unescape(name: &str) -> String {
    name.strip_prefix('\\').unwrap_or(name).to_string()
}

/// The module `syndrome` with parameters is called `$paramod\syndrome\T=...`, or, where that is
/// long, `$paramod$<hash>\syndrome`.
fn written_name(name: &str) -> &str {
    match name.strip_prefix("$paramod") {
        Some(derived) => derived.split('\\').nth(1).unwrap_or(name),
        None => name,
    }
}

/// Bits of all memory instances in a dump of their cells: parameters WIDTH and DEPTH of each.
pub(super) fn memory_bits(dump: &str) -> Result<u64, String> {
    let mut bits = 0;
    let (mut width, mut depth) = (None, None);
    for line in dump.lines() {
        match *line.split_whitespace().collect::<Vec<_>>() {
            ["parameter", .., "\\WIDTH", value] => width = Some(constant(value)?),
            ["parameter", .., "\\DEPTH", value] => depth = Some(constant(value)?),
            ["cell", ..] => (width, depth) = (None, None),
            ["end"] => match (width, depth) {
                (Some(width), Some(depth)) => bits += width * depth,
                _ => return Err(format!("an instance of {MEMORY_MODULE} lacks WIDTH or DEPTH")),
            },
            _ => {}
        }
    }
    Ok(bits)
}

/// A constant as Yosys dumps it: decimal, or bits after their number, `5'01010`.
fn constant(text: &str) -> Result<u64, String> {
    let value = match text.split_once('\'') {
        Some((_, bits)) => u64::from_str_radix(bits, 2),
        None => text.parse(),
    };
    value.map_err(|_| format!("{MEMORY_MODULE} has a parameter that is no number: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = "library (l) {
        cell (NAND2X1) { area : 24; }
        cell (XOR2X1) { area : 56; }
        cell (DFFPOSX1) { ff (Q, QN) { } area : 96; }
    }";

    /// A top with two equal syndrome modules and a Chien search with a parameter, which itself
    /// contains a module of the key equation's.
    const HIERARCHY: &str = r#"{
      "creator": "Yosys 0.23 (git sha1 7ce5011c24b)",
      "invocation": "stat -json ",
      "modules": {
        "$paramod$0123abcd\\bch_chien": {
          "num_cells": 4,
          "num_cells_by_type": { "XOR2X1": 3, "$paramod\\bch_key_equation\\T=s32'00000010": 1 }
        },
        "$paramod\\bch_key_equation\\T=s32'00000010": {
          "num_cells": 1, "num_cells_by_type": { "DFFPOSX1": 1 }
        },
        "\\bch_syndrome": { "num_cells": 2, "num_cells_by_type": { "XOR2X1": 1, "DFFPOSX1": 1 } },
        "\\top": {
          "num_cells": 5,
          "num_cells_by_type": {
            "$paramod$0123abcd\\bch_chien": 1, "NAND2X1": 2, "bch_buffer": 1, "bch_syndrome": 2
          }
        }
      },
       $paramod\bch_key_equation\T=s32'00000010      1
      "design": { "num_cells": 12 }
    }"#;

    fn library() -> Liberty {
        Liberty::parse(LIBRARY).unwrap()
    }

    #[test]
    fn every_instance_counts_with_its_block() {
        let stat = DesignStat::parse(HIERARCHY).unwrap();
        let blocks = stat.blocks("top", &library()).unwrap();
        let brief: Vec<_> = blocks
            .iter()
            .map(|b| (b.block, b.area.cells, b.area.flip_flops, b.area.area_um2))
            .collect();
        assert_eq!(
            brief,
            [
                (Block::Syndrome, 4, 2, 304.0),
                (Block::Chien, 4, 1, 264.0),
                (Block::Control, 2, 0, 48.0),
            ]
        );
        let share_sum: f64 = blocks.iter().map(|block| block.share).sum();
        assert!((share_sum - 1.0).abs() < 1e-12, "{share_sum}");
        let total = stat.total("top", &library()).unwrap();
        assert_eq!(
            total,
            Area { cells: 10, flip_flops: 3, gate_equivalents: 616.0 / 24.0, area_um2: 616.0 }
        );
    }

    #[test]
    fn a_cell_without_area_is_an_error() {
        let stat = DesignStat::parse(
            r#"{"modules": {"\\top": {"num_cells_by_type": {"$_DLATCH_P_": 1}}}}"#,
        );
        let error = stat.unwrap().total("top", &library()).unwrap_err();
        assert_eq!(error, "$_DLATCH_P_ in top is no cell of the library");
        let stat = DesignStat::parse(HIERARCHY).unwrap();
        assert_eq!(stat.total("else", &library()).unwrap_err(), "stat.json has no module else");
        let error = |json: &str| DesignStat::parse(json).unwrap_err();
        assert_eq!(error("Yosys"), "stat.json lists no modules");
        assert_eq!(error(r#"{"modules": "#), "stat.json ends before its modules");
        assert!(error(r#"{"modules": {"a": {}}}"#).contains("missing field `num_cells_by_type`"));
    }

    #[test]
    fn memories_are_counted_in_bits() {
        let dump = r"

  attribute \module_not_derived 1
  cell \bch_buffer \u_data.u_buffer
    parameter signed \DEPTH 64
    parameter signed \WIDTH 12
    connect \clk_i \clk_i
  end
  cell \bch_buffer \u_other
    parameter \DEPTH 5'10000
    parameter \WIDTH 8
  end
";
        assert_eq!(memory_bits(dump), Ok(64 * 12 + 16 * 8));
        assert_eq!(memory_bits("\n"), Ok(0));
        let error = memory_bits("cell \\bch_buffer \\u\n parameter \\WIDTH 8\n end\n");
        assert_eq!(error.unwrap_err(), "an instance of bch_buffer lacks WIDTH or DEPTH");
        let error = memory_bits("parameter \\WIDTH 4'10xx\n").unwrap_err();
        assert_eq!(error, "bch_buffer has a parameter that is no number: 4'10xx");
    }
}
