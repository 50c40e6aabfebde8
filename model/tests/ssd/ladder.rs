//! Blocks that are encoded as strongly as their errors ask for: nothing is lost where a weak code
//! loses pages, and a drive without wear is as fast as with the weakest code.

use std::path::Path;
use std::rc::Rc;

use floatgate_firmware::ftl::{BlockState, Ftl, Metadata, Trims};
use floatgate_hal::array::{BlockId, Level};
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::Contents;
use floatgate_model::config::{DriveConfig, PowerConfig, Precondition};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::{KindWeights, Pattern, Sizes, Workload};
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::{Component, Part, RunResult, Ssd, Words, run};

use crate::contract::{mixed, small};
use crate::power_cuts::{cut_everywhere, start, tight};

/// A strength and a margin, and stronger ones.
pub(crate) const FIXED_24: &str = "strength: 24";
const FIXED_40: &str = "strength: 40";
pub(crate) const LADDER: &str = "strength: 24, ladder: (stronger: [32, 40], margin_bits: 6)";

/// The drive with 25 nm TLC whose raw bit error rates have this factor, after so many cycles.
pub(crate) fn with_errors(
    config: &DriveConfig,
    strengths: &str,
    factor: f64,
    cycles: u32,
) -> Result<DriveConfig, String> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let errors = format!(
        "(model: Tlc25Nm, page_factors: [{factor:?}, {factor:?}], initial_cycles: {cycles}, \
         retention_days: 0, code: {:?}, calibration: {:?}, codec_clock_ps: 5000, {strengths})",
        project.join("configs/ecc/k1-m14-t40.ron"),
        project.join("configs/calibration"),
    );
    let text = ron::to_string(config).expect("a configuration has a text");
    let file = tempfile::NamedTempFile::new().expect("a file");
    let text = text.replacen('(', &format!("(errors:{errors},"), 1);
    std::fs::write(file.path(), text).expect("a file");
    DriveConfig::load(file.path()).map_err(|error| error.to_string())
}

/// A full drive of two units that can be worn out within a test.
pub(crate) fn short_lived(strengths: &str, factor: f64, cycles: u32) -> DriveConfig {
    let mut config = small();
    (config.topology.channels, config.topology.planes) = (1, 1);
    config.precondition = Precondition::Filled(1.0);
    config.power = Some(PowerConfig {
        vcc_v: 3.3,
        read_ma: 25.0,
        program_ma: 25.0,
        erase_ma: 25.0,
        bus_pj_per_byte: 300.0,
        standby_ma: 0.0,
        ecc_pj_per_byte: 0.0,
        ecc_pj_per_byte_and_bit: 2.0,
        controller_w: 0.0,
    });
    with_errors(&config, strengths, factor, cycles).unwrap_or_else(|error| panic!("{error}"))
}

/// As many reads as writes, of whole pages everywhere.
pub(crate) fn everywhere(requests: u64) -> Workload {
    let mut workload = mixed(requests, 8, 1);
    workload.flows.truncate(1);
    let phase = &mut workload.flows[0].phases[0];
    (phase.pattern, phase.sizes) = (Pattern::Uniform, Sizes::Bytes(2048));
    phase.kinds = KindWeights { read: 1, write: 1, trim: 0 };
    (phase.flush_every_writes, phase.fua_share) = (0, 0.0);
    workload
}

fn live(config: &DriveConfig, requests: u64) -> RunResult {
    let flows = everywhere(requests).sources(Capacity::of_bytes(config.user_bytes()));
    let flows = flows.expect("it fits");
    let result = run(config, Contents::Stamps, flows, 1, &Default::default());
    let result = result.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(result.breaches, [""; 0]);
    result
}

/// Blocks by level.
fn histogram(result: &RunResult) -> Vec<u32> {
    let ladder = result.ladder.as_ref().expect("the drive has a ladder");
    ladder.blocks.iter().map(|(_, blocks)| *blocks).collect()
}

const LIFE: u64 = 700_000;

