//! Arbiters: a number of equal units (a bus, four buffers), granted to those who ask.
//!
//! A unit that is given back goes straight to the waiter whose turn it is, so nobody who comes
//! later can take it before that process runs.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::kernel::Kernel;
use super::process::Name;
use super::waits::{Subject, Wait, WaitList};

/// Whose turn it is when several wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Who came first; the requester's number does not matter.
    FirstCome,
    /// The requester with the next greater number after the one served last, or else with the
    /// smallest; among equal ones who came first.
    RoundRobin,
    /// The requester with the smallest number; among equal ones who came first.
    Priority,
}

/// Units that processes hold one at a time. Clones are the same arbiter.
#[derive(Clone)]
pub struct Arbiter {
    inner: Rc<Inner>,
}

struct Inner {
    kernel: Rc<Kernel>,
    policy: Policy,
    list: Rc<WaitList>,
    free: Cell<usize>,
    /// The requester served last; at first one before all others.
    last: Cell<u32>,
}

impl Inner {
    /// Hands a unit on.
    fn release(&self, ticket: u64) {
        self.list.release(ticket);
        let last = self.last.get();
        let next = match self.policy {
            Policy::FirstCome => self.list.fire_by(&self.kernel, |_| 0),
            Policy::Priority => self.list.fire_by(&self.kernel, |requester| requester),
            Policy::RoundRobin => self
                .list
                .fire_by(&self.kernel, |requester| requester.wrapping_sub(last).wrapping_sub(1)),
        };
        match next {
            Some(requester) => self.last.set(requester),
            None => self.free.set(self.free.get() + 1),
        }
    }
}

impl Arbiter {
    pub(super) fn new(kernel: &Rc<Kernel>, name: Name, policy: Policy, units: usize) -> Self {
        assert!(units > 0, "the arbiter `{name}` has nothing to grant");
        let list = WaitList::new(kernel, Subject::Arbiter, name);
        let (free, last) = (Cell::new(units), Cell::new(u32::MAX));
        Self { inner: Rc::new(Inner { kernel: Rc::clone(kernel), policy, list, free, last }) }
    }

    /// Units that nobody holds.
    pub fn free(&self) -> usize {
        self.inner.free.get()
    }

    /// Waits for a unit. What `requester` means is up to the [`Policy`].
    pub fn acquire(&self, requester: u32) -> Acquire<'_> {
        Acquire { arbiter: self, requester, wait: Wait::default() }
    }
}

impl fmt::Debug for Arbiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arbiter").field("free", &self.free()).finish_non_exhaustive()
    }
}

/// The future of [`Arbiter::acquire`]. Dropping it gives the turn to others.
#[must_use = "nothing is granted unless this is awaited"]
pub struct Acquire<'a> {
    arbiter: &'a Arbiter,
    requester: u32,
    wait: Wait,
}

impl Future for Acquire<'_> {
    type Output = Grant;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Grant> {
        let this = self.get_mut();
        let arbiter = &this.arbiter.inner;
        // Units are free only while nobody waits.
        if this.wait.has_begun() || arbiter.free.get() == 0 {
            let poll = arbiter.list.poll(&mut this.wait, &arbiter.kernel, cx, Some(this.requester));
            return poll.map(|ticket| Grant { arbiter: Rc::clone(arbiter), ticket });
        }
        arbiter.free.set(arbiter.free.get() - 1);
        arbiter.last.set(this.requester);
        let ticket = arbiter.list.next_ticket();
        arbiter.list.hold(ticket, arbiter.kernel.current());
        Poll::Ready(Grant { arbiter: Rc::clone(arbiter), ticket })
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.arbiter.inner.list.cancel(&mut self.wait) {
            self.arbiter.inner.release(ticket);
        }
    }
}

/// A unit of an [`Arbiter`], given back when this is dropped.
#[must_use = "a grant that is not kept is given back at once"]
pub struct Grant {
    arbiter: Rc<Inner>,
    ticket: u64,
}

impl Drop for Grant {
    fn drop(&mut self) {
        self.arbiter.release(self.ticket);
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").field("ticket", &self.ticket).finish_non_exhaustive()
    }
}
