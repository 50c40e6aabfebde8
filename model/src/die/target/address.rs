//! Addresses: column and row as they come over the bus, checked against the part's layout, and
//! whether the state of the addressed LUN lets a sequence go on (ONFI addressing; legality by LUN
//! state).

use floatgate_hal::flash::address::{LunIndex, RowAddress};
use floatgate_hal::flash::op::AddressForm;

use super::Target;
use super::power::time;
use crate::die::Interface;
use crate::die::array::PageAddress;
use crate::die::lun::{BusyKind, CacheRead, Group, GroupKind};
use crate::die::part::OptionalCommand;
use crate::die::rules::{Diagnostic, Quantity, Rule};

/// A byte of a page of a LUN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) lun: LunIndex,
    pub(super) at: PageAddress,
    pub(super) plane: u8,
    pub(super) column: usize,
}

impl Target {
    /// Cycles of an address.
    pub(super) fn address_cycles(&self, form: AddressForm) -> usize {
        let (column, row) = (self.part.layout.column_cycles, self.part.layout.row_cycles);
        usize::from(match form {
            AddressForm::None => 0,
            AddressForm::Byte => 1,
            AddressForm::Column => column,
            AddressForm::Row => row,
            AddressForm::ColumnRow => column + row,
        })
    }

    /// The place that an address names, if the part has it.
    pub(super) fn locate(&mut self, first: u8, address: &[u8]) -> Option<Place> {
        let layout = &self.part.layout;
        let (column, row) = address.split_at(address.len() - usize::from(layout.row_cycles));
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &b| sum << 8 | u32::from(b));
        let (column, row) = (number(column), number(row));
        let geometry = self.part.geometry();
        let (_, block, page) = geometry.split(RowAddress(row));
        let lun = row >> row_bits(layout.pages_per_block.into(), layout.blocks_per_lun);
        let (luns, blocks, pages) = (layout.luns, layout.blocks_per_lun, layout.pages_per_block);
        if luns > 1 && lun >= luns.into() {
            let text = format!("LUN-RANGE: LUN {lun} not present");
            return self.out_of_range(Rule::A05, text, lun.into(), luns.into());
        }
        if luns == 1 && lun > 0 {
            let bit = 31 - row.leading_zeros();
            self.tell_rule(Rule::A07, None, format!("ADDR-PAD: bit {bit} set"));
        }
        let lun = LunIndex(if luns > 1 { lun as u8 } else { 0 });
        if block.0 >= blocks {
            let text = format!("ROW-RANGE: block {} >= {blocks}", block.0);
            return self.out_of_range(Rule::A04, text, block.0.into(), blocks.into());
        }
        let pages = match first {
            0x60 => pages,
            _ => self.lun(lun).array.view(block).pages,
        };
        if page.0 >= pages {
            let text = format!("PAGE-RANGE: page {} >= {pages}", page.0);
            return self.out_of_range(Rule::A06, text, page.0.into(), pages.into());
        }
        if first == 0x60 && page.0 != 0 {
            let text = format!("ERASE-PAGEBITS: page field {} in erase row", page.0);
            self.tell_rule(Rule::A08, Some(lun), text);
        }
        let column = column as usize;
        let plane = geometry.plane(block);
        let place = Place { lun, at: PageAddress { block, page }, plane, column };
        self.column_is_legal(column).then_some(place)
    }

    /// Whether a column lies in the register, and on a pair of bytes where bytes come in pairs.
    pub(super) fn column_is_legal(&mut self, column: usize) -> bool {
        let bytes = self.part.register_bytes();
        if column >= bytes {
            let text = format!("COL-RANGE: column {column} >= {bytes}");
            return self.out_of_range::<()>(Rule::A03, text, column as u64, bytes as u64).is_some();
        }
        if self.interface == Interface::NvDdr && column % 2 == 1 {
            let text = format!("COL-ODD: column {column} in NV-DDR");
            let even = Quantity::Count(column as u64 - 1);
            let breach = Diagnostic::new(Rule::A09, self.now, text);
            self.tell(breach.with(Quantity::Count(column as u64), even));
            return false;
        }
        true
    }

    fn out_of_range<T>(&mut self, rule: Rule, text: String, is: u64, limit: u64) -> Option<T> {
        let breach = Diagnostic::new(rule, self.now, text);
        self.tell(breach.with(Quantity::Count(is), Quantity::Count(limit)));
        None
    }

    /// Whether the addressed LUN's state lets a sequence go on.
    pub(super) fn place_is_legal(&mut self, first: u8, place: &Place) -> bool {
        let lun = place.lun;
        if !self.lun_is_ready(lun, first) {
            return false;
        }
        if first == 0x06 {
            return self.no_group_is_open(lun, first);
        }
        self.array_takes(first, lun) && self.fits_group(first, place)
    }

    /// What a whole and legal address does at once.
    pub(super) fn placed(&mut self, first: u8, place: &Place) {
        self.output.select(place.lun);
        match first {
            0x80 => self.open_page(place),
            0x85 => self.open_copyback(place),
            _ => {}
        }
    }

    /// Whether a LUN is ready, or what to tell.
    pub(super) fn lun_is_ready(&mut self, lun: LunIndex, opcode: u8) -> bool {
        let Some(busy) = self.lun(lun).busy_at(self.now) else { return true };
        let elapsed = time(self.now.0.saturating_sub(busy.falls.0));
        let whole = time(busy.rises.0.saturating_sub(busy.falls.0));
        let during = busy.kind.time_name();
        let figures = format!("{elapsed} of {whole}");
        let (rule, text) = match busy.kind {
            BusyKind::Reset => (Rule::S12, format!("BUSY: {opcode:02X}h during tRST ({figures})")),
            BusyKind::Features | BusyKind::InterfaceChange => {
                (Rule::S11, format!("FEAT-BUSY: command {elapsed} into {during} ({whole})"))
            }
            BusyKind::Plane => {
                (Rule::M05, format!("BUSY: {opcode:02X}h {elapsed} into tPLxBSY ({whole})"))
            }
            BusyKind::CacheProgram if matches!(opcode, 0x80 | 0x85) => {
                (Rule::S03, format!("BUSY: {opcode:02X}h data during tPCBSY ({figures})"))
            }
            _ => {
                let text = format!("BUSY: {opcode:02X}h to LUN {} in {during} ({figures})", lun.0);
                (Rule::S02, text)
            }
        };
        self.tell(Diagnostic::new(rule, self.now, text).of(lun).with(elapsed, whole));
        false
    }

    /// Whether all LUNs are idle, or what to tell.
    pub(super) fn target_is_idle(&mut self, opcode: u8) -> bool {
        let now = self.now;
        let is_busy = |lun: LunIndex| {
            let lun = self.lun(lun);
            lun.busy_at(now).is_some() || lun.array_free() > now
        };
        let Some(lun) = (0..self.part.layout.luns).map(LunIndex).find(|&lun| is_busy(lun)) else {
            return (0..self.part.layout.luns)
                .all(|lun| self.no_group_is_open(LunIndex(lun), opcode));
        };
        let all_wait = self.lun(lun).busy_at(now).is_some_and(|busy| {
            use BusyKind::{Features, InterfaceChange, Reset};
            matches!(busy.kind, Reset | Features | InterfaceChange)
        });
        if all_wait || (self.part.layout.luns == 1 && self.lun(lun).busy_at(now).is_some()) {
            return self.lun_is_ready(lun, opcode);
        }
        let text = format!("TARGET-BUSY: {opcode:02X}h while LUN {} busy", lun.0);
        self.tell_rule(Rule::M10, Some(lun), text);
        false
    }

    /// Whether the array takes another job: cache operations hold it (SR5 = 0).
    fn array_takes(&mut self, first: u8, lun: LunIndex) -> bool {
        let now = self.now;
        let reads = matches!(self.lun(lun).cache_read, CacheRead::Open(_));
        // A cache read goes on with 00h-31h, a cache program with 80h: the confirm decides.
        let (rule, text) = match first {
            0x60 if reads => (Rule::R13, "CACHE: 60h with cache read open".to_owned()),
            0x00 | 0x60 if self.lun(lun).programs_behind(now) => {
                let text = format!("CACHE: {first:02X}h with cache program running (SR5 = 0)");
                (Rule::P21, text)
            }
            0x60 | 0x80 | 0x85
                if self.lun(lun).array_free() > now && !self.lun(lun).programs_behind(now) =>
            {
                (Rule::S04, format!("ARRAY-BUSY: {first:02X}h while SR5 = 0"))
            }
            _ => return true,
        };
        self.tell_rule(rule, Some(lun), text);
        false
    }

    /// Whether a command leaves planes of a LUN waiting for the rest of their operation.
    pub(super) fn no_group_is_open(&mut self, lun: LunIndex, opcode: u8) -> bool {
        let Some(group) = self.lun_mut(lun).group.take() else { return true };
        let (_, queueing) = group.kind.commands();
        let text = format!("MP-OPEN: {queueing:02X}h never closed, {opcode:02X}h begun");
        self.tell_rule(Rule::M06, Some(lun), text);
        true
    }

    /// Whether a place fits the planes that wait for it.
    fn fits_group(&mut self, first: u8, place: &Place) -> bool {
        let kind = match first {
            0x00 => GroupKind::Read,
            0x60 => GroupKind::Erase,
            _ => GroupKind::Program,
        };
        let elsewhere = self.luns.iter().find(|lun| {
            lun.index != place.lun && lun.group.as_ref().is_some_and(|group| group.kind == kind)
        });
        if let Some(other) = elsewhere.map(|lun| lun.index) {
            let text = format!("MP-LUN: LUN {} and LUN {}", other.0, place.lun.0);
            self.tell_rule(Rule::M04, Some(place.lun), text);
            self.lun_mut(other).group = None;
            return false;
        }
        let Some(group) = self.lun(place.lun).group.clone() else { return true };
        if group.kind != kind {
            self.lun_mut(place.lun).group = None;
            self.tell_mix(&group, kind, place.lun);
            return true;
        }
        self.planes_agree(first, &group, place)
    }

    fn tell_mix(&mut self, group: &Group, kind: GroupKind, lun: LunIndex) {
        let (_, queueing) = group.kind.commands();
        let (opening, _) = kind.commands();
        if group.kind == GroupKind::Erase || kind == GroupKind::Erase {
            let text = format!("MP-OPEN: {queueing:02X}h never closed, {opening:02X}h begun");
            self.tell_rule(Rule::M06, Some(lun), text);
        } else {
            let text = format!("MP-MIX: {queueing:02X}h then {opening:02X}h");
            self.tell_rule(Rule::M11, Some(lun), text);
        }
    }

    /// Plane, page and block of a place against those that wait.
    fn planes_agree(&mut self, first: u8, group: &Group, place: &Place) -> bool {
        let geometry = self.part.geometry();
        let plane = |page: &PageAddress| geometry.plane(page.block);
        let small_move = first == 0x85
            && self.part.knows(OptionalCommand::SmallDataMove)
            && group.pages.contains(&place.at);
        let count = |value: u32| Quantity::Count(value.into());
        if group.pages.iter().any(|page| plane(page) == place.plane) && !small_move {
            let text = format!("MP-PLANE: plane {} queued twice", place.plane);
            self.tell_rule(Rule::M01, Some(place.lun), text);
            return false;
        }
        let Some(queued) = group.pages.first() else { return true };
        if group.kind == GroupKind::Program && queued.page != place.at.page {
            let (is, was) = (place.at.page.0, queued.page.0);
            let text = format!("MP-PAGE: page {was} and page {is}");
            let breach = Diagnostic::new(Rule::M02, self.now, text).of(place.lun);
            self.tell(breach.with(count(is.into()), count(was.into())));
            return false;
        }
        let planes = u32::from(self.part.layout.planes);
        let (is, was) = (place.at.block.0, queued.block.0);
        if !self.part.any_block_per_plane() && is / planes != was / planes {
            let text = format!("MP-BLOCK: blocks must match: {was} and {is}");
            let breach = Diagnostic::new(Rule::M03, self.now, text).of(place.lun);
            self.tell(breach.with(count(is / planes), count(was / planes)));
            return false;
        }
        true
    }
}

/// Bits of page and block in a row.
fn row_bits(pages_per_block: u32, blocks_per_lun: u32) -> u32 {
    let bits = |count: u32| count.next_power_of_two().trailing_zeros();
    bits(pages_per_block) + bits(blocks_per_lun)
}
