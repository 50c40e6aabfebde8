//! The `floatgate` command. stdout carries the result, stderr progress and the one line of a
//! failure; `exit.rs` lists the exit codes.

mod characterize;
mod codes;
mod compare;
mod exit;
mod experiment;
mod file_codec;
mod progress;
mod project;
mod provenance;
mod run;
mod store;
mod sweep;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use exit::{ExitCode, Failure, OrExit};

/// A flash-controller laboratory: what error correction costs, and what it buys.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Sweep the strength of the code over the RTL and report what it costs and buys
    Sweep(sweep::Options),
    /// Write the report of a run folder anew
    Report {
        /// The run folder
        folder: PathBuf,
    },
    /// List the configurations of the codec
    Codes {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Measure the RTL's clocks and write them as the models' calibration
    Characterize(characterize::Options),
    /// Encode a file into codewords
    Encode(file_codec::Options),
    /// Decode a file of codewords
    Decode(file_codec::Options),
    /// Store a file in modelled flash and read it back
    Store(store::Options),
    /// Run hosts' loads on whole drives
    Run(run::Options),
    /// Put two run folders side by side
    Compare(compare::Options),
    /// Measure a published system beside its published figures
    #[command(subcommand)]
    Experiment(experiment::Experiment),
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 unexpected, 2 usage, 3 wrong input, 4 tool missing or failed,
5 output not writable, 10 uncorrectable codeword, 11 RTL and model part, 12 die failed,
13 figure of an experiment missed, 130 interrupted";

fn main() {
    let outcome = match Cli::parse().command {
        Command::Sweep(options) => sweep::run(&options),
        Command::Report { folder } => report(&folder),
        Command::Codes { json } => codes::list(json),
        Command::Characterize(options) => characterize::run(&options),
        Command::Encode(options) => file_codec::encode(&options),
        Command::Decode(options) => file_codec::decode(&options),
        Command::Store(options) => store::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Compare(options) => compare::run(&options),
        Command::Experiment(experiment) => experiment::run(&experiment),
    };
    if let Err(Failure { code, line }) = outcome {
        eprintln!("floatgate: {line}");
        std::process::exit(code as i32);
    }
}

fn report(folder: &std::path::Path) -> Result<(), Failure> {
    let path = floatgate_report::render(folder).or_exit(ExitCode::Input)?;
    println!("{}", path.display());
    Ok(())
}
