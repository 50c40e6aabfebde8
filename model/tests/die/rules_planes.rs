//! Rules M: planes and LUNs.

use floatgate_hal::flash::address::LunIndex;
use floatgate_model::die::Rule;

use crate::host::{Host, MLC, SLC, T_WB_PS, count, time_ns};

/// Opens a page of a LUN, loads it and ends with `confirm`.
fn load(host: &mut Host, lun: u8, block: u32, page: u16, confirm: u8) {
    let address = host.address_of(lun, block, page, 0);
    host.open(0x80, &address);
    host.data_in(&[0x11; 4]);
    host.command(confirm);
}

fn read(host: &mut Host, lun: u8, block: u32, page: u16, confirm: u8) {
    let address = host.address_of(lun, block, page, 0);
    host.open(0x00, &address);
    host.command(confirm);
}

#[test]
fn m01_a_plane_twice() {
    let mut host = Host::new(MLC);
    host.erase(2);
    load(&mut host, 0, 2, 0, 0x11);
    host.wait();
    host.quiet();
    let address = host.page_address(4, 0);
    host.open(0x80, &address);
    let breach = host.expect(Rule::M01, None, None);
    assert_eq!(breach.text, "MP-PLANE: plane 0 queued twice");
}

#[test]
fn m02_pages_that_differ() {
    let mut host = Host::new(MLC);
    load(&mut host, 0, 2, 4, 0x11);
    host.wait();
    let address = host.page_address(3, 5);
    host.open(0x80, &address);
    let breach = host.expect(Rule::M02, count(5), count(4));
    assert_eq!(breach.text, "MP-PAGE: page 4 and page 5");
}

#[test]
fn m03_blocks_that_have_to_match() {
    let mut host = Host::changed(MLC, |part| part.parameter_page.multi_plane_attributes &= !2);
    let (match_, other) = (host.page_address(3, 0), host.page_address(5, 0));
    load(&mut host, 0, 2, 0, 0x11);
    host.wait();
    host.open(0x80, &match_);
    host.quiet();
    host.command(0xFF);
    host.wait();
    load(&mut host, 0, 2, 0, 0x11);
    host.wait();
    host.open(0x80, &other);
    host.expect_text(Rule::M03, "MP-BLOCK: blocks must match");
}

#[test]
fn m04_luns_that_differ() {
    let mut host = Host::new(MLC);
    load(&mut host, 0, 2, 0, 0x11);
    host.wait();
    let address = host.address_of(1, 3, 0, 0);
    host.open(0x80, &address);
    let breach = host.expect(Rule::M04, None, None);
    assert_eq!(breach.text, "MP-LUN: LUN 0 and LUN 1");
}

/// An 85h with a row moves the data of an open page within its LUN only.
#[test]
fn m04_a_row_change_to_another_lun() {
    let mut host = Host::new(MLC);
    let (open, other) = (host.page_address(2, 0), host.address_of(1, 2, 0, 0));
    host.open(0x80, &open);
    host.data_in(&[1]);
    host.open(0x85, &other);
    host.data_in(&[2]);
    host.expect_text(Rule::M04, "MP-LUN: LUN 0 and LUN 1");
    host.command(0x10);
    host.quiet();
    assert!(host.target.is_ready(host.at()), "the sequence is dropped");
}

#[test]
fn m05_the_next_plane_too_early() {
    let mut host = Host::new(MLC);
    load(&mut host, 0, 2, 0, 0x11);
    host.at_ps += T_WB_PS;
    host.cycle_ps = 20_000;
    let address = host.page_address(3, 0);
    // Which LUN is meant shows with the last address cycle.
    host.open(0x80, &address[..4]);
    host.quiet();
    host.address(&address[4..]);
    host.expect(Rule::M05, time_ns(120.0), time_ns(500.0));
    // At the end of the busy time it is taken.
    let mut host = Host::new(MLC);
    load(&mut host, 0, 2, 0, 0x11);
    host.cycle_ps = 0;
    host.at_ps += T_WB_PS + 500_000;
    host.open(0x80, &address);
    host.quiet();
}

