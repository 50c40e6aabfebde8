//! Rules P: the order of cycles.

use floatgate_model::die::part::OptionalCommand;
use floatgate_model::die::{Cycle, Rule, Settings};

use crate::host::{Host, MLC, SLC, count, opcode, sound, time_ns};

#[test]
fn p09_the_first_command_is_ffh() {
    let mut host = Host::raw(SLC, sound());
    host.wait();
    host.command(0x90);
    host.expect(Rule::P09, opcode(0x90), opcode(0xFF));
    host.address(&[0]);
    host.target.drain_diagnostics();
    assert!(host.take(1).is_empty(), "the command has no effect");
}

#[test]
fn p10_no_command_before_power_is_good() {
    let mut host = Host::raw(SLC, sound());
    host.skip_us(40.0);
    assert!(!host.target.is_ready(host.at()));
    host.command(0xFF);
    host.expect(Rule::P10, time_ns(40_100.0), time_ns(100_000.0));
    // At the bound it is taken.
    host.at_ps = 100_000_000 - 100_000;
    host.command(0xFF);
    host.quiet();
}

#[test]
fn p11_78h_waits_for_the_first_reset() {
    let mut host = Host::raw(MLC, sound());
    host.wait();
    host.command(0xFF);
    host.skip_us(10.0);
    host.command(0x78);
    host.expect(Rule::P11, time_ns(0.0), time_ns(1_000_000.0 + 200.0 - 10_100.0));
    host.wait();
    assert_eq!(host.status_of(0, 0), 0xE0);
    host.quiet();
}

#[test]
fn p12_unknown_opcodes() {
    let mut host = Host::new(SLC);
    host.command(0x91);
    host.expect_text(Rule::P12, "OPCODE: 91h not known to this die");
}

#[test]
fn p13_optional_commands_that_the_part_lacks() {
    let mut host = Host::changed(SLC, |part| {
        let lacks = [OptionalCommand::ReadCache, OptionalCommand::CacheProgram];
        part.optional_commands.retain(|command| !lacks.contains(command));
    });
    let address = host.page_address(1, 0);
    host.open(0x00, &address);
    host.command(0x31);
    host.expect(Rule::P13, None, None);
    host.command(0x3F);
    host.expect_text(Rule::P13, "UNSUPPORTED: 3Fh not offered (byte 8 bit 1)");
    host.open(0x80, &address);
    host.command(0x15);
    host.expect_text(Rule::P13, "15h not offered (byte 8 bit 0)");
    for (command, place) in [(0x06, "byte 8 bit 6"), (0xFA, "byte 9 bit 1"), (0xFC, "byte 6 bit 5")]
    {
        host.command(command);
        host.expect_text(Rule::P13, place);
    }
}

#[test]
fn p14_confirms_without_their_first_cycle() {
    for (confirm, first) in [(0x30, 0x00), (0x10, 0x80), (0xD0, 0x60), (0xE0, 0x05), (0x15, 0x80)] {
        let mut host = Host::new(SLC);
        host.command(confirm);
        host.expect(Rule::P14, opcode(confirm), opcode(first));
        assert!(host.target.is_ready(host.at()));
    }
}

#[test]
fn p15_a_sequence_that_is_left() {
    let mut host = Host::new(SLC);
    let address = host.page_address(1, 0);
    host.open(0x80, &address);
    host.data_in(&[1, 2, 3]);
    host.command(0x00);
    host.expect(Rule::P15, opcode(0x00), opcode(0x80));
    // The new sequence goes on.
    host.address(&address);
    host.command(0x30);
    host.wait();
    assert_eq!(host.take(1), [0xFF]);
    host.quiet();
}

#[test]
fn status_and_column_changes_may_break_in() {
    let mut host = Host::new(SLC);
    host.erase(1);
    let address = host.page_address(1, 0);
    host.open(0x80, &address);
    host.data_in(&[1, 2, 3]);
    assert_eq!(host.status(), 0xE0);
    host.open(0x85, &[16, 0]);
    host.data_in(&[4]);
    host.command(0x10);
    host.wait();
    assert_eq!(host.status(), 0xE0);
    let page = host.read(1, 0, 17);
    assert_eq!((&page[..4], page[16]), (&[1, 2, 3, 0xFF][..], 4));
    host.quiet();
}

#[test]
fn p16_the_wrong_confirm() {
    let mut host = Host::new(SLC);
    let (row, address) = (host.row(0, 1, 0), host.page_address(1, 0));
    host.open(0x60, &row);
    host.command(0x10);
    host.expect(Rule::P16, opcode(0x10), opcode(0xD0));
    host.open(0x80, &address);
    host.command(0xD0);
    host.expect(Rule::P16, opcode(0xD0), opcode(0x10));
    assert!(host.target.is_ready(host.at()));
}

