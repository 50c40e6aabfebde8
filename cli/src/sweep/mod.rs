//! `floatgate sweep`: what a stronger code costs and what it buys, measured.
//!
//! In: a sweep configuration. Out: a run folder with the report. The RTL is measured point by
//! point on all cores, then the same RTL is synthesised.

pub(crate) mod config;
mod life;
mod points;
mod silicon;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use floatgate_cosim::ecc::lockstep::errors_anywhere;
use floatgate_cosim::ecc::stimulus::GoldenCodes;
use floatgate_cosim::ecc::{Message, RtlDecoder};
use floatgate_cosim::synth::DEFAULT_LIBERTY;
use floatgate_hal::units::{ByteCount, Strength};
use floatgate_model::config::{ConfigError, Fault, NamedCode, load_checked};
use floatgate_report::model::{Build, ControllerBuild, PageSettings, Point, Settings, SweepResult};
use floatgate_report::{Report, RunFolder, metrics_json, recommend};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use verilated::{Stalls, Trace, TraceFormat, TraceWindow};

use crate::exit::{ExitCode, Failure, OrExit};
use crate::progress::progress;
use crate::project;
use crate::provenance::{self, Started, report_failure};
use config::SweepConfig;
use silicon::{Plan, Silicon, Use, Wanted};

/// What the command is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Sweep configuration [default: configs/sweeps/default.ron]
    #[arg(short, long)]
    config: Option<PathBuf>,
    /// Folder in which the run folder is made
    #[arg(short, long, default_value = "out")]
    out: PathBuf,
    /// Worker threads and synthesis runs at once [default: the machine's cores]
    #[arg(short, long)]
    jobs: Option<NonZeroUsize>,
    /// File whose bytes are encoded, instead of the configuration's
    #[arg(long)]
    data: Option<PathBuf>,
    /// Cell library of the synthesis
    #[arg(long, default_value = DEFAULT_LIBERTY)]
    liberty: PathBuf,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    /// Leave a waveform of one decoded codeword in the run folder
    #[arg(long)]
    wave: bool,
}

/// Data that is encoded where neither the command line nor the configuration names a file.
const DEFAULT_DATA: &str = "ecc-rtl/bch_key_equation.sv";

/// Runs a sweep.
///
/// # Errors
/// One line for whatever stands in the way; nothing is left of an unfinished run.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let started = Started::now();
    let root = project::root();
    let path = options.config.clone().unwrap_or_else(|| root.join("configs/sweeps/default.ron"));
    let sweep: SweepConfig = load_checked(&path).or_exit(ExitCode::Input)?;
    let work = Work::prepare(&sweep, &root, &path, options)?;
    let interrupt = provenance::interrupt()?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder =
        RunFolder::create(&options.out, &format!("sweep-{stem}")).map_err(report_failure)?;

    let jobs = options.jobs.or_else(|| std::thread::available_parallelism().ok());
    let jobs = jobs.unwrap_or(NonZeroUsize::MIN);
    let mut points = measure_points(&sweep, &work, jobs, &interrupt)?;
    let mut notes = Vec::new();
    let (builds, controllers) =
        synthesise(&sweep, &work, options, jobs, &interrupt, &mut points, &mut notes)?;
    if options.wave {
        record_wave(&work, sweep.seed, &folder.waves())?;
    }
    let report = Report {
        sweep: SweepResult {
            name: format!("sweep-{stem}"),
            title: sweep.title.clone(),
            settings: settings(&sweep, &work, options, &points),
            points,
            builds,
            controllers,
            notes,
        },
        run: started.info(sweep.seed, jobs.get()),
    };
    if interrupt.load(Ordering::Relaxed) {
        return Err(Failure::interrupted());
    }
    let written = folder.finish(&report, &sweep).map_err(report_failure)?;
    conclude(&report, &written, options.json);
    Ok(())
}

