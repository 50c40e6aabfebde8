//! Waits that are given up, processes that are ended, simulations that are dropped.

use std::cell::Cell;
use std::future::pending;
use std::rc::Rc;

use embassy_futures::select::{Either, select};
use floatgate_model::sim::{Elapsed, Policy, Simulation};

use crate::{Trace, ns};

#[test]
fn a_timeout_ends_the_wait_and_drops_the_future() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let end = simulation.block_on("main", async move {
        let event = sim.event("never");
        assert_eq!(sim.timeout(ns(10), event.wait()).await, Err(Elapsed(ns(10))));
        assert_eq!(sim.now(), ns(10));
        assert_eq!(sim.timeout(ns(10), sim.delay(ns(3))).await, Ok(()));
        assert_eq!(sim.now(), ns(13));
        // What was asked for first happens first.
        let first = sim.delay(ns(10));
        assert_eq!(sim.timeout(ns(10), first).await, Ok(()));
        sim.now()
    });
    assert_eq!(end, Ok(ns(23)));
}

/// A dropped delay neither moves time nor keeps the run going, be it ever so many.
#[test]
fn dropped_delays_leave_nothing_behind() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let clock = sim.clone();
    sim.spawn("main", async move {
        for _ in 0..10_000 {
            assert_eq!(clock.timeout(ns(1_000_000), clock.delay(ns(1))).await, Ok(()));
        }
    });
    assert_eq!(simulation.run(), Ok(ns(10_000)));
}

#[test]
fn notifications_are_cancelled_by_hand_and_with_their_event() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let event = sim.event("ready");
    let (early, late) = (event.notify_after(ns(5)), event.notify_after(ns(9)));
    let dropped = sim.event("dropped");
    dropped.notify_after(ns(100));
    drop(dropped);
    let (clock, twice) = (sim.clone(), early.clone());
    sim.spawn("main", async move {
        event.wait().await;
        assert_eq!(clock.now(), ns(5));
        assert!(!twice.cancel(), "it has come");
        assert!(late.clone().cancel());
        assert!(!late.cancel(), "it is cancelled already");
        // Its place serves another notification now, which is not this one.
        let next = event.notify_after(ns(2));
        assert!(!early.cancel());
        event.wait().await;
        assert!(!next.cancel());
    });
    assert_eq!(simulation.run(), Ok(ns(7)));
}

#[test]
fn a_wait_that_loses_a_race_is_no_longer_notified() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let (a, b) = (sim.event("a"), sim.event("b"));
    for (event, times) in [(&a, [10, 30]), (&b, [20, 40])] {
        for time in times {
            event.notify_at(ns(time));
        }
    }
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn("main", async move {
        for _ in 0..4 {
            match select(a.wait(), b.wait()).await {
                Either::First(()) => seen.note(&clock, "a"),
                Either::Second(()) => seen.note(&clock, "b"),
            }
        }
    });
    simulation.run().unwrap();
    trace.expect(&["10: a", "20: b", "30: a", "40: b"]);
    // One step at the start and one for each notification: the losers woke nobody.
    assert_eq!(simulation.steps(), 5);
}

#[test]
fn an_aborted_process_gives_back_what_it_holds() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let bus = sim.arbiter("bus", Policy::FirstCome, 1);
    let (clock, held) = (sim.clone(), bus.clone());
    let holder = sim.spawn("holder", async move {
        let _grant = held.acquire(0).await;
        clock.delay(ns(1_000)).await;
    });
    let end = simulation.block_on("main", async move {
        sim.delay(ns(1)).await;
        assert_eq!(bus.free(), 0);
        holder.abort();
        assert_eq!(bus.free(), 1);
        let _grant = bus.acquire(0).await;
        sim.now()
    });
    assert_eq!(end, Ok(ns(1)));
    // The holder's timer is gone, too.
    assert_eq!(simulation.run(), Ok(ns(1)));
}

#[test]
fn a_process_may_abort_itself_and_one_that_is_ready() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let own = Rc::new(Cell::new(None));
    let (clock, seen, taken) = (sim.clone(), trace.clone(), Rc::clone(&own));
    let handle = sim.spawn("itself", async move {
        let handle: floatgate_model::sim::JoinHandle<()> = taken.take().unwrap();
        handle.abort();
        seen.note(&clock, "goes on");
        clock.delay(ns(1)).await;
        seen.note(&clock, "never");
    });
    own.set(Some(handle));
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn("victim", async move { seen.note(&clock, "never") }).abort();
    assert_eq!(simulation.run(), Ok(ns(0)));
    trace.expect(&["0: goes on"]);
}

/// Something whose drop is seen.
struct Witness(Rc<()>);

#[test]
fn dropping_a_simulation_drops_its_processes_where_they_wait() {
    let alive = Rc::new(());
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let (event, fifo) = (sim.event("e"), sim.fifo("f", 1));
    let bus = sim.arbiter("bus", Policy::Priority, 1);
    for index in 0..12 {
        let witness = Witness(Rc::clone(&alive));
        let (sim, event, fifo, bus) = (sim.clone(), event.clone(), fifo.clone(), bus.clone());
        let handle = sim.clone().spawn("waiter", async move {
            let _witness = &witness;
            match index % 6 {
                0 => event.wait().await,
                1 => sim.delay(ns(100)).await,
                2 => loop {
                    fifo.send(Witness(Rc::clone(&witness.0))).await;
                },
                3 => loop {
                    let _grant = bus.acquire(index).await;
                    pending::<()>().await;
                },
                4 => sim.spawn("child", pending::<()>()).await,
                _ => sim.timeout(ns(50), pending()).await.unwrap_or_default(),
            }
        });
        drop(handle);
    }
    event.notify_after(ns(1_000));
    simulation.run_until(ns(10)).unwrap();
    drop((event, bus));
    assert!(Rc::strong_count(&alive) > 12);
    drop(simulation);
    // The item in the queue is its owner's, not the simulation's.
    assert_eq!(Rc::strong_count(&alive), 2);
    drop(fifo);
    assert_eq!(Rc::strong_count(&alive), 1);
    let late = Witness(Rc::clone(&alive));
    sim.spawn("too late", async move { drop(late) });
    assert_eq!(Rc::strong_count(&alive), 1);
}

/// What a process leaves when it is dropped may start others, which end at once.
#[test]
fn processes_started_while_the_simulation_is_dropped_do_not_live() {
    struct Spawner(floatgate_model::sim::Sim, Rc<()>);
    impl Drop for Spawner {
        fn drop(&mut self) {
            let witness = Rc::clone(&self.1);
            self.0.spawn("orphan", async move {
                let _witness = witness;
                pending::<()>().await;
            });
        }
    }
    let alive = Rc::new(());
    let mut simulation = Simulation::new(0);
    let spawner = Spawner(simulation.sim(), Rc::clone(&alive));
    simulation.sim().spawn_server("server", async move {
        let _spawner = spawner;
        pending::<()>().await;
    });
    simulation.run().unwrap();
    drop(simulation);
    assert_eq!(Rc::strong_count(&alive), 1);
}
