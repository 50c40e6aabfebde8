//! What goes out: status, ID, parameter page, features, or a page register.

use std::sync::Arc;

use floatgate_hal::flash::address::LunIndex;

use super::address::Place;
use super::power::time;
use super::{Target, us};
use crate::die::Interface;
use crate::die::array;
use crate::die::lun::{BusyKind, Held, Looked, Lun, NEVER, OutputPlace};
use crate::die::parameter_page;
use crate::die::rules::{Diagnostic, Quantity, Rule};
use crate::die::settings::Fault;

/// Status bytes after RDY has been seen, with read data waiting, that a host may still take.
const STATUS_BYTES_WHEN_READY: u32 = 2;
/// Where in a copy of the parameter page the fault of a wrong CRC shows.
const SPOILT_OFFSET: usize = 80;
/// RDY in the status register.
const RDY: u8 = 0x40;
/// A poll of a stuck LUN goes on for this many times the longest busy time before it is told.
const HANG_FACTOR: u64 = 2;

/// Bytes that do not come from the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteKind {
    Id,
    ParameterPage,
    UniqueId,
    Features,
}

/// Where data come from.
#[derive(Clone, Debug, Default)]
pub(super) enum Source {
    /// From nowhere.
    #[default]
    None,
    /// The selected LUN's register.
    Array,
    /// Bytes, and how many went out.
    Bytes(ByteKind, Arc<Vec<u8>>, usize),
}

impl Source {
    pub(super) fn bytes(kind: ByteKind, bytes: Vec<u8>) -> Self {
        Self::Bytes(kind, Arc::new(bytes), 0)
    }
}

/// A status command in force.
#[derive(Clone, Copy, Debug)]
struct Status {
    lun: LunIndex,
    planes: u32,
}

/// What goes out next.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    /// The LUN that was addressed last.
    pub(super) selected: LunIndex,
    /// Whether 78h or 06h-E0h has chosen it since another one was addressed.
    chosen: bool,
    source: Source,
    /// 70h or 78h, until 00h or another source.
    status: Option<Status>,
    /// Status bytes since RDY was seen with read data waiting.
    ready_bytes: u32,
}

impl Output {
    /// Another source, and no longer the status.
    pub(super) fn put(&mut self, source: Source) {
        self.source = source;
        self.status = None;
    }

    /// 00h.
    pub(super) fn leave_status(&mut self) {
        self.status = None;
    }

    /// A command came.
    pub(super) fn commanded(&mut self) {
        self.ready_bytes = 0;
    }

    /// A row address named a LUN.
    pub(super) fn select(&mut self, lun: LunIndex) {
        if lun != self.selected {
            self.chosen = false;
        }
        self.selected = lun;
    }

    fn choose(&mut self, lun: LunIndex) {
        self.selected = lun;
        self.chosen = true;
    }
}

impl Target {
    /// Whether the bytes that go over the bus now, out or in, go twice each in NV-DDR: ID, status
    /// and features always, parameter page and unique ID by the settings.
    pub fn bytes_are_doubled(&self) -> bool {
        let takes_features = self.decoder.open.as_ref().is_some_and(|open| open.form.first == 0xEF);
        let doubled = match &self.output.source {
            _ if takes_features || self.output.status.is_some() => true,
            Source::Bytes(ByteKind::Id | ByteKind::Features, ..) => true,
            Source::Bytes(..) => self.settings.doubles_parameter_page,
            Source::None | Source::Array => false,
        };
        self.interface == Interface::NvDdr && doubled
    }

    /// 70h.
    pub(super) fn read_status(&mut self) {
        if self.interleaved {
            let text = "70H-MULTILUN: 70h after interleaved work".to_owned();
            self.tell_rule(Rule::S07, None, text);
        }
        self.output.status = Some(Status { lun: self.output.selected, planes: u32::MAX });
    }

    /// 78h.
    pub(super) fn read_status_enhanced(&mut self, place: &Place) {
        self.check_lun_is_meant(place.lun);
        self.output.choose(place.lun);
        // A job of another LUN leaves the data of this one where they are.
        let is_idle = matches!(self.output.source, Source::None);
        if is_idle && self.lun(place.lun).has_unread_data() {
            self.output.source = Source::Array;
        }
        self.output.status = Some(Status { lun: place.lun, planes: 1 << place.plane });
    }

    /// 90h.
    pub(super) fn read_id(&mut self, address: u8) {
        let bytes = match address {
            0x00 => self.part.identity.id_bytes.clone(),
            0x20 => b"ONFI".to_vec(),
            _ => vec![0],
        };
        self.output.put(Source::bytes(ByteKind::Id, bytes));
    }

