//! The pages of a file on one die: written into its good blocks one after the other, read back from
//! where they are.

use floatgate_firmware::page::{DecodedPage, METADATA_BYTES};
use floatgate_firmware::policy::{ReadRetry, StrengthPolicy};
use floatgate_firmware::{EraseError, FlashStore, PageRead, ProgramError};
use floatgate_hal::flash::FlashBus;
use floatgate_hal::flash::address::{BlockIndex, Geometry, LunIndex, PageIndex, RowAddress};
use floatgate_hal::units::{BitCount, Picoseconds};
use floatgate_hal::{Clock, Ecc};

use super::error::StoreError;

/// A page of the file, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Which page of the file.
    pub page: u32,
    /// Where on the die.
    pub row: RowAddress,
}

/// Writes pages into a die's good blocks, ascending, each erased first. Where a program fails, what
/// its block holds is written again into the next. Each page costs firmware `own_time`.
///
/// # Errors
/// What firmware cannot handle, and a die that is full.
pub async fn write_pages<B: FlashBus, E: Ecc, S: StrengthPolicy, R: ReadRetry>(
    store: &mut FlashStore<'_, B, E, S, R>,
    geometry: &Geometry,
    pages: &[(u32, Vec<u8>)],
    clock: &impl Clock,
    own_time: Picoseconds,
) -> Result<Vec<Placed>, StoreError> {
    let mut placed: Vec<Placed> = Vec::with_capacity(pages.len());
    for (lun, block) in blocks(geometry) {
        if placed.len() == pages.len() {
            break;
        }
        match store.erase_block(lun, block).await {
            Ok(()) => {}
            Err(EraseError::Bus(fault)) => return Err(fault.into()),
            Err(EraseError::BadBlock(..) | EraseError::Failed(..)) => continue,
        }
        let start = placed.len();
        for (index, (page, bytes)) in (0..geometry.pages_per_block).zip(&pages[start..]) {
            let row = geometry.row(lun, block, PageIndex(index));
            clock.delay(own_time).await;
            match store.program_page(row, bytes, &metadata(*page)).await {
                Ok(()) => placed.push(Placed { page: *page, row }),
                Err(ProgramError::Relocate(_)) => {
                    placed.truncate(start);
                    break;
                }
                Err(other) => return Err(other.into()),
            }
        }
    }
    if placed.len() < pages.len() { Err(StoreError::Full) } else { Ok(placed) }
}

/// Reads a page back, with the wrong bits of each of its codewords.
///
/// # Errors
/// A page that cannot be corrected, or is not the one that was stored there.
pub async fn read_pages<B: FlashBus, E: Ecc, S: StrengthPolicy, R: ReadRetry>(
    store: &mut FlashStore<'_, B, E, S, R>,
    geometry: &Geometry,
    placed: &[Placed],
    clock: &impl Clock,
    own_time: Picoseconds,
) -> Result<Vec<(u32, Vec<u8>, Vec<BitCount>)>, StoreError> {
    let mut pages = Vec::with_capacity(placed.len());
    for &Placed { page, row } in placed {
        clock.delay(own_time).await;
        let mut data = vec![0; geometry.page_bytes.0 as usize];
        let PageRead { page: decoded, .. } = store.read_page(row, &mut data).await?;
        match decoded {
            DecodedPage::Data { metadata: its, corrected, .. } if its == metadata(page) => {
                pages.push((page, data, corrected.to_vec()));
            }
            _ => return Err(StoreError::Lost { page, row }),
        }
    }
    Ok(pages)
}

fn blocks(geometry: &Geometry) -> impl Iterator<Item = (LunIndex, BlockIndex)> + use<> {
    let (luns, blocks) = (geometry.luns, geometry.blocks_per_lun);
    (0..luns).flat_map(move |lun| (0..blocks).map(move |block| (LunIndex(lun), BlockIndex(block))))
}

/// The number of the page, so that a page in the wrong place is told from the right one.
fn metadata(page: u32) -> [u8; METADATA_BYTES] {
    let mut bytes = [0; METADATA_BYTES];
    bytes[..4].copy_from_slice(&page.to_le_bytes());
    bytes
}
