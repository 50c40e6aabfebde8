//! A channel that can be told to stop: a run of any length ends with its next operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::{BusTiming, DieTiming};
use floatgate_hal::flash::timing::TimingError;
use floatgate_hal::flash::{BusOp, Completion, FlashBus, Outcome, Transfer};
use floatgate_hal::units::Picoseconds;

use super::store::DeviceBus;
use crate::channel::Usage;
use crate::die::Target;

/// Refuses all operations from when the flag is set.
#[derive(Debug)]
pub(super) struct Interruptible<B> {
    bus: B,
    interrupt: Arc<AtomicBool>,
}

impl<B> Interruptible<B> {
    pub(super) fn new(bus: B, interrupt: Arc<AtomicBool>) -> Self {
        Self { bus, interrupt }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}

impl<B: FlashBus> FlashBus for Interruptible<B> {
    async fn execute(&self, op: BusOp, data: Transfer<'_>) -> Completion {
        if self.is_interrupted() {
            let (outcome, never) = (Outcome::Refused, Picoseconds(0));
            return Completion { outcome, status: 0, started: never, finished: never };
        }
        self.bus.execute(op, data).await
    }
}

impl<B: BusTiming> BusTiming for Interruptible<B> {
    fn set_timing(&self, die: DieIndex, timing: DieTiming) -> Result<(), TimingError> {
        self.bus.set_timing(die, timing)
    }
}

impl<B: DeviceBus> DeviceBus for Interruptible<B> {
    fn usage(&self) -> Usage {
        self.bus.usage()
    }

    fn with_target<R>(&self, die: DieIndex, look: impl FnOnce(&mut Target) -> R) -> R {
        self.bus.with_target(die, look)
    }
}
