//! The executor: which process runs next, and what a wait is.
//!
//! A step resumes the first ready process. When none is ready, time jumps to the first timer, which
//! fires alone; so what happens at equal times happens in the order in which it was asked for.
//!
//! Waits of the kernel's own primitives do not go through `Waker`s: the kernel knows which process
//! runs, and notes that. A future that is polled with another waker than its process's, as
//! combinators with wakers of their own do, gets that waker called, too.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, RawWakerVTable};

use super::deadlock::Deadlock;
use super::process::{Body, Ended, JoinHandle, ProcessId, Woken, waker};
use super::random::{RandomStream, random_stream};
use super::tables::{ListId, ListKind, Name, NodeId, Party, Tables, Wake};

/// The process that runs, and how to recognise its own waker.
#[derive(Clone, Copy)]
struct Current {
    id: ProcessId,
    data: *const (),
    vtable: &'static RawWakerVTable,
}

/// A wait of a future: none before its first poll and after it is over.
#[derive(Default)]
pub(super) struct Wait(Option<NodeId>);

impl Wait {
    /// Whether the wait has begun and is not over.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        self.0.is_some()
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunEnd {
    /// Nothing is ready and no timer runs.
    Drained,
    /// The next timer is later than asked for.
    Limit,
    /// The process that the run is for has ended.
    Stopped,
}

pub(super) struct Kernel {
    tables: RefCell<Tables>,
    now_ps: Cell<u64>,
    current: Cell<Option<Current>>,
    woken: Arc<Woken>,
    stop: Cell<bool>,
    steps: Cell<u64>,
    seed: u64,
    streams: RefCell<HashSet<String>>,
}

impl Kernel {
    pub(super) fn new(seed: u64) -> Rc<Self> {
        Rc::new(Self {
            tables: RefCell::default(),
            now_ps: Cell::new(0),
            current: Cell::new(None),
            woken: Arc::default(),
            stop: Cell::new(false),
            steps: Cell::new(0),
            seed,
            streams: RefCell::default(),
        })
    }

    #[inline]
    pub(super) fn now_ps(&self) -> u64 {
        self.now_ps.get()
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }

    pub(super) fn request_stop(&self) {
        self.stop.set(true);
    }

    /// Looks at or changes the tables; `change` does not run foreign code.
    #[inline]
    pub(super) fn with<R>(&self, change: impl FnOnce(&mut Tables) -> R) -> R {
        change(&mut self.tables.borrow_mut())
    }

    /// A random stream that was not asked for before.
    pub(super) fn random(&self, name: &str) -> RandomStream {
        let is_new = self.streams.borrow_mut().insert(name.to_owned());
        assert!(is_new, "the random stream `{name}` is asked for twice and would repeat itself");
        random_stream(self.seed, name)
    }

    // ---- Processes ----

    pub(super) fn spawn<T: 'static>(
        self: &Rc<Self>,
        name: Name,
        is_server: bool,
        future: impl Future<Output = T> + 'static,
    ) -> JoinHandle<T> {
        let ended = Ended::new();
        let (kernel, at_end) = (Rc::clone(self), Rc::clone(&ended));
        let future = Box::pin(async move {
            let value = future.await;
            at_end.end(&kernel, value);
        });
        let mut tables = self.tables.borrow_mut();
        let id = tables.processes.next_id();
        let body = Body { future, waker: waker(id, &self.woken) };
        if tables.closed {
            drop(tables);
            drop(body);
        } else {
            tables.processes.insert(name, is_server, body);
            tables.make_ready(id);
        }
        JoinHandle::new(Rc::clone(self), id, ended)
    }

    pub(super) fn abort(&self, id: ProcessId) {
        let body = self.with(|tables| tables.processes.remove(id));
        drop(body);
    }

    /// Drops all processes; those that they start while being dropped, too.
    pub(super) fn close(&self) {
        self.with(|tables| tables.closed = true);
        while let Some(body) = self.with(|tables| tables.processes.remove_one()) {
            drop(body);
        }
        self.with(|tables| {
            tables.ready.clear();
            tables.drop_timers();
        });
    }

    // ---- Waits ----

    /// Who is to be woken when what `cx` belongs to can go on.
    #[inline]
    fn party(&self, cx: &Context<'_>) -> Party {
        let current = self.current.get().expect("awaited outside the processes of this simulation");
        let waker = cx.waker();
        let is_own = waker.data() == current.data && std::ptr::eq(waker.vtable(), current.vtable);
        Party { process: current.id, waker: (!is_own).then(|| waker.clone()) }
    }

