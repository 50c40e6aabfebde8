//! The source files that one top module needs, in the order in which they can be read.
//!
//! Only these are hashed and synthesized, so a change in the encoder leaves the decoder's results
//! valid. Any mention of a module's or package's name counts as a use of it: a mention in a comment
//! costs a needless file, never a missing one.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use super::error::SynthError;

/// A source file with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// File name; of an included file, the path that it is included by.
    pub(super) name: PathBuf,
    pub(super) text: String,
}

/// The files that `top` needs, what is used before what uses it; included files are apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sources {
    pub(super) units: Vec<Source>,
    pub(super) includes: Vec<Source>,
}

impl Sources {
    pub(super) fn collect(
        top: &str,
        files: &[PathBuf],
        include_dirs: &[PathBuf],
    ) -> Result<Self, SynthError> {
        let all = files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
        let mut home = HashMap::new();
        for (index, source) in all.iter().enumerate() {
            for name in definitions(&source.text) {
                home.entry(name).or_insert(index);
            }
        }
        let Some(&top_index) = home.get(top) else {
            return Err(SynthError::TopMissing { top: top.into() });
        };
        let mut order = Vec::new();
        visit(top_index, &all, &home, &mut HashSet::new(), &mut order);
        let units: Vec<Source> = order.into_iter().map(|index| all[index].clone()).collect();
        let includes = included(&units, include_dirs)?;
        Ok(Self { units, includes })
    }
}

fn read(path: &Path) -> Result<Source, SynthError> {
    let text = fs::read_to_string(path).map_err(SynthError::io(path))?;
    Ok(Source { name: path.file_name().unwrap_or_default().into(), text })
}

/// Depth first: a file goes into `order` after all that it uses.
fn visit(
    index: usize,
    all: &[Source],
    home: &HashMap<&str, usize>,
    seen: &mut HashSet<usize>,
    order: &mut Vec<usize>,
) {
    if !seen.insert(index) {
        return;
    }
    let code = all[index].text.lines().map(without_comment);
    for used in code.flat_map(words).filter_map(|word| home.get(word)) {
        visit(*used, all, home, seen, order);
    }
    order.push(index);
}

/// A line up to a comment: what is only spoken of is not used.
fn without_comment(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    text.split(move |c: char| !in_word(c)).filter(|word| !word.is_empty())
}

/// Names after `module` or `package` at the start of a line.
fn definitions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let mut words = words(line.trim_start());
        let keyword = words.next()?;
        let is_start = line.trim_start().starts_with(keyword);
        if !is_start || !matches!(keyword, "module" | "package") {
            return None;
        }
        words.find(|word| *word != "automatic")
    })
}

/// Files named by `include, found in the folders, and those that they include.
fn included(units: &[Source], include_dirs: &[PathBuf]) -> Result<Vec<Source>, SynthError> {
    let mut found = BTreeMap::new();
    let mut waiting: Vec<PathBuf> =
        units.iter().flat_map(|unit| include_names(&unit.text)).collect();
    while let Some(name) = waiting.pop() {
        if found.contains_key(&name) {
            continue;
        }
        // A file that is nowhere is left to the tool to complain about.
        let Some(path) = include_dirs.iter().map(|dir| dir.join(&name)).find(|path| path.is_file())
        else {
            continue;
        };
        let source = Source { name: name.clone(), ..read(&path)? };
        waiting.extend(include_names(&source.text));
        found.insert(name, source);
    }
    Ok(found.into_values().collect())
}

fn include_names(text: &str) -> Vec<PathBuf> {
    let names = text.lines().filter_map(|line| {
        line.trim_start().strip_prefix("`include")?.split('"').nth(1).map(PathBuf::from)
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_top_needs_is_taken_and_packages_come_first() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let files = [
            file("top.sv", "`include \"a.svh\"\nmodule top;\n leaf u_leaf ();\nendmodule\n"),
            file("leaf.sv", "module leaf #(\n  parameter int M = pkg::M\n) ();\nendmodule\n"),
            file("other.sv", "module other; // is not a module of top\nendmodule\n"),
            file(
                "pkg.sv",
                "// Constants of leaf and other.\npackage automatic pkg;\nendpackage : pkg\n",
            ),
        ];
        file("a.svh", "`include \"b.svh\"\n");
        file("b.svh", "// nothing\n");
        let sources = Sources::collect("top", &files, &[dir.path().to_path_buf()]).unwrap();
        let names = |sources: &[Source]| -> Vec<String> {
            sources.iter().map(|source| source.name.to_str().unwrap().into()).collect()
        };
        assert_eq!(names(&sources.units), ["pkg.sv", "leaf.sv", "top.sv"]);
        assert_eq!(names(&sources.includes), ["a.svh", "b.svh"]);

        let error = Sources::collect("absent", &files, &[]).unwrap_err();
        assert_eq!(error.to_string(), "no source file defines the module absent");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Sources::collect("top", &["nowhere.sv".into()], &[]).unwrap_err();
        assert_eq!(error.to_string(), "nowhere.sv: No such file or directory (os error 2)");
    }
}
