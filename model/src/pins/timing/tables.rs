//! The tables: a row is a parameter, a column a mode.

use super::Instant;

macro_rules! parameters {
    ($($variant:ident $name:literal $doc:literal;)*) => {
        /// Timing parameters under their ONFI names; the edges that each one spans are ONFI's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Parameter { $(#[doc = concat!($name, ": ", $doc, ".")] $variant),* }

        impl Parameter {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The ONFI name, as diagnostics and tables write it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

parameters! {
    Adl "tADL" "last address cycle to first data cycle";
    Alh "tALH" "ALE hold from WE# high";
    Als "tALS" "ALE set-up to WE# high";
    Ar "tAR" "ALE low to RE# low";
    Ccs "tCCS" "change of column to data";
    Cea "tCEA" "CE# low to DQ valid";
    Ceh "tCEH" "CE# high time";
    Ch "tCH" "CE# hold from WE# or CLK high";
    Chz "tCHZ" "CE# high to DQ Hi-Z";
    Clh "tCLH" "CLE hold from WE# high";
    Clr "tCLR" "CLE low to RE# low";
    Cls "tCLS" "CLE set-up to WE# high";
    Coh "tCOH" "CE# high to DQ no longer valid";
    Cr "tCR" "CE# low to RE# low";
    Cr2 "tCR2" "CE# low to RE# low after a long time high";
    Cs "tCS" "CE# set-up to WE# or CLK high";
    Cs3 "tCS3" "CE# set-up to WE# high after a long time high";
    Dh "tDH" "DQ hold from WE# high or a DQS edge";
    Ds "tDS" "DQ set-up to WE# high or a DQS edge";
    Feat "tFEAT" "busy time of get and set features";
    Ir "tIR" "DQ Hi-Z to RE# low";
    Itc "tITC" "busy time of a change of interface or mode";
    Rc "tRC" "RE# period";
    Rea "tREA" "RE# low to DQ valid";
    Reh "tREH" "RE# high time";
    Rhoh "tRHOH" "RE# high to DQ no longer valid";
    Rhw "tRHW" "end of data out to the next cycle in";
    Rhz "tRHZ" "RE# high to DQ Hi-Z";
    Rloh "tRLOH" "RE# low to DQ of the cycle before no longer valid";
    Rp "tRP" "RE# low time";
    Rr "tRR" "R/B# high to RE# low";
    Rst "tRST" "busy time of a reset";
    Wb "tWB" "confirming cycle to R/B# low";
    Wc "tWC" "WE# period";
    Wh "tWH" "WE# high time";
    Whr "tWHR" "cycle in to data out";
    Wp "tWP" "WE# low time";
    Ww "tWW" "WP# change to WE# low";
    Ck "tCK" "CLK period";
    Ckh "tCKH" "CLK high time";
    Ckl "tCKL" "CLK low time";
    Dsc "tDSC" "DQS period";
    Dqsh "tDQSH" "DQS high time";
    Dqsl "tDQSL" "DQS low time";
    Cah "tCAH" "DQ hold from CLK high, command and address";
    Calh "tCALH" "CLE, ALE, W/R# hold from CLK high";
    Cals "tCALS" "CLE, ALE, W/R# set-up to CLK high";
    Cas "tCAS" "DQ set-up to CLK high, command and address";
    Cad "tCAD" "command, address and start of data to the next of them";
    CadFast "tCAD_fast" "tCAD of a device that says it is fast";
    Ac "tAC" "CLK edge to DQ";
    Dqsck "tDQSCK" "CLK edge to DQS";
    Dqsd "tDQSD" "W/R# low to DQS driven";
    Dqshz "tDQSHZ" "W/R# high to DQS Hi-Z";
    Dqsq "tDQSQ" "DQS edge to last DQ valid";
    Qhs "tQHS" "what DQ hold loses of half a CLK period";
    Qh "tQH" "DQS edge to first DQ no longer valid";
    Dqss "tDQSS" "CLK edge of the first data-in cycle to the first DQS edge";
    Dss "tDSS" "DQS low to CLK high";
    Dsh "tDSH" "CLK high to DQS low";
    Wpre "tWPRE" "DQS low before a burst";
    Wpst "tWPST" "DQS low after a burst";
    Wrck "tWRCK" "W/R# low to first data-out cycle";
    Ckwr "tCKWR" "last data-out cycle to W/R# high";
}

/// One parameter by mode 0 to 5, in picoseconds.
pub(super) struct Row {
    pub(super) parameter: Parameter,
    pub(super) min: Option<[Instant; 6]>,
    pub(super) max: Option<[Instant; 6]>,
}

/// Nanoseconds as picoseconds.
const fn ns(values: [Instant; 6]) -> Option<[Instant; 6]> {
    let mut all = values;
    let mut mode = 0;
    while mode < 6 {
        all[mode] *= 1_000;
        mode += 1;
    }
    Some(all)
}

const fn min(parameter: Parameter, values_ns: [Instant; 6]) -> Row {
    Row { parameter, min: ns(values_ns), max: None }
}

const fn max(parameter: Parameter, values_ns: [Instant; 6]) -> Row {
    Row { parameter, min: None, max: ns(values_ns) }
}

const fn range(parameter: Parameter, low_ns: [Instant; 6], high_ns: [Instant; 6]) -> Row {
    Row { parameter, min: ns(low_ns), max: ns(high_ns) }
}

const fn min_ps(parameter: Parameter, values_ps: [Instant; 6]) -> Row {
    Row { parameter, min: Some(values_ps), max: None }
}

const fn max_ps(parameter: Parameter, values_ps: [Instant; 6]) -> Row {
    Row { parameter, min: None, max: Some(values_ps) }
}

/// SDR. tRST is that of raw NAND: parts state far less, by what they were doing.
pub(super) const SDR: &[Row] = &[
    min(Parameter::Adl, [400; 6]),
    min(Parameter::Alh, [20, 10, 10, 5, 5, 5]),
    min(Parameter::Als, [50, 25, 15, 10, 10, 10]),
    min(Parameter::Ar, [25, 10, 10, 10, 10, 10]),
    min(Parameter::Ccs, [500; 6]),
    max(Parameter::Cea, [100, 45, 30, 25, 25, 25]),
    min(Parameter::Ceh, [20; 6]),
    min(Parameter::Ch, [20, 10, 10, 5, 5, 5]),
    max(Parameter::Chz, [100, 50, 50, 50, 30, 30]),
    min(Parameter::Clh, [20, 10, 10, 5, 5, 5]),
    min(Parameter::Clr, [20, 10, 10, 10, 10, 10]),
    min(Parameter::Cls, [50, 25, 15, 10, 10, 10]),
    min(Parameter::Coh, [0, 15, 15, 15, 15, 15]),
    min(Parameter::Cr, [10; 6]),
    min(Parameter::Cr2, [100; 6]),
    min(Parameter::Cs, [70, 35, 25, 25, 20, 15]),
    min(Parameter::Cs3, [100; 6]),
    min(Parameter::Dh, [20, 10, 5, 5, 5, 5]),
    min(Parameter::Ds, [40, 20, 15, 10, 10, 7]),
    max(Parameter::Feat, [1_000; 6]),
    min(Parameter::Ir, [10, 0, 0, 0, 0, 0]),
    max(Parameter::Itc, [1_000; 6]),
    min(Parameter::Rc, [100, 50, 35, 30, 25, 20]),
    max(Parameter::Rea, [40, 30, 25, 20, 20, 16]),
    min(Parameter::Reh, [30, 15, 15, 10, 10, 7]),
    min(Parameter::Rhoh, [0, 15, 15, 15, 15, 15]),
    min(Parameter::Rhw, [200, 100, 100, 100, 100, 100]),
    max(Parameter::Rhz, [200, 100, 100, 100, 100, 100]),
    min(Parameter::Rloh, [0, 0, 0, 0, 5, 5]),
    min(Parameter::Rp, [50, 25, 17, 15, 12, 10]),
    min(Parameter::Rr, [40, 20, 20, 20, 20, 20]),
    max(Parameter::Rst, [5_000_000, 500_000, 500_000, 500_000, 500_000, 500_000]),
    max(Parameter::Wb, [200, 100, 100, 100, 100, 100]),
    min(Parameter::Wc, [100, 45, 35, 30, 25, 20]),
    min(Parameter::Wh, [30, 15, 15, 10, 10, 7]),
    min(Parameter::Whr, [120, 80, 80, 80, 80, 80]),
    min(Parameter::Wp, [50, 25, 17, 15, 12, 10]),
    min(Parameter::Ww, [100; 6]),
];

/// NV-DDR. Bounds that are fractions of the clock's period are in [`super::super::nvddr`].
pub(super) const NVDDR: &[Row] = &[
    range(Parameter::Ck, [50, 30, 20, 15, 12, 10], [100, 50, 30, 20, 15, 12]),
    min(Parameter::Dsc, [50, 30, 20, 15, 12, 10]),
    min_ps(Parameter::Cah, [10_000, 5_000, 4_000, 3_000, 2_500, 2_000]),
    min_ps(Parameter::Calh, [10_000, 5_000, 4_000, 3_000, 2_500, 2_000]),
    min_ps(Parameter::Cals, [10_000, 5_000, 4_000, 3_000, 2_500, 2_000]),
    min_ps(Parameter::Cas, [10_000, 5_000, 4_000, 3_000, 2_500, 2_000]),
    min_ps(Parameter::Ch, [10_000, 5_000, 4_000, 3_000, 2_500, 2_000]),
    min(Parameter::Cs, [35, 25, 15, 15, 15, 15]),
    min_ps(Parameter::Dh, [5_000, 2_500, 1_700, 1_300, 1_100, 900]),
    min_ps(Parameter::Ds, [5_000, 3_000, 2_000, 1_500, 1_100, 900]),
    max_ps(Parameter::Dqsq, [5_000, 2_500, 1_700, 1_300, 1_000, 850]),
    max_ps(Parameter::Qhs, [6_000, 3_000, 2_000, 1_500, 1_200, 1_000]),
    range(Parameter::Ac, [3; 6], [25; 6]),
    range(Parameter::Dqsck, [3; 6], [25; 6]),
    range(Parameter::Dqsd, [0; 6], [18; 6]),
    max(Parameter::Dqshz, [20; 6]),
    min(Parameter::Adl, [400; 6]),
    min(Parameter::Cad, [45; 6]),
    min(Parameter::CadFast, [25; 6]),
    min(Parameter::Ccs, [500; 6]),
    min(Parameter::Ceh, [20; 6]),
    max(Parameter::Feat, [1_000; 6]),
    max(Parameter::Itc, [1_000; 6]),
    min(Parameter::Rhw, [100; 6]),
    min(Parameter::Rr, [20; 6]),
    max(Parameter::Rst, [500_000; 6]),
    max(Parameter::Wb, [100; 6]),
    min(Parameter::Whr, [80; 6]),
    min(Parameter::Wrck, [20; 6]),
    min(Parameter::Ww, [100; 6]),
];
