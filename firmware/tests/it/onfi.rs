//! Parameter pages of real parts and of the invented one, as byte dumps.

use floatgate_firmware::onfi::{
    EccRequirement, PARAMETER_PAGE_BYTES, ParameterPage, ParameterPageError, crc16, read_extended,
    recover,
};
use floatgate_hal::flash::address::Geometry;
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::{ByteCount, Picoseconds};
use proptest::prelude::*;

/// The bytes of a dump: hexadecimal, with `//` comments.
pub(crate) fn dump(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/{name}.hex", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let lines = text.lines().filter(|line| !line.starts_with("//"));
    lines
        .flat_map(str::split_whitespace)
        .map(|byte| u8::from_str_radix(byte, 16).expect("hexadecimal"))
        .collect()
}

pub(crate) fn page(name: &str) -> [u8; PARAMETER_PAGE_BYTES] {
    dump(name).try_into().expect("a page of 256 bytes")
}

/// Page, spare, pages, blocks, planes, LUNs; modes of SDR and NV-DDR; tR, tPROG, tBERS in us.
type Expected = (&'static str, [u32; 6], [u8; 2], [u64; 3]);

/// From the table of parts that goes with the dumps, and the dumps' own comments.
const PARTS: [Expected; 5] = [
    ("invented_mlc_param_page", [8192, 744, 256, 2048, 2, 2], [63, 63], [100, 2600, 10_000]),
    ("real_mt29f64g08akaba", [4096, 224, 128, 4096, 2, 2], [31, 0], [25, 500, 3500]),
    ("real_mt29f32g08abcdb", [16_384, 1216, 256, 1048, 2, 1], [63, 63], [45, 660, 8000]),
    ("real_mt29f1g08abbda", [2048, 64, 64, 1024, 1, 1], [31, 0], [25, 600, 3000]),
    ("real_mt29f2g08abbea", [2048, 64, 64, 2048, 2, 1], [31, 0], [25, 600, 3000]),
];

#[test]
fn real_pages_say_what_their_data_sheets_say() {
    for (name, [page_bytes, spare, pages, blocks, planes, luns], modes, times) in PARTS {
        let parsed = ParameterPage::parse(&page(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let geometry = Geometry {
            page_bytes: ByteCount(page_bytes),
            spare_bytes: ByteCount(spare),
            pages_per_block: pages as u16,
            blocks_per_lun: blocks,
            planes: planes as u8,
            luns: luns as u8,
        };
        assert_eq!(parsed.geometry, geometry, "{name}");
        assert_eq!([parsed.sdr_modes, parsed.nv_ddr_modes], modes, "{name}");
        let rated = [parsed.times.t_r, parsed.times.t_prog, parsed.times.t_bers];
        assert_eq!(rated, times.map(|us| Picoseconds(us * 1_000_000)), "{name}");
    }
}

#[test]
fn the_invented_page_is_read_field_by_field() {
    let page = ParameterPage::parse(&page("invented_mlc_param_page")).unwrap();
    assert_eq!(page.revisions, 0x1E);
    assert_eq!(&page.manufacturer, b"INVENTED    ");
    assert_eq!(&page.model, b"IX64MLC2LUN-A       ");
    assert_eq!((page.column_cycles, page.row_cycles), (2, 3));
    assert_eq!((page.bits_per_cell, page.programs_per_page), (2, 1));
    assert_eq!((page.bad_blocks_per_lun_max, page.endurance_cycles), (50, 3000));
    assert_eq!((page.guaranteed_good_blocks, page.copies), (1, 3));
    assert_eq!((page.ecc, page.has_extended_page()), (None, true));
    assert_eq!((page.extended_bytes, page.times.t_ccs), (ByteCount(48), Picoseconds(200_000)));
    assert!(!page.fast_t_cad && page.has_features());
    let nv_ddr = |mode| TimingMode { interface: DataInterface::NvDdr, mode };
    assert_eq!(page.fastest(DataInterface::NvDdr), Some(nv_ddr(5)));
    assert!(page.offers(nv_ddr(5)) && !page.offers(nv_ddr(6)) && !page.offers(nv_ddr(200)));
}

#[test]
fn the_extended_page_tells_the_correction_that_is_needed() {
    let ecc = |bits, endurance_cycles| EccRequirement {
        bits,
        codeword_bytes: ByteCount(1024),
        endurance_cycles,
    };
    assert_eq!(read_extended(&dump("invented_mlc_ext_page")), Ok(Some(ecc(40, 3000))));
    assert_eq!(read_extended(&dump("real_mt29f32g08abcdb_ext")), Ok(Some(ecc(24, 5000))));
    let mut damaged = dump("invented_mlc_ext_page");
    damaged[40] ^= 1;
    assert!(read_extended(&damaged).unwrap_err().to_string().contains("CRC 874Ah"));
}

#[test]
fn wrong_pages_are_refused_with_their_numbers() {
    let badcrc = ParameterPage::parse(&page("invented_mlc_param_page_badcrc"));
    assert_eq!(badcrc, Err(ParameterPageError::Crc { stored: 0x5483, computed: 0x52A3 }));
    let nocrc = ParameterPage::parse(&page("real_mt29f8g08abbca_nocrc"));
    assert_eq!(nocrc, Err(ParameterPageError::Crc { stored: 0, computed: 0x7170 }));
    assert_eq!(ParameterPage::parse(&[0xFF; 256]), Err(ParameterPageError::Signature));
    let mut none = page("invented_mlc_param_page");
    none[100] = 0;
    let error = ParameterPage::parse(&sealed(none)).unwrap_err().to_string();
    assert_eq!(error, "parameter page byte 100: 0 is no number of LUNs that can be addressed");
}

/// The page with the CRC that its bytes have.
fn sealed(mut page: [u8; PARAMETER_PAGE_BYTES]) -> [u8; PARAMETER_PAGE_BYTES] {
    let crc = crc16(&page[..254]);
    page[254..].copy_from_slice(&crc.to_le_bytes());
    page
}

#[test]
fn a_good_copy_is_taken_and_the_majority_where_there_is_none() {
    let good = page("invented_mlc_param_page");
    let parsed = ParameterPage::parse(&good);
    let damaged = |bit: usize| {
        let mut copy = good;
        copy[bit / 8] ^= 1 << (bit % 8);
        copy
    };
    assert_eq!(recover(&[damaged(9), good, damaged(9)]), parsed);
    assert_eq!(recover(&[damaged(9), damaged(800), damaged(2000)]), parsed);
    assert!(recover(&[damaged(9), damaged(9), damaged(2000)]).is_err());
}

proptest! {
    /// Whatever the bytes are, they are parsed or refused.
    #[test]
    fn any_sealed_bytes_are_parsed_or_refused(
        bytes in proptest::collection::vec(any::<u8>(), PARAMETER_PAGE_BYTES)
    ) {
        let mut page: [u8; PARAMETER_PAGE_BYTES] = bytes.try_into().unwrap();
        page[..4].copy_from_slice(b"ONFI");
        let _ = ParameterPage::parse(&sealed(page));
    }

    #[test]
    fn majority_survives_damage_of_any_one_bit_per_position(
        owners in proptest::collection::vec(0usize..3, 2048),
        damage in proptest::collection::vec(any::<bool>(), 2048),
    ) {
        let good = page("invented_mlc_param_page");
        let mut copies = [good; 3];
        for bit in (0..2048).filter(|&bit| damage[bit]) {
            copies[owners[bit]][bit / 8] ^= 1 << (bit % 8);
        }
        prop_assert_eq!(recover(&copies), ParameterPage::parse(&good));
    }
}
