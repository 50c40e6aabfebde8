//! Rules I, as far as cycles show them: interfaces and modes.

use floatgate_model::die::{Interface, Rule, TimingMode};

use crate::host::{Host, MLC, SLC, count};

#[test]
fn i01_modes_that_the_part_lacks() {
    let mut host = Host::new(SLC);
    host.set_features(0x01, 4);
    host.quiet();
    assert_eq!(host.target.interface(), (Interface::Sdr, TimingMode(4)));
    host.open(0xEF, &[0x01]);
    host.data_in(&[5, 0, 0, 0]);
    let breach = host.expect(Rule::I01, count(5), count(4));
    assert_eq!(breach.text, "MODE-UNSUP: SDR mode 5 not offered");
    assert_eq!(host.target.interface(), (Interface::Sdr, TimingMode(4)));
    host.wait();
    host.open(0xEE, &[0x01]);
    host.wait();
    assert_eq!(host.take(4), [4, 0, 0, 0], "what was refused is not kept");
    host.quiet();
}

#[test]
fn i02_cycles_of_the_other_interface() {
    let mut host = Host::new(MLC);
    host.target.seen_on(host.at(), Interface::Sdr);
    host.quiet();
    host.set_features(0x01, 0x13);
    assert_eq!(host.target.interface(), (Interface::NvDdr, TimingMode(3)));
    host.target.seen_on(host.at(), Interface::Sdr);
    let breach = host.expect(Rule::I02, None, None);
    assert_eq!(breach.text, "IFACE: SDR cycle in NV-DDR");
}

#[test]
fn i17_nv_ddr_cycles_after_ffh() {
    let mut host = Host::new(MLC);
    host.set_features(0x01, 0x15);
    host.command(0xFC);
    host.wait();
    assert_eq!(host.target.interface(), (Interface::NvDdr, TimingMode(5)), "FCh keeps it");
    host.command(0xFF);
    assert_eq!(host.target.interface(), (Interface::Sdr, TimingMode(0)));
    host.wait();
    host.target.seen_on(host.at(), Interface::NvDdr);
    let breach = host.expect(Rule::I17, None, None);
    assert_eq!(breach.text, "IFACE-FF: NV-DDR cycle after FFh");
    host.target.seen_on(host.at(), Interface::Sdr);
    host.quiet();
}

#[test]
fn i20_interfaces_that_are_absent() {
    let mut host = Host::new(SLC);
    host.open(0xEF, &[0x01]);
    host.data_in(&[0x10, 0, 0, 0]);
    host.expect_text(Rule::I20, "MODE-UNSUP: interface 1 not offered");
    let mut host = Host::new(MLC);
    host.open(0xEF, &[0x01]);
    host.data_in(&[0x20, 0, 0, 0]);
    host.expect(Rule::I20, count(2), count(1));
    assert_eq!(host.target.interface(), (Interface::Sdr, TimingMode(0)));
}

#[test]
fn bytes_go_twice_in_nv_ddr() {
    let mut host = Host::new(MLC);
    host.open(0x90, &[0]);
    assert!(!host.target.bytes_are_doubled());
    host.set_features(0x01, 0x10);
    host.open(0x90, &[0]);
    assert!(host.target.bytes_are_doubled(), "ID");
    host.status();
    assert!(host.target.bytes_are_doubled(), "status");
    host.open(0xEF, &[0x10]);
    assert!(host.target.bytes_are_doubled(), "features in");
    host.data_in(&[0; 4]);
    host.wait();
    host.open(0xEE, &[0x10]);
    assert!(host.target.bytes_are_doubled(), "features out");
    host.wait();
    host.read(1, 0, 2);
    assert!(!host.target.bytes_are_doubled(), "array data");
    host.quiet();
}
