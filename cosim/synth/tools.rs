//! The programs that are run, found on the search path and asked for their version.

use std::{
    ffi::OsString,
    path::PathBuf,
    process::{Command, Stdio},
};

use super::error::ToolMissing;

/// A program that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Name on the search path, or path.
    pub program: PathBuf,
    /// First line of what it says of its version.
    pub version: String,
}

/// The synthesis tools, each found or missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// Yosys: every figure needs it.
    pub yosys: Result<Tool, ToolMissing>,
    /// OpenSTA: the critical path needs it.
    pub sta: Result<Tool, ToolMissing>,
}

impl Toolchain {
    /// Looks for `yosys` and `sta` on the search path; FLOATGATE_YOSYS and FLOATGATE_STA take
    /// their place where they are set.
    pub fn find() -> Self {
        let program = |variable: &str, name: &str| -> PathBuf {
            std::env::var_os(variable).unwrap_or_else(|| OsString::from(name)).into()
        };
        Self::probe(program("FLOATGATE_YOSYS", "yosys"), program("FLOATGATE_STA", "sta"))
    }

    /// Asks these two programs for their versions.
    pub fn probe(yosys: PathBuf, sta: PathBuf) -> Self {
        Self {
            yosys: probe(yosys, "-V", "install the Debian package yosys"),
            sta: probe(sta, "-version", "install the Debian package opensta"),
        }
    }
}

fn probe(program: PathBuf, version_flag: &str, hint: &'static str) -> Result<Tool, ToolMissing> {
    let output = Command::new(&program).arg(version_flag).stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            let version = text.lines().next().unwrap_or("").trim().to_string();
            Ok(Tool { program, version })
        }
        _ => Err(ToolMissing { tool: program.display().to_string(), hint }),
    }
}
