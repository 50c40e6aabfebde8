//! Events: moments that processes wait for.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use floatgate_hal::units::Picoseconds;

use super::Sim;
use super::kernel::{Kernel, Wait};
use super::tables::{ListId, ListKind, Name, NodeId};

/// A moment: a notification ends the waits that have begun, and is not remembered for later ones.
///
/// Clones are the same event.
#[derive(Clone)]
pub struct Event {
    inner: Rc<Inner>,
}

struct Inner {
    kernel: Rc<Kernel>,
    list: ListId,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.kernel.free_list(self.list);
    }
}

impl Event {
    pub(super) fn new(kernel: &Rc<Kernel>, name: Name) -> Self {
        let list = kernel.new_list(ListKind::Event, name);
        Self { inner: Rc::new(Inner { kernel: Rc::clone(kernel), list }) }
    }

    /// Ends all waits that have begun; their processes run in the order in which they came.
    #[inline]
    pub fn notify(&self) {
        self.inner.kernel.fire_all(self.inner.list);
    }

    /// Notifies after a span. Every notification stands by itself: a later one neither replaces an
    /// earlier one nor is swallowed by it, as with SystemC's `sc_event`.
    pub fn notify_after(&self, span: Picoseconds) -> Notification {
        self.schedule(deadline_ps(self.inner.kernel.now_ps(), span))
    }

    /// Notifies at a time, which is now if it has passed.
    pub fn notify_at(&self, time: Picoseconds) -> Notification {
        self.schedule(time.0.max(self.inner.kernel.now_ps()))
    }

    fn schedule(&self, at_ps: u64) -> Notification {
        let Inner { kernel, list } = &*self.inner;
        let (node, sequence) = kernel.with(|tables| tables.schedule(at_ps, *list));
        Notification { kernel: Rc::clone(kernel), node, sequence }
    }

    /// Waits for the next notification. The wait begins when the future is first polled.
    #[inline]
    pub fn wait(&self) -> EventWait<'_> {
        EventWait { event: self, wait: Wait::default() }
    }

    /// Waits, notification by notification, until a condition holds; not at all if it holds.
    pub async fn wait_until(&self, condition: impl Fn() -> bool) {
        while !condition() {
            self.wait().await;
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("list", &self.inner.list).finish_non_exhaustive()
    }
}

/// The time after a span.
#[inline]
pub(super) fn deadline_ps(now_ps: u64, span: Picoseconds) -> u64 {
    now_ps.checked_add(span.0).expect("simulated time ends after 2^64 ps, which are 213 days")
}

/// A notification that is scheduled. Dropping this leaves it scheduled.
#[derive(Clone)]
pub struct Notification {
    kernel: Rc<Kernel>,
    node: NodeId,
    sequence: u64,
}

impl Notification {
    /// Takes it back; false if it has come already.
    pub fn cancel(self) -> bool {
        self.kernel.with(|tables| tables.unschedule(self.node, self.sequence))
    }
}

impl fmt::Debug for Notification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notification").field("sequence", &self.sequence).finish_non_exhaustive()
    }
}

/// The future of [`Event::wait`].
#[must_use = "nothing is waited for unless this is awaited"]
pub struct EventWait<'a> {
    event: &'a Event,
    wait: Wait,
}

impl Future for EventWait<'_> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let Inner { kernel, list } = &*this.event.inner;
        kernel.poll(&mut this.wait, cx, |tables, party| tables.wait(*list, 0, party)).map(drop)
    }
}

impl Drop for EventWait<'_> {
    #[inline]
    fn drop(&mut self) {
        self.event.inner.kernel.cancel(&mut self.wait);
    }
}

/// The future of [`Sim::delay`] and [`Sim::delay_until`]. Dropping it cancels the timer.
#[must_use = "no time passes unless this is awaited"]
pub struct Delay<'a> {
    sim: &'a Sim,
    at_ps: u64,
    wait: Wait,
}

impl<'a> Delay<'a> {
    #[inline]
    pub(super) fn new(sim: &'a Sim, at_ps: u64) -> Self {
        Self { sim, at_ps, wait: Wait::default() }
    }
}

impl Future for Delay<'_> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let kernel = &this.sim.kernel;
        let at_ps = this.at_ps.max(kernel.now_ps());
        kernel.poll(&mut this.wait, cx, |tables, party| tables.start_timer(at_ps, party)).map(drop)
    }
}

impl Drop for Delay<'_> {
    #[inline]
    fn drop(&mut self) {
        self.sim.kernel.cancel(&mut self.wait);
    }
}
