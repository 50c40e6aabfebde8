//! Several requesters: whose turn it is, what each gets, and that a run repeats itself.

use floatgate_model::sim::Sim;

use super::*;

/// Bytes that `queues` of pages, each of a requester, get read in a simulated millisecond, all
/// asking again at once.
fn shares(order: TurnOrder, queues: &[Requester]) -> [u64; 3] {
    let mut part = ddr3();
    part.controller.order = order;
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let dram = Rc::new(Dram::new(&sim, &part));
    for (place, &requester) in (0..).zip(queues) {
        let dram = Rc::clone(&dram);
        sim.spawn("requester", async move {
            loop {
                dram.access(access(place * 4096, 4096, Read, requester)).await;
            }
        });
    }
    simulation.run_until(Picoseconds(1_000_000_000)).unwrap();
    let usage = dram.usage();
    [Host, Flash, Firmware].map(|requester| usage.of(requester).bursts * 16)
}

#[test]
fn requesters_share_the_bandwidth_by_the_order_of_turns() {
    let queues = [Host, Host, Host, Flash];
    // 3.2 GB/s less 232 of 6240 clocks for refreshes.
    let all = 3_200_000.0 * (1.0 - 232.0 / 6240.0);
    for (order, host_share) in
        [(TurnOrder::FirstCome, 0.75), (TurnOrder::RoundRobin, 0.5), (TurnOrder::Priority, 1.0)]
    {
        let [host, flash, firmware] = shares(order, &queues);
        let near = |bytes: u64, expected: f64| (bytes as f64 - expected).abs() <= 2.0 * 4096.0;
        assert!(near(host + flash, all), "{order:?}: {host} + {flash} of {all}");
        assert!(near(host, host_share * all), "{order:?}: {host} of {all}");
        assert_eq!(firmware, 0);
    }
}

#[test]
fn a_short_access_waits_for_one_turn() {
    let part = ddr3();
    // The page has turns of two rows. RD 11 to 1031; the next visit is taken up at 1035 - 22 and
    // is firmware's: ACT 1013, RD 1035. Then the page goes on: RD 1039 to 2059.
    let page = access(0, 8192, Read, Host);
    let short = access(7 * 2048, 16, Read, Firmware);
    let (ends, usage) = run(&part, &[(0, page), (1250, short)]);
    assert_eq!(ends, [2074 * 1250, 1050 * 1250]);
    assert_eq!(usage.of(Firmware).waited, Picoseconds(1012 * 1250));
    assert_eq!(usage.of(Host).waited, Picoseconds(4 * 1250));
    // In one turn the page is through first: RD 11 to 2055, and 2059.
    let mut part = part;
    part.controller.turn_bytes = 8192;
    assert_eq!(run(&part, &[(0, page), (1250, short)]).0, [2070 * 1250, 2074 * 1250]);
}

#[test]
fn an_access_that_is_dropped_gives_its_turn_back() {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let dram = Rc::new(Dram::new(&sim, &ddr3()));
    let (clock, memory) = (sim.clone(), Rc::clone(&dram));
    sim.spawn("impatient", async move {
        let page = memory.access(access(0, 8192, Read, Host));
        assert!(clock.timeout(Picoseconds(100_000), page).await.is_err());
        // The first turn's bursts are on their way: the next RD is at 1035.
        memory.access(burst(0, Read)).await;
        assert_eq!(clock.now(), Picoseconds(1050 * 1250));
    });
    simulation.run().unwrap();
    assert_eq!(dram.usage().of(Host).bursts, 257);
}

/// Accesses of all kinds by three requesters: when they ended, and what was counted. The energy is
/// read beside them at odd times, and must lie between sleep throughout and standby throughout.
fn mixture(seed: u64) -> (Vec<u64>, DramUsage, String) {
    use rand::Rng;
    let part = DramPart::load(shipped().join("ddr2-667-x8.ron")).unwrap();
    let mut simulation = Simulation::new(seed);
    let sim: Sim = simulation.sim();
    let dram = Rc::new(Dram::new(&sim, &part));
    let ends = Rc::new(RefCell::new(Vec::new()));
    for requester in [Host, Flash, Firmware] {
        let mut random = sim.random(&format!("{requester:?}"));
        let (clock, dram, ends) = (sim.clone(), Rc::clone(&dram), Rc::clone(&ends));
        sim.spawn("requester", async move {
            for _ in 0..500 {
                clock.delay(Picoseconds(random.random_range(0..20_000_000))).await;
                let direction = if random.random() { Read } else { Write };
                let bytes = random.random_range(1..20_000);
                let address = random.random_range(0..(512 << 20) - 20_000);
                dram.access(access(address, bytes, direction, requester)).await;
                ends.borrow_mut().push(clock.now().0);
            }
        });
    }
    let (clock, memory, supply) = (sim.clone(), Rc::clone(&dram), part.supply.clone());
    let mut random = sim.random("readings");
    sim.spawn("readings", async move {
        let mut last = memory.energy();
        for _ in 0..2000 {
            clock.delay(Picoseconds(random.random_range(0..5_000_000))).await;
            let energy = memory.energy();
            assert!(energy.total_j() >= last.total_j(), "{energy:?} after {last:?}");
            last = energy;
            // A refresh that runs counts to its end, and a clock that runs, too.
            let (least, most) = (clock.now().0, clock.now().0 + 200_000);
            let all_j =
                |current_ma: f64, ps: u64| 4.0 * supply.vdd_v * current_ma * ps as f64 / 1e15;
            assert!(energy.background_j >= all_j(supply.idd2p_ma, least) - 1e-15);
            assert!(energy.background_j <= all_j(supply.idd3n_ma, most));
        }
    });
    simulation.run().unwrap();
    (ends.take(), dram.usage(), format!("{:?}", dram.energy()))
}

#[test]
fn a_seed_gives_one_result() {
    let first = mixture(7);
    assert_eq!(first, mixture(7));
    assert_ne!(first, mixture(8));
    let visits = first.1.requesters.map(|usage| usage.row_misses + usage.row_conflicts);
    assert_eq!(visits.iter().sum::<u64>(), first.1.activations);
}

#[test]
fn a_page_costs_the_kernel_two_steps_a_turn() {
    let mut part = ddr3();
    part.controller.turn_bytes = 8192;
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let dram = Dram::new(&sim, &part);
    sim.spawn("requester", async move {
        for page in 0..1000 {
            dram.access(access(page * 8192, 8192, Read, Host)).await;
        }
    });
    simulation.run().unwrap();
    assert!(simulation.steps() <= 2001, "{} steps", simulation.steps());
}
