//! Rules S: what a LUN's state lets a host do.

use floatgate_hal::flash::address::LunIndex;
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Fault, Rule, Settings};

use crate::host::{Host, MLC, SLC, T_WB_PS, sound, time_ns};

/// A read of LUN 0 that has begun.
fn reading(host: &mut Host) {
    let address = host.page_address(1, 0);
    host.open(0x00, &address);
    host.command(0x30);
}

/// A program of LUN 0 that has begun, with this confirm.
fn programming(host: &mut Host, block: u32, confirm: u8) {
    let address = host.page_address(block, 0);
    host.open(0x80, &address);
    host.data_in(&[0x55; 16]);
    host.command(confirm);
}

#[test]
fn s01_data_out_during_t_r() {
    let mut host = Host::new(SLC);
    reading(&mut host);
    // tWB, then 25 us.
    host.cycle_ps = 0;
    host.at_ps += T_WB_PS + 25_000_000 - 1;
    assert!(host.take(1).is_empty());
    host.expect(Rule::S01, time_ns(24_999.999), time_ns(25_000.0));
    host.at_ps += 1;
    assert_eq!(host.take(1).len(), 1, "at the bound there are data");
    host.quiet();
}

#[test]
fn s02_commands_to_a_busy_lun() {
    let mut host = Host::new(SLC);
    host.erase(1);
    programming(&mut host, 1, 0x10);
    host.skip_us(50.0);
    host.command(0x00);
    let breach = host.expect(Rule::S02, time_ns(49_900.0), time_ns(200_000.0));
    assert_eq!(breach.lun, Some(LunIndex(0)));
    host.address(&[0; 5]);
    host.command(0x30);
    host.quiet();
    // Status and reset are legal.
    assert_eq!(host.status(), 0x80);
    host.command(0xFF);
    host.quiet();
}

#[test]
fn the_other_lun_is_free() {
    let mut host = Host::new(MLC);
    reading(&mut host);
    let (free, busy) = (host.address_of(1, 1, 0, 0), host.page_address(2, 0));
    // Which LUN is meant shows with the last address cycle.
    host.open(0x00, &busy[..4]);
    host.quiet();
    host.address(&busy[4..]);
    host.expect_text(Rule::S02, "BUSY: 00h to LUN 0 in tR");
    host.open(0x00, &free);
    host.command(0x30);
    host.quiet();
    // With all of them busy it does not matter.
    host.command(0x00);
    host.expect_text(Rule::S02, "BUSY: 00h");
}

#[test]
fn s03_cache_data_before_the_register_is_free() {
    let mut host = Host::new(SLC);
    host.erase(1);
    programming(&mut host, 1, 0x15);
    host.skip_us(1.0);
    host.command(0x80);
    host.expect(Rule::S03, time_ns(900.0), time_ns(3_000.0));
    host.wait();
    host.command(0x80);
    host.quiet();
}

#[test]
fn s04_a_job_while_a_cache_read_works() {
    let mut host = Host::new(SLC);
    reading(&mut host);
    host.wait();
    host.command(0x31);
    host.wait();
    assert_eq!(host.status(), 0xC0);
    let address = host.page_address(2, 0);
    host.open(0x80, &address);
    host.expect_text(Rule::S04, "ARRAY-BUSY: 80h while SR5 = 0");
    host.command(0x10);
    host.open(0x00, &address);
    host.command(0x30);
    host.expect(Rule::S04, None, None);
}

#[test]
fn s05_results_that_nobody_reads() {
    let mut host = Host::new(SLC);
    let row = host.row(0, 1, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    host.wait();
    programming(&mut host, 1, 0x10);
    host.expect(Rule::S05, None, None);
}

#[test]
fn s06_a_result_read_while_busy() {
    let mut host = Host::new(SLC);
    let row = host.row(0, 1, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    host.skip_us(10.0);
    assert_eq!(host.status(), 0x80);
    host.wait();
    host.quiet();
    programming(&mut host, 1, 0x10);
    host.expect_text(Rule::S06, "STATUS-INVALID: SR0 used while SR6 = 0");
}

#[test]
fn s07_70h_after_work_of_two_luns() {
    let mut host = Host::new(MLC);
    reading(&mut host);
    let address = host.address_of(1, 1, 0, 0);
    host.open(0x00, &address);
    host.command(0x30);
    host.skip_us(1.0);
    host.command(0x70);
    host.expect(Rule::S07, None, None);
    host.wait();
    assert_eq!(host.status_of(0, 1), 0xE0);
    assert_eq!(host.status_of(1, 1), 0xE0);
    host.quiet();
    host.command(0x70);
    host.expect_text(Rule::S07, "70H-MULTILUN: 70h after interleaved work");
    // Work of one LUN alone ends it.
    host.erase(5);
    host.quiet();
}

#[test]
fn s09_a_fixed_wait_that_is_too_short() {
    let mut host = Host::new(SLC);
    reading(&mut host);
    host.skip_us(20.0);
    host.take(1);
    host.expect_text(Rule::S01, "EARLY-OUT: RE# 19.9 us into tR of 25 us");
    host.wait();
    host.erase(1);
    programming(&mut host, 1, 0x10);
    host.skip_us(100.0);
    host.command(0x80);
    host.expect_text(Rule::S02, "tPROG (99.9 us of 200 us)");
}

#[test]
fn s10_a_poll_without_end() {
    let stuck = Fault::StaysBusy { lun: LunIndex(0), at: Picoseconds(0) };
    let mut host = Host::with(SLC, Settings { faults: vec![stuck], ..sound() });
    let row = host.row(0, 1, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    let begun = host.at_ps;
    assert_eq!(host.target.next_change(Picoseconds(host.at_ps + 200_000)), None);
    // tBERS is 3 ms at most; twice that may be waited.
    host.at_ps = begun + 200_000 + 6_000_000_000 - 200_000;
    assert_eq!(host.status(), 0x80);
    host.quiet();
    assert_eq!(host.take(1), [0x80]);
    let breach = host.expect(Rule::S10, time_ns(6_000_100.0), time_ns(6_000_000.0));
    assert_eq!(breach.text, "HANG: waiting 3000.1 us past tBERS max");
    // A reset helps.
    host.command(0xFF);
    host.wait();
    assert_eq!(host.erase(1), 0xE0);
}

#[test]
fn s11_a_command_during_t_itc() {
    let mut host = Host::new(SLC);
    host.open(0xEF, &[0x01]);
    host.data_in(&[4, 0, 0, 0]);
    host.at_ps += 200_000 + 300_000 - 100_000;
    host.command(0xEE);
    host.expect(Rule::S11, time_ns(300.0), time_ns(1_000.0));
    host.address(&[0x01]);
    host.quiet();
}

#[test]
fn s12_a_command_during_t_rst() {
    let mut host = Host::new(SLC);
    host.command(0xFF);
    host.skip_us(2.0);
    host.command(0x90);
    host.expect(Rule::S12, time_ns(1_900.0), time_ns(5_000.0));
}

#[test]
fn r13_an_erase_inside_a_cache_read() {
    let mut host = Host::new(SLC);
    reading(&mut host);
    host.wait();
    host.command(0x31);
    host.wait();
    let row = host.row(0, 1, 0);
    host.open(0x60, &row);
    host.expect_text(Rule::R13, "CACHE: 60h with cache read open");
}
