//! Every bound in every mode: the ideal host is clean, a host that is 1 ps beyond one bound is
//! refused under its name, with what was measured and what was required, and at the bound it is
//! not.

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Diagnostic, Quantity, Rule};
use floatgate_model::pins::{MODE_MAX, Parameter, PinDriver, PinOptions};

use crate::plain::{Plain, host, nvddr, sdr, texts, timings};

/// Everything that a bound can hang on, once.
fn exercise(host: &mut PinDriver<Plain>) {
    host.select(DieIndex(0));
    host.command(0x00);
    host.address(&[0, 0, 1, 2, 3]);
    host.command(0x30);
    host.wait_ready_selected();
    host.data_out(4);
    host.command(0x05);
    host.address(&[8, 0]);
    host.command(0xE0);
    host.data_out(4);
    host.command(0x80);
    host.address(&[0, 0, 1, 2, 3]);
    host.data_in(&[1, 2, 3, 4]);
    host.command(0x85);
    host.address(&[16, 0]);
    host.data_in(&[5, 6]);
    host.command(0x10);
    host.command(0x70);
    host.data_out(2);
    host.deselect();
    host.select(DieIndex(0));
    host.data_out(2);
    host.command(0x90);
    host.address(&[0x20]);
    host.data_out(2);
    host.idle(Picoseconds(300_000));
    host.data_out(2);
    host.idle(Picoseconds(300_000));
    host.wait_ready();
    host.write_protect(true);
    host.command(0x70);
    host.deselect();
    host.idle(Picoseconds(2_000_000));
    host.select(DieIndex(0));
    host.data_out(1);
    host.deselect();
    host.idle(Picoseconds(2_000_000));
    host.select(DieIndex(0));
    host.command(0x70);
    host.data_out(1);
    host.deselect();
    host.flush();
}

/// One bound: the rule that it breaks, how a host breaks it by so many picoseconds, and what has to
/// give way so that nothing else holds the host back.
struct Case {
    parameter: Parameter,
    rule: Rule,
    is_maximum: bool,
    /// Gaps of the host, picoseconds.
    others: &'static [(Parameter, u64)],
    set: Set,
}

const fn least(parameter: Parameter, rule: Rule) -> Case {
    after(parameter, rule, &[])
}

const fn after(parameter: Parameter, rule: Rule, others: &'static [(Parameter, u64)]) -> Case {
    // The gap is set by the caller, who knows the parameter.
    Case { parameter, rule, is_maximum: false, others, set: |_, _, _| {} }
}

fn set_gap(host: &mut PinDriver<Plain>, case: &Case, bound: u64, beyond: u64) {
    let gaps = host.gaps_mut();
    if gaps.max(case.parameter).is_some() && gaps.min(case.parameter).is_none() {
        gaps.set_max(case.parameter, Picoseconds(bound - beyond));
    } else if case.is_maximum {
        gaps.set_min(case.parameter, Picoseconds(bound + beyond));
    } else {
        gaps.set_min(case.parameter, Picoseconds(bound - beyond));
    }
    (case.set)(host, bound, beyond);
}

const SDR: &[Case] = &[
    least(Parameter::Wp, Rule::T01),
    after(Parameter::Wh, Rule::T02, &[(Parameter::Wp, 200_000)]),
    least(Parameter::Wc, Rule::T03),
    least(Parameter::Cls, Rule::T04),
    least(Parameter::Clh, Rule::T05),
    least(Parameter::Als, Rule::T06),
    least(Parameter::Alh, Rule::T06),
    least(Parameter::Cs, Rule::T07),
    least(Parameter::Cs3, Rule::T07),
    least(Parameter::Ch, Rule::T08),
    least(Parameter::Ds, Rule::T09),
    least(Parameter::Dh, Rule::T10),
    least(Parameter::Rp, Rule::T11),
    after(Parameter::Reh, Rule::T12, &[(Parameter::Rp, 200_000)]),
    least(Parameter::Rc, Rule::T13),
    least(Parameter::Rr, Rule::T14),
    least(Parameter::Whr, Rule::T15),
    least(Parameter::Rhw, Rule::T16),
    after(Parameter::Ar, Rule::T17, &[(Parameter::Alh, 600_000)]),
    after(Parameter::Clr, Rule::T18, &[(Parameter::Clh, 300_000)]),
    least(Parameter::Adl, Rule::T19),
    least(Parameter::Ccs, Rule::T20),
    least(Parameter::Ww, Rule::T21),
    least(Parameter::Ceh, Rule::T22),
    least(Parameter::Rea, Rule::T23),
    after(Parameter::Cea, Rule::T23, &[(Parameter::Cr, 0), (Parameter::Ceh, 30_000)]),
    least(Parameter::Wb, Rule::T26),
    least(Parameter::Cr, Rule::T27),
    least(Parameter::Cr2, Rule::T27),
    after(Parameter::Ir, Rule::T29, &[(Parameter::Dh, 300_000)]),
];

