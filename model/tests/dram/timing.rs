//! Rows found open, closed or taken; data without gaps; turns of the bus.

use super::*;

/// The address of a row in bank 0.
fn row(part: &DramPart, index: u64) -> u64 {
    index * part.rank_row_bytes() * u64::from(part.banks)
}

/// The address of row 0 in a bank.
fn bank(part: &DramPart, index: u64) -> u64 {
    index * part.rank_row_bytes()
}

#[test]
fn a_row_that_is_closed_open_or_taken_takes_its_commands() {
    let part = ddr3();
    // ACT 0, RD 11, data 22 to 26; RD 26, data to 41; PRE 41, ACT 52, RD 63, data to 78.
    let accesses = [
        (0, burst(0, Read)),
        (26 * 1250, burst(16, Read)),
        (41 * 1250, burst(row(&part, 1), Read)),
    ];
    let (ends, usage) = run(&part, &accesses);
    assert_eq!(ends, [32_500, 51_250, 97_500]);
    let host = usage.of(Host);
    assert_eq!((host.row_misses, host.row_hits, host.row_conflicts), (1, 1, 1));
    assert_eq!((host.reads, host.read_bytes, host.bursts, usage.activations), (3, 48, 3, 2));
    assert_eq!(usage.data_time, Picoseconds(12 * 1250));

    let part = ddr2();
    // ACT 0, RD 4, data to 12; RD 12, data to 20; PRE 20, ACT 24, RD 28, data to 36.
    let accesses = [
        (0, burst(0, Read)),
        (12 * 3000, burst(32, Read)),
        (20 * 3000, burst(row(&part, 1), Read)),
    ];
    assert_eq!(run(&part, &accesses).0, [36_000, 60_000, 108_000]);
}

#[test]
fn commands_are_given_at_clock_edges() {
    assert_eq!(run(&ddr3(), &[(1, burst(0, Read))]).0, [27 * 1250]);
    assert_eq!(run(&ddr3(), &[(1250, burst(0, Read))]).0, [27 * 1250]);
}

#[test]
fn a_row_is_not_closed_before_its_time() {
    // tRAS: RD 11, PRE 28, ACT 39, RD 50; DDR2: RD 4, PRE 15, ACT 19, RD 23.
    for (part, ends) in [(ddr3(), [26, 65]), (ddr2(), [12, 31])] {
        expect_ends(&part, &[burst(0, Read), burst(row(&part, 1), Read)], &ends);
    }
    // tRTP after 8 bursts: RD 11 to 39, PRE 45, ACT 56, RD 67; DDR2, 4 bursts of 32 bytes and two
    // clocks up to the last four bits: RD 4 to 16, PRE 21, ACT 25, RD 29.
    for (part, ends) in [(ddr3(), [54, 82]), (ddr2(), [24, 37])] {
        let long = access(0, 128, Read, Host);
        expect_ends(&part, &[long, burst(row(&part, 1), Read)], &ends);
    }
    // tWR: WR 11, data 19 to 23, PRE 35, ACT 46, RD 57; DDR2: WR 4, data 7 to 11, PRE 16, ACT 20.
    for (part, ends) in [(ddr3(), [23, 72]), (ddr2(), [11, 32])] {
        expect_ends(&part, &[burst(0, Write), burst(row(&part, 1), Read)], &ends);
    }
    // tRC, where it is longer than tRAS and tRP: ACT 0, PRE 28, ACT 60, RD 71.
    let mut part = ddr3();
    part.timing.t_rc_ps = 75_000;
    expect_ends(&part, &[burst(0, Read), burst(row(&part, 1), Read)], &[26, 86]);
}

#[test]
fn activations_keep_their_distance() {
    // ACT 0, 5, 10, 15, and 24 instead of 20.
    let part = ddr3();
    let accesses: Vec<_> = (0..5).map(|index| burst(bank(&part, index), Read)).collect();
    expect_ends(&part, &accesses, &[26, 31, 36, 41, 50]);
}

#[test]
fn bursts_follow_each_other_without_a_gap() {
    // RD 11, 15 ..; DDR2 RD 4, 8 ..: rows open while the data of those before them flow.
    for (mut part, first, after) in [(ddr3(), 11, 15), (ddr2(), 4, 8)] {
        part.controller.turn_bytes = 8192;
        let page_bursts = 8192 / part.burst_bytes();
        let last = |pages: u64| first + (pages * page_bursts - 1) * 4 + after;
        let pages = [access(0, 8192, Read, Host), access(8192, 8192, Read, Host)];
        expect_ends(&part, &pages, &[last(1), last(2)]);
    }
    // The same rate for rows that have to be closed first, in whatever turns, and for writes.
    let mut part = ddr3();
    part.timing.t_refi_ps = 100_000_000;
    for turn_bytes in [16, 2048, 65_536] {
        part.controller.turn_bytes = turn_bytes;
        expect_ends(&part, &[access(0, 65_536, Read, Host)], &[11 + 4095 * 4 + 15]);
        expect_ends(&part, &[access(0, 65_536, Write, Host)], &[11 + 4095 * 4 + 12]);
    }
}

#[test]
fn the_bus_takes_time_to_turn() {
    // WR 11, data to 23, RD 29; DDR2: WR 4, data to 11, RD 14.
    for (part, ends) in [(ddr3(), [23, 44]), (ddr2(), [11, 22])] {
        expect_ends(&part, &[burst(0, Write), burst(0, Read)], &ends);
    }
    // RD 11, data 22 to 26, two clocks, data 28 to 32; DDR2: RD 4, data 8 to 12, 13 to 17.
    for (part, ends) in [(ddr3(), [26, 32]), (ddr2(), [12, 17])] {
        expect_ends(&part, &[burst(0, Read), burst(0, Write)], &ends);
    }
}

#[test]
fn addresses_run_through_a_row_then_through_the_banks() {
    let part = ddr3();
    // Nine rows: eight banks, and the first again.
    let (_, usage) = run(&part, &[(0, access(0, 9 * 2048, Read, Host))]);
    let host = usage.of(Host);
    assert_eq!((host.row_misses, host.row_hits, host.row_conflicts), (8, 0, 1));
    // Two bytes across a burst's border, then two across a row's.
    let accesses = [(0, access(15, 2, Write, Flash)), (0, access(2047, 2, Write, Flash))];
    let (_, usage) = run(&part, &accesses);
    let flash = usage.of(Flash);
    assert_eq!((flash.bursts, flash.written_bytes, flash.writes), (4, 4, 2));
    assert_eq!((flash.row_misses, flash.row_hits), (2, 1));
    // The last byte.
    let last = part.capacity_bytes() - 1;
    assert_eq!(last, (1 << 30) - 1);
    assert_eq!(run(&part, &[(0, access(last, 1, Read, Host))]).0, [26 * 1250]);
}

#[test]
#[should_panic(expected = "in a memory of 1073741824 bytes")]
fn accesses_beyond_the_end_are_bugs() {
    run(&ddr3(), &[(0, access((1 << 30) - 1, 2, Read, Host))]);
}

#[test]
#[should_panic(expected = "in a memory of 1073741824 bytes")]
fn empty_accesses_are_bugs() {
    run(&ddr3(), &[(0, access(0, 0, Read, Host))]);
}
