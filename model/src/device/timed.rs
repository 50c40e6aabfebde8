//! A codec that keeps the time that is spent in it.

use std::cell::Cell;
use std::rc::Rc;

use floatgate_hal::units::{ByteCount, Picoseconds, Strength};
use floatgate_hal::{Clock, Decoded, Ecc, EccRefusal};

/// A codec as one of its users sees it, with the time in which that has codewords in it, whether
/// one or several.
#[derive(Debug)]
pub struct TimedEcc<E, C> {
    ecc: Rc<E>,
    clock: C,
    inside: Cell<u32>,
    since: Cell<Picoseconds>,
    spent: Cell<Picoseconds>,
}

impl<E, C: Clock> TimedEcc<E, C> {
    /// Keeps the time of `ecc` by `clock`.
    pub fn new(ecc: Rc<E>, clock: C) -> Self {
        let (inside, since, spent) = Default::default();
        Self { ecc, clock, inside, since, spent }
    }

    /// The time so far.
    pub fn spent(&self) -> Picoseconds {
        self.spent.get()
    }

    fn enter(&self) {
        if self.inside.replace(self.inside.get() + 1) == 0 {
            self.since.set(self.clock.now());
        }
    }

    fn leave(&self) {
        self.inside.set(self.inside.get() - 1);
        if self.inside.get() == 0 {
            let span = self.clock.now().0 - self.since.get().0;
            self.spent.set(Picoseconds(self.spent.get().0 + span));
        }
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
        self.enter();
        let result = self.ecc.encode(strength, data, parity).await;
        self.leave();
        result
    }

    async fn decode(
        &self,
        strength: Strength,
        data: &mut [u8],
        parity: &[u8],
    ) -> Result<Decoded, EccRefusal> {
        self.enter();
        let result = self.ecc.decode(strength, data, parity).await;
        self.leave();
        result
    }
}
