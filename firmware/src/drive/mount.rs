//! Finding out what is on the flash, after power was lost at any time.
//!
//! Every page that was programmed says whose data it holds and which write it was; of several pages
//! with the same data the latest write holds. A page whose program was cut short cannot be read and
//! is passed over, and so is a block whose erasure was. Copies made by collection have the number
//! of the write that they were copied from, and of copies the latest holds: what had been moved
//! need not be moved again, so that collection gets on however often power is cut.
//!
//! Only flash is read, so power may be lost again meanwhile. The time grows with the pages written.

use floatgate_hal::array::{BlockId, PageMark, Ppa, Spare, UnitIndex};
use floatgate_hal::{FlashArray, HostPort, Processor};

use super::Drive;
use crate::ftl::Memory;

impl<A: FlashArray, H: HostPort, P: Processor, W: Memory> Drive<A, H, P, W> {
    /// Looks through the blocks of a unit. To be awaited for all units, side by side, before the
    /// drive serves.
    pub async fn mount(&self, unit: UnitIndex) {
        let geometry = self.ftl.geometry();
        for index in 0..geometry.blocks_per_unit {
            self.mount_block(geometry.block(unit, index)).await;
        }
    }

    async fn mount_block(&self, block: BlockId) {
        let geometry = self.ftl.geometry();
        let (mut written, mut last) = (0, 0);
        while written < geometry.pages_per_block {
            let page = geometry.page(block, written);
            match self.array.read_mark(page).await {
                PageMark::Erased => break,
                PageMark::Unreadable => {}
                PageMark::Written(spare) => {
                    last = spare.serial;
                    self.mount_page(page, spare).await;
                }
            }
            written += 1;
        }
        self.ftl.restore_block(block, written, last);
    }

    /// Maps a page unless a later write of the same data has been found.
    async fn mount_page(&self, page: Ppa, spare: Spare) {
        let lpn = spare.lpn;
        self.ftl.restore_serial(spare.serial);
        if lpn.0 >= self.ftl.config().user_pages {
            return;
        }
        while let Some(other) = self.ftl.lookup(lpn) {
            let PageMark::Written(found) = self.array.read_mark(other).await else {
                unreachable!("it was read before")
            };
            // Another unit may have found a page meanwhile.
            if self.ftl.lookup(lpn) == Some(other) {
                if !spare.is_later_than(&found) {
                    return;
                }
                break;
            }
        }
        self.ftl.map(lpn, page);
    }
}
