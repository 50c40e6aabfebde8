//! Area and timing of the builds of a sweep.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use floatgate_cosim::synth::{
    Block, SynthError, SynthEvent, SynthJob, SynthObserver, SynthResult, SynthSetup, Variant,
    run_all,
};
use floatgate_hal::units::BitCount;
use floatgate_model::config::{CodeConfig, NamedCode};
use floatgate_report::model::{BlockArea, Build, ControllerBuild};
use indicatif::ProgressBar;

use super::points;
use crate::exit::{ExitCode, Failure, OrExit};

/// What is wanted of a build.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Its parameters.
    pub(crate) code: NamedCode,
    /// Whether it is compared with published gate counts, which are those of plain netlists, or
    /// shown block by block, with the buffered netlist that is timed as its whole.
    pub(crate) use_of: Use,
}

/// What a build is synthesised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A point of the sweep.
    Point,
    /// Comparison with published codecs.
    Comparison,
}

impl Use {
    /// The runs, as top and netlist.
    fn runs(self) -> &'static [(&'static str, Variant)] {
        match self {
            Self::Point => &[
                ("bch_decoder", Variant::Buffered),
                ("bch_decoder", Variant::Blocks),
                ("bch_encoder", Variant::Buffered),
            ],
            Self::Comparison => &[
                ("bch_decoder", Variant::Buffered),
                ("bch_decoder", Variant::Plain),
                ("bch_encoder", Variant::Buffered),
                ("bch_encoder", Variant::Plain),
            ],
        }
    }
}

/// Where and how to synthesise.
pub(crate) struct Plan<'a> {
    /// Project folder.
    pub(crate) root: &'a Path,
    /// Cell library.
    pub(crate) liberty: &'a Path,
    /// Runs at once.
    pub(crate) jobs: NonZeroUsize,
    /// Set by Ctrl-C.
    pub(crate) interrupt: Arc<AtomicBool>,
    /// Moves on with each run.
    pub(crate) bar: ProgressBar,
}

/// Outcome of the synthesis.
pub(crate) enum Silicon {
    /// One build for each configuration asked for, in order.
    Builds(Vec<Build>),
    /// A tool is missing; the line says which.
    Missing(String),
}

/// The build that serves one strength only as well as it can: `t_max` is that strength, and the
/// key equation has as few lanes as keep up.
pub(crate) fn build_for(named: &NamedCode, t: u16) -> NamedCode {
    let mut config = CodeConfig { t_max: t.into(), kes_lanes: 1, ..named.config.clone() };
    let strength = floatgate_hal::units::Strength(t);
    while config.kes_lanes <= config.t_max
        && config.key_equation(strength) >= config.codeword_period()
    {
        config.kes_lanes += 1;
    }
    NamedCode { name: format!("{}-only-t{t}", named.name), config }
}

/// Synthesises builds, the largest runs first.
///
/// # Errors
/// A tool that fails, and Ctrl-C.
pub(crate) fn synthesise(wanted: &[Wanted], plan: &Plan<'_>) -> Result<Silicon, Failure> {
    let mut runs = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        for &(top, variant) in wanted.use_of.runs() {
            let config = &wanted.code.config;
            runs.push((index, job(config, top, variant, plan).or_exit(ExitCode::Input)?));
        }
    }
    let weight = |job: &SynthJob| {
        let of = |name: &str| job.params.get(name).copied().unwrap_or(1);
        of("T_MAX") * of("M") * (of("P") + of("P_C"))
    };
    runs.sort_by_key(|(_, job)| std::cmp::Reverse(weight(job)));
    let (owners, jobs): (Vec<usize>, Vec<SynthJob>) = runs.into_iter().unzip();
    let mut setup = SynthSetup::in_project(plan.root, plan.jobs);
    setup.interrupt = Arc::clone(&plan.interrupt);
    plan.bar.set_length(jobs.len() as u64);
    let results = run_all(&jobs, &setup, &Progress(&plan.bar)).or_exit(ExitCode::Output)?;
    let mut done: Vec<Runs> = wanted.iter().map(|_| Runs::new()).collect();
    for ((owner, job), result) in owners.into_iter().zip(jobs).zip(results) {
        match result {
            Ok(result) => done[owner].insert((job.top, job.variant), result),
            Err(SynthError::ToolMissing(missing)) => {
                return Ok(Silicon::Missing(missing.to_string()));
            }
            Err(SynthError::Interrupted) => return Err(Failure::interrupted()),
            Err(error) => return Err(Failure::new(ExitCode::Tool, error)),
        };
    }
    Ok(Silicon::Builds(
        wanted.iter().zip(&done).map(|(wanted, runs)| build(wanted, runs)).collect(),
    ))
}

