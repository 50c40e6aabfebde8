//! Cells: errors that grow with stress, wear, SLC mode, forks.

use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex};
use floatgate_model::die::rber::{RberModel, Stress};
use floatgate_model::die::{PageState, Settings};

use crate::host::{Host, MLC, SLC, sound};

const LUN: LunIndex = LunIndex(0);
const BLOCK: BlockIndex = BlockIndex(1);
const REGISTER: usize = 8936;

/// Positions of the bits that differ.
fn wrong(read: &[u8], stored: u8) -> Vec<usize> {
    let bit = |at: &usize| (read[at / 8] ^ stored) >> (7 - at % 8) & 1 == 1;
    (0..8 * read.len()).filter(bit).collect()
}

/// A host with a written block of so many cycles.
fn worn(settings: Settings, cycles: u32, pages: u16) -> Host {
    let mut host = Host::with(MLC, settings);
    host.target.set_cycles(LUN, BLOCK, cycles - 1);
    host.erase(BLOCK.0);
    for page in 0..pages {
        host.program(BLOCK.0, page, &[0x5A; REGISTER]);
    }
    host.quiet();
    host
}

#[test]
fn errors_come_at_the_model_s_rate() {
    const PAGES: u16 = 64;
    let cycles = 3000;
    let mut host = worn(sound(), cycles, PAGES);
    host.target.age(90.0);
    let mut counts = [0.0; 2];
    for page in 0..PAGES {
        let read = host.read(BLOCK.0, page, REGISTER);
        let upper = page != 0 && page % 2 == 0;
        counts[usize::from(upper)] += wrong(&read, 0x5A).len() as f64;
    }
    let stress = Stress { pe_cycles: f64::from(cycles), retention_days: 90.0, reads: 0.0 };
    let rate = RberModel::Mlc2yNm.rber(stress);
    let bits = (8 * REGISTER) as f64;
    for (upper, factor, pages) in [(0, 0.8, 33.0), (1, 1.2, 31.0)] {
        let expected = rate * factor * bits * pages;
        // Four standard errors, and what the reads of the block add.
        let bound = 4.0 / expected.sqrt() + 0.01;
        let share = counts[upper] / expected;
        assert!((share - 1.0).abs() < bound, "type {upper}: {share} of {expected}");
    }
}

#[test]
fn errors_grow_and_do_not_come_and_go() {
    let mut host = worn(sound(), 3000, 1);
    let mut before = Vec::new();
    for days in [0.0, 10.0, 20.0, 30.0, 30.0] {
        host.target.age(days);
        let now = wrong(&host.read(BLOCK.0, 0, REGISTER), 0x5A);
        assert!(before.iter().all(|bit| now.contains(bit)), "after {days} days more");
        before = now;
    }
    assert!(before.len() > 20, "{}", before.len());
    let stored = host.target.stored(LUN, BLOCK, PageIndex(0));
    assert!(stored.iter().all(|&byte| byte == 0x5A), "what is stored stays");
    let counted = host.target.statistics().wrong_bits;
    assert!(counted >= before.len() as u64);
}

#[test]
fn reads_disturb_the_block() {
    let mut host = worn(sound(), 3000, 1);
    let before = host.target.rber(LUN, BLOCK, PageIndex(0));
    for _ in 0..200 {
        host.read(BLOCK.0, 0, 1);
    }
    let after = host.target.rber(LUN, BLOCK, PageIndex(0));
    assert!(after > before, "{before} {after}");
    assert_eq!(host.target.block(LUN, BLOCK).reads, 200);
    host.erase(BLOCK.0);
    assert_eq!(host.target.block(LUN, BLOCK).reads, 0);
}

#[test]
fn a_seed_gives_the_same_errors_and_another_one_others() {
    let errors = |seed| {
        let mut host = worn(Settings { seed, ..sound() }, 3000, 1);
        host.target.age(90.0);
        wrong(&host.read(BLOCK.0, 0, REGISTER), 0x5A)
    };
    assert_eq!(errors(7), errors(7));
    assert_ne!(errors(7), errors(8));
}

#[test]
fn a_page_has_other_errors_after_each_program() {
    let mut host = worn(sound(), 3000, 1);
    host.target.age(90.0);
    let first = wrong(&host.read(BLOCK.0, 0, REGISTER), 0x5A);
    host.erase(BLOCK.0);
    host.program(BLOCK.0, 0, &[0x5A; REGISTER]);
    host.target.age(90.0);
    let second = wrong(&host.read(BLOCK.0, 0, REGISTER), 0x5A);
    assert!(!first.is_empty() && first != second);
}

