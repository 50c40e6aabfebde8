//! The processor of a drive: firmware's steps take their time on it, one after the other.

use floatgate_hal::units::Picoseconds;
use floatgate_hal::{Processor, Step};

use crate::sim::{Arbiter, Event, Policy, Sim};

impl floatgate_hal::Event for Event {
    fn wait(&self) -> impl Future<Output = ()> {
        Self::wait(self)
    }

    fn notify(&self) {
        Self::notify(self);
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
    type Event = Event;

    fn event(&self, name: &'static str) -> Event {
        self.sim.event(name)
    }

    async fn work(&self, step: Step) {
        let cost = self.costs[step as usize];
        if cost.0 > 0 {
            let _core = self.cores.acquire(0).await;
            self.sim.delay(cost).await;
        }
    }
}
