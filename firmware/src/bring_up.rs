//! From power-up to a die that is known and runs at its speed: reset, ID, parameter page, timing
//! mode. The steps and their order are those of ONFI and of Linux.

use floatgate_hal::Clock;
use floatgate_hal::flash::FlashBus;
use floatgate_hal::flash::address::{ColumnAddress, DieIndex};
use floatgate_hal::flash::mode::{BusTiming, DieTiming, TimingMode};
use floatgate_hal::flash::timing::TimingError;
use floatgate_hal::units::Picoseconds;

use crate::commands::{BusFault, Die, FEATURE_BYTES};
use crate::onfi::{
    COPIES, EccRequirement, PARAMETER_PAGE_BYTES, ParameterPage, ParameterPageError, read_extended,
    recover,
};

/// From good supply to the first command.
const POWER_UP_WAIT: Picoseconds = Picoseconds(1_000_000_000);
/// Where Read ID has "ONFI".
const ONFI_ID_ADDRESS: u8 = 0x20;
/// The timing mode's feature, and the bits of its first parameter that name interface and mode.
const TIMING_MODE_FEATURE: u8 = 0x01;
const MODE_BITS: u8 = 0x3F;
/// Column and row cycles of the dies that the controller addresses.
const ADDRESS_CYCLES: (u8, u8) = (2, 3);
/// The longest extended page that is read; one section of ECC has 48 bytes.
const EXTENDED_BYTES_MAX: usize = 256;

/// What is known of a die once it is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DieDescription {
    /// Its parameter page.
    pub page: ParameterPage,
    /// The correction that its maker asks for, where it is told.
    pub ecc: Option<EccRequirement>,
    /// The timing in use: what was wanted, or SDR mode 0 where the die did not take that.
    pub timing: DieTiming,
}

/// Why a die cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BringUpError {
    /// An operation did not end as it should.
    #[error(transparent)]
    Bus(#[from] BusFault),
    /// Read ID 20h gives something else than "ONFI".
    #[error("die {}: no ONFI die; its ID is {id:02X?}", die.0)]
    NotOnfi {
        /// Which die.
        die: DieIndex,
        /// What it gives.
        id: [u8; 4],
    },
    /// None of the copies of the parameter page is right, and neither is their majority.
    #[error("die {}: {fault}", die.0)]
    ParameterPage {
        /// Which die.
        die: DieIndex,
        /// What is wrong with the majority.
        fault: ParameterPageError,
    },
    /// The controller sends two column and three row bytes.
    #[error("die {}: takes {column} + {row} address cycles, not 2 + 3", die.0)]
    AddressCycles {
        /// Which die.
        die: DieIndex,
        /// Column cycles.
        column: u8,
        /// Row cycles.
        row: u8,
    },
    /// The controller's clock does not allow the timing.
    #[error("die {}: the controller cannot keep {:?} mode {}: {fault:?}",
        die.0, mode.interface, mode.mode)]
    Controller {
        /// Which die.
        die: DieIndex,
        /// The mode.
        mode: TimingMode,
        /// Why.
        fault: TimingError,
    },
    /// The die does not have the mode that was wanted.
    #[error(
        "die {}: {:?} mode {} is not among its modes ({offered:06b}b, bit n for mode n)",
        die.0, wanted.interface, wanted.mode
    )]
    ModeNotOffered {
        /// Which die.
        die: DieIndex,
        /// What was wanted.
        wanted: TimingMode,
        /// Its modes of that interface, one bit each.
        offered: u8,
    },
}

/// Brings a die up and has it run in the mode `wanted`.
///
/// # Errors
/// [`BringUpError`], the die being in SDR mode 0 or of no use.
pub async fn bring_up<B: FlashBus + BusTiming, C: Clock>(
    die: Die<'_, B>,
    clock: &C,
    wanted: TimingMode,
) -> Result<DieDescription, BringUpError> {
    clock.delay(POWER_UP_WAIT).await;
    reset_to_mode_0(die).await?;
    check_signature(die).await?;
    let page = read_parameter_page(die).await?;
    check_addressing(die, &page)?;
    let ecc = required_correction(die, &page).await?;
    let timing = switch_mode(die, &page, wanted).await?;
    Ok(DieDescription { page, ecc, timing })
}

