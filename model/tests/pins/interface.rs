//! NV-DDR at the pins: changes of interface, the clock, bursts and their strobes.

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Cycle, Rule};
use floatgate_model::pins::{Level, Octet, Parameter, PinDriver, PinOptions};

use crate::plain::{Plain, host, nvddr, sdr, texts};
use crate::raw::{Raw, of, text};

/// A selected target in NV-DDR mode 0, CLK just risen.
fn clocked() -> PinDriver<Plain> {
    let mut host = host(1, nvddr(0), PinOptions::default());
    host.select(DieIndex(0));
    host.idle(Picoseconds(400_000));
    host
}

fn raw() -> Raw<Plain> {
    Raw::after(&mut clocked())
}

fn set_nvddr(host: &mut PinDriver<Plain>) {
    host.select(DieIndex(0));
    host.command(0xEF);
    host.address(&[1]);
    host.data_in(&[0x10, 0, 0, 0]);
}

#[test]
fn the_interface_changes_with_chip_enable_high() {
    let mut host = host(1, sdr(0), PinOptions::default());
    set_nvddr(&mut host);
    host.deselect();
    host.wait_ready();
    host.set_mode(nvddr(0));
    host.select(DieIndex(0));
    host.command(0xEE);
    host.address(&[1]);
    host.wait_ready();
    assert_eq!(host.data_out(4).len(), 4);
    assert_eq!(texts(&mut host), [""; 0]);
    assert_eq!(host.channel().target(DieIndex(0)).timing_mode(), nvddr(0));
}

#[test]
fn chip_enable_low_across_the_change_is_told() {
    let mut host = host(1, sdr(0), PinOptions::default());
    set_nvddr(&mut host);
    host.wait_ready_selected();
    host.deselect();
    let found = of(host.channel_mut(), Rule::I03);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].text, "IFACE-CE: CE# low across the change of interface");
}

#[test]
fn sdr_cycles_in_nvddr_are_told() {
    // A sequence of commands and addresses without a clock.
    let mut raw = raw();
    raw.after_ns(300, |pins| pins.ce_n[0] = Level::High);
    raw.after_ns(300, |pins| pins.ce_n[0] = Level::Low);
    raw.channel.drain_diagnostics();
    raw.write(Level::High, Level::Low, Octet::driving(0x90));
    raw.write(Level::Low, Level::High, Octet::driving(0x00));
    let expected = "IFACE: command or address with CLK still, an SDR cycle in NV-DDR";
    assert_eq!(text(&mut raw, Rule::I02), expected);
    // A status read with RE#.
    let mut raw = self::raw();
    raw.write(Level::High, Level::Low, Octet::driving(0x70));
    raw.after_ns(500, |pins| pins.re_n = Level::Low);
    let found = raw.of(Rule::I02);
    assert!(found[0].text.starts_with("IFACE: "), "{found:#?}");
}

#[test]
fn nvddr_cycles_in_sdr_are_told() {
    let mut host = host(1, sdr(0), PinOptions::default());
    host.set_mode(nvddr(0));
    host.select(DieIndex(0));
    host.idle(Picoseconds(300_000));
    let found = of(host.channel_mut(), Rule::I02);
    assert_eq!(found.len(), 1, "{found:#?}");
    let expected = "IFACE: WE# toggles with DQ let go, an NV-DDR clock in SDR";
    assert_eq!(found[0].text, expected);
    let mut host = self::host(1, sdr(0), PinOptions::default());
    host.select(DieIndex(0));
    host.idle(Picoseconds(300_000));
    let mut raw = Raw::after(&mut host);
    raw.after_ns(50, |pins| pins.dqs = Level::Low);
    raw.after_ns(50, |pins| pins.dqs = Level::High);
    let expected = "IFACE: DQS toggles in SDR, an NV-DDR cycle";
    assert_eq!(text(&mut raw, Rule::I02), expected);
}

#[test]
fn a_reset_ends_nvddr_for_the_host_too() {
    let mut host = clocked();
    host.command(0xFF);
    host.deselect();
    host.wait_ready();
    assert_eq!(texts(&mut host), [""; 0]);
    assert_eq!(host.channel().target(DieIndex(0)).timing_mode(), sdr(0));
    let mut wrong = host.clone();
    wrong.select(DieIndex(0));
    wrong.idle(Picoseconds(500_000));
    let found = of(wrong.channel_mut(), Rule::I17);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].text.starts_with("IFACE-FF: "), "{found:#?}");
    assert!(found[0].text.ends_with(" after FFh"), "{found:#?}");
    host.set_mode(sdr(0));
    host.select(DieIndex(0));
    host.command(0x70);
    host.data_out(1);
    assert_eq!(texts(&mut host), [""; 0]);
}

#[test]
fn the_clock_may_not_stop_while_a_die_is_selected() {
    let mut raw = raw();
    raw.after_ns(25, |pins| pins.we_n = Level::Low);
    raw.after_ns(300, |pins| pins.we_n = Level::High);
    assert!(text(&mut raw, Rule::I05).starts_with("CLK-STOP: CLK still for "));
    let mut raw = self::raw();
    raw.after_ns(500, |pins| pins.ce_n[0] = Level::High);
    assert!(text(&mut raw, Rule::I05).starts_with("CLK-STOP: CLK still for "));
}

