//! Wait lists: who waits for the same thing, in the order in which they came.
//!
//! Each wait gets a ticket, greater than all before. Waiters leave their list when it is their turn
//! or when their future is dropped, which only that future can do; so a future whose ticket is not
//! in the list knows that its turn has come.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::kernel::Kernel;
use super::process::{Name, Process};

/// What a wait list is for, as a deadlock report words it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Event,
    FifoPlace,
    FifoItem,
    Arbiter,
    ProcessEnd,
}

/// Who waits.
pub(super) struct Party {
    /// The process that has to be resumed.
    pub(super) process: Rc<Process>,
    /// How, where a combinator inside the process wants to know which of its futures may go on;
    /// none is the common case, in which it suffices to resume the process.
    pub(super) waker: Option<Waker>,
}

/// Two words, which are kept in registers: with a third, writing one took a quarter of the time of
/// a transfer through a FIFO.
struct Waiter {
    ticket: u64,
    process: Rc<Process>,
}

/// Waiters in the order of their tickets.
#[derive(Default)]
struct Waiters {
    queue: VecDeque<Waiter>,
    /// Of those who wait for an arbiter, in the same order.
    keys: VecDeque<u32>,
    /// Of those who have one, by ticket: there rarely are any.
    wakers: Vec<(u64, Waker)>,
}

impl Waiters {
    #[cold]
    fn keep_waker(&mut self, ticket: u64, waker: Waker) {
        self.wakers.push((ticket, waker));
    }

    #[cold]
    fn take_waker(&mut self, ticket: u64) -> Option<Waker> {
        let at = self.wakers.iter().position(|(owner, _)| *owner == ticket)?;
        Some(self.wakers.remove(at).1)
    }

    /// Takes out the waker of a waiter that has left the queue.
    #[inline]
    fn party(&mut self, waiter: Waiter) -> Party {
        let waker = if self.wakers.is_empty() { None } else { self.take_waker(waiter.ticket) };
        Party { process: waiter.process, waker }
    }
}

/// A list of waiters, and of those to whom an arbiter has granted what these wait for.
pub(super) struct WaitList {
    subject: Subject,
    name: Name,
    waiters: RefCell<Waiters>,
    tickets: Cell<u64>,
    holders: RefCell<Vec<(u64, Rc<Process>)>>,
}

/// A future's place in a list: none before its first poll and after its turn.
#[derive(Default)]
pub(super) struct Wait(Option<u64>);

impl Wait {
    /// Whether the future has taken a place.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        self.0.is_some()
    }
}

impl WaitList {
    pub(super) fn new(kernel: &Kernel, subject: Subject, name: Name) -> Rc<Self> {
        let list = Rc::new(Self::unregistered(subject, name));
        kernel.register(&list);
        list
    }

    /// A list that no report will mention.
    pub(super) fn unregistered(subject: Subject, name: Name) -> Self {
        Self {
            subject,
            name,
            waiters: RefCell::default(),
            tickets: Cell::new(0),
            holders: RefCell::default(),
        }
    }

    #[inline]
    pub(super) fn next_ticket(&self) -> u64 {
        let ticket = self.tickets.get();
        self.tickets.set(ticket + 1);
        ticket
    }

    /// Takes a place at the end, or looks whether the turn has come; then it tells the ticket. All
    /// who wait for an arbiter have a key for [`fire_by`](Self::fire_by), and nobody else has.
    #[inline(always)] // small once the rare cases are apart, and the hottest path there is
    pub(super) fn poll(
        &self,
        wait: &mut Wait,
        kernel: &Kernel,
        cx: &Context<'_>,
        key: Option<u32>,
    ) -> Poll<u64> {
        match wait.0 {
            None => {
                wait.0 = Some(self.enter(kernel, cx, key));
                Poll::Pending
            }
            Some(ticket) if self.has_left(ticket) => {
                wait.0 = None;
                Poll::Ready(ticket)
            }
            Some(ticket) => {
                self.rewake(ticket, kernel.party(cx));
                Poll::Pending
            }
        }
    }

    #[inline(always)]
    fn enter(&self, kernel: &Kernel, cx: &Context<'_>, key: Option<u32>) -> u64 {
        let ticket = self.next_ticket();
        let Party { process, waker } = kernel.party(cx);
        let mut waiters = self.waiters.borrow_mut();
        waiters.queue.push_back(Waiter { ticket, process });
        if let Some(key) = key {
            waiters.keys.push_back(key);
        }
        if let Some(waker) = waker {
            waiters.keep_waker(ticket, waker);
        }
        ticket
    }

