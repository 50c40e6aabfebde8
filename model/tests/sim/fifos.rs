//! FIFOs: order, capacity, claims.

use floatgate_model::sim::{Fifo, Simulation};

use crate::{Trace, ns};

#[test]
fn a_full_queue_holds_its_sender_up_and_keeps_the_order() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let fifo: Fifo<u32> = sim.fifo("queue", 2);
    let (clock, seen, output) = (sim.clone(), trace.clone(), fifo.clone());
    sim.spawn("sender", async move {
        for item in 0..5 {
            output.send(item).await;
            seen.note(&clock, format_args!("sent {item}"));
        }
    });
    let (clock, seen) = (sim.clone(), trace.clone());
    sim.spawn("receiver", async move {
        for _ in 0..5 {
            clock.delay(ns(10)).await;
            let item = fifo.recv().await;
            seen.note(&clock, format_args!("got {item}"));
        }
        assert!(fifo.is_empty());
    });
    simulation.run().unwrap();
    trace.expect(&[
        "0: sent 0",
        "0: sent 1",
        "10: got 0",
        "10: sent 2",
        "20: got 1",
        "20: sent 3",
        "30: got 2",
        "30: sent 4",
        "40: got 3",
        "50: got 4",
    ]);
}

#[test]
fn receivers_are_served_in_the_order_in_which_they_came() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let fifo: Fifo<u32> = sim.fifo("queue", 4);
    for name in ["a", "b", "c"] {
        let (clock, seen, fifo) = (sim.clone(), trace.clone(), fifo.clone());
        sim.spawn(name, async move {
            let item = fifo.recv().await;
            seen.note(&clock, format_args!("{name} {item}"));
        });
    }
    sim.spawn("sender", async move {
        for item in 0..3 {
            fifo.send(item).await;
        }
    });
    simulation.run().unwrap();
    trace.expect(&["0: a 0", "0: b 1", "0: c 2"]);
}

/// Who comes between the turn of a waiter and its run takes nothing away from it.
#[test]
fn a_claim_is_kept_for_who_waited() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let (items, places): (Fifo<u32>, Fifo<u32>) = (sim.fifo("items", 1), sim.fifo("places", 1));
    places.try_send(0).unwrap();
    let waits = items.clone();
    let receiver = sim.spawn("receiver", async move { waits.recv().await });
    let waits = places.clone();
    sim.spawn("sender", async move { waits.send(1).await });
    sim.spawn("thief", async move {
        items.send(7).await;
        assert_eq!((items.len(), items.try_recv()), (1, None));
        assert_eq!(places.recv().await, 0);
        assert_eq!((places.len(), places.try_send(9)), (0, Err(9)));
        assert_eq!(places.capacity(), 1);
        assert_eq!(receiver.await, 7);
        assert_eq!(places.try_recv(), Some(1));
    });
    simulation.run().unwrap();
}

/// A claim whose wait is given up before it is used goes to the next in line.
#[test]
fn claims_that_nobody_uses_go_on() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let (items, places): (Fifo<u32>, Fifo<u32>) = (sim.fifo("items", 1), sim.fifo("places", 1));
    places.try_send(0).unwrap();
    let waits = items.clone();
    let first = sim.spawn("first receiver", async move { waits.recv().await });
    let waits = items.clone();
    let second = sim.spawn("second receiver", async move { waits.recv().await });
    let waits = places.clone();
    let first_sender = sim.spawn("first sender", async move { waits.send(1).await });
    let waits = places.clone();
    sim.spawn("second sender", async move { waits.send(2).await });
    sim.spawn("main", async move {
        items.send(7).await;
        first.abort();
        assert_eq!(second.await, 7);
        assert_eq!(places.recv().await, 0);
        first_sender.abort();
        assert_eq!(places.recv().await, 2);
    });
    simulation.run().unwrap();
}

#[test]
#[should_panic(expected = "the FIFO `queue` has no place")]
fn a_queue_without_a_place_is_a_bug() {
    let _ = Simulation::new(0).sim().fifo::<u32>("queue", 0);
}
