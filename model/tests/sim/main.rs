//! The simulation kernel.

mod arbiters;
mod cancellation;
mod deadlocks;
mod fifos;
mod foreign;
mod order;
mod random;
mod stats;
mod windows;

use std::cell::RefCell;
use std::fmt::Display;
use std::rc::Rc;

use floatgate_hal::units::Picoseconds;
use floatgate_model::sim::Sim;

/// A span in nanoseconds.
fn ns(count: u64) -> Picoseconds {
    Picoseconds(count * 1000)
}

/// What happened, in order, as "time in ns: what".
#[derive(Clone, Default)]
struct Trace(Rc<RefCell<Vec<String>>>);

impl Trace {
    fn note(&self, sim: &Sim, what: impl Display) {
        self.0.borrow_mut().push(format!("{}: {what}", sim.now().0 / 1000));
    }

    #[track_caller]
    fn expect(&self, expected: &[&str]) {
        assert_eq!(*self.0.borrow(), expected);
    }
}
