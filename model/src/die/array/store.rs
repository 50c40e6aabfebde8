//! Blocks and pages as they are kept: sparse, and shared between forks until one of them writes.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The bytes of a page or of a page register. Cloning shares them.
pub(crate) type Bytes = Arc<Vec<u8>>;

/// A page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    /// What was programmed; none is all ones.
    pub(crate) data: Option<Bytes>,
    /// Programs since the last erase.
    pub(crate) programs: u8,
    /// When it was programmed, in days of the target's life.
    pub(crate) programmed_days: f64,
    /// Whether a program of it was cut short.
    pub(crate) torn: bool,
}

/// A block that was erased, programmed or worn at least once.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Program/erase cycles.
    pub(crate) cycles: u32,
    /// Reads of any of its pages since the last erase.
    pub(crate) reads: u64,
    /// Whether it holds one bit per cell.
    pub(crate) slc: bool,
    /// Whether it was erased to the end, so that its pages may be programmed.
    pub(crate) erased: bool,
    /// Its pages.
    pub(crate) pages: Vec<Page>,
}

/// The blocks of a LUN by their numbers; those that are not there are as from the factory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store(Arc<BTreeMap<u32, Arc<Block>>>);

impl Store {
    pub(crate) fn get(&self, block: u32) -> Option<&Block> {
        self.0.get(&block).map(Arc::as_ref)
    }

    /// The block, made by `new` where it is not there, for writing.
    pub(crate) fn get_mut(&mut self, block: u32, new: impl FnOnce() -> Block) -> &mut Block {
        let blocks = Arc::make_mut(&mut self.0);
        Arc::make_mut(blocks.entry(block).or_insert_with(|| Arc::new(new())))
    }

    /// Puts a block into the place of the one that was there, which is returned.
    pub(crate) fn replace(&mut self, block: u32, new: Block) -> Option<Arc<Block>> {
        Arc::make_mut(&mut self.0).insert(block, Arc::new(new))
    }
}
