//! Processes: their table, their wakers, and the handles by which others await their ends.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use slab::Slab;

use super::kernel::{Kernel, Wait};
use super::tables::{ListId, Name};

/// A process: its place in the table, and a number that no other process of the simulation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcessId {
    index: u32,
    serial: u32,
}

/// What of a process leaves the table while it runs.
pub(super) struct Body {
    pub(super) future: Pin<Box<dyn Future<Output = ()>>>,
    pub(super) waker: Waker,
}

struct Process {
    serial: u32,
    /// In the ready queue.
    is_ready: bool,
    is_server: bool,
    body: Option<Body>,
    name: Name,
}

#[derive(Default)]
pub(super) struct Processes {
    table: Slab<Process>,
    spawned: u32,
}

impl Processes {
    pub(super) fn next_id(&self) -> ProcessId {
        let index = u32::try_from(self.table.vacant_key()).expect("fewer than 2^32 processes");
        ProcessId { index, serial: self.spawned }
    }

    /// Adds a process, whose id is that of [`next_id`](Self::next_id).
    pub(super) fn insert(&mut self, name: Name, is_server: bool, body: Body) {
        let serial = self.spawned;
        self.spawned = serial.wrapping_add(1);
        self.table.insert(Process { serial, is_ready: false, is_server, body: Some(body), name });
    }

    #[inline]
    fn get(&mut self, id: ProcessId) -> Option<&mut Process> {
        self.table.get_mut(id.index as usize).filter(|process| process.serial == id.serial)
    }

    /// Notes that a process is ready; false if that was known or if it has ended.
    #[inline]
    pub(super) fn mark_ready(&mut self, id: ProcessId) -> bool {
        self.get(id).is_some_and(|process| !std::mem::replace(&mut process.is_ready, true))
    }

    /// Takes the body out of a ready process, to run it.
    #[inline]
    pub(super) fn start(&mut self, id: ProcessId) -> Option<Body> {
        let process = self.get(id)?;
        process.is_ready = false;
        process.body.take()
    }

    /// Puts the body back; returns it if the process was aborted meanwhile.
    #[inline]
    pub(super) fn suspend(&mut self, id: ProcessId, body: Body) -> Option<Body> {
        match self.get(id) {
            Some(process) => {
                process.body = Some(body);
                None
            }
            None => Some(body),
        }
    }

    /// Removes a process that has ended or is to end; its body is to be dropped outside.
    pub(super) fn remove(&mut self, id: ProcessId) -> Option<Body> {
        self.get(id)?;
        self.table.remove(id.index as usize).body
    }

    /// Removes any process.
    pub(super) fn remove_one(&mut self) -> Option<Body> {
        let (index, _) = self.table.iter().next()?;
        self.table.remove(index).body
    }

    /// The processes that are no servers, by name.
    pub(super) fn foreground(&self) -> impl Iterator<Item = (ProcessId, &Name)> {
        self.table.iter().filter(|(_, process)| !process.is_server).map(|(index, process)| {
            (ProcessId { index: index as u32, serial: process.serial }, &process.name)
        })
    }

    /// The name of a process that has not ended.
    pub(super) fn name(&self, id: ProcessId) -> Option<&Name> {
        let process = self.table.get(id.index as usize)?;
        (process.serial == id.serial).then_some(&process.name)
    }
}

/// Processes that were woken through a `Waker`, which has to be `Send` and so cannot reach the
/// kernel itself.
#[derive(Default)]
pub(super) struct Woken {
    is_any: AtomicBool,
    ids: Mutex<Vec<ProcessId>>,
}

impl Woken {
    #[inline]
    pub(super) fn is_any(&self) -> bool {
        self.is_any.load(Ordering::Acquire)
    }

    /// All that were woken since the last call, in order.
    #[cold]
    pub(super) fn take(&self) -> Vec<ProcessId> {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_any.store(false, Ordering::Release);
        std::mem::take(&mut ids)
    }
}

/// What stands behind a process's `Waker`.
struct ProcessWaker {
    id: ProcessId,
    woken: Arc<Woken>,
}

impl Wake for ProcessWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut ids = self.woken.ids.lock().unwrap_or_else(PoisonError::into_inner);
        ids.push(self.id);
        self.woken.is_any.store(true, Ordering::Release);
    }
}

pub(super) fn waker(id: ProcessId, woken: &Arc<Woken>) -> Waker {
    Waker::from(Arc::new(ProcessWaker { id, woken: Arc::clone(woken) }))
}

/// What a process leaves for whoever awaits its end.
pub(super) struct Ended<T> {
    value: Cell<Option<T>>,
    /// There once somebody awaits the end before it comes.
    list: Cell<Option<ListId>>,
}

impl<T> Ended<T> {
    pub(super) fn new() -> Rc<Self> {
        Rc::new(Self { value: Cell::new(None), list: Cell::new(None) })
    }

    pub(super) fn end(&self, kernel: &Kernel, value: T) {
        self.value.set(Some(value));
        if let Some(list) = self.list.get() {
            kernel.fire_all(list);
        }
    }

    pub(super) fn take(&self) -> Option<T> {
        self.value.take()
    }
}

/// A process's end, to be awaited for the value that the process returns.
///
/// Dropping the handle leaves the process to itself.
pub struct JoinHandle<T> {
    kernel: Rc<Kernel>,
    id: ProcessId,
    ended: Rc<Ended<T>>,
    wait: Wait,
}

impl<T> JoinHandle<T> {
    pub(super) fn new(kernel: Rc<Kernel>, id: ProcessId, ended: Rc<Ended<T>>) -> Self {
        Self { kernel, id, ended, wait: Wait::default() }
    }

    /// The value of a process that has ended.
    pub(super) fn take(&mut self) -> Option<T> {
        self.ended.take()
    }

    /// Ends the process where it waits: what it owns is dropped, so its waits and grants end too.
    /// A process that aborts itself ends at its next wait.
    pub fn abort(self) {
        self.kernel.abort(self.id);
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let this = self.get_mut();
        if let Some(value) = this.ended.take() {
            this.kernel.cancel(&mut this.wait);
            return Poll::Ready(value);
        }
        let list = this.ended.list.get().unwrap_or_else(|| {
            let list = this.kernel.list_for_end(this.id);
            this.ended.list.set(Some(list));
            list
        });
        // The end fires the wait and leaves the value, so a wait that is over had its value above.
        let wait =
            this.kernel.poll(&mut this.wait, cx, |tables, party| tables.wait(list, 0, party));
        assert!(wait.is_pending(), "a process is awaited again after its value was taken");
        Poll::Pending
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        self.kernel.cancel(&mut self.wait);
        if let Some(list) = self.ended.list.take() {
            self.kernel.free_list(list);
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("id", &self.id).finish_non_exhaustive()
    }
}
