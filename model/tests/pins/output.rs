//! What a die drives and when: valid data, unknown ones, Hi-Z, and hosts that look too early or too
//! late.

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Quantity, Rule};
use floatgate_model::pins::{BusLevels, Corner, Level, MODE_MAX, Octet, Parameter, PinOptions};

use crate::plain::{Plain, host, nvddr, sdr, timings};
use crate::raw::Raw;

/// A selected target in SDR, about to put out bytes 0, 1, 2 ...
fn reading(mode: u8) -> Raw<Plain> {
    let mut host = host(1, sdr(mode), PinOptions::default());
    host.select(DieIndex(0));
    host.command(0x70);
    host.idle(Picoseconds(500_000));
    Raw::after(&mut host)
}

fn bound(mode: u8, parameter: Parameter) -> u64 {
    let timings = timings(sdr(mode));
    timings.min(parameter).or(timings.max(parameter)).unwrap().0
}

fn at(raw: &Raw<Plain>, span: u64) -> BusLevels {
    raw.channel.levels(Picoseconds(raw.now + span))
}

/// Samples on a copy, so that a look does no harm; the rules broken.
fn sample(raw: &Raw<Plain>, span: u64) -> Vec<(Rule, String)> {
    let mut channel = raw.channel.clone();
    channel.drain_diagnostics();
    channel.sample(Picoseconds(raw.now + span));
    let found = channel.drain_diagnostics().into_iter().map(|one| one.diagnostic);
    found.map(|one| (one.rule, one.text)).collect()
}

#[test]
fn a_byte_is_valid_from_trea_to_trhoh_and_gone_after_trhz() {
    for mode in 0..=MODE_MAX {
        let mut raw = reading(mode);
        assert_eq!(at(&raw, 0).dq, Octet::FLOATING);
        raw.after_ns(0, |pins| pins.re_n = Level::Low);
        let valid = bound(mode, Parameter::Rea);
        assert_eq!(at(&raw, valid - 1).dq, Octet::changing_to(0), "mode {mode}");
        assert_eq!(at(&raw, valid).dq, Octet::driving(0), "mode {mode}");
        raw.after_ns(100, |pins| pins.re_n = Level::High);
        let (hold, off) = (bound(mode, Parameter::Rhoh), bound(mode, Parameter::Rhz));
        assert_eq!(at(&raw, hold).dq, Octet::driving(0), "mode {mode}");
        assert_eq!(at(&raw, hold + 1).dq, Octet::changing_to(0), "mode {mode}");
        assert_eq!(at(&raw, off - 1).dq.driven, 0xFF, "mode {mode}");
        assert_eq!(at(&raw, off).dq, Octet::FLOATING, "mode {mode}");
    }
}

#[test]
fn chip_enable_ends_a_byte_after_tcoh_and_tchz() {
    for mode in 0..=MODE_MAX {
        let mut raw = reading(mode);
        raw.after_ns(0, |pins| pins.re_n = Level::Low);
        raw.after_ns(100, |pins| {
            pins.re_n = Level::High;
            pins.ce_n[0] = Level::High;
        });
        let (hold, off) = (bound(mode, Parameter::Coh), bound(mode, Parameter::Chz));
        assert_eq!(at(&raw, hold).dq, Octet::driving(0), "mode {mode}");
        assert_eq!(at(&raw, hold + 1).dq, Octet::changing_to(0), "mode {mode}");
        assert_eq!(at(&raw, off - 1).dq.driven, 0xFF, "mode {mode}");
        assert_eq!(at(&raw, off).dq, Octet::FLOATING, "mode {mode}");
    }
}