/// Timing modes in use at a time that a controller is built for: one for two dies, and mode 0, or
/// as many as its registers can name.
fn banks(dies: u32) -> u32 {
    dies.clamp(2, 4)
}

/// Synthesises channel controllers with these numbers of dies; none without the tools.
///
/// # Errors
/// A tool that fails, and Ctrl-C.
pub(crate) fn controllers(dies: &[u32], plan: &Plan<'_>) -> Result<Vec<ControllerBuild>, Failure> {
    let job = |&dies: &u32| SynthJob::controller(plan.root, dies, banks(dies), plan.liberty);
    let jobs: Vec<SynthJob> =
        dies.iter().map(job).collect::<Result<_, _>>().or_exit(ExitCode::Input)?;
    let mut setup = SynthSetup::in_project(plan.root, plan.jobs);
    setup.interrupt = Arc::clone(&plan.interrupt);
    plan.bar.inc_length(jobs.len() as u64);
    let results = run_all(&jobs, &setup, &Progress(&plan.bar)).or_exit(ExitCode::Output)?;
    let mut builds = Vec::new();
    for (&dies, result) in dies.iter().zip(results) {
        let result = match result {
            Ok(result) => result,
            Err(SynthError::ToolMissing(_)) => return Ok(Vec::new()),
            Err(SynthError::Interrupted) => return Err(Failure::interrupted()),
            Err(error) => return Err(Failure::new(ExitCode::Tool, error)),
        };
        builds.push(ControllerBuild {
            dies,
            banks: banks(dies),
            cells: result.area.cells,
            area: area(&result.area),
            critical_path_ns: result.timing.map(|timing| timing.critical_path_ns),
        });
    }
    Ok(builds)
}

/// The results of a build's runs.
type Runs = BTreeMap<(String, Variant), SynthResult>;

fn job(
    config: &CodeConfig,
    top: &str,
    variant: Variant,
    plan: &Plan<'_>,
) -> Result<SynthJob, SynthError> {
    let mut params = BTreeMap::from([
        ("M", config.m),
        ("K_MAX", config.k_max().0),
        ("T_MAX", config.t_max),
        ("P", config.p),
        ("CRC", config.crc.into()),
        ("FIXED", config.fixed.into()),
    ]);
    if top == "bch_decoder" {
        params.insert("P_C", config.p_c);
        params.insert("KES_LANES", config.kes_lanes);
    }
    let params = params.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    SynthJob::codec(plan.root, top, params, plan.liberty, variant)
}

/// Puts the runs of a build together.
fn build(wanted: &Wanted, runs: &Runs) -> Build {
    let of = |top: &str, variant| runs.get(&(top.to_owned(), variant));
    let timed = |top: &str| of(top, Variant::Buffered).expect("every build is timed");
    let whole = |top: &str| area(&of(top, Variant::Plain).unwrap_or_else(|| timed(top)).area);
    let block = |wanted: Block| {
        let blocks = &of("bch_decoder", Variant::Blocks)?.blocks;
        blocks.iter().find(|block| block.block == wanted).map(|block| area(&block.area))
    };
    let path = |top: &str| timed(top).timing.as_ref().map(|timing| timing.critical_path_ns);
    Build {
        code: points::code(&wanted.code),
        encoder: whole("bch_encoder"),
        decoder: whole("bch_decoder"),
        syndrome: block(Block::Syndrome),
        key_equation: block(Block::KeyEquation),
        chien: block(Block::Chien),
        crc: block(Block::Crc),
        control: block(Block::Control),
        memory_bits: BitCount(timed("bch_decoder").memory_bits as u32),
        encoder_critical_path_ns: path("bch_encoder"),
        decoder_critical_path_ns: path("bch_decoder"),
    }
}

fn area(area: &floatgate_cosim::synth::Area) -> BlockArea {
    BlockArea {
        nand2_equivalents: area.gate_equivalents,
        area_um2: area.area_um2,
        flip_flops: area.flip_flops,
    }
}

struct Progress<'a>(&'a ProgressBar);

impl SynthObserver for Progress<'_> {
    fn on_event(&self, job: &SynthJob, event: SynthEvent<'_>) {
        let t_max = job.params.get("T_MAX").copied().unwrap_or_default();
        let what = format!("{} t = {t_max}, {}", job.top, job.variant.name());
        match event {
            SynthEvent::Started => self.0.set_message(what),
            _ => self.0.inc(1),
        }
    }
}
