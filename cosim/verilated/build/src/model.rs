//! One row: Verilator, then the C++ compiler, then a static library of its own.

use std::ffi::OsString;
use std::fs;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::cache::{self, Key};
use crate::ports::{self, Port};
use crate::{BuildError, Coverage, Optimise, Top, Verilator};

/// Vectors and memories up to these sizes appear in waveforms. The syndromes and locators of a
/// strong code are a thousand bits and more.
const TRACE_LIMITS: [&str; 4] = ["--trace-max-width", "4096", "--trace-max-array", "64"];

/// Up to here a model counts as small: about where the compiler's time exceeds that of reading the
/// runtime's headers.
const SMALL_BYTES: u64 = 400_000;

/// What all rows share.
pub(crate) struct Context {
    verilator: Verilator,
    shim_dir: PathBuf,
    cache_dir: PathBuf,
    /// Stands for the tools' versions and the shim's headers.
    tools_key: String,
}

/// A row that is ready to be linked.
pub(crate) struct Built {
    /// Where its library `lib<prefix>.a` lies.
    pub(crate) dir: PathBuf,
    pub(crate) ports: Vec<Port>,
    /// Verilator's warnings; none where the row came from the cache.
    pub(crate) warnings: Vec<String>,
}

impl Context {
    pub(crate) fn new(
        verilator: Verilator,
        shim_dir: PathBuf,
        cache_dir: PathBuf,
    ) -> Result<Self, BuildError> {
        let no_compiler = |reason: String| BuildError::NoCompiler { reason };
        let output = compiler(Optimise::Full)
            .map_err(no_compiler)?
            .arg("--version")
            .output()
            .map_err(|e| no_compiler(e.to_string()))?;
        let mut key = Key::default();
        key.value(output.stdout).value(&verilator.version);
        for file in cache::files_in(&shim_dir)? {
            if has_extension(&file, "hpp") {
                key.file(&file)?;
            }
        }
        Ok(Self { verilator, shim_dir, cache_dir, tools_key: key.finish() })
    }

    /// The compiler with the options for code that includes the shim and the runtime.
    pub(crate) fn compiler(&self, optimise: Optimise) -> Result<Command, BuildError> {
        let mut command = compiler(optimise).map_err(|reason| BuildError::NoCompiler { reason })?;
        let include = self.verilator.include_dir();
        // System headers, because warnings about Verilator's own code help nobody.
        command.arg("-isystem").arg(&include).arg("-isystem").arg(include.join("vltstd"));
        command.arg("-I").arg(&self.shim_dir);
        Ok(command)
    }

    /// Stands for all that a row is made from.
    fn input_key(&self, top: &Top) -> Result<String, BuildError> {
        let mut key = Key::default();
        key.value(&self.tools_key).value(verilator_arguments(top)).value(recipe(top)?);
        for file in &top.files {
            key.path(file).file(file)?;
        }
        for dir in &top.include_dirs {
            for file in cache::files_in(dir)? {
                key.path(&file).file(&file)?;
            }
        }
        Ok(key.finish())
    }

    /// Stands for all that a row's library is made from. An edit of the RTL that leaves the
    /// generated code as it was, because the row does not use that module, changes only the first.
    fn code_key(&self, top: &Top, generated: &Path) -> Result<String, BuildError> {
        let mut key = Key::default();
        key.value(&self.tools_key).value(recipe(top)?);
        for file in cache::files_in(generated)? {
            if has_extension(&file, "cpp") || has_extension(&file, "h") {
                key.file(&file)?;
            }
        }
        Ok(key.finish())
    }
}

/// How the generated code is compiled, apart from the code itself.
fn recipe(top: &Top) -> Result<impl Hash, BuildError> {
    let mut commands = Vec::new();
    for level in [Optimise::Little, top.optimise, Optimise::Full] {
        let command = compiler(level).map_err(|reason| BuildError::NoCompiler { reason })?;
        // Cargo's environment is in the command too, and differs from one build to the next.
        let arguments: Vec<OsString> = command.get_args().map(OsString::from).collect();
        commands.push((command.get_program().to_owned(), arguments));
    }
    let unit = translation_unit(top, &[], &Sources::default());
    Ok((commands, unit, SMALL_BYTES, top.optimise))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e == extension)
}

fn compiler(optimise: Optimise) -> Result<Command, String> {
    let level = match optimise {
        Optimise::BySize | Optimise::Little => 1,
        Optimise::Some => 2,
        Optimise::Full => 3,
    };
    let tool = cc::Build::new()
        .cpp(true)
        .std("gnu++20")
        .opt_level(level)
        .debug(false)
        .warnings(false)
        .cargo_metadata(false)
        .try_get_compiler()
        .map_err(|e| e.to_string())?;
    Ok(tool.to_command())
}

