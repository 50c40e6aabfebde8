//! Blocks whose data are never written, and blocks that are read very often: their data are moved,
//! and that costs what it has to.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use floatgate_firmware::ftl::WearLimits;
use floatgate_hal::array::{Origin, UnitIndex};
use floatgate_model::array::Contents;
use floatgate_model::config::{DriveConfig, Precondition};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::{
    Bound, Extent, KindWeights, Pattern, Region, Sizes, Workload,
};
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::{Ssd, start_flows};

use crate::contract::{mixed, small};

/// A full drive.
fn full(wear: WearLimits) -> DriveConfig {
    let mut config = small();
    config.topology.blocks_per_plane = 32;
    config.precondition = Precondition::Filled(1.0);
    config.ftl.wear = wear;
    config
}

/// Requests for whole pages at the beginning of the drive.
fn at_the_beginning(requests: u64, bytes: u64, kinds: KindWeights) -> Workload {
    let mut workload = mixed(requests, 8, 1);
    workload.flows.truncate(1);
    let phase = &mut workload.flows[0].phases[0];
    phase.until = Bound::Requests(requests);
    phase.region = Region { offset: Extent::Bytes(0), size: Extent::Bytes(bytes) };
    (phase.pattern, phase.sizes, phase.kinds) = (Pattern::Uniform, Sizes::Bytes(2048), kinds);
    workload
}

/// Runs a load with contents checked.
fn run(config: &DriveConfig, workload: &Workload) -> Rc<Ssd> {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, config, Contents::Stamps, 1, 1).expect("there is room"));
    let flows = workload.sources(Capacity::of_bytes(config.user_bytes())).expect("it fits");
    drop(start_flows(&sim, &ssd, flows, &Arc::default()));
    simulation.run().expect("every request is served");
    let host = ssd.drive().host();
    assert_eq!(host.oracle().expect("contents are checked").breaches(), [""; 0]);
    assert_eq!(host.statistics().failed, 0);
    ssd
}

/// What came of a load on a tenth of the pages.
struct Wear {
    /// The greatest difference of erasures of two blocks of a unit.
    spread: u32,
    /// The fewest erasures of a block.
    least: u32,
    amplification: f64,
    /// Pages moved to level wear.
    levelled: u64,
}

fn wear(erase_spread: u32) -> Wear {
    let config = full(WearLimits { erase_spread, ..WearLimits::default() });
    let hot = config.user_bytes() / 10;
    let writes = KindWeights { read: 0, write: 1, trim: 0 };
    let ssd = run(&config, &at_the_beginning(150_000, hot, writes));
    let drive = ssd.drive();
    let geometry = drive.ftl().geometry();
    let (mut spread, mut least) = (0, u32::MAX);
    for unit in (0..geometry.units).map(UnitIndex) {
        let blocks = (0..geometry.blocks_per_unit).map(|index| geometry.block(unit, index));
        let erases: Vec<u32> = blocks.map(|block| drive.array().cells().cycles(block)).collect();
        let (min, max) = (erases.iter().min(), erases.iter().max());
        let (&min, &max) = (min.expect("it has blocks"), max.expect("it has blocks"));
        (spread, least) = (spread.max(max - min), least.min(min));
    }
    let counts = drive.counts();
    Wear {
        spread,
        least,
        amplification: (counts.stored_pages + counts.moved_pages) as f64 / counts.host_pages as f64,
        levelled: drive.array().usage().counts().programs[Origin::Levelling as usize],
    }
}

/// Without levelling, blocks whose data are not written are never erased.
#[test]
fn levelling_lets_all_blocks_wear_alike() {
    let never = wear(0);
    println!("never: spread {}, write amplification {:.3}", never.spread, never.amplification);
    assert_eq!((never.least, never.levelled), (0, 0));
    assert!(never.spread > 100, "{}", never.spread);
    for most in [32, 16, 8, 4] {
        let Wear { spread, amplification, levelled, .. } = wear(most);
        println!(
            "above {most}: spread {spread}, write amplification {amplification:.3}, {levelled} \
             pages moved to level"
        );
        // One block is levelled after each collection, so it is exceeded a little.
        assert!(spread <= most + 4, "{spread}, not {most}");
        assert!(levelled > 0 && amplification > never.amplification);
    }
}

/// No block is read much more often than it may be, whatever is read.
#[test]
fn blocks_that_are_read_often_are_written_anew() {
    const MOST: u32 = 500;
    let config = full(WearLimits { block_reads: MOST, ..WearLimits::default() });
    let requests = 40_000;
    // Four pages, in four units.
    let load = at_the_beginning(requests, 4 * 2048, KindWeights { read: 1, write: 0, trim: 0 });
    let ssd = run(&config, &load);
    let drive = ssd.drive();
    let counts = drive.array().usage().counts();
    let erased = counts.erases[Origin::Reclaim as usize];
    println!("{erased} blocks erased for {requests} reads, {MOST} reads at most of a block");
    let expected = requests / u64::from(MOST);
    assert!((expected * 8 / 10..=expected).contains(&erased), "{erased} of {expected}");
    assert_eq!(counts.erases.iter().sum::<u64>(), erased);
    let moved = counts.programs[Origin::Reclaim as usize];
    assert!(moved <= erased * u64::from(config.topology.pages_per_block), "{moved} pages");
}

/// A full drive whose data have lain for three months: each block is written anew once, and has few
/// errors then.
#[test]
fn blocks_with_many_errors_are_written_anew() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let errors = format!(
        "(model: Mlc2yNm, page_factors: [0.8, 1.2], initial_cycles: 3000, retention_days: 90, \
         code: {:?}, calibration: {:?}, strength: 40, codec_clock_ps: 5000)",
        project.join("configs/ecc/k1-m14-t40.ron"),
        project.join("configs/calibration"),
    );
    let config = full(WearLimits { corrected_bits: 10, ..WearLimits::default() });
    let text = ron::to_string(&config).expect("a configuration has a text");
    let file = tempfile::NamedTempFile::new().expect("a file");
    let text = text.replacen('(', &format!("(errors:{errors},"), 1);
    std::fs::write(file.path(), text).expect("a file");
    let config = DriveConfig::load(file.path()).unwrap_or_else(|error| panic!("{error}"));
    let reads = KindWeights { read: 1, write: 0, trim: 0 };
    let bytes = config.user_bytes();
    let erased = |requests| {
        let ssd = run(&config, &at_the_beginning(requests, bytes, reads));
        ssd.drive().array().usage().counts().erases[Origin::Reclaim as usize]
    };
    let pages = u64::from(config.user_pages());
    let blocks = pages / u64::from(config.topology.pages_per_block);
    let (some, all, again) = (erased(pages / 20), erased(5 * pages), erased(10 * pages));
    println!("{some}, {all}, {again} of {blocks} blocks with data erased");
    assert!(some > 0 && some < all, "{some}, {all}");
    assert!((blocks * 9 / 10..=blocks).contains(&all), "{all} of {blocks}");
    assert!(again <= blocks + blocks / 20, "{again} of {blocks}");
}
