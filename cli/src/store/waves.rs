//! The waveform that `floatgate store` is asked for.

use std::path::{Path, PathBuf};

use floatgate_cosim::device::{Waves, Window};
use floatgate_cosim::wave::WaveFormat;
use floatgate_hal::units::Picoseconds;

use crate::exit::{ExitCode, Failure};

/// What the command is told of a waveform.
#[derive(Debug, clap::Args)]
pub(super) struct WaveOptions {
    /// Write a waveform of the RTL here (.vcd or .fst), and what it means beside its signals; it
    /// begins when the dies are mounted
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// Begin the waveform at this simulated time
    #[arg(long, value_name = "US", requires = "wave")]
    wave_from: Option<u32>,
    /// End the waveform at this simulated time
    #[arg(long, value_name = "US", requires = "wave")]
    wave_to: Option<u32>,
    /// Keep at least the last so many microseconds before the end or the failure
    #[arg(long, value_name = "US", requires = "wave")]
    #[arg(conflicts_with_all = ["wave_from", "wave_to"])]
    wave_last: Option<u32>,
}

impl WaveOptions {
    /// Its file, where one is asked for.
    pub(super) fn path(&self) -> Option<&Path> {
        self.wave.as_deref()
    }

    /// The waveform, which only the RTL has.
    ///
    /// # Errors
    /// Another engine, an unknown format, a window that ends before it begins.
    pub(super) fn waves(&self, on_rtl: bool) -> Result<Option<Waves>, Failure> {
        let Some(path) = self.wave.clone() else { return Ok(None) };
        let refuse = |what: String| Err(Failure::new(ExitCode::Input, what));
        if !on_rtl {
            return refuse("--wave: the models have no waveform; choose --engine rtl".to_owned());
        }
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("vcd") => WaveFormat::Vcd,
            Some("fst") => WaveFormat::Fst,
            _ => {
                let name = path.display();
                return refuse(format!("--wave: {name}: the name has to end in .vcd or .fst"));
            }
        };
        let Self { wave_from: from, wave_to: to, wave_last: last, .. } = *self;
        if let (Some(from), Some(to)) = (from, to)
            && to <= from
        {
            return refuse(format!("--wave-to {to}: is not after --wave-from {from}"));
        }
        let time = |us: u32| Picoseconds(1_000_000 * u64::from(us));
        let window = match last {
            Some(span) => Window::Last(time(span)),
            None => Window::Between { from: from.map(time), to: to.map(time) },
        };
        Ok(Some(Waves { path, format, window }))
    }
}
