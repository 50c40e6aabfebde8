//! Time, as firmware sees it.

use crate::units::Picoseconds;

/// A source of time and of delays.
#[expect(async_fn_in_trait, reason = "one executor, one thread: no future has to be Send")]
pub trait Clock {
    /// The time since power-up.
    fn now(&self) -> Picoseconds;

    /// Returns once `span` has passed.
    async fn delay(&self, span: Picoseconds);
}