#[test]
fn erased_pages_are_not_free_of_errors() {
    let mut host = Host::changed(MLC, |part| part.cells.errors.erased_factor = 1.0);
    host.target.set_cycles(LUN, BLOCK, 2999);
    host.erase(BLOCK.0);
    let bits: u32 =
        (0..32).map(|page| wrong(&host.read(1, page, REGISTER), 0xFF).len() as u32).sum();
    assert!(bits > 0);
    assert_eq!(host.read(2, 0, REGISTER), vec![0xFF; REGISTER], "an untouched block reads FFh");
}

#[test]
fn worn_blocks_fail_to_erase() {
    let mut host = Host::new(MLC);
    let fails_at = |host: &mut Host, cycles: u32| {
        host.target.set_cycles(LUN, BLOCK, cycles - 1);
        host.erase(BLOCK.0) == 0xE1
    };
    assert!(!fails_at(&mut host, 4500), "no block fails below 1.5 times its endurance");
    assert!(fails_at(&mut host, 12_001), "every block does above 4 times");
    let first = (4500..12_001).step_by(100).find(|&cycles| fails_at(&mut host, cycles));
    assert!(first.is_some());
    assert!(host.target.statistics().failed_erases > 0);
    let told = host.target.drain_diagnostics();
    assert!(told.iter().all(|told| told.rule.code() == "R08"), "only of the wear");
}

#[test]
fn a_block_in_slc_mode_is_half_as_large_and_faster() {
    let mut host = Host::new(MLC);
    host.set_features(0x91, 1);
    host.erase(BLOCK.0);
    host.set_features(0x91, 0);
    let view = host.target.block(LUN, BLOCK);
    assert!(view.slc);
    assert_eq!(view.pages, 128);
    let address = host.page_address(BLOCK.0, 0);
    host.open(0x80, &address);
    host.data_in(&[0x5A; REGISTER]);
    host.command(0x10);
    let begun = host.at_ps;
    host.wait();
    assert_eq!(host.at_ps - begun, 300_000_000 + 200_000);
    assert_eq!(host.status(), 0xE0);
    host.quiet();
    let past = host.page_address(BLOCK.0, 128);
    host.open(0x00, &past);
    host.expect_text(floatgate_model::die::Rule::A06, "PAGE-RANGE: page 128 >= 128");
    let slc = host.target.rber(LUN, BLOCK, PageIndex(0));
    host.command(0xFF);
    host.wait();
    host.erase(BLOCK.0);
    host.program(BLOCK.0, 0, &[0x5A; REGISTER]);
    let view = host.target.block(LUN, BLOCK);
    assert!(!view.slc, "an erase with the bit clear ends it");
    assert!(slc < host.target.rber(LUN, BLOCK, PageIndex(0)) / 5.0);
    host.quiet();
}

#[test]
fn forks_do_not_see_each_other() {
    let mut host = Host::new(SLC);
    host.erase(1);
    host.program(1, 0, &[1; 8]);
    let mut fork = host.clone();
    fork.target = host.target.fork();
    fork.program(1, 1, &[2; 8]);
    host.erase(1);
    let state = |host: &Host, page| host.target.page_state(LUN, BLOCK, PageIndex(page));
    assert_eq!((state(&host, 0), state(&host, 1)), (PageState::Erased, PageState::Erased));
    let programmed = PageState::Programmed(1);
    assert_eq!((state(&fork, 0), state(&fork, 1)), (programmed, programmed));
    host.quiet();
    fork.quiet();
}

#[test]
fn forks_at_each_step_of_a_program_survive_a_power_cut() {
    let mut host = Host::new(SLC);
    host.erase(1);
    let address = host.page_address(1, 0);
    host.open(0x80, &address);
    host.data_in(&[0; 2112]);
    host.command(0x10);
    let mut ones_before = u32::MAX;
    for span in [0.0, 60.0, 60.0, 100.0] {
        host.skip_us(span);
        let mut fork = host.clone();
        fork.target.power_cut(fork.at());
        let stored = fork.target.stored(LUN, BLOCK, PageIndex(0));
        let ones = stored.iter().map(|byte| byte.count_ones()).sum::<u32>();
        assert!(ones < ones_before, "the longer, the fewer ones are left: {ones}");
        ones_before = ones;
        fork.wait();
        fork.command(0xFF);
        fork.wait();
        assert_eq!(fork.erase(1), 0xE0);
        assert_eq!(fork.target.page_state(LUN, BLOCK, PageIndex(0)), PageState::Erased);
    }
    assert_eq!(ones_before, 0, "after tPROG nothing is cut");
}