/// The blocks of a drive become old. With a weak code pages are lost in the end; with the ladder
/// blocks get stronger codes in time.
#[test]
fn a_worn_drive_loses_pages_with_a_weak_code_and_none_with_the_ladder() {
    let weak = live(&short_lived(FIXED_24, 1.0, 1000), LIFE);
    let ladder = live(&short_lived(LADDER, 1.0, 1000), LIFE);
    let cycles = ladder.operations.erases.iter().sum::<u64>() / 32;
    println!(
        "{cycles} cycles: t 24 lost {} pages and failed {} requests; ladder {:?}, {:?}",
        weak.drive.lost_pages,
        weak.host.failed,
        histogram(&ladder),
        ladder.ladder
    );
    assert!(weak.drive.lost_pages + weak.host.failed > 10);
    assert_eq!((ladder.drive.lost_pages, ladder.host.failed), (0, 0));
    let blocks = histogram(&ladder);
    assert_eq!(blocks.iter().sum::<u32>() + ladder.drive.bad_blocks as u32, 32);
    assert!(blocks[1] + blocks[2] > 16, "{blocks:?}");
    let again = live(&short_lived(LADDER, 1.0, 1000), LIFE);
    assert_eq!((again.ladder, again.span), (ladder.ladder, ladder.span));
}

fn ecc_us(result: &RunResult) -> f64 {
    result.host.read_parts.all().mean_ps(Part::Ecc) / 1e6
}

/// Without wear no block needs more than the weakest code: all is as with that. A stronger one for
/// all takes longer, and more energy.
#[test]
fn a_new_drive_decodes_as_fast_as_with_the_weakest_code() {
    let of = |strengths| live(&short_lived(strengths, 0.2, 0), 5000);
    let (weak, ladder, strong) = (of(FIXED_24), of(LADDER), of(FIXED_40));
    let ecc_j =
        |result: &RunResult| result.energy_j.expect("it is counted")[Component::Ecc as usize];
    println!(
        "decoding a page takes {:.3} us with t 24, {:.3} with the ladder, {:.3} with t 40; energy \
         {:.3}, {:.3}, {:.3} mJ",
        ecc_us(&weak),
        ecc_us(&ladder),
        ecc_us(&strong),
        1e3 * ecc_j(&weak),
        1e3 * ecc_j(&ladder),
        1e3 * ecc_j(&strong)
    );
    assert_eq!(histogram(&ladder), [32, 0, 0]);
    assert_eq!((ladder.span, &ladder.energy_j), (weak.span, &weak.energy_j));
    assert_eq!(ladder.host.read_parts, weak.host.read_parts);
    assert!(ecc_us(&strong) > ecc_us(&weak) * 1.1);
    // Programs and reads both go through the codec.
    let pages =
        |of: &RunResult| of.operations.reads.iter().chain(&of.operations.programs).sum::<u64>();
    for (result, t) in [(&weak, 24.0), (&strong, 40.0)] {
        let expected_j = pages(result) as f64 * 2048.0 * t * 2e-12;
        assert!((ecc_j(result) / expected_j - 1.0).abs() < 1e-9, "t {t}");
    }
}

/// Blocks that outgrow the highest level go out of use, but not more than their unit can spare: of
/// 16 blocks, ten hold its data, three are free, two are open, and one is for collection.
#[test]
fn blocks_that_outgrow_the_ladder_are_retired_while_there_are_others() {
    let strengths = "strength: 20, ladder: (stronger: [24], margin_bits: 12)";
    let mut config = short_lived(strengths, 1.0, 3000);
    config.topology.blocks_per_plane = 24;
    config.ftl.over_provisioning_percent = 150.0;
    let result = live(&config, 50_000);
    let counts = result.ladder.as_ref().expect("it has one").counts;
    println!("{counts:?}, {:?}", histogram(&result));
    assert_eq!(u64::from(counts.retired), result.drive.bad_blocks);
    assert_eq!(histogram(&result), [0, 2 * 16]);
    assert_eq!(counts.retired, 2 * (24 - 16));
}

/// Level of every block that can hold data.
fn levels(ftl: &Ftl<Words>, is_asked: impl Fn(BlockState) -> bool) -> Vec<(u32, Level)> {
    let geometry = ftl.geometry();
    let blocks = (0..geometry.blocks()).filter(|&block| is_asked(ftl.block(BlockId(block))));
    blocks.map(|block| (block, ftl.level(geometry.page(BlockId(block), 0)))).collect()
}

