//! Failures of storing a file, each as its line and exit code.

use floatgate_cosim::device::RtlStoreError;
use floatgate_model::device::StoreError;

use super::Options;
use crate::exit::{ExitCode, Failure};

pub(super) fn rtl_failure(options: &Options, error: &RtlStoreError) -> Failure {
    let code = match error {
        RtlStoreError::Store(StoreError::Interrupted) => return interrupted(options),
        RtlStoreError::Store(error) => return failure(options, error),
        RtlStoreError::Rtl(error @ verilated::Error::Trace { .. }) => {
            return Failure::new(ExitCode::Output, error);
        }
        RtlStoreError::Wave { .. } => return Failure::new(ExitCode::Output, error),
        RtlStoreError::Bus(_) | RtlStoreError::Rtl(_) => ExitCode::Unexpected,
        RtlStoreError::Dies { .. } | RtlStoreError::OutsideWindow { .. } => ExitCode::Input,
    };
    Failure::new(code, format!("{}: {error}", options.config.display()))
}

pub(super) fn failure(options: &Options, error: &StoreError) -> Failure {
    let code = match error {
        StoreError::Interrupted => return Failure::interrupted(),
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

/// Ctrl-C: no result, but a waveform up to then where one was asked for.
fn interrupted(options: &Options) -> Failure {
    match options.wave.path() {
        Some(path) => {
            let line = format!("interrupted; {} ends there", path.display());
            Failure::new(ExitCode::Interrupted, line)
        }
        None => Failure::interrupted(),
    }
}