#[test]
fn p17_data_without_a_sequence() {
    let mut host = Host::new(SLC);
    host.cycle(Cycle::DataIn(0));
    host.expect(Rule::P17, None, None);
    // Told once, until a command comes.
    host.data_in(&[0; 10]);
    host.quiet();
    let row = host.row(0, 1, 0);
    host.open(0x60, &row);
    host.data_in(&[0]);
    host.expect(Rule::P17, None, None);
}

#[test]
fn p18_nothing_to_read() {
    let mut host = Host::new(SLC);
    assert!(host.take(4).is_empty());
    host.expect(Rule::P18, None, None);
    let row = host.row(0, 1, 0);
    host.open(0x60, &row);
    host.command(0xD0);
    host.wait();
    assert!(host.take(1).is_empty());
    host.expect(Rule::P18, None, None);
}

#[test]
fn p19_array_data_behind_the_status() {
    let mut host = Host::new(SLC);
    let address = host.page_address(1, 0);
    host.open(0x00, &address);
    host.command(0x30);
    host.wait();
    assert_eq!(host.status(), 0xE0);
    host.quiet();
    assert_eq!(host.take(8), [0xE0; 8]);
    host.expect(Rule::P19, count(9), count(2));
    host.command(0x00);
    assert_eq!(host.take(8), [0xFF; 8]);
    host.quiet();
}

#[test]
fn p20_cache_reads_that_were_not_begun() {
    for command in [0x31, 0x3F] {
        let mut host = Host::new(SLC);
        host.command(command);
        host.expect(Rule::P20, None, None);
    }
    // 3Fh twice.
    let mut host = Host::new(SLC);
    host.read(1, 0, 1);
    for command in [0x31, 0x3F] {
        host.command(command);
        host.wait();
        host.quiet();
    }
    host.command(0x3F);
    host.expect_text(Rule::P20, "CACHE: 3Fh with no cache read open");
}

#[test]
fn p21_other_jobs_behind_a_cache_program() {
    for first in [0x00, 0x60] {
        let mut host = Host::new(SLC);
        host.erase(1);
        let (row, address) = (host.row(0, 2, 0), host.page_address(1, 0));
        host.open(0x80, &address);
        host.data_in(&[0]);
        host.command(0x15);
        host.wait();
        assert_eq!(host.status(), 0xC0, "ready, the array busy");
        host.quiet();
        host.open(first, if first == 0x60 { &row } else { &address });
        host.expect_text(Rule::P21, "with cache program running (SR5 = 0)");
        // Once the array is idle it may come.
        host.skip_us(600.0);
        host.open(first, if first == 0x60 { &row } else { &address });
        host.quiet();
    }
}

#[test]
fn p22_copyback_without_its_read() {
    let mut host = Host::new(MLC);
    let (source, other_plane) = (host.page_address(2, 0), host.page_address(3, 0));
    host.open(0x85, &source);
    host.expect(Rule::P22, None, None);
    host.command(0xFF);
    host.wait();
    host.open(0x00, &source);
    host.command(0x35);
    host.wait();
    host.open(0x85, &other_plane);
    host.expect_text(Rule::P22, "COPYBACK: no 35h read held in this plane");
    let other_lun = host.address_of(1, 2, 0, 0);
    host.command(0xFF);
    host.wait();
    host.open(0x85, &other_lun);
    host.expect(Rule::P22, None, None);
}

#[test]
fn p23_features_have_four_bytes() {
    let mut host = Host::new(SLC);
    host.open(0xEF, &[0x10]);
    host.data_in(&[1, 0, 0]);
    host.command(0x70);
    host.quiet();
    host.command(0x90);
    host.expect(Rule::P23, count(3), count(4));
    let mut host = Host::new(SLC);
    host.open(0xEF, &[0x10]);
    for _ in 0..4 {
        host.cycle(Cycle::DataIn(0));
    }
    host.quiet();
    host.cycle(Cycle::DataIn(0));
    host.expect(Rule::P23, count(5), count(4));
}

#[test]
fn p24_a_cache_read_past_the_block() {
    let mut host = Host::with(SLC, Settings { factory_erased: true, ..sound() });
    host.read(1, 62, 1);
    host.command(0x31);
    host.wait();
    host.quiet();
    host.command(0x31);
    host.expect(Rule::P24, count(64), count(64));
}
