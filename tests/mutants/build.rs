//! Compiles the mutants: each is a copy of one RTL file with its fault in.
//!
//! There are some two hundred models, so this does not go through `verilated-build`, which is made
//! for few and fast ones: many models share a translation unit, for most of the compiler's time
//! goes into Verilator's headers; there are no waveforms, and little optimisation.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use floatgate_model::config::NamedCode;
use verilated_build::{Verilator, report};

#[path = "src/table.rs"]
#[expect(dead_code, reason = "what only the program reads")]
mod table;

use table::{Elaboration, Mutant};

const RTL: &str = "../../ecc-rtl";
/// Models to a translation unit.
const GROUP: usize = 12;

/// A model: a top with its sources, under the configuration's name.
struct Row {
    module: &'static str,
    code: NamedCode,
    files: Vec<PathBuf>,
}

impl Row {
    /// The name that `floatgate_cosim::ecc::model_name` makes.
    fn name(&self) -> String {
        format!("{}_{}", self.module, self.code.name.replace('-', "_"))
    }
}

fn main() {
    println!("cargo::rerun-if-changed=mutants.ron");
    println!("cargo::rerun-if-changed=src/table.rs");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_MODELS").is_none() {
        return;
    }
    println!("cargo::rerun-if-changed={RTL}");
    let verilator = match Verilator::find() {
        Ok(verilator) => verilator,
        Err(error) => return report(&error),
    };
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    let rows = rows(&out);
    let groups: Vec<&[Row]> = rows.chunks(GROUP).collect();
    let next = Mutex::new(groups.iter().enumerate());
    let jobs = std::env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let taken = next.lock().expect("no thread panics with the lock").next();
                    let Some((index, group)) = taken else { break };
                    compile(&verilator, &out, index, group);
                }
            });
        }
    });
    let objects: Vec<PathBuf> = (0..groups.len()).map(|index| object(&out, index)).collect();
    let library = out.join("libmutants.a");
    // An archive keeps members that it is not told to replace.
    let _ = fs::remove_file(&library);
    run(cc::Build::new()
        .cargo_metadata(false)
        .get_archiver()
        .arg("crs")
        .arg(library)
        .args(objects));
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static:+whole-archive=mutants");
}

/// The RTL as it is in each elaboration, and every mutant in its own.
fn rows(out: &Path) -> Vec<Row> {
    let originals = rtl_files();
    let mut rows = Vec::new();
    for elaboration in Elaboration::ALL {
        for module in ["bch_encoder", "bch_decoder"] {
            rows.push(Row { module, code: elaboration.code(None), files: originals.clone() });
        }
    }
    let mutants = if is_coverage() { Vec::new() } else { table::read() };
    for (index, mutant) in mutants.iter().enumerate() {
        let files = mutate(mutant, &originals, &out.join(format!("mutant{index}")));
        for module in mutant.tops() {
            rows.push(Row { module, code: mutant.on.code(Some(index)), files: files.clone() });
        }
    }
    rows
}

/// Whether the RTL as it is is to be compiled, with its lines and toggles counted.
fn is_coverage() -> bool {
    std::env::var_os("CARGO_FEATURE_COVERAGE").is_some()
}

/// All sources, packages first.
fn rtl_files() -> Vec<PathBuf> {
    let entries = fs::read_dir(RTL).expect("the folder of the RTL");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sv"))
        .collect();
    files.sort_by_key(|path| (!path.ends_with("bch_pkg.sv"), path.clone()));
    files
}

/// The sources with the mutant's file in the original's place.
fn mutate(mutant: &Mutant, originals: &[PathBuf], dir: &Path) -> Vec<PathBuf> {
    let Mutant { file, snippet, replacement, .. } = mutant;
    let source = fs::read_to_string(Path::new(RTL).join(file)).expect("the table names a file");
    let count = source.matches(snippet.as_str()).count();
    assert_eq!(count, 1, "mutants.ron: `{snippet}` is {count} times in {file}");
    let changed = dir.join(file);
    fs::create_dir_all(dir).expect("a folder for the mutant");
    fs::write(&changed, source.replace(snippet.as_str(), replacement)).expect("the mutant");
    let place = |path: &PathBuf| if path.ends_with(file) { changed.clone() } else { path.clone() };
    originals.iter().map(place).collect()
}

fn object(out: &Path, group: usize) -> PathBuf {
    out.join(format!("group{group}.o"))
}

