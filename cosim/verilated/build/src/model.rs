//! One row: Verilator, then the C++ compiler, then a static library of its own.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::cache::{self, Key};
use crate::ports::{self, Port};
use crate::{BuildError, Coverage, Optimise, Top, Verilator};

/// Vectors and memories up to these sizes appear in waveforms. The syndromes and locators of a
/// strong code are a thousand bits and more.
const TRACE_LIMITS: [&str; 4] = ["--trace-max-width", "4096", "--trace-max-array", "64"];

/// What all rows share.
pub(crate) struct Context {
    verilator: Verilator,
    shim_dir: PathBuf,
    cache_dir: PathBuf,
    compiler_version: String,
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
        let compiler_version = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Self { verilator, shim_dir, cache_dir, compiler_version })
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

    fn key(&self, top: &Top) -> Result<String, BuildError> {
        let mut key = Key::default();
        key.value(&self.verilator.version).value(&self.compiler_version).value(&top.name);
        key.value(verilator_arguments(top)).value(top.optimise);
        for file in &top.files {
            key.file(file)?;
        }
        for dir in &top.include_dirs {
            for file in cache::files_in(dir)? {
                key.file(&file)?;
            }
        }
        for file in cache::files_in(&self.shim_dir)? {
            if file.extension().is_some_and(|extension| extension == "hpp") {
                key.file(&file)?;
            }
        }
        // The code below decides as well.
        key.value(include_str!("model.rs"));
        Ok(key.finish())
    }
}

fn compiler(optimise: Optimise) -> Result<Command, String> {
    let level = match optimise {
        Optimise::Little => 1,
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
pub(crate) fn build(top: &Top, context: &Context) -> Result<Built, BuildError> {
    let key = context.key(top)?;
    let row = context.cache_dir.join(top.prefix());
    let dir = row.join(&key);
    let ports_file = dir.join("ports.txt");
    if let Some(ports) = fs::read_to_string(&ports_file).ok().as_deref().and_then(ports::from_text)
    {
        cache::keep(&dir)?;
        return Ok(Built { dir, ports, warnings: Vec::new() });
    }

    let temporary = row.join(format!("{key}.{}", std::process::id()));
    fs::create_dir_all(&temporary).map_err(BuildError::file(&temporary))?;
    let result = build_in(top, context, &temporary);
    if result.is_ok() {
        // Another build may have been faster; its result is the same.
        let _ = fs::remove_dir_all(&dir);
        fs::rename(&temporary, &dir).map_err(BuildError::file(&dir))?;
        cache::keep(&dir)?;
    } else {
        fs::remove_dir_all(&temporary).map_err(BuildError::file(&temporary))?;
    }
    let (ports, warnings) = result?;
    Ok(Built { dir, ports, warnings })
}

fn build_in(
    top: &Top,
    context: &Context,
    dir: &Path,
) -> Result<(Vec<Port>, Vec<String>), BuildError> {
    let prefix = top.prefix();
    let generated = dir.join("generated");
    let warnings = verilate(top, context, &generated)?;
    let header_path = generated.join(format!("{prefix}.h"));
    let header = fs::read_to_string(&header_path).map_err(BuildError::file(&header_path))?;
    let ports = ports::parse_header(&header);

    let unit = generated.join("unit.cpp");
    let sources = cache::files_in(&generated)?;
    let sources = sources.iter().filter(|path| path.extension().is_some_and(|e| e == "cpp"));
    fs::write(&unit, translation_unit(top, &ports, sources)).map_err(BuildError::file(&unit))?;
    let object = generated.join("unit.o");
    let mut compile = context.compiler(top.optimise)?;
    compile.arg("-I").arg(&generated).args(["-DVM_TRACE=1", "-DVM_TRACE_FST=1"]);
    compile.arg(format!("-DVM_COVERAGE={}", u8::from(top.coverage != Coverage::Off)));
    compile.arg("-c").arg(&unit).arg("-o").arg(&object);
    run(top, "C++ compiler", "error", &mut compile)?;
    archive(top, &dir.join(format!("lib{prefix}.a")), &object)?;

    fs::remove_dir_all(&generated).map_err(BuildError::file(&generated))?;
    let ports_file = dir.join("ports.txt");
    fs::write(&ports_file, ports::to_text(&ports)).map_err(BuildError::file(&ports_file))?;
    Ok((ports, warnings))
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

/// All of a model's code in one unit: it runs faster than file by file (the evaluation is inlined
/// across files) and compiles in half the time (the headers are read once).
fn translation_unit<'a>(
    top: &Top,
    ports: &[Port],
    sources: impl Iterator<Item = &'a PathBuf>,
) -> String {
    let prefix = top.prefix();
    let mut text = String::new();
    for source in sources {
        let name = source.file_name().expect("a file has a name").to_string_lossy();
        text += &format!("#include \"{name}\"\n");
    }
    text += "#include \"model_impl.hpp\"\n\nnamespace verilated {\n\n";
    text += &format!("static std::vector<Port> list_{prefix}({prefix}& top) {{\n  return {{\n");
    for Port { name, input, bits } in ports {
        text += &format!("      make_port(\"{name}\", {input}, {bits}, top.{name}),\n");
    }
    text += "  };\n}\n\n";
    let coverage = top.coverage != Coverage::Off;
    text += &format!(
        "extern const ModelInfo info_{prefix};\n\
         const ModelInfo info_{prefix}{{\"{}\", \"{}\", {coverage},\n    \
         &ModelImpl<{prefix}, list_{prefix}>::make}};\n\n}}  // namespace verilated\n",
        top.name, top.module
    );
    text
}
