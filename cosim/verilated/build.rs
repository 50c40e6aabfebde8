//! Compiles Verilator's C++ runtime, the shim and the bridge, once for all models.

use std::fs;
use std::path::{Path, PathBuf};

use verilated_build::{Verilator, check_compiler, report};

/// The FST writer's functions that Verilator's trace class calls; the shim has one of its own for
/// each, called `wave...` (cpp/wave.cpp).
const WRITER_FUNCTIONS: [&str; 13] = [
    "WriterClose",
    "WriterCreate",
    "WriterCreateEnumTable",
    "WriterCreateVar",
    "WriterEmitEnumTableRef",
    "WriterEmitTimeChange",
    "WriterEmitValueChange",
    "WriterFlushContext",
    "WriterSetPackType",
    "WriterSetParallelMode",
    "WriterSetScope",
    "WriterSetTimescaleFromString",
    "WriterSetUpscope",
];

fn main() {
    let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=cpp");
    println!("cargo::rerun-if-changed=src/ffi.rs");
    for name in ["VERILATOR", "VERILATOR_ROOT", "CXX"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let verilator = match check_compiler(&out_dir).and_then(|()| Verilator::find()) {
        Ok(verilator) => verilator,
        Err(error) => return report(&error),
    };
    let include = verilator.include_dir();
    println!("cargo::rerun-if-changed={}", include.join("verilated_config.h").display());

    // The order of the libraries is the order of linking: the bridge needs the runtime.
    compile_bridge(&include);
    compile_runtime(&include, &out_dir);
    println!("cargo::rustc-link-lib=z");
    let shim = Path::new("cpp").canonicalize().expect("the package has its cpp directory");
    println!("cargo::metadata=include={}", shim.display());
}

/// The same optimisation in all profiles: unoptimised, a model's runtime is 70 times slower.
fn options<'a>(build: &'a mut cc::Build, include: &Path) -> &'a mut cc::Build {
    build
        .std("gnu++20")
        .opt_level(3)
        .debug(false)
        .warnings(false)
        .flag("-isystem")
        .flag(include)
        .include("cpp")
}

fn compile_bridge(include: &Path) {
    options(&mut cxx_build::bridge("src/ffi.rs"), include)
        .file("cpp/bridge/bridge.cpp")
        .compile("verilated_bridge");
}

fn compile_runtime(include: &Path, out_dir: &Path) {
    let mut runtime = cc::Build::new();
    options(&mut runtime, include)
        .cpp(true)
        .define("VL_USER_FINISH", None)
        .define("VL_USER_STOP", None)
        .define("VL_USER_FATAL", None)
        .define("VL_PRINTF", "verilated_printf")
        .flag("-include")
        .flag("cpp/printf.hpp")
        .files(["failure", "model", "wave", "wave_ring"].map(|name| format!("cpp/{name}.cpp")))
        .files(
            ["verilated", "verilated_threads", "verilated_cov"]
                .map(|name| include.join(format!("{name}.cpp"))),
        )
        .compile("verilated_rt");

    // Verilator's FST class with the writer's functions renamed, and the writer itself.
    let mut fst_class = cc::Build::new();
    options(&mut fst_class, include).cpp(true).file(fst_class_source(include, out_dir));
    fst_class.define("VL_PRINTF", "verilated_printf").flag("-include").flag("cpp/printf.hpp");
    for function in WRITER_FUNCTIONS {
        fst_class.define(&format!("fst{function}"), Some(format!("wave{function}").as_str()));
    }
    fst_class.compile("verilated_fst_class");
    options(&mut cc::Build::new(), include)
        .cpp(true)
        .include(include.join("gtkwave"))
        .file("cpp/fst_writer.cpp")
        .compile("verilated_fst_writer");
}

/// Verilator includes the writer's source in that of the class. To rename the calls and not the
/// functions, the class is compiled from a copy without those lines.
fn fst_class_source(include: &Path, out_dir: &Path) -> PathBuf {
    let original = include.join("verilated_fst_c.cpp");
    let text = fs::read_to_string(&original)
        .unwrap_or_else(|e| panic!("{} belongs to Verilator: {e}", original.display()));
    let is_writer = |line: &&str| line.starts_with("#include \"gtkwave/") && line.ends_with(".c\"");
    assert_eq!(text.lines().filter(is_writer).count(), 3, "{} has changed", original.display());
    let class: Vec<&str> = text.lines().filter(|line| !is_writer(line)).collect();
    let copy = out_dir.join("verilated_fst_class.cpp");
    fs::write(&copy, class.join("\n")).unwrap_or_else(|e| panic!("{}: {e}", copy.display()));
    copy
}
