//! NV-DDR cycles of the ideal host. CLK runs while a target is selected, at its shortest period but
//! for the few that are stretched so that the next cycle comes exactly when it may.

use super::{Behind, Change, Instant, Level, NEVER, Octet, Parameter, PinDriver, ps};

/// CLK, and what hangs on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    rose: Instant,
    /// The last command, address or start of data.
    paced: Instant,
    data_out: Instant,
    /// When W/R# last rose.
    direction_rose: Instant,
    /// When DQS was last let go.
    dqs_freed: Instant,
    /// Whether periods beyond their bounds are taken where a gap asks for them.
    is_free: bool,
}

impl Clock {
    pub(super) const fn new() -> Self {
        Self {
            rose: NEVER,
            paced: NEVER,
            data_out: NEVER,
            direction_rose: NEVER,
            dqs_freed: NEVER,
            is_free: false,
        }
    }
}

impl<B: Behind> PinDriver<B> {
    /// Lets single periods of CLK leave their bounds, so that any gap can be had to the picosecond.
    pub fn free_clock(&mut self) {
        self.clock.is_free = true;
    }

    fn period(&self) -> Instant {
        self.least(Parameter::Ck)
    }

    /// A share of the period, unless the gaps have a figure.
    fn share(&self, parameter: Parameter, hundredths: Instant) -> Instant {
        match self.gaps.min(parameter) {
            Some(gap) => gap.0 as Instant,
            None => self.period() * hundredths / 100,
        }
    }

    /// The next rise of CLK.
    fn rise(&mut self, at: Instant) {
        let gap = at - self.clock.rose;
        let high = match self.gaps.min(Parameter::Ckh) {
            Some(high) => gap * high.0 as Instant / self.period(),
            None => gap / 2,
        };
        let mut fall = self.clock.rose + high;
        if self.clock.is_free {
            fall = fall.max(self.now);
        }
        self.at(fall, Change::We(false));
        self.at(at, Change::We(true));
        self.clock.rose = at;
    }

    /// CLK rises at its period until no later than half of one before `until`, so that it can go on
    /// after it; a free one goes on as it likes.
    pub(super) fn run_clock_to(&mut self, until: Instant) {
        let period = self.period();
        let rest = if self.clock.is_free { period } else { period * 43 / 100 };
        while self.clock.rose + rest <= until {
            self.rise(self.clock.rose + self.period());
        }
    }

    /// Brings CLK to a rise at `earliest` or as soon after as its periods allow, the last two of
    /// them regular ones if asked for; when that is.
    fn approach(&mut self, earliest: Instant, is_steady: bool) -> Instant {
        let (period, longest) = (self.period(), self.most(Parameter::Ck));
        let steady = if is_steady { 2 * period } else { 0 };
        let mut gap = earliest - self.clock.rose - steady;
        let mut count = gap.max(0) / period;
        if self.clock.is_free {
            count = count.max(Instant::from(gap > 0));
        } else if gap > count * longest {
            count += 1;
            gap = count * period;
        }
        let begin = self.clock.rose;
        for index in 1..=count {
            self.rise(begin + gap * index / count);
        }
        let regular = if is_steady { 2 } else { Instant::from(count == 0 && !self.clock.is_free) };
        for _ in 0..regular {
            self.rise(self.clock.rose + period);
        }
        self.clock.rose
    }

    /// CLK begins to run so that it rises with the fall of CE#; when that is.
    pub(super) fn start_clock(&mut self, earliest: Instant) -> Instant {
        let half = self.period() / 2;
        let at = if self.clock.is_free { earliest } else { earliest.max(self.now + half) };
        self.at((at - half).max(self.now), Change::We(false));
        self.at(at, Change::We(true));
        self.clock.rose = at;
        at
    }

    /// When CE# may rise; CLK runs until then.
    pub(super) fn end_of_clock(&mut self) -> Instant {
        let hold = self.least(Parameter::Ch);
        let end = self.now.max(self.dq_freed).max(self.clock.dqs_freed);
        while self.clock.rose + hold < end {
            self.rise(self.clock.rose + self.period());
        }
        self.clock.rose + hold
    }

    /// When DQ and DQS are the host's to drive.
    fn bus_is_free(&self) -> Instant {
        self.now.max(self.clock.direction_rose + self.most(Parameter::Dqshz))
    }

    /// The bounds that every cycle has.
    fn earliest_cycle(&self) -> Instant {
        let bounds = [
            self.now + self.least(Parameter::Cals),
            self.clock.paced + self.least(Parameter::Cad),
            self.ce_fell + self.least(Parameter::Cs),
            self.protocol.confirmed + self.most(Parameter::Wb),
            self.clock.direction_rose + self.least(Parameter::Cals),
        ];
        bounds.into_iter().fold(NEVER, Instant::max)
    }

    /// CLE and ALE are high around the CLK rises from `first` to `last`.
    fn announce(&mut self, (first, last): (Instant, Instant), pins: &[fn(bool) -> Change]) {
        let (set_up, hold) = (self.least(Parameter::Cals), self.least(Parameter::Calh));
        for pin in pins {
            self.at(first - set_up, pin(true));
            self.at(last + hold, pin(false));
        }
    }