    /// ECh. Only address 00h has a page; JEDEC's is not there.
    pub(super) fn read_parameter_page(&mut self, address: u8) {
        let bytes = match address {
            0x00 => self.parameter_page(),
            _ => vec![0xFF; parameter_page::PAGE_BYTES],
        };
        self.put_after_read(ByteKind::ParameterPage, bytes);
    }

    fn parameter_page(&self) -> Vec<u8> {
        let mut bytes = parameter_page::answer(&self.part);
        for copy in 0..self.spoilt_copies() {
            bytes[copy * parameter_page::PAGE_BYTES + SPOILT_OFFSET] ^= 1;
        }
        bytes
    }

    /// How many of the first copies of the parameter page have a wrong CRC.
    fn spoilt_copies(&self) -> usize {
        let spoilt = self.settings.faults.iter().filter_map(|fault| match *fault {
            Fault::SpoilsParameterPage { copies } => Some(copies),
            _ => None,
        });
        spoilt.max().unwrap_or(0).min(self.part.parameter_page.copies).into()
    }

    /// Bytes of the parameter page that the host has taken, and how many it has to take for a copy
    /// that is sound; none while something else goes out.
    pub(super) fn parameter_page_taken(&self) -> Option<(usize, usize)> {
        let Source::Bytes(ByteKind::ParameterPage, _, taken) = &self.output.source else {
            return None;
        };
        let copies = usize::from(self.part.parameter_page.copies).min(self.spoilt_copies() + 1);
        Some((*taken, copies * parameter_page::PAGE_BYTES))
    }

    /// EDh.
    pub(super) fn read_unique_id(&mut self) {
        let bytes = array::unique_id(self.settings.seed, self.settings.target);
        self.put_after_read(ByteKind::UniqueId, bytes);
    }

    fn put_after_read(&mut self, kind: ByteKind, bytes: Vec<u8>) {
        self.output.put(Source::bytes(kind, bytes));
        let t_r_us = self.part.cells.page_types[0].t_r_us;
        self.make_all_busy(BusyKind::Read, us(t_r_us));
    }

    /// 05h-E0h.
    pub(super) fn change_read_column(&mut self, column: u16) {
        let lun = self.output.selected;
        if matches!(self.output.source, Source::Array) {
            self.check_plane_is_chosen(lun);
        }
        match &mut self.output.source {
            Source::Bytes(_, _, at) => *at = column.into(),
            Source::Array => {
                if let Some(output) = &mut self.luns[usize::from(lun.0)].output {
                    output.column = column.into();
                }
            }
            Source::None => return self.tell_no_source(),
        }
        self.output.status = None;
    }

    /// 06h-E0h.
    pub(super) fn change_read_column_enhanced(&mut self, place: &Place) {
        self.output.choose(place.lun);
        self.output.put(Source::Array);
        let output = OutputPlace {
            plane: place.plane,
            column: place.column,
            taken: false,
            of_several: false,
        };
        self.lun_mut(place.lun).output = Some(output);
    }

    /// Fills `into` with what the target drives.
    pub(super) fn drive(&mut self, into: &mut [u8]) -> usize {
        if let Some(status) = self.output.status {
            return self.drive_status(status, into);
        }
        let lun = self.output.selected;
        let mut source = std::mem::take(&mut self.output.source);
        let from_array = !matches!(source, Source::Bytes(..));
        let driven = match &mut source {
            _ if from_array && !self.is_output_lun(lun) => 0,
            _ if !self.may_drive(lun) => 0,
            Source::None => {
                self.tell_no_source();
                0
            }
            Source::Array => self.drive_register(lun, into),
            Source::Bytes(kind, bytes, at) => self.drive_bytes(*kind, bytes, at, into),
        };
        self.output.source = source;
        driven
    }

    /// Whether a LUN is ready, or what to tell.
    fn may_drive(&mut self, lun: LunIndex) -> bool {
        let Some(busy) = self.lun(lun).busy_at(self.now) else { return true };
        let elapsed = time(self.now.0.saturating_sub(busy.falls.0));
        let whole = time(busy.rises.0.saturating_sub(busy.falls.0));
        let text = format!("EARLY-OUT: RE# {elapsed} into {} of {whole}", busy.kind.time_name());
        let breach = Diagnostic::new(Rule::S01, self.now, text).of(lun);
        self.tell(breach.with(elapsed, whole));
        false
    }

