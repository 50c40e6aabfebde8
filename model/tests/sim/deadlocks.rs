//! Runs that end with work outstanding.

use std::future::pending;

use floatgate_model::sim::{Fifo, Policy, Simulation};

use crate::ns;

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let bus = sim.arbiter("bus", Policy::FirstCome, 1);
    let buffers: Fifo<u32> = sim.fifo("buffers", 1);
    let (clock, held, queue) = (sim.clone(), bus.clone(), buffers.clone());
    let die = sim.spawn("die 0", async move {
        clock.delay(ns(5)).await;
        let _grant = held.acquire(0).await;
        queue.send(1).await;
        queue.send(2).await;
    });
    let (clock, queue) = (sim.clone(), buffers);
    sim.spawn("ecc", async move {
        clock.delay(ns(10)).await;
        let _grant = bus.acquire(1).await;
        queue.recv().await;
    });
    sim.spawn("host", die);
    let (ready, failed) = (sim.event("ready"), sim.event("failed"));
    sim.spawn("firmware", async move {
        embassy_futures::select::select(ready.wait(), failed.wait()).await;
    });
    sim.spawn("stray", pending::<()>());
    sim.spawn_server("host link", pending::<()>());
    let deadlock = simulation.run().unwrap_err();
    assert_eq!(
        deadlock.to_string(),
        "deadlock at 10000 ps: \
         `die 0` waits for a place in FIFO `buffers`; \
         `ecc` waits for arbiter `bus`, held by `die 0`; \
         `host` waits for the end of `die 0`; \
         `firmware` waits for event `ready` or event `failed`; \
         `stray` waits for something outside the kernel"
    );
    assert_eq!(deadlock.at, ns(10));
    assert_eq!(deadlock.waiting[3].process, "firmware");
    assert_eq!(deadlock.waiting[3].awaited, ["event `ready`", "event `failed`"]);
}

#[test]
fn servers_may_wait_for_ever() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let requests: Fifo<u32> = sim.fifo("requests", 1);
    let queue = requests.clone();
    sim.spawn_server("server", async move {
        loop {
            queue.recv().await;
        }
    });
    sim.spawn("client", async move { requests.send(1).await });
    assert_eq!(simulation.run(), Ok(ns(0)));
}

#[test]
fn a_run_for_one_process_or_up_to_a_time_finds_deadlocks_too() {
    let mut simulation = Simulation::new(0);
    let event = simulation.sim().event("never");
    let error = simulation.block_on("main", async move { event.wait().await }).unwrap_err();
    assert_eq!(error.to_string(), "deadlock at 0 ps: `main` waits for event `never`");
    assert_eq!(simulation.run_until(ns(10)), Err(error));
}

/// While timers run, nothing is said of those who wait.
#[test]
fn a_run_up_to_a_time_before_the_next_timer_is_no_deadlock() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let event = sim.event("ready");
    event.notify_after(ns(100));
    sim.spawn("main", async move { event.wait().await });
    assert_eq!(simulation.run_until(ns(10)), Ok(()));
    assert_eq!(simulation.run(), Ok(ns(100)));
}
