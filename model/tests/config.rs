//! Configuration files: the shipped ones load and hold their promises, bad ones get one clear line.

use std::fs;
use std::path::{Path, PathBuf};

use floatgate_hal::units::{BitCount, Strength};
use floatgate_model::config::{CodeConfig, load_ron};

const GOOD: &str = "(
    m: 13, // p: 9, in a comment
    k_max_bytes: 512,
    t_max: 24,
    p: 8,
    p_c: 16,
    kes_lanes: 2,
    crc: false,
    fixed: false,
)
";

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/ecc")
}

/// Loads `text` as `code.ron` and returns the error's line without the folder.
fn refusal(text: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("code.ron");
    fs::write(&path, text).unwrap();
    let line = CodeConfig::load(&path).unwrap_err().to_string();
    assert_eq!(line.lines().count(), 1, "{line}");
    line.replace(&format!("{}/", dir.path().display()), "")
}

fn refusal_of(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from));
    refusal(&GOOD.replace(from, to))
}

#[test]
fn shipped_codes_load_in_order() {
    let codes = CodeConfig::load_dir(shipped()).unwrap();
    let names: Vec<_> = codes.iter().map(|code| code.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "b512-m13-t12-fixed",
            "b512-m13-t24",
            "b512-m13-t24-fixed",
            "b512-m13-t24-p32",
            "b512-m13-t8-fixed",
            "k1-m14-t40",
            "k1-m14-t40-crc",
            "k1-m14-t40-p32",
            "k2-m15-t12",
            "k2-m15-t12-p64",
            "k4-m16-t72",
            "k4-m16-t72-p16",
            "n23-m5-t3",
        ]
    );
}

#[test]
fn key_equation_keeps_up_on_the_fewest_lanes() {
    for code in CodeConfig::load_dir(shipped()).unwrap() {
        let keeps_up = |kes_lanes| {
            let config = CodeConfig { kes_lanes, ..code.config.clone() };
            config.key_equation(Strength(config.t_max as u16)) <= config.codeword_period()
        };
        let lanes = code.config.kes_lanes;
        if code.name == "n23-m5-t3" {
            assert_eq!(lanes, code.config.t_max + 1, "{}: all lanes", code.name);
            continue;
        }
        assert!(keeps_up(lanes), "{}: {lanes} lanes are too few", code.name);
        assert!(lanes == 1 || !keeps_up(lanes - 1), "{}: fewer lanes would do", code.name);
    }
}

#[test]
fn sizes_follow_from_the_fields() {
    let load = |name: &str| CodeConfig::load(shipped().join(name)).unwrap().config;
    let crc = load("k1-m14-t40-crc.ron");
    assert_eq!(crc.k_max(), BitCount(8 * 1024 + 32));
    assert_eq!(crc.n_max(), BitCount(8 * 1024 + 32 + 560));
    assert_eq!(crc.parity(Strength(3)), BitCount(42));
    assert_eq!(crc.strengths().count(), 40);
    let fixed = load("b512-m13-t12-fixed.ron");
    assert_eq!(fixed.strengths().collect::<Vec<_>>(), [Strength(12)]);
}

#[test]
fn unknown_field_gets_the_nearest_name() {
    assert_eq!(
        refusal_of("t_max: 24", "t_mx: 24"),
        "code.ron:4:5: field `t_mx`: unknown; the nearest name is `t_max`"
    );
}

#[test]
fn missing_duplicate_and_mistyped_fields_are_named() {
    assert_eq!(refusal_of("    crc: false,\n", ""), "code.ron:1:1: field `crc`: missing");
    assert_eq!(
        refusal_of("crc: false", "p: 8"),
        "code.ron:5:5: field `p`: given twice" // the first of them
    );
    assert_eq!(refusal_of("m: 13", "m: \"13\""), "code.ron:2:5: field `m`: Expected integer");
}

#[test]
fn text_that_is_not_ron_gets_its_position() {
    assert_eq!(refusal_of("p: 8,", "p: 8;"), "code.ron:5:9: Expected comma");
    assert_eq!(refusal(&format!("{GOOD})")), "code.ron:10:2: Non-whitespace trailing characters");
    assert_eq!(refusal(""), "code.ron:1:1: Expected opening `(` for struct `CodeConfig`");
}

