//! A codec that keeps the time that is spent in it.

use std::cell::Cell;

use floatgate_hal::units::{ByteCount, Picoseconds, Strength};
use floatgate_hal::{Clock, Decoded, Ecc, EccRefusal};

/// A codec and the time from each request to its answer, summed.
#[derive(Debug)]
pub struct TimedEcc<E, C> {
    ecc: E,
    clock: C,
    spent: Cell<Picoseconds>,
}

impl<E, C: Clock> TimedEcc<E, C> {
    /// Keeps the time of `ecc` by `clock`.
    pub fn new(ecc: E, clock: C) -> Self {
        Self { ecc, clock, spent: Cell::default() }
    }

    /// The time so far.
    pub fn spent(&self) -> Picoseconds {
        self.spent.get()
    }

    fn add_since(&self, began: Picoseconds) {
        let span = self.clock.now().0 - began.0;
        self.spent.set(Picoseconds(self.spent.get().0 + span));
    }
}

impl<E: Ecc, C: Clock> Ecc for TimedEcc<E, C> {
    fn parity_bytes(&self, strength: Strength) -> ByteCount {
        self.ecc.parity_bytes(strength)
    }

    async fn encode(
        &self,
        strength: Strength,
        data: &[u8],
        parity: &mut [u8],
    ) -> Result<(), EccRefusal> {
        let began = self.clock.now();
        let result = self.ecc.encode(strength, data, parity).await;
        self.add_since(began);
        result
    }

    async fn decode(
        &self,
        strength: Strength,
        data: &mut [u8],
        parity: &[u8],
    ) -> Result<Decoded, EccRefusal> {
        let began = self.clock.now();
        let result = self.ecc.decode(strength, data, parity).await;
        self.add_since(began);
        result
    }
}