#[test]
fn the_next_fall_ends_a_byte_after_trloh() {
    for mode in [4, 5] {
        let mut raw = reading(mode);
        raw.after_ns(0, |pins| pins.re_n = Level::Low);
        raw.after_ns(14, |pins| pins.re_n = Level::High);
        raw.after_ns(11, |pins| pins.re_n = Level::Low);
        let hold = bound(mode, Parameter::Rloh).min(15_000 - 11_000);
        assert_eq!(at(&raw, hold).dq, Octet::driving(0), "mode {mode}");
        assert_eq!(at(&raw, hold + 1).dq.unknown, 0xFF, "mode {mode}");
        assert_eq!(at(&raw, bound(mode, Parameter::Rea)).dq, Octet::driving(1), "mode {mode}");
    }
}

#[test]
fn changes_that_come_by_themselves_are_foretold() {
    for mode in 0..=MODE_MAX {
        let mut raw = reading(mode);
        raw.after_ns(0, |pins| pins.re_n = Level::Low);
        raw.after_ns(60, |pins| pins.re_n = Level::High);
        let end = raw.now + 400_000;
        let mut now = raw.now;
        let mut foretold = Vec::new();
        while let Some(next) = raw.channel.next_change(Picoseconds(now)).filter(|at| at.0 < end) {
            now = next.0;
            foretold.push(now);
        }
        let levels = |at| raw.channel.levels(Picoseconds(at));
        for at in raw.now + 1..end {
            let changes = levels(at) != levels(at - 1);
            assert!(!changes || foretold.contains(&at), "mode {mode}: change at {at}");
        }
        assert!(foretold.len() >= 2, "mode {mode}: {foretold:?}");
    }
}

#[test]
fn a_host_that_samples_too_early_is_told() {
    for mode in 0..=MODE_MAX {
        let mut raw = reading(mode);
        raw.after_ns(0, |pins| pins.re_n = Level::Low);
        let valid = bound(mode, Parameter::Rea);
        assert!(sample(&raw, valid).is_empty(), "mode {mode}");
        let found = sample(&raw, valid - 2_000);
        assert_eq!(found.len(), 1, "mode {mode}");
        assert_eq!(found[0].0, Rule::T23);
    }
    let mut raw = reading(5);
    raw.after_ns(0, |pins| pins.re_n = Level::Low);
    let expected =
        "tREA: sampled 14.0 ns after RE# low, data not sure until 16.0 ns (mode 5)".to_owned();
    assert_eq!(sample(&raw, 14_000), [(Rule::T23, expected)]);
}

#[test]
fn a_host_that_samples_too_late_is_told() {
    for mode in 0..=MODE_MAX {
        let mut raw = reading(mode);
        raw.after_ns(0, |pins| pins.re_n = Level::Low);
        raw.after_ns(100, |pins| pins.re_n = Level::High);
        let hold = bound(mode, Parameter::Rhoh);
        assert!(sample(&raw, hold).is_empty(), "mode {mode}");
        assert_eq!(sample(&raw, hold + 1)[0].0, Rule::T24, "mode {mode}");
    }
    let mut raw = reading(3);
    raw.after_ns(0, |pins| pins.re_n = Level::Low);
    raw.after_ns(100, |pins| pins.re_n = Level::High);
    let expected =
        "tRHOH: sampled 20.0 ns after RE# high, data held only 15.0 ns (mode 3)".to_owned();
    assert_eq!(sample(&raw, 20_000), [(Rule::T24, expected)]);
    raw.channel.drain_diagnostics();
    raw.channel.sample(Picoseconds(raw.now + 20_000));
    let figures = raw.of(Rule::T24)[0].clone();
    let time = |ps| Some(Quantity::Time(Picoseconds(ps)));
    assert_eq!((figures.measured, figures.required), (time(20_000), time(15_000)));
}

#[test]
fn a_host_that_captures_at_the_rise_in_a_fast_mode_is_told() {
    for (mode, low) in [(4, 12), (5, 10)] {
        let mut raw = reading(mode);
        raw.after_ns(0, |pins| pins.re_n = Level::Low);
        raw.after_ns(low, |pins| pins.re_n = Level::High);
        let found = sample(&raw, 0);
        assert_eq!(found.len(), 1, "mode {mode}");
        assert_eq!(found[0].0, Rule::T25);
        let expected = format!("EDO: capture at RE# rise cannot meet tREA in mode {mode}");
        assert!(found[0].1.starts_with(&expected), "{}", found[0].1);
    }
}

