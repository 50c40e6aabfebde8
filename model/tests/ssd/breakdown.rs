//! Where the latency of requests goes: parts by hand, and parts that add up whatever the load.

use std::rc::Rc;

use floatgate_hal::host::Access;
use floatgate_model::array::Contents;
use floatgate_model::config::{DriveConfig, StepCosts, WriteBuffer};
use floatgate_model::sim::{LatencyHistogram, Simulation};
use floatgate_model::ssd::{Breakdown, Command, HostStatistics, Part, Ssd};

use crate::contract::{checked, mixed, small};

const NS: u128 = 1000;
const US: u128 = 1_000_000;

/// Single pages written and read one after the other, or all at once.
fn host(config: &DriveConfig, commands: &[(Access, u64)], at_once: bool) -> HostStatistics {
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
    ssd.drive().host().statistics().clone()
}

fn spans(parts: &Breakdown) -> [u128; Part::ALL.len()] {
    parts.all().spans_ps
}

fn of(parts: &[(Part, u128)]) -> [u128; Part::ALL.len()] {
    let mut spans = [0; Part::ALL.len()];
    parts.iter().for_each(|&(part, span)| spans[part as usize] = span);
    spans
}

/// 200 MB/s on the bus, 500 MB/s on the link, 800 ns until firmware sees a command.
#[test]
fn the_parts_of_single_requests_are_those_of_the_configuration() {
    let host = host(&small(), &[(Access::Write, 0), (Access::Read, 0)], false);
    let (queue, link) = ((Part::Queue, 800 * NS), (Part::Link, 2048 * 2 * NS));
    let bus = 2048 * 5 * NS;
    let write = of(&[
        queue,
        (Part::Firmware, (500 + 300) * NS),
        link,
        (Part::Transfer, 300 * NS + bus + 100 * NS),
        (Part::Array, 200 * US),
    ]);
    let read = of(&[
        queue,
        (Part::Firmware, (500 + 200 + 300) * NS),
        link,
        (Part::Transfer, 300 * NS + bus),
        (Part::Array, 25 * US),
    ]);
    assert_eq!(spans(&host.write_parts), write);
    assert_eq!(spans(&host.read_parts), read);
}

/// Pages 0 and 1 are on two channels, 0 and 2 on two dies of one channel, 0 and 4 on one die.
#[test]
fn what_is_waited_for_is_told() {
    let mut config = small();
    config.firmware.cost_ns = StepCosts::default();
    let waits = |other: u64| {
        let host = host(&config, &[(Access::Write, 0), (Access::Write, other)], true);
        let parts = spans(&host.write_parts);
        [Part::Channel, Part::Die, Part::SamePage].map(|part| parts[part as usize])
    };
    let (link, data_in) = (2048 * 2 * NS, 300 * NS + 2048 * 5 * NS);
    assert_eq!(waits(1), [0, 0, 0]);
    assert_eq!(waits(2), [data_in - link, 0, 0]);
    let [channel, die, same_page] = waits(4);
    assert_eq!((channel, same_page), (0, 0));
    assert_eq!(die, data_in + 200 * US + 100 * NS - link);
    // The second write of a page claims it when the first is done, and only then asks for data.
    assert_eq!(waits(0)[2], link + data_in + 200 * US + 100 * NS);
}

#[test]
fn parts_add_up_to_latencies() {
    let buffer = WriteBuffer { pages: 24, flushers: 4, flush_above: 16, flush_down_to: 8 };
    for buffer in [WriteBuffer::default(), buffer] {
        let config = DriveConfig { buffer, ..small() };
        let host = checked(&config, &mixed(6000, 8, 5)).host;
        let kinds: [(&LatencyHistogram, &Breakdown); 3] = [
            (&host.reads, &host.read_parts),
            (&host.writes, &host.write_parts),
            (&host.others, &host.other_parts),
        ];
        for (latencies, parts) in kinds {
            let all = parts.all();
            assert_eq!(all.requests, latencies.count());
            assert_eq!(Some(all.total_ps() as f64 / all.requests as f64), latencies.mean_ps());
            for (from, class) in parts.classes() {
                let mean_ps = class.total_ps() / u128::from(class.requests);
                assert!((from.0.into()..2 * u128::from(from.0.max(1000))).contains(&mean_ps));
            }
        }
        // Collection is what a full drive waits for, directly or behind it.
        assert!(spans(&host.write_parts)[Part::Collection as usize] > 0);
        let has_buffer = config.buffer.pages > 0;
        assert_eq!(spans(&host.write_parts)[Part::Buffer as usize] > 0, has_buffer);
    }
}