    /// Starts a wait, or looks whether it is over; then the process is the one that waited.
    #[inline]
    pub(super) fn poll(
        &self,
        wait: &mut Wait,
        cx: &Context<'_>,
        start: impl FnOnce(&mut Tables, Party) -> NodeId,
    ) -> Poll<ProcessId> {
        let Some(node) = wait.0 else {
            let party = self.party(cx);
            wait.0 = Some(self.with(|tables| start(tables, party)));
            return Poll::Pending;
        };
        if let Some(process) = self.with(|tables| tables.take_fired(node)) {
            wait.0 = None;
            return Poll::Ready(process);
        }
        let party = self.party(cx);
        let before = self.with(|tables| tables.rewake(node, party));
        drop(before);
        Poll::Pending
    }

    /// Gives up a wait; if it was over without its future having seen it, tells who waited.
    #[inline]
    pub(super) fn cancel(&self, wait: &mut Wait) -> Option<ProcessId> {
        let node = wait.0.take()?;
        let (had_fired, party) = self.with(|tables| tables.cancel(node));
        party.filter(|_| had_fired).map(|party| party.process)
    }

    /// The process that runs.
    pub(super) fn current(&self) -> ProcessId {
        self.current.get().expect("awaited outside the processes of this simulation").id
    }

    pub(super) fn new_list(&self, kind: ListKind, name: Name) -> ListId {
        self.with(|tables| tables.new_list(kind, name))
    }

    pub(super) fn list_for_end(&self, id: ProcessId) -> ListId {
        self.with(|tables| {
            let name = tables.processes.name(id).cloned();
            tables
                .new_list(ListKind::ProcessEnd, name.unwrap_or(Name::Borrowed("an ended process")))
        })
    }

    pub(super) fn free_list(&self, list: ListId) {
        self.with(|tables| tables.free_list(list));
    }

    /// Ends all waits of a list.
    pub(super) fn fire_all(&self, list: ListId) {
        while let Some(wake) = self.with(|tables| tables.fire_all(list)) {
            wake.wake();
        }
    }

    #[inline]
    pub(super) fn follow(&self, wake: Wake) {
        match wake {
            Wake::Nothing => {}
            Wake::Waker(waker) => waker.wake(),
            Wake::Event(list) => self.fire_all(list),
        }
    }

    // ---- Runs ----

    /// Runs until nothing is left to do at or before `limit_ps`.
    pub(super) fn run(&self, limit_ps: u64) -> RunEnd {
        loop {
            self.run_ready();
            if self.stop.take() {
                return RunEnd::Stopped;
            }
            let mut tables = self.tables.borrow_mut();
            match tables.next_timer_ps() {
                None => return RunEnd::Drained,
                Some(at_ps) if at_ps > limit_ps => return RunEnd::Limit,
                Some(at_ps) => {
                    self.now_ps.set(at_ps);
                    let wake = tables.fire_timer();
                    drop(tables);
                    self.follow(wake);
                }
            }
        }
    }

    /// Moves time on when nothing happens before.
    pub(super) fn idle_until(&self, at_ps: u64) {
        self.now_ps.set(at_ps.max(self.now_ps()));
    }

    /// Runs the ready processes, and those that they make ready.
    fn run_ready(&self) {
        while !self.stop.get() {
            if self.woken.is_any() {
                let woken = self.woken.take();
                self.with(|tables| woken.into_iter().for_each(|id| tables.make_ready(id)));
            }
            let next = self.with(|tables| {
                let id = tables.ready.pop_front()?;
                Some((id, tables.processes.start(id)))
            });
            match next {
                None => break,
                Some((id, Some(body))) => self.step(id, body),
                Some((_, None)) => {}
            }
        }
        self.current.set(None);
    }

    /// Resumes one process.
    #[inline]
    fn step(&self, id: ProcessId, mut body: Body) {
        let (data, vtable) = (body.waker.data(), body.waker.vtable());
        self.current.set(Some(Current { id, data, vtable }));
        self.steps.set(self.steps.get() + 1);
        let poll = body.future.as_mut().poll(&mut Context::from_waker(&body.waker));
        let left = match poll {
            Poll::Pending => self.with(|tables| tables.processes.suspend(id, body)),
            Poll::Ready(()) => {
                self.with(|tables| tables.processes.remove(id));
                Some(body)
            }
        };
        drop(left);
    }

    /// An error if processes wait although nothing will happen any more.
    pub(super) fn check_drained(&self) -> Result<(), Deadlock> {
        match self.with(|tables| tables.blocked()) {
            waiting if waiting.is_empty() => Ok(()),
            waiting => Err(Deadlock::new(self.now_ps(), waiting)),
        }
    }
}
