//! The ideal host at pin level: commands, addresses and data enter, and every gap between two edges
//! is exactly the bound of the mode in use.
//!
//! Each cycle is put at the earliest time that all bounds allow; set-ups begin and holds end just
//! in time. A bound can be overridden ([`PinDriver::gaps_mut`]), so that a host that breaks one is
//! made of this one. Edges wait in a queue, in the order of time, because the set-up of a cycle
//! begins before the edge that it belongs to.

mod nvddr;
mod sdr;

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::Picoseconds;

use super::behind::{Behind, PinOptions};
use super::bus::{Instant, NEVER, ps};
use super::channel::Channel;
use super::checker::timings;
use super::level::{HostPins, Level, Octet};
use super::protocol::Protocol;
use super::timing::{Parameter, Timings};
use nvddr::Clock;
use sdr::Strobes;

/// CE# high for longer than this asks for tCR2 and tCS3.
const LONG_DESELECT: Instant = 1_000_000;

/// One pin goes to another level.
#[derive(Clone, Copy, Debug)]
enum Change {
    Ce(usize, bool),
    Cle(bool),
    Ale(bool),
    /// WE# or CLK.
    We(bool),
    /// RE# or W/R#.
    Re(bool),
    Wp(bool),
    Dq(Octet),
    Dqs(Level),
}

/// A host that keeps to every bound and wastes no time.
#[derive(Clone, Debug)]
pub struct PinDriver<B> {
    channel: Channel<B>,
    options: PinOptions,
    gaps: Timings,
    mode: TimingMode,
    queue: Vec<(Instant, Change)>,
    /// Nothing can change before this time any more.
    now: Instant,
    die: usize,
    protocol: Protocol,
    ce_fell: Instant,
    ce_rose: Instant,
    wp_changed: Instant,
    cle_fell: Instant,
    ale_fell: Instant,
    /// When DQ was last let go.
    dq_freed: Instant,
    ready_rose: Instant,
    sdr: Strobes,
    clock: Clock,
}

impl<B: Behind> PinDriver<B> {
    /// A host on a channel whose targets all have these options; it starts in SDR mode 0.
    pub fn new(channel: Channel<B>, options: PinOptions) -> Self {
        let mode = TimingMode::POWER_UP;
        Self {
            channel,
            options,
            gaps: timings(mode, &options),
            mode,
            queue: Vec::new(),
            now: 0,
            die: 0,
            protocol: Protocol::new(),
            ce_fell: NEVER,
            ce_rose: NEVER,
            wp_changed: NEVER,
            cle_fell: NEVER,
            ale_fell: NEVER,
            dq_freed: NEVER,
            ready_rose: NEVER,
            sdr: Strobes::new(),
            clock: Clock::new(),
        }
    }

    /// The channel.
    pub fn channel(&self) -> &Channel<B> {
        &self.channel
    }

    /// The channel; edges that still wait are not on it yet ([`flush`](Self::flush)).
    pub fn channel_mut(&mut self) -> &mut Channel<B> {
        &mut self.channel
    }

    /// The host's gaps, to override a bound.
    pub fn gaps_mut(&mut self) -> &mut Timings {
        &mut self.gaps
    }

    /// The time up to which the host's pins are settled.
    pub fn now(&self) -> Picoseconds {
        ps(self.now)
    }

    /// From now on the host keeps to the bounds of another mode. The interface may only change
    /// while no target is selected.
    pub fn set_mode(&mut self, mode: TimingMode) {
        self.flush();
        self.mode = mode;
        self.gaps = timings(mode, &self.options);
    }

    /// The host's interface and mode.
    pub fn mode(&self) -> TimingMode {
        self.mode
    }

    fn least(&self, parameter: Parameter) -> Instant {
        self.gaps.minimum(parameter)
    }

    fn most(&self, parameter: Parameter) -> Instant {
        self.gaps.maximum(parameter)
    }

