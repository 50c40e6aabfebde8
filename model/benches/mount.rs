//! How long a drive takes to come up after a power cut, by a scan and by a journal, at several
//! capacities: simulated time, pages read, and what the journal costs in writes before.
//!
//! The times of `configs/drives/peer-d.ron`, but 4 channels with 2 dies of one plane, and 60 %
//! over-provisioning. Filled, then overwritten at random for a twentieth of the user's pages, a
//! tenth of the requests trims, and then mounted as after a power cut.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use floatgate_firmware::ftl::{JournalLayout, Metadata};
use floatgate_hal::array::Origin;
use floatgate_model::array::Contents;
use floatgate_model::config::{Check, DriveConfig};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::{
    Bound, Flow, KindWeights, Pace, Pattern, Phase, Region, Sizes, Workload,
};
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::{Ssd, start_flows};

const SEED: u64 = 1;

fn main() {
    println!("flash    by        pages read    mount ms  journal pages of 100 programmed");
    for blocks_per_plane in [32, 64, 128, 256, 512, 1024] {
        for has_journal in [false, true] {
            let config = drive(blocks_per_plane, has_journal);
            let (pages, ms, share) = measure(&config);
            let name = if has_journal { "journal" } else { "scan" };
            let gib = config.flash_bytes() as f64 / f64::from(1 << 30);
            println!("{gib:4} GiB {name:8} {pages:11} {ms:11.2} {share:9.2}");
        }
    }
}

fn drive(blocks_per_plane: u32, has_journal: bool) -> DriveConfig {
    let drives = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/drives"));
    let config = DriveConfig::load(drives.join("peer-d.ron"));
    let mut config = config.unwrap_or_else(|error| panic!("{error}"));
    config.topology.channels = 4;
    config.topology.dies_per_channel = 2;
    config.topology.planes = 1;
    config.topology.blocks_per_plane = blocks_per_plane;
    config.ftl.over_provisioning_percent = 60.0;
    config.ftl.reserve_blocks = 2;
    if has_journal {
        let layout = JournalLayout::new(&config.topology().geometry(), config.user_pages());
        config.ftl.metadata = Metadata::Journal { blocks_per_unit: layout.least_segments };
    }
    config.check().unwrap_or_else(|fault| panic!("{fault:?}"));
    config
}

fn load(config: &DriveConfig) -> Workload {
    let phase = Phase {
        name: String::new(),
        until: Bound::Requests(u64::from(config.user_pages() / 20)),
        pace: Pace::Closed { queue_depth: 32, think_ns: 0 },
        region: Region::default(),
        pattern: Pattern::Uniform,
        sizes: Sizes::Bytes(8192),
        kinds: KindWeights { read: 0, write: 9, trim: 1 },
        flush_every_writes: 100,
        fua_share: 0.0,
    };
    Workload { seed: SEED, flows: vec![Flow { name: "load".into(), phases: vec![phase] }] }
}

/// Pages read by a mount, its milliseconds, and the journal's share of the pages programmed before,
/// in per cent.
fn measure(config: &DriveConfig) -> (u64, f64, f64) {
    let mut simulation = Simulation::new(SEED);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, config, Contents::Stamps, 1, SEED).expect("it has room"));
    let flows = load(config).sources(Capacity::of_bytes(config.user_bytes())).expect("it fits");
    drop(start_flows(&sim, &ssd, flows, &Arc::default()));
    simulation.run().expect("every request is served");
    let programs = ssd.drive().array().usage().counts().programs;
    let share = programs[Origin::Journal as usize] as f64 / programs.iter().sum::<u64>() as f64;
    let cells = Rc::clone(ssd.drive().array().cells());
    drop((simulation, ssd, sim));

    let mut simulation = Simulation::new(SEED);
    let sim = simulation.sim();
    let ssd = Ssd::on_cells(&sim, config, cells, None, 1, SEED).expect("it has room");
    let ssd = Rc::new(ssd);
    let (mounted, clock) = (Rc::clone(&ssd), sim.clone());
    let mount = simulation.block_on("mount", async move { mounted.mount(&clock).await });
    mount.expect("units meet").expect("a whole journal");
    let reads = ssd.drive().array().usage().counts().reads;
    (reads[Origin::Mount as usize], sim.now().0 as f64 / 1e9, 100.0 * share)
}
