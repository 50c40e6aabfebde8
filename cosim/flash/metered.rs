//! Dies on a channel, and how long the channel was at what.

use std::cell::{Cell, RefCell};

use floatgate_hal::flash::address::{DieIndex, LunIndex};
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{LunState, Target};
use floatgate_model::pins::{BusLevels, Channel, HostPins, Level, Octet, TARGETS_MAX};

use super::wires::Wires;

/// A die's first LUN goes over to a state.
pub type StateChange = (DieIndex, Picoseconds, LunState);

/// What the time of a die went into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Its chip enable was low, up to when that last rose.
    pub selected: Picoseconds,
    /// Its R/B# was low, up to when that last rose.
    pub busy: Picoseconds,
}

/// A channel of dies that keeps the time of chip enables and of R/B#.
#[derive(Debug)]
pub struct Metered {
    /// The channel.
    pub channel: Channel<Target>,
    /// Of each die.
    selected_ps: [u64; TARGETS_MAX],
    /// The die whose chip enable is low, and since when.
    selected_since: Option<(usize, Picoseconds)>,
    busy_ps: Cell<[u64; TARGETS_MAX]>,
    busy_since: Cell<[Option<Picoseconds>; TARGETS_MAX]>,
    /// The dies' states so far, where they are kept.
    states: Option<RefCell<Vec<StateChange>>>,
    dies: u8,
}

impl Metered {
    pub(super) fn new(channel: Channel<Target>, dies: u8) -> Self {
        Self {
            channel,
            selected_ps: [0; TARGETS_MAX],
            selected_since: None,
            busy_ps: Cell::default(),
            busy_since: Cell::default(),
            states: None,
            dies,
        }
    }

    /// Keeps the states of the dies from now on.
    pub(super) fn keep_states(&mut self) {
        self.states.get_or_insert_default();
    }

    /// Takes out the states that were kept.
    pub(super) fn take_states(&mut self) -> Vec<StateChange> {
        self.states.as_mut().map(|states| std::mem::take(states.get_mut())).unwrap_or_default()
    }

    fn note_states(&self, at: Picoseconds) {
        let Some(states) = &self.states else { return };
        let mut states = states.borrow_mut();
        for die in (0..self.dies).map(DieIndex) {
            let state = self.channel.target(die).behind().lun_state(at, LunIndex(0));
            let last = states.iter().rev().find(|(of, ..)| *of == die).map(|(.., last)| *last);
            if last != Some(state) {
                states.push((die, at, state));
            }
        }
    }

    /// How long a chip enable was low, up to when it last rose.
    pub(super) fn selected(&self) -> Picoseconds {
        Picoseconds(self.selected_ps.iter().sum())
    }

    /// How long R/B# of each die was low, up to when it last rose, summed over the dies.
    pub(super) fn busy(&self) -> Picoseconds {
        Picoseconds(self.busy_ps.get().iter().sum())
    }

    /// What the time of a die went into.
    pub(super) fn use_of(&self, DieIndex(die): DieIndex) -> Use {
        let die = usize::from(die);
        let (selected_ps, busy_ps) = (self.selected_ps[die], self.busy_ps.get()[die]);
        Use { selected: Picoseconds(selected_ps), busy: Picoseconds(busy_ps) }
    }

    fn note_busy(&self, at: Picoseconds, levels: &BusLevels) {
        let mut since = self.busy_since.get();
        for (die, (since, rb_n)) in since.iter_mut().zip(&levels.rb_n).enumerate() {
            match (*since, rb_n.is_low()) {
                (None, true) => *since = Some(at),
                (Some(fell), false) => {
                    let mut busy_ps = self.busy_ps.get();
                    busy_ps[die] += at.0 - fell.0;
                    self.busy_ps.set(busy_ps);
                    *since = None;
                }
                _ => {}
            }
        }
        self.busy_since.set(since);
    }
}

impl Wires for Metered {
    fn step(&mut self, at: Picoseconds, pins: &HostPins) {
        let selected = pins.ce_n.iter().position(|ce| ce.is_low());
        if self.selected_since.map(|(die, _)| die) != selected {
            if let Some((die, since)) = self.selected_since {
                self.selected_ps[die] += at.0 - since.0;
            }
            self.selected_since = selected.map(|die| (die, at));
        }
        self.channel.step(at, pins);
        self.note_states(at);
    }

    fn levels(&self, at: Picoseconds) -> BusLevels {
        let levels = self.channel.levels(at);
        self.note_busy(at, &levels);
        self.note_states(at);
        levels
    }

    fn next_ready(&self, at: Picoseconds) -> Option<Picoseconds> {
        self.channel.next_ready(at)
    }

    fn strobe(&self, at: Picoseconds) -> Level {
        self.channel.strobe(at)
    }

    fn next_strobe(&self, at: Picoseconds) -> Option<Picoseconds> {
        self.channel.next_strobe(at)
    }

    fn sample(&mut self, at: Picoseconds) -> Octet {
        self.channel.sample(at)
    }
}