    /// Whether the turn of a ticket has come.
    #[inline]
    fn has_left(&self, ticket: u64) -> bool {
        match self.waiters.borrow().queue.front() {
            None => true,
            Some(first) => ticket < first.ticket || self.position(ticket).is_none(),
        }
    }

    /// Where a ticket stands.
    #[cold]
    fn position(&self, ticket: u64) -> Option<usize> {
        let queue = &self.waiters.borrow().queue;
        queue.binary_search_by_key(&ticket, |waiter| waiter.ticket).ok()
    }

    /// Makes a waiter's turn wake another party.
    #[cold]
    fn rewake(&self, ticket: u64, party: Party) {
        let at = self.position(ticket).expect("its turn is still to come");
        let mut waiters = self.waiters.borrow_mut();
        let process = std::mem::replace(&mut waiters.queue[at].process, party.process);
        let waker = waiters.take_waker(ticket);
        waiters.wakers.extend(party.waker.map(|waker| (ticket, waker)));
        drop(waiters);
        drop((process, waker));
    }

    /// Gives a place up; tells the ticket if its turn had come without its future having seen it.
    #[inline]
    pub(super) fn cancel(&self, wait: &mut Wait) -> Option<u64> {
        match wait.0.take() {
            None => None,
            Some(ticket) => self.leave(ticket),
        }
    }

    #[cold]
    fn leave(&self, ticket: u64) -> Option<u64> {
        let Some(at) = self.position(ticket) else { return Some(ticket) };
        let party = {
            let mut waiters = self.waiters.borrow_mut();
            waiters.keys.remove(at);
            let waiter = waiters.queue.remove(at);
            waiter.map(|waiter| waiters.party(waiter))
        };
        drop(party);
        None
    }

    /// Gives the first waiter its turn; false if there is none.
    #[inline(always)]
    pub(super) fn fire_first(&self, kernel: &Kernel) -> bool {
        let mut waiters = self.waiters.borrow_mut();
        let Some(first) = waiters.queue.pop_front() else { return false };
        let party = waiters.party(first);
        drop(waiters);
        kernel.wake(party);
        true
    }

    /// Gives all waiters their turn.
    pub(super) fn fire_all(&self, kernel: &Kernel) {
        while self.fire_first(kernel) {}
    }

    /// Gives the waiter with the smallest rank its turn, the first of equal ones, and makes it a
    /// holder; tells its key.
    pub(super) fn fire_by(&self, kernel: &Kernel, rank: impl Fn(u32) -> u32) -> Option<u32> {
        let mut waiters = self.waiters.borrow_mut();
        let ranked = waiters.keys.iter().enumerate().min_by_key(|(_, key)| rank(**key));
        let at = ranked.map(|(at, _)| at)?;
        let (waiter, key) = (waiters.queue.remove(at)?, waiters.keys.remove(at)?);
        let ticket = waiter.ticket;
        let party = waiters.party(waiter);
        drop(waiters);
        self.hold(ticket, Rc::clone(&party.process));
        kernel.wake(party);
        Some(key)
    }

    // ---- Holders ----

    pub(super) fn hold(&self, ticket: u64, process: Rc<Process>) {
        self.holders.borrow_mut().push((ticket, process));
    }

    pub(super) fn release(&self, ticket: u64) {
        let mut holders = self.holders.borrow_mut();
        let at = holders.iter().position(|(held, _)| *held == ticket);
        let holder = holders.remove(at.expect("a grant has its holder"));
        drop(holders);
        drop(holder);
    }

    // ---- Reports ----

    /// The processes that wait here.
    pub(super) fn processes(&self) -> Vec<Rc<Process>> {
        self.waiters.borrow().queue.iter().map(|waiter| Rc::clone(&waiter.process)).collect()
    }

    /// What they wait for, in words.
    pub(super) fn describe(&self) -> String {
        let name = &self.name;
        match self.subject {
            Subject::Event => format!("event `{name}`"),
            Subject::FifoPlace => format!("a place in FIFO `{name}`"),
            Subject::FifoItem => format!("an item of FIFO `{name}`"),
            Subject::ProcessEnd => format!("the end of `{name}`"),
            Subject::Arbiter => {
                let holders = self.holders.borrow();
                let holders: Vec<String> =
                    holders.iter().map(|(_, process)| format!("`{}`", process.name)).collect();
                format!("arbiter `{name}`, held by {}", holders.join(", "))
            }
        }
    }
}
