//! Where the project's own files are: configurations, RTL and synthesis recipes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use floatgate_model::calibration::Calibration;
use floatgate_model::config::{CodeConfig, NamedCode};
use floatgate_model::die::Part;

use crate::exit::{ExitCode, Failure, OrExit};

/// The project folder: the nearest one up from the working directory that has the codec's RTL and
/// its configurations, or the one that the command was built in.
pub(crate) fn root() -> PathBuf {
    let is_project = |dir: &&Path| dir.join("ecc-rtl").is_dir() && dir.join("configs/ecc").is_dir();
    let here = std::env::current_dir().unwrap_or_default();
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("cli is in the project");
    here.ancestors().find(is_project).unwrap_or(built_in).to_owned()
}

/// All codec configurations.
///
/// # Errors
/// The first file that is wrong.
pub(crate) fn codes() -> Result<Vec<NamedCode>, Failure> {
    CodeConfig::load_dir(root().join("configs/ecc")).or_exit(ExitCode::Input)
}

/// The configuration of a name.
///
/// # Errors
/// Where there is none, with the names that there are.
pub(crate) fn code(name: &str) -> Result<NamedCode, Failure> {
    let mut codes = codes()?;
    match codes.iter().position(|code| code.name == name) {
        Some(index) => Ok(codes.swap_remove(index)),
        None => {
            let names: Vec<&str> = codes.iter().map(|code| code.name.as_str()).collect();
            let line = format!("no code `{name}`; there are {}", names.join(", "));
            Err(Failure::new(ExitCode::Input, line))
        }
    }
}

/// The part of a name.
///
/// # Errors
/// Where there is none, with the names that there are; a file that is wrong.
pub(crate) fn part(name: &str) -> Result<Arc<Part>, Failure> {
    let dir = root().join("configs/parts");
    let path = dir.join(format!("{name}.ron"));
    if !path.is_file() {
        let line = format!("no part `{name}`; there are {}", names(&dir).join(", "));
        return Err(Failure::new(ExitCode::Input, line));
    }
    Part::load(path).or_exit(ExitCode::Input)
}

/// The stems of a folder's files, in order.
fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let stem = |path: PathBuf| Some(path.file_stem()?.to_string_lossy().into_owned());
    let mut names: Vec<String> = entries.filter_map(|entry| stem(entry.path())).collect();
    names.sort();
    names
}

/// Where the models' calibration is.
pub(crate) fn calibration_dir() -> PathBuf {
    root().join("configs/calibration")
}

/// The models' calibration.
///
/// # Errors
/// A file that is missing or wrong.
pub(crate) fn calibration() -> Result<Calibration, Failure> {
    Calibration::load(calibration_dir()).or_exit(ExitCode::Input)
}
