//! Wrong input of `floatgate encode` and `floatgate decode`: one line each, and nothing written.

use std::fs;

use assert_cmd::Command;

use crate::project::{Project, names_in};
use crate::{exit, fails, succeeds};

const DATA: &[u8] = b"a few bytes";

/// A project with `data`, `data.bch` and an empty file.
fn project() -> Project {
    let project = Project::new();
    project.write("data", DATA);
    project.write("empty", b"");
    succeeds(&mut codec(&project, "encode", "n23-m5-t3", "2", "data"));
    project
}

fn codec(project: &Project, command: &str, code: &str, t: &str, file: &str) -> Command {
    let mut floatgate = project.floatgate();
    floatgate.args([command, "--code", code, "--t", t, "--engine", "model", file]);
    floatgate
}

#[test]
fn an_unknown_code_is_answered_with_the_known_ones() {
    let project = project();
    for command in ["encode", "decode"] {
        let parts = ["no code `n23`; there are ", "n23-m5-t3", "k4-m16-t72-p16"];
        fails(&mut codec(&project, command, "n23", "2", "data"), exit::INPUT, &parts);
    }
}

#[test]
fn a_strength_out_of_range_is_answered_with_the_range() {
    let project = project();
    for command in ["encode", "decode"] {
        for t in ["0", "4", "65535"] {
            let parts = [&format!("t = {t}: n23-m5-t3 has strengths 1 to 3")[..]];
            fails(&mut codec(&project, command, "n23-m5-t3", t, "data"), exit::INPUT, &parts);
        }
        let mut fixed = codec(&project, command, "b512-m13-t8-fixed", "7", "data");
        fails(&mut fixed, exit::INPUT, &["t = 7: b512-m13-t8-fixed has strengths 8"]);
    }
}

#[test]
fn more_flips_than_bits_are_refused() {
    let project = project();
    // A byte of data and ten bits of parity.
    project.write("byte", b"x");
    let mut encode = codec(&project, "encode", "n23-m5-t3", "2", "byte");
    fails(encode.args(["--flip", "19"]), exit::INPUT, &["--flip 19: codeword 0 has 18 bits"]);
    assert!(!project.path("byte.bch").exists());
}

#[test]
fn a_file_that_is_empty_or_missing_is_named() {
    let project = project();
    let encode = |file| codec(&project, "encode", "n23-m5-t3", "2", file);
    fails(&mut encode("empty"), exit::INPUT, &["empty: the file is empty"]);
    fails(&mut encode("absent"), exit::INPUT, &["absent: No such file"]);
    let decode = |file| codec(&project, "decode", "n23-m5-t3", "2", file);
    fails(&mut decode("absent.bch"), exit::INPUT, &["absent.bch: No such file"]);
    let parts = ["empty: is not a file that `floatgate encode` wrote"];
    fails(&mut decode("empty"), exit::INPUT, &parts);
}

#[test]
fn a_file_that_encode_did_not_write_is_refused() {
    let project = project();
    let encoded = fs::read(project.path("data.bch")).unwrap();
    let head = encoded.iter().position(|&byte| byte == b'\n').unwrap();
    let mut damaged = encoded.clone();
    damaged[0] ^= 1;
    let other_format = String::from_utf8_lossy(&encoded).replace("codewords-1", "codewords-2");
    let headless = &encoded[..head];
    for content in [DATA, b"{}\n", &damaged, other_format.as_bytes(), headless] {
        project.write("wrong.bch", content);
        let mut decode = codec(&project, "decode", "n23-m5-t3", "2", "wrong.bch");
        let parts = ["wrong.bch: is not a file that `floatgate encode` wrote"];
        fails(&mut decode, exit::INPUT, &parts);
    }
}

#[test]
fn a_file_of_another_code_or_strength_is_refused() {
    let project = project();
    for (code, t) in [("n23-m5-t3", "3"), ("b512-m13-t24", "2")] {
        let parts = ["data.bch: was encoded by n23-m5-t3 at t = 2"];
        fails(&mut codec(&project, "decode", code, t, "data.bch"), exit::INPUT, &parts);
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let project = project();
    let encoded = fs::read(project.path("data.bch")).unwrap();
    let body = encoded.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    // A codeword takes one byte of data and ten bits of parity.
    assert_eq!(encoded.len() - body, 3 * DATA.len());
    for cut in [body, body + 2, body + 16, encoded.len() - 1] {
        project.write("cut.bch", &encoded[..cut]);
        let codeword = (cut - body) / 3;
        let parts = [&format!("cut.bch: ends within codeword {codeword}")[..]];
        let mut decode = codec(&project, "decode", "n23-m5-t3", "2", "cut.bch");
        fails(&mut decode, exit::INPUT, &parts);
    }
    project.write("long.bch", [&encoded[..], b"xy"].concat());
    let parts = ["long.bch: has 2 bytes behind its last codeword"];
    fails(&mut codec(&project, "decode", "n23-m5-t3", "2", "long.bch"), exit::INPUT, &parts);
}

#[test]
fn an_output_that_cannot_be_written_leaves_nothing() {
    let project = project();
    let before = names_in(&project.path("."));
    // Neither below a file nor in a folder that is not there can anyone write, root included.
    for output in ["data/out", "absent/out"] {
        for (command, file) in [("encode", "data"), ("decode", "data.bch")] {
            let mut codec = codec(&project, command, "n23-m5-t3", "2", file);
            fails(codec.args(["--output", output]), exit::OUTPUT, &[&format!("{output}: ")]);
        }
    }
    fs::create_dir(project.path("folder")).unwrap();
    let mut encode = codec(&project, "encode", "n23-m5-t3", "2", "data");
    fails(encode.args(["--output", "folder"]), exit::OUTPUT, &["folder: "]);
    fs::remove_dir(project.path("folder")).expect("it is empty still");
    assert_eq!(names_in(&project.path(".")), before);
}
