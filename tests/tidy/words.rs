//! Words that stand for unfinished work, and the places where `unsafe` may stand.

use crate::none;
use crate::tree::sources;

/// Spelled in two parts, so that this file passes its own check.
const FORBIDDEN: [&str; 8] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("dbg", "!("),
    concat!("#[al", "low("),
    concat!("#![al", "low("),
];

/// In two parts, as above.
const UNSAFE: &str = concat!("un", "safe");

/// Folders and files with unsafe code, each for the reason that it gives itself.
const UNSAFE_PLACES: [&str; 3] = [
    "cosim/verilated",           // the bridge to the verilated models
    "model/src/ecc/simd.rs",     // the step into code for a detected processor feature
    "benches/software_codec.rs", // the Linux kernel's codec, through its C interface
];

/// Whether `word` stands in a line on its own, not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        let goes_on = word.ends_with(is_word) && after.starts_with(is_word);
        !(before.ends_with(is_word) || goes_on)
    })
}

#[test]
fn nothing_is_marked_as_unfinished() {
    let extensions =
        ["rs", "sv", "svh", "vlt", "cpp", "hpp", "md", "toml", "ron", "tcl", "sh", "Makefile"];
    let mut faults = Vec::new();
    for source in sources(&extensions) {
        for (number, line) in source.lines() {
            for word in FORBIDDEN.iter().filter(|word| has_word(line, word)) {
                faults.push(format!("{}: {word}", source.at(number)));
            }
        }
    }
    none("marks of unfinished work", &faults);
}

#[test]
fn unsafe_stands_in_its_places_only() {
    let mut faults = Vec::new();
    for source in sources(&["rs"]) {
        if UNSAFE_PLACES.iter().any(|place| source.path.starts_with(place)) {
            continue;
        }
        for (number, line) in source.lines() {
            let code = line.split("//").next().unwrap_or_default();
            if ["{", "fn", "impl", "extern"]
                .iter()
                .any(|next| has_word(code, &format!("{UNSAFE} {next}")))
            {
                faults.push(source.at(number));
            }
        }
    }
    none("places with unsafe code", &faults);
}