/// The host goes first: FFh is understood in SDR mode 0 whatever mode the die is in.
async fn reset_to_mode_0<B: FlashBus + BusTiming>(die: Die<'_, B>) -> Result<(), BringUpError> {
    move_host(die, DieTiming::default())?;
    Ok(die.reset().await?)
}

fn move_host<B: BusTiming>(die: Die<'_, B>, timing: DieTiming) -> Result<(), BringUpError> {
    let moved = die.bus().set_timing(die.index(), timing);
    let (die, mode) = (die.index(), timing.mode);
    moved.map_err(|fault| BringUpError::Controller { die, mode, fault })
}

async fn check_signature<B: FlashBus>(die: Die<'_, B>) -> Result<(), BringUpError> {
    let mut id = [0; 4];
    die.read_id(ONFI_ID_ADDRESS, &mut id).await?;
    if &id == b"ONFI" { Ok(()) } else { Err(BringUpError::NotOnfi { die: die.index(), id }) }
}

async fn read_parameter_page<B: FlashBus>(die: Die<'_, B>) -> Result<ParameterPage, BringUpError> {
    let mut copies = [[0; PARAMETER_PAGE_BYTES]; COPIES];
    die.read_parameter_page(copies.as_flattened_mut()).await?;
    recover(&copies).map_err(|fault| BringUpError::ParameterPage { die: die.index(), fault })
}

fn check_addressing<B: FlashBus>(
    die: Die<'_, B>,
    page: &ParameterPage,
) -> Result<(), BringUpError> {
    let (column, row) = (page.column_cycles, page.row_cycles);
    if (column, row) == ADDRESS_CYCLES {
        return Ok(());
    }
    Err(BringUpError::AddressCycles { die: die.index(), column, row })
}

/// From the page, or from the extended page behind its copies. Where that has no good copy, the
/// requirement is not known, which does not keep the die from being used.
async fn required_correction<B: FlashBus>(
    die: Die<'_, B>,
    page: &ParameterPage,
) -> Result<Option<EccRequirement>, BusFault> {
    let length = page.extended_bytes.0 as usize;
    if page.ecc.is_some() || !page.has_extended_page() || length > EXTENDED_BYTES_MAX {
        return Ok(page.ecc);
    }
    let mut buffer = [0; EXTENDED_BYTES_MAX];
    let bytes = &mut buffer[..length];
    for copy in 0..COPIES {
        let column = usize::from(page.copies) * PARAMETER_PAGE_BYTES + copy * length;
        die.change_read_column(ColumnAddress(column as u16), bytes).await?;
        if let Ok(requirement) = read_extended(bytes) {
            return Ok(requirement);
        }
    }
    Ok(None)
}

/// Set Features at the old mode, the host moves, Get Features at the new one. Where that does not
/// show the new mode, both go back to SDR mode 0 and stay there.
async fn switch_mode<B: FlashBus + BusTiming>(
    die: Die<'_, B>,
    page: &ParameterPage,
    wanted: TimingMode,
) -> Result<DieTiming, BringUpError> {
    if !page.offers(wanted) {
        let offered = page.modes(wanted.interface);
        return Err(BringUpError::ModeNotOffered { die: die.index(), wanted, offered });
    }
    let slow = timing_of(page, TimingMode::POWER_UP);
    if wanted == TimingMode::POWER_UP || !page.has_features() {
        move_host(die, slow)?;
        return Ok(slow);
    }
    let fast = timing_of(page, wanted);
    let mut parameters = [0; FEATURE_BYTES];
    parameters[0] = wanted.feature();
    die.set_feature(TIMING_MODE_FEATURE, parameters).await?;
    let moved = move_host(die, fast);
    if moved.is_ok() {
        let seen = die.feature(TIMING_MODE_FEATURE).await;
        if seen.is_ok_and(|value| value[0] & MODE_BITS == wanted.feature()) {
            return Ok(fast);
        }
    }
    reset_to_mode_0(die).await?;
    moved?;
    move_host(die, slow)?;
    Ok(slow)
}

/// A page that gives no tCCS leaves the safe one.
fn timing_of(page: &ParameterPage, mode: TimingMode) -> DieTiming {
    let safe = DieTiming::default();
    let t_ccs = if page.times.t_ccs.0 == 0 { safe.t_ccs } else { page.times.t_ccs };
    DieTiming { mode, t_ccs, fast_t_cad: page.fast_t_cad }
}
