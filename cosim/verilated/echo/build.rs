//! The table of the bindings' own test tops.

use verilated_build::{Coverage, Top, build_or_report};

fn main() {
    let echo = |name: &str, p: i64, state_bits: i64, comb: i64| {
        let mut top = Top::new(format!("echo.{name}"), "echo");
        top.files.push("../tests/rtl/echo.sv".into());
        top.params = vec![
            ("P".to_owned(), p),
            ("StateBits".to_owned(), state_bits),
            ("Comb".to_owned(), comb),
        ];
        top
    };
    let mut covered = echo("covered", 8, 104, 0);
    covered.coverage = Coverage::Lines;
    let mut unstable = Top::new("unstable", "unstable");
    unstable.files.push("../tests/rtl/unstable.sv".into());
    build_or_report(&[
        echo("p8", 8, 104, 0),
        echo("p64", 64, 400, 0),
        echo("comb", 16, 112, 1),
        covered,
        unstable,
    ]);
}
