//! What is to be synthesized, and what comes out.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{blocks::BlockArea, error::SynthError};

/// Cell library that published figures are compared in: OSU 0.18 um, of Debian's qflow-tech-osu018.
pub const DEFAULT_LIBERTY: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";

/// Which netlist is made; `ecc-rtl/synth/area.tcl` has the recipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Mapped as it is: the area that gate counts are compared by.
    Plain,
    /// High fan-out buffered and gates sized: the netlist that has a meaningful critical path.
    Buffered,
    /// Sub-blocks mapped apart: the shares of the area.
    Blocks,
}

impl Variant {
    /// Name in scripts and file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Buffered => "buffered",
            Self::Blocks => "blocks",
        }
    }
}

/// One run of the synthesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SynthJob {
    /// Module to synthesize.
    pub top: String,
    /// Elaboration parameters of the top.
    pub params: BTreeMap<String, i64>,
    /// SystemVerilog files among which everything the top needs is found; more is harmless.
    pub files: Vec<PathBuf>,
    /// Folders of included files.
    pub include_dirs: Vec<PathBuf>,
    /// Cell library, liberty text.
    pub liberty: PathBuf,
    /// Which netlist.
    pub variant: Variant,
}

impl SynthJob {
    /// A job for a top of the project's codec, with all of the codec's source files.
    ///
    /// # Errors
    /// [`SynthError::Io`] if the folders `ecc-rtl` and `rtl/prim` can't be listed.
    pub fn codec(
        project_root: &Path,
        top: &str,
        params: BTreeMap<String, i64>,
        liberty: &Path,
        variant: Variant,
    ) -> Result<Self, SynthError> {
        let dirs = ["ecc-rtl", "rtl/prim"].map(|dir| project_root.join(dir));
        Self::of_dirs(dirs.to_vec(), top, params, liberty, variant)
    }

    /// A job for the channel controller with so many dies and banks of timings, as it is timed.
    ///
    /// # Errors
    /// [`SynthError::Io`] if the folders `rtl` and `rtl/prim` can't be listed.
    pub fn controller(
        project_root: &Path,
        dies: u32,
        banks: u32,
        liberty: &Path,
    ) -> Result<Self, SynthError> {
        let dirs = ["rtl", "rtl/prim"].map(|dir| project_root.join(dir));
        let params = [("N_DIES", dies), ("N_BANKS", banks)];
        let params = params.map(|(name, value)| (name.to_owned(), value.into())).into();
        Self::of_dirs(dirs.to_vec(), "onfi_controller", params, liberty, Variant::Buffered)
    }

    /// A job for a top whose sources and included files are in these folders.
    fn of_dirs(
        include_dirs: Vec<PathBuf>,
        top: &str,
        params: BTreeMap<String, i64>,
        liberty: &Path,
        variant: Variant,
    ) -> Result<Self, SynthError> {
        let mut files = Vec::new();
        for dir in &include_dirs {
            for entry in fs::read_dir(dir).map_err(SynthError::io(dir))? {
                files.push(entry.map_err(SynthError::io(dir))?.path());
            }
        }
        files.retain(|path| path.extension().is_some_and(|extension| extension == "sv"));
        files.sort();
        let (top, liberty) = (top.to_string(), liberty.to_path_buf());
        Ok(Self { top, params, files, include_dirs, liberty, variant })
    }
}

/// Size of a mapped netlist, without the data buffer's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Area {
    /// Library cells, flip-flops among them.
    pub cells: u64,
    /// Flip-flops.
    pub flip_flops: u64,
    /// Area in units of the library's smallest two-input NAND gate.
    pub gate_equivalents: f64,
    /// Cell area without wiring, in the library's unit, square micrometres.
    pub area_um2: f64,
}

/// Longest path from register to register, clock ideal, wires without load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Clock to output, logic and set-up time together, in nanoseconds.
    pub critical_path_ns: f64,
    /// The clock that this path allows, in megahertz.
    pub fmax_mhz: f64,
    /// Signal of the register where the path starts.
    pub start_point: String,
    /// Signal of the register where it ends.
    pub end_point: String,
}

/// Figures of one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SynthResult {
    /// Size of the whole netlist.
    pub area: Area,
    /// Bits of all instances of the data buffer, which is a memory and not in `area`. In
    /// [`Variant::Blocks`], one that is within a block counts once, however often the block stands.
    pub memory_bits: u64,
    /// Sub-blocks with their shares; empty unless [`Variant::Blocks`].
    pub blocks: Vec<BlockArea>,
    /// Critical path; none unless [`Variant::Buffered`], nor where no register feeds another.
    pub timing: Option<Timing>,
}
