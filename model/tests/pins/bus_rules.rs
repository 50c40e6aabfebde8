//! Rules of the bus that are no bounds: reserved states, contention, unknown levels, glitches.

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Cycle, Quantity, Rule};
use floatgate_model::pins::{HostPins, Level, Octet, Parameter, PinOptions};

use crate::plain::{Plain, host, nvddr, sdr, texts};
use crate::raw::{Raw, of, text};

/// A selected target in SDR that has been told to put out its status.
fn selected(mode: u8) -> Raw<Plain> {
    let mut host = host(2, sdr(mode), PinOptions::default());
    host.select(DieIndex(0));
    host.command(0x70);
    host.idle(Picoseconds(500_000));
    Raw::after(&mut host)
}

#[test]
fn both_latch_enables_are_reserved() {
    let mut raw = selected(0);
    raw.write(Level::High, Level::High, Octet::driving(0x70));
    assert_eq!(text(&mut raw, Rule::P01), "BUS: CLE=1 and ALE=1 at WE# rise is reserved");
    let cycles = &raw.channel.target(DieIndex(0)).behind().cycles;
    assert_eq!(cycles, &[Cycle::Command(0x70)], "nothing was latched");
}

#[test]
fn both_strobes_low_is_illegal() {
    let mut raw = selected(0);
    raw.after_ns(100, |pins| pins.we_n = Level::Low);
    raw.after_ns(10, |pins| pins.re_n = Level::Low);
    assert_eq!(text(&mut raw, Rule::P02), "BUS: WE# and RE# both low");
    let mut raw = selected(0);
    raw.after_ns(100, |pins| pins.re_n = Level::Low);
    raw.after_ns(300, |pins| pins.we_n = Level::Low);
    assert_eq!(text(&mut raw, Rule::P02), "BUS: WE# and RE# both low");
}

#[test]
fn data_out_with_a_latch_enable_is_illegal() {
    let enables: [fn(&mut HostPins); 2] =
        [|pins| pins.cle = Level::High, |pins| pins.ale = Level::High];
    for set in enables {
        let mut raw = selected(0);
        raw.after_ns(100, set).after_ns(200, |pins| pins.re_n = Level::Low);
        assert_eq!(text(&mut raw, Rule::P03), "BUS: RE# low with CLE/ALE high");
        let levels = raw.channel.levels(Picoseconds(raw.now + 100_000));
        assert_eq!(levels.dq.driven, 0, "nothing is put out");
    }
}

#[test]
fn host_and_die_may_not_drive_together() {
    let mut raw = selected(0);
    raw.after_ns(100, |pins| pins.re_n = Level::Low);
    let begin = raw.now;
    raw.after_ns(60, |pins| pins.dq = Octet::driving(0xFF));
    raw.after_ns(20, |pins| pins.re_n = Level::High);
    // The drivers of mode 0 stay on for tRHZ, 200 ns.
    raw.after_ns(500, |pins| pins.dq = Octet::FLOATING);
    let found = raw.of(Rule::P04);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].at, Picoseconds(begin + 60_000));
    let (from, until) = (begin / 1_000 + 60, begin / 1_000 + 280);
    let expected =
        format!("CONTENTION: DQ driven by host and die 0 from {from}.0 ns to {until}.0 ns");
    assert_eq!(found[0].text, expected);
}

#[test]
fn contention_shows_as_unknown_levels() {
    let mut raw = selected(0);
    raw.after_ns(100, |pins| pins.re_n = Level::Low);
    let valid = Picoseconds(raw.now + 60_000);
    assert_eq!(raw.channel.levels(valid).dq, Octet::driving(0));
    raw.after_ns(50, |pins| pins.dq = Octet::driving(0xF0));
    let dq = raw.channel.levels(valid).dq;
    assert_eq!((dq.driven, dq.unknown), (0xFF, 0xF0));
}

#[test]
fn two_selected_dies_may_not_answer() {
    let mut raw = selected(0);
    raw.after_ns(100, |pins| pins.ce_n[1] = Level::Low);
    raw.after_ns(200, |pins| pins.re_n = Level::Low);
    assert_eq!(text(&mut raw, Rule::P05), "CONTENTION: CE0# and CE1# both answer RE#");
}

#[test]
fn dq_must_be_known_where_it_is_latched() {
    let unknown = Octet { value: 0, driven: 0xFF, unknown: 1 };
    let half = Octet { value: 0, driven: 0x7F, unknown: 0 };
    for dq in [Octet::FLOATING, unknown, half] {
        for (cle, ale, name) in [
            (Level::High, Level::Low, "command"),
            (Level::Low, Level::High, "address"),
            (Level::Low, Level::Low, "data"),
        ] {
            let mut raw = selected(0);
            raw.write(cle, ale, dq);
            assert_eq!(text(&mut raw, Rule::P06), format!("XDQ: unknown DQ at {name} latch"));
        }
    }
}

