//! The parameter page of a part: [`Part`] enters, the bytes that ECh answers leave.
//!
//! Offsets and meaning follow the ONFI parameter page; multi-byte fields are little-endian. The
//! CRC-16 of bytes 0 to 253 has polynomial 8005h and starts at 4F4Eh, most significant bit first.

use crc::{Algorithm, Crc};

use super::part::{ExtendedEcc, Part, PinFields};

/// Bytes of one copy.
pub const PAGE_BYTES: usize = 256;
/// Where the CRC stands.
const CRC_OFFSET: usize = 254;
/// Bytes of one copy of the extended page that holds an ECC section alone.
const EXTENDED_BYTES: usize = 48;

const ONFI: Crc<u16> = Crc::<u16>::new(&Algorithm {
    width: 16,
    poly: 0x8005,
    init: 0x4F4E,
    refin: false,
    refout: false,
    xorout: 0,
    check: 0x2771,
    residue: 0,
});

/// The CRC-16 of parameter pages.
pub fn crc16(bytes: &[u8]) -> u16 {
    ONFI.checksum(bytes)
}

/// Why a parameter page is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageFault {
    /// It does not begin with "ONFI".
    #[error("parameter page: bytes 0-3: no ONFI signature")]
    Signature,
    /// The CRC is not that of the bytes.
    #[error("parameter page: bytes 254-255: CRC {stored:04X}h, but the bytes have {computed:04X}h")]
    Crc {
        /// What the page says.
        stored: u16,
        /// What it should say.
        computed: u16,
    },
}

/// Checks signature and CRC of one copy.
///
/// # Errors
/// [`PageFault`] where either is wrong.
pub fn check(page: &[u8; PAGE_BYTES]) -> Result<(), PageFault> {
    if !page.starts_with(b"ONFI") {
        return Err(PageFault::Signature);
    }
    let stored = u16::from_le_bytes([page[CRC_OFFSET], page[CRC_OFFSET + 1]]);
    let computed = crc16(&page[..CRC_OFFSET]);
    if stored == computed { Ok(()) } else { Err(PageFault::Crc { stored, computed }) }
}

/// A number of cycles as value and power of ten, the way that the page holds it.
pub(super) fn endurance(cycles: u32) -> Option<(u8, u8)> {
    let (mut value, mut power) = (cycles, 0);
    while value > 0 && value.is_multiple_of(10) {
        value /= 10;
        power += 1;
    }
    let value = u8::try_from(value).ok().filter(|&value| value > 0)?;
    Some((value, power))
}

/// The whole answer to ECh 00h: all copies of the page, then as many of the extended page.
pub fn answer(part: &Part) -> Vec<u8> {
    let copies = usize::from(part.parameter_page.copies);
    let mut bytes = build(part).repeat(copies);
    if let Some(ecc) = &part.parameter_page.extended {
        bytes.extend(extended(part, ecc).repeat(copies));
    }
    bytes
}

/// One copy of the parameter page.
pub fn build(part: &Part) -> [u8; PAGE_BYTES] {
    let mut page = Fields([0; PAGE_BYTES]);
    put_features(&mut page, part);
    put_identity(&mut page, part);
    put_memory(&mut page, part);
    put_timing(&mut page, part);
    for (offset, bytes) in &part.parameter_page.vendor {
        page.bytes(usize::from(*offset), bytes);
    }
    let crc = crc16(&page.0[..CRC_OFFSET]);
    page.u16(CRC_OFFSET, crc);
    page.0
}

/// One copy of the extended page, with its ECC section.
fn extended(part: &Part, ecc: &ExtendedEcc) -> [u8; EXTENDED_BYTES] {
    /// Section type 2 is ECC; its length is in units of 16 bytes.
    const ECC_SECTION: [u8; 2] = [2, 1];
    let (value, power) = endurance(part.cells.endurance_cycles).expect("checked to fit");
    let bad = part.cells.max_bad_blocks.to_le_bytes();
    let mut page = [0; EXTENDED_BYTES];
    page[2..6].copy_from_slice(b"EPPS");
    page[16..18].copy_from_slice(&ECC_SECTION);
    let section = [ecc.bits, ecc.codeword_bytes_log2, bad[0], bad[1], value, power];
    page[32..38].copy_from_slice(&section);
    let crc = crc16(&page[2..]).to_le_bytes();
    page[..2].copy_from_slice(&crc);
    page
}

/// A page in the making.
struct Fields([u8; PAGE_BYTES]);

