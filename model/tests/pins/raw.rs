//! Pins moved by hand, for what the ideal host never does.

use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Diagnostic, Rule};
use floatgate_model::pins::{Behind, Channel, HostPins, Level, Octet, PinDriver};

/// A channel, its pins as they are and the time.
pub(crate) struct Raw<B> {
    pub(crate) channel: Channel<B>,
    pub(crate) pins: HostPins,
    pub(crate) now: u64,
}

impl<B: Behind + Clone> Raw<B> {
    /// Goes on from where an ideal host stands.
    pub(crate) fn after(host: &mut PinDriver<B>) -> Self {
        host.flush();
        let channel = host.channel().clone();
        let pins = *channel.host_pins();
        Self { channel, pins, now: host.now().0 }
    }

    /// Changes pins `ns` nanoseconds from now.
    pub(crate) fn after_ns(&mut self, ns: u64, change: impl FnOnce(&mut HostPins)) -> &mut Self {
        self.now += ns * 1_000;
        change(&mut self.pins);
        self.channel.step(Picoseconds(self.now), &self.pins);
        self
    }

    /// A WE# pulse that meets every bound of SDR mode 0, with `dq` on the bus.
    pub(crate) fn write(&mut self, cle: Level, ale: Level, dq: Octet) -> &mut Self {
        self.after_ns(300, |pins| {
            pins.cle = cle;
            pins.ale = ale;
            pins.dq = dq;
        });
        self.after_ns(100, |pins| pins.we_n = Level::Low);
        self.after_ns(100, |pins| pins.we_n = Level::High);
        self.after_ns(100, |pins| {
            pins.cle = Level::Low;
            pins.ale = Level::Low;
            pins.dq = Octet::FLOATING;
        })
    }

    /// `count` periods of CLK at 50 ns.
    pub(crate) fn clocks(&mut self, count: usize) -> &mut Self {
        for _ in 0..count {
            self.after_ns(25, |pins| pins.we_n = Level::Low);
            self.after_ns(25, |pins| pins.we_n = Level::High);
        }
        self
    }

    /// Diagnostics of one rule.
    pub(crate) fn of(&mut self, rule: Rule) -> Vec<Diagnostic> {
        of(&mut self.channel, rule)
    }
}

/// Diagnostics of one rule.
pub(crate) fn of<B: Behind>(channel: &mut Channel<B>, rule: Rule) -> Vec<Diagnostic> {
    let found = channel.drain_diagnostics().into_iter();
    found.map(|one| one.diagnostic).filter(|one| one.rule == rule).collect()
}

/// The only text of a rule.
pub(crate) fn text<B: Behind + Clone>(raw: &mut Raw<B>, rule: Rule) -> String {
    let found = raw.of(rule);
    assert_eq!(found.len(), 1, "{rule:?}: {found:#?}");
    found[0].text.clone()
}
