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

use super::kernel::{Kernel, Wait};
use super::process::ProcessId;
use super::tables::{ListId, ListKind, Name, Tables};

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
    list: ListId,
    free: Cell<usize>,
    /// The requester served last; at first one before all others.
    last: Cell<u32>,
}

impl Inner {
    /// Waits for a unit, in the order that the policy asks for.
    fn poll_wait(&self, wait: &mut Wait, cx: &Context<'_>, requester: u32) -> Poll<ProcessId> {
        let list = self.list;
        self.kernel.poll(wait, cx, |tables, party| match self.policy {
            Policy::FirstCome | Policy::RoundRobin => tables.wait(list, requester, party),
            Policy::Priority => tables.wait_by_key(list, requester, party),
        })
    }

    /// Hands a unit on.
    fn release(&self, holder: ProcessId) {
        let next = self.kernel.with(|tables: &mut Tables| {
            tables.remove_holder(self.list, holder);
            let (node, key) = match self.policy {
                Policy::FirstCome | Policy::Priority => tables.first(self.list)?,
                Policy::RoundRobin => tables.first_after(self.list, self.last.get())?,
            };
            tables.add_holder_of(self.list, node);
            Some((tables.fire(node), key))
        });
        match next {
            Some((wake, key)) => {
                self.last.set(key);
                self.kernel.follow(wake);
            }
            None => self.free.set(self.free.get() + 1),
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.kernel.free_list(self.list);
    }
}

impl Arbiter {
    pub(super) fn new(kernel: &Rc<Kernel>, name: Name, policy: Policy, units: usize) -> Self {
        assert!(units > 0, "the arbiter `{name}` has nothing to grant");
        let list = kernel.new_list(ListKind::Arbiter, name);
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
        let holder = if this.wait.has_begun() || arbiter.free.get() == 0 {
            match arbiter.poll_wait(&mut this.wait, cx, this.requester) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(holder) => holder,
            }
        } else {
            let holder = arbiter.kernel.current();
            arbiter.free.set(arbiter.free.get() - 1);
            arbiter.last.set(this.requester);
            arbiter.kernel.with(|tables| tables.add_holder(arbiter.list, holder));
            holder
        };
        Poll::Ready(Grant { arbiter: Rc::clone(arbiter), holder })
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        if let Some(holder) = self.arbiter.inner.kernel.cancel(&mut self.wait) {
            self.arbiter.inner.release(holder);
        }
    }
}

/// A unit of an [`Arbiter`], given back when this is dropped.
#[must_use = "a grant that is not kept is given back at once"]
pub struct Grant {
    arbiter: Rc<Inner>,
    holder: ProcessId,
}

impl Drop for Grant {
    fn drop(&mut self) {
        self.arbiter.release(self.holder);
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").field("holder", &self.holder).finish_non_exhaustive()
    }
}
