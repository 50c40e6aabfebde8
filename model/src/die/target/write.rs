//! Programs and erases: page program, multi-plane, cache program, copyback program, block erase
//! (ONFI 80h-10h, 11h, 15h, 85h-10h, 60h-D0h, D1h), and what the cells ask of them.

use floatgate_hal::flash::address::{LunIndex, PageIndex};
use floatgate_hal::units::Picoseconds;

use super::address::Place;
use super::decode::Sequence;
use super::habits::without;
use super::output::Source;
use super::{Target, after, us};
use crate::die::array::{PageAddress, PageState};
use crate::die::lun::{BusyKind, CacheRead, Group, GroupKind, Held, Job, Looked, NEVER, Work};
use crate::die::part::{OptionalCommand, PageOrder};
use crate::die::rules::{Diagnostic, Quantity, Rule};
use crate::die::settings::Times;

impl Target {
    /// 80h and its address: clears the registers.
    pub(super) fn open_page(&mut self, place: &Place) {
        let own_only = self.clears_own_register_only();
        self.output.put(Source::None);
        for index in 0..self.part.layout.luns {
            let lun = LunIndex(index);
            if lun == place.lun {
                self.clear_own(place);
            } else if !own_only {
                self.clear_other(lun, place.lun);
            }
        }
    }

    /// Clears the registers of the addressed LUN, but for planes that wait for this one.
    fn clear_own(&mut self, place: &Place) {
        let geometry = self.part.geometry();
        let lun = self.lun_mut(place.lun);
        let queued = lun.group.as_ref().map_or(0, |group| {
            group.pages.iter().fold(0u32, |set, page| set | 1 << geometry.plane(page.block))
        });
        let blank = lun.array.blank();
        for (plane, registers) in lun.planes.iter_mut().enumerate() {
            if queued >> plane & 1 == 0 {
                registers.cache = blank.clone();
                registers.held = Held::Nothing;
                registers.loaded.clear();
            }
        }
        lun.copyback = 0;
        lun.output = None;
    }

    /// Clears the registers of a LUN that was not addressed, and tells what that destroys.
    fn clear_other(&mut self, lun: LunIndex, addressed: LunIndex) {
        if self.lun(lun).busy_at(self.now).is_some() {
            return;
        }
        let its = self.lun_mut(lun);
        let loses = its.copyback != 0
            || its.group.as_ref().is_some_and(|group| group.kind == GroupKind::Program);
        let blank = its.array.blank();
        for registers in &mut its.planes {
            registers.cache = blank.clone();
            if registers.held == Held::Data {
                registers.held = Held::Lost;
            }
        }
        its.copyback = 0;
        if loses {
            let text =
                format!("DATA-LOST: 80h to LUN {} cleared LUN {} register", addressed.0, lun.0);
            self.tell_rule(Rule::M12, Some(lun), text);
        }
    }

    /// 85h and its address, outside a page that is being loaded: the data of a copyback read.
    pub(super) fn open_copyback(&mut self, place: &Place) {
        self.output.put(Source::None);
        if !self.part.knows(OptionalCommand::Copyback) {
            let text = "UNSUPPORTED: 85h-10h not offered (byte 8 bit 4)".to_owned();
            self.tell_rule(Rule::P13, Some(place.lun), text);
        } else if self.lun(place.lun).copyback >> place.plane & 1 == 0 {
            let text = "COPYBACK: no 35h read held in this plane".to_owned();
            self.tell_rule(Rule::P22, Some(place.lun), text);
        } else {
            self.lun_mut(place.lun).planes[usize::from(place.plane)].loaded.clear();
        }
    }

    /// Data into the register.
    pub(super) fn load(&mut self, open: &mut Sequence, bytes: &[u8]) {
        let Some(place) = &mut open.place else { return };
        let registers = &mut self.luns[usize::from(place.lun.0)].planes[usize::from(place.plane)];
        let cache = std::sync::Arc::make_mut(&mut registers.cache);
        let count = bytes.len().min(cache.len() - place.column);
        cache[place.column..place.column + count].copy_from_slice(&bytes[..count]);
        registers.held = Held::Nothing;
        match registers.loaded.last_mut().filter(|last| last.end == place.column) {
            Some(last) => last.end += count,
            None => registers.loaded.push(place.column..place.column + count),
        }
        if !open.earlier.is_empty() {
            open.earlier = without(&open.earlier, &(place.column..place.column + count));
        }
        place.column += count;
        if count < bytes.len() && !open.overrun_told {
            open.overrun_told = true;
            let (lun, end) = (place.lun, self.part.register_bytes());
            self.tell_overrun(Some(lun), end);
        }
    }

