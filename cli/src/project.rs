//! Where the project's own files are: configurations, RTL and synthesis recipes.

use std::path::{Path, PathBuf};

use floatgate_model::config::{CodeConfig, NamedCode};

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
