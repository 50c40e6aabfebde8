//! The order of what happens, above all at equal times.

use floatgate_hal::Clock;
use floatgate_hal::units::Picoseconds;
use floatgate_model::sim::{Sim, Simulation};
use proptest::prelude::*;

use crate::{Trace, ns};

#[test]
fn processes_start_in_the_order_of_their_creation() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    for name in ["a", "b", "c"] {
        let (clock, trace) = (sim.clone(), trace.clone());
        sim.spawn(name, async move { trace.note(&clock, name) });
    }
    assert_eq!(simulation.run(), Ok(ns(0)));
    trace.expect(&["0: a", "0: b", "0: c"]);
}

#[test]
fn timers_of_one_time_fire_in_the_order_in_which_they_were_set() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    for (name, first, second) in [("a", 30, 20), ("b", 10, 40), ("c", 20, 30), ("d", 20, 30)] {
        let (clock, trace) = (sim.clone(), trace.clone());
        sim.spawn(name, async move {
            clock.delay(ns(first)).await;
            trace.note(&clock, name);
            clock.delay(ns(second)).await;
            trace.note(&clock, name);
        });
    }
    assert_eq!(simulation.run(), Ok(ns(50)));
    // b sets its second timer at 10, before c, d and a.
    trace.expect(&["10: b", "20: c", "20: d", "30: a", "50: b", "50: c", "50: d", "50: a"]);
}

/// What one timer sets off at its time is done before the next timer of that time fires.
#[test]
fn a_timer_s_consequences_come_before_the_next_timer_of_its_time() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let event = sim.event("consequence");
    let (clock, seen, awaited) = (sim.clone(), trace.clone(), event.clone());
    sim.spawn("listener", async move {
        awaited.wait().await;
        seen.note(&clock, "consequence");
    });
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn("first", async move {
        clock.delay(ns(5)).await;
        event.notify();
        seen.note(&clock, "first");
    });
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn("second", async move {
        clock.delay(ns(5)).await;
        seen.note(&clock, "second");
    });
    simulation.run().unwrap();
    trace.expect(&["5: first", "5: consequence", "5: second"]);
}

#[test]
fn a_delay_of_zero_lets_the_ready_ones_run_first() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn("polite", async move {
        clock.delay(Picoseconds(0)).await;
        seen.note(&clock, "polite");
    });
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn("other", async move { seen.note(&clock, "other") });
    simulation.run().unwrap();
    trace.expect(&["0: other", "0: polite"]);
}

#[test]
fn a_delay_counts_from_the_call_and_a_time_that_has_passed_is_now() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let end = simulation.block_on("main", async move {
        let delay = sim.delay(ns(10));
        sim.delay(ns(4)).await;
        delay.await;
        assert_eq!(sim.now(), ns(10));
        sim.delay_until(ns(3)).await;
        assert_eq!(sim.now(), ns(10));
        sim.delay_until(ns(30)).await;
        Clock::delay(&sim, ns(2)).await;
        Clock::now(&sim)
    });
    assert_eq!(end, Ok(ns(32)));
}

#[test]
fn a_run_up_to_a_time_leaves_the_rest_for_the_next_run() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn("ticks", async move {
        for tick in 1..=4 {
            clock.delay(ns(10)).await;
            seen.note(&clock, tick);
        }
    });
    assert_eq!(simulation.run_until(ns(20)), Ok(()));
    trace.expect(&["10: 1", "20: 2"]);
    assert_eq!(simulation.run_until(ns(25)), Ok(()));
    assert_eq!(sim.now(), ns(25));
    // Set after the clock was looked at, but due before what was seen then.
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn("late", async move {
        clock.delay(ns(2)).await;
        seen.note(&clock, "late");
    });
    assert_eq!(simulation.run(), Ok(ns(40)));
    trace.expect(&["10: 1", "20: 2", "27: late", "30: 3", "40: 4"]);
}

#[test]
fn a_run_for_one_process_leaves_the_others_where_they_are() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn_server("ticks", async move {
        loop {
            clock.delay(ns(10)).await;
            seen.note(&clock, "tick");
        }
    });
    for _ in 0..2 {
        let clock = sim.clone();
        let value = simulation.block_on("main", async move {
            clock.delay(ns(17)).await;
            7
        });
        assert_eq!(value, Ok(7));
    }
    trace.expect(&["10: tick", "20: tick", "30: tick"]);
}

#[test]
fn a_child_s_value_is_awaited_before_and_after_its_end() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let value = simulation.block_on("parent", async move {
        let clock = sim.clone();
        let slow = sim.spawn("slow", async move {
            clock.delay(ns(10)).await;
            1
        });
        let fast = sim.spawn("fast", async { 2 });
        sim.delay(ns(1)).await;
        assert!(fast.has_ended() && !slow.has_ended());
        (slow.await, fast.await, sim.now())
    });
    assert_eq!(value, Ok((1, 2, ns(10))));
}