    fn drive_status(&mut self, status: Status, into: &mut [u8]) -> usize {
        let (now, protected) = (self.now, self.write_protected);
        let lun = self.lun(status.lun);
        let byte = lun.status(now, status.planes, protected);
        let waits = matches!(self.output.source, Source::Array);
        into.fill(byte);
        let ready = byte & RDY != 0;
        let lun = self.lun_mut(status.lun);
        lun.looked = match lun.looked {
            Looked::Enough => Looked::Enough,
            _ if ready => Looked::Enough,
            _ => Looked::WhileBusy,
        };
        if !ready {
            self.tell_hang(status.lun);
        } else if waits && self.lun(status.lun).has_unread_data() {
            let before = self.output.ready_bytes;
            self.output.ready_bytes += into.len() as u32;
            let (most, taken) = (STATUS_BYTES_WHEN_READY, self.output.ready_bytes);
            if before <= most && taken > most {
                let text = "STATUS-STUCK: array data wanted, status register selected".to_owned();
                let breach = Diagnostic::new(Rule::P19, now, text).of(status.lun);
                let figures = (Quantity::Count(taken.into()), Quantity::Count(most.into()));
                self.tell(breach.with(figures.0, figures.1));
            }
        }
        into.len()
    }

    /// A host that polls a stuck LUN for ever.
    fn tell_hang(&mut self, lun: LunIndex) {
        let Some(busy) = self.lun(lun).busy_at(self.now).filter(|busy| busy.rises == NEVER) else {
            return;
        };
        let elapsed = self.now.0.saturating_sub(busy.falls.0);
        let limit = HANG_FACTOR.saturating_mul(busy.longest_ps);
        if elapsed <= limit || self.lun(lun).hang_told {
            return;
        }
        self.lun_mut(lun).hang_told = true;
        let (past, name) = (time(elapsed - busy.longest_ps), busy.kind.time_name());
        let text = format!("HANG: waiting {past} past {name} max");
        let breach = Diagnostic::new(Rule::S10, self.now, text).of(lun);
        self.tell(breach.with(time(elapsed), time(limit)));
    }

    fn tell_no_source(&mut self) {
        let text = "DATA-OUT: RE# with no output source".to_owned();
        self.tell_rule(Rule::P18, None, text);
    }

    fn drive_bytes(
        &mut self,
        kind: ByteKind,
        bytes: &[u8],
        at: &mut usize,
        into: &mut [u8],
    ) -> usize {
        // ID and features repeat; a page has an end.
        if matches!(kind, ByteKind::Id | ByteKind::Features) {
            for byte in into.iter_mut() {
                *byte = bytes[*at % bytes.len()];
                *at += 1;
            }
            return into.len();
        }
        let driven = copy_from(bytes, *at, into);
        *at += driven;
        if driven < into.len() {
            self.tell_overrun(None, bytes.len());
        }
        driven
    }

    fn drive_register(&mut self, lun: LunIndex, into: &mut [u8]) -> usize {
        let Some(OutputPlace { plane, column, of_several, .. }) = self.lun(lun).output else {
            self.tell_no_source();
            return 0;
        };
        let registers = &mut self.lun_mut(lun).planes[usize::from(plane)];
        let lost = registers.held == Held::Lost;
        if lost {
            registers.held = Held::Nothing;
        }
        let driven = copy_from(&registers.cache, column, into);
        let end = registers.cache.len();
        let output = OutputPlace { plane, column: column + driven, taken: true, of_several };
        self.lun_mut(lun).output = Some(output);
        if lost {
            let text = format!("DATA-LOST: 80h cleared LUN {} register before it was read", lun.0);
            self.tell_rule(Rule::M12, Some(lun), text);
        }
        if driven < into.len() {
            self.tell_overrun(Some(lun), end);
        }
        driven
    }

    /// Bytes past the end of a register or page.
    pub(super) fn tell_overrun(&mut self, lun: Option<LunIndex>, end: usize) {
        let text = format!("OVERRUN: byte {} of {end}", end + 1);
        let figures = (Quantity::Count(end as u64 + 1), Quantity::Count(end as u64));
        let breach = Diagnostic { lun, ..Diagnostic::new(Rule::A10, self.now, text) };
        self.tell(breach.with(figures.0, figures.1));
    }

    /// Where another LUN has data that nobody took, 78h or 06h-E0h has to choose whose go out.
    fn is_output_lun(&mut self, lun: LunIndex) -> bool {
        let waits = |other: &&Lun| other.index != lun && other.has_unread_data();
        let Some(other) = self.luns.iter().find(waits).map(|other| other.index) else {
            return true;
        };
        if self.output.chosen {
            return true;
        }
        let both = self.lun(lun).has_unread_data() && self.lun(lun).busy_at(self.now).is_none();
        if both {
            self.output.chosen = true;
            let text = format!("CONTENTION: LUN {} and {} both drive", other.0, lun.0);
            self.tell_rule(Rule::M09, Some(lun), text);
        } else {
            let text = format!("LUN-SEL: output LUN not chosen, LUN {} has data", other.0);
            self.tell_rule(Rule::M08, Some(lun), text);
        }
        both
    }
}

/// Copies what there is from `at` on, and says how much.
fn copy_from(bytes: &[u8], at: usize, into: &mut [u8]) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let count = rest.len().min(into.len());
    into[..count].copy_from_slice(&rest[..count]);
    count
}
