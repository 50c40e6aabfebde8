//! The controller's timing registers, computed from a die's mode and the controller's clock.
//!
//! In: [`DieTiming`] and the clock's period. Out: the registers of a timing bank, in the order of
//! the RTL (`rtl/onfi_pkg.sv`, `Time*`). Figures are those of ONFI 4, in picoseconds; minima are
//! rounded up to clocks, and the point of capture is the first clock at which data are sure.

use super::mode::{DataInterface, DieTiming};
use super::op::OpKind;
use crate::units::Picoseconds;

/// Registers of a timing bank.
pub const REGISTERS: usize = 19;

/// Highest mode of either interface.
pub const MODE_MAX: u8 = 5;

/// A bank's registers, index by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimingRegisters(pub [u16; REGISTERS]);

/// Why a timing has no registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimingError {
    /// The interface has no such mode.
    NoSuchMode,
    /// No even number of the controller's clocks is a period of CLK that the mode allows.
    ClockUnsuitable,
    /// A time takes more clocks than its register holds: the clock is too fast.
    ClockTooFast,
}

/// Minima of an SDR mode in picoseconds, save for the ones that say otherwise.
struct Sdr {
    wp: u64,
    wh: u64,
    wc: u64,
    rp: u64,
    reh: u64,
    rc: u64,
    /// Maximum.
    rea: u64,
    /// tRHOH.
    held_after_rise: u64,
    /// tRLOH.
    held_after_fall: u64,
    /// tCH, tCLH, tALH and tDH: the longest of them.
    hold: u64,
    /// tCHZ, maximum.
    chz: u64,
    rr: u64,
    whr: u64,
    rhw: u64,
    wb: u64,
}

/// Modes 0 to 5.
const SDR: [Sdr; 6] = [
    Sdr {
        wp: 50_000,
        wh: 30_000,
        wc: 100_000,
        rp: 50_000,
        reh: 30_000,
        rc: 100_000,
        rea: 40_000,
        held_after_rise: 0,
        held_after_fall: 0,
        hold: 20_000,
        chz: 100_000,
        rr: 40_000,
        whr: 120_000,
        rhw: 200_000,
        wb: 200_000,
    },
    sdr(25_000, 15_000, 45_000, 50_000, 30_000, 0, 10_000, 50_000),
    sdr(17_000, 15_000, 35_000, 35_000, 25_000, 0, 10_000, 50_000),
    sdr(15_000, 10_000, 30_000, 30_000, 20_000, 0, 5_000, 50_000),
    sdr(12_000, 10_000, 25_000, 25_000, 20_000, 5_000, 5_000, 30_000),
    sdr(10_000, 7_000, 20_000, 20_000, 16_000, 5_000, 5_000, 30_000),
];

/// What modes 1 to 5 differ in: tWP = tRP, tWH = tREH, tWC, tRC, tREA, tRLOH, holds, tCHZ.
#[expect(clippy::too_many_arguments, reason = "a line of a table")]
const fn sdr(p: u64, h: u64, wc: u64, rc: u64, rea: u64, rloh: u64, hold: u64, chz: u64) -> Sdr {
    Sdr {
        wp: p,
        wh: h,
        wc,
        rp: p,
        reh: h,
        rc,
        rea,
        held_after_rise: 15_000,
        held_after_fall: rloh,
        hold,
        chz,
        rr: 20_000,
        whr: 80_000,
        rhw: 100_000,
        wb: 100_000,
    }
}

/// NV-DDR modes 0 to 5: shortest and longest tCK, tCS, tCH.
const NV_DDR: [(u64, u64, u64, u64); 6] = [
    (50_000, 100_000, 35_000, 10_000),
    (30_000, 50_000, 25_000, 5_000),
    (20_000, 30_000, 15_000, 4_000),
    (15_000, 20_000, 15_000, 3_000),
    (12_000, 15_000, 15_000, 2_500),
    (10_000, 12_000, 15_000, 2_000),
];

/// tCS3 and tCR2: CE# low before a cycle, after 1 us and more of CE# high.
const LONG_SELECT_PS: u64 = 100_000;
/// tCEH.
const CEH_PS: u64 = 20_000;
/// tADL.
const ADL_PS: u64 = 400_000;

/// NV-DDR, all modes.
const DDR_WHR_PS: u64 = 80_000;
const DDR_RHW_PS: u64 = 100_000;
const DDR_RR_PS: u64 = 20_000;
const DDR_WB_PS: u64 = 100_000;
const DDR_WRCK_PS: u64 = 20_000;
/// tDQSHZ, maximum.
const DDR_DQSHZ_PS: u64 = 20_000;
/// tDQSCK, maximum.
const DDR_DQSCK_PS: u64 = 25_000;
const DDR_SLOW_CAD_PS: u64 = 45_000;
const DDR_FAST_CAD_PS: u64 = 25_000;

