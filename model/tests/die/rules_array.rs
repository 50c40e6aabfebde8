//! Rules R: what the cells bear.

use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex};
use floatgate_model::die::{Rule, Settings};

use crate::host::{Host, MLC, SLC, count, sound};

/// Programs a page and leaves the host at the confirm.
fn confirm(host: &mut Host, block: u32, page: u16, data: &[u8]) {
    let address = host.page_address(block, page);
    host.open(0x80, &address);
    host.data_in(data);
    host.command(0x10);
}

#[test]
fn r01_too_many_programs_of_a_page() {
    let mut host = Host::new(MLC);
    host.erase(1);
    host.program(1, 0, &[0xF0; 8]);
    host.quiet();
    confirm(&mut host, 1, 0, &[0x00; 8]);
    let breach = host.expect(Rule::R01, count(2), count(1));
    assert_eq!(breach.text, "NOP: program 2 of 1 to page 0");
    // Four times is the limit of the SLC part.
    let mut host = Host::new(SLC);
    host.erase(1);
    for data in [0xFE, 0xFC, 0xF8, 0xF0] {
        assert_eq!(host.program(1, 0, &[data]), 0xE0);
    }
    host.quiet();
    confirm(&mut host, 1, 0, &[0xE0]);
    host.expect(Rule::R01, count(5), count(4));
}

#[test]
fn r02_pages_out_of_order() {
    let mut host = Host::new(MLC);
    host.erase(1);
    confirm(&mut host, 1, 1, &[0]);
    host.expect_text(Rule::R02, "ORDER: page 1 first");
    let mut host = Host::new(MLC);
    host.erase(1);
    for page in 0..6 {
        host.program(1, page, &[0]);
    }
    host.quiet();
    confirm(&mut host, 1, 7, &[0]);
    let breach = host.expect(Rule::R02, count(7), count(6));
    assert_eq!(breach.text, "ORDER: page 7 after 5");
    host.wait();
    host.status();
    confirm(&mut host, 1, 6, &[0]);
    host.expect_text(Rule::R02, "ORDER: page 6 after 7");
}

#[test]
fn r03_blocks_that_were_never_erased() {
    let mut host = Host::new(SLC);
    confirm(&mut host, 1, 0, &[0]);
    host.expect_text(Rule::R03, "UNERASED: block 1 not erased");
    let mut host = Host::with(SLC, Settings { factory_erased: true, ..sound() });
    confirm(&mut host, 1, 0, &[0]);
    host.quiet();
}

#[test]
fn r04_bits_that_cannot_rise() {
    let mut host = Host::new(SLC);
    host.erase(1);
    host.program(1, 0, &[0b1111_0000, 0xFF]);
    host.quiet();
    // Bytes that are not loaded do not count, nor does what is 0 in both.
    confirm(&mut host, 1, 0, &[0b0011_0011]);
    host.expect(Rule::R04, count(2), count(0));
    host.wait();
    host.status();
    assert_eq!(host.read(1, 0, 2), [0b0011_0000, 0xFF], "a program clears bits and sets none");
}

