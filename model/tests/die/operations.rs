//! What the command set does, from power-up to copyback.

use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex};
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{LunState, PageState, Rule, Settings, Times, parameter_page};

use crate::host::{Host, MLC, SLC, T_WB_PS, sound};
use crate::parts::part;

/// Data that differ from page to page.
fn pattern(part_of: &Host, seed: u8) -> Vec<u8> {
    let bytes = part_of.target.part().register_bytes();
    (0..bytes).map(|at| (at as u8).wrapping_mul(31).wrapping_add(seed)).collect()
}

/// A host without raw bit errors, so that what is read is what was programmed.
fn exact(name: &str) -> Host {
    Host::changed(name, |part| part.cells.errors.model = None)
}

/// Busy time of what the host has just begun.
fn busy_us(host: &mut Host) -> f64 {
    let begun = host.at_ps + T_WB_PS;
    assert!(host.target.is_ready(Picoseconds(begun - 1)), "R/B# still says ready within tWB");
    assert!(!host.target.is_ready(Picoseconds(begun)));
    host.wait();
    (host.at_ps - begun) as f64 / 1e6
}

#[test]
fn power_up_ends_with_the_first_reset() {
    let mut host = Host::raw(SLC, sound());
    assert_eq!(host.target.next_change(Picoseconds(0)), Some(Picoseconds(100_000_000)));
    assert_eq!(host.target.lun_state(Picoseconds(0), LunIndex(0)), LunState::PoweredUp);
    host.wait();
    host.command(0xFF);
    assert_eq!(busy_us(&mut host), 1000.0);
    assert_eq!(host.status(), 0xE0);
    host.command(0xFF);
    assert_eq!(busy_us(&mut host), 5.0);
    host.quiet();
}

#[test]
fn identity_is_read_at_its_addresses() {
    let mut host = Host::new(SLC);
    host.open(0x90, &[0x00]);
    assert_eq!(host.take(5), [0x2C, 0xAA, 0x90, 0x15, 0x06]);
    host.open(0x90, &[0x20]);
    assert_eq!(host.take(4), *b"ONFI");
    host.quiet();
}

#[test]
fn the_parameter_page_is_read_whole_and_in_parts() {
    let mut host = Host::new(MLC);
    let answer = parameter_page::answer(&part(MLC));
    host.open(0xEC, &[0x00]);
    assert_eq!(busy_us(&mut host), 40.0);
    assert_eq!(host.status(), 0xE0);
    host.command(0x00);
    assert_eq!(host.take(answer.len()), answer);
    host.open(0x05, &512u16.to_le_bytes());
    host.command(0xE0);
    assert_eq!(host.take(256), answer[512..768]);
    host.quiet();
}

