//! Built models by the content of all that goes into them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::BuildError;

/// Variants of a row that are kept: profiles share one, but coverage and an edit or two of the RTL
/// go back and forth.
const KEPT_VARIANTS: usize = 8;

/// The directory of all models: in the target directory, beside the profiles' directories, or one
/// that several target directories share.
pub(crate) fn root(out_dir: &Path) -> PathBuf {
    if let Some(shared) = std::env::var_os("VERILATED_CACHE") {
        return shared.into();
    }
    // <target>/<profile>/build/<package>/out
    out_dir.ancestors().nth(4).unwrap_or(out_dir).join("verilated")
}

/// A hash of contents. DefaultHasher has fixed keys, so it gives the same value in each run; a new
/// compiler may bring another algorithm, which only costs a rebuild.
#[derive(Default)]
pub(crate) struct Key(DefaultHasher);

impl Key {
    pub(crate) fn value(&mut self, value: impl Hash) -> &mut Self {
        value.hash(&mut self.0);
        self
    }

    /// A path as it is written: messages and coverage name it.
    pub(crate) fn path(&mut self, path: &Path) -> &mut Self {
        self.value(path)
    }

    /// A file's name and content.
    pub(crate) fn file(&mut self, path: &Path) -> Result<&mut Self, BuildError> {
        let content = fs::read(path).map_err(BuildError::file(path))?;
        Ok(self.value(path.file_name()).value(content))
    }

    pub(crate) fn finish(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// The plain files of a directory, sorted.
pub(crate) fn files_in(dir: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(BuildError::file(dir))? {
        let path = entry.map_err(BuildError::file(dir))?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Notes that a variant is in use, and removes those of its row that were not for longest.
pub(crate) fn keep(variant: &Path) -> Result<(), BuildError> {
    let stamp = variant.join("used");
    fs::write(&stamp, "").map_err(BuildError::file(&stamp))?;
    let row = variant.parent().expect("a variant lies in its row's directory");
    let used = |path: &Path| {
        path.join("used").metadata().and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let mut variants = Vec::new();
    for entry in fs::read_dir(row).map_err(BuildError::file(row))? {
        let path = entry.map_err(BuildError::file(row))?.path();
        // Input keys and libraries in the making have an extension.
        if path.extension().is_none() {
            variants.push((used(&path), path));
        }
    }
    variants.sort();
    let surplus = variants.len().saturating_sub(KEPT_VARIANTS);
    for (_, path) in &variants[..surplus] {
        fs::remove_dir_all(path).map_err(BuildError::file(path))?;
    }
    Ok(())
}
