//! Data of host and flash share the buffer memory, and energy adds up.

use std::path::Path;
use std::sync::Arc;

use floatgate_hal::units::Picoseconds;
use floatgate_model::array::Contents;
use floatgate_model::config::{
    BusTimes, DramConfig, DriveConfig, LinkTimes, PowerConfig, Precondition, StepCosts, WriteBuffer,
};
use floatgate_model::dram::{DramPart, Requester};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::{Bound, KindWeights, Pace, Sizes};
use floatgate_model::ssd::{Component, Part, RunResult, run};

use crate::contract::{checked, mixed, small};

fn part(file: &str) -> DramPart {
    let dram = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/dram");
    DramPart::load(dram.join(file)).unwrap_or_else(|error| panic!("{error}"))
}

/// A drive that is much faster than a memory of so many DDR2 devices.
fn memory_bound(devices: u32) -> DriveConfig {
    let mut config = small();
    config.cells.t_r_us = vec![1.0];
    config.bus = Some(BusTimes { mega_transfers_per_s: 6400.0, ..config.bus.unwrap() });
    config.link = LinkTimes { queue_depth: 32, mb_per_s: 20_000.0, command_ns: 0.0 };
    config.firmware.cost_ns = StepCosts::default();
    config.precondition = Precondition::Filled(1.0);
    config.dram = Some(DramConfig::new(DramPart { devices, ..part("ddr2-667-x8.ron") }));
    config
}

fn reads(config: &DriveConfig, requests: u64) -> RunResult {
    let mut workload = mixed(requests, 16, 1);
    workload.flows.truncate(1);
    let phase = &mut workload.flows[0].phases[0];
    phase.until = Bound::Requests(requests);
    phase.pace = Pace::Closed { queue_depth: 16, think_ns: 0 };
    phase.sizes = Sizes::Bytes(2048);
    phase.kinds = KindWeights { read: 1, write: 0, trim: 0 };
    phase.flush_every_writes = 0;
    let flows = workload.sources(Capacity::of_bytes(config.user_bytes())).unwrap();
    run(config, Contents::Owner, flows, 1, &Arc::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Each page goes through the memory twice, in bursts of 4 clocks of 3 ns that carry 8 bytes of
/// each device: half the devices take twice as long for it.
#[test]
fn a_slow_memory_bounds_the_drive() {
    const PAGES: u64 = 4000;
    let rate = |devices: u32| {
        let result = reads(&memory_bound(devices), PAGES);
        let usage = result.memory.expect("there is a memory");
        assert_eq!(usage.of(Requester::Host).read_bytes, 2048 * PAGES);
        assert_eq!(usage.of(Requester::Flash).written_bytes, 2048 * PAGES);
        let data_ps = 2 * PAGES * 2048 / (8 * u64::from(devices)) * 12_000;
        assert_eq!(usage.data_time, Picoseconds(data_ps));
        let share = data_ps as f64 / result.span.0 as f64;
        assert!((0.7..1.0).contains(&share), "{devices} devices: the bus is {share:.3} in use");
        let parts = result.host.read_parts.all();
        assert!(
            parts.mean_ps(Part::Memory) > 0.5 * parts.total_ps() as f64 / parts.requests as f64
        );
        result.iops()
    };
    let (four, two, one) = (rate(4), rate(2), rate(1));
    assert!((two / four - 0.5).abs() < 0.08, "{four:.0} and {two:.0} a second");
    assert!((one / two - 0.5).abs() < 0.05, "{two:.0} and {one:.0} a second");
}

#[test]
fn data_are_right_and_parts_add_up_through_a_memory() {
    for buffer in [
        WriteBuffer::default(),
        WriteBuffer { pages: 24, flushers: 4, flush_above: 16, flush_down_to: 8 },
    ] {
        let dram = Some(DramConfig::new(part("ddr3-1600-x8.ron")));
        let result = checked(&DriveConfig { buffer, dram, ..small() }, &mixed(4000, 8, 2));
        for (latencies, parts) in [
            (&result.host.reads, &result.host.read_parts),
            (&result.host.writes, &result.host.write_parts),
        ] {
            let all = parts.all();
            assert_eq!(Some(all.total_ps() as f64 / all.requests as f64), latencies.mean_ps());
            assert!(all.mean_ps(Part::Memory) > 0.0);
        }
    }
}

/// By hand: 4 dies that read for so long, data on the bus, and what is taken at all times.
#[test]
fn energy_of_components_adds_up_over_time() {
    let mut config = memory_bound(4);
    config.power = Some(PowerConfig {
        vcc_v: 3.3,
        read_ma: 20.0,
        program_ma: 0.0,
        erase_ma: 0.0,
        bus_pj_per_byte: 100.0,
        standby_ma: 1.0,
        ecc_pj_per_byte: 50.0,
        ecc_pj_per_byte_and_bit: 0.0,
        controller_w: 0.5,
    });
    let result = reads(&config, 1000);
    let energy = result.energy_j.expect("power is configured");
    let (seconds, bytes) = (result.span.0 as f64 / 1e12, 1000.0 * 2048.0);
    let dram = energy[Component::Dram as usize];
    let expected = [
        3.3 * 20e-3 * 1000.0 * 1e-6 + 4.0 * 3.3e-3 * seconds,
        bytes * 100e-12,
        dram,
        bytes * 50e-12,
        0.5 * seconds,
    ];
    for (energy, expected) in energy.iter().zip(expected) {
        assert!((energy / expected - 1.0).abs() < 1e-9, "{energy} J, not {expected}");
    }
    // At least what DDR2 takes asleep, all devices, and less than while it reads all the time.
    let supply = part("ddr2-667-x8.ron").supply;
    let watts = |current_ma: f64| 4.0 * supply.vdd_v * current_ma / 1e3;
    let bounds = watts(supply.idd2p_ma)..watts(supply.idd4r_ma + supply.idd0_ma);
    assert!(bounds.contains(&(dram / seconds)), "{} W in {bounds:?}", dram / seconds);
    let samples = result.series.samples.records();
    let last = samples.iter().flatten().last().expect("a run ends with a sample");
    assert_eq!(last.energy_j, energy);
    let mut before = [0.0; Component::ALL.len()];
    for sample in samples.iter().flatten() {
        assert!(before.iter().zip(&sample.energy_j).all(|(before, after)| before <= after));
        before = sample.energy_j;
    }
}

#[test]
fn a_memory_that_is_missing_or_too_small_is_refused() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/drives/peer-d.ron");
    let text = std::fs::read_to_string(shipped).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let load = |dram: &str, pages: u32| {
        let line = format!(
            "dram: (part: \"{dram}\"),\n    buffer: (pages: {pages}, flushers: 1, \
                            flush_above: 1, flush_down_to: 0),\n    ftl: ("
        );
        let path = dir.path().join("drive.ron");
        std::fs::write(&path, text.replace("ftl: (", &line)).unwrap();
        DriveConfig::load(&path)
    };
    let parts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/dram");
    let ddr3 = parts.join("ddr3-1600-x8.ron").display().to_string();
    assert!(load(&ddr3, 1024).is_ok());
    let error = load(&ddr3, 200_000).unwrap_err().to_string();
    assert!(error.contains("`dram`") && error.contains("has 1073741824 bytes"), "{error}");
    let error = load("absent.ron", 1024).unwrap_err().to_string();
    assert!(error.contains("absent.ron"), "{error}");
}
