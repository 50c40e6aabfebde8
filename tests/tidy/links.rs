//! Links of the documentation, and documents that sources name.

use crate::none;
use crate::tree::{root, sources};

/// The targets of a Markdown line's links that are files of the project.
fn link_targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for (at, _) in line.match_indices("](") {
        let rest = &line[at + 2..];
        let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
        if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
            targets.push(target);
        }
    }
    targets
}

#[test]
fn links_lead_to_files() {
    let mut faults = Vec::new();
    for source in sources(&["md"]) {
        let folder = root().join(source.path.parent().expect("a file is in a folder"));
        for (number, line) in source.lines() {
            for target in link_targets(line).iter().filter(|target| !folder.join(target).exists()) {
                faults.push(format!("{}: {target}", source.at(number)));
            }
        }
    }
    none("dead links", &faults);
}

/// A path below `docs` in a comment, a message or a text without a link.
#[test]
fn documents_that_are_named_are_there() {
    let is_path = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    let mut faults = Vec::new();
    for source in sources(&["rs", "sv", "svh", "md", "toml", "ron", "tcl", "sh", "Makefile"]) {
        for (number, line) in source.lines() {
            for (at, _) in line.match_indices(concat!("docs", "/")) {
                let whole = !line[..at].ends_with(is_path);
                let path = line[at..].split(|c| !is_path(c)).next().unwrap_or_default();
                let path = path.trim_end_matches(['.', '/']);
                if whole && !root().join(path).exists() {
                    faults.push(format!("{}: {path}", source.at(number)));
                }
            }
        }
    }
    none("documents that are not there", &faults);
}

#[test]
fn link_targets_are_recognised() {
    let line = "see [a](x.md#part), [b](https://c.d) and ![e](y/z.svg \"title\")";
    assert_eq!(link_targets(line), ["x.md", "y/z.svg"]);
    assert!(link_targets("[here](#part)").is_empty());
}
