//! Arithmetic of GF(2^13) to GF(2^16) by simulation: `ecc-rtl/formal/gf_dense.sv` compares the RTL
//! with tables of powers and logarithms that are made here, one multiplication by alpha at a time.

use std::fmt::Write;
use std::process::Command;

use crate::proof::{rtl, tail};

/// Degree and primitive polynomial of each field, with its leading term.
const FIELDS: [(u32, u32); 4] = [(13, 0x201b), (14, 0x402b), (15, 0x8003), (16, 0x1100b)];

/// Verilates the bench and runs it for each field.
pub(crate) fn compare() {
    if Command::new("verilator").arg("--version").output().is_err() {
        println!("skipped: no verilator; install it, e.g. `apt-get install verilator`");
        return;
    }
    for (m, polynomial) in FIELDS {
        let dir = tempfile::tempdir().expect("a temporary folder");
        write_powers(m, polynomial, &dir.path().join("powers.hex"));
        let sources =
            ["bch_pkg", "gf_matrix", "gf_mult", "gf_square", "gf_scale", "formal/gf_dense"];
        let build = Command::new("verilator")
            .args(["--binary", "-Wno-fatal", "-O3", "-CFLAGS", "-O1", "--top-module", "gf_dense"])
            .arg(format!("-GM={m}"))
            .arg("--Mdir")
            .arg(dir.path())
            .args(sources.map(|name| rtl().join(format!("{name}.sv"))))
            .output()
            .expect("verilator starts");
        assert!(build.status.success(), "GF(2^{m}): {}", tail(&build));
        let run = Command::new(dir.path().join("Vgf_dense"))
            .current_dir(dir.path())
            .output()
            .expect("the bench starts");
        let text = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && text.contains("all equal"), "GF(2^{m}): {}", tail(&run));
    }
}

/// alpha^0, alpha^1, .. alpha^(2^m - 2), in the order of $readmemh.
fn write_powers(m: u32, polynomial: u32, path: &std::path::Path) {
    let mut text = String::new();
    let mut power = 1;
    for _ in 1..1u32 << m {
        writeln!(text, "{power:x}").expect("a String takes everything");
        power <<= 1;
        if power >> m != 0 {
            power ^= polynomial;
        }
    }
    assert_eq!(power, 1, "alpha has the order of the field");
    std::fs::write(path, text).expect("a temporary file");
}