    /// 85h with column and row while a page is loaded: the data go to another page.
    pub(super) fn change_row(&mut self, open: &mut Sequence, address: &[u8]) {
        let Some(old) = open.place else { return };
        let Some(place) = self.locate(open.form.first, address) else {
            open.place = None;
            return;
        };
        // The data stay in the register, so LUN and plane have to stay as they are.
        if place.lun != old.lun {
            let text = format!("MP-LUN: LUN {} and LUN {}", old.lun.0, place.lun.0);
            self.tell_rule(Rule::M04, Some(place.lun), text);
            open.place = None;
            return;
        }
        if place.at != old.at {
            open.earlier = self.lun(old.lun).planes[usize::from(old.plane)].loaded.clone();
        }
        if place.plane != old.plane {
            let planes = &mut self.lun_mut(place.lun).planes;
            let from = planes[usize::from(old.plane)].clone();
            let to = &mut planes[usize::from(place.plane)];
            (to.cache, to.loaded) = (from.cache, from.loaded);
        }
        open.place = Some(place);
    }

    /// Whether the part knows 85h with a row.
    pub(super) fn offers_row_change(&self) -> bool {
        self.part.knows(OptionalCommand::ChangeRowAddress)
    }

    /// 10h, 11h or 15h after 80h or 85h.
    pub(super) fn confirm_program(&mut self, place: Place, opcode: u8) {
        let lun = place.lun;
        let group = self.lun_mut(lun).group.take();
        let mut pages = group.map_or_else(Vec::new, |group| group.pages);
        // The parts of a small data move all name the same page.
        if !pages.contains(&place.at) {
            pages.push(place.at);
        }
        if opcode == 0x11 {
            self.lun_mut(lun).group = Some(Group { kind: GroupKind::Program, pages });
            return self.queue_plane(lun);
        }
        if self.is_protected(lun, "program") {
            return;
        }
        self.check_result_was_read(lun);
        for &at in &pages {
            self.check_program(lun, at);
        }
        self.program(lun, &pages, opcode == 0x15);
    }

    fn program(&mut self, lun: LunIndex, pages: &[PageAddress], cache: bool) {
        let geometry = self.part.geometry();
        let behind = self.lun(lun).programs_behind(self.now);
        let start = self.falls().max(self.lun(lun).array_free());
        let end = self.end_of_program(lun, start, pages);
        if behind {
            self.note_interleaving(lun);
        } else {
            self.begin_work(lun);
        }
        let days = self.days(start);
        let its = self.lun_mut(lun);
        let records: Vec<_> = pages
            .iter()
            .map(|&at| {
                let plane = geometry.plane(at.block);
                let data = its.planes[usize::from(plane)].cache.clone();
                (plane, its.array.program(at, &data, days))
            })
            .collect();
        let failed = records.iter().filter(|(_, record)| !record.passed).count();
        let work = Work::Program { pages: records, continues: behind };
        its.jobs.push_back(Job { work, start, end, begun: false });
        its.looked = Looked::Never;
        self.statistics.page_programs += pages.len() as u64;
        self.statistics.failed_programs += failed as u64;
        if cache {
            let rises = match end {
                NEVER => NEVER,
                _ => after(start, us(self.part.timing.t_pcbsy_us)),
            };
            self.make_busy(lun, BusyKind::CacheProgram, rises);
        } else {
            self.make_busy(lun, BusyKind::Program, end);
        }
        self.output.put(Source::None);
    }

    fn end_of_program(
        &mut self,
        lun: LunIndex,
        start: Picoseconds,
        pages: &[PageAddress],
    ) -> Picoseconds {
        if self.hangs(lun) {
            return NEVER;
        }
        let spans = pages.iter().map(|&at| self.page_times_us(lun, at).1);
        let span_us = match self.settings.times {
            Times::Typical => spans.fold(0.0, f64::max),
            Times::Maximum => self.part.timing.t_prog_max_us.into(),
        };
        after(start, us(span_us))
    }

    /// D0h or D1h after 60h and its row.
    pub(super) fn confirm_erase(&mut self, place: Place, opcode: u8) {
        let lun = place.lun;
        let group = self.lun_mut(lun).group.take();
        let mut pages = group.map_or_else(Vec::new, |group| group.pages);
        pages.push(place.at);
        if opcode == 0xD1 {
            self.lun_mut(lun).group = Some(Group { kind: GroupKind::Erase, pages });
            return self.queue_plane(lun);
        }
        if self.is_protected(lun, "erase") {
            return;
        }
        self.check_result_was_read(lun);
        for &at in &pages {
            self.check_erase(lun, at);
        }
        let (slc, geometry) = (self.erases_to_slc(), self.part.geometry());
        let start = self.falls();
        let span_us = match self.settings.times {
            Times::Typical => self.part.timing.t_bers_us,
            Times::Maximum => self.part.timing.t_bers_max_us.into(),
        };
        let end = if self.hangs(lun) { NEVER } else { after(start, us(span_us)) };
        self.begin_work(lun);
        let its = self.lun_mut(lun);
        let blocks: Vec<_> = pages
            .iter()
            .map(|at| (geometry.plane(at.block), its.array.erase(at.block, slc)))
            .collect();
        let failed = blocks.iter().filter(|(_, record)| !record.passed).count();
        let work = Work::Erase { blocks };
        its.jobs.push_back(Job { work, start, end, begun: false });
        its.looked = Looked::Never;
        self.statistics.block_erases += pages.len() as u64;
        self.statistics.failed_erases += failed as u64;
        self.make_busy(lun, BusyKind::Erase, end);
        self.output.put(Source::None);
    }

