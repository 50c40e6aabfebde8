//! A part: `configs/parts/<name>.ron` enters, [`Part`] leaves, checked.
//!
//! A part file says what a data sheet and a parameter page say (ONFI parameter page layout), and
//! what neither says but a model needs: page types with their own times, how raw bit errors grow,
//! how often programs and erases fail.

mod check;
pub mod pages;

use std::path::Path;
use std::sync::Arc;

use floatgate_hal::flash::address::Geometry;
use floatgate_hal::units::ByteCount;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, load_checked};
use crate::die::rber::{RberModel, TlcPage};
use pages::PageScheme;

/// Everything that is known of a part.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Who made it and how it names itself.
    pub identity: Identity,
    /// How a target is divided, and how it is addressed.
    pub layout: Layout,
    /// The cells.
    pub cells: Cells,
    /// Busy times.
    pub timing: Timing,
    /// Data interfaces and their timing modes.
    pub interfaces: Interfaces,
    /// Features beyond those that follow from the rest.
    #[serde(default)]
    pub features: Vec<Feature>,
    /// Optional commands that it knows.
    #[serde(default)]
    pub optional_commands: Vec<OptionalCommand>,
    /// What else its parameter page says.
    pub parameter_page: PageFields,
    /// What it draws.
    pub supply: Supply,
}

/// Who made a part and how it names itself.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Up to 12 ASCII characters.
    pub manufacturer: String,
    /// Up to 20 ASCII characters.
    pub model: String,
    /// The answer to 90h 00h.
    pub id_bytes: Vec<u8>,
    /// JEDEC maker ID in the parameter page.
    pub jedec_id: u8,
}

/// How a target is divided, and how it is addressed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// Data bytes of a page.
    pub page_bytes: u32,
    /// Spare bytes of a page.
    pub spare_bytes: u16,
    /// Pages of a block.
    pub pages_per_block: u16,
    /// Blocks of a LUN.
    pub blocks_per_lun: u32,
    /// Planes of a LUN.
    pub planes: u8,
    /// LUNs of a target.
    pub luns: u8,
    /// Column address cycles.
    pub column_cycles: u8,
    /// Row address cycles.
    pub row_cycles: u8,
}

/// The cells of a part.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// Bits of a cell.
    pub bits_per_cell: u8,
    /// Which pages share cells.
    pub scheme: PageScheme,
    /// Page types, the first one programmed first: as many as a cell has bits.
    pub page_types: Vec<PageType>,
    /// The order in which the pages of a block are programmed.
    pub page_order: PageOrder,
    /// Programs of a page between erases (NOP).
    pub programs_per_page: u8,
    /// Program/erase cycles that the maker promises.
    pub endurance_cycles: u32,
    /// A block's erases begin to fail between these multiples of the endurance, each block
    /// somewhere else.
    pub wear_out: (f64, f64),
    /// Share of programs that fail on a block that is not worn out.
    pub program_failure_rate: f64,
    /// Share of erases that fail on a block that is not worn out.
    pub erase_failure_rate: f64,
    /// Blocks of a LUN that leave the factory bad.
    pub factory_bad_blocks: u16,
    /// Blocks of a LUN that may be bad in its life.
    pub max_bad_blocks: u16,
    /// Blocks at the start of a LUN that are good.
    pub guaranteed_good_blocks: u8,
    /// Reads of a block since its erase beyond which its data should have been moved.
    pub read_disturb_limit: u64,
    /// Raw bit errors.
    pub errors: Errors,
    /// One bit per cell in blocks of a part with more: what that changes.
    #[serde(default)]
    pub slc_mode: Option<SlcMode>,
}

/// One of the page types that share a wordline.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageType {
    /// What the field calls it: lower, upper, LSB, CSB, MSB.
    pub name: String,
    /// Typical tR.
    pub t_r_us: f64,
    /// Typical tPROG.
    pub t_prog_us: f64,
    /// Raw bit error rate against that of the model.
    pub rber_factor: f64,
}

/// The order in which the pages of a block are programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum PageOrder {
    /// Each page after the one before.
    Consecutive,
    /// Upwards; pages may be left out.
    Ascending,
    /// As the host likes (feature bit 2).
    Any,
}

