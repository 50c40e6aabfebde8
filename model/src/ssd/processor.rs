//! The processor of a drive: firmware's steps take their time on it, one after the other.

use floatgate_hal::units::Picoseconds;
use floatgate_hal::{Processor, Step, Wait};

use super::Part;
use crate::sim::{Arbiter, Event, Policy, Sim};

/// An event of firmware: who waits for it spends the time on a part of a request.
pub struct TaskEvent {
    event: Event,
    sim: Sim,
    part: Part,
}

impl floatgate_hal::Event for TaskEvent {
    async fn wait(&self) {
        let since = self.sim.now();
        self.event.wait().await;
        self.sim.charge(self.part, Picoseconds(self.sim.now().0 - since.0));
    }

    fn notify(&self) {
        self.event.notify();
    }

    fn notify_one(&self) {
        self.event.notify_one();
    }
}

/// Cores that share the steps of firmware.
pub struct Cpu {
    sim: Sim,
    cores: Arbiter,
    /// In the order of [`Step::ALL`].
    costs: [Picoseconds; Step::ALL.len()],
}

impl Cpu {
    /// So many cores, with the costs of the steps in the order of [`Step::ALL`]. A step that costs
    /// nothing waits for no core.
    pub fn new(sim: &Sim, cores: u32, costs: [Picoseconds; Step::ALL.len()]) -> Self {
        let cores = sim.arbiter("cores", Policy::FirstCome, cores as usize);
        Self { sim: sim.clone(), cores, costs }
    }
}

impl Processor for Cpu {
    type Event = TaskEvent;

    fn event(&self, wait: Wait) -> TaskEvent {
        let part = match wait {
            Wait::FreeBlock => Part::Collection,
            Wait::SamePage => Part::SamePage,
            Wait::BufferRoom | Wait::Flushed => Part::Buffer,
            Wait::Journaled => Part::Journal,
            Wait::ProgramBefore => Part::Firmware,
            // Only tasks that serve nobody wait for these.
            Wait::Collectable | Wait::Buffered | Wait::Changes | Wait::Mount => Part::Firmware,
        };
        TaskEvent { event: self.sim.event(wait.label()), sim: self.sim.clone(), part }
    }

    async fn work(&self, step: Step) {
        let cost = self.costs[step as usize];
        if cost.0 > 0 {
            let _core = self.cores.acquire(0).await;
            self.sim.delay(cost).await;
        }
    }
}
