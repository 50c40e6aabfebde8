//! One proof: Yosys makes the transition system, yosys-smtbmc and a solver do the rest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The Yosys that is there, and a solver.
pub(crate) struct Tools {
    solver: &'static [&'static str],
}

impl Tools {
    /// Finds them, or says in one line which is missing.
    pub(crate) fn find() -> Option<Self> {
        // Not each of them has an option that ends well, so it is enough that they start.
        let is_there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
        if !is_there("yosys") || !is_there("yosys-smtbmc") {
            println!("skipped: no yosys; install it, e.g. `apt-get install yosys`");
            return None;
        }
        if is_there("yices-smt2") {
            return Some(Self { solver: &["-s", "yices"] });
        }
        if is_there("z3") {
            // Its incremental mode is a thousand times slower on these problems.
            return Some(Self { solver: &["-s", "z3", "--unroll", "--noincr"] });
        }
        println!("skipped: no solver for yosys-smtbmc; install one, e.g. `apt-get install z3`");
        None
    }
}

/// A module with the properties bound into it.
#[derive(Clone)]
pub(crate) struct Proof {
    /// The module; its properties are in `ecc-rtl/formal` under the same name.
    pub(crate) module: &'static str,
    /// Values of its parameters.
    pub(crate) params: &'static [(&'static str, i64)],
    /// Modules below it, as they are.
    pub(crate) parts: &'static [&'static str],
    /// Modules below it that are cut.
    pub(crate) cuts: &'static [&'static str],
    /// Steps of the base case; induction takes two.
    pub(crate) base_steps: u32,
    /// Steps within which all cover statements are reached; none are looked for where it is zero.
    pub(crate) cover_steps: u32,
    /// Faults, each of which must break a property.
    pub(crate) faults: &'static [Fault],
}

/// A fault in the module, put there to see a property fail.
pub(crate) struct Fault {
    /// What is replaced, unique in the module's source.
    pub(crate) snippet: &'static str,
    /// By what.
    pub(crate) replacement: &'static str,
    /// Steps in which the failure is reached from reset.
    pub(crate) steps: u32,
}

const INDUCTION_STEPS: &str = "2";

impl Proof {
    /// The properties hold: from reset for some steps, and from any state where they held.
    pub(crate) fn hold(&self, tools: &Tools) {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let model = self.model(&dir, None);
        let base = self.base_steps.to_string();
        for (what, options) in
            [("base case", vec!["-t", &base]), ("induction", vec!["-i", "-t", INDUCTION_STEPS])]
        {
            let output = smtbmc(tools, &model, &options);
            assert!(output.status.success(), "{self}: {what}\n{}", tail(&output));
        }
        if self.cover_steps > 0 {
            let output = smtbmc(tools, &model, &["-c", "-t", &self.cover_steps.to_string()]);
            assert!(output.status.success(), "{self}: not reached\n{}", tail(&output));
        }
    }

    /// With the fault put in, a property fails in a run from reset.
    pub(crate) fn fail_on(&self, tools: &Tools, fault: &Fault) {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let model = self.model(&dir, Some(fault));
        let output = smtbmc(tools, &model, &["-t", &fault.steps.to_string()]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            !output.status.success() && text.contains("Assert failed"),
            "{self}: no property fails on `{}`\n{}",
            fault.replacement,
            tail(&output)
        );
    }

    /// Writes the module with its properties, and has Yosys make the transition system.
    fn model(&self, dir: &TempDir, fault: Option<&Fault>) -> PathBuf {
        let source = source_of(self.module, fault);
        let properties = read(&rtl().join("formal").join(format!("{}.sv", self.module)));
        let (body, end) = source.split_at(source.rfind("endmodule").expect("a module ends"));
        let top = dir.path().join(format!("{}.sv", self.module));
        fs::write(&top, [body, &properties, end].concat()).expect("a temporary file");
        let mut files = vec![rtl().join("bch_pkg.sv"), top];
        files.extend(self.parts.iter().map(|name| rtl().join(format!("{name}.sv"))));
        files.extend(self.cuts.iter().map(|name| rtl().join(format!("formal/cut/{name}.sv"))));
        let model = dir.path().join("model.smt2");
        yosys(&format!(
            "{}; prep -top {} -nordff -flatten; async2sync; dffunmap; opt_clean; \
             write_smt2 -wires {}",
            read_design(&files, self.module, self.params),
            self.module,
            model.display()
        ))
        .unwrap_or_else(|message| panic!("{self}: {message}"));
        model
    }
}

