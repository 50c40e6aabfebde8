//! `floatgate store`: a file through firmware, codec, channel and dies, and back; what each step
//! took, and what was corrected.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use floatgate_cosim::device::{self as rtl, RtlStoreError, Waves};
use floatgate_cosim::flash::Idle;
use floatgate_hal::units::{BitCount, Picoseconds};
use floatgate_model::config::{Engine, SsdConfig};
use floatgate_model::device::{Budget, Job, StoreError, StoreReport, store};
use floatgate_model::die::Part;
use serde::Serialize;

use crate::exit::{ExitCode, Failure, OrExit};
use crate::file_codec::write;
use crate::project;

/// What the command is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The file
    file: PathBuf,
    /// The device, as in configs/ssd
    #[arg(long)]
    config: PathBuf,
    /// Write the file here as it was read back
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// What channel and codec are, in place of what the configuration says
    #[arg(long, value_enum)]
    engine: Option<EngineChoice>,
    /// Write a waveform of the RTL here (.vcd), and what it means beside it (.transactions.vcd)
    #[arg(long, value_name = "F.vcd")]
    wave: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// How channel and codec are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum EngineChoice {
    /// The transaction-level models
    Model,
    /// The SystemVerilog
    Rtl,
}

impl From<EngineChoice> for Engine {
    fn from(choice: EngineChoice) -> Self {
        match choice {
            EngineChoice::Model => Self::Model,
            EngineChoice::Rtl => Self::Rtl,
        }
    }
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Summary {
    bytes: usize,
    pages: u32,
    codewords: usize,
    part: String,
    dies: u8,
    bad_blocks: u32,
    mount_us: f64,
    write: Steps,
    read: Steps,
    /// Codewords by the number of bits corrected in them.
    corrected: BTreeMap<u32, u32>,
    /// Breaches of the protocol that the dies' checkers found.
    breaches: Vec<String>,
}

/// Time of a page, averaged over the pages of the file, in the order in which it is spent.
#[derive(Debug, Serialize)]
struct Steps {
    firmware_us: f64,
    ecc_us: f64,
    command_address_us: f64,
    transfer_us: f64,
    array_us: f64,
    waiting_us: f64,
    /// From the first page's beginning to the last one's end, all dies.
    span_us: f64,
    /// Share of that in which data or status were on the bus.
    bus_used: f64,
}

/// Stores a file and reads it back.
///
/// # Errors
/// A wrong configuration or file, a page that cannot be corrected, a die that fails.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut config = SsdConfig::load(&options.config).or_exit(ExitCode::Input)?;
    config.engine = options.engine.map_or(config.engine, Engine::from);
    let waves = waves(options, config.engine)?;
    let code = project::code(&config.code)?;
    let part = project::part(&config.part)?;
    let file = fs::read(&options.file).map_err(|error| {
        Failure::new(ExitCode::Input, format!("{}: {error}", options.file.display()))
    })?;
    let job = Job { config, part, code, file };
    let report = match job.config.engine {
        Engine::Model => {
            store(&job, &project::calibration()?).map_err(|error| failure(options, &error))?
        }
        Engine::Rtl => {
            rtl::store(&job, Idle::Skipped, waves.as_ref())
                .map_err(|error| rtl_failure(options, &error))?
                .store
        }
    };
    if report.data != job.file {
        let line = format!("{}: was read back otherwise than stored", options.file.display());
        return Err(Failure::new(ExitCode::Unexpected, line));
    }
    if let Some(output) = &options.output {
        write(output, &report.data)?;
    }
    let summary = summary(&job.config, &job.part, &report);
    if options.json {
        println!("{}", serde_json::to_string_pretty(&summary).expect("plain data"));
    } else {
        print(&summary);
    }
    if let Some(breach) = summary.breaches.first() {
        let line = format!("{}: the protocol was broken: {breach}", options.config.display());
        return Err(Failure::new(ExitCode::Unexpected, line));
    }
    Ok(())
}

/// The files of a waveform, which only the RTL has.
fn waves(options: &Options, engine: Engine) -> Result<Option<Waves>, Failure> {
    let Some(path) = &options.wave else { return Ok(None) };
    let refuse = |what: &str| Err(Failure::new(ExitCode::Input, format!("--wave: {what}")));
    if engine != Engine::Rtl {
        return refuse("the models have no waveform; choose --engine rtl");
    }
    if path.extension().is_none_or(|extension| extension != "vcd") {
        return refuse(&format!("{}: the name has to end in .vcd", path.display()));
    }
    Ok(Some(Waves::at(path)))
}

