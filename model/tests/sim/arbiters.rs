//! Arbiters: whose turn it is.

use floatgate_model::sim::{Policy, Simulation};

use crate::{Trace, ns};

/// Four requesters, of which each wants the bus three times, all at once; who gets it when.
fn turns(policy: Policy, requesters: [u32; 4]) -> Vec<u32> {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let bus = sim.arbiter("bus", policy, 1);
    for requester in requesters {
        let (clock, trace, bus) = (sim.clone(), trace.clone(), bus.clone());
        sim.spawn("requester", async move {
            for _ in 0..3 {
                let _grant = bus.acquire(requester).await;
                trace.note(&clock, requester);
                clock.delay(ns(10)).await;
            }
        });
    }
    assert_eq!(simulation.run(), Ok(ns(120)));
    assert_eq!(bus.free(), 1);
    let lines = trace.0.borrow();
    let turns = lines.iter().map(|line| line.split_once(": ").unwrap().1.parse().unwrap());
    turns.collect()
}

#[test]
fn first_come_first_served() {
    let expected = [3, 1, 2, 0].repeat(3);
    assert_eq!(turns(Policy::FirstCome, [3, 1, 2, 0]), expected);
}

#[test]
fn round_robin_goes_around() {
    // The first finds the bus free; from there on it goes around.
    assert_eq!(turns(Policy::RoundRobin, [3, 1, 2, 0]), [3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2]);
}

#[test]
fn priority_serves_the_smallest_number_first() {
    // Each asks again when it gives the bus back, which is after the next was chosen.
    assert_eq!(turns(Policy::Priority, [3, 1, 2, 0]), [3, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2]);
}

/// Under round robin nobody waits for more than one turn of each other.
#[test]
fn round_robin_is_fair_to_a_requester_among_greedy_ones() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let bus = sim.arbiter("bus", Policy::RoundRobin, 1);
    for requester in 0..7 {
        for _ in 0..3 {
            let (clock, bus) = (sim.clone(), bus.clone());
            sim.spawn_server("greedy", async move {
                loop {
                    let _grant = bus.acquire(requester).await;
                    clock.delay(ns(10)).await;
                }
            });
        }
    }
    let longest = simulation.block_on("modest", async move {
        let mut longest = ns(0);
        for _ in 0..50 {
            sim.delay(ns(33)).await;
            let asked = sim.now();
            let _grant = bus.acquire(7).await;
            longest = longest.max(ns((sim.now().0 - asked.0).div_ceil(1000)));
            sim.delay(ns(10)).await;
        }
        longest
    });
    let longest = longest.unwrap();
    assert!(longest <= ns(70), "waited for {longest}");
}

#[test]
fn several_units_are_held_at_once() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let buffers = sim.arbiter("buffers", Policy::FirstCome, 2);
    for name in ["a", "b", "c", "d"] {
        let (clock, trace, buffers) = (sim.clone(), trace.clone(), buffers.clone());
        sim.spawn(name, async move {
            let _grant = buffers.acquire(0).await;
            trace.note(&clock, name);
            clock.delay(ns(10)).await;
        });
    }
    simulation.run().unwrap();
    trace.expect(&["0: a", "0: b", "10: c", "10: d"]);
    assert_eq!(buffers.free(), 2);
}

/// A unit that was granted to a wait which is then given up goes to the next.
#[test]
fn a_grant_that_nobody_takes_goes_on() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let bus = sim.arbiter("bus", Policy::FirstCome, 1);
    let (clock, waits) = (sim.clone(), bus.clone());
    let victim = sim.spawn("victim", async move {
        clock.delay(ns(1)).await;
        drop(waits.acquire(0).await);
    });
    let (clock, seen, waits) = (sim.clone(), trace.clone(), bus.clone());
    sim.spawn("next", async move {
        clock.delay(ns(2)).await;
        let _grant = waits.acquire(0).await;
        seen.note(&clock, "next");
    });
    // Ends the victim when the unit has been handed to it and before it runs.
    let (clock, held) = (sim.clone(), bus.clone());
    sim.spawn("holder", async move {
        let grant = held.acquire(0).await;
        clock.delay(ns(10)).await;
        drop(grant);
        assert_eq!(held.free(), 0);
        victim.abort();
    });
    simulation.run().unwrap();
    trace.expect(&["10: next"]);
    assert_eq!(bus.free(), 1);
}