/// Everything that a sweep works on.
struct Work {
    root: PathBuf,
    codes: Vec<NamedCode>,
    crc_code: Option<NamedCode>,
    builds: Vec<NamedCode>,
    data: Vec<u8>,
    data_source: String,
}

impl Work {
    fn prepare(
        sweep: &SweepConfig,
        root: &Path,
        path: &Path,
        options: &Options,
    ) -> Result<Self, Failure> {
        let fault = |field: String, message: String| {
            Failure::new(ExitCode::Input, ConfigError::at(path, Fault::new(field, message)))
        };
        let named = |field: String, name: &str| {
            project::code(name).map_err(|failure| fault(field, failure.line))
        };
        let mut codes = Vec::new();
        for (index, swept) in sweep.codes.iter().enumerate() {
            let code = named(format!("codes[{index}].code"), &swept.code)?;
            let admitted: Vec<Strength> = code.config.strengths().collect();
            if let Some(t) = swept.strengths().find(|t| !admitted.contains(t)) {
                let message =
                    format!("{t} is not one of {}'s, 1 to {}", code.name, code.config.t_max);
                return Err(fault(format!("codes[{index}].strengths"), message));
            }
            if !sweep.page.data_bytes.is_multiple_of(code.config.k_max_bytes) {
                let message = format!(
                    "{} is no whole number of {}'s {} bytes",
                    sweep.page.data_bytes, code.name, code.config.k_max_bytes
                );
                return Err(fault("page.data_bytes".to_owned(), message));
            }
            codes.push(code);
        }
        let crc_code = sweep.miscorrection.crc_code.as_deref();
        let crc_code =
            crc_code.map(|name| named("miscorrection.crc_code".to_owned(), name)).transpose()?;
        let builds = sweep.synthesis.iter().flat_map(|synthesis| &synthesis.builds);
        let builds = builds
            .map(|name| named("synthesis.builds".to_owned(), name))
            .collect::<Result<_, _>>()?;
        let file = options.data.clone().or_else(|| sweep.data.clone());
        let data_path = file.unwrap_or_else(|| root.join(DEFAULT_DATA));
        let shown = data_path.strip_prefix(root).unwrap_or(&data_path).display().to_string();
        let data = fs::read(&data_path)
            .map_err(|error| Failure::new(ExitCode::Input, format!("{shown}: {error}")))?;
        if data.is_empty() {
            return Err(Failure::new(ExitCode::Input, format!("{shown}: the file is empty")));
        }
        let data_source = format!("{shown}, {} bytes", data.len());
        Ok(Self { root: root.to_owned(), codes, crc_code, builds, data, data_source })
    }

    /// The configuration of a name, which has been checked to be there.
    fn code(&self, name: &str) -> &NamedCode {
        self.codes.iter().find(|code| code.name == name).expect("prepared")
    }
}

fn measure_points(
    sweep: &SweepConfig,
    work: &Work,
    jobs: NonZeroUsize,
    interrupt: &AtomicBool,
) -> Result<Vec<Point>, Failure> {
    let wanted: Vec<(&NamedCode, Strength)> = sweep
        .codes
        .iter()
        .flat_map(|swept| swept.strengths().map(|t| (work.code(&swept.code), t)))
        .collect();
    let bar = progress(wanted.len(), "measuring");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.get())
        .build()
        .or_exit(ExitCode::Unexpected)?;
    let points: Result<Vec<Point>, Failure> = pool.install(|| {
        wanted
            .par_iter()
            .map(|&(code, t)| {
                let point =
                    points::measure(sweep, code, work.crc_code.as_ref(), t, &work.data, &|| {
                        interrupt.load(Ordering::Relaxed)
                    });
                bar.inc(1);
                point
            })
            .collect()
    });
    bar.finish_and_clear();
    points
}