/// The registers for a die with this timing, on a controller with this clock.
///
/// # Errors
/// [`TimingError`].
pub fn registers(timing: &DieTiming, clock: Picoseconds) -> Result<TimingRegisters, TimingError> {
    if timing.mode.mode > MODE_MAX {
        return Err(TimingError::NoSuchMode);
    }
    let values = match timing.mode.interface {
        DataInterface::Sdr => sdr_clocks(timing, clock.0),
        DataInterface::NvDdr => nv_ddr_clocks(timing, clock.0)?,
    };
    let mut registers = [0; REGISTERS];
    for (register, value) in registers.iter_mut().zip(values) {
        if value >= 1 << 10 {
            return Err(TimingError::ClockTooFast);
        }
        *register = value as u16;
    }
    Ok(TimingRegisters(registers))
}

/// Every gap runs from the rise of one strobe to the fall of the next, as the RTL counts it.
fn sdr_clocks(timing: &DieTiming, clock_ps: u64) -> [u64; REGISTERS] {
    let mode = &SDR[usize::from(timing.mode.mode)];
    let clocks = |span_ps: u64| span_ps.div_ceil(clock_ps);
    let less = |span_ps: u64, spent: u64| clocks(span_ps).saturating_sub(spent).max(1);

    let wp = clocks(mode.wp);
    let next = clocks(mode.wh.max(mode.hold)).max(less(mode.wc, wp));
    let capture = clocks(mode.rea);
    // Data last until tRHOH after RE# has risen, or tRLOH after it has fallen again.
    let mut rp = clocks(mode.rp);
    if capture > rp && capture * clock_ps >= rp * clock_ps + mode.held_after_rise {
        rp = capture;
    }
    let mut reh = clocks(mode.reh).max(less(mode.rc, rp));
    if capture * clock_ps > (rp + reh) * clock_ps + mode.held_after_fall {
        reh = capture - rp;
    }
    let t_ccs = timing.t_ccs.0;
    [
        wp,
        next,
        rp,
        reh,
        capture,
        less(LONG_SELECT_PS, wp),
        // Another die may still be letting go of DQ when this one is selected.
        clocks(LONG_SELECT_PS.max(mode.chz).max(mode.rr)),
        clocks(mode.hold),
        clocks(CEH_PS),
        clocks(mode.whr),
        less(ADL_PS, wp),
        clocks(t_ccs),
        less(t_ccs, wp).max(next),
        clocks(mode.rhw),
        clocks(mode.wb),
        0,
        1,
        0,
        1,
    ]
}

/// Gaps run from the rise of CLK that latches to the fall before the next such rise, so half a
/// period of CLK is taken off.
fn nv_ddr_clocks(timing: &DieTiming, clock_ps: u64) -> Result<[u64; REGISTERS], TimingError> {
    let (ck_min, ck_max, cs, ch) = NV_DDR[usize::from(timing.mode.mode)];
    let clocks = |span_ps: u64| span_ps.div_ceil(clock_ps);
    let half = ck_min.div_ceil(2 * clock_ps);
    if 2 * half * clock_ps > ck_max {
        return Err(TimingError::ClockUnsuitable);
    }
    let less = |span_ps: u64| clocks(span_ps).saturating_sub(half).max(1);
    let cad = if timing.fast_t_cad { DDR_FAST_CAD_PS } else { DDR_SLOW_CAD_PS };
    let ck = 2 * half * clock_ps;
    let ckwr = (DDR_DQSCK_PS + ck).div_ceil(ck) * 2 * half;
    let t_ccs = timing.t_ccs.0;
    Ok([
        1,
        less(cad),
        1,
        1,
        1,
        clocks(cs),
        less(cs.max(DDR_RR_PS)),
        clocks(ch),
        clocks(CEH_PS),
        less(DDR_WHR_PS),
        less(ADL_PS),
        less(t_ccs),
        less(t_ccs),
        less(DDR_RHW_PS),
        clocks(DDR_WB_PS),
        half,
        less(DDR_WRCK_PS),
        ckwr,
        clocks(DDR_DQSHZ_PS),
    ])
}

/// Which of the controller's time-outs bounds the busy time of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TimeLimit {
    /// Features, and the planes of an operation before its last one.
    Short = 0,
    /// Resets.
    Reset = 1,
    /// Whatever reads the array.
    Read = 2,
    /// Programs.
    Program = 3,
    /// Erases.
    Erase = 4,
}

impl TimeLimit {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Short, Self::Reset, Self::Read, Self::Program, Self::Erase];

    /// The time-out of an operation; of one that is never busy, it says nothing.
    pub const fn of(kind: OpKind) -> Self {
        match kind {
            OpKind::Reset | OpKind::SynchronousReset | OpKind::ResetLun => Self::Reset,
            OpKind::ReadParameterPage
            | OpKind::ReadUniqueId
            | OpKind::ReadPage
            | OpKind::ReadPageToRegister
            | OpKind::ReadCacheSequential
            | OpKind::ReadCacheRandom
            | OpKind::ReadCacheEnd
            | OpKind::CopybackRead => Self::Read,
            OpKind::ProgramPage
            | OpKind::ProgramPageCache
            | OpKind::ChangeWriteColumnAndProgram
            | OpKind::CopybackProgram => Self::Program,
            OpKind::EraseBlock => Self::Erase,
            _ => Self::Short,
        }
    }
}