    /// WP# low: the array is left as it is.
    fn is_protected(&mut self, lun: LunIndex, what: &str) -> bool {
        if self.write_protected {
            let text = format!("WP: {what} ignored, SR7 = 0");
            self.tell_rule(Rule::R05, Some(lun), text);
            self.output.put(Source::None);
        }
        self.write_protected
    }

    /// Whether the host looked at the result of the program or erase before this one.
    fn check_result_was_read(&mut self, lun: LunIndex) {
        match self.lun(lun).looked {
            Looked::Enough => {}
            Looked::Never => {
                let text = "NO-STATUS: program or erase result never read".to_owned();
                self.tell_rule(Rule::S05, Some(lun), text);
            }
            Looked::WhileBusy => {
                let text = "STATUS-INVALID: SR0 used while SR6 = 0".to_owned();
                self.tell_rule(Rule::S06, Some(lun), text);
            }
        }
    }

    /// What the cells ask of a program.
    fn check_program(&mut self, lun: LunIndex, at: PageAddress) {
        let block = self.lun(lun).array.view(at.block);
        let number = at.block.0;
        let reads = matches!(self.lun(lun).cache_read, CacheRead::Open(_));
        if reads && self.lun(lun).array_free() > self.now {
            let text = "ARRAY-BUSY: 10h while SR5 = 0".to_owned();
            self.tell_rule(Rule::S04, Some(lun), text);
        }
        if block.factory_bad {
            let text = format!("BADBLOCK: program of marked block {number}");
            return self.tell_rule(Rule::R06, Some(lun), text);
        }
        if !block.erased {
            let text = format!("UNERASED: block {number} not erased");
            self.tell_rule(Rule::R03, Some(lun), text);
        }
        match self.lun(lun).array.page_state(at) {
            PageState::Programmed(programs) => self.check_again(lun, at, programs),
            PageState::Torn if block.erased => {
                let page = at.page.0;
                let text = format!(
                    "ABORTED: page {page} of block {number} was cut, and is programmed again"
                );
                self.tell_rule(Rule::R11, Some(lun), text);
            }
            PageState::Erased if block.erased => self.check_order(lun, at, block.next_page),
            PageState::Torn | PageState::Erased => {}
        }
    }

    /// A page that is programmed once more: how often, and only from 1 to 0.
    fn check_again(&mut self, lun: LunIndex, at: PageAddress, programs: u8) {
        let limit = self.part.cells.programs_per_page;
        let next = u64::from(programs) + 1;
        if programs >= limit {
            let text = format!("NOP: program {next} of {limit} to page {}", at.page.0);
            let breach = Diagnostic::new(Rule::R01, self.now, text).of(lun);
            self.tell(breach.with(Quantity::Count(next), Quantity::Count(limit.into())));
        }
        let plane = self.part.geometry().plane(at.block);
        let its = self.lun(lun);
        let (registers, old) = (&its.planes[usize::from(plane)], its.array.stored(at));
        let columns = registers.loaded.iter().flat_map(Clone::clone);
        let rising: u32 =
            columns.map(|column| (registers.cache[column] & !old[column]).count_ones()).sum();
        if rising > 0 {
            let text = format!("BIT-RISE: {rising} bits cannot return to 1");
            let breach = Diagnostic::new(Rule::R04, self.now, text).of(lun);
            self.tell(breach.with(Quantity::Count(rising.into()), Quantity::Count(0)));
        }
    }

    fn check_order(&mut self, lun: LunIndex, at: PageAddress, next: PageIndex) {
        let (page, next) = (at.page.0, next.0);
        let in_order = match self.part.cells.page_order {
            PageOrder::Any => true,
            PageOrder::Ascending => page >= next,
            PageOrder::Consecutive => page == next,
        };
        if in_order {
            return;
        }
        let text = match next.checked_sub(1) {
            Some(last) => format!("ORDER: page {page} after {last}"),
            None => format!("ORDER: page {page} first"),
        };
        let breach = Diagnostic::new(Rule::R02, self.now, text).of(lun);
        self.tell(breach.with(Quantity::Count(page.into()), Quantity::Count(next.into())));
    }

    /// What the cells ask of an erase.
    fn check_erase(&mut self, lun: LunIndex, at: PageAddress) {
        let block = self.lun(lun).array.view(at.block);
        let number = at.block.0;
        if block.factory_bad {
            self.check_scanned(lun, number);
            let text = format!("BADBLOCK: erase of marked block {number}");
            return self.tell_rule(Rule::R06, Some(lun), text);
        }
        let (cycles, limit) = (block.cycles + 1, self.part.cells.endurance_cycles);
        if cycles > limit {
            let text = format!("WEAR: block erase {cycles} > {limit}");
            let breach = Diagnostic::new(Rule::R08, self.now, text).of(lun);
            self.tell(breach.with(Quantity::Count(cycles.into()), Quantity::Count(limit.into())));
        }
    }
}