/// Builds of the points and for comparison, and of controllers; without the tools a note instead.
fn synthesise(
    sweep: &SweepConfig,
    work: &Work,
    options: &Options,
    jobs: NonZeroUsize,
    interrupt: &Arc<AtomicBool>,
    points: &mut [Point],
    notes: &mut Vec<String>,
) -> Result<(Vec<Build>, Vec<ControllerBuild>), Failure> {
    let Some(synthesis) = &sweep.synthesis else { return Ok((Vec::new(), Vec::new())) };
    let mut wanted: Vec<Wanted> = points
        .iter()
        .map(|point| {
            let code = work.code(&point.code.name);
            let own = synthesis.per_strength.then(|| silicon::build_for(code, point.t.0));
            Wanted { code: own.unwrap_or_else(|| code.clone()), use_of: Use::Point }
        })
        .collect();
    let compared =
        work.builds.iter().map(|code| Wanted { code: code.clone(), use_of: Use::Comparison });
    wanted.extend(compared);
    let bar = progress(0, "synthesising");
    let plan = Plan {
        root: &work.root,
        liberty: &options.liberty,
        jobs,
        interrupt: Arc::clone(interrupt),
        bar: bar.clone(),
    };
    let silicon = silicon::synthesise(&wanted, &plan);
    let controllers = silicon::controllers(&synthesis.controllers, &plan);
    bar.finish_and_clear();
    match silicon? {
        Silicon::Missing(line) => {
            eprintln!("floatgate: {line}; the report has no area and no timing");
            notes.push(format!("No area and no timing: {line}."));
            Ok((Vec::new(), Vec::new()))
        }
        Silicon::Builds(mut builds) => {
            let rest = builds.split_off(points.len());
            for (point, build) in points.iter_mut().zip(builds) {
                point.build = Some(build);
            }
            Ok((rest, controllers?))
        }
    }
}

fn settings(sweep: &SweepConfig, work: &Work, options: &Options, points: &[Point]) -> Settings {
    let library = options.liberty.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let synthesised = points.iter().any(|point| point.build.is_some());
    Settings {
        clock_mhz: sweep.clock_mhz,
        codewords_per_point: sweep.codewords_per_point,
        data_source: work.data_source.clone(),
        uber_target: sweep.uber_target,
        rber_models: sweep.wear.iter().map(life::rber_model).collect(),
        page: Some(PageSettings {
            data_bytes: ByteCount(sweep.page.data_bytes),
            bus_mb_per_s: sweep.page.bus_mb_per_s,
        }),
        cell_library: synthesised.then_some(library),
    }
}

/// A waveform of one codeword with as many errors as the first configuration corrects.
fn record_wave(work: &Work, seed: u64, folder: &Path) -> Result<(), Failure> {
    let code = &work.codes[0];
    let strength = Strength(code.config.t_max.min(8) as u16);
    let data = points::chunks(&work.data, code.config.k_max_bytes as usize, 1).remove(0);
    let mut golden = GoldenCodes::new(&code.config);
    let mut received = golden.received(&Message { strength, data });
    let bits = golden.code(strength, received.message.len()).codeword_bits().0;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    golden.flip(&mut received, &errors_anywhere(&mut rng, bits, usize::from(strength.0)));
    let mut decoder = RtlDecoder::new(code, seed).or_exit(ExitCode::Unexpected)?;
    let path = folder.join(format!("{}-decode-t{strength}.fst", code.name));
    let trace = Trace { path, format: TraceFormat::Fst, window: TraceWindow::All };
    decoder.model().start_trace(&trace).or_exit(ExitCode::Output)?;
    decoder.decode(&[received], Stalls::default()).or_exit(ExitCode::Unexpected)?;
    decoder.model().end_trace().or_exit(ExitCode::Output)?;
    Ok(())
}

/// The last word: the recommendation, or the whole result.
fn conclude(report: &Report, written: &Path, json: bool) {
    if json {
        println!("{}", metrics_json(&report.sweep));
        return;
    }
    for code in report.sweep.codes() {
        let points = report.sweep.points_of(&code.name);
        if let Some(recommendation) = recommend(&points, &report.sweep.settings) {
            println!("{}: {}", code.name, recommendation.sentence());
        }
    }
    println!("{}", written.join("report.html").display());
}