type Set = fn(&mut PinDriver<Plain>, bound: u64, beyond: u64);

/// A case whose bound is a share of the period.
const fn of_period(parameter: Parameter, rule: Rule, is_maximum: bool, set: Set) -> Case {
    Case { parameter, rule, is_maximum, others: &[], set }
}

fn set(host: &mut PinDriver<Plain>, parameter: Parameter, gap: u64) {
    host.gaps_mut().set_min(parameter, Picoseconds(gap));
}

fn period(host: &mut PinDriver<Plain>) -> u64 {
    host.gaps_mut().min(Parameter::Ck).unwrap().0
}

const NVDDR: &[Case] = &[
    least(Parameter::Ck, Rule::I04),
    Case { is_maximum: true, ..least(Parameter::Ck, Rule::I04) },
    of_period(Parameter::Ckh, Rule::I04, false, |host, bound, beyond| {
        set(host, Parameter::Ckh, bound - beyond)
    }),
    of_period(Parameter::Ckl, Rule::I04, false, |host, bound, beyond| {
        let high = period(host) - bound + beyond;
        set(host, Parameter::Ckh, high);
    }),
    least(Parameter::Dsc, Rule::I10),
    of_period(Parameter::Dqsh, Rule::I10, false, |host, bound, beyond| {
        set(host, Parameter::Dqsh, bound - beyond)
    }),
    of_period(Parameter::Dqsl, Rule::I10, false, |host, bound, beyond| {
        let high = period(host) - bound + beyond;
        set(host, Parameter::Dqsh, high);
    }),
    of_period(Parameter::Dqss, Rule::I09, false, |host, bound, beyond| {
        set(host, Parameter::Dqss, bound - beyond)
    }),
    of_period(Parameter::Dqss, Rule::I09, true, |host, bound, beyond| {
        set(host, Parameter::Dqss, bound + beyond)
    }),
    of_period(Parameter::Dss, Rule::I10, false, |host, bound, beyond| {
        let high = period(host) * 6 / 10;
        set(host, Parameter::Dqsh, high);
        let first = 2 * period(host) - high - bound + beyond;
        set(host, Parameter::Dqss, first);
    }),
    of_period(Parameter::Dsh, Rule::I10, false, |host, bound, beyond| {
        let high = period(host) * 4 / 10;
        set(host, Parameter::Dqsh, high);
        let first = period(host) - high + bound - beyond;
        set(host, Parameter::Dqss, first);
    }),
    of_period(Parameter::Wpre, Rule::I12, false, |host, bound, beyond| {
        set(host, Parameter::Wpre, bound - beyond)
    }),
    of_period(Parameter::Wpst, Rule::I12, false, |host, bound, beyond| {
        set(host, Parameter::Wpst, bound - beyond)
    }),
    least(Parameter::Cah, Rule::I06),
    least(Parameter::Cas, Rule::I06),
    least(Parameter::Calh, Rule::I06),
    least(Parameter::Cals, Rule::I06),
    least(Parameter::Cs, Rule::I06),
    least(Parameter::Ch, Rule::I06),
    least(Parameter::Ds, Rule::I11),
    least(Parameter::Dh, Rule::I11),
    least(Parameter::Cad, Rule::I07),
    Case {
        set: |host, bound, beyond| set(host, Parameter::Cad, bound - beyond),
        ..least(Parameter::CadFast, Rule::I07)
    },
    least(Parameter::Adl, Rule::T19),
    least(Parameter::Ccs, Rule::T20),
    after(Parameter::Whr, Rule::T15, &[(Parameter::Wrck, 0)]),
    after(Parameter::Rr, Rule::T14, &[(Parameter::Wrck, 0), (Parameter::Calh, 1)]),
    after(Parameter::Rhw, Rule::T16, &[(Parameter::Ckwr, 0), (Parameter::Dqshz, 0)]),
    least(Parameter::Wrck, Rule::I13),
    least(Parameter::Ww, Rule::T21),
    least(Parameter::Ceh, Rule::T22),
    least(Parameter::Wb, Rule::T26),
    least(Parameter::Dqsq, Rule::T23),
];

