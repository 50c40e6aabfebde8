//! A journal instead of a scan: power is cut whenever something changes on the flash, the journal's
//! pages and blocks included, and what it alone can tell is there afterwards.

use std::rc::Rc;

use floatgate_firmware::ftl::{
    BlockState, Ftl, Metadata, Placement, Trims, VictimPolicy, WearLimits,
};
use floatgate_hal::array::{BlockId, PageMark, Ppa, UnitIndex};
use floatgate_model::array::{Cells, Contents, PlanesTogether};
use floatgate_model::config::{DriveConfig, WriteBuffer};
use floatgate_model::host::workload::Workload;
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::Ssd;

use crate::contract::{checked, mixed, small};
use crate::power_cuts::{
    cut_again_and_again, cut_everywhere, planes_and_caches, read_all, start, tight,
};

/// Pages are so small that the tables need some of them.
pub(crate) fn journaled(page_bytes: u32) -> DriveConfig {
    let mut config = tight();
    config.topology.page_bytes = page_bytes;
    config.topology.blocks_per_plane = 16;
    config.ftl.over_provisioning_percent = 102.0;
    // Steps of two cores: mappings could change out of order.
    config.firmware.cores = 2;
    config.firmware.cost_ns.map = 100_000.0;
    config.cells.t_prog_us = vec![100.0, 300.0];
    config.ftl.metadata = Metadata::Journal { blocks_per_unit: 3 };
    config.ftl.trims = Trims::InMemory;
    config.firmware.workers = 4;
    config
}

/// Trims and flushes, often.
pub(crate) fn trimming(requests: u64, seed: u64) -> Workload {
    let mut workload = mixed(requests, 4, seed);
    for flow in &mut workload.flows {
        let phase = &mut flow.phases[0];
        phase.flush_every_writes = 5;
        phase.kinds.trim = 2;
    }
    workload
}

#[test]
fn nothing_that_was_flushed_is_lost_wherever_power_is_cut() {
    for (page_bytes, requests) in [(512, 35), (1024, 50)] {
        let (cuts, counts) = cut_everywhere(&journaled(page_bytes), &trimming(requests, 2), |_| {});
        println!("{cuts} cuts, {counts:?}");
        assert!(counts.journal_pages > 50, "{counts:?}");
    }
}

#[test]
fn no_policy_placement_or_buffer_loses_what_was_flushed() {
    let buffer = WriteBuffer { pages: 8, flushers: 2, flush_above: 6, flush_down_to: 3 };
    for (victim, separate_moved, buffer) in [
        (VictimPolicy::Fifo, false, WriteBuffer::default()),
        (VictimPolicy::CostBenefit, true, WriteBuffer::default()),
        (VictimPolicy::Greedy, true, buffer),
    ] {
        let mut config = journaled(1024);
        config.ftl.victim = victim;
        config.ftl.separate_moved = separate_moved;
        config.ftl.placement = Placement::RoundRobin;
        let (erase_spread, block_reads) = (2, 6);
        config.ftl.wear = WearLimits { erase_spread, block_reads, ..WearLimits::default() };
        config.buffer = buffer;
        cut_everywhere(&config, &trimming(35, 3), |_| {});
    }
}

/// Pages of the journal and of data are programmed together, and behind each other.
#[test]
fn nothing_is_lost_where_planes_and_caches_overlap() {
    let mut config = journaled(1024);
    (config.topology.channels, config.topology.planes) = (1, 2);
    config.dies = planes_and_caches(PlanesTogether::Any);
    let (cuts, counts) = cut_everywhere(&config, &trimming(40, 4), |_| {});
    println!("{cuts} cuts, {counts:?}");
}

/// Blocks of data and of the journal whose programs or erasures fail.
fn faulty(cells: &Cells) {
    let block = |unit, index| cells.geometry().block(UnitIndex(unit), index);
    cells.fail_programs(block(0, 4));
    cells.fail_programs(block(1, 1));
    cells.fail_erases(block(1, 6));
    cells.fail_erases(block(0, 2));
}

#[test]
fn nothing_is_lost_where_blocks_fail_and_power_is_cut() {
    let mut config = journaled(512);
    config.ftl.over_provisioning_percent = 150.0;
    let (_, counts) = cut_everywhere(&config, &trimming(40, 4), faulty);
    assert_eq!(counts.bad_blocks, 2, "{counts:?}");
}

#[test]
fn a_drive_with_a_journal_that_is_cut_again_and_again_loses_nothing() {
    for contents in [Contents::Stamps, Contents::Bytes] {
        cut_again_and_again(&journaled(512), contents);
    }
}

