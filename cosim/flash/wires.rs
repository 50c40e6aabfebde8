//! What stands at the other end of the pins.

use floatgate_hal::units::Picoseconds;
use floatgate_model::pins::{Behind, BusLevels, Channel, HostPins, Level, Octet};

/// Dies on one channel, as the controller's pads see them. Time never runs back, but for what is
/// said of the time to come, which holds as long as the host leaves its pins alone.
pub trait Wires {
    /// Takes the host's pins as they are from `at` on; called on every change of one.
    fn step(&mut self, at: Picoseconds, pins: &HostPins);

    /// What the wires carry at `at`.
    fn levels(&self, at: Picoseconds) -> BusLevels;

    /// When R/B# of a die may next change after `at` without the host.
    fn next_ready(&self, at: Picoseconds) -> Option<Picoseconds>;

    /// DQS at `at`, which is now or to come.
    fn strobe(&self, at: Picoseconds) -> Level;

    /// When DQS may next change after `at`, which is now or to come.
    fn next_strobe(&self, at: Picoseconds) -> Option<Picoseconds>;

    /// DQ at `at`, where the host takes it in; now or to come.
    fn sample(&mut self, at: Picoseconds) -> Octet;
}

impl<B: Behind> Wires for Channel<B> {
    fn step(&mut self, at: Picoseconds, pins: &HostPins) {
        self.step(at, pins);
    }

    fn levels(&self, at: Picoseconds) -> BusLevels {
        self.levels(at)
    }

    fn next_ready(&self, at: Picoseconds) -> Option<Picoseconds> {
        self.next_ready(at)
    }

    fn strobe(&self, at: Picoseconds) -> Level {
        self.strobe(at)
    }

    fn next_strobe(&self, at: Picoseconds) -> Option<Picoseconds> {
        self.next_strobe(at)
    }

    fn sample(&mut self, at: Picoseconds) -> Octet {
        self.sample(at)
    }
}
