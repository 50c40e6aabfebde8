//! The simulation kernel: a deterministic, single-threaded executor of `async` processes.
//!
//! Time is counted in picoseconds and moves only when no process can run. Processes wait for time,
//! [events](Event), places and items of [FIFOs](Fifo), [grants](Arbiter) of arbiters and the ends
//! of other processes: the thread process, event, fifo and mutex of SystemC (IEEE 1666-2011,
//! sections 5 and 6), without its delta cycles. What happens at one time happens in the order in
//! which it was asked for, so a run depends on its seed and its configuration alone.
//!
//! ```
//! use floatgate_hal::units::Picoseconds;
//! use floatgate_model::sim::Simulation;
//!
//! let mut simulation = Simulation::new(1);
//! let sim = simulation.sim();
//! let requests = sim.fifo("requests", 4);
//! let (clock, queue) = (sim.clone(), requests.clone());
//! sim.spawn_server("die", async move {
//!     loop {
//!         let page: u32 = queue.recv().await;
//!         clock.delay(Picoseconds(50_000_000)).await;
//!         println!("page {page} read at {}", clock.now());
//!     }
//! });
//! sim.spawn("host", async move { requests.send(7).await });
//! assert_eq!(simulation.run(), Ok(Picoseconds(50_000_000)));
//! ```
//!
//! [`Simulation`] owns the processes and runs them; [`Sim`] is the handle that they share. Dropping
//! the simulation drops all processes where they wait, which is what a power cut is.
//!
//! Futures that know no executor, as firmware's, run as processes too: each process has a real
//! [`Waker`](std::task::Waker). Processes woken through it run after those that the same step made
//! ready through the kernel. A run is repeatable as long as no other thread wakes anything.

mod account;
mod arbiter;
mod deadlock;
mod event;
mod fifo;
mod kernel;
mod process;
mod radix;
mod random;
mod stats;
mod timeout;
mod timers;
mod waits;
mod windows;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::rc::Rc;

use floatgate_hal::Clock;
use floatgate_hal::units::Picoseconds;

pub use account::{Account, STAGES, Stage};
pub use arbiter::{Acquire, Arbiter, Grant, Policy};
pub use deadlock::{Deadlock, Waiting};
pub use event::{Delay, Event, EventWait, Notification};
pub use fifo::{Fifo, Recv, Send};
pub use process::JoinHandle;
pub use random::{RandomStream, random_stream};
pub use stats::{Counter, LatencyHistogram, TimeAverage};
pub use timeout::Elapsed;
pub use windows::{Merge, Windows};

use event::deadline_ps;
use kernel::{Kernel, RunEnd};

/// A simulation with its processes.
pub struct Simulation {
    sim: Sim,
}

impl Simulation {
    /// An empty simulation at time 0, whose random streams are drawn from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { sim: Sim { kernel: Kernel::new(seed) } }
    }

    /// The handle for processes and models.
    pub fn sim(&self) -> Sim {
        self.sim.clone()
    }

    /// Runs until nothing is left to do and returns the time of the last thing done. With a server
    /// that sets itself a timer again and again this does not return: use
    /// [`block_on`](Self::block_on) or [`run_until`](Self::run_until).
    ///
    /// # Errors
    /// Nothing is left to do, and processes that are no servers still wait.
    pub fn run(&mut self) -> Result<Picoseconds, Deadlock> {
        self.run_to(u64::MAX)?;
        Ok(self.sim.now())
    }

    /// Runs what happens until `time`, that time included, and leaves the clock there.
    ///
    /// # Errors
    /// Nothing is left to do, now or later, and processes that are no servers still wait.
    pub fn run_until(&mut self, time: Picoseconds) -> Result<(), Deadlock> {
        self.run_to(time.0)?;
        self.sim.kernel.idle_until(time.0);
        Ok(())
    }

    fn run_to(&mut self, limit_ps: u64) -> Result<(), Deadlock> {
        match self.sim.kernel.run(limit_ps) {
            RunEnd::Drained => self.sim.kernel.check_drained(),
            RunEnd::Limit | RunEnd::Stopped => Ok(()),
        }
    }

    /// Runs a process, and the others with it, until it ends; the others stay where they are then,
    /// to be run on or dropped.
    ///
    /// # Errors
    /// Nothing is left to do and the process has not ended.
    pub fn block_on<T: 'static>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        process: impl Future<Output = T> + 'static,
    ) -> Result<T, Deadlock> {
        let kernel = Rc::clone(&self.sim.kernel);
        let handle = self.sim.spawn(name, async move {
            let value = process.await;
            kernel.request_stop();
            value
        });
        match self.sim.kernel.run(u64::MAX) {
            RunEnd::Stopped => Ok(handle.take().expect("a process that ends leaves its value")),
            RunEnd::Drained | RunEnd::Limit => {
                self.sim.kernel.check_drained()?;
                unreachable!("the process has not ended, so it waits")
            }
        }
    }

    /// How often a process was resumed so far.
    pub fn steps(&self) -> u64 {
        self.sim.kernel.steps()
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        self.sim.kernel.close();
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").field("now", &self.sim.now()).finish_non_exhaustive()
    }
}