#[test]
fn values_out_of_range_are_refused() {
    for (from, to, message) in [
        ("m: 13", "m: 4", "2:5: field `m`: is 4, must be 5 to 16"),
        ("m: 13", "m: 17", "2:5: field `m`: is 17, must be 5 to 16"),
        ("s: 512", "s: 0", "3:5: field `k_max_bytes`: is 0, must be 1 to 65535"),
        ("s: 512", "s: 65536", "3:5: field `k_max_bytes`: is 65536, must be 1 to 65535"),
        ("t_max: 24", "t_max: 0", "4:5: field `t_max`: is 0, must be 1 to 255"),
        ("t_max: 24", "t_max: 256", "4:5: field `t_max`: is 256, must be 1 to 255"),
        ("p: 8", "p: 12", "5:5: field `p`: is 12, must be 8, 16, 32 or 64"),
        ("p_c: 16", "p_c: 0", "6:5: field `p_c`: is 0, must be p = 8 times a power of two"),
        ("p_c: 16", "p_c: 12", "6:5: field `p_c`: is 12, must be p = 8 times a power of two"),
        ("p_c: 16", "p_c: 128", "6:5: field `p_c`: is 128, must be at most 64"),
        ("lanes: 2", "lanes: 0", "7:5: field `kes_lanes`: is 0, must be 1 to 25"),
        ("lanes: 2", "lanes: 26", "7:5: field `kes_lanes`: is 26, must be 1 to 25"),
    ] {
        assert_eq!(refusal_of(from, to), format!("code.ron:{message}"));
    }
}

#[test]
fn code_that_leaves_its_field_is_refused() {
    assert_eq!(
        refusal_of("k_max_bytes: 512", "k_max_bytes: 1000"),
        "code.ron:4:5: field `t_max`: is 24, so a codeword of 8000 message and 312 parity bits \
         has 8312; GF(2^13) allows 8191"
    );
    // alpha^129 is a conjugate of alpha^65 in GF(2^13): strength 65 costs no new parity there.
    assert_eq!(
        refusal_of("t_max: 24", "t_max: 65"),
        "code.ron:4:5: field `t_max`: is 65, but parity of m bits per corrected bit needs \
         t <= 64 in GF(2^13)"
    );
    // The CRC's bits count: 8191 = 8 * 984 + 24 * 13 + 7.
    let longest = GOOD.replace("512", "984");
    let with_crc = longest.replace("crc: false", "crc: true");
    assert!(refusal(&with_crc).contains("7904 message"), "{}", refusal(&with_crc));
}

#[test]
fn absent_files_and_folders_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().display();
    let absent = CodeConfig::load(dir.path().join("none.ron")).unwrap_err().to_string();
    assert_eq!(
        absent,
        format!("{at}/none.ron: cannot read: No such file or directory (os error 2)")
    );
    let empty = CodeConfig::load_dir(dir.path()).unwrap_err().to_string();
    assert_eq!(empty, format!("{at}: holds no .ron file"));
    let absent = CodeConfig::load_dir(dir.path().join("none")).unwrap_err().to_string();
    assert_eq!(absent, format!("{at}/none: cannot read: No such file or directory (os error 2)"));
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Outer {
    #[expect(dead_code, reason = "only its errors matter")]
    name: String,
    #[expect(dead_code, reason = "only its errors matter")]
    points: Vec<Point>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Point {
    #[expect(dead_code, reason = "only its errors matter")]
    clock_mhz: f64,
    #[expect(dead_code, reason = "only its errors matter")]
    mode: Mode,
}

#[derive(Debug, serde::Deserialize)]
enum Mode {
    Fast,
    Slow,
}

#[test]
fn nested_fields_carry_their_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("outer.ron");
    let refusal = |point: &str| {
        let text = format!(
            "(\n  name: \"clock_mhz: 3 \\\"\", /* points:\n */\n  points: [\n    {point}\n  ],\n)"
        );
        fs::write(&path, text).unwrap();
        let line = load_ron::<Outer>(&path).unwrap_err().to_string();
        line.replace(&format!("{}/", dir.path().display()), "")
    };
    assert_eq!(
        refusal("(clock_mhz: fast, mode: Fast)"),
        "outer.ron:5:6: field `points[0].clock_mhz`: Expected float"
    );
    assert_eq!(
        refusal("(clock_hz: 1.0, mode: Fast)"),
        "outer.ron:5:6: field `points[0].clock_hz`: unknown; the nearest name is `clock_mhz`"
    );
    assert_eq!(
        refusal("(clock_mhz: 1.0, mode: Slo)"),
        "outer.ron:5:22: field `points[0].mode`: unknown choice `Slo`; the nearest is `Slow`"
    );
    assert_eq!(
        refusal("(clock_mhz: 1.0, mode: Fast), (clock_mhz: fast, mode: Fast)"),
        "outer.ron:5:36: field `points[1].clock_mhz`: Expected float"
    );
    assert_eq!(refusal("(clock_mhz: 1.0)"), "outer.ron:4:3: field `points[0].mode`: missing");
}
