//! What another thread may know of a run, and how it may end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use floatgate_hal::units::Picoseconds;

/// Between a run and whoever watches it from another thread.
#[derive(Debug, Default)]
pub struct Watch {
    interrupt: Arc<AtomicBool>,
    requests: AtomicU64,
    now_ps: AtomicU64,
}

impl Watch {
    /// A run that submits no more requests once `interrupt` is set, which others may share.
    pub fn new(interrupt: Arc<AtomicBool>) -> Self {
        Self { interrupt, ..Self::default() }
    }

    /// Whether the run was asked to end.
    #[inline]
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Requests that were submitted, about.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Simulated time, about.
    pub fn now(&self) -> Picoseconds {
        Picoseconds(self.now_ps.load(Ordering::Relaxed))
    }

    pub(super) fn tell(&self, requests: u64, now: Picoseconds) {
        self.requests.store(requests, Ordering::Relaxed);
        self.now_ps.store(now.0, Ordering::Relaxed);
    }
}