impl Fields {
    fn bytes(&mut self, offset: usize, bytes: &[u8]) {
        self.0[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    fn u8(&mut self, offset: usize, value: u8) {
        self.0[offset] = value;
    }

    fn u16(&mut self, offset: usize, value: u16) {
        self.bytes(offset, &value.to_le_bytes());
    }

    fn u32(&mut self, offset: usize, value: u32) {
        self.bytes(offset, &value.to_le_bytes());
    }

    /// ASCII, padded with blanks.
    fn text(&mut self, offset: usize, length: usize, text: &str) {
        self.0[offset..offset + length].fill(b' ');
        self.bytes(offset, text.as_bytes());
    }
}

/// A bit for each member of a list.
fn bit_set(members: impl Iterator<Item = u8>) -> u16 {
    members.fold(0, |set, bit| set | 1 << bit)
}

/// Bytes 0 to 14: revision, features, optional commands, copies.
fn put_features(page: &mut Fields, part: &Part) {
    use super::part::PageOrder;
    let given = &part.parameter_page;
    let follows = [
        (part.layout.luns > 1, 1),
        (part.cells.page_order == PageOrder::Any, 2),
        (!part.interfaces.nv_ddr_modes.is_empty(), 5),
        (given.extended.is_some(), 7),
    ];
    let follows = follows.into_iter().filter(|&(holds, _)| holds).map(|(_, bit)| bit);
    let features = follows.chain(part.features.iter().map(|&feature| feature as u8));
    page.bytes(0, b"ONFI");
    page.u16(4, given.revision);
    page.u16(6, bit_set(features));
    page.u16(8, bit_set(part.optional_commands.iter().map(|&command| command as u8)));
    if given.extended.is_some() {
        page.u16(12, (EXTENDED_BYTES / 16) as u16);
    }
    page.u8(14, given.claimed_copies);
}

/// Bytes 32 to 64: maker and model.
fn put_identity(page: &mut Fields, part: &Part) {
    page.text(32, 12, &part.identity.manufacturer);
    page.text(44, 20, &part.identity.model);
    page.u8(64, part.identity.jedec_id);
}

/// Bytes 80 to 114: how the target is divided, and what its blocks bear.
fn put_memory(page: &mut Fields, part: &Part) {
    let (layout, cells, given) = (&part.layout, &part.cells, &part.parameter_page);
    page.u32(80, layout.page_bytes);
    page.u16(84, layout.spare_bytes);
    page.u32(86, given.partial_page_bytes);
    page.u16(90, given.partial_spare_bytes);
    page.u32(92, layout.pages_per_block.into());
    page.u32(96, layout.blocks_per_lun);
    page.u8(100, layout.luns);
    page.u8(101, layout.column_cycles << 4 | layout.row_cycles);
    page.u8(102, cells.bits_per_cell);
    page.u16(103, cells.max_bad_blocks);
    let (value, power) = endurance(cells.endurance_cycles).expect("checked to fit");
    page.bytes(105, &[value, power]);
    page.u8(107, cells.guaranteed_good_blocks);
    page.u8(110, cells.programs_per_page);
    page.u8(112, given.ecc_bits_per_512);
    page.u8(113, layout.planes.trailing_zeros() as u8);
    page.u8(114, given.multi_plane_attributes);
}

/// Bytes 128 to 165: modes, times and pins.
fn put_timing(page: &mut Fields, part: &Part) {
    let (timing, interfaces) = (&part.timing, &part.interfaces);
    page.u16(129, bit_set(interfaces.sdr_modes.iter().copied()));
    page.u16(131, part.parameter_page.program_cache_modes);
    page.u16(133, timing.t_prog_max_us);
    page.u16(135, timing.t_bers_max_us);
    page.u16(137, timing.t_r_max_us);
    page.u16(139, timing.t_ccs_ns);
    page.u8(141, bit_set(interfaces.nv_ddr_modes.iter().copied()) as u8);
    page.u16(152, timing.t_r_multi_plane_max_us);
    page.u16(154, timing.t_adl_ns);
    page.u16(164, part.parameter_page.vendor_revision);
    let pins: &PinFields = &part.parameter_page.pins;
    page.u8(128, pins.io_max_pf);
    let flags = [(interfaces.fast_t_cad, 0), (pins.typical_given, 1), (pins.clk_may_stop, 2)];
    let flags = flags.into_iter().filter(|&(holds, _)| holds).map(|(_, bit)| bit);
    page.u8(143, bit_set(flags) as u8);
    page.u16(144, pins.clk_tenth_pf);
    page.u16(146, pins.io_tenth_pf);
    page.u16(148, pins.input_tenth_pf);
    page.u8(150, pins.input_max_pf);
    page.u8(151, pins.drive_strengths);
}