/// After a run and a flush: what is known of each block.
#[test]
fn a_mount_knows_failed_blocks_and_how_often_blocks_were_erased() {
    let config = journaled(512);
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, &config, Contents::Stamps, 2, 1).expect("there is room"));
    let drive = ssd.drive();
    faulty(drive.array().cells());
    start(&sim, &ssd, &config, &trimming(200, 1));
    simulation.run().expect("every request is served");
    let cells = Rc::new((**drive.array().cells()).clone());
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let other = Ssd::on_cells(&sim, &config, Rc::clone(&cells), None, 2, 1).expect("there is room");
    let other = Rc::new(other);
    let (mounted, clock) = (Rc::clone(&other), sim.clone());
    let mount = simulation.block_on("mount", async move { mounted.mount(&clock).await });
    mount.expect("units meet").expect("a whole journal");
    let (before, after) = (drive.ftl(), other.drive().ftl());
    let geometry = before.geometry();
    let is_bad = |ftl: &Ftl<_>, block| ftl.block(block) == BlockState::Bad;
    let blocks = || (0..geometry.blocks()).map(BlockId);
    let bad: Vec<BlockId> = blocks().filter(|&block| is_bad(before, block)).collect();
    assert_eq!(bad, blocks().filter(|&block| is_bad(after, block)).collect::<Vec<_>>());
    assert_eq!(bad.len(), 4, "{bad:?}");
    for block in blocks().filter(|block| !bad.contains(block)) {
        assert_eq!(before.erases(block), cells.cycles(block), "{block:?}");
        // The journal's own erasures are recorded when their turn comes.
        let lag = before.erases(block) - after.erases(block);
        let is_reserved = after.block(block) == BlockState::Reserved;
        assert!(lag <= u32::from(is_reserved), "{block:?} was erased {lag} times more");
    }
    assert!(blocks().any(|block| after.erases(block) > 3));
}

/// An unreadable page of the journal is noticed; the same flash can be mounted without it.
#[test]
fn a_damaged_journal_is_told_and_a_scan_finds_the_data() {
    let config = journaled(512);
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, &config, Contents::Stamps, 2, 1).expect("there is room"));
    start(&sim, &ssd, &config, &mixed(40, 4, 1));
    simulation.run().expect("every request is served");
    let oracle = ssd.drive().host().oracle().expect("contents are checked").clone();
    let cells = Rc::new((**ssd.drive().array().cells()).clone());
    let geometry = cells.geometry();
    let pages = (0..3).flat_map(|index| {
        let blocks = (0..geometry.units).map(move |unit| geometry.block(UnitIndex(unit), index));
        blocks.flat_map(|block| (0..geometry.pages_per_block).map(move |at| (block, at)))
    });
    let number = |page| match cells.mark(page) {
        PageMark::Written(spare) => spare.serial,
        _ => 0,
    };
    let mut pages: Vec<Ppa> = pages.map(|(block, at)| geometry.page(block, at)).collect();
    pages.sort_by_key(|&page| number(page));
    let [.., lost, last] = pages[..] else { panic!("there are pages of a journal") };
    cells.spoil(lost);
    let mount = |config: &DriveConfig, oracle| {
        let mut simulation = Simulation::new(1);
        let sim = simulation.sim();
        let ssd = Ssd::on_cells(&sim, config, Rc::clone(&cells), oracle, 2, 1);
        let ssd = Rc::new(ssd.expect("there is room"));
        let (mounted, clock) = (Rc::clone(&ssd), sim.clone());
        let mount = simulation.block_on("mount", async move { mounted.mount(&clock).await });
        (simulation, ssd, mount.expect("units meet"))
    };
    let damaged = mount(&config, None).2.expect_err("a page is missing");
    assert_eq!(u64::from(damaged.number), number(last) - 1);
    let mut config = config;
    config.ftl.metadata = Metadata::Scan;
    let (mut simulation, ssd, mounted) = mount(&config, Some(oracle));
    mounted.expect("a scan needs no journal");
    let sim = simulation.sim();
    ssd.start(&sim);
    start(&sim, &ssd, &config, &read_all(&config));
    simulation.run().expect("every request is served");
    assert_eq!(ssd.drive().host().oracle().expect("contents are checked").breaches(), [""; 0]);
}

#[test]
fn a_drive_with_a_journal_serves_what_one_without_does() {
    let mut config = small();
    config.topology.blocks_per_plane = 20;
    config.ftl.metadata = Metadata::Journal { blocks_per_unit: 3 };
    config.ftl.over_provisioning_percent = 100.0;
    let result = checked(&config, &mixed(4000, 8, 1));
    let programs: u64 = result.operations.programs.iter().sum();
    let drive = result.drive;
    assert_eq!(programs, drive.stored_pages + drive.moved_pages + drive.journal_pages);
    assert!(drive.journal_pages > 0 && drive.collections > 0);
}
