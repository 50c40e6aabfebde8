//! The parameter page: 256 bytes enter, what firmware uses of them leaves. Offsets as in ONFI 1.0
//! to 4.0; what an older revision lacks is zero in its page and read as absent.

use floatgate_hal::flash::address::Geometry;
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::{ByteCount, Picoseconds};

use super::extended::EccRequirement;
use super::fields::{cycles_at, u16_at, u32_at};
use super::{PARAMETER_PAGE_BYTES, crc16};

const CRC_OFFSET: usize = PARAMETER_PAGE_BYTES - 2;
/// Byte 112 of a page that sends its reader to the extended page.
const ECC_IN_EXTENDED_PAGE: u8 = 0xFF;
/// The length that byte 112 counts for.
const ECC_PIECE: ByteCount = ByteCount(512);
/// Planes have four address bits at most.
const PLANE_BITS_MASK: u8 = 0x0F;
/// SDR and NV-DDR have modes 0 to 5.
const MODES_MASK: u8 = 0x3F;

/// Times that the maker promises at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatedTimes {
    /// Page read.
    pub t_r: Picoseconds,
    /// Page program.
    pub t_prog: Picoseconds,
    /// Block erase.
    pub t_bers: Picoseconds,
    /// Change of column to data, at least.
    pub t_ccs: Picoseconds,
}

/// What a die tells of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterPage {
    /// Revisions that the die follows: bit 1 is ONFI 1.0.
    pub revisions: u16,
    /// Features, bytes 6-7.
    pub features: u16,
    /// Optional commands, bytes 8-9.
    pub optional_commands: u16,
    /// Length of the extended page.
    pub extended_bytes: ByteCount,
    /// Copies of the page, at least three.
    pub copies: u8,
    /// ASCII, padded with spaces.
    pub manufacturer: [u8; 12],
    /// ASCII, padded with spaces.
    pub model: [u8; 20],
    /// How the target is divided.
    pub geometry: Geometry,
    /// Address cycles of a column.
    pub column_cycles: u8,
    /// Address cycles of a row.
    pub row_cycles: u8,
    /// Bits in a cell.
    pub bits_per_cell: u8,
    /// Bad blocks that a LUN may have.
    pub bad_blocks_per_lun_max: u16,
    /// Program/erase cycles that a block endures.
    pub endurance_cycles: u32,
    /// Blocks from the first that are good when new.
    pub guaranteed_good_blocks: u8,
    /// Programs of a page before its block has to be erased.
    pub programs_per_page: u8,
    /// The correction that is asked for, unless the extended page tells.
    pub ecc: Option<EccRequirement>,
    /// SDR modes, one bit each.
    pub sdr_modes: u8,
    /// NV-DDR modes, one bit each.
    pub nv_ddr_modes: u8,
    /// Rated times.
    pub times: RatedTimes,
    /// Whether NV-DDR cycles may follow each other after 25 ns instead of 45 ns.
    pub fast_t_cad: bool,
}

/// Why bytes are no parameter page that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterPageError {
    /// They do not begin with "ONFI".
    #[error("parameter page does not begin with ONFI")]
    Signature,
    /// The CRC is wrong.
    #[error("parameter page has CRC {stored:04X}h, its bytes give {computed:04X}h")]
    Crc {
        /// In the page.
        stored: u16,
        /// Over the page.
        computed: u16,
    },
    /// The geometry is not one that addresses of three row bytes reach.
    #[error("parameter page byte {offset}: {value} is no {field} that can be addressed")]
    Geometry {
        /// What is counted.
        field: &'static str,
        /// Where it stands.
        offset: usize,
        /// Its value.
        value: u32,
    },
}

