//! Futures that know no executor: they wake through the context's waker.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use embassy_futures::join::join3;
use embassy_sync::blocking_mutex::raw::NoopRawMutex;
use embassy_sync::channel::Channel;
use embassy_sync::signal::Signal;
use floatgate_model::sim::{Policy, Simulation};

use crate::{Trace, ns};

#[test]
fn primitives_of_an_embedded_executor_connect_processes() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    let channel = Rc::new(Channel::<NoopRawMutex, u32, 2>::new());
    let done = Rc::new(Signal::<NoopRawMutex, u32>::new());
    let (clock, seen, output) = (sim.clone(), trace.clone(), Rc::clone(&channel));
    sim.spawn("firmware task", async move {
        for item in 0..4 {
            output.send(item).await;
            seen.note(&clock, format_args!("sent {item}"));
        }
    });
    let (clock, signal) = (sim.clone(), Rc::clone(&done));
    sim.spawn("other task", async move {
        let mut sum = 0;
        for _ in 0..4 {
            clock.delay(ns(10)).await;
            sum += channel.receive().await;
        }
        signal.signal(sum);
    });
    let sum = simulation.block_on("main", async move { done.wait().await });
    assert_eq!(sum, Ok(6));
    trace.expect(&["0: sent 0", "0: sent 1", "10: sent 2", "20: sent 3"]);
}

#[test]
fn waits_of_all_kinds_are_joined_in_one_process() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let fifo = sim.fifo("items", 1);
    let event = sim.event("ready");
    event.notify_after(ns(7));
    let (clock, output) = (sim.clone(), fifo.clone());
    sim.spawn("sender", async move {
        clock.delay(ns(3)).await;
        output.send("item").await;
    });
    let end = simulation.block_on("main", async move {
        let (item, (), ()) = join3(fifo.recv(), event.wait(), sim.delay(ns(5))).await;
        (item, sim.now())
    });
    assert_eq!(end, Ok(("item", ns(7))));
}

/// A waker of a combinator's own: counts, and wakes the process.
struct Counting {
    count: AtomicUsize,
    process: Waker,
}

impl Wake for Counting {
    fn wake(self: Arc<Self>) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.process.wake_by_ref();
    }
}

/// Awaits a future under a waker of its own, and polls it only when that was called; returns how
/// often it was.
async fn under_own_waker<F: Future>(future: F) -> (F::Output, usize) {
    let mut future = pin!(future);
    let own: RefCell<Option<Arc<Counting>>> = RefCell::new(None);
    let seen = Cell::new(0);
    poll_fn(|cx| {
        let mut own = own.borrow_mut();
        let is_first = own.is_none();
        let counting = own.get_or_insert_with(|| {
            Arc::new(Counting { count: AtomicUsize::new(0), process: cx.waker().clone() })
        });
        let count = counting.count.load(Ordering::Relaxed);
        if !is_first && seen.replace(count) == count {
            return Poll::Pending;
        }
        let waker = Waker::from(Arc::clone(counting));
        future.as_mut().poll(&mut Context::from_waker(&waker)).map(|value| (value, count))
    })
    .await
}

#[test]
fn combinators_with_wakers_of_their_own_have_them_called() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let end = simulation.block_on("main", async move {
        let event = sim.event("ready");
        let fifo = sim.fifo("items", 1);
        let bus = sim.arbiter("bus", Policy::RoundRobin, 1);
        let (clock, notified, output, held) =
            (sim.clone(), event.clone(), fifo.clone(), bus.clone());
        let child = sim.spawn("child", async move {
            let grant = held.acquire(0).await;
            clock.delay(ns(10)).await;
            notified.notify();
            output.send(5).await;
            drop(grant);
            clock.delay(ns(10)).await;
        });
        sim.delay(ns(1)).await;
        let (first, second, third) = join3(
            under_own_waker(event.wait()),
            under_own_waker(fifo.recv()),
            under_own_waker(bus.acquire(1)),
        )
        .await;
        assert_eq!((first.1, second, third.1), (1, (5, 1), 1));
        assert_eq!(under_own_waker(child).await, ((), 1));
        assert_eq!(under_own_waker(sim.delay(ns(5))).await, ((), 1));
        assert!(under_own_waker(sim.timeout(ns(5), event.wait())).await.0.is_err());
        sim.now()
    });
    assert_eq!(end, Ok(ns(30)));
}

/// A wait that was polled under one waker and goes on under another wakes the latter.
#[test]
fn the_waker_of_the_last_poll_is_the_one_that_counts() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let end = simulation.block_on("main", async move {
        let event = sim.event("ready");
        event.notify_after(ns(5));
        let (mut wait, mut delay) = (event.wait(), sim.delay(ns(5)));
        poll_fn(|_| {
            let mut other = Context::from_waker(Waker::noop());
            assert!(pin!(&mut wait).poll(&mut other).is_pending());
            assert!(pin!(&mut delay).poll(&mut other).is_pending());
            Poll::Ready(())
        })
        .await;
        wait.await;
        delay.await;
        sim.now()
    });
    assert_eq!(end, Ok(ns(5)));
}

#[test]
fn a_process_that_wakes_itself_runs_after_the_others() {
    let mut simulation = Simulation::new(0);
    let (sim, trace) = (simulation.sim(), Trace::default());
    for name in ["a", "b"] {
        let (clock, seen) = (sim.clone(), trace.clone());
        sim.spawn(name, async move {
            for round in 0..2 {
                seen.note(&clock, format_args!("{name} {round}"));
                embassy_futures::yield_now().await;
            }
        });
    }
    simulation.run().unwrap();
    trace.expect(&["0: a 0", "0: b 0", "0: a 1", "0: b 1"]);
}

/// A waker may outlive its process, and wakes nobody then, whoever has its place now.
#[test]
fn a_waker_of_an_ended_process_wakes_nobody() {
    let mut simulation = Simulation::new(0);
    let sim = simulation.sim();
    let waker =
        simulation.block_on("short", poll_fn(|cx| Poll::Ready(cx.waker().clone()))).unwrap();
    let event = sim.event("never");
    sim.spawn_server("successor", async move { event.wait().await });
    simulation.run().unwrap();
    let steps = simulation.steps();
    waker.wake();
    simulation.run().unwrap();
    assert_eq!(simulation.steps(), steps);
}

#[test]
#[should_panic(expected = "awaited outside the processes of this simulation")]
fn a_wait_outside_a_process_is_a_bug() {
    let sim = Simulation::new(0).sim();
    embassy_futures::block_on(async { sim.delay(ns(1)).await });
}