#[test]
fn m06_planes_that_are_left_open() {
    for (open, first) in [(0x11, 0x60), (0x11, 0xEE), (0x32, 0x60)] {
        let mut host = Host::new(MLC);
        match open {
            0x11 => load(&mut host, 0, 2, 0, open),
            _ => read(&mut host, 0, 2, 0, open),
        }
        host.wait();
        host.quiet();
        host.command(first);
        if first == 0x60 {
            let row = host.row(0, 5, 0);
            host.address(&row);
        }
        host.expect_text(Rule::M06, "MP-OPEN:");
    }
}

#[test]
fn m08_whose_data_are_wanted() {
    // Read data of LUN 0, and then an erase of LUN 1, which leaves registers alone.
    let mut host = Host::new(MLC);
    read(&mut host, 0, 1, 0, 0x30);
    host.wait();
    let row = host.row(1, 1, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    host.skip_us(2.0);
    assert!(host.take(1).is_empty());
    host.expect_text(Rule::M08, "LUN-SEL: output LUN not chosen");
    assert_eq!(host.status_of(0, 1), 0xE0);
    host.command(0x00);
    assert_eq!(host.take(1), [0xFF]);
    host.quiet();
}

#[test]
fn m09_two_luns_that_both_drive() {
    let mut host = Host::new(MLC);
    for lun in 0..2 {
        read(&mut host, lun, 1, 0, 0x30);
    }
    host.wait();
    let first = host.target.fork();
    host.take(1);
    let breach = host.expect(Rule::M09, None, None);
    assert_eq!(breach.text, "CONTENTION: LUN 0 and 1 both drive");
    // Chosen one after the other they do not.
    host.target = first;
    for lun in [0, 1] {
        let address = host.address_of(lun, 1, 0, 0);
        host.open(0x06, &address);
        host.command(0xE0);
        assert_eq!(host.take(1), [0xFF]);
    }
    host.quiet();
}

#[test]
fn m10_target_commands_want_all_luns_idle() {
    for first in [0x90, 0xEC, 0xED, 0xEE, 0xEF] {
        let mut host = Host::new(MLC);
        read(&mut host, 1, 1, 0, 0x30);
        host.skip_us(1.0);
        host.command(first);
        let breach = host.expect(Rule::M10, None, None);
        assert_eq!(breach.text, format!("TARGET-BUSY: {first:02X}h while LUN 1 busy"));
    }
}

#[test]
fn m11_reads_and_programs_mixed() {
    let mut host = Host::new(MLC);
    read(&mut host, 0, 2, 0, 0x32);
    host.wait();
    let address = host.page_address(3, 0);
    host.open(0x80, &address);
    host.expect_text(Rule::M11, "MP-MIX: 32h then 80h");
}

#[test]
fn m12_80h_clears_the_registers_of_other_luns() {
    let mut host = Host::new(MLC);
    read(&mut host, 0, 2, 0, 0x35);
    host.wait();
    let address = host.address_of(1, 2, 0, 0);
    host.open(0x80, &address);
    let breach = host.expect(Rule::M12, None, None);
    assert_eq!(breach.text, "DATA-LOST: 80h to LUN 1 cleared LUN 0 register");
    assert_eq!(breach.lun, Some(LunIndex(0)));
    // Data that were read and not taken are lost as well; that shows when they are wanted.
    let mut host = Host::new(MLC);
    host.erase(2);
    host.program(2, 0, &[0x5A; 4]);
    read(&mut host, 0, 2, 0, 0x30);
    host.wait();
    let address = host.address_of(1, 2, 0, 0);
    host.open(0x80, &address);
    host.command(0xFA);
    let row = host.row(1, 0, 0);
    host.address(&row);
    host.wait();
    host.quiet();
    assert_eq!(host.status_of(0, 2), 0xE0);
    let address = host.page_address(2, 0);
    host.open(0x06, &address);
    host.command(0xE0);
    assert_eq!(host.take(4), [0xFF; 4]);
    host.expect_text(Rule::M12, "before it was read");
}

#[test]
fn one_lun_needs_no_choice() {
    let mut host = Host::new(SLC);
    host.read(1, 0, 1);
    host.read(2, 0, 1);
    host.quiet();
}