impl ParameterPage {
    /// Reads one copy.
    ///
    /// # Errors
    /// [`ParameterPageError`] for bytes of another kind or with a wrong CRC, and for impossible
    /// geometries.
    pub fn parse(bytes: &[u8; PARAMETER_PAGE_BYTES]) -> Result<Self, ParameterPageError> {
        if &bytes[..4] != b"ONFI" {
            return Err(ParameterPageError::Signature);
        }
        let (stored, computed) = (u16_at(bytes, CRC_OFFSET), crc16(&bytes[..CRC_OFFSET]));
        if stored != computed {
            return Err(ParameterPageError::Crc { stored, computed });
        }
        Ok(Self {
            revisions: u16_at(bytes, 4),
            features: u16_at(bytes, 6),
            optional_commands: u16_at(bytes, 8),
            extended_bytes: ByteCount(16 * u32::from(u16_at(bytes, 12))),
            copies: bytes[14].max(3),
            manufacturer: core::array::from_fn(|i| bytes[32 + i]),
            model: core::array::from_fn(|i| bytes[44 + i]),
            geometry: geometry(bytes)?,
            column_cycles: bytes[101] >> 4,
            row_cycles: bytes[101] & 0xF,
            bits_per_cell: bytes[102],
            bad_blocks_per_lun_max: u16_at(bytes, 103),
            endurance_cycles: cycles_at(bytes, 105),
            guaranteed_good_blocks: bytes[107],
            programs_per_page: bytes[110],
            ecc: (bytes[112] != ECC_IN_EXTENDED_PAGE).then_some(EccRequirement {
                bits: bytes[112],
                codeword_bytes: ECC_PIECE,
                endurance_cycles: 0,
            }),
            sdr_modes: bytes[129] & MODES_MASK,
            nv_ddr_modes: bytes[141] & MODES_MASK,
            times: times(bytes),
            fast_t_cad: bytes[143] & 1 != 0,
        })
    }

    /// Whether the die has this mode. SDR mode 0 is always there.
    pub fn offers(&self, mode: TimingMode) -> bool {
        mode == TimingMode::POWER_UP
            || (mode.mode < 8 && self.modes(mode.interface) >> mode.mode & 1 != 0)
    }

    /// The fastest mode of an interface, if the die has the interface.
    pub fn fastest(&self, interface: DataInterface) -> Option<TimingMode> {
        let mode = self.modes(interface).checked_ilog2()? as u8;
        Some(TimingMode { interface, mode })
    }

    /// The modes of an interface, one bit each.
    pub fn modes(&self, interface: DataInterface) -> u8 {
        match interface {
            DataInterface::Sdr => self.sdr_modes | 1,
            DataInterface::NvDdr => self.nv_ddr_modes,
        }
    }

    /// Whether Set and Get Features are there (optional commands, bit 2).
    pub fn has_features(&self) -> bool {
        self.optional_commands >> 2 & 1 != 0
    }

    /// Whether an extended page follows the copies (features, bit 7).
    pub fn has_extended_page(&self) -> bool {
        self.features >> 7 & 1 != 0
    }
}

fn geometry(bytes: &[u8; PARAMETER_PAGE_BYTES]) -> Result<Geometry, ParameterPageError> {
    let counted = |field, offset, value: u32, max| {
        let fits = (1..=max).contains(&value);
        if fits { Ok(value) } else { Err(ParameterPageError::Geometry { field, offset, value }) }
    };
    let page_bytes = counted("page length", 80, u32_at(bytes, 80), 1 << 15)?;
    let spare_bytes = counted("spare length", 84, u32::from(u16_at(bytes, 84)), 1 << 15)?;
    let pages = counted("number of pages", 92, u32_at(bytes, 92), 1 << 15)?;
    let blocks = counted("number of blocks", 96, u32_at(bytes, 96), 1 << 23)?;
    let luns = counted("number of LUNs", 100, u32::from(bytes[100]), 16)?;
    let rows = pages.next_power_of_two().trailing_zeros()
        + blocks.next_power_of_two().trailing_zeros()
        + luns.next_power_of_two().trailing_zeros();
    if rows > 24 {
        let (field, offset) = ("number of blocks", 96);
        return Err(ParameterPageError::Geometry { field, offset, value: blocks });
    }
    Ok(Geometry {
        page_bytes: ByteCount(page_bytes),
        spare_bytes: ByteCount(spare_bytes),
        pages_per_block: pages as u16,
        blocks_per_lun: blocks,
        planes: 1 << (bytes[113] & PLANE_BITS_MASK).min(7),
        luns: luns as u8,
    })
}

fn times(bytes: &[u8; PARAMETER_PAGE_BYTES]) -> RatedTimes {
    let us_at = |offset| Picoseconds(u64::from(u16_at(bytes, offset)) * 1_000_000);
    RatedTimes {
        t_prog: us_at(133),
        t_bers: us_at(135),
        t_r: us_at(137),
        t_ccs: Picoseconds(u64::from(u16_at(bytes, 139)) * 1_000),
    }
}
