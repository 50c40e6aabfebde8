//! The executor: which process runs next.
//!
//! A step resumes the first ready process. When none is ready, time jumps to the first timer, which
//! fires alone; so what happens at equal times happens in the order in which it was asked for.
//!
//! Waits of the kernel's own primitives do not go through `Waker`s: the kernel knows which process
//! runs, and notes that. A future that is polled with another waker than its process's, as
//! combinators with wakers of their own do, gets that waker called instead.

use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::task::Context;

use slab::Slab;

use super::account::Account;
use super::deadlock::{Deadlock, Waiting};
use super::process::{Ended, JoinHandle, Name, Process, ProcessId, Run, Woken, waker};
use super::random::{RandomStream, random_stream};
use super::timers::{Alarm, Timers};
use super::waits::{Party, WaitList};

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
    now_ps: Cell<u64>,
    ready: RefCell<VecDeque<Rc<Process>>>,
    timers: RefCell<Timers>,
    current: RefCell<Option<Rc<Process>>>,
    woken: Arc<Woken>,
    stop: Cell<bool>,
    /// Where the run that goes on ends.
    limit_ps: Cell<u64>,
    steps: Cell<u64>,
    processes: RefCell<Slab<Rc<Process>>>,
    spawned: Cell<u64>,
    /// The simulation is gone: nothing runs any more.
    is_closed: Cell<bool>,
    lists: RefCell<Lists>,
    seed: u64,
    streams: RefCell<HashSet<String>>,
}

/// All wait lists, for deadlock reports.
#[derive(Default)]
struct Lists {
    all: Vec<Weak<WaitList>>,
    /// When there are so many, those that are gone are removed.
    sweep_at: usize,
}