fn rtl_failure(options: &Options, error: &RtlStoreError) -> Failure {
    let code = match error {
        RtlStoreError::Store(error) => return failure(options, error),
        RtlStoreError::Rtl(error @ verilated::Error::Trace { .. }) => {
            return Failure::new(ExitCode::Output, error);
        }
        RtlStoreError::Bus(_) | RtlStoreError::Rtl(_) => ExitCode::Unexpected,
        RtlStoreError::Wave { .. } => return Failure::new(ExitCode::Output, error),
        RtlStoreError::Dies { .. } => ExitCode::Input,
    };
    Failure::new(code, format!("{}: {error}", options.config.display()))
}

fn failure(options: &Options, error: &StoreError) -> Failure {
    let code = match error {
        StoreError::Read(_) | StoreError::Lost { .. } => ExitCode::Uncorrectable,
        StoreError::Bus(_) | StoreError::Mode(_) | StoreError::Full => ExitCode::Device,
        StoreError::Deadlock(_) | StoreError::Program(_) => ExitCode::Unexpected,
        StoreError::Empty | StoreError::TooLarge { .. } => {
            let line = format!("{}: {error}", options.file.display());
            return Failure::new(ExitCode::Input, line);
        }
        StoreError::Strength { .. }
        | StoreError::Uncalibrated { .. }
        | StoreError::Layout(_)
        | StoreError::BringUp(_) => ExitCode::Input,
    };
    Failure::new(code, format!("{}: {error}", options.config.display()))
}

fn summary(config: &SsdConfig, part: &Part, report: &StoreReport) -> Summary {
    let mut corrected = BTreeMap::new();
    for &BitCount(bits) in &report.corrected {
        *corrected.entry(bits).or_insert(0) += 1;
    }
    Summary {
        bytes: report.data.len(),
        pages: report.read.pages,
        codewords: report.corrected.len(),
        part: part.identity.model.clone(),
        dies: config.dies,
        bad_blocks: report.bad_blocks,
        mount_us: us(report.mount),
        write: steps(&report.write),
        read: steps(&report.read),
        corrected,
        breaches: report.breaches.clone(),
    }
}

fn steps(budget: &Budget) -> Steps {
    let per_page = |span: Picoseconds| us(span) / f64::from(budget.pages);
    let channel = &budget.channel;
    Steps {
        firmware_us: per_page(budget.firmware),
        ecc_us: per_page(budget.ecc),
        command_address_us: per_page(channel.command()),
        transfer_us: per_page(channel.transfer),
        array_us: per_page(channel.array),
        waiting_us: per_page(channel.waiting),
        span_us: us(budget.span),
        bus_used: us(channel.transfer) / us(budget.span),
    }
}

fn us(span: Picoseconds) -> f64 {
    span.0 as f64 / 1e6
}

fn print(summary: &Summary) {
    let Summary { bytes, pages, codewords, part, dies, bad_blocks, write, read, .. } = summary;
    println!("{bytes} bytes in {pages} pages, {codewords} codewords, on {dies} x {part}");
    println!("read back identical; mounted in {:.0} us, {bad_blocks} bad blocks", summary.mount_us);
    println!();
    println!("{:<22}{:>14}{:>14}", "us a page", "program", "read");
    let lines = [
        ("firmware", write.firmware_us, read.firmware_us),
        ("ECC", write.ecc_us, read.ecc_us),
        ("command, address", write.command_address_us, read.command_address_us),
        ("transfer", write.transfer_us, read.transfer_us),
        ("array", write.array_us, read.array_us),
        ("waiting", write.waiting_us, read.waiting_us),
    ];
    for (name, program, read) in lines {
        println!("{name:<22}{program:>14.3}{read:>14.3}");
    }
    println!("{:<22}{:>14.0}{:>14.0}", "whole file, us", write.span_us, read.span_us);
    println!("{:<22}{:>14.3}{:>14.3}", "share of bus used", write.bus_used, read.bus_used);
    println!();
    println!("{:<22}{:>14}", "bits corrected", "codewords");
    for (bits, count) in &summary.corrected {
        println!("{bits:<22}{count:>14}");
    }
    println!();
    println!("protocol errors: {}", summary.breaches.len());
    summary.breaches.iter().for_each(|breach| println!("{breach}"));
}
