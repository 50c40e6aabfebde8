//! Power is cut whenever something changes on the flash, and just before it: the drive comes up
//! again, gives back every write that it had reported, and goes on working.

use std::rc::Rc;
use std::sync::Arc;

use floatgate_firmware::drive::DriveCounts;
use floatgate_firmware::ftl::{Metadata, Placement, Trims, VictimPolicy};
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{Cells, Contents, PlanesTogether};
use floatgate_model::config::{CacheConfig, DieConfig, DriveConfig, TopologyConfig, WriteBuffer};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::{
    Bound, Flow, KindWeights, Pace, Pattern, Phase, Region, Sizes, Workload,
};
use floatgate_model::sim::{Sim, Simulation};
use floatgate_model::ssd::{Kept, Oracle, Ssd, start_flows};

use crate::contract::{mixed, small};

/// Small enough to be cut everywhere, and full enough to collect all the time.
pub(crate) fn tight() -> DriveConfig {
    let mut config = small();
    config.topology = TopologyConfig {
        channels: 2,
        dies_per_channel: 1,
        planes: 1,
        blocks_per_plane: 10,
        pages_per_block: 4,
        page_bytes: 2048,
        joined_planes: false,
    };
    config.ftl.over_provisioning_percent = 110.0;
    config.ftl.reserve_blocks = 2;
    config.ftl.trims = Trims::OnFlash;
    config.firmware.workers = 8;
    config
}

/// Reads all of the drive in order.
pub(crate) fn read_all(config: &DriveConfig) -> Workload {
    let phase = Phase {
        name: String::new(),
        until: Bound::Requests(config.user_pages().into()),
        pace: Pace::Closed { queue_depth: 4, think_ns: 0 },
        region: Region::default(),
        pattern: Pattern::Sequential,
        sizes: Sizes::Bytes(config.topology.page_bytes.into()),
        kinds: KindWeights { read: 1, write: 0, trim: 0 },
        flush_every_writes: 0,
        fua_share: 0.0,
    };
    Workload { seed: 0, flows: vec![Flow { name: "read".into(), phases: vec![phase] }] }
}

pub(crate) fn start(sim: &Sim, ssd: &Rc<Ssd>, config: &DriveConfig, workload: &Workload) {
    let flows = workload.sources(Capacity::of_bytes(config.user_bytes())).expect("it fits");
    drop(start_flows(sim, ssd, flows, &Arc::default()));
}

/// When something changes on the flash under a workload.
fn changes(
    config: &DriveConfig,
    contents: Contents,
    workload: &Workload,
    faults: fn(&Cells),
) -> Vec<Picoseconds> {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, config, contents, 2, 1).expect("there is room"));
    faults(ssd.drive().array().cells());
    start(&sim, &ssd, config, workload);
    let times = Rc::new(std::cell::RefCell::new(Vec::new()));
    let (noted, watched, clock) = (Rc::clone(&times), Rc::clone(&ssd), sim.clone());
    sim.spawn_server("watch", async move {
        loop {
            watched.drive().array().changed().wait().await;
            noted.borrow_mut().push(clock.now());
        }
    });
    simulation.run().expect("every request is served");
    let mut times = times.take();
    times.dedup();
    times
}

/// What a cut leaves.
struct Left {
    cells: Cells,
    oracle: Oracle,
}

impl Left {
    fn of(ssd: &Ssd, config: &DriveConfig) -> Self {
        let host = ssd.drive().host();
        let mut oracle = host.oracle().expect("contents are checked").clone();
        oracle.cut_power(match (config.buffer.pages, config.ftl.metadata) {
            (0, Metadata::Scan) => Kept::Everything,
            (0, Metadata::Journal { .. }) => Kept::Writes,
            _ => Kept::Flushed,
        });
        Self { cells: (**ssd.drive().array().cells()).clone(), oracle }
    }

    /// Mounts, reads everything, serves a workload, and reads everything again; tells the wrong
    /// sectors. `cut_again` cuts the workload short.
    fn go_on(
        self,
        config: &DriveConfig,
        workload: &Workload,
        cut_again: Option<Picoseconds>,
    ) -> Result<Self, Vec<String>> {
        let mut simulation = Simulation::new(1);
        let sim = simulation.sim();
        let (cells, oracle) = (Rc::new(self.cells), Some(self.oracle));
        let ssd = Ssd::on_cells(&sim, config, cells, oracle, 2, 1).expect("there is room");
        let ssd = Rc::new(ssd);
        let (mounted, clock) = (Rc::clone(&ssd), sim.clone());
        let mount = simulation.block_on("mount", async move { mounted.mount(&clock).await });
        let mount = mount.map_err(|error| vec![error.to_string()])?;
        mount.map_err(|error| vec![error.to_string()])?;
        ssd.start(&sim);
        start(&sim, &ssd, config, &read_all(config));
        simulation.run().map_err(|error| vec![format!("reading: {error}")])?;
        start(&sim, &ssd, config, workload);
        match cut_again {
            Some(span) => {
                let time = Picoseconds(sim.now().0 + span.0);
                simulation.run_until(time).map_err(|error| vec![error.to_string()])?;
                return Ok(Self::of(&ssd, config));
            }
            None => simulation.run().map_err(|error| vec![format!("going on: {error}")])?,
        };
        start(&sim, &ssd, config, &read_all(config));
        simulation.run().map_err(|error| vec![format!("reading again: {error}")])?;
        let host = ssd.drive().host();
        let mut wrong = host.oracle().expect("contents are checked").breaches().to_vec();
        if host.statistics().failed > 0 {
            wrong.push(format!("{} requests failed", host.statistics().failed));
        }
        if wrong.is_empty() { Ok(Self::of(&ssd, config)) } else { Err(wrong) }
    }
}