    /// A command or address cycle; when CLK rose.
    pub(super) fn clocked_latch(&mut self, byte: u8, is_command: bool) -> Instant {
        let (set_up, hold) = (self.least(Parameter::Cas), self.least(Parameter::Cah));
        let bounds = [
            self.earliest_cycle(),
            self.bus_is_free() + set_up,
            self.dq_freed + set_up,
            self.clock.data_out + self.least(Parameter::Rhw),
            self.wp_changed + self.least(Parameter::Ww),
        ];
        let at = self.approach(bounds.into_iter().fold(NEVER, Instant::max), false);
        self.announce((at, at), &[if is_command { Change::Cle } else { Change::Ale }]);
        self.at(at - set_up, Change::Dq(Octet::driving(byte)));
        self.dq_freed = at + hold;
        self.at(self.dq_freed, Change::Dq(Octet::FLOATING));
        self.clock.paced = at;
        self.flush_until(at);
        at
    }

    /// A burst of data in, which counts as so many data cycles.
    pub(super) fn clocked_data_in(&mut self, bytes: &[u8], counts: usize) {
        let (first_edge, preamble) =
            (self.share(Parameter::Dqss, 100), self.share(Parameter::Wpre, 150));
        let bounds = [
            self.earliest_cycle(),
            self.earliest_data_in(),
            self.clock.data_out + self.least(Parameter::Rhw),
            self.bus_is_free() + preamble - first_edge,
            self.clock.dqs_freed + preamble - first_edge,
        ];
        let begin = self.approach(bounds.into_iter().fold(NEVER, Instant::max), true);
        let end = self.burst_clocks(begin, bytes.len().div_ceil(2));
        self.announce((begin, end), &[Change::Cle, Change::Ale]);
        let first = begin + first_edge;
        self.at(first - preamble, Change::Dqs(Level::Low));
        let high = self.share(Parameter::Dqsh, 50);
        let mut edge = first;
        for (index, &byte) in bytes.iter().enumerate() {
            let is_rise = index % 2 == 0;
            let cycle = first + self.least(Parameter::Dsc) * (index / 2) as Instant;
            edge = if is_rise { cycle } else { cycle + high };
            self.at(edge - self.least(Parameter::Ds), Change::Dq(Octet::driving(byte)));
            self.at(edge, Change::Dqs(is_rise.into()));
            self.dq_freed = edge + self.least(Parameter::Dh);
            self.at(self.dq_freed, Change::Dq(Octet::FLOATING));
            if (index + 1) % (bytes.len() / counts) == 0 {
                self.protocol.on_data(edge);
            }
        }
        self.clock.dqs_freed = edge + self.share(Parameter::Wpst, 150);
        self.at(self.clock.dqs_freed, Change::Dqs(Level::Floating));
        self.clock.paced = begin;
        self.run_clock_to(self.clock.dqs_freed);
        self.flush_until(edge);
    }

    /// The CLK rises of a burst after its first; when the last one is.
    fn burst_clocks(&mut self, begin: Instant, count: usize) -> Instant {
        for index in 1..count {
            self.rise(begin + self.period() * index as Instant);
        }
        self.clock.rose
    }

    /// A burst of data out; a byte that was not valid is none.
    pub(super) fn clocked_data_out(&mut self, count: usize) -> Vec<Option<u8>> {
        let (hold, period) = (self.least(Parameter::Calh), self.period());
        let freed = (self.dq_freed.max(self.clock.dqs_freed) - hold).max(self.now);
        let next = if self.clock.is_free { freed } else { freed.max(self.clock.rose + period) };
        self.approach(next, false);
        let turn = self.clock.rose + hold;
        self.at(turn, Change::Re(false));
        let earliest =
            [self.earliest_cycle(), self.earliest_data_out(), turn + self.least(Parameter::Wrck)];
        let begin = self.approach(earliest.into_iter().fold(NEVER, Instant::max), false);
        let end = self.burst_clocks(begin, count.div_ceil(2));
        self.announce((begin, end), &[Change::Cle, Change::Ale]);
        let clocks = match self.gaps.min(Parameter::Ckwr) {
            Some(gap) => gap.0 as Instant / period,
            None => (self.most(Parameter::Dqsck) + 2 * period - 1) / period,
        };
        self.run_clock_to(end + clocks * period);
        self.clock.direction_rose = self.clock.rose + hold;
        self.at(self.clock.direction_rose, Change::Re(true));
        self.clock.paced = begin;
        self.clock.data_out = end;
        self.protocol.is_out = true;
        let bytes = self.capture(count, self.clock.direction_rose - 1);
        self.flush_until(self.clock.direction_rose);
        bytes
    }

    /// Takes in DQ tDQSQ after each edge of DQS until there are enough bytes or it is `until`.
    fn capture(&mut self, count: usize, until: Instant) -> Vec<Option<u8>> {
        let skew = self.most(Parameter::Dqsq);
        let mut bytes = Vec::with_capacity(count);
        let mut sample = Instant::MAX;
        let mut dqs = self.channel.levels(ps(self.now)).dqs;
        while bytes.len() < count {
            let host = self.queue.first().map_or(Instant::MAX, |&(time, _)| time);
            let die = self.channel.next_change(ps(self.now));
            let die = die.map_or(Instant::MAX, |time| time.0 as Instant);
            let next = host.min(die).min(sample);
            if next > until {
                break;
            }
            self.flush_until(next);
            if next == sample {
                bytes.push(self.channel.sample(ps(next)).byte());
                sample = Instant::MAX;
            }
            let level = self.channel.levels(ps(next)).dqs;
            if level.is_known() && dqs.is_known() && level != dqs {
                sample = next + skew;
            }
            dqs = level;
        }
        bytes.resize(count, None);
        bytes
    }
}