/// Verilates the models of a group and compiles them together.
fn compile(verilator: &Verilator, out: &Path, index: usize, group: &[Row]) {
    let dir = out.join(format!("group{index}"));
    let _ = fs::remove_dir_all(&dir);
    let mut unit = String::from("#include \"model_impl.hpp\"\n");
    let mut infos = String::new();
    for row in group {
        verilate(verilator, row, &dir);
        unit += &model(row, &dir);
        infos += &format!("&info_V{}, ", row.name());
    }
    writeln!(
        unit,
        "namespace verilated {{ namespace {{\nconst ModelInfo* const models[] = {{{infos}}};\n\
         const bool registered = (register_models(models, {}), true);\n}} }}",
        group.len()
    )
    .expect("a String takes everything");
    let source = dir.join("unit.cpp");
    fs::write(&source, unit).expect("the translation unit");
    let include = verilator.include_dir();
    let shim = std::env::var_os("DEP_VERILATED_RT_INCLUDE").expect("`verilated` says where it is");
    let compiler = cc::Build::new()
        .cpp(true)
        .std("gnu++20")
        .opt_level(1)
        .debug(false)
        .warnings(false)
        .cargo_metadata(false)
        .get_compiler();
    run(compiler
        .to_command()
        .arg("-isystem")
        .arg(&include)
        .arg("-isystem")
        .arg(include.join("vltstd"))
        .arg("-I")
        .arg(shim)
        .arg("-I")
        .arg(&dir)
        .arg("-DVM_TRACE=0")
        .arg(format!("-DVM_COVERAGE={}", u8::from(is_coverage())))
        .arg("-c")
        .arg(&source)
        .arg("-o")
        .arg(object(out, index)));
    fs::remove_dir_all(&dir).expect("the folder of the group");
}

fn verilate(verilator: &Verilator, row: &Row, dir: &Path) {
    let config = &row.code.config;
    let mut params = vec![
        ("M", config.m),
        ("K_MAX", config.k_max().0),
        ("T_MAX", config.t_max),
        ("P", config.p),
        ("CRC", config.crc.into()),
        ("FIXED", config.fixed.into()),
    ];
    if row.module == "bch_decoder" {
        params.extend([("P_C", config.p_c), ("KES_LANES", config.kes_lanes)]);
    }
    run(Command::new(&verilator.program)
        .args(["--cc", "-Wno-fatal", "--assert", "--x-assign", "unique", "--x-initial", "unique"])
        .args(["-I../../rtl/prim", "--top-module", row.module])
        .args(params.iter().map(|(name, value)| format!("-G{name}={value}")))
        .args(is_coverage().then_some("--coverage"))
        .arg("--prefix")
        .arg(format!("V{}", row.name()))
        .arg("--Mdir")
        .arg(dir)
        .args(&row.files));
}

/// The code of a model: Verilator's, and what the bindings need to know of it. A model without
/// waveforms has no function for them, so a class above it has one.
fn model(row: &Row, dir: &Path) -> String {
    let config = &row.code.config;
    let name = format!("V{}", row.name());
    let m_bits = if row.module == "bch_decoder" { config.p_c } else { config.p };
    let inputs = [
        ("clk_i", 1),
        ("rst_ni", 1),
        ("cmd_valid_i", 1),
        ("cmd_strength_i", 8),
        ("cmd_bytes_i", 16),
        ("s_valid_i", 1),
        ("s_data_i", config.p),
        ("m_ready_i", 1),
        ("sts_ready_i", 1),
    ];
    let outputs = [
        ("cmd_ready_o", 1),
        ("s_ready_o", 1),
        ("m_valid_o", 1),
        ("m_data_o", m_bits),
        ("m_last_o", 1),
        ("sts_valid_o", 1),
        ("sts_data_o", 16),
    ];
    let port = |(port, bits): &(&str, u32), input: bool| {
        format!("make_port(\"{port}\", {input}, {bits}, top.{port}), ")
    };
    let ports: String = inputs.iter().map(|p| port(p, true)).collect();
    let ports: String = ports + &outputs.iter().map(|p| port(p, false)).collect::<String>();
    let mut sources: Vec<String> = fs::read_dir(dir)
        .expect("the folder of the group")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|file| file.starts_with(&name) && file.ends_with(".cpp"))
        .collect();
    sources.sort();
    let sources: String = sources.iter().map(|file| format!("#include \"{file}\"\n")).collect();
    format!(
        "{sources}namespace verilated {{\nstruct Top{name} : {name} {{\n  using {name}::{name};\n  \
         void trace(VerilatedFstC*, int) {{}}\n}};\nstatic std::vector<Port> \
         list_{name}(Top{name}& top) {{\n  return {{{ports}}};\n}}\nextern const ModelInfo \
         info_{name};\nconst ModelInfo info_{name}{{\"{}\", \"{}\", {}, \
         &ModelImpl<Top{name}, list_{name}>::make}};\n}}\n",
        row.name(),
        row.module,
        is_coverage()
    )
}

fn run(command: &mut Command) {
    let output = command.output().expect("the tool starts");
    let text = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = text.lines().filter(|line| line.contains("rror")).take(10).collect();
    assert!(output.status.success(), "{command:?}:\n{}", errors.join("\n"));
}
