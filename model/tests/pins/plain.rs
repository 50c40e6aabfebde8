//! A target that takes every cycle: it counts up on DQ, is busy for a fixed time after each
//! confirming cycle and follows Set Features 01h. Whatever is diagnosed in front of it is the
//! pins'.

use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Cycle, Diagnostic};
use floatgate_model::pins::{Behind, Channel, NvddrTimings, Parameter, PinDriver, PinOptions};
use floatgate_model::pins::{SdrTimings, Timings};

/// How long [`Plain`] is busy, counted from tWB after the confirming cycle.
pub(crate) const BUSY: Picoseconds = Picoseconds(2_000_000);

#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) cycles: Vec<Cycle>,
    pub(crate) mode: TimingMode,
    command: u8,
    addresses: u8,
    data: Vec<u8>,
    next_byte: u8,
    falls: u64,
    rises: u64,
}

impl Plain {
    pub(crate) fn new(mode: TimingMode) -> Self {
        Self {
            cycles: Vec::new(),
            mode,
            command: 0xFF,
            addresses: 0,
            data: Vec::new(),
            next_byte: 0,
            falls: 0,
            rises: 0,
        }
    }

    fn works(&mut self, at: Picoseconds) {
        self.falls = at.0 + timings(self.mode).max(Parameter::Wb).unwrap().0;
        self.rises = self.falls + BUSY.0;
    }
}

impl Behind for Plain {
    fn cycle(&mut self, at: Picoseconds, cycle: Cycle) {
        self.cycles.push(cycle);
        match cycle {
            Cycle::Command(command) => {
                self.command = command;
                self.addresses = 0;
                self.data.clear();
                if matches!(command, 0x30 | 0x10 | 0xFF) {
                    self.works(at);
                }
                if command == 0xFF {
                    self.mode = TimingMode::POWER_UP;
                }
            }
            Cycle::Address(_) => {
                self.addresses += 1;
                if self.command == 0xEE {
                    self.works(at);
                }
            }
            Cycle::DataIn(byte) => {
                self.data.push(byte);
                if self.command == 0xEF && self.data.len() == 4 {
                    self.works(at);
                    let interface = match self.data[0] >> 4 {
                        0 => DataInterface::Sdr,
                        _ => DataInterface::NvDdr,
                    };
                    self.mode = TimingMode { interface, mode: self.data[0] & 15 };
                }
            }
        }
    }

    fn data_out(&mut self, _: Picoseconds, into: &mut [u8]) -> usize {
        for byte in &mut *into {
            *byte = self.next_byte;
            self.next_byte = self.next_byte.wrapping_add(1);
        }
        into.len()
    }

    fn is_ready(&self, at: Picoseconds) -> bool {
        !(self.falls..self.rises).contains(&at.0)
    }

    fn next_change(&self, at: Picoseconds) -> Option<Picoseconds> {
        [self.falls, self.rises].into_iter().find(|&edge| edge > at.0).map(Picoseconds)
    }

    fn timing_mode(&self) -> TimingMode {
        self.mode
    }

    fn bytes_are_doubled(&self) -> bool {
        matches!(self.command, 0x70 | 0x78 | 0x90 | 0xEE | 0xEF)
    }

    fn write_protect(&mut self, _: Picoseconds, _: bool) {}

    fn drain_diagnostics(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

pub(crate) fn sdr(mode: u8) -> TimingMode {
    TimingMode { interface: DataInterface::Sdr, mode }
}

pub(crate) fn nvddr(mode: u8) -> TimingMode {
    TimingMode { interface: DataInterface::NvDdr, mode }
}

pub(crate) fn timings(mode: TimingMode) -> Timings {
    match mode.interface {
        DataInterface::Sdr => SdrTimings::mode(mode.mode),
        DataInterface::NvDdr => NvddrTimings::mode(mode.mode),
    }
}

/// An ideal host in front of plain targets that are in `mode` already.
pub(crate) fn host(count: usize, mode: TimingMode, options: PinOptions) -> PinDriver<Plain> {
    let channel = Channel::new((0..count).map(|_| (Plain::new(mode), options)));
    let mut host = PinDriver::new(channel, options);
    host.set_mode(mode);
    host.idle(Picoseconds(5_000_000));
    host
}

/// What the pins found wrong, in words.
pub(crate) fn texts(host: &mut PinDriver<Plain>) -> Vec<String> {
    host.flush();
    let found = host.channel_mut().drain_diagnostics();
    found.into_iter().map(|one| one.diagnostic.to_string()).collect()
}
