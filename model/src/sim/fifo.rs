//! FIFOs with a capacity, on which senders and receivers wait.
//!
//! Both sides are served in the order in which they came. A process whose wait is over has a claim
//! to one place or one item, so nobody who comes later can take it away before the process runs.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::kernel::Kernel;
use super::process::Name;
use super::waits::{Subject, Wait, WaitList};

/// A queue of at most so many items. Clones are the same queue.
pub struct Fifo<T> {
    inner: Rc<Inner<T>>,
}

struct Inner<T> {
    kernel: Rc<Kernel>,
    capacity: usize,
    items: RefCell<VecDeque<T>>,
    /// Places that senders whose wait is over will fill.
    claimed_places: Cell<usize>,
    /// Items that receivers whose wait is over will take.
    claimed_items: Cell<usize>,
    senders: Rc<WaitList>,
    receivers: Rc<WaitList>,
}

impl<T> Inner<T> {
    /// Puts an item in if there is a place to which no sender has a claim.
    #[inline]
    fn try_put(&self, item: &mut Option<T>) -> bool {
        let mut items = self.items.borrow_mut();
        if items.len() + self.claimed_places.get() >= self.capacity {
            return false;
        }
        items.push_back(item.take().expect("a send is not polled after its end"));
        drop(items);
        self.offer_item();
        true
    }

    /// Takes an item out if there is one to which no receiver has a claim.
    #[inline]
    fn try_take(&self) -> Option<T> {
        let mut items = self.items.borrow_mut();
        if items.len() <= self.claimed_items.get() {
            return None;
        }
        let item = items.pop_front();
        drop(items);
        self.offer_place();
        item
    }

    /// Puts an item in, and gives the first receiver a claim to it.
    #[inline]
    fn put(&self, item: T) {
        self.items.borrow_mut().push_back(item);
        self.offer_item();
    }

    /// Takes an item out, and gives the first sender a claim to its place.
    #[inline]
    fn take(&self) -> T {
        let item = self.items.borrow_mut().pop_front().expect("a claim is to an item");
        self.offer_place();
        item
    }

    #[inline]
    fn offer_item(&self) {
        if self.receivers.fire_first(&self.kernel) {
            self.claimed_items.set(self.claimed_items.get() + 1);
        }
    }

    #[inline]
    fn offer_place(&self) {
        if self.senders.fire_first(&self.kernel) {
            self.claimed_places.set(self.claimed_places.get() + 1);
        }
    }
}

impl<T> Fifo<T> {
    pub(super) fn new(kernel: &Rc<Kernel>, name: Name, capacity: usize) -> Self {
        assert!(capacity > 0, "the FIFO `{name}` has no place");
        let senders = WaitList::new(kernel, Subject::FifoPlace, name.clone());
        let receivers = WaitList::new(kernel, Subject::FifoItem, name);
        Self {
            inner: Rc::new(Inner {
                kernel: Rc::clone(kernel),
                capacity,
                items: RefCell::default(),
                claimed_places: Cell::new(0),
                claimed_items: Cell::new(0),
                senders,
                receivers,
            }),
        }
    }

    /// Items in the queue.
    pub fn len(&self) -> usize {
        self.inner.items.borrow().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many there can be.
    pub fn capacity(&self) -> usize {
        self.inner.capacity
    }

    /// Puts an item in as soon as there is a place for it.
    #[inline]
    pub fn send(&self, item: T) -> Send<'_, T> {
        Send { fifo: &self.inner, item: Some(item), wait: Wait::default() }
    }

    /// Takes the first item as soon as there is one.
    #[inline]
    pub fn recv(&self) -> Recv<'_, T> {
        Recv { fifo: &self.inner, wait: Wait::default() }
    }

    /// Puts an item in if there is a place that no other sender waits for.
    ///
    /// # Errors
    /// Gives the item back if there is none.
    pub fn try_send(&self, item: T) -> Result<(), T> {
        let mut item = Some(item);
        self.inner.try_put(&mut item);
        item.map_or(Ok(()), Err)
    }

    /// Takes the first item if there is one that no other receiver waits for.
    pub fn try_recv(&self) -> Option<T> {
        self.inner.try_take()
    }
}

impl<T> Clone for Fifo<T> {
    fn clone(&self) -> Self {
        Self { inner: Rc::clone(&self.inner) }
    }
}

impl<T> fmt::Debug for Fifo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, capacity) = (self.len(), self.capacity());
        f.debug_struct("Fifo").field("len", &len).field("capacity", &capacity).finish()
    }
}

/// The future of [`Fifo::send`]. Dropping it drops the item, if that is not in the queue yet.
#[must_use = "nothing is sent unless this is awaited"]
pub struct Send<'a, T> {
    fifo: &'a Inner<T>,
    item: Option<T>,
    wait: Wait,
}

// The item is moved into the queue, and never pinned.
impl<T> Unpin for Send<'_, T> {}

impl<T> Future for Send<'_, T> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let fifo = this.fifo;
        if !this.wait.has_begun() && fifo.try_put(&mut this.item) {
            return Poll::Ready(());
        }
        fifo.senders.poll(&mut this.wait, &fifo.kernel, cx, None).map(|_| {
            fifo.claimed_places.set(fifo.claimed_places.get() - 1);
            fifo.put(this.item.take().expect("a send is not polled after its end"));
        })
    }
}

impl<T> Drop for Send<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.wait.has_begun() {
            self.give_up();
        }
    }
}

impl<T> Send<'_, T> {
    /// Leaves the line, or a claim to the next in it.
    #[cold]
    fn give_up(&mut self) {
        if self.fifo.senders.cancel(&mut self.wait).is_some() {
            self.fifo.claimed_places.set(self.fifo.claimed_places.get() - 1);
            self.fifo.offer_place();
        }
    }
}

/// The future of [`Fifo::recv`]. Dropping it leaves the item to others.
#[must_use = "nothing is received unless this is awaited"]
pub struct Recv<'a, T> {
    fifo: &'a Inner<T>,
    wait: Wait,
}

impl<T> Future for Recv<'_, T> {
    type Output = T;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let this = self.get_mut();
        let fifo = this.fifo;
        if !this.wait.has_begun()
            && let Some(item) = fifo.try_take()
        {
            return Poll::Ready(item);
        }
        fifo.receivers.poll(&mut this.wait, &fifo.kernel, cx, None).map(|_| {
            fifo.claimed_items.set(fifo.claimed_items.get() - 1);
            fifo.take()
        })
    }
}

impl<T> Drop for Recv<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.wait.has_begun() {
            self.give_up();
        }
    }
}

impl<T> Recv<'_, T> {
    /// Leaves the line, or a claim to the next in it.
    #[cold]
    fn give_up(&mut self) {
        if self.fifo.receivers.cancel(&mut self.wait).is_some() {
            self.fifo.claimed_items.set(self.fifo.claimed_items.get() - 1);
            self.fifo.offer_item();
        }
    }
}
