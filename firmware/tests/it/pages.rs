//! Pages through layout, codec and a die that flips bits and fails.

use floatgate_firmware::page::{
    DecodeError, DecodedPage, LayoutError, METADATA_BYTES, PageCodec, PageLayout, Piece,
};
use floatgate_firmware::policy::{FeatureRetry, FixedStrength, NoRetry, ReadRetry, StrengthPolicy};
use floatgate_firmware::{
    BadBlocks, Die, EraseError, FlashStore, ProgramError, ReadError, scan_bad_blocks,
};
use floatgate_hal::flash::Outcome;
use floatgate_hal::flash::address::{
    BlockIndex, DieIndex, Geometry, LunIndex, PageIndex, RowAddress,
};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::units::{BitCount, ByteCount, Strength};
use proptest::prelude::*;

use crate::block_on;
use crate::fake::{FakeBus, FakeEcc};

const METADATA: [u8; METADATA_BYTES] = *b"logical page 7";
const T: Strength = Strength(8);

fn geometry() -> Geometry {
    Geometry {
        page_bytes: ByteCount(2048),
        spare_bytes: ByteCount(128),
        pages_per_block: 4,
        blocks_per_lun: 8,
        planes: 1,
        luns: 1,
    }
}

fn layout(ecc: &FakeEcc) -> PageLayout {
    PageLayout::new(&geometry(), ecc, ByteCount(512), T).unwrap()
}

fn bus() -> FakeBus {
    FakeBus::new(geometry(), Vec::new())
}

fn row(block: u32, page: u16) -> RowAddress {
    geometry().row(LunIndex(0), BlockIndex(block), PageIndex(page))
}

fn data(seed: u32) -> Vec<u8> {
    (0..2048).map(|i: u32| (i.wrapping_mul(seed) >> 5) as u8).collect()
}

