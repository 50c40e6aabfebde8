//! Events: moments that processes wait for.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use floatgate_hal::units::Picoseconds;

use super::Sim;
use super::kernel::Kernel;
use super::process::{Name, ProcessId};
use super::timers::TimerKey;
use super::waits::{Party, Subject, Wait, WaitList};

/// A moment: a notification ends the waits that have begun, and is not remembered for later ones.
///
/// Clones are the same event.
#[derive(Clone)]
pub struct Event {
    inner: Rc<Inner>,
}

struct Inner {
    kernel: Rc<Kernel>,
    list: Rc<WaitList>,
    has_scheduled: Cell<bool>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Nobody can wait any more, so nothing has to happen at those times.
        if self.has_scheduled.get() {
            self.kernel.with_timers(|timers| timers.unschedule_all(&self.list));
        }
    }
}

impl Event {
    pub(super) fn new(kernel: &Rc<Kernel>, name: Name) -> Self {
        let list = WaitList::new(kernel, Subject::Event, name);
        let has_scheduled = Cell::new(false);
        Self { inner: Rc::new(Inner { kernel: Rc::clone(kernel), list, has_scheduled }) }
    }

    /// Ends all waits that have begun; their processes run in the order in which they came.
    #[inline]
    pub fn notify(&self) {
        self.inner.list.fire_all(&self.inner.kernel);
    }

    /// Ends the wait that began first, if there is one.
    #[inline]
    pub fn notify_one(&self) {
        self.inner.list.fire_first(&self.inner.kernel);
    }

    /// Notifies after a span. Every notification stands by itself: a later one neither replaces an
    /// earlier one nor is swallowed by it, as happens with SystemC's `sc_event`.
    pub fn notify_after(&self, span: Picoseconds) -> Notification {
        self.schedule(deadline_ps(self.inner.kernel.now_ps(), span))
    }

    /// Notifies at a time, which is now if it has passed.
    pub fn notify_at(&self, time: Picoseconds) -> Notification {
        self.schedule(time.0.max(self.inner.kernel.now_ps()))
    }

    fn schedule(&self, at_ps: u64) -> Notification {
        let Inner { kernel, list, has_scheduled } = &*self.inner;
        has_scheduled.set(true);
        let timer = kernel.with_timers(|timers| timers.schedule(at_ps, Rc::clone(list)));
        Notification { kernel: Rc::clone(kernel), timer }
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
        f.debug_struct("Event").finish_non_exhaustive()
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
    timer: TimerKey,
}

impl Notification {
    /// Takes it back; false if it has come already.
    pub fn cancel(self) -> bool {
        self.kernel.with_timers(|timers| timers.unschedule(self.timer))
    }
}

impl fmt::Debug for Notification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notification").field("timer", &self.timer).finish_non_exhaustive()
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
        let Inner { kernel, list, .. } = &*this.event.inner;
        list.poll(&mut this.wait, kernel, cx, None).map(drop)
    }
}

impl Drop for EventWait<'_> {
    #[inline]
    fn drop(&mut self) {
        self.event.inner.list.cancel(&mut self.wait);
    }
}

/// The future of [`Sim::delay`] and [`Sim::delay_until`]. Dropping it cancels the timer.
#[must_use = "no time passes unless this is awaited"]
pub struct Delay<'a> {
    sim: &'a Sim,
    at_ps: u64,
    /// The timer and the process that it resumes, from the first poll until it has fired.
    running: Option<(TimerKey, ProcessId)>,
}

impl<'a> Delay<'a> {
    #[inline]
    pub(super) fn new(sim: &'a Sim, at_ps: u64) -> Self {
        Self { sim, at_ps, running: None }
    }

    /// Makes the timer wake whoever polls now.
    #[cold]
    fn rewake(&self, timer: TimerKey, resumed: ProcessId, cx: &Context<'_>) {
        let kernel = &self.sim.kernel;
        let Party { process, waker } = kernel.party(cx);
        let has_waker = kernel.with_timers(|timers| timers.has_waker(timer));
        if has_waker || waker.is_some() || process.id != resumed {
            let waker = waker.unwrap_or_else(|| process.waker.clone());
            let before = kernel.with_timers(|timers| timers.rewake(timer, waker));
            drop(before);
        }
    }
}

impl Future for Delay<'_> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let kernel = &this.sim.kernel;
        let Some((timer, resumed)) = this.running else {
            let (at_ps, party) = (this.at_ps.max(kernel.now_ps()), kernel.party(cx));
            let process = party.process.id;
            let timer = kernel.with_timers(|timers| timers.start(at_ps, party));
            this.running = Some((timer, process));
            return Poll::Pending;
        };
        if kernel.with_timers(|timers| timers.has_fired(timer)) {
            this.running = None;
            return Poll::Ready(());
        }
        this.rewake(timer, resumed, cx);
        Poll::Pending
    }
}

impl Drop for Delay<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some((timer, _)) = self.running {
            let waker = self.sim.kernel.with_timers(|timers| timers.cancel(timer));
            drop(waker);
        }
    }
}
