//! From cycles to sequences: first command, address, data, confirming command.
//!
//! A sequence stays open until its last cycle. Only resets, status commands and 85h may come in
//! between (ONFI command definition); what a breach leaves is dropped.

use std::ops::Range;

use floatgate_hal::flash::op::AddressForm;

use super::Target;
use super::address::Place;
use crate::die::commands::{self, Form, Offer, Scope};
use crate::die::rules::{Diagnostic, Quantity, Rule};

/// Parameters of Set Features.
const PARAMETERS: usize = 4;

/// A sequence that has begun.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) form: &'static Form,
    pub(super) address: Vec<u8>,
    /// Address cycles of an 85h inside the sequence.
    change: Option<Vec<u8>>,
    /// What the address says, once it is whole.
    pub(super) place: Option<Place>,
    /// Whether a breach was told, so that what follows is dropped in silence.
    refused: bool,
    /// Parameters of Set Features so far.
    parameters: Vec<u8>,
    /// Whether data past the end of the register were told.
    pub(super) overrun_told: bool,
    /// Columns that hold data from before the row was changed.
    pub(super) earlier: Vec<Range<usize>>,
}

impl Sequence {
    fn new(form: &'static Form) -> Self {
        Self {
            form,
            address: Vec::new(),
            change: None,
            place: None,
            refused: false,
            parameters: Vec::new(),
            overrun_told: false,
            earlier: Vec::new(),
        }
    }

    /// 00h without an address: back to data output.
    fn is_read_mode(&self) -> bool {
        self.form.first == 0x00 && self.address.is_empty()
    }
}

/// What the cycles so far have opened.
#[derive(Clone, Debug, Default)]
pub(super) struct Decoder {
    /// The open sequence.
    pub(super) open: Option<Sequence>,
    /// A 78h or FAh that waits for its row, inside or outside the open sequence.
    poll: Option<Sequence>,
    /// Whether Set Features has had its parameters, and nothing came since.
    after_parameters: bool,
    /// Whether data without an open sequence were told.
    stray_told: bool,
}

impl Target {
    /// A command cycle.
    pub(super) fn command(&mut self, opcode: u8) {
        self.decoder.after_parameters = false;
        self.decoder.stray_told = false;
        self.output.commanded();
        if !self.power_allows(opcode) {
            return;
        }
        if opcode == 0xFF {
            return self.reset();
        }
        if !self.offers(opcode) {
            return;
        }
        self.check_habits(opcode);
        match opcode {
            0xFC => self.synchronous_reset(),
            0x70 => self.read_status(),
            0x78 | 0xFA => {
                self.decoder.poll = Form::of(opcode).map(Sequence::new);
            }
            _ => {
                self.decoder.poll = None;
                self.go_on(opcode);
            }
        }
    }

    /// An address cycle.
    pub(super) fn address(&mut self, byte: u8) {
        self.decoder.after_parameters = false;
        if let Some(mut poll) = self.decoder.poll.take() {
            poll.address.push(byte);
            if poll.address.len() < self.address_cycles(poll.form.address) {
                self.decoder.poll = Some(poll);
            } else {
                self.polled(&poll);
            }
            return;
        }
        let Some(mut open) = self.decoder.open.take() else {
            return self.stray_address();
        };
        let wanted = self.address_cycles(open.form.address);
        if let Some(change) = &mut open.change {
            change.push(byte);
            self.changed(&mut open);
        } else if open.address.len() < wanted {
            open.address.push(byte);
            if open.address.len() == wanted && !open.refused {
                return self.addressed(open);
            }
        } else if !open.refused {
            open.refused = true;
            self.tell_address_long(open.form.first, wanted + 1, wanted);
        }
        self.decoder.open = Some(open);
    }

    /// Data cycles.
    pub(super) fn data(&mut self, bytes: &[u8]) {
        let Some(mut open) = self.decoder.open.take() else {
            return self.stray_data();
        };
        if !open.form.takes_data {
            self.decoder.open = Some(open);
            return self.stray_data();
        }
        let wanted = self.address_cycles(open.form.address);
        if open.address.len() < wanted && !open.refused {
            self.tell_address_short(open.form.first, open.address.len(), wanted);
            open.refused = true;
        }
        if !open.refused && open.change.is_some() {
            self.settle_change(&mut open);
        }
        if open.refused {
            self.decoder.open = Some(open);
            return;
        }
        self.statistics.bytes_in += bytes.len() as u64;
        if open.form.first == 0xEF {
            return self.parameters(open, bytes);
        }
        self.load(&mut open, bytes);
        self.decoder.open = Some(open);
    }

    /// A command that is neither reset nor status: it goes on with the open sequence, or begins.
    fn go_on(&mut self, opcode: u8) {
        if let Some(open) = self.decoder.open.take() {
            let begins_anew = open.is_read_mode() && opcode == 0x31;
            if open.form.confirms.contains(&opcode) && !begins_anew {
                return self.confirm(open, opcode);
            }
            if opcode == 0x85 && matches!(open.form.first, 0x80 | 0x85) {
                return self.open_change(open);
            }
            if !self.abandon(&open, opcode) {
                return;
            }
        } else if commands::opening_of(opcode).is_some() && Form::of(opcode).is_none() {
            let first = commands::opening_of(opcode).unwrap_or_default();
            let text = format!("ORPHAN: {opcode:02X}h without {first:02X}h");
            let figures = (Quantity::Opcode(opcode), Quantity::Opcode(first));
            self.tell(Diagnostic::new(Rule::P14, self.now, text).with(figures.0, figures.1));
            return;
        }
        self.begin(opcode);
    }

