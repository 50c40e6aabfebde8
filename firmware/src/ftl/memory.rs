//! The memory of a translation layer: words that are lent or owned.

use core::cell::Cell;
use core::ops::{Deref, Range};

/// A table of words.
pub trait Memory {
    /// The word at a place.
    fn get(&self, at: u32) -> u32;

    /// Changes the word at a place.
    fn set(&self, at: u32, word: u32);

    /// The words of a stretch, which are bounds-checked once.
    fn stretch(&self, places: Range<u32>) -> &[Cell<u32>];
}

impl<T: Deref<Target = [Cell<u32>]>> Memory for T {
    #[inline]
    fn get(&self, at: u32) -> u32 {
        self[at as usize].get()
    }

    #[inline]
    fn set(&self, at: u32, word: u32) {
        self[at as usize].set(word);
    }

    #[inline]
    fn stretch(&self, places: Range<u32>) -> &[Cell<u32>] {
        &self[places.start as usize..places.end as usize]
    }
}

/// The words that a drive needs, table by table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordCounts {
    /// One for each user page.
    pub map: u32,
    /// A bit for each physical page.
    pub valid: u32,
    /// Of each of the tables with a word for each block, [`WordCounts::BLOCK_TABLES`].
    pub blocks: u32,
    /// Of each of the tables with a word for each unit, [`WordCounts::UNIT_TABLES`].
    pub units: u32,
    /// Of the journal.
    pub journal: u32,
}

impl WordCounts {
    /// Tables with a word for each block.
    pub const BLOCK_TABLES: u32 = 6;

    /// Tables with a word for each unit: free and waiting blocks, and block and page of two
    /// frontiers.
    pub const UNIT_TABLES: u32 = 6;

    /// All bytes.
    pub const fn bytes(&self) -> u64 {
        let Self { map, valid, blocks, units, journal } = *self;
        let tables =
            Self::BLOCK_TABLES as u64 * blocks as u64 + Self::UNIT_TABLES as u64 * units as u64;
        4 * (map as u64 + valid as u64 + tables + journal as u64)
    }
}
