//! Results kept by content: the name of an entry is the hash of everything that the result depends
//! on, so an entry is never out of date and needs no rule to expire by.
//!
//! An entry appears under its name by a rename, complete: whoever is killed while writing leaves a
//! temporary file that nobody reads. An entry that does not read back counts as absent.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{error::SynthError, job::SynthResult, sources::Source};

/// Part of every key: to be raised when the same inputs give other figures by a change of this
/// module, of [`SynthResult`], or of the units in it.
const FORMAT: &str = "floatgate-synth-1";

/// Name of a cache entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key(String);

impl Key {
    pub(super) fn name(&self) -> &str {
        &self.0
    }
}

/// Collects what a result depends on. Every part is hashed with its label and length, so that no
/// two lists of parts run together.
pub(super) struct KeyBuilder(Sha256);

impl KeyBuilder {
    pub(super) fn new() -> Self {
        Self(Sha256::new()).part("format", FORMAT.as_bytes())
    }

    pub(super) fn part(mut self, label: &str, content: &[u8]) -> Self {
        for bytes in [label.as_bytes(), content] {
            self.0.update((bytes.len() as u64).to_le_bytes());
            self.0.update(bytes);
        }
        self
    }

    pub(super) fn sources(self, kind: &str, sources: &[Source]) -> Self {
        sources.iter().fold(self, |key, Source { name, text }| {
            key.part(kind, name.as_os_str().as_encoded_bytes()).part("text", text.as_bytes())
        })
    }

    pub(super) fn finish(self) -> Key {
        Key(self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// What stands in an entry; only the result is read back, the rest is for the curious.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) top: String,
    pub(super) variant: String,
    pub(super) params: String,
    pub(super) tools: String,
    pub(super) result: SynthResult,
}

/// A folder of entries.
#[derive(Debug)]
pub(super) struct Cache {
    dir: PathBuf,
}

impl Cache {
    pub(super) fn open(dir: &Path) -> Result<Self, SynthError> {
        fs::create_dir_all(dir).map_err(SynthError::io(dir))?;
        Ok(Self { dir: dir.to_path_buf() })
    }

    pub(super) fn load(&self, key: &Key) -> Option<SynthResult> {
        let text = fs::read_to_string(self.entry_path(key)).ok()?;
        serde_json::from_str::<Entry>(&text).ok().map(|entry| entry.result)
    }

    pub(super) fn store(&self, key: &Key, entry: &Entry) -> Result<(), SynthError> {
        let path = self.entry_path(key);
        let write = || {
            let mut file = tempfile::Builder::new().prefix("new-").tempfile_in(&self.dir)?;
            file.write_all(&serde_json::to_vec_pretty(entry)?)?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(SynthError::io(&path))
    }

    /// Keeps the log of a failed run, and returns where.
    pub(super) fn keep_log(&self, key: &Key, log: &Path) -> PathBuf {
        let kept = self.dir.join(format!("{}.log", key.0));
        match fs::copy(log, &kept) {
            Ok(_) => kept,
            Err(_) => log.to_path_buf(),
        }
    }

    fn entry_path(&self, key: &Key) -> PathBuf {
        self.dir.join(format!("{}.json", key.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::job::Area;
    use super::*;

    fn entry() -> Entry {
        let area =
            Area { cells: 3, flip_flops: 1, gate_equivalents: 0.1 + 0.2, area_um2: 1.0 / 3.0 };
        Entry {
            top: "top".into(),
            variant: "plain".into(),
            params: "M=13".into(),
            tools: "Yosys".into(),
            result: SynthResult { area, memory_bits: 7, blocks: vec![], timing: None },
        }
    }

    #[test]
    fn an_entry_comes_back_exactly() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(&dir.path().join("a/b")).unwrap();
        let key = KeyBuilder::new().part("top", b"x").finish();
        assert_eq!(cache.load(&key), None);
        cache.store(&key, &entry()).unwrap();
        assert_eq!(cache.load(&key), Some(entry().result));
    }

    #[test]
    fn a_damaged_entry_counts_as_absent() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let key = KeyBuilder::new().finish();
        cache.store(&key, &entry()).unwrap();
        let path = cache.entry_path(&key);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.load(&key), None, "cut to {length} bytes");
        }
        cache.store(&key, &entry()).unwrap();
        assert_eq!(cache.load(&key), Some(entry().result));
    }

    #[test]
    fn parts_do_not_run_together() {
        let key = |parts: &[(&str, &[u8])]| {
            parts
                .iter()
                .fold(KeyBuilder::new(), |key, (label, part)| key.part(label, part))
                .finish()
        };
        assert_ne!(key(&[("a", b"bc")]), key(&[("ab", b"c")]));
        assert_ne!(key(&[("a", b"b"), ("c", b"d")]), key(&[("a", b"bcd")]));
        assert_eq!(key(&[("a", b"b")]), key(&[("a", b"b")]));
    }
}