    /// Tells what is wrong with leaving a sequence for `opcode`; says whether that command begins
    /// another one.
    fn abandon(&mut self, open: &Sequence, opcode: u8) -> bool {
        let first = open.form.first;
        let opens = Form::of(opcode).is_some();
        if open.refused || open.is_read_mode() {
            return opens;
        }
        if first == 0xEF && open.parameters.len() < PARAMETERS {
            self.tell_parameters(open.parameters.len());
            return opens;
        }
        if opens {
            let text = format!("ABANDON: {first:02X}h sequence broken by {opcode:02X}h");
            let breach = Diagnostic::new(Rule::P15, self.now, text);
            self.tell(breach.with(Quantity::Opcode(opcode), Quantity::Opcode(first)));
        } else {
            let text = format!("PAIR: {first:02X}h closed by {opcode:02X}h");
            let wanted = open.form.confirms.first().copied().unwrap_or(first);
            let breach = Diagnostic::new(Rule::P16, self.now, text);
            self.tell(breach.with(Quantity::Opcode(opcode), Quantity::Opcode(wanted)));
        }
        opens
    }

    /// A first cycle.
    fn begin(&mut self, opcode: u8) {
        let Some(form) = Form::of(opcode) else { return };
        let mut sequence = Sequence::new(form);
        let legal = match form.scope {
            Scope::Always => true,
            Scope::Target => self.target_is_idle(opcode),
            Scope::Selected => {
                let lun = self.output.selected;
                self.lun_is_ready(lun, opcode) && self.no_group_is_open(lun, opcode)
            }
            // Which LUN is meant is not known yet; where all are busy, it does not matter.
            Scope::Addressed => {
                let busy = self.luns.iter().all(|lun| lun.busy_at(self.now).is_some());
                !busy || self.lun_is_ready(self.output.selected, opcode)
            }
        };
        sequence.refused = !legal;
        match opcode {
            0x31 | 0x3F if !legal => {}
            0x31 => self.read_cache(None),
            0x3F => self.read_cache_end(),
            0x00 => {
                if legal {
                    self.output.leave_status();
                }
                self.decoder.open = Some(sequence);
            }
            _ => self.decoder.open = Some(sequence),
        }
    }

    /// An address is whole.
    fn addressed(&mut self, mut open: Sequence) {
        let first = open.form.first;
        match open.form.address {
            AddressForm::Byte => {
                let address = open.address[0];
                match first {
                    0x90 => self.read_id(address),
                    0xEC => self.read_parameter_page(address),
                    0xED => self.read_unique_id(),
                    0xEE => self.get_features(address),
                    _ => self.decoder.open = Some(open),
                }
                return;
            }
            AddressForm::Column => {
                let column = u16::from_le_bytes([open.address[0], open.address[1]]);
                open.refused = !self.column_is_legal(column.into());
            }
            AddressForm::ColumnRow | AddressForm::Row => match self.locate(first, &open.address) {
                Some(place) if self.place_is_legal(first, &place) => {
                    open.place = Some(place);
                    self.placed(first, &place);
                }
                _ => open.refused = true,
            },
            AddressForm::None => {}
        }
        self.decoder.open = Some(open);
    }

    /// The row of a 78h or FAh is whole.
    fn polled(&mut self, poll: &Sequence) {
        let first = poll.form.first;
        let Some(place) = self.locate(first, &poll.address) else { return };
        if first == 0x78 {
            self.read_status_enhanced(&place);
        } else {
            if self.decoder.open.as_ref().and_then(|open| open.place).map(|open| open.lun)
                == Some(place.lun)
            {
                self.decoder.open = None;
            }
            self.reset_lun(place.lun);
        }
    }

    /// A confirming command.
    fn confirm(&mut self, mut open: Sequence, opcode: u8) {
        let first = open.form.first;
        let wanted = self.address_cycles(open.form.address);
        if !open.refused && open.address.len() < wanted {
            self.tell_address_short(first, open.address.len(), wanted);
            open.refused = true;
        }
        if !open.refused && open.change.is_some() {
            self.settle_change(&mut open);
        }
        if open.refused {
            return;
        }
        match (first, open.place) {
            (0x05, _) => {
                self.change_read_column(u16::from_le_bytes([open.address[0], open.address[1]]));
            }
            (0x06, Some(place)) => self.change_read_column_enhanced(&place),
            (0x00, Some(place)) => self.confirm_read(place, opcode),
            (0x60, Some(place)) => self.confirm_erase(place, opcode),
            (_, Some(place)) => {
                self.check_earlier_load(place.lun, &open.earlier);
                self.confirm_program(place, opcode);
            }
            (_, None) => unreachable!("a whole address that is not refused has a place"),
        }
    }

