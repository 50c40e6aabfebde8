//! Blocks that fail and pages that cannot be read: the drive works around them, and says what is
//! lost.

use std::rc::Rc;

use floatgate_hal::array::{Lpn, UnitIndex};
use floatgate_model::array::{Cells, Contents, PlanesTogether};
use floatgate_model::config::{DieConfig, DriveConfig, Precondition};
use floatgate_model::host::workload::{KindWeights, Pattern, Sizes};
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::{HostStatistics, Ssd};

use crate::contract::{mixed, small};
use crate::power_cuts::{planes_and_caches, read_all, start};

/// Runs a mixed load after something was done to the cells; tells what the host saw.
fn after(spoil: impl FnOnce(&Cells)) -> (Rc<Ssd>, HostStatistics) {
    after_of(DieConfig::default(), spoil)
}

fn after_of(dies: DieConfig, spoil: impl FnOnce(&Cells)) -> (Rc<Ssd>, HostStatistics) {
    let config = DriveConfig { dies, ..small() };
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, &config, Contents::Bytes, 2, 1).expect("there is room"));
    spoil(ssd.drive().array().cells());
    start(&sim, &ssd, &config, &mixed(4000, 8, 1));
    simulation.run().expect("every request is served");
    let host = ssd.drive().host();
    assert_eq!(host.oracle().expect("contents are checked").breaches(), [""; 0]);
    let statistics = host.statistics().clone();
    assert_eq!(statistics.completed(), host.submitted());
    (ssd, statistics)
}

#[test]
fn blocks_whose_programs_fail_are_replaced() {
    let (ssd, host) = after(|cells| {
        for unit in 0..3 {
            cells.fail_programs(cells.geometry().block(UnitIndex(unit), 2));
        }
    });
    assert_eq!((ssd.drive().counts().bad_blocks, host.failed), (3, 0));
}

#[test]
fn blocks_whose_erasures_fail_are_replaced() {
    let (ssd, host) = after(|cells| {
        for unit in 0..3 {
            cells.fail_erases(cells.geometry().block(UnitIndex(unit), 0));
        }
    });
    assert_eq!((ssd.drive().counts().bad_blocks, host.failed), (3, 0));
}

/// Of operations on several planes only those fail whose blocks do.
#[test]
fn a_plane_that_fails_leaves_the_others_alone() {
    for planes_together in [PlanesTogether::SamePage, PlanesTogether::Any] {
        let (ssd, host) = after_of(planes_and_caches(planes_together), |cells| {
            let block = |unit, index| cells.geometry().block(UnitIndex(unit), index);
            cells.fail_programs(block(0, 2));
            cells.fail_programs(block(5, 3));
            cells.fail_erases(block(1, 0));
        });
        assert_eq!((ssd.drive().counts().bad_blocks, host.failed), (3, 0), "{planes_together:?}");
    }
}

/// A page that cannot be read is an error each time, also once collection has given it up, until it
/// is written again.
#[test]
fn a_page_that_cannot_be_read_is_lost_until_it_is_written() {
    let lost = Lpn(5);
    let config = DriveConfig { precondition: Precondition::Filled(1.0), ..small() };
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, &config, Contents::Bytes, 2, 1).expect("there is room"));
    let drive = ssd.drive();
    let place = drive.ftl().lookup(lost).expect("the drive is full");
    drive.array().cells().spoil(place);
    let failed = || drive.host().statistics().failed;
    start(&sim, &ssd, &config, &read_all(&config));
    simulation.run().expect("every request is served");
    assert_eq!(failed(), 1);
    // All pages behind it are overwritten until its block has been collected.
    let mut others = mixed(6000, 8, 1);
    for flow in &mut others.flows {
        let phase = &mut flow.phases[0];
        phase.kinds = KindWeights { read: 0, write: 1, trim: 0 };
        (phase.sizes, phase.pattern) = (Sizes::Bytes(2048), Pattern::Uniform);
        let page = config.topology.page_bytes;
        phase.region = behind(u64::from((lost.0 + 1) * page), config.user_bytes());
    }
    start(&sim, &ssd, &config, &others);
    simulation.run().expect("every request is served");
    assert_eq!((drive.counts().lost_pages, drive.ftl().is_lost(lost)), (1, true));
    start(&sim, &ssd, &config, &read_all(&config));
    simulation.run().expect("every request is served");
    assert_eq!(failed(), 2);
    let mut again = read_all(&config);
    again.flows[0].phases[0].kinds = KindWeights { read: 0, write: 1, trim: 0 };
    start(&sim, &ssd, &config, &again);
    simulation.run().expect("every request is served");
    start(&sim, &ssd, &config, &read_all(&config));
    simulation.run().expect("every request is served");
    assert_eq!(failed(), 2);
}

/// What lies behind an offset.
fn behind(offset: u64, bytes: u64) -> floatgate_model::host::workload::Region {
    use floatgate_model::host::workload::{Extent, Region};
    Region { offset: Extent::Bytes(offset), size: Extent::Bytes(bytes - offset) }
}
