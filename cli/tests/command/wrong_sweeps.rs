//! Wrong input of `floatgate sweep`: one line each before anything is simulated, and no run folder.

use crate::project::{Project, SMALL_SWEEP, small_sweep_with};
use crate::{exit, fails};

/// A sweep that must be refused with each of `parts`, and leave no run.
#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let project = Project::new();
    fails(&mut project.sweep(text), exit::INPUT, parts);
    assert_eq!(project.runs(), [""; 0]);
}

#[test]
fn an_unknown_field_has_its_place_and_the_nearest_name() {
    let text = small_sweep_with("    clock_mhz", "    clock_mzh");
    let line = "small.ron:5:5: field `clock_mzh`: unknown; the nearest name is `clock_mhz`";
    refused(&text, &[line]);
    let text = small_sweep_with("t_r_us", "t_r_ms");
    refused(&text, &["small.ron:10:", "t_r_ms`: unknown; the nearest name is `t_r_us`"]);
}

#[test]
fn what_is_missing_is_named() {
    let text = small_sweep_with("    seed: 7,\n", "");
    refused(&text, &["small.ron:1:1: field `seed`: missing"]);
}

#[test]
fn what_is_not_ron_has_its_place() {
    let text = small_sweep_with("seed: 7,", "seed: 7;");
    refused(&text, &["small.ron:6:"]);
    refused(&text[..40], &["small.ron:"]);
}

#[test]
fn a_value_that_cannot_be_meant_has_its_place() {
    let cases = [
        ("seed: 7", "seed: -7", "small.ron:6:5: field `seed`"),
        ("clock_mhz: 100.0", "clock_mhz: 0.0", "small.ron:5:5: field `clock_mhz`: is 0"),
        ("uber_target: 1e-15", "uber_target: 1.5", "small.ron:8:5: field `uber_target`: is 1.5"),
        ("codewords_per_point: 3", "codewords_per_point: 2", "small.ron:4:5: field `codewords"),
        ("strengths: [1, 2, 3]", "strengths: []", "field `strengths`: of `n23-m5-t3` is empty"),
        ("t_r_us: 78.0", "t_r_us: -1.0", "small.ron:10:28: field `page.t_r_us`: is -1"),
        ("chip: Mlc2yNm", "chip: Mlc3yNm", "the nearest is `Mlc2yNm`"),
        (
            "synthesis: None",
            "synthesis: Some((per_strength: false, builds: [], controllers: [2, 9]))",
            "field `synthesis.controllers`: has 9 dies, must be 2 to 8",
        ),
    ];
    for (from, to, part) in cases {
        refused(&small_sweep_with(from, to), &[part]);
    }
}

#[test]
fn a_strength_beyond_the_code_is_answered_with_its_range() {
    for t in [0, 4] {
        let text = small_sweep_with("[1, 2, 3]", &format!("[1, {t}]"));
        let line = format!(
            "small.ron:3:33: field `codes[0].strengths`: {t} is not one of n23-m5-t3's, 1 to 3"
        );
        refused(&text, &[&line]);
    }
}

#[test]
fn an_unknown_code_is_answered_with_the_known_ones() {
    let text = small_sweep_with("\"n23-m5-t3\"", "\"n24\"");
    refused(
        &text,
        &["small.ron:3:14: field `codes[0].code`: no code `n24`; there are ", "n23-m5-t3"],
    );
    let text = small_sweep_with("crc_code: None", "crc_code: Some(\"n24\")");
    refused(&text, &["field `miscorrection.crc_code`: no code `n24`"]);
}

#[test]
fn a_page_of_broken_codewords_is_refused() {
    let text = small_sweep_with("\"n23-m5-t3\"", "\"b512-m13-t24\"");
    refused(
        &text,
        &["small.ron:10:12: field `page.data_bytes`: 64 is no whole number of b512-m13-t24's 512"],
    );
}

#[test]
fn a_width_that_does_not_fit_a_code_is_named_with_its_place() {
    let project = Project::new();
    let code = std::fs::read_to_string(project.path("configs/ecc/n23-m5-t3.ron")).unwrap();
    project.write("configs/ecc/n23-m5-t3.ron", code.replace("    p: 8,", "    p: 12,"));
    let parts = ["n23-m5-t3.ron:5:5: field `p`: is 12, must be 8, 16, 32 or 64"];
    fails(&mut project.sweep(SMALL_SWEEP), exit::INPUT, &parts);
    assert_eq!(project.runs(), [""; 0]);
}

#[test]
fn a_data_file_that_is_empty_or_missing_is_named() {
    let project = Project::new();
    project.write("empty", "");
    for (file, said) in [("empty", "empty: the file is empty"), ("absent", "absent: No such file")]
    {
        let text = small_sweep_with("data: None", &format!("data: Some(\"{file}\")"));
        fails(&mut project.sweep(&text), exit::INPUT, &[said]);
        fails(project.sweep(SMALL_SWEEP).args(["--data", file]), exit::INPUT, &[said]);
    }
    assert_eq!(project.runs(), [""; 0]);
}

#[test]
fn a_configuration_that_is_missing_is_named() {
    let project = Project::new();
    let mut sweep = project.floatgate();
    sweep.args(["sweep", "--config", "absent.ron"]);
    fails(&mut sweep, exit::INPUT, &["absent.ron: cannot read: No such file"]);
}

#[test]
fn an_output_that_cannot_be_written_is_named_before_the_measurement() {
    let project = Project::new();
    let file = project.write("file", "not a folder");
    for out in ["file", "file/below"] {
        fails(project.sweep(SMALL_SWEEP).args(["--out", out]), exit::OUTPUT, &["file"]);
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "not a folder");
}

#[test]
fn a_folder_of_something_else_is_left_untouched() {
    let project = Project::new();
    std::fs::create_dir_all(project.path("out/sweep-small")).unwrap();
    project.write("out/sweep-small/thesis.tex", "years of work");
    let parts = ["out/sweep-small exists and is not a run folder, it is left untouched"];
    fails(&mut project.sweep(SMALL_SWEEP), exit::OUTPUT, &parts);
    assert_eq!(project.runs(), ["sweep-small"]);
    let kept = std::fs::read_to_string(project.path("out/sweep-small/thesis.tex")).unwrap();
    assert_eq!(kept, "years of work");
}