#[test]
fn ready_busy_is_an_open_drain_with_a_pull_up() {
    let mut host = host(2, sdr(0), PinOptions::default());
    host.select(DieIndex(0));
    host.command(0x10);
    host.idle(Picoseconds(250_000));
    let now = host.now();
    let levels = host.channel().levels(now);
    assert_eq!(levels.rb_n[..3], [Level::Low, Level::High, Level::High]);
    assert_eq!(host.channel().drive(DieIndex(0), now).rb_n, Level::Low);
    assert_eq!(host.channel().drive(DieIndex(1), now).rb_n, Level::Floating);
}

/// Where DQS goes from W/R# low over two data-out clocks to Hi-Z, in both corners.
#[test]
fn dqs_follows_the_clock_and_dq_follows_dqs() {
    for (corner, access, drives) in [(Corner::Fast, 3_000, 0), (Corner::Slow, 25_000, 18_000)] {
        let options = PinOptions { corner, ..PinOptions::default() };
        let mut host = host(1, nvddr(0), options);
        host.select(DieIndex(0));
        host.command(0x30);
        host.idle(Picoseconds(3_000_000));
        let mut raw = Raw::after(&mut host);
        raw.clocks(2).channel.drain_diagnostics();
        raw.after_ns(11, |pins| pins.re_n = Level::Low);
        let turned = raw.now;
        let level = |raw: &Raw<Plain>, time| raw.channel.levels(Picoseconds(time)).dqs;
        if drives > 0 {
            assert_eq!(level(&raw, turned + drives - 1), Level::Unknown);
        }
        assert_eq!(level(&raw, turned + drives), Level::Low);
        raw.after_ns(14, |pins| pins.we_n = Level::Low);
        raw.after_ns(10, |pins| (pins.cle, pins.ale) = (Level::High, Level::High));
        raw.after_ns(15, |pins| pins.we_n = Level::High);
        let rise = raw.now + access;
        assert_eq!(level(&raw, rise - 1), Level::Low);
        assert_eq!(level(&raw, rise), Level::High);
        raw.after_ns(12, |pins| (pins.cle, pins.ale) = (Level::Low, Level::Low));
        raw.after_ns(13, |pins| pins.we_n = Level::Low);
        let dq = |raw: &Raw<Plain>, time| raw.channel.levels(Picoseconds(time)).dq;
        // tDQSQ 5 ns after each edge, until tQH, half a period less tQHS of 6 ns, after it.
        let fall = raw.now + access;
        assert_eq!(level(&raw, fall), Level::Low);
        assert_eq!(dq(&raw, fall + 4_999), Octet::changing_to(1));
        assert_eq!(dq(&raw, fall + 5_000), Octet::driving(1));
        assert_eq!(dq(&raw, fall + 19_000), Octet::driving(1));
        assert_eq!(dq(&raw, fall + 19_001), Octet::changing_to(1));
        raw.after_ns(25, |pins| pins.we_n = Level::High).clocks(2);
        raw.after_ns(11, |pins| pins.re_n = Level::High);
        assert_eq!(level(&raw, raw.now + 19_999), Level::Unknown);
        assert_eq!(level(&raw, raw.now + 20_000), Level::Floating);
        assert_eq!(dq(&raw, raw.now + 20_000), Octet::FLOATING);
        let found = raw.channel.drain_diagnostics();
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn the_ideal_host_reads_what_the_die_sends_in_every_mode() {
    for mode in (0..=MODE_MAX).flat_map(|mode| [sdr(mode), nvddr(mode)]) {
        let mut host = host(1, mode, PinOptions::default());
        host.select(DieIndex(0));
        host.command(0x30);
        host.wait_ready();
        let expected: Vec<_> = (0..64).map(Some).collect();
        assert_eq!(host.data_out(64), expected, "{mode:?}");
    }
}
