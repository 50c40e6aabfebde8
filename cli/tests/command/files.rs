//! `floatgate encode` and `floatgate decode` on whole files: both engines agree, what the code
//! corrects comes back identical, and what it does not is named.

use std::fs;
use std::path::PathBuf;

use crate::project::Project;
use crate::{exit, fails, succeeds};

const CODE: &str = "b512-m13-t24";
const T: usize = 8;
/// 512 data bytes and 13 * 8 parity bits.
const CODEWORD_BYTES: usize = 512 + 13;
/// The text below takes three codewords, the last one short.
const CODEWORDS: usize = 3;

fn text() -> Vec<u8> {
    let text = include_bytes!("files.rs");
    assert!(text.len() > 1300, "three codewords, the last one short");
    text[..1300].to_vec()
}

/// Runs `encode` or `decode`.
fn run(project: &Project, command: &str, file: &str, more: &[&str]) -> String {
    let t = T.to_string();
    let arguments = [command, "--code", CODE, "--t", &t, file];
    succeeds(project.floatgate().args(arguments).args(more)).0
}

/// A project with `text` and what `encode` makes of it.
fn encoded() -> (Project, PathBuf) {
    let project = Project::new();
    project.write("text", text());
    run(&project, "encode", "text", &["--engine", "model"]);
    let path = project.path("text.bch");
    (project, path)
}

/// Where the first codeword begins: behind the line of JSON.
fn body(encoded: &[u8]) -> usize {
    encoded.iter().position(|&byte| byte == b'\n').expect("a head line") + 1
}

#[test]
fn both_engines_write_the_same_bytes() {
    for code in [CODE, "k1-m14-t40-crc", "k2-m15-t12-p64"] {
        let project = Project::new();
        project.write("text", text());
        let encode = |engine: &str| {
            let arguments = ["encode", "--code", code, "-t", "8", "--engine", engine];
            succeeds(project.floatgate().args(arguments).args(["-o", engine, "text"]));
            fs::read(project.path(engine)).unwrap()
        };
        let encoded = encode("rtl");
        assert!(encoded == encode("model"), "{code}: the engines part");
        let data = body(&encoded);
        assert!(encoded[data..].starts_with(&text()[..512]), "{code}: data in clear");
    }
}

#[test]
fn up_to_t_flips_in_each_codeword_come_back_identical() {
    let (project, _) = encoded();
    let flips = T.to_string();
    for engine in ["rtl", "model"] {
        for flip in ["0", "1", &flips] {
            let more = ["--engine", engine, "--flip", flip, "--seed", "5", "-o", "back"];
            let said = run(&project, "decode", "text.bch", &more);
            assert_eq!(fs::read(project.path("back")).unwrap(), text(), "{engine}, {flip} flips");
            let corrected = CODEWORDS * flip.parse::<usize>().unwrap();
            assert!(said.contains(&format!("{corrected} bits corrected")), "{said}");
            fs::remove_file(project.path("back")).unwrap();
        }
    }
}

#[test]
fn flips_of_encode_are_in_the_file_and_come_back_identical() {
    let (project, clean) = encoded();
    let clean = fs::read(clean).unwrap();
    run(&project, "encode", "text", &["--flip", "3", "--seed", "11", "-o", "flipped"]);
    let flipped = fs::read(project.path("flipped")).unwrap();
    let bits: u32 = clean.iter().zip(&flipped).map(|(a, b)| (a ^ b).count_ones()).sum();
    assert_eq!((flipped.len(), bits as usize), (clean.len(), 3 * CODEWORDS));
    run(&project, "decode", "flipped", &[]);
    assert_eq!(fs::read(project.path("flipped.decoded")).unwrap(), text());
}

#[test]
fn a_seed_decides_the_flips() {
    let (project, _) = encoded();
    let flipped = |seed: &str| {
        run(&project, "encode", "text", &["--flip", "3", "--seed", seed, "-o", "flipped"]);
        fs::read(project.path("flipped")).unwrap()
    };
    assert!(flipped("1") == flipped("1"));
    assert!(flipped("1") != flipped("2"));
}

#[test]
fn more_than_t_flips_name_the_codeword() {
    let (project, _) = encoded();
    let flips = (T + 1).to_string();
    for engine in ["rtl", "model"] {
        let arguments = ["decode", "--code", CODE, "--t", "8", "text.bch", "--engine", engine];
        let parts = ["text.bch: codeword 0 of 3 (data byte 0) has more errors", "nothing was"];
        let mut command = project.floatgate();
        fails(command.args(arguments).args(["--flip", &flips]), exit::UNCORRECTABLE, &parts);
        assert!(!project.path("text.out").exists());
    }
}

#[test]
fn damage_in_a_later_codeword_is_named_by_its_number() {
    let (project, path) = encoded();
    let mut encoded = fs::read(&path).unwrap();
    let second = body(&encoded) + CODEWORD_BYTES;
    for byte in 0..=T {
        encoded[second + 31 * byte] ^= 0x10;
    }
    fs::write(&path, encoded).unwrap();
    for engine in ["rtl", "model"] {
        let arguments = ["decode", "--code", CODE, "--t", "8", "text.bch", "--engine", engine];
        let parts = ["codeword 1 of 3 (data byte 512) has more errors than the code corrects"];
        fails(project.floatgate().args(arguments), exit::UNCORRECTABLE, &parts);
    }
}