    fn is_selected(&self) -> bool {
        self.ce_fell > self.ce_rose
    }

    fn at(&mut self, time: Instant, change: Change) {
        assert!(time >= self.now, "{change:?} at {time} ps, after {} ps were over", self.now);
        let place = self.queue.partition_point(|&(other, _)| other <= time);
        self.queue.insert(place, (time, change));
    }

    /// Puts the edges up to and at `until` on the bus.
    fn flush_until(&mut self, until: Instant) {
        let mut done = 0;
        while let Some(&(time, _)) = self.queue.get(done).filter(|&&(time, _)| time <= until) {
            let mut pins = *self.channel.host_pins();
            while let Some(&(_, change)) = self.queue.get(done).filter(|&&(t, _)| t == time) {
                change.apply(&mut pins);
                done += 1;
            }
            self.channel.step(ps(time), &pins);
        }
        self.queue.drain(..done);
        self.now = self.now.max(until);
    }

    /// Puts all edges that wait on the bus.
    pub fn flush(&mut self) {
        if let Some(&(last, _)) = self.queue.last() {
            self.flush_until(last);
        }
    }

    /// Leaves all pins alone for a time, after the edges that wait.
    pub fn idle(&mut self, span: Picoseconds) {
        self.flush();
        self.pass_until(self.now + span.0 as Instant);
    }

    /// Selects a target; another one is let go first.
    pub fn select(&mut self, die: DieIndex) {
        self.deselect();
        self.die = usize::from(die.0);
        let mut at = self.now.max(self.ce_rose + self.least(Parameter::Ceh));
        if self.mode.interface == DataInterface::NvDdr {
            at = self.start_clock(at);
        }
        self.at(at, Change::Ce(self.die, false));
        self.ce_fell = at;
    }

    /// Lets the selected target go.
    pub fn deselect(&mut self) {
        if !self.is_selected() {
            return;
        }
        let at = match self.mode.interface {
            DataInterface::Sdr => self.end_of_strobes(),
            DataInterface::NvDdr => self.end_of_clock(),
        };
        self.at(at, Change::Ce(self.die, true));
        self.ce_rose = at;
        self.flush();
    }

    /// Raises or lowers WP#.
    pub fn write_protect(&mut self, is_protected: bool) {
        self.flush();
        let at = self.now;
        self.at(at, Change::Wp(!is_protected));
        self.wp_changed = at;
    }

    /// A command cycle.
    pub fn command(&mut self, command: u8) {
        let at = match self.mode.interface {
            DataInterface::Sdr => self.write_strobes(&[command], sdr::Kind::Command),
            DataInterface::NvDdr => self.clocked_latch(command, true),
        };
        self.protocol.on_command(at, command);
    }

    /// Address cycles.
    pub fn address(&mut self, bytes: &[u8]) {
        if self.mode.interface == DataInterface::Sdr {
            self.write_strobes(bytes, sdr::Kind::Address);
            return;
        }
        for &byte in bytes {
            let at = self.clocked_latch(byte, false);
            self.protocol.on_address(at);
        }
    }

    /// Data into the target. In NV-DDR the parameters of a feature go twice each; other data want
    /// an even number of bytes.
    pub fn data_in(&mut self, bytes: &[u8]) {
        match self.mode.interface {
            DataInterface::Sdr => {
                self.write_strobes(bytes, sdr::Kind::Data);
            }
            DataInterface::NvDdr if self.protocol.sets_features() => {
                let doubled: Vec<u8> = bytes.iter().flat_map(|&byte| [byte, byte]).collect();
                self.clocked_data_in(&doubled, bytes.len());
            }
            DataInterface::NvDdr => self.clocked_data_in(bytes, bytes.len()),
        }
    }