#[test]
fn events_are_not_remembered_and_notifications_stand_by_themselves() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let event = sim.event("ready");
    event.notify();
    event.notify_after(ns(30));
    event.notify_after(ns(10));
    event.notify_at(ns(20));
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn_server("listener", async move {
        loop {
            event.wait().await;
            seen.note(&clock, "ready");
        }
    });
    simulation.run().unwrap();
    trace.expect(&["10: ready", "20: ready", "30: ready"]);
}

#[test]
fn a_notification_of_one_ends_the_wait_that_began_first() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let event = sim.event("room");
    for name in ["a", "b", "c"] {
        let (clock, seen, awaited) = (sim.clone(), trace.clone(), event.clone());
        sim.spawn_server(name, async move {
            loop {
                awaited.wait().await;
                seen.note(&clock, name);
            }
        });
    }
    let clock = sim.clone();
    sim.spawn("main", async move {
        for _ in 0..4 {
            clock.delay(ns(10)).await;
            event.notify_one();
        }
        clock.delay(ns(10)).await;
        event.notify();
    });
    simulation.run().unwrap();
    // Who waits again stands at the end.
    trace.expect(&["10: a", "20: b", "30: c", "40: a", "50: b", "50: c", "50: a"]);
}

#[test]
fn a_condition_is_awaited_notification_by_notification() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let end = simulation.block_on("main", async move {
        let (event, clock) = (sim.event("changed"), sim.clone());
        event.notify_after(ns(5));
        event.notify_after(ns(7));
        event.wait_until(|| clock.now() > ns(5)).await;
        event.wait_until(|| true).await;
        sim.now()
    });
    assert_eq!(end, Ok(ns(7)));
}

/// A run of processes with random delays, events, FIFOs and an arbiter: all that it did.
fn busy_run(seed: u64) -> (Vec<String>, u64) {
    use floatgate_model::sim::Policy;
    use rand::Rng;

    let mut simulation = Simulation::new(seed);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let queue = sim.fifo("queue", 2);
    let bus = sim.arbiter("bus", Policy::RoundRobin, 1);
    for index in 0..8u32 {
        let (clock, trace, queue, bus) = (sim.clone(), trace.clone(), queue.clone(), bus.clone());
        let mut random = sim.random(&format!("process {index}"));
        sim.spawn(format!("process {index}"), async move {
            for round in 0..50 {
                clock.delay(ns(random.random_range(0..10))).await;
                let grant = bus.acquire(index).await;
                clock.delay(ns(random.random_range(0..2))).await;
                drop(grant);
                let sent = clock.timeout(ns(5), queue.send(round)).await.is_ok();
                trace.note(&clock, format_args!("{index} {round} {sent}"));
            }
        });
    }
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn_server("sink", async move {
        loop {
            clock.delay(ns(3)).await;
            let item: u32 = queue.recv().await;
            seen.note(&clock, item);
        }
    });
    simulation.run().unwrap();
    let lines = trace.0.borrow().clone();
    (lines, simulation.steps())
}

#[test]
fn a_run_depends_on_its_seed_alone() {
    let first = busy_run(1);
    assert!(first.0.len() > 500, "{} lines", first.0.len());
    assert!(first.0.iter().any(|line| line.ends_with("false")));
    assert_eq!(first, busy_run(1));
    let parallel: Vec<_> = (0..2).map(|_| std::thread::spawn(|| busy_run(1))).collect();
    assert!(parallel.into_iter().all(|run| run.join().unwrap() == first));
    assert_ne!(first, busy_run(2));
}

/// Sets a timer for each delay, in rounds, and notes when it fires.
fn note_timers(sim: &Sim, trace: &Trace, rounds: &[Vec<u64>]) {
    for (round, delays) in rounds.iter().enumerate() {
        for (index, &delay) in delays.iter().enumerate() {
            let (clock, trace) = (sim.clone(), trace.clone());
            sim.spawn("timer", async move {
                clock.delay(ns(round as u64 * 7)).await;
                clock.delay(ns(delay)).await;
                trace.note(&clock, format_args!("{round} {index}"));
            });
        }
    }
}

proptest! {
    /// The queue's order is that of (time, order of setting), as a sort gives it.
    #[test]
    fn timers_fire_in_the_order_of_a_stable_sort(
        rounds in prop::collection::vec(prop::collection::vec(0u64..40, 0..12), 1..6)
    ) {
        let mut simulation = Simulation::new(0);
        let trace = Trace::default();
        note_timers(&simulation.sim(), &trace, &rounds);
        simulation.run().unwrap();
        let mut expected = Vec::new();
        for (round, delays) in rounds.iter().enumerate() {
            for (index, delay) in delays.iter().enumerate() {
                let set_ns = round as u64 * 7;
                expected.push((set_ns + delay, set_ns, index, format!("{round} {index}")));
            }
        }
        expected.sort();
        let expected: Vec<_> =
            expected.into_iter().map(|(at, _, _, what)| format!("{at}: {what}")).collect();
        prop_assert_eq!(&*trace.0.borrow(), &expected);
    }
}
