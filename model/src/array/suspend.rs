//! Programs and erasures that make way for reads of the host.
//!
//! A die suspends what its array does when a read of the host waits, does the reads that wait then,
//! and resumes. ONFI has no such commands, but most makers do. Reads that come later wait for the
//! next time, and an operation is suspended so often at most, so that it comes to its end.

use floatgate_hal::units::Picoseconds;

use super::Array;
use super::turns::{Accepts, Die, Kind};
use crate::ssd::Part;

/// How a die suspends the work of its array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspend {
    /// From the decision until the die takes a read.
    pub suspend: Picoseconds,
    /// From the last read until the array works on.
    pub resume: Picoseconds,
    /// For so long the array works before it is suspended, and suspended again.
    pub least_run: Picoseconds,
    /// So often an operation is suspended at most.
    pub limit: u32,
}

impl Array {
    /// The array programs or erases for a span, suspended for reads of the host where that can be
    /// and while `is_alone` holds.
    pub(super) async fn work_with_breaks(
        &self,
        die: &Die,
        kind: Kind,
        span: Picoseconds,
        is_alone: impl Fn() -> bool,
    ) {
        let mut left = span;
        if let Some(suspend) = self.timing.features.suspend {
            for _ in 0..suspend.limit {
                let sure = left.min(suspend.least_run);
                self.work(die, kind, sure).await;
                left = Picoseconds(left.0 - sure.0);
                left = self.work_until(die, kind, left, || die.has_host_read() && is_alone()).await;
                if left.0 == 0 {
                    return;
                }
                self.make_way(die, &suspend).await;
            }
        }
        self.work(die, kind, left).await;
    }

    /// Works until something holds when a read has come; tells what is left then.
    async fn work_until(
        &self,
        die: &Die,
        kind: Kind,
        span: Picoseconds,
        stops: impl Fn() -> bool,
    ) -> Picoseconds {
        let begun = self.sim.now();
        self.usage.works(die.index, kind, begun, span);
        if self.sim.timeout(span, die.read_came.wait_until(stops)).await.is_ok() {
            self.usage.stops(die.index, kind, self.sim.now());
        }
        let worked = self.sim.now().0 - begun.0;
        self.sim.charge(Part::Array, Picoseconds(worked));
        Picoseconds(span.0 - worked)
    }

    /// Suspends, lets the die do the reads of the host that wait then, and resumes.
    async fn make_way(&self, die: &Die, suspend: &Suspend) {
        let (begun, accepted) = (self.sim.now(), die.accepts.replace(Accepts::Nothing));
        self.sim.delay(suspend.suspend).await;
        die.suspend();
        die.accepts.set(Accepts::Anything);
        self.serve(die);
        die.reads_ended.wait_until(|| !die.is_suspended()).await;
        self.sim.delay(suspend.resume).await;
        self.sim.charge(Part::Die, Picoseconds(self.sim.now().0 - begun.0));
        die.accepts.set(accepted);
        self.serve(die);
    }
}