/// The handle by which processes reach the kernel; clones are the same simulation.
#[derive(Clone)]
pub struct Sim {
    kernel: Rc<Kernel>,
}

impl Sim {
    /// Simulated time.
    #[inline]
    pub fn now(&self) -> Picoseconds {
        Picoseconds(self.kernel.now_ps())
    }

    /// Starts a process: it runs once those that are ready now have run.
    ///
    /// In a simulation that has been dropped, it is dropped at once.
    pub fn spawn<T: 'static>(
        &self,
        name: impl Into<Cow<'static, str>>,
        process: impl Future<Output = T> + 'static,
    ) -> JoinHandle<T> {
        self.kernel.spawn(name.into(), false, process)
    }

    /// Starts a process that may still wait when a run ends.
    pub fn spawn_server<T: 'static>(
        &self,
        name: impl Into<Cow<'static, str>>,
        process: impl Future<Output = T> + 'static,
    ) -> JoinHandle<T> {
        self.kernel.spawn(name.into(), true, process)
    }

    /// A time before which nothing happens, unless the process that asks causes it: a model with a
    /// clock of its own may run ahead of simulated time up to there.
    pub fn quiet_before(&self) -> Picoseconds {
        Picoseconds(self.kernel.quiet_before_ps())
    }

    /// Waits for a span, counted from this call. A span of 0 lets all others run first that are
    /// ready or due now.
    #[inline]
    pub fn delay(&self, span: Picoseconds) -> Delay<'_> {
        Delay::new(self, deadline_ps(self.kernel.now_ps(), span))
    }

    /// Waits for a time; one that has passed is now.
    #[inline]
    pub fn delay_until(&self, time: Picoseconds) -> Delay<'_> {
        Delay::new(self, time.0)
    }

    /// Waits for a future, for a span at the longest; then the future is dropped. At the very end
    /// of the span, what was asked for first happens first.
    ///
    /// # Errors
    /// The span has passed.
    pub async fn timeout<F: Future>(
        &self,
        span: Picoseconds,
        future: F,
    ) -> Result<F::Output, Elapsed> {
        timeout::timeout(span, self.delay(span), future).await
    }

    /// Opens an account of the process that runs.
    pub fn open_account(&self) {
        self.kernel.with_account(|account| account.open(self.kernel.now_ps()));
    }

    /// The process that runs has spent a span at a stage of its work.
    #[inline]
    pub fn charge(&self, stage: impl Into<Stage>, span: Picoseconds) {
        self.kernel.with_account(|account| account.charge(stage.into(), span.0));
    }

    /// Looks at what the process that runs has spent since it [opened](Self::open_account) its
    /// account.
    #[inline]
    pub fn with_account<R>(&self, look: impl FnOnce(&Account) -> R) -> R {
        self.kernel.with_account(look)
    }

    /// Makes an event.
    pub fn event(&self, name: impl Into<Cow<'static, str>>) -> Event {
        Event::new(&self.kernel, name.into())
    }

    /// Makes a FIFO for `capacity` items, at least one.
    pub fn fifo<T>(&self, name: impl Into<Cow<'static, str>>, capacity: usize) -> Fifo<T> {
        Fifo::new(&self.kernel, name.into(), capacity)
    }

    /// Makes an arbiter of `units` equal things, at least one.
    pub fn arbiter(
        &self,
        name: impl Into<Cow<'static, str>>,
        policy: Policy,
        units: usize,
    ) -> Arbiter {
        Arbiter::new(&self.kernel, name.into(), policy, units)
    }

    /// The random stream of that name: the same for the same seed, whatever other streams there
    /// are. Each name can be asked for once in a simulation; twice is a bug, because the second
    /// stream would repeat the first.
    pub fn random(&self, name: &str) -> RandomStream {
        self.kernel.random(name)
    }
}

impl Clock for Sim {
    fn now(&self) -> Picoseconds {
        Self::now(self)
    }

    fn delay(&self, span: Picoseconds) -> impl Future<Output = ()> {
        Self::delay(self, span)
    }
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sim").field("now", &self.now()).finish_non_exhaustive()
    }
}