impl std::fmt::Display for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.module)?;
        self.params.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// The arithmetic of GF(2^m), for all inputs.
pub(crate) fn arithmetic(_: &Tools, m: i64) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let proved = prove_arithmetic(&dir, m, "gf_mult", None);
    assert!(proved.is_ok(), "arithmetic of GF(2^{m}): {}", proved.unwrap_err());
}

/// A fault in each block is noticed.
pub(crate) fn arithmetic_fails_on_faults(_: &Tools) {
    let faults = [
        ("gf_mult", Fault { snippet: "times_alpha(a3)", replacement: "a3", steps: 0 }),
        ("gf_square", Fault { snippet: "Poly, 2)", replacement: "Poly, 3)", steps: 0 }),
        ("gf_scale", Fault { snippet: "k < Up", replacement: "k <= Up", steps: 0 }),
        ("gf_scale", Fault { snippet: "k < Down", replacement: "k <= Down", steps: 0 }),
        ("gf_scale", Fault { snippet: "Poly, E)", replacement: "Poly, -E)", steps: 0 }),
        ("gf_matrix", Fault { snippet: "16*(k+4)", replacement: "16*(k+8)", steps: 0 }),
    ];
    for (module, fault) in faults {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let proved = prove_arithmetic(&dir, 5, module, Some(&fault)).is_ok();
        assert!(!proved, "{module} with `{}`", fault.replacement);
    }
}

fn prove_arithmetic(
    dir: &TempDir,
    m: i64,
    module: &str,
    fault: Option<&Fault>,
) -> Result<(), String> {
    let changed = dir.path().join(format!("{module}.sv"));
    fs::write(&changed, source_of(module, fault)).expect("a temporary file");
    let mut files = vec![rtl().join("bch_pkg.sv"), changed, rtl().join("formal/gf_proof.sv")];
    let blocks = ["gf_matrix", "gf_mult", "gf_square", "gf_scale"];
    files.extend(
        blocks.iter().filter(|&&name| name != module).map(|name| rtl().join(format!("{name}.sv"))),
    );
    yosys(&format!(
        "{}; prep -top gf_proof -flatten; opt_clean; \
         sat -verify -prove-asserts -set-assumes gf_proof",
        read_design(&files, "gf_proof", &[("M", m)]),
    ))
}

/// The source of a module, with the fault where there is one.
fn source_of(module: &str, fault: Option<&Fault>) -> String {
    let source = read(&rtl().join(format!("{module}.sv")));
    let Some(Fault { snippet, replacement, .. }) = fault else { return source };
    assert_eq!(source.matches(snippet).count(), 1, "`{snippet}` in {module}.sv");
    source.replace(snippet, replacement)
}

fn read_design(files: &[PathBuf], top: &str, params: &[(&str, i64)]) -> String {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let params: Vec<String> =
        params.iter().map(|(name, value)| format!("-set {name} {value}")).collect();
    format!(
        "read_verilog -formal -sv -I{} {}; chparam {} {top}",
        rtl().join("../rtl/prim").display(),
        files.join(" "),
        params.join(" ")
    )
}

fn yosys(script: &str) -> Result<(), String> {
    let output = Command::new("yosys").args(["-q", "-p", script]).output().expect("yosys starts");
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{}: {}", output.status, tail(&output)))
    }
}

fn smtbmc(tools: &Tools, model: &Path, options: &[&str]) -> Output {
    Command::new("yosys-smtbmc")
        .arg("--noprogress")
        .args(tools.solver)
        .args(options)
        .arg(model)
        .output()
        .expect("yosys-smtbmc starts")
}

/// The folder of the RTL.
pub(crate) fn rtl() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ecc-rtl")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The last lines that a tool printed.
pub(crate) fn tail(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
