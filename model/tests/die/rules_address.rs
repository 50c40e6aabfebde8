//! Rules A: addresses.

use floatgate_model::die::Rule;

use crate::host::{Host, MLC, SLC, count};

#[test]
fn a01_too_few_address_cycles() {
    let mut host = Host::new(SLC);
    host.open(0x80, &[0, 0, 0, 0]);
    host.command(0x10);
    host.expect(Rule::A01, count(4), count(5));
    host.open(0x80, &[0, 0, 0, 0]);
    host.data_in(&[0]);
    host.expect(Rule::A01, count(4), count(5));
    host.command(0x10);
    host.quiet();
    assert!(host.target.is_ready(host.at()), "the sequence is dropped");
    host.open(0x60, &[0, 0]);
    host.command(0xD0);
    host.expect(Rule::A01, count(2), count(3));
    host.open(0x05, &[0]);
    host.command(0xE0);
    host.expect(Rule::A01, count(1), count(2));
    // An 85h inside a page that is being loaded.
    let address = host.page_address(1, 0);
    host.open(0x80, &address);
    host.open(0x85, &[0]);
    host.data_in(&[0]);
    host.expect(Rule::A01, count(1), count(2));
}

#[test]
fn a02_too_many_address_cycles() {
    let mut host = Host::new(SLC);
    host.open(0x00, &[0; 6]);
    host.expect(Rule::A02, count(6), count(5));
    host.command(0x30);
    host.quiet();
    assert!(host.target.is_ready(host.at()), "the sequence is dropped");
    host.address(&[0]);
    host.expect(Rule::A02, count(1), count(0));
}

#[test]
fn a03_columns_past_the_register() {
    let mut host = Host::new(MLC);
    let last = host.address_of(0, 1, 0, 8935);
    host.open(0x00, &last);
    host.command(0x30);
    host.wait();
    assert_eq!(host.take(1).len(), 1);
    host.quiet();
    let past = host.address_of(0, 1, 0, 8936);
    host.open(0x00, &past);
    let breach = host.expect(Rule::A03, count(8936), count(8936));
    assert_eq!(breach.text, "COL-RANGE: column 8936 >= 8936");
    host.command(0x30);
    host.open(0x05, &8936u16.to_le_bytes());
    host.expect(Rule::A03, count(8936), count(8936));
}

#[test]
fn a04_blocks_past_the_lun() {
    let mut host = Host::changed(SLC, |part| part.layout.blocks_per_lun = 2000);
    let (last, past) = (host.row(0, 1999, 0), host.row(0, 2000, 0));
    host.open(0x60, &last);
    host.command(0xD0);
    host.wait();
    host.quiet();
    host.open(0x60, &past);
    host.expect(Rule::A04, count(2000), count(2000));
    host.command(0xD0);
    assert!(host.target.is_ready(host.at()), "the sequence is dropped");
}

#[test]
fn a05_luns_that_are_absent() {
    let mut host = Host::new(MLC);
    let there = host.row(1, 5, 0);
    host.open(0x78, &there);
    host.quiet();
    let absent = host.row(2, 5, 0);
    host.open(0x78, &absent);
    let breach = host.expect(Rule::A05, count(2), count(2));
    assert_eq!(breach.text, "LUN-RANGE: LUN 2 not present");
}

#[test]
fn a06_pages_past_the_block() {
    let mut host = Host::new("ut81ndq512g8t");
    let (last, past) = (host.page_address(1, 2303), host.page_address(1, 2304));
    host.open(0x00, &last);
    host.command(0x30);
    host.wait();
    host.quiet();
    host.open(0x00, &past);
    host.expect(Rule::A06, count(2304), count(2304));
}

#[test]
fn a07_unused_address_bits() {
    let mut host = Host::new(SLC);
    host.open(0x60, &[0x40, 0, 0x80]);
    host.expect_text(Rule::A07, "ADDR-PAD: bit 23 set");
}

#[test]
fn a08_page_bits_of_an_erase() {
    let mut host = Host::new(SLC);
    let row = host.row(0, 1, 5);
    host.open(0x60, &row);
    host.expect_text(Rule::A08, "ERASE-PAGEBITS: page field 5 in erase row");
}

#[test]
fn a09_odd_columns_in_nv_ddr() {
    let mut host = Host::new(MLC);
    let odd = host.address_of(0, 1, 0, 4097);
    host.open(0x00, &odd);
    host.command(0x30);
    host.wait();
    host.quiet();
    host.set_features(0x01, 0x15);
    host.open(0x00, &odd);
    let breach = host.expect(Rule::A09, count(4097), count(4096));
    assert_eq!(breach.text, "COL-ODD: column 4097 in NV-DDR");
}

#[test]
fn a10_data_past_the_register() {
    let mut host = Host::new(MLC);
    host.erase(1);
    let address = host.page_address(1, 0);
    host.open(0x80, &address);
    host.data_in(&[0; 8936]);
    host.quiet();
    host.data_in(&[0]);
    let breach = host.expect(Rule::A10, count(8937), count(8936));
    assert_eq!(breach.text, "OVERRUN: byte 8937 of 8936");
    host.data_in(&[0]);
    host.quiet();
    host.command(0xFF);
    host.wait();
    assert_eq!(host.read(1, 0, 8936).len(), 8936);
    host.quiet();
    assert!(host.take(1).is_empty());
    host.expect(Rule::A10, count(8937), count(8936));
}