    /// An 85h inside a sequence.
    fn open_change(&mut self, mut open: Sequence) {
        if !open.refused && open.address.len() < self.address_cycles(open.form.address) {
            let wanted = self.address_cycles(open.form.address);
            self.tell_address_short(open.form.first, open.address.len(), wanted);
            open.refused = true;
        }
        open.change = Some(Vec::new());
        self.decoder.open = Some(open);
    }

    /// One more address cycle of an 85h inside a sequence.
    fn changed(&mut self, open: &mut Sequence) {
        let Some(change) = &open.change else { return };
        let (columns, whole) = self.change_cycles();
        if change.len() > whole && !open.refused {
            open.refused = true;
            self.tell_address_long(0x85, change.len(), whole);
        } else if change.len() > columns && !self.offers_row_change() && !open.refused {
            open.refused = true;
            let text = "UNSUPPORTED: 85h with a row not offered (byte 8 bit 7)".to_owned();
            self.tell_rule(Rule::P13, None, text);
        }
    }

    /// The address of an 85h is whole: column alone, or column and row.
    fn settle_change(&mut self, open: &mut Sequence) {
        let change = open.change.take().unwrap_or_default();
        let (columns, whole) = self.change_cycles();
        if change.len() != columns && change.len() != whole {
            let wanted = if change.len() < columns { columns } else { whole };
            self.tell_address_short(0x85, change.len(), wanted);
            open.refused = true;
        } else if change.len() == columns {
            let column = u16::from_le_bytes([change[0], change[1]]).into();
            open.refused = !self.column_is_legal(column);
            if let Some(place) = open.place.as_mut().filter(|_| !open.refused) {
                place.column = column;
            }
        } else {
            self.change_row(open, &change);
            open.refused = open.place.is_none();
        }
    }

    /// Four parameters make a Set Features whole.
    fn parameters(&mut self, mut open: Sequence, bytes: &[u8]) {
        open.parameters.extend_from_slice(bytes);
        let Some(parameters) = open.parameters.first_chunk::<PARAMETERS>().copied() else {
            self.decoder.open = Some(open);
            return;
        };
        if open.parameters.len() > PARAMETERS {
            self.tell_parameters(open.parameters.len());
        }
        self.decoder.after_parameters = true;
        self.set_features(open.address[0], parameters);
    }

    fn change_cycles(&self) -> (usize, usize) {
        let columns = self.address_cycles(AddressForm::Column);
        (columns, columns + self.address_cycles(AddressForm::Row))
    }

    /// Whether the die knows a command and its part offers it.
    fn offers(&mut self, opcode: u8) -> bool {
        if !commands::is_known(opcode) {
            let text = format!("OPCODE: {opcode:02X}h not known to this die");
            self.tell_rule(Rule::P12, None, text);
            return false;
        }
        let missing = Offer::of(opcode).missing_from(opcode, &self.part);
        if let Some(place) = &missing {
            let text = format!("UNSUPPORTED: {opcode:02X}h not offered ({place})");
            self.tell_rule(Rule::P13, None, text);
            self.decoder.open = None;
        }
        missing.is_none()
    }

    fn stray_address(&mut self) {
        let text = "ADDR-LONG: address cycle with no open sequence".to_owned();
        let breach = Diagnostic::new(Rule::A02, self.now, text);
        self.tell(breach.with(Quantity::Count(1), Quantity::Count(0)));
    }

    fn stray_data(&mut self) {
        if self.decoder.after_parameters {
            self.decoder.after_parameters = false;
            self.decoder.stray_told = true;
            return self.tell_parameters(PARAMETERS + 1);
        }
        let refused = self.decoder.open.as_ref().is_some_and(|open| open.refused);
        if !refused && !self.decoder.stray_told {
            self.decoder.stray_told = true;
            let text = "DATA-IN: write data with no open sequence".to_owned();
            self.tell_rule(Rule::P17, None, text);
        }
    }

    fn tell_parameters(&mut self, given: usize) {
        let text = format!("FEAT-LEN: {given} of {PARAMETERS} bytes");
        let figures = (Quantity::Count(given as u64), Quantity::Count(PARAMETERS as u64));
        self.tell(Diagnostic::new(Rule::P23, self.now, text).with(figures.0, figures.1));
    }

    fn tell_address_short(&mut self, first: u8, given: usize, wanted: usize) {
        let text = format!("ADDR-SHORT: {first:02X}h had {given} of {wanted} cycles");
        let figures = (Quantity::Count(given as u64), Quantity::Count(wanted as u64));
        self.tell(Diagnostic::new(Rule::A01, self.now, text).with(figures.0, figures.1));
    }

    fn tell_address_long(&mut self, first: u8, given: usize, wanted: usize) {
        let text = format!("ADDR-LONG: {first:02X}h had {given} of {wanted} cycles");
        let figures = (Quantity::Count(given as u64), Quantity::Count(wanted as u64));
        self.tell(Diagnostic::new(Rule::A02, self.now, text).with(figures.0, figures.1));
    }
}