/// How raw bit errors grow.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Errors {
    /// The chip whose measured rates are used; without one there are no errors.
    pub model: Option<ErrorModel>,
    /// Factor upon the model's rates.
    pub scale: f64,
    /// Cycles of the model's chip for each cycle of this one.
    pub cycles_factor: f64,
    /// Rate of an erased page against that of a programmed one.
    pub erased_factor: f64,
}

/// The chips of [`RberModel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorModel {
    /// 2y-nm MLC.
    Mlc2yNm,
    /// 72-layer TLC.
    Tlc72Layer,
    /// 25 nm TLC, each page type with its own curve.
    Tlc25Nm,
}

impl ErrorModel {
    /// The model for a page type, counted from the first programmed.
    pub fn of_page_type(self, page_type: usize) -> RberModel {
        match self {
            Self::Mlc2yNm => RberModel::Mlc2yNm,
            Self::Tlc72Layer => RberModel::Tlc72Layer,
            Self::Tlc25Nm => RberModel::Tlc25Nm(match page_type {
                0 => TlcPage::Lsb,
                1 => TlcPage::Csb,
                _ => TlcPage::Msb,
            }),
        }
    }
}

/// One bit per cell in blocks of a part with more.
///
/// A vendor feature: Set Features with P1 bit 0 of `feature_address` set makes the erases that
/// follow leave their blocks in SLC mode, with the pages of one bit per cell. A block keeps its
/// mode until it is erased again with the bit clear.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlcMode {
    /// Feature address, 80h to FFh.
    pub feature_address: u8,
    /// The only page type of such a block.
    pub page_type: PageType,
    /// Program/erase cycles of the model's chip for each cycle in this mode.
    pub cycles_factor: f64,
}

/// Busy times. `max` figures go into the parameter page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// tR at most.
    pub t_r_max_us: u16,
    /// Multi-plane tR at most, 0 where not given.
    pub t_r_multi_plane_max_us: u16,
    /// tPROG at most.
    pub t_prog_max_us: u16,
    /// tBERS, typical.
    pub t_bers_us: f64,
    /// tBERS at most.
    pub t_bers_max_us: u16,
    /// tCCS.
    pub t_ccs_ns: u16,
    /// tADL with program clear, 0 where that is not offered.
    #[serde(default)]
    pub t_adl_ns: u16,
    /// tRST of an idle or reading LUN.
    pub t_rst_idle_us: f64,
    /// tRST of a programming LUN.
    pub t_rst_program_us: f64,
    /// tRST of an erasing LUN.
    pub t_rst_erase_us: f64,
    /// tRST of the first reset after power-up.
    pub t_rst_first_us: f64,
    /// tFEAT.
    pub t_feat_us: f64,
    /// tITC.
    pub t_itc_us: f64,
    /// tPLRBSY, tPLPBSY and tPLEBSY.
    pub t_plane_busy_us: f64,
    /// tRCBSY, when the array is idle.
    pub t_rcbsy_us: f64,
    /// tPCBSY, when the array is idle.
    pub t_pcbsy_us: f64,
    /// From power good to R/B# high.
    pub t_power_up_us: f64,
}

/// Data interfaces and their timing modes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interfaces {
    /// SDR modes, 0 among them.
    pub sdr_modes: Vec<u8>,
    /// NV-DDR modes.
    #[serde(default)]
    pub nv_ddr_modes: Vec<u8>,
    /// Whether tCAD is 25 ns instead of 45 ns.
    #[serde(default)]
    pub fast_t_cad: bool,
}

/// Features of bytes 6 and 7 that do not follow from the rest of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[repr(u8)]
pub enum Feature {
    /// Multi-plane program and erase.
    MultiPlaneProgram = 3,
    /// Copyback between odd and even pages.
    OddEvenCopyback = 4,
    /// Multi-plane read.
    MultiPlaneRead = 6,
    /// 80h can be told to clear only the register of the addressed LUN.
    ProgramClear = 8,
}

/// Optional commands of bytes 8 and 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[repr(u8)]
pub enum OptionalCommand {
    /// 80h-15h.
    CacheProgram = 0,
    /// 31h, 3Fh.
    ReadCache = 1,
    /// EEh, EFh.
    GetSetFeatures = 2,
    /// 78h.
    ReadStatusEnhanced = 3,
    /// 00h-35h, 85h-10h.
    Copyback = 4,
    /// EDh.
    ReadUniqueId = 5,
    /// 06h-E0h.
    ChangeReadColumnEnhanced = 6,
    /// 85h with column and row.
    ChangeRowAddress = 7,
    /// 85h-11h more than once into a page.
    SmallDataMove = 8,
    /// FAh.
    ResetLun = 9,
}

