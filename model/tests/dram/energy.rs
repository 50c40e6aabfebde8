//! Energies worked by hand. A milliampere for a clock is 3750 fJ in two devices of DDR3-1600 at
//! 1.5 V, and 21,600 fJ in four of DDR2-667 at 1.8 V.

use floatgate_model::dram::DramEnergy;

use super::*;

const DDR3_J: f64 = 3750e-15;
const DDR2_J: f64 = 21_600e-15;

/// The energies after accesses from time 0 on, at these clocks.
fn readings(part: &DramPart, accesses: &[Access], clocks: &[u64]) -> Vec<DramEnergy> {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let dram = Rc::new(Dram::new(&sim, part));
    let (memory, accesses) = (Rc::clone(&dram), accesses.to_vec());
    sim.spawn("requester", async move {
        for access in accesses {
            memory.access(access).await;
        }
    });
    let reading = |&clock: &u64| {
        simulation.run_until(Picoseconds(clock * part.timing.clock_ps)).unwrap();
        dram.energy()
    };
    clocks.iter().map(reading).collect()
}

#[track_caller]
fn expect(energy: &DramEnergy, unit_j: f64, parts: [u64; 5]) {
    let [background, activate, read, write, refresh] = parts.map(|part| part as f64 * unit_j);
    for (name, is, expected) in [
        ("background", energy.background_j, background),
        ("activate", energy.activate_j, activate),
        ("read", energy.read_j, read),
        ("write", energy.write_j, write),
        ("refresh", energy.refresh_j, refresh),
        ("total", energy.total_j(), background + activate + read + write + refresh),
    ] {
        let tolerance = 1e-12 * expected.abs().max(1e-9);
        assert!((is - expected).abs() <= tolerance, "{name}: {is} J instead of {expected} J");
    }
}

#[test]
fn each_phase_is_its_current_times_its_time() {
    let readings = readings(
        &ddr3(),
        &[access(0, 32, Read, Host), access(0, 48, Write, Host)],
        &[5000, 10_000],
    );
    // A row open from 0 on at 38 mA; one activation, 55 * 39 - 38 * 28 - 32 * 11; two reads of
    // 119 mA and three writes of 87 mA above standby, 4 clocks each.
    expect(&readings[0], DDR3_J, [38 * 5000, 729, 2 * 119 * 4, 3 * 87 * 4, 0]);
    // Closed at 6240, refreshed for 208 clocks with 235 mA in all, then at 32 mA.
    let background = 38 * (6240 + 208) + 32 * (10_000 - 6240 - 208);
    expect(&readings[1], DDR3_J, [background, 729, 952, 1044, 197 * 208]);
    // The second half alone.
    let half = readings[1] - readings[0];
    expect(&half, DDR3_J, [background - 38 * 5000, 0, 0, 0, 197 * 208]);
}

#[test]
fn a_memory_in_use_draws_the_data_sheet_s_currents() {
    // Reads without gaps: IDD4R, and each row's activation. Rows are open until the first refresh.
    let part = ddr3();
    let pages: Vec<_> = (0..6).map(|page| access(page * 4096, 4096, Read, Host)).collect();
    let energy = readings(&part, &pages, &[6000])[0];
    let bursts = 6 * 256;
    expect(&energy, DDR3_J, [38 * 6000, 12 * 729, 119 * 4 * bursts, 0, 0]);
    // At the full data rate 4 clocks a burst hold 157 mA.
    let span = 4 * bursts;
    let current = energy.read_j / DDR3_J / span as f64 + 38.0;
    assert!((current - 157.0).abs() < 1e-9, "{current} mA");
}

#[test]
fn sleep_draws_idd2p_and_refreshes_wake_for_it() {
    let mut part = ddr2();
    part.controller.power_down = true;
    // Asleep 0 to 2598, refreshes at 2600, 5200 and 7800 for 43 clocks, each awake 2 before.
    let asleep = 2598 + 2 * (2600 - 43 - 2) + (10_000 - 7843);
    let expected = [7 * asleep + 55 * 3 * 43 + 40 * 3 * 2, 0, 0, 0, 3 * 160 * 43];
    expect(&readings(&part, &[], &[10_000])[0], DDR2_J, expected);
    // The same when it is asked for in between.
    let clocks = [1, 2598, 2599, 2600, 2643, 2644, 5200, 5243, 7799, 9000, 10_000];
    let often = readings(&part, &[], &clocks);
    expect(&often[10], DDR2_J, expected);
    expect(&often[4], DDR2_J, [7 * 2598 + 40 * 2 + 55 * 43, 0, 0, 0, 160 * 43]);
    assert!(often.is_sorted_by_key(DramEnergy::total_j));
    // Awake: standby instead.
    part.controller.power_down = false;
    let expected = [55 * 3 * 43 + 40 * (10_000 - 129), 0, 0, 0, 3 * 160 * 43];
    expect(&readings(&part, &[], &[10_000])[0], DDR2_J, expected);
}
