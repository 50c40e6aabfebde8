//! Which pages of a block share cells, and so which type a page is.

use floatgate_hal::flash::address::PageIndex;
use serde::Deserialize;

/// Which pages of a block share cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum PageScheme {
    /// A page has its cells to itself.
    SingleLevel,
    /// Two bits per cell: page 0 and the odd pages are lower ones, an upper page comes three pages
    /// after its lower one; the block's last page closes the last pair (Linux, `nand_base.c`).
    Distance3,
    /// Three bits per cell: pages 0 to 5 are LSB, 6 and 7 CSB, and then pairs of LSB, CSB and MSB
    /// pages take turns (25 nm TLC as OpenNVM measured it). At a block's end some wordlines are
    /// left without their later pages.
    TlcPairs,
}

/// Where on the cells a page lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Page type, counted from the one that is programmed first.
    pub page_type: usize,
    /// Which set of cells: pages with the same one share them.
    pub wordline: u16,
}

impl PageScheme {
    /// Page types of the scheme, which is bits of a cell.
    pub const fn types(self) -> usize {
        match self {
            Self::SingleLevel => 1,
            Self::Distance3 => 2,
            Self::TlcPairs => 3,
        }
    }

    /// Where a page lies.
    pub const fn position(self, page: PageIndex, pages_per_block: u16) -> Position {
        let PageIndex(page) = page;
        let (page_type, wordline) = match self {
            Self::SingleLevel => (0, page),
            Self::Distance3 if page == 0 => (0, 0),
            Self::Distance3 if page + 1 == pages_per_block => (1, (page - 1) / 2),
            Self::Distance3 if page % 2 == 1 => (0, page.div_ceil(2)),
            Self::Distance3 => (1, (page - 2) / 2),
            Self::TlcPairs if page < 6 => (0, page),
            Self::TlcPairs if page < 8 => (1, page - 6),
            Self::TlcPairs => {
                let (turn, odd) = ((page - 8) / 2, page % 2);
                let round = 2 * (turn / 3) + odd;
                match turn % 3 {
                    0 => (0, 6 + round),
                    1 => (1, 2 + round),
                    _ => (2, round),
                }
            }
        };
        Position { page_type, wordline }
    }

    /// The pages on the same cells that are programmed before `page` and that its program, cut
    /// short, can spoil.
    pub fn earlier_pages(self, page: PageIndex, pages_per_block: u16) -> Vec<PageIndex> {
        let own = self.position(page, pages_per_block);
        if own.page_type == 0 {
            return Vec::new();
        }
        let shares = |&other: &PageIndex| {
            let its = self.position(other, pages_per_block);
            its.wordline == own.wordline && its.page_type < own.page_type
        };
        (0..page.0).map(PageIndex).filter(shares).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wordlines(scheme: PageScheme, pages: u16) -> Vec<Vec<(usize, u16)>> {
        let mut lines = vec![Vec::new(); usize::from(pages)];
        for page in 0..pages {
            let Position { page_type, wordline } = scheme.position(PageIndex(page), pages);
            lines[usize::from(wordline)].push((page_type, page));
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    #[test]
    fn distance_3_pairs_every_page_of_a_block() {
        let lines = wordlines(PageScheme::Distance3, 256);
        assert_eq!(lines.len(), 128);
        assert_eq!(lines[0], [(0, 0), (1, 2)]);
        assert_eq!(lines[1], [(0, 1), (1, 4)]);
        assert_eq!(lines[126], [(0, 251), (1, 254)]);
        assert_eq!(lines[127], [(0, 253), (1, 255)]);
        let earlier = PageScheme::Distance3.earlier_pages(PageIndex(4), 256);
        assert_eq!(earlier, [PageIndex(1)]);
        assert!(PageScheme::Distance3.earlier_pages(PageIndex(1), 256).is_empty());
    }

    #[test]
    fn tlc_wordlines_fill_in_order() {
        let lines = wordlines(PageScheme::TlcPairs, 384);
        assert_eq!(lines[0], [(0, 0), (1, 6), (2, 12)]);
        assert_eq!(lines[2], [(0, 2), (1, 10), (2, 18)]);
        assert_eq!(lines[6], [(0, 8), (1, 22), (2, 30)]);
        for line in &lines {
            assert!(line.is_sorted(), "{line:?}");
            assert!(line.iter().enumerate().all(|(at, &(page_type, _))| at == page_type));
        }
    }
}
