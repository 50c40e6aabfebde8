//! `floatgate characterize`: what the RTL takes, measured and written as the calibration of the
//! transaction-level models.

use std::collections::BTreeMap;
use std::path::PathBuf;

use floatgate_cosim::characterize;
use floatgate_model::calibration::{CODEC_FILE, CONTROLLER_FILE, Calibration};
use floatgate_model::config::NamedCode;
use floatgate_model::ecc::EccClocks;
use rayon::prelude::*;
use serde_json::json;

use crate::exit::{ExitCode, Failure, OrExit};
use crate::file_codec::write;
use crate::project;

/// The part whose dies the controller is measured with: it has both data interfaces.
const PART: &str = "ix64mlc2lun-a";
/// Of error positions and of what has no reset; the clocks do not depend on it.
const SEED: u64 = 1;

/// What the command is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Folder of the calibration [default: configs/calibration of the project]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Measure this codec alone, and leave the rest as it is stored; may be given again
    #[arg(long, value_name = "NAME")]
    code: Vec<String>,
    /// Print the calibration as JSON
    #[arg(long)]
    json: bool,
}

/// Measures and writes.
///
/// # Errors
/// An unknown code, RTL that fails or keeps to no form, a folder that cannot be written.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let dir = options.out.clone().unwrap_or_else(project::calibration_dir);
    let calibration = if options.code.is_empty() {
        let part = project::part(PART)?;
        let controller = characterize::controller(&part, SEED).or_exit(ExitCode::Mismatch)?;
        Calibration { codecs: codecs(&project::codes()?)?, controller }
    } else {
        let named = options.code.iter().map(|name| project::code(name));
        let measured = codecs(&named.collect::<Result<Vec<_>, _>>()?)?;
        let mut stored = Calibration::load(&dir).or_exit(ExitCode::Input)?;
        stored.codecs.extend(measured);
        stored
    };
    std::fs::create_dir_all(&dir)
        .map_err(|error| Failure::new(ExitCode::Output, format!("{}: {error}", dir.display())))?;
    write(&dir.join(CODEC_FILE), calibration.codec_text().as_bytes())?;
    write(&dir.join(CONTROLLER_FILE), calibration.controller_text().as_bytes())?;
    if options.json {
        println!("{}", serde_json::to_string_pretty(&as_json(&calibration)).expect("plain data"));
    } else {
        print(&calibration);
        println!("{}", dir.display());
    }
    Ok(())
}

/// The clocks of codecs, measured side by side.
fn codecs(codes: &[NamedCode]) -> Result<BTreeMap<String, EccClocks>, Failure> {
    let measure = |code: &NamedCode| {
        let clocks = characterize::codec(code, SEED).or_exit(ExitCode::Mismatch)?;
        Ok((code.name.clone(), clocks))
    };
    codes.par_iter().map(measure).collect()
}

fn print(calibration: &Calibration) {
    println!("{:<22}{:>8}{:>8}{:>9}", "clocks beyond words", "encode", "decode", "correct");
    for (name, clocks) in &calibration.codecs {
        let [encode, decode, correct] = [clocks.encode, clocks.decode, clocks.correct];
        println!("{name:<22}{:>8}{:>8}{:>9}", encode.0, decode.0, correct.0);
    }
    let controller = &calibration.controller;
    println!();
    println!("{:<22}{:>8}", "controller, accept", controller.accept.0);
    println!("{:<22}{:>8}", "controller, complete", controller.complete.0);
    println!("{:<22}  {:?}", "time-outs, 1024 clocks", controller.time_limits);
}

fn as_json(calibration: &Calibration) -> serde_json::Value {
    let codec = |(name, clocks): (&String, &EccClocks)| {
        json!({
            "code": name,
            "encode_clocks": clocks.encode.0,
            "decode_clocks": clocks.decode.0,
            "correct_clocks": clocks.correct.0,
        })
    };
    let controller = &calibration.controller;
    json!({
        "codecs": calibration.codecs.iter().map(codec).collect::<Vec<_>>(),
        "controller": {
            "accept_clocks": controller.accept.0,
            "complete_clocks": controller.complete.0,
            "time_out_units": controller.time_limits,
        },
    })
}
