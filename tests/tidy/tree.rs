//! The project's text files.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold no sources: what builds and runs leave.
const LEFT_OUT: [&str; 4] = ["target", "out", ".git", "__pycache__"];

/// A text file of the project.
pub(crate) struct Source {
    /// Path in the project.
    pub(crate) path: PathBuf,
    /// All of it.
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn extension(&self) -> &str {
        self.path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
    }

    /// The lines with their numbers from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// A place in this file, as compilers write it.
    pub(crate) fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files with one of these extensions, in order of their paths.
pub(crate) fn sources(extensions: &[&str]) -> Vec<Source> {
    let mut paths = Vec::new();
    collect(root(), extensions, &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "no file ends in any of {extensions:?}");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Source { path: path.strip_prefix(root()).unwrap().to_owned(), text }
    };
    paths.into_iter().map(read).collect()
}

fn collect(dir: &Path, extensions: &[&str], paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        let name = entry.file_name().into_string().expect("file names are text");
        if entry.file_type().unwrap().is_dir() {
            if !LEFT_OUT.contains(&name.as_str()) {
                collect(&path, extensions, paths);
            }
        } else if extensions.iter().any(|&extension| {
            name == extension || path.extension().is_some_and(|its| its == extension)
        }) {
            paths.push(path);
        }
    }
}