#[test]
fn the_clock_may_stop_in_data_in_where_the_part_says_so() {
    for may_stop in [false, true] {
        let options = PinOptions { clk_may_stop: may_stop, ..PinOptions::default() };
        let mut host = host(1, nvddr(0), options);
        host.select(DieIndex(0));
        host.command(0x80);
        host.address(&[0; 5]);
        host.idle(Picoseconds(600_000));
        let mut raw = Raw::after(&mut host);
        raw.channel.drain_diagnostics();
        raw.after_ns(25, |pins| pins.we_n = Level::Low);
        raw.after_ns(5, |pins| (pins.cle, pins.ale) = (Level::High, Level::High));
        raw.after_ns(20, |pins| pins.we_n = Level::High);
        raw.after_ns(25, |pins| pins.we_n = Level::Low);
        raw.after_ns(500, |pins| pins.we_n = Level::High);
        let found = raw.of(Rule::I05);
        assert_eq!(found.is_empty(), may_stop, "{found:#?}");
        let expected = "CLK-STOP: CLK still in data in for ";
        assert!(found.iter().all(|one| one.text.starts_with(expected)), "{found:#?}");
    }
}

#[test]
fn reserved_states_are_told() {
    let mut raw = raw();
    raw.after_ns(12, |pins| pins.re_n = Level::Low);
    raw.after_ns(13, |pins| pins.we_n = Level::Low);
    raw.after_ns(5, |pins| pins.cle = Level::High);
    raw.after_ns(20, |pins| pins.we_n = Level::High);
    let expected = "BUS: CLE or ALE alone with W/R# low is reserved";
    assert_eq!(text(&mut raw, Rule::P03), expected);
}

#[test]
fn bytes_come_in_pairs() {
    for count in [1, 3, 5] {
        let mut host = clocked();
        host.command(0x80);
        host.address(&[0; 5]);
        host.data_in(&vec![7; count]);
        host.command(0x10);
        host.flush();
        let found = of(host.channel_mut(), Rule::I08);
        assert_eq!(found.len(), 1, "{found:#?}");
        let expected = format!("ODD: {count} bytes in NV-DDR, {} for its clocks", count + 1);
        assert_eq!(found[0].text, expected);
    }
}

#[test]
fn a_strobe_outside_a_burst_is_stray() {
    let mut raw = raw();
    raw.after_ns(5, |pins| pins.dqs = Level::Low);
    raw.after_ns(5, |pins| pins.dqs = Level::High);
    assert_eq!(text(&mut raw, Rule::I15), "DQS-STRAY: DQS edge while idle");
}

#[test]
fn a_host_that_drives_as_it_gives_the_bus_away_is_told() {
    for (wire, set) in [
        ("DQS", (|pins| pins.dqs = Level::Low) as fn(&mut floatgate_model::pins::HostPins)),
        ("DQ", |pins| pins.dq = Octet::driving(0)),
    ] {
        let mut raw = raw();
        raw.after_ns(5, set);
        raw.after_ns(7, |pins| pins.re_n = Level::Low);
        let expected = format!("CONTENTION: {wire} driven by host as W/R# goes low");
        assert_eq!(text(&mut raw, Rule::I13), expected);
    }
}

#[test]
fn the_direction_waits_for_the_last_byte() {
    for mode in 0..=5 {
        for (missing, refused) in [(0, false), (1, true)] {
            let mut host = host(1, nvddr(mode), PinOptions::default());
            let period = host.gaps_mut().min(Parameter::Ck).unwrap().0;
            let clocks = (25_000 + period).div_ceil(period);
            let gap = Picoseconds((clocks - missing) * period);
            host.gaps_mut().set_min(Parameter::Ckwr, gap);
            host.select(DieIndex(0));
            host.command(0x90);
            host.address(&[0]);
            host.data_out(2);
            host.flush();
            let found = of(host.channel_mut(), Rule::I14);
            assert_eq!(!found.is_empty(), refused, "mode {mode}: {found:#?}");
            assert!(found.iter().all(|one| one.text.starts_with("tCKWR: ")), "{found:#?}");
        }
    }
}

#[test]
fn parameters_of_features_go_twice() {
    let mut host = clocked();
    host.command(0xEF);
    host.address(&[0x10]);
    host.data_in(&[1, 2, 3, 4]);
    assert_eq!(texts(&mut host), [""; 0]);
    let target = host.channel().target(DieIndex(0)).behind();
    let data: Vec<_> = target.cycles.iter().rev().take(4).rev().copied().collect();
    assert_eq!(data, [1, 2, 3, 4].map(Cycle::DataIn));
}

#[test]
fn parameters_that_do_not_go_twice_are_told() {
    let mut host = clocked();
    host.command(0xEF);
    host.address(&[0x10]);
    host.raw_data_in(&[1, 2, 0, 0, 0, 0, 0, 0]);
    host.flush();
    let found = of(host.channel_mut(), Rule::I16);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].text, "NODOUBLE: feature byte pair differs 01h/02h");
}

/// NV-DDR2 and NV-DDR3 are set like NV-DDR, with another number; a die of the model stays where it
/// is.
#[test]
fn other_interfaces_are_refused() {
    for interface in [2, 3] {
        let mut bench = crate::jobs::Bench::new(sdr(0));
        crate::jobs::power_up(&mut bench);
        bench.host.command(0xEF);
        bench.host.address(&[1]);
        bench.host.data_in(&[interface << 4, 0, 0, 0]);
        bench.host.wait_ready();
        let found = of(bench.host.channel_mut(), Rule::I20);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(bench.host.channel().target(DieIndex(0)).timing_mode(), sdr(0));
    }
}
