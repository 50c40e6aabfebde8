//! Rules of severity warning that a careful host never meets: each with what brings it about, and
//! with what keeps it away.

use floatgate_hal::flash::address::LunIndex;
use floatgate_model::die::{Fault, Rule, Settings, Severity};

use crate::host::{Host, MLC, SLC, count, sound};

/// A target whose checker says everything.
fn watched(name: &str) -> Host {
    Host::with(name, Settings { factory_bad_blocks: Some(0), ..Settings::default() })
}

/// A multi-plane read of blocks 2 and 3.
fn read_both_planes(host: &mut Host) {
    for (block, confirm) in [(2, 0x32), (3, 0x30)] {
        let address = host.page_address(block, 0);
        host.open(0x00, &address);
        host.command(confirm);
        host.wait();
    }
}

fn change_column(host: &mut Host, column: u16) {
    host.open(0x05, &column.to_le_bytes());
    host.command(0xE0);
}

#[test]
fn m07_a_column_change_that_leaves_the_plane_open() {
    let mut host = Host::new(MLC);
    read_both_planes(&mut host);
    change_column(&mut host, 16);
    let breach = host.expect(Rule::M07, None, None);
    assert_eq!(breach.severity, Severity::Warning);
    assert_eq!(breach.text, "MP-COL: 05-E0 cannot pick the plane");
    // Told once; and not where 06h-E0h has chosen a plane, nor after a read of one.
    change_column(&mut host, 32);
    host.quiet();
    read_both_planes(&mut host);
    let address = host.page_address(2, 0);
    host.open(0x06, &address);
    host.command(0xE0);
    change_column(&mut host, 16);
    host.read(2, 0, 1);
    change_column(&mut host, 16);
    host.quiet();
}

#[test]
fn s08_the_status_of_a_lun_that_has_nothing_to_tell() {
    let mut host = watched(MLC);
    host.erase_in(0, 2);
    let row = host.row(0, 2, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    host.skip_us(10.0);
    assert_eq!(host.status_of(1, 2) & 0x40, 0x40);
    let at = host.at_ps;
    host.at_ps -= host.cycle_ps; // told with the last address cycle, before the status goes out
    let breach = host.expect(Rule::S08, None, None);
    host.at_ps = at;
    assert_eq!(breach.severity, Severity::Warning);
    assert_eq!(breach.lun, Some(LunIndex(1)));
    assert_eq!(breach.text, "78H-LUN: status of idle LUN 1 read, LUN 0 pending");
    // The LUN that works, and afterwards either of them, may be asked.
    assert_eq!(host.status_of(0, 2) & 0x40, 0);
    host.wait();
    assert_eq!(host.status_of(0, 2), 0xE0);
    assert_eq!(host.status_of(1, 2), 0xE0);
    host.quiet();
}

#[test]
fn r07_a_bad_block_is_erased_before_its_mark_was_looked_for() {
    let mut host = Host::with(SLC, Settings::default());
    let bad = host.target.factory_bad_blocks(LunIndex(0))[0].0;
    let row = host.row(0, bad, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    let told = host.target.drain_diagnostics();
    let rules: Vec<Rule> = told.iter().map(|breach| breach.rule).collect();
    assert_eq!(rules, [Rule::R07, Rule::R06]);
    assert_eq!(told[0].severity, Severity::Warning);
    assert_eq!(told[0].text, format!("BADMARK-LOST: block {bad} never scanned"));
    host.wait();
    host.status();
    host.read(bad, 0, 1);
    host.open(0x60, &row);
    host.command(0xD0);
    host.expect(Rule::R06, None, None);
}

#[test]
fn r12_data_that_were_loaded_for_another_page() {
    let mut host = Host::new(MLC);
    host.erase(1);
    let (other, page) = (host.page_address(3, 7), host.page_address(1, 0));
    host.open(0x80, &other);
    host.data_in(&[0x5A; 512]);
    host.open(0x85, &page);
    host.command(0x10);
    let breach = host.expect(Rule::R12, None, None);
    assert_eq!(breach.severity, Severity::Warning);
    assert_eq!(breach.text, "REG-STALE: bytes 0-511 came from an earlier load");
    host.wait();
    host.status();
    // What is loaded anew is not stale; a hole of it is.
    let page = host.page_address(1, 1);
    for (count, stale) in [(500, true), (512, false)] {
        let mut host = host.clone();
        host.open(0x80, &other);
        host.data_in(&[0x5A; 512]);
        host.open(0x85, &page);
        host.data_in(&vec![0xA5; count]);
        host.command(0x10);
        if stale {
            host.expect_text(Rule::R12, "bytes 500-511");
        }
        host.quiet();
    }
}

#[test]
fn i19_a_mode_that_is_not_read_back() {
    let mut host = watched(SLC);
    host.set_features(1, 4);
    host.status();
    host.quiet();
    host.command(0x00);
    let breach = host.expect(Rule::I19, None, None);
    assert_eq!(breach.severity, Severity::Warning);
    assert_eq!(breach.text, "MODE-UNCHECKED: no Get Features after Set Features");
    // Told once; and not where Get Features comes first, nor for another feature.
    host.address(&[0; 5]);
    host.command(0x30);
    host.wait();
    host.set_features(1, 3);
    host.open(0xEE, &[1]);
    host.wait();
    assert_eq!(host.take(4), [3, 0, 0, 0]);
    host.set_features(0x10, 1);
    host.read(1, 0, 1);
    host.quiet();
}

#[test]
fn i23_a_parameter_page_whose_crc_is_wrong() {
    let faults = vec![Fault::SpoilsParameterPage { copies: 1 }];
    let mut host = Host::with(SLC, Settings { faults, ..sound() });
    let read_page = |host: &mut Host, bytes: usize| {
        host.open(0xEC, &[0]);
        host.wait();
        host.take(bytes)
    };
    let page = read_page(&mut host, 256);
    let copy = <&[u8; 256]>::try_from(&page[..]).unwrap();
    assert!(floatgate_model::die::parameter_page::check(copy).is_err());
    host.command(0x90);
    let breach = host.expect(Rule::I23, count(256), count(512));
    assert_eq!(breach.severity, Severity::Warning);
    assert_eq!(breach.text, "PP-CRC: host used a page whose CRC is wrong");
    // With the second copy, read on or jumped to, all is well.
    host.address(&[0]);
    read_page(&mut host, 512);
    host.command(0x90);
    host.address(&[0]);
    read_page(&mut host, 256);
    change_column(&mut host, 256);
    host.take(256);
    host.command(0x90);
    host.quiet();
}
