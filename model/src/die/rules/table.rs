//! The rules of the bus, one for each fault that the checker must catch: code, severity, meaning.
//!
//! The codes are those of the fault list in `model/tests/data/onfi/bad_master.csv`: T timing of
//! SDR pins, P protocol, A addresses, S state, R array, M planes and LUNs, I interface.

use super::Severity;

macro_rules! rules {
    ($($(#[$doc:meta])* $code:ident $severity:ident;)*) => {
        /// A rule of the bus.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $($(#[$doc])* $code),* }

        impl Rule {
            /// All of them, in the order of their codes.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// How much a breach matters.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$code => Severity::$severity),* }
            }

            /// The code, such as "P14".
            pub const fn code(self) -> &'static str {
                match self { $(Self::$code => stringify!($code)),* }
            }
        }
    };
}

rules! {
    /// WE# low pulse too short.
    T01 Error;
    /// WE# high time too short between cycles.
    T02 Error;
    /// WE# falling to falling too short though tWP and tWH both hold.
    T03 Error;
    /// CLE set too late before WE# rises.
    T04 Error;
    /// CLE dropped too early after WE# rises.
    T05 Error;
    /// ALE set too late / dropped too early.
    T06 Error;
    /// CE# low too late before WE# rises.
    T07 Error;
    /// CE# raised too soon after WE# rises.
    T08 Error;
    /// DQ changes inside set-up window of WE# rising.
    T09 Error;
    /// DQ changes inside hold window after WE# rising.
    T10 Error;
    /// RE# low pulse too short.
    T11 Error;
    /// RE# high too short.
    T12 Error;
    /// RE# period too short though tRP, tREH hold.
    T13 Error;
    /// RE# falls too soon after R/B# rises.
    T14 Error;
    /// RE# falls too soon after last command/address WE# rise (status, ID).
    T15 Error;
    /// WE# falls too soon after RE# rises (turn-round).
    T16 Error;
    /// RE# falls too soon after ALE falls.
    T17 Error;
    /// RE# falls too soon after CLE falls.
    T18 Error;
    /// First data-in WE# rise too soon after last address WE# rise.
    T19 Error;
    /// Data moved too soon after 05-E0, 06-E0, 85h.
    T20 Error;
    /// WP# changed less than tWW before WE# falls, or during an array job.
    T21 Error;
    /// CE# raised and lowered again too soon.
    T22 Error;
    /// Host samples DQ before tREA (or before tCEA from CE#).
    T23 Error;
    /// Non-EDO host samples after data may have gone.
    T24 Error;
    /// Modes 4/5 used with capture at RE# rising edge (no EDO).
    T25 Error;
    /// Next command put on the bus, or R/B# read as ready, less than tWB after the confirm command.
    T26 Error;
    /// RE# falls too soon after CE# falls.
    T27 Error;
    /// Glitch: WE# or RE# pulse below 1/4 of the minimum.
    T28 Error;
    /// RE# falls while the host still drives DQ or before its drivers are off.
    T29 Error;
    /// Settings of one timing mode used when the die is in another.
    T30 Error;
    /// CLE and ALE both high at a WE# rise in SDR.
    P01 Error;
    /// WE# and RE# low together.
    P02 Error;
    /// RE# pulsed with CLE or ALE high.
    P03 Error;
    /// Host drives DQ while a die drives (contention).
    P04 Error;
    /// Two CE# low on one channel during data out.
    P05 Error;
    /// DQ Hi-Z or X at a latching edge (command, address, data in).
    P06 Error;
    /// Control pin X or Z at any time after power-up.
    P07 Error;
    /// CE# toggles between RE# cycles such that a pulse is cut.
    P08 Error;
    /// Any command but FFh first after power-up.
    P09 Error;
    /// Command before Vcc stable / before R/B# first valid.
    P10 Error;
    /// 78h used during or right after the first FFh.
    P11 Error;
    /// Unknown or reserved opcode.
    P12 Warning;
    /// Optional command not claimed in bytes 8-9/10.
    P13 Error;
    /// Confirm without its first cycle (30h, 10h, D0h, E0h alone).
    P14 Error;
    /// First cycle left and another command begun (80h ... then 00h).
    P15 Error;
    /// Wrong confirm (60h ... 10h, 80h ... D0h).
    P16 Error;
    /// Data-in cycles with no 80h/85h/EFh open.
    P17 Error;
    /// Data-out cycles with nothing to read (after 60-D0, 10h).
    P18 Error;
    /// Data read after 70h/78h without 00h (or 06-E0) to leave status.
    P19 Error;
    /// 31h/3Fh without a started read, or 3Fh twice.
    P20 Error;
    /// Read, erase or other array job to a LUN whose 15h program still runs.
    P21 Error;
    /// 85h-10h copyback program with no 00h-35h before, or to another plane/LUN.
    P22 Error;
    /// EFh with other than 4 data bytes, or WE# after the fourth.
    P23 Error;
    /// 31h when the page in work is the last of its block or LUN.
    P24 Warning;
    /// Too few address cycles before confirm.
    A01 Error;
    /// Too many address cycles.
    A02 Error;
    /// Column at or past page+spare.
    A03 Error;
    /// Block beyond blocks per LUN (non power of two).
    A04 Error;
    /// LUN bits name a LUN that is absent.
    A05 Error;
    /// Page number beyond pages per block (if not power of two).
    A06 Error;
    /// Unused high address bits not zero.
    A07 Warning;
    /// 60h row carries page bits.
    A08 Warning;
    /// Odd column in NV-DDR/2/3 data phase.
    A09 Error;
    /// Data runs past the end of the page register.
    A10 Error;
    /// Data out while RDY = 0.
    S01 Error;
    /// Any command but 70h, 78h, FFh/FCh/FAh (E1h) to a busy LUN.
    S02 Error;
    /// Cache data sent while RDY = 0 (15h not yet done).
    S03 Error;
    /// Array job started on a LUN with ARDY = 0 outside the cache sequence.
    S04 Error;
    /// Result trusted without reading status (FAIL never looked at).
    S05 Warning;
    /// FAIL read while RDY = 0, or FAILC ignored after cache program.
    S06 Error;
    /// 70h on a target where two LUNs are or were working together.
    S07 Error;
    /// 78h with row naming a different LUN than meant.
    S08 Warning;
    /// Host waits a fixed time shorter than tR/tPROG/tBERS and goes on.
    S09 Error;
    /// Poll with no limit (R/B# stuck low in fault test).
    S10 Error;
    /// New command in less than tITC/tFEAT after EFh.
    S11 Error;
    /// Reset FFh followed by a command before tRST.
    S12 Error;
    /// Page programmed again without erase (NOP over).
    R01 Error;
    /// Pages out of order in a block (MLC always; SLC too).
    R02 Error;
    /// Program to a block never erased since power-up (unknown state).
    R03 Error;
    /// 0 to 1 wanted by program (data not a subset).
    R04 Error;
    /// Program or erase while WP# is low.
    R05 Error;
    /// Erase or program of a factory-bad block.
    R06 Error;
    /// Bad mark destroyed by erasing before the scan.
    R07 Warning;
    /// Erase count beyond endurance.
    R08 Warning;
    /// Upper (MSB) page left unprogrammed and lower read as safe; or power cut in MSB program.
    R09 Warning;
    /// Reads of a block beyond the read-disturb limit with no refresh.
    R10 Warning;
    /// Power or FFh in mid program/erase, page then used as good.
    R11 Error;
    /// Partial page program past the spare / non-cleared register leaks old bytes.
    R12 Warning;
    /// Erase of a block whose pages are being read by cache on same LUN.
    R13 Error;
    /// Two planes with the same plane bits.
    M01 Error;
    /// Page numbers differ between planes of a program.
    M02 Error;
    /// Block numbers differ where byte 114 bit 1 = 0.
    M03 Error;
    /// LUN bits differ inside one multi-plane group.
    M04 Error;
    /// Second plane sent before the 11h busy ended.
    M05 Error;
    /// 11h/32h/D1h left open, another job begun.
    M06 Error;
    /// Read to a planes register with 05-E0 after multi-plane read (needs 06-E0).
    M07 Warning;
    /// Data out from a LUN just after another LUN was addressed with no 78h/06-E0 to choose it.
    M08 Error;
    /// Two LUNs both left enabled to drive (no 78h between).
    M09 Error;
    /// Target-level command (90, EC, ED, EE, EF) while any LUN is busy.
    M10 Error;
    /// Same group read and program mixed.
    M11 Error;
    /// 80h to another LUN while a LUN holds loaded but unconfirmed data (or 35h copyback data).
    M12 Error;
    /// Feature 01h asks for a mode the page does not offer.
    I01 Error;
    /// Pins go to NV-DDR before EFh, or stay SDR after tITC.
    I02 Error;
    /// CE# not raised when the interface changes.
    I03 Error;
    /// CLK faster than tCK min, or slower than mode max.
    I04 Error;
    /// CLK stopped with CE# low where not allowed.
    I05 Error;
    /// TCAS/tCAH/tCALS/tCALH/tCS/tCH broken against CLK rise.
    I06 Error;
    /// Commands or addresses closer than tCAD.
    I07 Error;
    /// Odd number of bytes in a data burst.
    I08 Error;
    /// DQS first edge outside tDQSS.
    I09 Error;
    /// DQS falling edge near CLK rise.
    I10 Error;
    /// DQ vs DQS set-up/hold short on data in.
    I11 Error;
    /// DQS preamble or postamble short.
    I12 Error;
    /// W/R# turned low while host drives DQS, or data out before tWRCK.
    I13 Error;
    /// W/R# raised before tCKWR after data out.
    I14 Error;
    /// DQS toggles with ALE/CLE not 1/1 (stray data).
    I15 Error;
    /// Feature/ID/status bytes read as if not doubled (or written un-doubled) in NV-DDR.
    I16 Error;
    /// Host keeps NV-DDR timing after FFh (die is back in SDR mode 0).
    I17 Error;
    /// FFh sent with the active fast timing rather than mode 0 pins when in doubt.
    I18 Warning;
    /// Host timing mode raised before EFh done, or not checked by EEh.
    I19 Warning;
    /// Feature 01h written with bits 5:4 naming an absent interface.
    I20 Error;
    /// NV-DDR2/3: WE#/CLE/ALE move inside a data burst with no pause; tCDQSS, tRPRE, tWPRE short.
    I21 Error;
    /// NV-DDR2/3: RE#/DQS period below tRC/tDSC.
    I22 Error;
    /// CRC not checked, or first copy bad and copies 2-3 not tried.
    I23 Warning;
}