#[test]
fn unique_ids_differ_and_hold_their_complement() {
    let mut ids = Vec::new();
    for target in 0..2 {
        let mut host = Host::with(MLC, Settings { target, ..sound() });
        host.open(0xED, &[0x00]);
        host.wait();
        let id = host.take(512);
        host.quiet();
        for copy in id.chunks_exact(32) {
            assert_eq!(copy, &id[..32]);
            assert!(copy[..16].iter().zip(&copy[16..]).all(|(a, b)| *a == !b));
        }
        ids.push(id);
    }
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn features_are_kept_until_power_is_cut() {
    let mut host = Host::new(MLC);
    host.open(0xEE, &[0x10]);
    assert_eq!(busy_us(&mut host), 1.0);
    assert_eq!(host.take(4), [2, 0, 0, 0]);
    host.open(0xEF, &[0x10]);
    host.data_in(&[1, 0, 0, 0]);
    assert_eq!(busy_us(&mut host), 1.0);
    host.command(0xFF);
    host.wait();
    host.open(0xEE, &[0x10]);
    host.wait();
    assert_eq!(host.take(4), [1, 0, 0, 0], "a reset leaves the drive strength");
    host.target.power_cut(host.at());
    host.at_ps += 100_000_000;
    host.command(0xFF);
    host.wait();
    host.open(0xEE, &[0x10]);
    host.wait();
    assert_eq!(host.take(4), [2, 0, 0, 0]);
    host.quiet();
}

#[test]
fn a_page_goes_in_and_comes_out() {
    for name in [SLC, MLC, "mt29f64g08akaba", "mt29f32g08cbaba", "mt29f64g08cbaba"] {
        let mut host = exact(name);
        let data = pattern(&host, 1);
        let length = data.len();
        assert_eq!(host.read(3, 0, length), vec![0xFF; length], "{name}: unwritten");
        assert_eq!(host.erase(3), 0xE0);
        assert_eq!(host.program(3, 0, &data), 0xE0);
        assert_eq!(host.read(3, 0, length), data, "{name}");
        assert_eq!(host.erase(3), 0xE0);
        assert_eq!(host.read(3, 0, length), vec![0xFF; length], "{name}: erased");
        host.quiet();
    }
}

#[test]
fn busy_times_are_those_of_the_page_type() {
    let mut host = Host::new(MLC);
    host.erase(1);
    for (page, t_prog, t_r) in [(0, 500.0, 40.0), (1, 500.0, 40.0), (2, 1300.0, 65.0)] {
        let address = host.page_address(1, page);
        host.open(0x80, &address);
        host.data_in(&[0]);
        host.command(0x10);
        assert_eq!(busy_us(&mut host), t_prog);
        host.status();
        host.open(0x00, &address);
        host.command(0x30);
        assert_eq!(busy_us(&mut host), t_r);
    }
    let mut slow = Host::with(MLC, Settings { times: Times::Maximum, ..sound() });
    let row = slow.row(0, 1, 0);
    slow.open(0x60, &row);
    slow.command(0xD0);
    assert_eq!(busy_us(&mut slow), 10_000.0);
    let address = slow.page_address(1, 0);
    slow.open(0x80, &address);
    slow.data_in(&[0]);
    slow.command(0x10);
    assert_eq!(busy_us(&mut slow), 2600.0);
}

#[test]
fn columns_change_on_the_way_out_and_in() {
    let mut host = exact(SLC);
    host.erase(1);
    let address = host.address_of(0, 1, 0, 100);
    host.open(0x80, &address);
    host.data_in(&[1, 2]);
    host.open(0x85, &2000u16.to_le_bytes());
    host.data_in(&[3, 4]);
    host.command(0x10);
    host.wait();
    host.status();
    let address = host.address_of(0, 1, 0, 99);
    host.open(0x00, &address);
    host.command(0x30);
    host.wait();
    assert_eq!(host.take(4), [0xFF, 1, 2, 0xFF]);
    host.open(0x05, &1999u16.to_le_bytes());
    host.command(0xE0);
    assert_eq!(host.take(4), [0xFF, 3, 4, 0xFF]);
    host.quiet();
}

#[test]
fn rows_change_while_a_page_is_loaded() {
    let mut host = exact(MLC);
    host.erase(1);
    let (first, second) = (host.page_address(3, 7), host.address_of(0, 1, 0, 4));
    host.open(0x80, &first);
    host.data_in(&[1, 2, 3, 4]);
    host.open(0x85, &second);
    host.data_in(&[5]);
    host.command(0x10);
    host.expect_text(Rule::R12, "bytes 0-3");
    host.wait();
    assert_eq!(host.status(), 0xE0);
    assert_eq!(host.read(1, 0, 6), [1, 2, 3, 4, 5, 0xFF]);
    assert_eq!(host.target.page_state(LunIndex(0), BlockIndex(3), PageIndex(7)), PageState::Erased);
    host.quiet();
}

#[test]
fn cache_reads_overlap_the_array() {
    let mut host = exact(SLC);
    host.erase(1);
    for page in 0..4 {
        host.program(1, page, &[page as u8; 8]);
    }
    assert!(host.read(1, 0, 0).is_empty());
    host.command(0x31);
    assert_eq!(busy_us(&mut host), 3.0);
    assert_eq!(host.target.lun_state(host.at(), LunIndex(0)), LunState::ReadingAhead);
    assert_eq!(host.take(8), [0; 8]);
    // The next one has to wait for the array.
    host.command(0x31);
    let waited = busy_us(&mut host);
    assert!((20.0..28.0).contains(&waited), "{waited}");
    assert_eq!(host.take(8), [1; 8]);
    // At random.
    host.skip_us(30.0);
    let address = host.page_address(1, 3);
    host.open(0x00, &address);
    host.command(0x31);
    assert_eq!(busy_us(&mut host), 3.0);
    assert_eq!(host.take(8), [2; 8]);
    host.skip_us(30.0);
    host.command(0x3F);
    assert_eq!(busy_us(&mut host), 3.0);
    assert_eq!(host.status(), 0xE0);
    host.command(0x00);
    assert_eq!(host.take(8), [3; 8]);
    host.quiet();
}

#[test]
fn cache_programs_overlap_the_bus() {
    let mut host = exact(SLC);
    host.erase(1);
    let begun = host.at_ps;
    for page in 0..8 {
        let address = host.page_address(1, page);
        host.open(0x80, &address);
        host.data_in(&[page as u8; 8]);
        host.command(if page < 7 { 0x15 } else { 0x10 });
        host.wait();
        assert_eq!(host.status(), if page < 7 { 0xC0 } else { 0xE0 });
    }
    let took_us = (host.at_ps - begun) as f64 / 1e6;
    assert!((1600.0..1620.0).contains(&took_us), "8 tPROG of 200 us and little more: {took_us}");
    for page in 0..8 {
        assert_eq!(host.read(1, page, 8), [page as u8; 8]);
    }
    host.quiet();
}

#[test]
fn planes_are_read_programmed_and_erased_together() {
    let mut host = exact(MLC);
    for (block, confirm) in [(6, 0xD1), (7, 0xD0)] {
        let row = host.row(0, block, 0);
        host.open(0x60, &row);
        host.command(confirm);
        let span = busy_us(&mut host);
        assert_eq!(span, if confirm == 0xD1 { 0.5 } else { 3500.0 });
    }
    assert_eq!(host.status(), 0xE0);
    for (block, confirm) in [(6, 0x11), (7, 0x10)] {
        let address = host.page_address(block, 0);
        host.open(0x80, &address);
        host.data_in(&[block as u8; 8936]);
        host.command(confirm);
        let span = busy_us(&mut host);
        assert_eq!(span, if confirm == 0x11 { 0.5 } else { 500.0 });
    }
    assert_eq!((host.status_of(0, 6), host.status_of(0, 7)), (0xE0, 0xE0));
    for (block, confirm) in [(6, 0x32), (7, 0x30)] {
        let address = host.page_address(block, 0);
        host.open(0x00, &address);
        host.command(confirm);
        host.wait();
    }
    for block in [6, 7] {
        let address = host.page_address(block, 0);
        host.open(0x06, &address);
        host.command(0xE0);
        assert_eq!(host.take(8936), vec![block as u8; 8936]);
    }
    host.quiet();
}

#[test]
fn copyback_moves_a_page_and_takes_corrections() {
    let mut host = exact(MLC);
    let data = pattern(&host, 9);
    for block in [2, 4] {
        host.erase(block);
    }
    host.program(2, 0, &data);
    let (source, destination) = (host.page_address(2, 0), host.address_of(0, 4, 0, 3));
    host.open(0x00, &source);
    host.command(0x35);
    host.wait();
    assert_eq!(host.take(data.len()), data);
    host.open(0x85, &destination);
    host.data_in(&[0xAA]);
    host.command(0x10);
    host.wait();
    assert_eq!(host.status(), 0xE0);
    let moved = host.read(4, 0, data.len());
    assert_eq!((&moved[..3], moved[3], &moved[4..]), (&data[..3], 0xAA, &data[4..]));
    host.quiet();
}

#[test]
fn luns_work_side_by_side() {
    let mut host = exact(MLC);
    for lun in 0..2 {
        host.erase_in(lun, 1);
    }
    for lun in 0..2 {
        let address = host.address_of(lun, 1, 0, 0);
        host.open(0x80, &address);
        host.data_in(&[lun; 16]);
        host.command(0x10);
        host.at_ps += T_WB_PS;
        assert!(!host.target.is_ready(host.at()));
    }
    assert_eq!(host.status_of(0, 1), 0x80);
    host.wait();
    assert_eq!((host.status_of(0, 1), host.status_of(1, 1)), (0xE0, 0xE0));
    for lun in 0..2 {
        assert_eq!(host.target.stored(LunIndex(lun), BlockIndex(1), PageIndex(0))[..16], [lun; 16]);
    }
    host.quiet();
}

#[test]
fn one_lun_is_reset_while_the_other_works() {
    let mut host = Host::new(MLC);
    host.erase_in(1, 1);
    let address = host.address_of(1, 1, 0, 0);
    host.open(0x80, &address);
    host.data_in(&[0; 16]);
    host.command(0x10);
    host.skip_us(10.0);
    let row = host.row(0, 0, 0);
    host.open(0xFA, &row);
    host.skip_us(6.0);
    assert_eq!(host.status_of(0, 0), 0xE0);
    assert_eq!(host.status_of(1, 0), 0x80);
    host.wait();
    assert_eq!(host.status_of(1, 0), 0xE0);
    let state = host.target.page_state(LunIndex(1), BlockIndex(1), PageIndex(0));
    assert_eq!(state, PageState::Programmed(1));
    host.quiet();
}

#[test]
fn statistics_count_what_was_done() {
    let mut host = exact(SLC);
    host.erase(1);
    host.program(1, 0, &[0; 100]);
    host.read(1, 0, 50);
    let statistics = host.target.statistics();
    assert_eq!(
        (statistics.block_erases, statistics.page_programs, statistics.page_reads),
        (1, 1, 1)
    );
    assert_eq!((statistics.bytes_in, statistics.bytes_out), (100, 52));
    assert_eq!((statistics.resets, statistics.wrong_bits), (1, 0));
}

#[test]
fn bytes_one_by_one_are_as_good_as_a_burst() {
    let mut single = exact(SLC);
    let mut burst = single.clone();
    let data = pattern(&single, 3);
    for host in [&mut single, &mut burst] {
        host.erase(1);
        let address = host.page_address(1, 0);
        host.open(0x80, &address);
    }
    burst.data_in(&data);
    for &byte in &data {
        single.cycle(floatgate_model::die::Cycle::DataIn(byte));
    }
    for host in [&mut single, &mut burst] {
        host.command(0x10);
        host.wait();
        assert_eq!(host.status(), 0xE0);
    }
    let whole = burst.read(1, 0, data.len());
    single.read(1, 0, 0);
    let bytes: Vec<u8> = (0..data.len()).flat_map(|_| single.take(1)).collect();
    assert_eq!((&bytes, &whole), (&data, &data));
    single.quiet();
    burst.quiet();
}
