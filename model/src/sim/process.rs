//! Processes, their wakers, and the handles by which others await their ends.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use pin_project_lite::pin_project;

use super::account::Account;
use super::kernel::Kernel;
use super::waits::{Subject, Wait, WaitList};

/// A name of a process or of what processes wait for.
pub(super) type Name = Cow<'static, str>;

/// The place of a process in the kernel's table, and a number that no other process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcessId {
    pub(super) index: usize,
    pub(super) serial: u64,
}

/// A process: what the kernel's table, the ready queue and wait lists share.
pub(super) struct Process {
    pub(super) id: ProcessId,
    pub(super) name: Name,
    pub(super) is_server: bool,
    /// In the ready queue.
    pub(super) is_ready: Cell<bool>,
    pub(super) has_ended: Cell<bool>,
    pub(super) account: Account,
    pub(super) waker: Waker,
    /// None once the process has ended.
    pub(super) body: RefCell<Option<Pin<Box<dyn Future<Output = ()>>>>>,
}

pin_project! {
    /// A process's code, with what is to be done at its end.
    pub(super) struct Run<F: Future> {
        #[pin]
        pub(super) code: F,
        pub(super) kernel: Rc<Kernel>,
        pub(super) ended: Rc<Ended<F::Output>>,
    }
}

impl<F: Future> Future for Run<F> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        this.code.poll(cx).map(|value| this.ended.end(this.kernel, value))
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
    list: OnceCell<Rc<WaitList>>,
}

impl<T> Ended<T> {
    pub(super) fn new() -> Rc<Self> {
        Rc::new(Self { value: Cell::new(None), list: OnceCell::new() })
    }

    fn end(&self, kernel: &Kernel, value: T) {
        self.value.set(Some(value));
        if let Some(list) = self.list.get() {
            list.fire_all(kernel);
        }
    }
}

/// A process's end, to be awaited for the value that the process returns.
///
/// Dropping the handle leaves the process to itself.
pub struct JoinHandle<T> {
    kernel: Rc<Kernel>,
    process: Rc<Process>,
    ended: Rc<Ended<T>>,
    wait: Wait,
}

impl<T> JoinHandle<T> {
    pub(super) fn new(kernel: Rc<Kernel>, process: Rc<Process>, ended: Rc<Ended<T>>) -> Self {
        Self { kernel, process, ended, wait: Wait::default() }
    }

    /// The value of a process that has ended.
    pub(super) fn take(&self) -> Option<T> {
        self.ended.value.take()
    }

    /// Whether the process has ended.
    pub fn has_ended(&self) -> bool {
        self.process.has_ended.get()
    }

    /// Ends the process where it waits: what it owns is dropped, so its waits and grants end too.
    /// A process that aborts itself goes on to its next wait.
    pub fn abort(self) {
        self.kernel.abort(&self.process);
    }

    fn cancel_wait(&mut self) {
        if let Some(list) = self.ended.list.get() {
            list.cancel(&mut self.wait);
        }
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let this = self.get_mut();
        if let Some(value) = this.take() {
            this.cancel_wait();
            return Poll::Ready(value);
        }
        assert!(!this.has_ended(), "`{}` is awaited after its end was", this.process.name);
        let list = this.ended.list.get_or_init(|| {
            WaitList::new(&this.kernel, Subject::ProcessEnd, this.process.name.clone())
        });
        // The end leaves its value before the turn comes, so this wait goes on.
        list.poll(&mut this.wait, &this.kernel, cx, None)
            .map(|_| unreachable!("no value at the end"))
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        self.cancel_wait();
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("process", &self.process.name).finish_non_exhaustive()
    }
}
