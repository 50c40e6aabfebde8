//! The order of what happens, above all at equal times.

use floatgate_model::sim::Simulation;

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
