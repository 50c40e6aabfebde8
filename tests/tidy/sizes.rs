//! Limits of lines, functions and files.

use crate::none;
use crate::tree::{Source, sources};

const LINE_COLUMNS_MAX: usize = 100;
const FUNCTION_LINES_MAX: usize = 70;
const RUST_LINES_MAX: usize = 500;
const SV_LINES_MAX: usize = 500;

/// Whether a line may be as long as it likes: nothing in it can be moved to the next one.
fn is_unbreakable(source: &Source, line: &str) -> bool {
    let has_link = line.contains("http://") || line.contains("https://") || line.contains("](");
    match source.extension() {
        "md" => line.starts_with('|') || has_link,
        "toml" => !line.starts_with('#'),
        _ => line.trim_start().starts_with("//") && has_link,
    }
}

#[test]
fn lines_are_no_longer_than_100_columns() {
    let mut faults = Vec::new();
    for source in sources(&["rs", "sv", "svh", "cpp", "hpp", "md", "toml", "tcl", "sh"]) {
        for (number, line) in source.lines() {
            let columns = line.chars().count();
            if columns > LINE_COLUMNS_MAX && !is_unbreakable(&source, line) {
                faults.push(format!("{}: {columns} columns", source.at(number)));
            }
        }
    }
    none("long lines", &faults);
}

/// The functions of a formatted Rust file with their first lines and lengths. rustfmt closes a
/// function at the indentation at which it begins, and nothing else stands there before.
fn functions(text: &str) -> Vec<(usize, String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        let Some(name) = function_name(code) else { continue };
        let after = &lines[first..];
        let ends = |line: &&str| {
            line.strip_prefix(indent).is_some_and(|rest| {
                rest == "}" || !rest.starts_with([' ', ')']) && rest.ends_with([';', '}'])
            })
        };
        let length = after.iter().position(ends).map_or(after.len(), |last| last + 1);
        found.push((first + 1, name.to_owned(), length));
    }
    found
}

/// The name of the function that begins on a line.
pub(crate) fn function_name(code: &str) -> Option<&str> {
    let mut rest = code;
    if let Some(visible) = rest.strip_prefix("pub") {
        let visible = visible.trim_start();
        rest = match visible.strip_prefix('(') {
            Some(scope) => scope.split_once(") ")?.1,
            None => visible,
        };
    }
    for modifier in ["const ", "async ", "unsafe ", "extern \"C\" "] {
        rest = rest.strip_prefix(modifier).unwrap_or(rest);
    }
    let name = rest.strip_prefix("fn ")?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

#[test]
fn functions_have_at_most_70_lines() {
    let mut faults = Vec::new();
    let mut count = 0;
    for source in sources(&["rs"]) {
        for (line, name, length) in functions(&source.text) {
            count += 1;
            if length > FUNCTION_LINES_MAX {
                faults.push(format!("{}: {name} has {length} lines", source.at(line)));
            }
        }
    }
    assert!(count > 100, "only {count} functions were recognised");
    none("long functions", &faults);
}

#[test]
fn the_lengths_of_functions_are_counted_right() {
    let text = [
        "impl A {",
        "    pub(crate) fn one(",
        "        a: B,",
        "    ) -> C {",
        "        {",
        "        }",
        "    }",
        "",
        "    fn two();",
        "    const fn three() {}",
        "}",
        "pub fn four() {",
        "    a",
        "}",
    ]
    .join("\n");
    let found = functions(&text);
    let found: Vec<_> = found.iter().map(|(line, name, n)| (*line, name.as_str(), *n)).collect();
    let expected = [(2, "one", 6), (9, "two", 1), (10, "three", 1), (12, "four", 3)];
    assert_eq!(found, expected);
}

#[test]
fn files_fit_their_limits() {
    let mut faults = Vec::new();
    for source in sources(&["rs", "sv", "svh"]) {
        let limit = if source.extension() == "rs" { RUST_LINES_MAX } else { SV_LINES_MAX };
        let lines = source.text.lines().count();
        if lines > limit {
            faults.push(format!("{}: {lines} lines", source.path.display()));
        }
    }
    none("long files", &faults);
}

/// Files of properties alone are bound into the module that they are named like.
#[test]
fn a_file_holds_the_module_that_it_is_named_like() {
    let mut faults = Vec::new();
    for source in sources(&["sv"]) {
        let stem = source.path.file_stem().and_then(|stem| stem.to_str()).unwrap();
        let units: Vec<&str> = source.text.lines().filter_map(design_unit).collect();
        let properties = source.path.starts_with("ecc-rtl/formal") && units.is_empty();
        if units != [stem] && !properties {
            faults.push(format!("{}: {units:?}", source.path.display()));
        }
    }
    none("files with other modules", &faults);
}

/// The name of the module, package or interface that begins on a line.
fn design_unit(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    if !["module", "package", "interface"].contains(&words.next()?) {
        return None;
    }
    let name = words.find(|&word| word != "automatic")?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}
