//! The mapping of logical to physical pages, and which physical pages are valid.

use floatgate_hal::array::{Lpn, Ppa};

use super::memory::Memory;

/// The word of a page whose data are lost.
const LOST: u32 = u32::MAX;

/// Memory is lent zeroed, so a word is a physical page and one, and 0 where there is none.
pub(super) struct Map<W> {
    pages: W,
    valid: W,
}

impl<W: Memory> Map<W> {
    pub(super) fn new(pages: W, valid: W) -> Self {
        Self { pages, valid }
    }

    #[inline]
    pub(super) fn get(&self, lpn: Lpn) -> Option<Ppa> {
        match self.pages.get(lpn.0) {
            0 | LOST => None,
            word => Some(Ppa(word - 1)),
        }
    }

    /// Whether the data of a page are lost.
    pub(super) fn is_lost(&self, lpn: Lpn) -> bool {
        self.pages.get(lpn.0) == LOST
    }

    /// The data at a physical page are lost. Whose they were is looked for in the whole table.
    pub(super) fn lose(&self, page: Ppa, user_pages: u32) -> Lpn {
        let owner = (0..user_pages).find(|&lpn| self.pages.get(lpn) == page.0 + 1);
        let owner = owner.expect("a valid page is mapped");
        self.clear(Lpn(owner));
        self.pages.set(owner, LOST);
        Lpn(owner)
    }

    /// The word of a page, which the journal keeps.
    pub(super) fn word(&self, lpn: Lpn) -> u32 {
        self.pages.get(lpn.0)
    }

    /// Takes a word of the journal over. Which physical pages are valid is told in the end, by
    /// [`rebuild`](Self::rebuild).
    pub(super) fn restore(&self, lpn: Lpn, word: u32) -> Option<Ppa> {
        self.pages.set(lpn.0, word);
        self.get(lpn)
    }

    /// The journal has been read: the page's data are valid where they are, if they are.
    pub(super) fn rebuild(&self, lpn: Lpn) -> Option<Ppa> {
        self.get(lpn).inspect(|&page| self.turn(page))
    }

    /// Maps a page to where its data are now; tells where they were.
    pub(super) fn set(&self, lpn: Lpn, page: Ppa) -> Option<Ppa> {
        let before = self.clear(lpn);
        self.pages.set(lpn.0, page.0 + 1);
        assert!(!self.is_valid(page), "physical page {} is mapped twice", page.0);
        self.turn(page);
        before
    }

    /// Maps a page to nothing; tells where its data were.
    pub(super) fn clear(&self, lpn: Lpn) -> Option<Ppa> {
        let before = self.get(lpn);
        self.pages.set(lpn.0, 0);
        before.inspect(|&before| self.turn(before))
    }

    #[inline]
    pub(super) fn is_valid(&self, page: Ppa) -> bool {
        self.valid.get(page.0 / 32) >> (page.0 % 32) & 1 != 0
    }

    fn turn(&self, page: Ppa) {
        let at = page.0 / 32;
        self.valid.set(at, self.valid.get(at) ^ (1 << (page.0 % 32)));
    }
}
