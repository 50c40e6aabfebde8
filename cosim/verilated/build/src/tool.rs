//! Finds Verilator and the C++ compiler, and says in one line what to install where one is missing.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::BuildError;

/// An installed Verilator.
#[derive(Clone, Debug)]
pub struct Verilator {
    /// The program.
    pub program: PathBuf,
    /// What it says its version is.
    pub version: String,
    /// Its VERILATOR_ROOT, with the runtime in `include`.
    pub root: PathBuf,
}

impl Verilator {
    /// Finds `$VERILATOR`, or `verilator` on the path.
    ///
    /// # Errors
    /// [`BuildError::NoVerilator`] or [`BuildError::OldVerilator`].
    pub fn find() -> Result<Self, BuildError> {
        let program = std::env::var_os("VERILATOR").unwrap_or_else(|| "verilator".into());
        let program = PathBuf::from(program);
        let version = ask(&program, &["--version"])?;
        if !is_supported(&version) {
            return Err(BuildError::OldVerilator { found: version });
        }
        let root = PathBuf::from(ask(&program, &["--getenv", "VERILATOR_ROOT"])?);
        Ok(Self { program, version, root })
    }

    /// The directory of the runtime's headers and sources.
    pub fn include_dir(&self) -> PathBuf {
        self.root.join("include")
    }
}

fn ask(program: &Path, args: &[&str]) -> Result<String, BuildError> {
    let output = Command::new(program).args(args).output().map_err(|_| BuildError::NoVerilator)?;
    if !output.status.success() {
        return Err(BuildError::NoVerilator);
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether "Verilator 5.006 2023-01-22 ..." is at least 5.006.
fn is_supported(version: &str) -> bool {
    let number = version.split_whitespace().nth(1).unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (5, 6)
}

/// Checks that there is a C++20 compiler and that it finds zlib, which FST files need.
///
/// # Errors
/// [`BuildError::NoCompiler`] or [`BuildError::NoZlib`].
pub fn check_compiler(out_dir: &Path) -> Result<(), BuildError> {
    let compiles = |code: &str| -> Result<bool, BuildError> {
        let probe = out_dir.join("probe.cpp");
        std::fs::write(&probe, code).map_err(BuildError::file(&probe))?;
        let mut command = cc::Build::new()
            .cpp(true)
            .std("gnu++20")
            .cargo_metadata(false)
            .try_get_compiler()
            .map_err(|e| BuildError::NoCompiler { reason: e.to_string() })?
            .to_command();
        let output = command
            .arg("-fsyntax-only")
            .arg(&probe)
            .output()
            .map_err(|e| BuildError::NoCompiler { reason: e.to_string() })?;
        Ok(output.status.success())
    };
    if !compiles("#include <concepts>\nstatic_assert(std::integral<int>);\n")? {
        return Err(BuildError::NoCompiler { reason: "<concepts> does not compile".to_owned() });
    }
    if !compiles("#include <zlib.h>\n")? {
        return Err(BuildError::NoZlib);
    }
    Ok(())
}

/// Gives Cargo the error as its own message. The build script then ends as if it had succeeded:
/// Cargo stops all the same, and does not print the script's output.
pub fn report(error: &BuildError) {
    let text = error.to_string();
    for line in text.lines() {
        println!("cargo::error={line}");
    }
}

#[cfg(test)]
mod tests {
    use super::is_supported;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(is_supported("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)"));
        assert!(is_supported("Verilator 5.048 2026-01-01"));
        assert!(!is_supported("Verilator 5.004 2022-12-14"));
        assert!(!is_supported("Verilator 4.228 2022-10-01"));
        assert!(!is_supported("nonsense"));
    }
}