    /// Data into the target as they are, even where NV-DDR wants them twice.
    pub fn raw_data_in(&mut self, bytes: &[u8]) {
        match self.mode.interface {
            DataInterface::Sdr => self.data_in(bytes),
            DataInterface::NvDdr => self.clocked_data_in(bytes, bytes.len()),
        }
    }

    /// Data out of the target; a byte that was not valid as it was taken in is none.
    pub fn data_out(&mut self, count: usize) -> Vec<Option<u8>> {
        match self.mode.interface {
            DataInterface::Sdr => (0..count).map(|_| self.read_strobe()).collect(),
            DataInterface::NvDdr => {
                let doubles = self.options.doubles_parameter_page;
                if self.protocol.doubles_output(doubles) {
                    let bytes = self.clocked_data_out(2 * count);
                    bytes.chunks(2).map(|pair| pair[0].filter(|_| pair[0] == pair[1])).collect()
                } else {
                    self.clocked_data_out(count)
                }
            }
        }
    }

    /// Waits for tWB and then for R/B# of the selected target; whether it rose. In NV-DDR the
    /// target is let go meanwhile, as CLK would have to run.
    pub fn wait_ready(&mut self) -> bool {
        if self.mode.interface == DataInterface::Sdr || !self.is_selected() {
            return self.wait_ready_selected();
        }
        self.deselect();
        let rose = self.wait_ready_selected();
        self.select(DieIndex(self.die as u8));
        rose
    }

    /// The same without letting the target go; in NV-DDR CLK runs meanwhile.
    pub fn wait_ready_selected(&mut self) -> bool {
        self.flush();
        self.pass_until(self.now.max(self.protocol.confirmed + self.most(Parameter::Wb)));
        let is_low = |host: &Self| host.channel.levels(ps(host.now)).rb_n[host.die].is_low();
        if !is_low(self) {
            return true;
        }
        while is_low(self) {
            let Some(next) = self.channel.next_change(ps(self.now)) else { return false };
            self.pass_until(next.0 as Instant);
        }
        self.ready_rose = self.now;
        true
    }

    /// Lets time go by.
    fn pass_until(&mut self, until: Instant) {
        if self.mode.interface == DataInterface::NvDdr && self.is_selected() {
            self.run_clock_to(until);
        }
        self.flush_until(until);
    }

    /// Takes in DQ `delay` after now and forgets it: a host that looks at the wrong time.
    pub fn sample_after(&mut self, delay: Picoseconds) -> Octet {
        let at = self.now + delay.0 as Instant;
        self.flush_until(at);
        self.channel.sample(ps(at))
    }

    /// When data may come out, as far as that hangs on the cycles in before.
    fn earliest_data_out(&self) -> Instant {
        let protocol = &self.protocol;
        let bounds = [
            protocol.latched + self.least(Parameter::Whr),
            protocol.confirmed + self.most(Parameter::Wb),
            protocol.column_changed + self.least(Parameter::Ccs),
            self.ready_rose + self.least(Parameter::Rr),
        ];
        bounds.into_iter().fold(self.now, Instant::max)
    }

    /// When the next data may go in, as far as that hangs on the address.
    fn earliest_data_in(&self) -> Instant {
        let gap = if self.protocol.data_in > 0 {
            return NEVER;
        } else if self.protocol.command == 0x85 {
            Parameter::Ccs
        } else {
            Parameter::Adl
        };
        self.protocol.addressed + self.least(gap)
    }
}

impl Change {
    fn apply(self, pins: &mut HostPins) {
        match self {
            Self::Ce(die, high) => pins.ce_n[die] = high.into(),
            Self::Cle(high) => pins.cle = high.into(),
            Self::Ale(high) => pins.ale = high.into(),
            Self::We(high) => pins.we_n = high.into(),
            Self::Re(high) => pins.re_n = high.into(),
            Self::Wp(high) => pins.wp_n = high.into(),
            Self::Dq(octet) => pins.dq = octet,
            Self::Dqs(level) => pins.dqs = level,
        }
    }
}
