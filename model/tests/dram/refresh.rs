//! Refreshes on time, what they take, and sleep.

use super::*;

#[test]
fn a_refresh_that_is_due_comes_first() {
    // REF 6240 to 6448, ACT 6448, RD 6459.
    let late = (6250 * 1250, burst(0, Read));
    assert_eq!(run(&ddr3(), &[late]).0, [6474 * 1250]);
    // A row was open: PRE 6240, REF 6251 to 6459, ACT 6459, RD 6470.
    let (ends, usage) = run(&ddr3(), &[(0, burst(0, Read)), late]);
    assert_eq!(ends, [26 * 1250, 6485 * 1250]);
    assert_eq!((usage.refreshes, usage.of(Host).row_misses), (1, 2));
    // DDR2 takes a clock more to close all banks: PRE 2600, REF 2605 to 2648, RD 2652.
    let accesses = [(0, burst(0, Read)), (2600 * 3000, burst(0, Read))];
    assert_eq!(run(&ddr2(), &accesses).0, [12 * 3000, 2660 * 3000]);
    // One clock earlier the access comes first, and the refresh after it: RD 2599 and tRTP, PRE
    // 2604, REF 2609 to 2652, ACT, RD 2656.
    let before = (2599 * 3000, burst(0, Read));
    let (ends, _) = run(&ddr2(), &[(0, burst(0, Read)), before, (2601 * 3000, burst(0, Read))]);
    assert_eq!(ends[1..], [2607 * 3000, 2664 * 3000]);
    // A row just opened is not closed before tRAS: ACT 6235, PRE 6263, REF 6274 to 6482, RD 6493.
    let accesses = [(6235 * 1250, burst(0, Read)), (6241 * 1250, burst(0, Read))];
    assert_eq!(run(&ddr3(), &accesses).0, [6261 * 1250, 6508 * 1250]);
}

#[test]
fn refreshes_of_an_idle_memory_are_counted() {
    // 1 ms holds 128 times 7.8 us, and the last of them is over.
    let (ends, usage) = run(&ddr3(), &[(1_000_000_000, burst(0, Read))]);
    assert_eq!(ends, [1_000_000_000 + 26 * 1250]);
    assert_eq!(usage.refreshes, 128);
    // Refresh 129 is under way: 129 * 6240 to 804 960 + 208.
    let (ends, _) = run(&ddr3(), &[(804_961 * 1250, burst(0, Read))]);
    assert_eq!(ends, [(805_168 + 26) * 1250]);
}

#[test]
fn refreshes_take_their_share_of_the_bandwidth() {
    // Each costs what passes from one RD to the next, less 4: 6 to PRE, 11 to REF, 208 to ACT and
    // 11 to RD. 65,536 bursts take 262,166 clocks, and with 43 refreshes of 6240 clocks 272,142.
    let pages: Vec<_> = (0..256).map(|page| (0, access(page * 4096, 4096, Read, Host))).collect();
    let (ends, usage) = run(&ddr3(), &pages);
    assert_eq!(usage.refreshes, 272_142 / 6240);
    assert_eq!(ends[255], (11 + 65_535 * 4 + 15 + 43 * 232) * 1250);
    // With the row's next access, too: bursts of a row's half each.
    let halves: Vec<_> = (0..1024).map(|half| (0, access(half * 1024, 1024, Read, Host))).collect();
    assert_eq!(run(&ddr3(), &halves).0[1023], ends[255]);
    // Inside a long turn as well: 4096 bursts, refreshes at 6240 and 12,480.
    let mut part = ddr3();
    part.controller.turn_bytes = 65_536;
    let (ends, usage) = run(&part, &[(0, access(0, 65_536, Read, Host))]);
    assert_eq!((ends[0], usage.refreshes), ((11 + 4095 * 4 + 15 + 2 * 232) * 1250, 2));
    // DDR2: 5 to PRE, 5 to REF, 43 to ACT, 4 to RD, less 4: 53 each; 131,080 and 51 of them.
    let pages: Vec<_> = (0..256).map(|page| (0, access(page * 4096, 4096, Read, Host))).collect();
    let (ends, usage) = run(&ddr2(), &pages);
    assert_eq!(usage.refreshes, 51);
    assert_eq!(ends[255], (4 + 32_767 * 4 + 8 + 51 * 53) * 3000);
}

#[test]
fn a_sleeping_memory_wakes_first() {
    let mut part = ddr2();
    part.controller.power_down = true;
    // Asked for at 100: ACT 102, RD 106. Awake from then on: RD 200.
    let accesses = [(300_000, burst(0, Read)), (600_000, burst(0, Read))];
    let (ends, usage) = run(&part, &accesses);
    assert_eq!(ends, [114 * 3000, 208 * 3000]);
    assert_eq!(usage.asleep_time, Picoseconds(300_000));
    // The next refresh has begun to wake it at 2598: ACT 2600, RD 2604.
    assert_eq!(run(&part, &[(2599 * 3000, burst(0, Read))]).0, [2612 * 3000]);
    // It wakes from a refresh as well: REF 2600 to 2643, asked for at 2643 and at 2644.
    assert_eq!(run(&part, &[(2643 * 3000, burst(0, Read))]).0, [2655 * 3000]);
    assert_eq!(run(&part, &[(2644 * 3000, burst(0, Read))]).0, [2658 * 3000]);
}