/// Takes the row from the cache, or builds it into the cache.
///
/// The row's directory has a directory for each library, named by its code's key, and for each
/// input key a file that names the library.
pub(crate) fn build(top: &Top, context: &Context) -> Result<Built, BuildError> {
    let row = context.cache_dir.join(top.prefix());
    let input = row.join(format!("{}.input", context.input_key(top)?));
    if let Ok(code_key) = fs::read_to_string(&input)
        && let Some(built) = take(&row.join(code_key))?
    {
        return Ok(built);
    }

    // Another build of the same row may run at this time; the last step is a rename.
    let temporary = row.join(format!("{}.building", std::process::id()));
    fs::create_dir_all(&temporary).map_err(BuildError::file(&temporary))?;
    let result = build_in(top, context, &row, &temporary);
    let cleaned = match fs::remove_dir_all(&temporary) {
        Err(e) if temporary.exists() => Err(BuildError::file(&temporary)(e)),
        _ => Ok(()),
    };
    let (code_key, built) = result?;
    cleaned?;
    fs::write(&input, code_key).map_err(BuildError::file(&input))?;
    Ok(built)
}

/// The library in this directory of the cache, if it is there.
fn take(dir: &Path) -> Result<Option<Built>, BuildError> {
    let text = fs::read_to_string(dir.join("ports.txt")).ok();
    let Some(ports) = text.as_deref().and_then(ports::from_text) else { return Ok(None) };
    cache::keep(dir)?;
    Ok(Some(Built { dir: dir.to_owned(), ports, warnings: Vec::new() }))
}

/// Verilates the row, and compiles it unless the same code has been compiled before.
fn build_in(
    top: &Top,
    context: &Context,
    row: &Path,
    temporary: &Path,
) -> Result<(String, Built), BuildError> {
    let generated = temporary.join("generated");
    let warnings = verilate(top, context, &generated)?;
    let code_key = context.code_key(top, &generated)?;
    let dir = row.join(&code_key);
    if let Some(built) = take(&dir)? {
        return Ok((code_key, Built { warnings, ..built }));
    }
    let ports = compile(top, context, &generated, temporary)?;
    fs::remove_dir_all(&generated).map_err(BuildError::file(&generated))?;
    if let Err(e) = fs::rename(temporary, &dir)
        && !dir.exists()
    {
        return Err(BuildError::file(&dir)(e));
    }
    cache::keep(&dir)?;
    Ok((code_key, Built { dir, ports, warnings }))
}

/// Compiles the generated code into `lib<prefix>.a` and `ports.txt` of a directory.
fn compile(
    top: &Top,
    context: &Context,
    generated: &Path,
    dir: &Path,
) -> Result<Vec<Port>, BuildError> {
    let prefix = top.prefix();
    let header_path = generated.join(format!("{prefix}.h"));
    let header = fs::read_to_string(&header_path).map_err(BuildError::file(&header_path))?;
    let ports = ports::parse_header(&header);
    let unit = generated.join("unit.cpp");
    let sources = Sources::in_dir(generated)?;
    fs::write(&unit, translation_unit(top, &ports, &sources)).map_err(BuildError::file(&unit))?;

    let object = generated.join("unit.o");
    let optimise = match top.optimise {
        Optimise::BySize if sources.fast_bytes <= SMALL_BYTES => Optimise::Full,
        other => other,
    };
    let mut compiler = context.compiler(optimise)?;
    compiler.arg("-I").arg(generated);
    compiler.arg("-c").arg(&unit).arg("-o").arg(&object);
    run(top, "C++ compiler", "error", &mut compiler)?;
    archive(top, &dir.join(format!("lib{prefix}.a")), &object)?;
    let ports_file = dir.join("ports.txt");
    fs::write(&ports_file, ports::to_text(&ports)).map_err(BuildError::file(&ports_file))?;
    Ok(ports)
}

/// Makes a static library of one object file.
pub(crate) fn archive(top: &Top, library: &Path, object: &Path) -> Result<(), BuildError> {
    let mut command = cc::Build::new()
        .cargo_metadata(false)
        .try_get_archiver()
        .map_err(|e| BuildError::NoCompiler { reason: e.to_string() })?;
    command.arg("crs").arg(library).arg(object);
    run(top, "ar", "", &mut command)?;
    Ok(())
}

