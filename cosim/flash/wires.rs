//! What stands at the other end of the pins.

use floatgate_hal::units::Picoseconds;
use floatgate_model::pins::{Behind, BusLevels, Channel, HostPins, Octet};

/// Dies on one channel, as the controller's pads see them. Time never runs back.
pub trait Wires {
    /// Takes the host's pins as they are from `at` on; called on every change of one.
    fn step(&mut self, at: Picoseconds, pins: &HostPins);

    /// What the wires carry at `at`, which is now or later, if the host leaves its pins alone.
    fn levels(&self, at: Picoseconds) -> BusLevels;

    /// When the levels will next differ after `at` without the host.
    fn next_change(&self, at: Picoseconds) -> Option<Picoseconds>;

    /// DQ at `at`, where the host takes it in.
    fn sample(&mut self, at: Picoseconds) -> Octet;
}

impl<B: Behind> Wires for Channel<B> {
    fn step(&mut self, at: Picoseconds, pins: &HostPins) {
        self.step(at, pins);
    }

    fn levels(&self, at: Picoseconds) -> BusLevels {
        self.levels(at)
    }

    fn next_change(&self, at: Picoseconds) -> Option<Picoseconds> {
        self.next_change(at)
    }

    fn sample(&mut self, at: Picoseconds) -> Octet {
        self.sample(at)
    }
}
