//! SDR cycles of the ideal host.

use super::{Behind, Change, Instant, LONG_DESELECT, NEVER, Octet, Parameter, PinDriver, ps};

/// What a WE# pulse latches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Command,
    Address,
    Data,
}

/// Last edges of WE# and RE#.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strobes {
    we_fell: Instant,
    we_rose: Instant,
    re_fell: Instant,
    re_rose: Instant,
}

impl Strobes {
    pub(super) const fn new() -> Self {
        Self { we_fell: NEVER, we_rose: NEVER, re_fell: NEVER, re_rose: NEVER }
    }
}

impl<B: Behind> PinDriver<B> {
    fn was_long_deselected(&self) -> bool {
        self.ce_fell - self.ce_rose >= LONG_DESELECT
    }

    /// An edge that the selected target has seen.
    fn if_selected(&self, edge: Instant) -> Instant {
        if edge > self.ce_fell { edge } else { NEVER }
    }

    /// WE# pulses in a row; when the last one rose.
    pub(super) fn write_strobes(&mut self, bytes: &[u8], kind: Kind) -> Instant {
        let mut rise = self.sdr.we_rose;
        for (index, &byte) in bytes.iter().enumerate() {
            rise = self.write_rise(kind, index == 0);
            let (low, set_up) = (self.least(Parameter::Wp), self.least(Parameter::Ds));
            if index == 0 {
                match kind {
                    Kind::Command => {
                        self.at(rise - self.least(Parameter::Cls), Change::Cle(true));
                    }
                    Kind::Address => {
                        self.at(rise - self.least(Parameter::Als), Change::Ale(true));
                    }
                    Kind::Data => {}
                }
            }
            self.at(rise - low, Change::We(false));
            self.at(rise - set_up, Change::Dq(Octet::driving(byte)));
            self.at(rise, Change::We(true));
            self.dq_freed = rise + self.least(Parameter::Dh);
            self.at(self.dq_freed, Change::Dq(Octet::FLOATING));
            self.sdr.we_fell = rise - low;
            self.sdr.we_rose = rise;
            match kind {
                Kind::Command => {}
                Kind::Address => self.protocol.on_address(rise),
                Kind::Data => self.protocol.on_data(rise),
            }
            // What comes from now on begins no earlier than the set-up of the next pulse.
            self.flush_until(rise);
        }
        match kind {
            Kind::Command => {
                self.cle_fell = rise + self.least(Parameter::Clh);
                self.at(self.cle_fell, Change::Cle(false));
            }
            Kind::Address => {
                self.ale_fell = rise + self.least(Parameter::Alh);
                self.at(self.ale_fell, Change::Ale(false));
            }
            Kind::Data => {}
        }
        rise
    }

    /// The earliest time at which WE# may rise.
    fn write_rise(&self, kind: Kind, is_first: bool) -> Instant {
        let low = self.least(Parameter::Wp);
        let select = if self.was_long_deselected() && self.options.long_chip_enable_setup {
            Parameter::Cs3
        } else {
            Parameter::Cs
        };
        let set_up = self.least(Parameter::Cls).max(self.least(Parameter::Als));
        let lead = low.max(self.least(Parameter::Ds)).max(if is_first { set_up } else { 0 });
        // CLE and ALE are let go before the other one, or data, are set up.
        let (cle, ale) = (self.least(Parameter::Cls), self.least(Parameter::Als));
        let bounds = [
            self.now + lead,
            self.ce_fell + self.least(select),
            self.if_selected(self.sdr.we_fell) + self.least(Parameter::Wc) + low,
            self.if_selected(self.sdr.we_rose) + self.least(Parameter::Wh) + low,
            self.sdr.re_rose + self.least(Parameter::Rhw) + low,
            self.wp_changed + self.least(Parameter::Ww) + low,
            self.dq_freed + self.least(Parameter::Ds),
            self.cle_fell + cle,
            self.ale_fell + ale,
            self.protocol.confirmed + self.most(Parameter::Wb),
            if kind == Kind::Data { self.earliest_data_in() } else { NEVER },
        ];
        bounds.into_iter().fold(NEVER, Instant::max)
    }

    /// One RE# pulse; the byte that it fetched.
    pub(super) fn read_strobe(&mut self) -> Option<u8> {
        let select = if self.was_long_deselected() { Parameter::Cr2 } else { Parameter::Cr };
        let bounds = [
            self.ce_fell + self.least(select),
            self.cle_fell + self.least(Parameter::Clr),
            self.ale_fell + self.least(Parameter::Ar),
            self.dq_freed + self.least(Parameter::Ir),
            self.if_selected(self.sdr.re_fell) + self.least(Parameter::Rc),
            self.if_selected(self.sdr.re_rose) + self.least(Parameter::Reh),
        ];
        let first = if self.protocol.is_out { self.now } else { self.earliest_data_out() };
        let fall = bounds.into_iter().fold(first, Instant::max);
        let valid =
            (fall + self.most(Parameter::Rea)).max(self.ce_fell + self.most(Parameter::Cea));
        let rise = (fall + self.least(Parameter::Rp)).max(valid - self.least(Parameter::Rhoh));
        self.at(fall, Change::Re(false));
        self.at(rise, Change::Re(true));
        self.sdr.re_fell = fall;
        self.sdr.re_rose = rise;
        self.protocol.is_out = true;
        self.flush_until(valid);
        self.channel.sample(ps(valid)).byte()
    }

    /// When CE# may rise.
    pub(super) fn end_of_strobes(&mut self) -> Instant {
        let end = (self.sdr.we_rose + self.least(Parameter::Ch)).max(self.sdr.re_rose);
        end.max(self.now)
    }
}
