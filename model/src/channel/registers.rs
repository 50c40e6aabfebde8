//! The controller's timing registers by name: gaps in clocks, rounded up. A gap runs from the end
//! of one strobe to the beginning of the next; in NV-DDR, from the rise of CLK that latches to the
//! fall before the next such rise (`rtl/onfi_pkg.sv`, `Time*`).

use floatgate_hal::flash::timing::TimingRegisters;

/// A bank of timing registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gaps {
    /// WE# low.
    pub(super) wp: u64,
    /// WE# high between cycles; NV-DDR: tCAD.
    pub(super) next: u64,
    /// RE# low.
    pub(super) rp: u64,
    /// RE# high between cycles.
    pub(super) reh: u64,
    /// RE# fall to capture.
    pub(super) capture: u64,
    /// CE# fall to the first cycle in.
    pub(super) cs: u64,
    /// CE# fall to the first cycle out.
    pub(super) cr: u64,
    /// Last strobe to CE# rise.
    pub(super) ch: u64,
    /// CE# high.
    pub(super) ceh: u64,
    /// Command, address or data to data out.
    pub(super) whr: u64,
    /// Last address to the first data in.
    pub(super) adl: u64,
    /// Column change to data out.
    pub(super) ccs_out: u64,
    /// Column change to data in.
    pub(super) ccs_in: u64,
    /// Data out to the next cycle in.
    pub(super) rhw: u64,
    /// Confirmation until R/B# means something.
    pub(super) wb: u64,
    /// NV-DDR: half a period of CLK; 0 in SDR.
    pub(super) half: u64,
    /// NV-DDR: W/R# fall to the first data-out cycle.
    pub(super) wrck: u64,
    /// NV-DDR: last data-out cycle to W/R# rise.
    pub(super) ckwr: u64,
    /// NV-DDR: W/R# rise until the host may drive.
    pub(super) free: u64,
}

impl From<TimingRegisters> for Gaps {
    fn from(TimingRegisters(registers): TimingRegisters) -> Self {
        let [
            wp,
            next,
            rp,
            reh,
            capture,
            cs,
            cr,
            ch,
            ceh,
            whr,
            adl,
            ccs_out,
            ccs_in,
            rhw,
            rest @ ..,
        ] = registers.map(u64::from);
        let [wb, half, wrck, ckwr, free] = rest;
        Self {
            wp,
            next,
            rp,
            reh,
            capture,
            cs,
            cr,
            ch,
            ceh,
            whr,
            adl,
            ccs_out,
            ccs_in,
            rhw,
            wb,
            half,
            wrck,
            ckwr,
            free,
        }
    }
}
