//! What a target has been told, as far as the timing of the next cycle depends on it.

use super::bus::{Instant, NEVER};

/// The sequence of cycles so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Protocol {
    /// The last command.
    pub(super) command: u8,
    /// Address cycles since.
    pub(super) addresses: u8,
    /// Data cycles in since the last command or address.
    pub(super) data_in: u32,
    /// Whether data have come out since the last cycle in.
    pub(super) is_out: bool,
    /// When the last cycle in was latched.
    pub(super) latched: Instant,
    /// When the last address cycle was latched.
    pub(super) addressed: Instant,
    /// When E0h was latched, if that was the last command.
    pub(super) column_changed: Instant,
    /// When the last cycle was latched that makes the target busy.
    pub(super) confirmed: Instant,
}

/// Commands that end a sequence and make a LUN busy: R/B# and the status mean nothing for tWB.
const CONFIRMS: [u8; 12] = [0x30, 0x31, 0x32, 0x35, 0x3F, 0x10, 0x11, 0x15, 0xD0, 0xD1, 0xFF, 0xFC];

impl Protocol {
    pub(super) const fn new() -> Self {
        Self {
            command: 0xFF,
            addresses: 0,
            data_in: 0,
            is_out: false,
            latched: NEVER,
            addressed: NEVER,
            column_changed: NEVER,
            confirmed: NEVER,
        }
    }

    pub(super) fn on_command(&mut self, at: Instant, command: u8) {
        self.command = command;
        self.addresses = 0;
        self.data_in = 0;
        self.column_changed = if command == 0xE0 { at } else { NEVER };
        self.on_latch(at, CONFIRMS.contains(&command));
    }

    pub(super) fn on_address(&mut self, at: Instant) {
        self.addresses = self.addresses.saturating_add(1);
        self.data_in = 0;
        self.addressed = at;
        // These have no confirming command: their last address cycle is one.
        let is_last =
            matches!((self.command, self.addresses), (0xEC..=0xEE, 1) | (0xD4, 2) | (0xFA, 3));
        self.on_latch(at, is_last);
    }

    pub(super) fn on_data(&mut self, at: Instant) {
        self.data_in = self.data_in.saturating_add(1);
        self.on_latch(at, self.sets_features() && self.data_in == 4);
    }

    fn on_latch(&mut self, at: Instant, confirms: bool) {
        self.latched = at;
        self.is_out = false;
        if confirms {
            self.confirmed = at;
        }
    }

    /// Whether the data that go in are parameters of a feature, which NV-DDR doubles.
    pub(super) fn sets_features(&self) -> bool {
        matches!(self.command, 0xEF | 0xD5)
    }

    /// Whether a status register goes out, which may be read while the target is busy.
    pub(super) fn reads_status(&self) -> bool {
        matches!(self.command, 0x70 | 0x71 | 0x78)
    }

    /// Whether the bytes that go out are doubled in NV-DDR.
    pub(super) fn doubles_output(&self, doubles_parameter_page: bool) -> bool {
        let is_parameter_page = matches!(self.command, 0xEC | 0xED);
        self.reads_status()
            || matches!(self.command, 0x90 | 0xEE | 0xD4)
            || is_parameter_page && doubles_parameter_page
    }

    /// Whether the last cycle in made the target busy, so that its host waits for R/B#.
    pub(super) fn waits_for_ready(&self) -> bool {
        self.confirmed == self.latched && self.confirmed != NEVER
    }
}