fn verilator_arguments(top: &Top) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    arguments.extend(["--cc", "-Wno-fatal", "--assert"].map(OsString::from));
    // An undriven or uninitialised bit is random, not zero: the nearest that two states have to X.
    arguments.extend(["--x-assign", "unique", "--x-initial", "unique"].map(OsString::from));
    arguments.extend(["--timescale", "1ns/1ns", "--trace-fst"].map(OsString::from));
    arguments.extend(TRACE_LIMITS.map(OsString::from));
    let coverage: &[&str] = match top.coverage {
        Coverage::Off => &[],
        Coverage::Lines => &["--coverage-line", "--coverage-user"],
        Coverage::LinesAndToggles => &["--coverage"],
    };
    arguments.extend(coverage.iter().map(OsString::from));
    arguments.extend(["--prefix".into(), top.prefix().into()]);
    arguments.extend(["--top-module".into(), OsString::from(&top.module)]);
    arguments.extend(top.params.iter().map(|(name, value)| format!("-G{name}={value}").into()));
    for dir in &top.include_dirs {
        let mut argument = OsString::from("-I");
        argument.push(dir);
        arguments.push(argument);
    }
    arguments.extend(top.files.iter().map(OsString::from));
    arguments
}

/// Runs Verilator and gives its warnings.
fn verilate(top: &Top, context: &Context, generated: &Path) -> Result<Vec<String>, BuildError> {
    let mut command = Command::new(&context.verilator.program);
    command.args(verilator_arguments(top)).arg("--Mdir").arg(generated);
    let output = run(top, "Verilator", "%Error", &mut command)?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(text.lines().filter(|line| line.starts_with("%Warning")).map(str::to_owned).collect())
}

/// Runs a tool; where it fails, the error holds the lines that `marker` is in.
pub(crate) fn run(
    top: &Top,
    tool: &'static str,
    marker: &str,
    command: &mut Command,
) -> Result<Output, BuildError> {
    let rejected = |message: String| BuildError::Rejected { top: top.name.clone(), tool, message };
    let output = command.output().map_err(|e| rejected(e.to_string()))?;
    if output.status.success() {
        return Ok(output);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(marker)).take(10).collect();
    Err(rejected(if lines.is_empty() { output.status.to_string() } else { lines.join("\n") }))
}

/// The names of the generated files.
#[derive(Default)]
struct Sources {
    /// What runs in each clock, and its size.
    fast: Vec<String>,
    fast_bytes: u64,
    /// What runs once, at construction and at the start of a waveform: two thirds of the code of a
    /// wide design. Verilator puts it into files of its own.
    slow: Vec<String>,
}

impl Sources {
    fn in_dir(generated: &Path) -> Result<Self, BuildError> {
        let mut sources = Self::default();
        for path in cache::files_in(generated)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.ends_with("__Slow.cpp") || name.ends_with("__Syms.cpp") {
                sources.slow.push(name);
            } else if name.ends_with(".cpp") {
                sources.fast_bytes += path.metadata().map_err(BuildError::file(&path))?.len();
                sources.fast.push(name);
            }
        }
        Ok(sources)
    }
}

/// All of a model's code in one unit: it runs faster than file by file (the evaluation is inlined
/// across files) and compiles in half the time (the headers are read once). The slow part is not
/// optimised, which takes another half off. All headers are read before it, so that no function of
/// theirs is touched.
fn translation_unit(top: &Top, ports: &[Port], sources: &Sources) -> String {
    let includes = |names: &[String]| -> String {
        names.iter().map(|name| format!("#include \"{name}\"\n")).collect()
    };
    format!(
        "#define VM_TRACE 1\n#define VM_TRACE_FST 1\n#define VM_COVERAGE {}\n\n\
         {}#include \"model_impl.hpp\"\n\n{}\n#pragma GCC optimize(\"O0\")\n{}",
        u8::from(top.coverage != Coverage::Off),
        includes(&sources.fast),
        entry(top, ports),
        includes(&sources.slow)
    )
}

/// The code through which the registry reaches a model: its ports, and how to make one.
fn entry(top: &Top, ports: &[Port]) -> String {
    let prefix = top.prefix();
    let coverage = top.coverage != Coverage::Off;
    let list: String = ports
        .iter()
        .map(|Port { name, input, bits }| {
            format!("      make_port(\"{name}\", {input}, {bits}, top.{name}),\n")
        })
        .collect();
    format!(
        "namespace verilated {{\n\n\
         static std::vector<Port> list_{prefix}({prefix}& top) {{\n  return {{\n{list}  }};\n}}\n\n\
         extern const ModelInfo info_{prefix};\n\
         const ModelInfo info_{prefix}{{\"{name}\", \"{module}\", {coverage},\n    \
         &ModelImpl<{prefix}, list_{prefix}>::make}};\n\n}}  // namespace verilated\n",
        name = top.name,
        module = top.module,
    )
}