/// What else the parameter page says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageFields {
    /// Bytes 4 and 5: bit n stands for a revision.
    pub revision: u16,
    /// Copies in the answer to ECh.
    pub copies: u8,
    /// Byte 14, the copies that the page claims; parts of ONFI 1.0 leave it 0.
    pub claimed_copies: u8,
    /// Byte 112; FFh sends the reader to the extended page.
    pub ecc_bits_per_512: u8,
    /// The extended page's ECC section.
    #[serde(default)]
    pub extended: Option<ExtendedEcc>,
    /// Byte 114.
    pub multi_plane_attributes: u8,
    /// Bytes 86 to 89, obsolete.
    #[serde(default)]
    pub partial_page_bytes: u32,
    /// Bytes 90 and 91, obsolete.
    #[serde(default)]
    pub partial_spare_bytes: u16,
    /// Bytes 131 and 132, obsolete.
    #[serde(default)]
    pub program_cache_modes: u16,
    /// Pin capacitances and drive strengths.
    pub pins: PinFields,
    /// Bytes 164 and 165.
    #[serde(default)]
    pub vendor_revision: u16,
    /// Vendor bytes: first offset, bytes.
    #[serde(default)]
    pub vendor: Vec<(u8, Vec<u8>)>,
}

/// The ECC section of the extended parameter page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtendedEcc {
    /// Bits to correct per codeword.
    pub bits: u8,
    /// Two to this power bytes make a codeword.
    pub codeword_bytes_log2: u8,
}

/// Pin capacitances and drive strengths: bytes 128 and 143 to 151.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinFields {
    /// Byte 128, pF.
    pub io_max_pf: u8,
    /// Whether typical capacitances are given (byte 143 bit 1).
    #[serde(default)]
    pub typical_given: bool,
    /// Whether CLK may stop in data in (byte 143 bit 2).
    #[serde(default)]
    pub clk_may_stop: bool,
    /// Bytes 144 and 145, tenths of a pF.
    #[serde(default)]
    pub clk_tenth_pf: u16,
    /// Bytes 146 and 147, tenths of a pF.
    #[serde(default)]
    pub io_tenth_pf: u16,
    /// Bytes 148 and 149, tenths of a pF.
    #[serde(default)]
    pub input_tenth_pf: u16,
    /// Byte 150, pF.
    #[serde(default)]
    pub input_max_pf: u8,
    /// Byte 151.
    #[serde(default)]
    pub drive_strengths: u8,
}

/// What a LUN draws from its supply.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Supply {
    /// Vcc.
    pub vcc_v: f64,
    /// ICC1, reading.
    pub read_ma: f64,
    /// ICC2, programming.
    pub program_ma: f64,
    /// ICC3, erasing.
    pub erase_ma: f64,
    /// ICC5, bus idle.
    pub bus_idle_ma: f64,
    /// Standby.
    pub standby_ua: f64,
}

impl Part {
    /// Reads and checks a part file.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, line, column and field.
    pub fn load(path: impl AsRef<Path>) -> Result<Arc<Self>, ConfigError> {
        load_checked(path.as_ref()).map(Arc::new)
    }

    /// How a target is divided.
    pub fn geometry(&self) -> Geometry {
        let Layout {
            page_bytes, spare_bytes, pages_per_block, blocks_per_lun, planes, luns, ..
        } = self.layout;
        Geometry {
            page_bytes: ByteCount(page_bytes),
            spare_bytes: ByteCount(spare_bytes.into()),
            pages_per_block,
            blocks_per_lun,
            planes,
            luns,
        }
    }

    /// Length of a page register.
    pub fn register_bytes(&self) -> usize {
        self.geometry().register_bytes().0 as usize
    }

    /// Whether the part has a feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Whether the part knows an optional command.
    pub fn knows(&self, command: OptionalCommand) -> bool {
        self.optional_commands.contains(&command)
    }

    /// Whether the blocks of a multi-plane operation may have different numbers (byte 114 bit 1).
    pub fn any_block_per_plane(&self) -> bool {
        self.parameter_page.multi_plane_attributes & 2 != 0
    }
}
