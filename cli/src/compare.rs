//! `floatgate compare`: two run folders of any kind side by side.

use std::path::PathBuf;

use floatgate_report::compare::{Change, Comparison, Side};

use crate::exit::{ExitCode, Failure, OrExit};
use crate::file_codec::write;

/// What the command is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The run folder to compare with
    before: PathBuf,
    /// The run folder that is compared
    after: PathBuf,
    /// Only metrics whose name contains this; given several times, one of them
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Also metrics that are the same in both
    #[arg(long)]
    all: bool,
    /// Write a page here, with both runs over time where they are runs of drives
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Compares two runs.
///
/// # Errors
/// A folder that is no run folder or is damaged, a filter that no metric passes, a page that cannot
/// be written.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let load = |path: &PathBuf| Side::load(path).or_exit(ExitCode::Input);
    let (before, after) = (load(&options.before)?, load(&options.after)?);
    let comparison = Comparison::new(before, after, &options.filter);
    if comparison.changes.is_empty() {
        let filters = options.filter.join("`, `");
        let line = format!("no metric of either run has `{filters}` in its name");
        return Err(Failure::new(ExitCode::Input, line));
    }
    if let Some(path) = &options.html {
        write(path, comparison.html().as_bytes())?;
    }
    print(&comparison, options.all);
    Ok(())
}

fn print(comparison: &Comparison, all: bool) {
    let is_shown = |change: &&Change| all || !change.is_none();
    let shown: Vec<&Change> = comparison.changes.iter().filter(is_shown).collect();
    let same = comparison.changes.len() - shown.len();
    let width = shown.iter().map(|change| change.name.len()).max().unwrap_or(0);
    if !shown.is_empty() {
        println!("{:width$} {:>15} {:>15} {:>10}", "", "before", "after", "ratio");
    }
    for change in shown {
        let value = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), figure);
        let ratio = change.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.4}"));
        let (before, after) = (value(change.before), value(change.after));
        println!("{:width$} {before:>15} {after:>15} {ratio:>10}", change.name);
    }
    if same > 0 {
        println!("{same} metrics are the same");
    }
}

/// A figure with about seven digits.
fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        1e6.. => format!("{value:.0}"),
        1e3.. => format!("{value:.2}"),
        1e-3.. => format!("{value:.5}"),
        _ => format!("{value:.5e}"),
    }
}