/// Bounds that are shares of the period, in hundredths: the least and the most.
fn hundredths(parameter: Parameter) -> Option<(u64, u64)> {
    Some(match parameter {
        Parameter::Ckh | Parameter::Ckl => (43, 57),
        Parameter::Dqsh | Parameter::Dqsl => (40, 60),
        Parameter::Dqss => (75, 125),
        Parameter::Dss | Parameter::Dsh => (20, 100),
        Parameter::Wpre | Parameter::Wpst => (150, 0),
        _ => return None,
    })
}

/// What the host does wrong under the name of the case when it is `beyond` a bound.
fn run(case: &Case, mode: TimingMode, bound: u64, beyond: u64) -> Vec<Diagnostic> {
    let options = PinOptions {
        fast_t_cad: case.parameter == Parameter::CadFast,
        long_chip_enable_setup: case.parameter == Parameter::Cs3,
        ..PinOptions::default()
    };
    let mut host = host(1, mode, options);
    let is_period = hundredths(case.parameter).is_some()
        || matches!(case.parameter, Parameter::Ck | Parameter::Dsc);
    if mode.interface == DataInterface::NvDdr && !is_period {
        host.free_clock();
    }
    for &(parameter, gap) in case.others {
        if host.gaps_mut().max(parameter).is_some() {
            host.gaps_mut().set_max(parameter, Picoseconds(gap));
        } else {
            set(&mut host, parameter, gap);
        }
    }
    set_gap(&mut host, case, bound, beyond);
    exercise(&mut host);
    let found = host.channel_mut().drain_diagnostics();
    let name = match case.parameter {
        Parameter::Cs3 => "tCS3:".to_owned(),
        Parameter::CadFast => "tCAD:".to_owned(),
        parameter => format!("{}:", parameter.name()),
    };
    found
        .into_iter()
        .map(|one| one.diagnostic)
        .filter(|one| one.rule == case.rule && one.text.starts_with(&name))
        .collect()
}

fn bound(case: &Case, mode: TimingMode) -> u64 {
    let timings = timings(mode);
    if let Some((least, most)) = hundredths(case.parameter) {
        let period = timings.min(Parameter::Ck).unwrap().0;
        return period * if case.is_maximum { most } else { least } / 100;
    }
    let (min, max) = (timings.min(case.parameter), timings.max(case.parameter));
    if case.is_maximum { max } else { min.or(max) }.expect("the mode has it").0
}

fn check(case: &Case, mode: TimingMode) {
    let bound = bound(case, mode);
    let name = format!("{} of {} in {mode:?}", case.parameter.name(), bound);
    let accepted = run(case, mode, bound, 0);
    assert!(accepted.is_empty(), "{name}: refused at its bound: {:#?}", words(&accepted));
    if bound == 0 {
        return;
    }
    let refused = run(case, mode, bound, 1);
    let beyond = if case.is_maximum { bound + 1 } else { bound - 1 };
    let (measured, required) =
        (Quantity::Time(Picoseconds(beyond)), Quantity::Time(Picoseconds(bound)));
    let is_named = |one: &Diagnostic| {
        one.measured == Some(measured) && one.required == Some(required) && one.at.0 > 0
    };
    assert!(refused.iter().any(is_named), "{name}: not refused beyond it: {:#?}", words(&refused));
}

fn words(found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(Diagnostic::to_string).collect()
}

#[test]
fn the_ideal_host_is_clean_in_every_mode() {
    for mode in (0..=MODE_MAX).flat_map(|mode| [sdr(mode), nvddr(mode)]) {
        let mut host = host(1, mode, PinOptions::default());
        exercise(&mut host);
        let found = texts(&mut host);
        assert!(found.is_empty(), "{mode:?}: {found:#?}");
    }
}

#[test]
fn sdr_bounds_hold_to_the_picosecond() {
    for case in SDR {
        for mode in 0..=MODE_MAX {
            check(case, sdr(mode));
        }
    }
}

#[test]
fn nvddr_bounds_hold_to_the_picosecond() {
    for case in NVDDR {
        for mode in 0..=MODE_MAX {
            check(case, nvddr(mode));
        }
    }
}
