//! The controller's timing registers against the bounds that the pins are held to: at every clock
//! and mode each register covers its bound, and no register wastes a clock where the bound is its
//! only reason.

use floatgate_hal::flash::mode::{DataInterface, DieTiming};
use floatgate_hal::flash::timing::{MODE_MAX, registers};
use floatgate_hal::units::Picoseconds;
use floatgate_model::pins::{Parameter, Timings};

use crate::plain::{nvddr, sdr, timings};

/// Periods of the controller's clock.
const CLOCKS_PS: [u64; 7] = [1_250, 2_500, 3_000, 4_000, 5_000, 8_000, 10_000];

/// Registers by number, as the controller's package has them.
const WP: usize = 0;
const NEXT: usize = 1;
const RP: usize = 2;
const REH: usize = 3;
const CAPTURE: usize = 4;
const CS: usize = 5;
const CR: usize = 6;
const CH: usize = 7;
const CEH: usize = 8;
const WHR: usize = 9;
const ADL: usize = 10;
const CCS_READ: usize = 11;
const CCS_WRITE: usize = 12;
const RHW: usize = 13;
const WB: usize = 14;
const HALF: usize = 15;
const WRCK: usize = 16;
const FREE: usize = 18;

/// A span of the waveform, what bounds it from below, and whether nothing else does.
type Span = (u64, Parameter, bool);

fn least(timings: &Timings, parameter: Parameter) -> u64 {
    timings.min(parameter).or(timings.max(parameter)).expect("the mode has it").0
}

fn check(timings: &Timings, clock: u64, name: &str, spans: &[Span]) {
    for &(span, parameter, is_only) in spans {
        let bound = least(timings, parameter);
        let what = parameter.name();
        assert!(span >= bound, "{name}: {what} {span} ps is less than {bound} ps");
        assert!(!is_only || span < bound + clock, "{name}: {what} {span} ps for {bound} ps");
    }
}

#[test]
fn sdr_registers_cover_the_bounds() {
    for clock in CLOCKS_PS {
        for mode in 0..=MODE_MAX {
            let timing = DieTiming { mode: sdr(mode), ..DieTiming::default() };
            let Ok(registers) = registers(&timing, Picoseconds(clock)) else {
                panic!("SDR mode {mode} fits a clock of {clock} ps");
            };
            let span = |index: usize| u64::from(registers.0[index]) * clock;
            let timings = timings(sdr(mode));
            let name = format!("SDR mode {mode} at {clock} ps");
            check(
                &timings,
                clock,
                &name,
                &[
                    (span(WP), Parameter::Wp, true),
                    (span(WP), Parameter::Cls, false),
                    (span(WP), Parameter::Als, false),
                    (span(WP), Parameter::Ds, false),
                    (span(NEXT), Parameter::Wh, false),
                    (span(NEXT), Parameter::Clh, false),
                    (span(NEXT), Parameter::Alh, false),
                    (span(NEXT), Parameter::Dh, false),
                    (span(WP) + span(NEXT), Parameter::Wc, false),
                    (span(RP), Parameter::Rp, false),
                    (span(REH), Parameter::Reh, false),
                    (span(RP) + span(REH), Parameter::Rc, false),
                    (span(CAPTURE), Parameter::Rea, true),
                    (span(CS) + span(WP), Parameter::Cs, false),
                    (span(CS) + span(WP), Parameter::Cs3, true),
                    (span(CR), Parameter::Cr2, false),
                    (span(CR) + span(CAPTURE), Parameter::Cea, false),
                    (span(CH), Parameter::Ch, false),
                    (span(CEH), Parameter::Ceh, true),
                    (span(WHR), Parameter::Whr, true),
                    (span(ADL) + span(WP), Parameter::Adl, false),
                    (span(CCS_READ), Parameter::Ccs, true),
                    (span(CCS_WRITE) + span(WP), Parameter::Ccs, false),
                    (span(RHW), Parameter::Rhw, true),
                    (span(WB), Parameter::Wb, true),
                ],
            );
            let after_rise = span(RP) + least(&timings, Parameter::Rhoh);
            let after_fall = span(RP) + span(REH) + least(&timings, Parameter::Rloh);
            let held = after_rise.min(after_fall.max(span(RP)));
            assert!(span(CAPTURE) <= held, "{name}: data are gone {held} ps after RE# fell");
            assert_eq!(span(HALF), 0, "{name}");
        }
    }
}

#[test]
fn nvddr_registers_cover_the_bounds() {
    let mut fits = 0;
    for clock in CLOCKS_PS {
        for mode in 0..=MODE_MAX {
            let timing = DieTiming { mode: nvddr(mode), ..DieTiming::default() };
            let Ok(registers) = registers(&timing, Picoseconds(clock)) else { continue };
            fits += 1;
            assert_eq!(timing.mode.interface, DataInterface::NvDdr);
            let span = |index: usize| u64::from(registers.0[index]) * clock;
            let timings = timings(nvddr(mode));
            let name = format!("NV-DDR mode {mode} at {clock} ps");
            let period = 2 * span(HALF);
            assert!(Some(Picoseconds(period)) <= timings.max(Parameter::Ck), "{name}");
            check(
                &timings,
                clock,
                &name,
                &[
                    (period, Parameter::Ck, false),
                    (span(HALF) + span(NEXT), Parameter::Cad, false),
                    (span(CS), Parameter::Cs, true),
                    (span(HALF) + span(CR), Parameter::Cs, false),
                    (span(CH), Parameter::Ch, true),
                    (span(CEH), Parameter::Ceh, true),
                    (span(HALF) + span(WHR), Parameter::Whr, false),
                    (span(HALF) + span(ADL), Parameter::Adl, false),
                    (span(HALF) + span(CCS_READ), Parameter::Ccs, false),
                    (span(HALF) + span(CCS_WRITE), Parameter::Ccs, false),
                    (span(HALF) + span(RHW), Parameter::Rhw, false),
                    (span(WB), Parameter::Wb, true),
                    (span(HALF) + span(WRCK), Parameter::Wrck, false),
                    (span(FREE), Parameter::Dqshz, true),
                ],
            );
        }
    }
    assert!(fits >= 20, "only {fits} modes fit a clock");
}
