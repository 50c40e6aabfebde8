//! Verilates RTL tops from a build script and links them, for use through the crate `verilated`.
//!
//! In: a table of [`Top`] rows. Out: for each row a static library with its own prefix, a registry
//! of all rows, and `$OUT_DIR/models.rs` with the rows' names and their modules' ports. A row that
//! has not changed is taken from a cache, which all profiles share: models are always compiled with
//! the optimisation that their row names. The cache lies in the target directory, or where
//! `VERILATED_CACHE` says.
//!
//! ```no_run
//! // build.rs
//! let mut top = verilated_build::Top::new("adder.wide", "adder");
//! top.files.push("rtl/adder.sv".into());
//! top.params.push(("Width".into(), 32));
//! verilated_build::build_or_report(&[top]);
//! ```
#![forbid(unsafe_code)]

mod cache;
mod generate;
mod model;
mod ports;
mod tool;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use thiserror::Error;

pub use tool::{Verilator, check_compiler, report};

/// One row of the table: an RTL top with its parameters.
#[derive(Clone, Debug)]
pub struct Top {
    /// The name by which the model is made, unique in the program, for example `module.config`.
    pub name: String,
    /// The top module.
    pub module: String,
    /// Source files in the order of compilation, packages first. Messages name them as given here.
    pub files: Vec<PathBuf>,
    /// Directories to search for include files.
    pub include_dirs: Vec<PathBuf>,
    /// Values of the top's parameters.
    pub params: Vec<(String, i64)>,
    /// What the model counts as it runs.
    pub coverage: Coverage,
    /// How hard the C++ compiler works on the model.
    pub optimise: Optimise,
}

impl Top {
    /// A row without files and parameters.
    pub fn new(name: impl Into<String>, module: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            module: module.into(),
            files: Vec::new(),
            include_dirs: Vec::new(),
            params: Vec::new(),
            coverage: Coverage::Off,
            optimise: Optimise::BySize,
        }
    }

    /// The C++ name of the model, and of its library.
    fn prefix(&self) -> String {
        let clean = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        format!("V{}", self.name.chars().map(clean).collect::<String>())
    }
}

/// What a model counts as it runs. Lines cost about a tenth of the speed; toggles make a wide
/// design an order of magnitude slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coverage {
    /// Nothing.
    Off,
    /// Lines, branches and cover statements.
    Lines,
    /// Those, and the toggles of each signal.
    LinesAndToggles,
}

/// How hard the C++ compiler works on the part of a model that runs in each clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Optimise {
    /// -O1 for a large model, -O3 for a small one. A large one has long runs of plain logic: it
    /// compiles in half the time with -O1, and runs as fast.
    BySize,
    /// -O1
    Little,
    /// -O2
    Some,
    /// -O3
    Full,
}

/// Why the models could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// Verilator is not installed.
    #[error("Verilator is not installed: install it, e.g. `apt-get install verilator`")]
    NoVerilator,
    /// Verilator is there and too old.
    #[error(
        "Verilator 5.006 or newer is needed, this is `{found}`: install one, e.g. \
         `apt-get install verilator`"
    )]
    OldVerilator {
        /// What `verilator --version` says.
        found: String,
    },
    /// The C++ compiler is missing or does not work.
    #[error("no C++20 compiler: install one, e.g. `apt-get install g++` ({reason})")]
    NoCompiler {
        /// What was tried.
        reason: String,
    },
    /// zlib's header is missing.
    #[error("zlib.h is missing: install it, e.g. `apt-get install zlib1g-dev`")]
    NoZlib,
    /// A tool rejected a row.
    #[error("{top}: {tool}: {message}")]
    Rejected {
        /// The row.
        top: String,
        /// The tool.
        tool: &'static str,
        /// Its first lines about errors.
        message: String,
    },
    /// Two rows of a module differ in their ports' names or directions.
    #[error("{top}: its ports differ from those of `{other}`, another row of the same module")]
    PortsDiffer {
        /// The row.
        top: String,
        /// The row it was compared with.
        other: String,
    },
    /// Two rows have the same name.
    #[error("two rows are called `{name}` (letters and digits decide)")]
    SameName {
        /// The name.
        name: String,
    },
    /// The build script's environment is not as Cargo sets it.
    #[error("{variable} is not set: this runs in a build script that depends on `verilated`")]
    Environment {
        /// The missing variable.
        variable: &'static str,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl BuildError {
    fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), source }
    }
}

/// Builds all rows and links them into the crate whose build script this is.
///
/// # Errors
/// The first row that fails, or a missing tool.
pub fn build(tops: &[Top]) -> Result<(), BuildError> {
    let out_dir = PathBuf::from(variable("OUT_DIR")?);
    let shim_dir = PathBuf::from(variable("DEP_VERILATED_RT_INCLUDE")?);
    let verilator = Verilator::find()?;
    announce_inputs(tops, &shim_dir)?;
    check_names(tops)?;

    let context = model::Context::new(verilator, shim_dir, cache::root(&out_dir))?;
    let built = build_all(tops, &context)?;
    for warning in built.iter().flat_map(|model| &model.warnings).collect::<BTreeSet<_>>() {
        println!("cargo::warning={warning}");
    }
    generate::registry(tops, &built, &context, &out_dir)?;
    generate::rust(tops, &built, &out_dir.join("models.rs"))
}

/// [`build`], with a failure as Cargo's own error message.
pub fn build_or_report(tops: &[Top]) {
    if let Err(error) = build(tops) {
        report(&error);
    }
}

/// Builds the rows on as many threads as Cargo allows, each thread taking the next row.
fn build_all(tops: &[Top], context: &model::Context) -> Result<Vec<model::Built>, BuildError> {
    let threads = std::env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..usize::min(threads, tops.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(top) = tops.get(index) else { break };
                    let result = model::build(top, context);
                    if result.is_err() {
                        next.store(tops.len(), Ordering::Relaxed);
                    }
                    results.lock().expect("no thread panics with the lock").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics with the lock");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn variable(name: &'static str) -> Result<String, BuildError> {
    std::env::var(name).map_err(|_| BuildError::Environment { variable: name })
}

/// Tells Cargo what the build depends on. Any such line turns off its own scan of the package.
fn announce_inputs(tops: &[Top], shim_dir: &Path) -> Result<(), BuildError> {
    let mut inputs = BTreeSet::from([PathBuf::from("build.rs")]);
    for top in tops {
        inputs.extend(top.files.iter().cloned());
        inputs.extend(top.include_dirs.iter().cloned());
    }
    inputs.extend(cache::files_in(shim_dir)?);
    for input in inputs {
        println!("cargo::rerun-if-changed={}", input.display());
    }
    for name in ["VERILATOR", "VERILATOR_ROOT", "VERILATED_CACHE", "CXX"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    Ok(())
}

fn check_names(tops: &[Top]) -> Result<(), BuildError> {
    let mut seen = BTreeSet::new();
    match tops.iter().find(|top| !seen.insert(top.prefix())) {
        Some(top) => Err(BuildError::SameName { name: top.name.clone() }),
        None => Ok(()),
    }
}