impl Kernel {
    pub(super) fn new(seed: u64) -> Rc<Self> {
        Rc::new(Self {
            now_ps: Cell::new(0),
            ready: RefCell::default(),
            timers: RefCell::default(),
            current: RefCell::default(),
            woken: Arc::default(),
            stop: Cell::new(false),
            limit_ps: Cell::new(0),
            steps: Cell::new(0),
            processes: RefCell::default(),
            spawned: Cell::new(0),
            is_closed: Cell::new(false),
            lists: RefCell::default(),
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

    /// The timers, to be looked at or changed without running foreign code.
    #[inline]
    pub(super) fn with_timers<R>(&self, change: impl FnOnce(&mut Timers) -> R) -> R {
        change(&mut self.timers.borrow_mut())
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
        code: impl Future<Output = T> + 'static,
    ) -> JoinHandle<T> {
        let ended = Ended::new();
        let body = Box::pin(Run { code, kernel: Rc::clone(self), ended: Rc::clone(&ended) });
        let mut processes = self.processes.borrow_mut();
        let id = ProcessId { index: processes.vacant_key(), serial: self.spawned.get() };
        self.spawned.set(id.serial + 1);
        let process = Rc::new(Process {
            id,
            name,
            is_server,
            is_ready: Cell::new(false),
            has_ended: Cell::new(self.is_closed.get()),
            account: Account::default(),
            waker: waker(id, &self.woken),
            body: RefCell::new(None),
        });
        if self.is_closed.get() {
            drop(processes);
            drop(body);
        } else {
            *process.body.borrow_mut() = Some(body);
            processes.insert(Rc::clone(&process));
            drop(processes);
            self.make_ready(Rc::clone(&process));
        }
        JoinHandle::new(Rc::clone(self), process, ended)
    }

    fn process(&self, id: ProcessId) -> Option<Rc<Process>> {
        let processes = self.processes.borrow();
        processes.get(id.index).filter(|process| process.id == id).cloned()
    }

    /// Takes a process out of the table and drops its code, unless that runs: then it is dropped
    /// when it waits next.
    pub(super) fn abort(&self, process: &Process) {
        if !process.has_ended.replace(true) {
            let entry = self.processes.borrow_mut().remove(process.id.index);
            drop(entry);
        }
        let body = process.body.try_borrow_mut().ok().and_then(|mut body| body.take());
        drop(body);
    }

    /// Drops all processes; those that they start while being dropped, too.
    pub(super) fn close(&self) {
        self.is_closed.set(true);
        loop {
            let next = self.processes.borrow().iter().next().map(|(_, process)| Rc::clone(process));
            match next {
                Some(process) => self.abort(&process),
                None => break,
            }
        }
        let left = (self.ready.take(), self.timers.take());
        drop(left);
    }

    // ---- Waits ----

    pub(super) fn register(&self, list: &Rc<WaitList>) {
        let Lists { all, sweep_at } = &mut *self.lists.borrow_mut();
        if all.len() >= *sweep_at {
            all.retain(|list| list.strong_count() > 0);
            *sweep_at = (2 * all.len()).max(64);
        }
        all.push(Rc::downgrade(list));
    }

    /// The process that runs.
    pub(super) fn current(&self) -> Rc<Process> {
        self.party(&Context::from_waker(std::task::Waker::noop())).process
    }

    /// Looks at the account of the process that runs.
    #[inline]
    pub(super) fn with_account<R>(&self, look: impl FnOnce(&Account) -> R) -> R {
        let current = self.current.borrow();
        look(&current.as_ref().expect("a process of this simulation runs").account)
    }

    /// Who is to be woken when what `cx` belongs to can go on.
    #[inline]
    pub(super) fn party(&self, cx: &Context<'_>) -> Party {
        let current = self.current.borrow();
        let process = current.as_ref().expect("awaited outside the processes of this simulation");
        let is_own = process.waker.will_wake(cx.waker());
        let waker = if is_own { None } else { Some(cx.waker().clone()) };
        Party { process: Rc::clone(process), waker }
    }

    #[inline(always)] // a wait's end is as hot as its start
    pub(super) fn wake(&self, party: Party) {
        match party.waker {
            None => self.make_ready(party.process),
            Some(waker) => waker.wake(),
        }
    }

    /// Puts a process at the end of the ready queue, once.
    #[inline(always)]
    fn make_ready(&self, process: Rc<Process>) {
        if !process.is_ready.replace(true) {
            self.ready.borrow_mut().push_back(process);
        }
    }

    // ---- Runs ----

    /// Runs until nothing is left to do at or before `limit_ps`.
    pub(super) fn run(&self, limit_ps: u64) -> RunEnd {
        self.limit_ps.set(limit_ps);
        loop {
            self.run_ready();
            if self.stop.take() {
                return RunEnd::Stopped;
            }
            match self.with_timers(|timers| timers.fire_next(limit_ps)) {
                Some((at_ps, alarm)) => {
                    self.now_ps.set(at_ps);
                    match alarm {
                        // Nothing is ready, so the process would be the next to run anyway.
                        Alarm::Wake(Party { process, waker: None }) => self.step(process),
                        Alarm::Wake(party) => self.wake(party),
                        Alarm::Notify(list) => list.fire_all(self),
                    }
                }
                None if self.timers.borrow().is_any() => return RunEnd::Limit,
                None => return RunEnd::Drained,
            }
        }
    }

    /// Before this time nothing happens, unless the process that runs causes it.
    pub(super) fn quiet_before_ps(&self) -> u64 {
        if !self.ready.borrow().is_empty() || self.woken.is_any() {
            return self.now_ps();
        }
        let first_ps = self.timers.borrow().first_ps().unwrap_or(u64::MAX);
        first_ps.min(self.limit_ps.get().saturating_add(1))
    }

    /// Moves time on when nothing happens before.
    pub(super) fn idle_until(&self, at_ps: u64) {
        self.now_ps.set(at_ps.max(self.now_ps()));
    }

    /// Runs the ready processes, and those that they make ready.
    fn run_ready(&self) {
        while !self.stop.get() {
            if self.woken.is_any() {
                self.take_woken();
            }
            let Some(process) = self.ready.borrow_mut().pop_front() else { break };
            self.step(process);
        }
        let last = self.current.take();
        drop(last);
    }

    #[cold]
    fn take_woken(&self) {
        for id in self.woken.take() {
            if let Some(process) = self.process(id) {
                self.make_ready(process);
            }
        }
    }

    /// Resumes one process.
    #[inline]
    fn step(&self, process: Rc<Process>) {
        process.is_ready.set(false);
        self.steps.set(self.steps.get() + 1);
        let last = self.current.replace(Some(process));
        drop(last);
        let current = self.current.borrow();
        let Some(process) = &*current else { unreachable!("it has just been set") };
        let mut body = process.body.borrow_mut();
        let Some(code) = &mut *body else { return };
        let poll = code.as_mut().poll(&mut Context::from_waker(&process.waker));
        drop(body);
        if poll.is_ready() || process.has_ended.get() {
            self.abort(process);
        }
    }

    /// An error if processes wait although nothing will happen any more.
    pub(super) fn check_drained(&self) -> Result<(), Deadlock> {
        let mut blocked: Vec<(u64, Waiting)> = Vec::new();
        for (_, process) in &*self.processes.borrow() {
            if !process.is_server {
                let waiting = Waiting { process: process.name.to_string(), awaited: Vec::new() };
                blocked.push((process.id.serial, waiting));
            }
        }
        if blocked.is_empty() {
            return Ok(());
        }
        blocked.sort_by_key(|(serial, _)| *serial);
        for list in self.lists.borrow().all.iter().filter_map(Weak::upgrade) {
            for process in list.processes() {
                let at = blocked.binary_search_by_key(&process.id.serial, |(serial, _)| *serial);
                if let Ok(at) = at {
                    blocked[at].1.awaited.push(list.describe());
                }
            }
        }
        let waiting = blocked.into_iter().map(|(_, waiting)| waiting).collect();
        Err(Deadlock::new(self.now_ps(), waiting))
    }
}