/// Runs a test on a mounted die.
fn mounted<S: StrengthPolicy, R: ReadRetry>(
    bus: &FakeBus,
    policies: (S, R),
    test: impl AsyncFnOnce(&mut FlashStore<'_, FakeBus, FakeEcc, S, R>),
) {
    let ecc = FakeEcc::default();
    let (mut table, mut register) = ([0; 1], [0; 4096]);
    let bad_blocks = BadBlocks::new(geometry(), &mut table).unwrap();
    let (strength, retry) = policies;
    let codec = PageCodec { ecc: &ecc, layout: layout(&ecc), strength, scrambled: true };
    let die = Die::new(bus, DieIndex(0));
    let mut store = FlashStore::new(die, geometry(), codec, retry, bad_blocks, &mut register);
    block_on(test(&mut store));
}

#[test]
fn layouts_that_do_not_fit_name_the_numbers() {
    let ecc = FakeEcc::default();
    let with = |codeword, t| PageLayout::new(&geometry(), &ecc, ByteCount(codeword), Strength(t));
    assert_eq!(
        with(512, 12).unwrap_err().to_string(),
        "spare area of 128 B is too short for strength 12: 4 codewords need 24 B of parity each, \
         mark, metadata and their parity 42 B, in all 138 B"
    );
    assert!(with(512, 11).is_ok(), "128 bytes: 18 and five times 22");
    let (page, codeword) = (ByteCount(2048), ByteCount(500));
    assert_eq!(with(500, 1), Err(LayoutError::Codewords { page, codeword }));
    assert!(with(0, 1).is_err() && with(4096, 1).is_err() && with(512, 0).is_err());
}

#[test]
fn pages_come_back_with_the_errors_of_each_codeword() {
    let bus = bus();
    mounted(&bus, (FixedStrength(T), NoRetry), async |store| {
        store.program_page(row(2, 0), &data(77), &METADATA).await.unwrap();
        // Three in codeword 0, one in codeword 3, two in the metadata, one in parity of codeword 1.
        let spare = 8 * 2048;
        let parity_1 = spare + 8 * (18 + 16 + 16);
        *bus.flips.borrow_mut() =
            vec![0, 1000, 4095, 3 * 4096 + 5, spare + 30, spare + 40, parity_1 + 3];
        let mut read = vec![0; 2048];
        let page = store.read_page(row(2, 0), &mut read).await.unwrap();
        assert_eq!(read, data(77));
        let DecodedPage::Data { metadata, strength, metadata_corrected, corrected } = page.page
        else {
            panic!("{page:?}");
        };
        assert_eq!((metadata, strength, metadata_corrected), (METADATA, T, BitCount(2)));
        assert_eq!(corrected[..], [3, 1, 0, 1].map(BitCount));
        assert_eq!(page.retries, 0);
    });
}

#[test]
fn scrambled_pages_hold_both_values_and_the_mark_stays_clear() {
    let bus = bus();
    mounted(&bus, (FixedStrength(T), NoRetry), async |store| {
        store.program_page(row(1, 0), &[0; 2048], &[0; METADATA_BYTES]).await.unwrap();
    });
    let pages = bus.pages.borrow();
    let stored = &pages[&row(1, 0).0];
    let ones: u32 = stored[..2048].iter().map(|byte| byte.count_ones()).sum();
    assert!(ones.abs_diff(8192) < 400, "{ones} ones of 16384 bits");
    assert_eq!(stored[2048..2050], [0xFF, 0xFF]);
}

#[test]
fn erased_pages_are_known_in_spite_of_flipped_bits() {
    let bus = bus();
    mounted(&bus, (FixedStrength(T), NoRetry), async |store| {
        let mut read = vec![0; 2048];
        *bus.flips.borrow_mut() = (0..8).chain(4096..4104).chain([16_384 + 20]).collect();
        let page = store.read_page(row(3, 1), &mut read).await.unwrap();
        assert_eq!(page.page, DecodedPage::Erased { zeros: BitCount(17) });
        assert!(read.iter().all(|&byte| byte == 0xFF));
        *bus.flips.borrow_mut() = (0..9).collect();
        let error = store.read_page(row(3, 1), &mut read).await.unwrap_err();
        assert!(matches!(error, ReadError::Page { attempts: 1, .. }), "{error}");
    });
}

#[test]
fn pages_of_data_that_are_all_ones_are_not_taken_for_erased() {
    let bus = bus();
    mounted(&bus, (FixedStrength(T), NoRetry), async |store| {
        let ones = [0xFF; 2048];
        store.program_page(row(0, 0), &ones, &[0xFF; METADATA_BYTES]).await.unwrap();
        let mut read = vec![0; 2048];
        let page = store.read_page(row(0, 0), &mut read).await.unwrap();
        assert!(matches!(page.page, DecodedPage::Data { .. }), "{page:?}");
        assert_eq!(read, ones);
    });
}

/// Odd pages get strength 3, even ones 11, which the layout has no room for.
struct ByPage;

impl StrengthPolicy for ByPage {
    fn strength(&self, row: RowAddress) -> Strength {
        if row.0 % 2 == 1 { Strength(3) } else { Strength(11) }
    }
}

#[test]
fn each_page_has_the_strength_that_the_policy_chose() {
    let bus = bus();
    mounted(&bus, (ByPage, NoRetry), async |store| {
        let mut read = vec![0; 2048];
        for (page, expected) in [(0, T), (1, Strength(3))] {
            store.program_page(row(0, page), &data(5), &METADATA).await.unwrap();
            *bus.flips.borrow_mut() = vec![1, 2, 3];
            let decoded = store.read_page(row(0, page), &mut read).await.unwrap().page;
            let DecodedPage::Data { strength, .. } = decoded else { panic!("{decoded:?}") };
            assert_eq!((strength, &read), (expected, &data(5)));
        }
        *bus.flips.borrow_mut() = vec![1, 2, 3, 4];
        let error = store.read_page(row(0, 1), &mut read).await.unwrap_err();
        let (piece, strength) = (Piece::Data(0), Strength(3));
        let fault = DecodeError::Uncorrectable { piece, strength };
        assert_eq!(error, ReadError::Page { row: row(0, 1), attempts: 1, fault });
    });
}

#[test]
fn a_page_is_read_again_with_other_thresholds_and_these_are_put_back() {
    let bus = bus();
    let retry = FeatureRetry { address: 0x89, levels: 3 };
    mounted(&bus, (FixedStrength(T), retry), async |store| {
        store.program_page(row(0, 0), &data(9), &METADATA).await.unwrap();
        bus.log.borrow_mut().clear();
        *bus.flips.borrow_mut() = (0..20).collect(); // of the first attempt only
        let mut read = vec![0; 2048];
        let page = store.read_page(row(0, 0), &mut read).await.unwrap();
        assert_eq!((page.retries, &read), (1, &data(9)));
        use OpKind::{ReadPage, SetFeatures};
        assert_eq!(bus.kinds(), [ReadPage, SetFeatures, ReadPage, SetFeatures]);
        assert_eq!(bus.features.borrow()[&0x89], [0; 4]);
    });
}

#[test]
fn attempts_end_and_the_page_is_given_up() {
    let bus = bus();
    let retry = FeatureRetry { address: 0x89, levels: 3 };
    mounted(&bus, (FixedStrength(T), retry), async |store| {
        bus.pages.borrow_mut().insert(row(0, 0).0, vec![0x5A; 2176]);
        let error = store.read_page(row(0, 0), &mut vec![0; 2048]).await.unwrap_err();
        assert!(matches!(error, ReadError::Page { attempts: 4, .. }), "{error}");
        assert_eq!(bus.features.borrow()[&0x89], [0; 4]);
    });
}

#[test]
fn a_failing_program_makes_the_block_bad_and_asks_for_relocation() {
    let bus = bus();
    mounted(&bus, (FixedStrength(T), NoRetry), async |store| {
        let failing = row(5, 0);
        bus.set_fault(move |op| (op.row == failing).then_some(Outcome::Failed));
        let error = store.program_page(failing, &data(1), &METADATA).await.unwrap_err();
        assert_eq!(error, ProgramError::Relocate(failing));
        let again = store.program_page(row(5, 1), &data(1), &METADATA).await.unwrap_err();
        assert_eq!(again, ProgramError::BadBlock(row(5, 1)));
        let (lun, block) = (LunIndex(0), BlockIndex(5));
        let erase = store.erase_block(lun, block).await.unwrap_err();
        assert_eq!(erase, EraseError::BadBlock(lun, block));
        assert_eq!(store.bad_blocks().count(), 1);
        store.program_page(row(6, 0), &data(1), &METADATA).await.unwrap();
        bus.set_fault(|_| None);
        store.retire_block(lun, block).await.unwrap();
    });
    let mut storage = [0; 1];
    let mut table = BadBlocks::new(geometry(), &mut storage).unwrap();
    block_on(scan_bad_blocks(Die::new(&bus, DieIndex(0)), &mut table)).unwrap();
    assert!(table.is_bad(LunIndex(0), BlockIndex(5)) && table.count() == 1);
}

#[test]
fn erase_failures_make_bad_blocks_and_silence_is_told_apart() {
    let bus = bus();
    mounted(&bus, (FixedStrength(T), NoRetry), async |store| {
        let (lun, block) = (LunIndex(0), BlockIndex(4));
        bus.set_fault(|op| (op.kind == OpKind::EraseBlock).then_some(Outcome::TimedOut));
        let silent = store.erase_block(lun, block).await.unwrap_err();
        assert_eq!(silent.to_string(), "die 0, row 000010h: EraseBlock timed out");
        assert_eq!(store.bad_blocks().count(), 0);
        bus.set_fault(|op| (op.kind == OpKind::EraseBlock).then_some(Outcome::Failed));
        let failed = store.erase_block(lun, block).await.unwrap_err();
        assert_eq!(failed, EraseError::Failed(lun, block));
        assert!(store.bad_blocks().is_bad(lun, block));
    });
}

proptest! {
    /// Up to t errors anywhere in each codeword, whatever the data.
    #[test]
    fn any_data_come_back_with_up_to_t_errors_a_codeword(
        bytes in proptest::collection::vec(any::<u8>(), 2048),
        flips in proptest::collection::btree_set(0usize..4096, 0..=8),
        scramble_row in 0u16..4,
    ) {
        let bus = bus();
        mounted(&bus, (FixedStrength(T), NoRetry), async |store| {
            let at = row(1, scramble_row);
            store.program_page(at, &bytes, &METADATA).await.unwrap();
            let in_each =
                (0..4).flat_map(|codeword| flips.iter().map(move |bit| codeword * 4096 + bit));
            *bus.flips.borrow_mut() = in_each.collect();
            let mut read = vec![0; 2048];
            store.read_page(at, &mut read).await.unwrap();
            assert_eq!(read, bytes);
        });
    }
}
