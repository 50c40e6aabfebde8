//! What single requests take, to the picosecond, against sums worked by hand.

use std::rc::Rc;

use floatgate_hal::host::Access;
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::Contents;
use floatgate_model::config::{DriveConfig, StepCosts};
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::{Command, Ssd};

use crate::contract::small;

const NS: u64 = 1000;
const US: u64 = 1_000_000;

/// 200 MB/s on the bus, 500 MB/s on the link: a page of 2048 bytes.
const BUS_PAGE: u64 = 2048 * 5 * NS;
const LINK_PAGE: u64 = 2048 * 2 * NS;
/// From the submission until firmware sees a command.
const SEEN: u64 = 800 * NS;
const READ_COMMAND: u64 = 300 * NS;
const PROGRAM_COMMAND: u64 = 300 * NS;
const STATUS: u64 = 100 * NS;

/// The latencies of commands that are submitted one after the other, or all at once.
fn latencies(config: &DriveConfig, commands: &[(Access, u64)], at_once: bool) -> (u64, u64) {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, config, Contents::Stamps, 1, 1).expect("there is room"));
    let (drive, clock, commands) = (Rc::clone(&ssd), sim.clone(), commands.to_vec());
    let end = simulation.block_on("host", async move {
        let host = drive.drive().host();
        for (access, page) in commands {
            let (sector, wanted) = (4 * page, clock.now());
            host.submit(Command { access, sector, sectors: 4, wanted, flow: 0 }).await;
            if !at_once {
                host.drain().await;
            }
        }
        host.drain().await;
    });
    end.expect("every request is served");
    let statistics = ssd.drive().host().statistics();
    let max = |of: Option<Picoseconds>| of.map_or(0, |latency| latency.0);
    (max(statistics.reads.max()), max(statistics.writes.max()))
}

fn without_costs() -> DriveConfig {
    let mut config = small();
    config.firmware.cost_ns = StepCosts::default();
    config
}

#[test]
fn a_write_and_a_read_take_the_sum_of_their_parts() {
    let (read, write) =
        latencies(&without_costs(), &[(Access::Write, 0), (Access::Read, 0)], false);
    assert_eq!(write, SEEN + LINK_PAGE + PROGRAM_COMMAND + BUS_PAGE + 200 * US + STATUS);
    assert_eq!(read, SEEN + READ_COMMAND + 25 * US + BUS_PAGE + LINK_PAGE);
}

/// The second page of a block is of the slower type.
#[test]
fn page_types_have_their_own_times() {
    // Striped over 8 planes: pages 0 and 8 are the first two of one block.
    let writes = [(Access::Write, 0), (Access::Write, 8), (Access::Read, 8)];
    let (read, write) = latencies(&without_costs(), &writes, false);
    assert_eq!(write, SEEN + LINK_PAGE + PROGRAM_COMMAND + BUS_PAGE + 600 * US + STATUS);
    assert_eq!(read, SEEN + READ_COMMAND + 40 * US + BUS_PAGE + LINK_PAGE);
}

/// Pages 0 and 1 are on two channels, 0 and 2 on two dies of one channel, 0 and 4 on one die.
#[test]
fn channels_dies_and_link_are_shared_as_they_are() {
    let last_of = |other: u64| {
        let writes = [(Access::Write, 0), (Access::Write, other)];
        latencies(&without_costs(), &writes, true).1
    };
    let alone = SEEN + LINK_PAGE + PROGRAM_COMMAND + BUS_PAGE + 200 * US + STATUS;
    // Its data come over the link behind those of the first.
    assert_eq!(last_of(1), alone + LINK_PAGE);
    // .. and over the bus behind them too.
    assert_eq!(last_of(2), alone + PROGRAM_COMMAND + BUS_PAGE);
    // .. and it is programmed when the first page is.
    assert_eq!(last_of(4), alone + PROGRAM_COMMAND + BUS_PAGE + 200 * US + STATUS);
}

/// Costs of 500 ns to accept, 200 to translate and 300 to report, on one core or two.
#[test]
fn steps_of_firmware_take_their_time_on_its_cores() {
    let reads = [(Access::Read, 0), (Access::Read, 1)];
    // Nothing is written there, so zeros cross the link at once.
    let (one, _) = latencies(&small(), &reads[..1], true);
    assert_eq!(one, SEEN + 500 * NS + 200 * NS + LINK_PAGE + 300 * NS);
    let mut config = small();
    config.firmware.cores = 2;
    let (two_cores, _) = latencies(&config, &reads, true);
    // Both are accepted at a time; the second waits for the link alone.
    assert_eq!(two_cores, one + LINK_PAGE);
    let (one_core, _) = latencies(&small(), &reads, true);
    // The first is translated when the second has been accepted, and sent so much later.
    assert_eq!(one_core, two_cores + 500 * NS);
}