/// Cuts a workload whenever something changes and just before, and tells how often. Cells may have
/// faults from the beginning.
pub(crate) fn cut_everywhere(
    config: &DriveConfig,
    workload: &Workload,
    faults: fn(&Cells),
) -> (usize, DriveCounts) {
    cut_everywhere_keeping(Contents::Stamps, config, workload, faults)
}

/// The same of a drive with such contents.
pub(crate) fn cut_everywhere_keeping(
    contents: Contents,
    config: &DriveConfig,
    workload: &Workload,
    faults: fn(&Cells),
) -> (usize, DriveCounts) {
    let times = changes(config, contents, workload, faults);
    let before = times.iter().map(|time| Picoseconds(time.0 - 1));
    let mut cuts: Vec<Picoseconds> = before.chain(times.iter().copied()).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, config, contents, 2, 1).expect("there is room"));
    faults(ssd.drive().array().cells());
    start(&sim, &ssd, config, workload);
    let after = mixed(60, 4, 9);
    for (index, &cut) in cuts.iter().enumerate() {
        simulation.run_until(cut).expect("every request is served");
        if let Err(wrong) = Left::of(&ssd, config).go_on(config, &after, None) {
            panic!("cut at {cut}: {}", wrong.join("\n"));
        }
        // Of some cuts the time after the mount is cut as well.
        if index % 16 == 0 {
            let span = Picoseconds(index as u64 * 7_919_000_003 % 9_000_000_000);
            let again = Left::of(&ssd, config).go_on(config, &after, Some(span));
            let end = again.and_then(|left| left.go_on(config, &after, None));
            end.unwrap_or_else(|wrong| {
                panic!("cut at {cut}, and again {span} after it: {}", wrong.join("\n"))
            });
        }
    }
    let counts = ssd.drive().counts();
    assert!(counts.collections > 10, "the workload hardly collects: {counts:?}");
    (cuts.len(), counts)
}

/// Cuts a drive again and again, at times that follow from the number of the cut.
pub(crate) fn cut_again_and_again(config: &DriveConfig, contents: Contents) {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, config, contents, 2, 1).expect("there is room"));
    start(&sim, &ssd, config, &mixed(150, 4, 2));
    simulation.run_until(Picoseconds(20_000_000_000)).expect("requests are served");
    let mut left = Left::of(&ssd, config);
    for cut in 1..=200 {
        let span = Picoseconds(cut * 7_919_000_003 % 9_000_000_000);
        let next = left.go_on(config, &mixed(100, 4, 100 + cut), Some(span));
        left = next.unwrap_or_else(|wrong| panic!("cut {cut}: {}", wrong.join("\n")));
    }
    let end = left.go_on(config, &mixed(100, 4, 99), None);
    assert!(end.is_ok(), "{:?}", end.err());
}

#[test]
fn nothing_that_was_reported_is_lost_wherever_power_is_cut() {
    let (cuts, _) = cut_everywhere(&tight(), &mixed(150, 4, 2), |_| {});
    println!("{cuts} cuts");
}

#[test]
fn no_policy_or_placement_loses_anything() {
    for victim in [VictimPolicy::Fifo, VictimPolicy::CostBenefit] {
        for separate_moved in [false, true] {
            let mut config = tight();
            config.ftl.victim = victim;
            config.ftl.separate_moved = separate_moved;
            config.ftl.placement = Placement::RoundRobin;
            cut_everywhere(&config, &mixed(60, 4, 3), |_| {});
        }
    }
}

/// What was flushed, or written through, is there; other writes are there or not, never mixed.
#[test]
fn nothing_that_was_flushed_is_lost_from_a_buffer() {
    let mut config = tight();
    config.buffer = WriteBuffer { pages: 8, flushers: 2, flush_above: 6, flush_down_to: 3 };
    let mut workload = mixed(100, 4, 5);
    for flow in &mut workload.flows {
        flow.phases[0].flush_every_writes = 9;
    }
    cut_everywhere(&config, &workload, |_| {});
}

/// Dies that program several planes at once, with the next data in their registers.
pub(crate) fn planes_and_caches(planes_together: PlanesTogether) -> DieConfig {
    let cache = CacheConfig::On { busy_us: 3.0 };
    DieConfig {
        planes_together,
        t_plane_busy_us: 0.5,
        cache_program: cache,
        cache_read: cache,
        suspend: crate::die_suspend::SUSPEND,
    }
}

/// Each page that had begun is torn.
#[test]
fn nothing_is_lost_where_planes_and_caches_overlap() {
    for planes_together in [PlanesTogether::SamePage, PlanesTogether::Any] {
        let mut config = tight();
        (config.topology.channels, config.topology.planes) = (1, 2);
        config.dies = planes_and_caches(planes_together);
        let (cuts, _) = cut_everywhere(&config, &mixed(100, 8, 2), |_| {});
        println!("{planes_together:?}: {cuts} cuts");
    }
}

#[test]
fn a_drive_that_is_cut_again_and_again_loses_nothing() {
    for contents in [Contents::Stamps, Contents::Bytes] {
        cut_again_and_again(&tight(), contents);
    }
}