/// What a mount of a copy of a drive's cells finds.
fn mounted(config: &DriveConfig, ssd: &Ssd) -> Rc<Ssd> {
    let cells = Rc::new((**ssd.drive().array().cells()).clone());
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let other = Ssd::on_cells(&sim, config, cells, None, 2, 1).expect("there is room");
    let other = Rc::new(other);
    let (mounted, clock) = (Rc::clone(&other), sim.clone());
    let mount = simulation.block_on("mount", async move { mounted.mount(&clock).await });
    mount.expect("units meet").expect("a whole journal");
    other
}

/// Power is cut again and again: a journal tells the levels of all blocks, a scan those of the
/// blocks that are full.
#[test]
fn levels_are_known_after_a_mount() {
    for metadata in [Metadata::Journal { blocks_per_unit: 4 }, Metadata::Scan] {
        let mut config = short_lived(LADDER, 1.0, 3000);
        config.topology.blocks_per_plane = 24;
        config.ftl.metadata = metadata;
        config.ftl.over_provisioning_percent = 80.0;
        config.firmware.workers = 4;
        let mut simulation = Simulation::new(1);
        let sim = simulation.sim();
        let ssd = Ssd::fresh(&sim, &config, Contents::Stamps, 2, 1).expect("there is room");
        let ssd = Rc::new(ssd);
        start(&sim, &ssd, &config, &everywhere(3000));
        let is_asked = |state| match state {
            BlockState::Full(_) => true,
            BlockState::Free | BlockState::Erased | BlockState::Open => metadata != Metadata::Scan,
            _ => false,
        };
        let mut most = 0;
        for cut in 1..=1000 {
            simulation.run_until(Picoseconds(cut * 1_000_000_000)).expect("they are served");
            let before = levels(ssd.drive().ftl(), is_asked);
            let after = levels(mounted(&config, &ssd).drive().ftl(), |_| true);
            for block in &before {
                assert!(after.contains(block), "{block:?} is otherwise after cut {cut}");
            }
            most = before.iter().filter(|(_, level)| *level > Level(0)).count();
        }
        println!("{most} blocks raised in the end, {:?}", sim.now());
        assert!(most > 10);
    }
}

/// Blocks are raised all the time while power is cut.
#[test]
fn nothing_is_lost_wherever_power_is_cut_while_blocks_are_raised() {
    let (config, workload) = raising();
    let (cuts, counts) = cut_everywhere(&config, &workload, |_| {});
    println!("{cuts} cuts, {counts:?}");
}

/// A drive, and a load under which its blocks outgrow their levels.
pub(crate) fn raising() -> (DriveConfig, Workload) {
    let mut config = tight();
    config.topology.page_bytes = 1024;
    config.topology.blocks_per_plane = 16;
    config.ftl.over_provisioning_percent = 102.0;
    config.firmware.workers = 4;
    config.ftl.metadata = Metadata::Journal { blocks_per_unit: 3 };
    config.ftl.trims = Trims::InMemory;
    let strengths = "strength: 24, ladder: (stronger: [32, 40], margin_bits: 20)";
    let config = with_errors(&config, strengths, 1.0, 0).unwrap_or_else(|error| panic!("{error}"));
    let mut workload = mixed(40, 4, 2);
    for flow in &mut workload.flows {
        flow.phases[0].flush_every_writes = 5;
    }
    (config, workload)
}

#[test]
fn ladders_that_cannot_be_are_refused() {
    let mut config = small();
    let bus = config.bus.as_mut().expect("it is given");
    bus.sector_bytes = 540;
    let refused = |ladder: &str| {
        let strengths = format!("strength: 8, ladder: ({ladder})");
        with_errors(&config, &strengths, 1.0, 0).expect_err("it is refused")
    };
    for (ladder, complaint) in [
        ("stronger: [], margin_bits: 1", "ladder.stronger`: has 0, must be 1 to 7"),
        ("stronger: [12, 12], margin_bits: 1", "ladder.stronger`: is not ascending from 8 on"),
        ("stronger: [12], margin_bits: 8", "ladder.margin_bits`: is 8, must be less than 8"),
        ("stronger: [41], margin_bits: 1", "is 41, which `k1-m14-t40` does not have"),
        ("stronger: [16, 40], margin_bits: 1", "is 40, whose codewords have 1094 bytes of 1080"),
    ] {
        let line = refused(ladder);
        assert!(line.contains(complaint), "{line}");
    }
}