#[test]
fn control_pins_must_be_known() {
    type Pin = fn(&mut HostPins) -> &mut Level;
    let cases: [(&str, Pin); 7] = [
        ("CLE", |pins| &mut pins.cle),
        ("ALE", |pins| &mut pins.ale),
        ("WE#", |pins| &mut pins.we_n),
        ("RE#", |pins| &mut pins.re_n),
        ("WP#", |pins| &mut pins.wp_n),
        ("CE0#", |pins| &mut pins.ce_n[0]),
        ("CE1#", |pins| &mut pins.ce_n[1]),
    ];
    for (name, pin) in cases {
        for level in [Level::Unknown, Level::Floating] {
            let mut raw = selected(0);
            raw.after_ns(300, |pins| *pin(pins) = level);
            assert_eq!(text(&mut raw, Rule::P07), format!("XCTL: {name} unknown"));
        }
    }
}

#[test]
fn chip_enable_may_not_cut_a_read_pulse() {
    let mut raw = selected(0);
    raw.after_ns(300, |pins| pins.re_n = Level::Low);
    raw.after_ns(100, |pins| pins.ce_n[0] = Level::High);
    assert_eq!(text(&mut raw, Rule::P08), "CE-CUT: CE# rose inside an RE# low pulse");
}

#[test]
fn a_pulse_below_a_quarter_of_its_minimum_is_a_glitch() {
    let strobes: [fn(&mut HostPins) -> &mut Level; 2] =
        [|pins| &mut pins.we_n, |pins| &mut pins.re_n];
    for (strobe, name) in strobes.into_iter().zip(["WE# low", "RE# low"]) {
        let mut raw = selected(5);
        raw.after_ns(300, |pins| *strobe(pins) = Level::Low);
        raw.after_ns(2, |pins| *strobe(pins) = Level::High);
        let found = raw.of(Rule::T28);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(found[0].text, format!("GLITCH: {name} pulse 2.0 ns"));
        let figures = (found[0].measured, found[0].required);
        let time = |ps| Some(Quantity::Time(Picoseconds(ps)));
        assert_eq!(figures, (time(2_000), time(10_000)));
    }
}

#[test]
fn the_host_lets_go_before_it_reads() {
    for mode in 0..=5 {
        let mut raw = selected(mode);
        raw.after_ns(300, |pins| pins.dq = Octet::driving(1));
        raw.after_ns(100, |pins| pins.re_n = Level::Low);
        let found = raw.of(Rule::T29);
        assert_eq!(found.len(), 1, "{found:#?}");
        let expected = "tIR: host still drives DQ, Hi-Z to RE# low 0.0 ns";
        assert!(found[0].text.starts_with(expected), "{}", found[0].text);
    }
}

#[test]
fn bounds_are_those_of_the_mode_in_the_die() {
    let mut host = host(1, sdr(0), PinOptions::default());
    host.set_mode(sdr(3));
    host.select(DieIndex(0));
    host.command(0x70);
    let found = texts(&mut host);
    assert!(found.iter().any(|text| text.contains("tWP: WE# low 15.0 ns < 50.0 ns (mode 0)")));
    assert!(found.iter().all(|text| text.contains("(mode 0)")), "{found:#?}");
}

#[test]
fn the_die_changes_its_bounds_as_set_features_ends() {
    let mut host = host(1, sdr(0), PinOptions::default());
    host.select(DieIndex(0));
    host.command(0xEF);
    host.address(&[1]);
    host.data_in(&[4, 0, 0, 0]);
    assert_eq!(host.channel().target(DieIndex(0)).timing_mode(), sdr(0));
    host.wait_ready();
    host.set_mode(sdr(4));
    host.command(0x70);
    host.data_out(2);
    host.flush();
    assert_eq!(host.channel().target(DieIndex(0)).timing_mode(), sdr(4));
    assert_eq!(texts(&mut host), [""; 0]);
}

#[test]
fn write_protect_stays_while_the_array_works() {
    let mut host = host(1, sdr(0), PinOptions::default());
    host.select(DieIndex(0));
    host.command(0x10);
    host.idle(Picoseconds(500_000));
    host.write_protect(true);
    host.flush();
    let found = of(host.channel_mut(), Rule::T21);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].text, "tWW: WP# changed during an array operation");
}

#[test]
fn ready_busy_means_nothing_before_twb() {
    for mode in [sdr(0), sdr(5), nvddr(3)] {
        let mut host = host(1, mode, PinOptions::default());
        host.gaps_mut().set_max(Parameter::Wb, Picoseconds(60_000));
        host.select(DieIndex(0));
        host.command(0x10);
        assert!(host.wait_ready_selected(), "R/B# still seems to be high");
        host.command(0x70);
        host.flush();
        let found = of(host.channel_mut(), Rule::T26);
        assert_eq!(found.len(), 1, "{found:#?}");
        let needs = if mode == sdr(0) { "200.0 ns" } else { "100.0 ns" };
        let text = &found[0].text;
        assert!(text.ends_with(&format!("R/B# not valid until {needs}")), "{text}");
    }
}

#[test]
#[should_panic(expected = "time goes back")]
fn time_does_not_go_back() {
    let mut raw = selected(0);
    raw.after_ns(1, |_| {});
    raw.channel.step(Picoseconds(raw.now - 1), &raw.pins);
}