#[test]
fn r05_write_protection() {
    let mut host = Host::new(SLC);
    host.erase(1);
    let at = host.at();
    host.target.set_write_protect(at, true);
    confirm(&mut host, 1, 0, &[0]);
    host.expect(Rule::R05, None, None);
    assert!(host.target.is_ready(host.at()));
    assert_eq!(host.status(), 0x60, "SR7 is 0");
    let row = host.row(0, 1, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    host.expect_text(Rule::R05, "WP: erase ignored, SR7 = 0");
    assert_eq!(host.read(1, 0, 1), [0xFF]);
}

#[test]
fn r06_factory_bad_blocks() {
    let mut host = Host::with(SLC, Settings::default());
    let bad = host.target.factory_bad_blocks(LunIndex(0));
    assert_eq!(bad.len(), 10);
    assert!(!bad.contains(&BlockIndex(0)), "block 0 is good");
    let bad = bad[0].0;
    assert_eq!(host.read(bad, 0, 2049)[2048], 0x00, "marked in the first spare byte");
    let row = host.row(0, bad, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    let breach = host.expect(Rule::R06, None, None);
    assert_eq!(breach.text, format!("BADBLOCK: erase of marked block {bad}"));
    host.wait();
    assert_eq!(host.status(), 0xE1, "it fails");
    confirm(&mut host, bad, 0, &[0]);
    host.expect(Rule::R06, None, None);
    host.wait();
    assert_eq!(host.status(), 0xE1);
    assert_eq!(host.read(bad, 63, 2049)[2048], 0x00, "the mark stays");
}

#[test]
fn r08_erases_beyond_the_endurance() {
    let mut host = Host::new(MLC);
    host.target.set_cycles(LunIndex(0), BlockIndex(1), 2999);
    host.erase(1);
    host.quiet();
    let row = host.row(0, 1, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    let breach = host.expect(Rule::R08, count(3001), count(3000));
    assert_eq!(breach.text, "WEAR: block erase 3001 > 3000");
}

#[test]
fn r09_a_cut_upper_page_spoils_its_lower_one() {
    let mut host = Host::with(MLC, sound());
    host.erase(1);
    for page in 0..4 {
        host.program(1, page, &[0x5A; 8936]);
    }
    let lower = host.target.stored(LunIndex(0), BlockIndex(1), PageIndex(1));
    confirm(&mut host, 1, 4, &[0xA5; 8936]);
    host.skip_us(500.0);
    host.target.power_cut(host.at());
    let breach = host.expect_text(Rule::R09, "PAIR-RISK: page 1 at risk from cut page 4");
    assert_eq!(breach.lun, Some(LunIndex(0)));
    let spoilt = host.target.stored(LunIndex(0), BlockIndex(1), PageIndex(1));
    assert_ne!(lower, spoilt);
    let next = host.target.stored(LunIndex(0), BlockIndex(1), PageIndex(3));
    assert_eq!(next, lower, "page 3 is on other cells");
}

#[test]
fn r10_reads_that_disturb() {
    let mut host = Host::changed(SLC, |part| part.cells.read_disturb_limit = 5);
    host.erase(1);
    for _ in 0..5 {
        host.read(1, 0, 1);
    }
    host.quiet();
    let address = host.page_address(1, 0);
    host.open(0x00, &address);
    host.command(0x30);
    host.expect(Rule::R10, count(6), count(5));
}

#[test]
fn r11_pages_that_were_cut() {
    let mut host = Host::new(SLC);
    host.erase(1);
    confirm(&mut host, 1, 0, &[0; 2112]);
    host.skip_us(100.0);
    host.command(0xFF);
    let begun = host.at_ps;
    host.wait();
    assert_eq!(host.at_ps - begun, 10_000_000 + 200_000, "tRST of a programming LUN");
    host.quiet();
    let address = host.page_address(1, 0);
    host.open(0x00, &address);
    host.command(0x30);
    host.expect_text(Rule::R11, "ABORTED: page 0 of block 1 was cut, reads undefined");
    host.wait();
    let page = host.take(2112);
    let ones: u32 = page.iter().map(|byte| byte.count_ones()).sum();
    assert!((6000..11_000).contains(&ones), "half done: {ones}");
    confirm(&mut host, 1, 0, &[0]);
    host.expect_text(Rule::R11, "ABORTED: page 0 of block 1 was cut, and is programmed again");
    host.wait();
    host.status();
    // After a cut erase there is no erased block.
    let row = host.row(0, 1, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    host.skip_us(300.0);
    host.command(0xFF);
    let begun = host.at_ps;
    host.wait();
    assert_eq!(host.at_ps - begun, 500_000_000 + 200_000, "tRST of an erasing LUN");
    assert!(!host.target.block(LunIndex(0), BlockIndex(1)).erased);
    confirm(&mut host, 1, 0, &[0]);
    host.expect(Rule::R03, None, None);
}
