//! Reads: page read, multi-plane read, cache read, copyback read (ONFI 00h-30h, 32h, 31h, 3Fh,
//! 35h).

use floatgate_hal::flash::address::{LunIndex, PageIndex};

use super::address::Place;
use super::output::Source;
use super::{Target, after, us};
use crate::die::array::{PageAddress, PageState};
use crate::die::lun::{BusyKind, CacheRead, Group, GroupKind, Job, NEVER, OutputPlace, Work};
use crate::die::rules::{Diagnostic, Quantity, Rule};
use crate::die::settings::Times;

impl Target {
    /// 30h, 31h, 32h or 35h after 00h and its address.
    pub(super) fn confirm_read(&mut self, place: Place, opcode: u8) {
        let lun = place.lun;
        if opcode != 0x31 && !self.array_is_free(lun) {
            return;
        }
        let mut pages = self.lun_mut(lun).group.take().map_or_else(Vec::new, |group| group.pages);
        pages.push(place.at);
        match opcode {
            0x32 => {
                self.lun_mut(lun).group = Some(Group { kind: GroupKind::Read, pages });
                self.queue_plane(lun);
            }
            0x31 => self.read_cache(Some((lun, pages))),
            _ => self.read_pages(&place, pages, opcode == 0x35),
        }
    }

    /// Makes a LUN busy with the queueing of a plane.
    pub(super) fn queue_plane(&mut self, lun: LunIndex) {
        let rises = after(self.falls(), us(self.part.timing.t_plane_busy_us));
        self.make_busy(lun, BusyKind::Plane, rises);
    }

    /// Whether no cache operation holds the array, or what to tell.
    fn array_is_free(&mut self, lun: LunIndex) -> bool {
        if self.lun(lun).array_free() <= self.now {
            return true;
        }
        let text = "ARRAY-BUSY: 00h-30h while SR5 = 0".to_owned();
        self.tell_rule(Rule::S04, Some(lun), text);
        false
    }

    /// 00h-30h, 00h-35h.
    fn read_pages(&mut self, last: &Place, pages: Vec<PageAddress>, copyback: bool) {
        let lun = last.lun;
        let falls = self.falls();
        let end = self.end_of_read(lun, falls, &pages);
        let loads = self.loads(lun, &pages);
        self.begin_work(lun);
        let of_several = loads.len() > 1;
        let planes = loads.iter().fold(0, |set, (plane, _)| set | 1 << plane);
        let work = Work::Load { pages: loads, into_cache: true, moves_up: Vec::new() };
        let its = self.lun_mut(lun);
        its.jobs.push_back(Job { work, start: falls, end, begun: false });
        its.cache_read = CacheRead::MayBegin(pages);
        its.copyback = if copyback { planes } else { 0 };
        its.output =
            Some(OutputPlace { plane: last.plane, column: last.column, taken: false, of_several });
        self.make_busy(lun, BusyKind::Read, end);
        self.output.put(Source::Array);
    }

    /// 31h: the page that was read moves up, and the array reads the next one, or the ones asked
    /// for.
    pub(super) fn read_cache(&mut self, asked: Option<(LunIndex, Vec<PageAddress>)>) {
        let lun = asked.as_ref().map_or(self.output.selected, |&(lun, _)| lun);
        let pages = match &self.lun(lun).cache_read {
            CacheRead::Closed => {
                let text = "CACHE: 31h with no read before it".to_owned();
                return self.tell_rule(Rule::P20, Some(lun), text);
            }
            CacheRead::MayBegin(pages) | CacheRead::Open(pages) => pages.clone(),
        };
        let next = match asked {
            Some((_, asked)) => asked,
            None => self.next_pages(lun, &pages),
        };
        self.move_up_and_read(lun, &pages, &next);
        self.lun_mut(lun).cache_read = CacheRead::Open(next);
    }

    /// 3Fh: the last page moves up.
    pub(super) fn read_cache_end(&mut self) {
        let lun = self.output.selected;
        let CacheRead::Open(pages) = self.lun(lun).cache_read.clone() else {
            let text = "CACHE: 3Fh with no cache read open".to_owned();
            return self.tell_rule(Rule::P20, Some(lun), text);
        };
        self.move_up_and_read(lun, &pages, &[]);
        self.lun_mut(lun).cache_read = CacheRead::Closed;
    }

    fn move_up_and_read(&mut self, lun: LunIndex, pages: &[PageAddress], next: &[PageAddress]) {
        let geometry = self.part.geometry();
        let moves_up: Vec<u8> = pages.iter().map(|page| geometry.plane(page.block)).collect();
        let plane = moves_up.last().copied().unwrap_or_default();
        // The page register is free once the array has filled it and it has moved up.
        let start = self.falls().max(self.lun(lun).array_free());
        let rises = after(start, us(self.part.timing.t_rcbsy_us));
        let end = if next.is_empty() { start } else { self.end_of_read(lun, start, next) };
        let of_several = moves_up.len() > 1;
        let work = Work::Load { pages: self.loads(lun, next), into_cache: false, moves_up };
        self.note_interleaving(lun);
        let its = self.lun_mut(lun);
        its.jobs.push_back(Job { work, start, end, begun: false });
        its.output = Some(OutputPlace { plane, column: 0, taken: false, of_several });
        let rises = if start == NEVER { NEVER } else { rises };
        self.make_busy(lun, BusyKind::CacheRead, rises);
        self.output.put(Source::Array);
    }

    /// The pages after those of a sequential cache read; none past the end of their blocks.
    fn next_pages(&mut self, lun: LunIndex, pages: &[PageAddress]) -> Vec<PageAddress> {
        let last = pages.iter().find(|at| {
            let pages = self.lun(lun).array.view(at.block).pages;
            at.page.0 + 1 >= pages
        });
        if let Some(last) = last {
            let (page, limit) = (u64::from(last.page.0), u64::from(last.page.0) + 1);
            let text = format!("CACHE-END: 31h past the last page, {page} of {limit}");
            let breach = Diagnostic::new(Rule::P24, self.now, text).of(lun);
            self.tell(breach.with(Quantity::Count(page + 1), Quantity::Count(limit)));
            return Vec::new();
        }
        pages.iter().map(|at| PageAddress { page: PageIndex(at.page.0 + 1), ..*at }).collect()
    }

    /// The pages with their planes; tells of those that a cut job left undefined.
    fn loads(&mut self, lun: LunIndex, pages: &[PageAddress]) -> Vec<(u8, PageAddress)> {
        let geometry = self.part.geometry();
        for &at in pages {
            if self.lun(lun).array.view(at.block).factory_bad {
                self.lun_mut(lun).scanned.insert(at.block.0);
            }
            if self.lun(lun).array.page_state(at) == PageState::Torn {
                let (page, block) = (at.page.0, at.block.0);
                let text =
                    format!("ABORTED: page {page} of block {block} was cut, reads undefined");
                self.tell_rule(Rule::R11, Some(lun), text);
            }
            self.check_disturbance(lun, at);
        }
        self.statistics.page_reads += pages.len() as u64;
        pages.iter().map(|&at| (geometry.plane(at.block), at)).collect()
    }

    fn check_disturbance(&mut self, lun: LunIndex, at: PageAddress) {
        let (reads, limit) =
            (self.lun(lun).array.view(at.block).reads + 1, self.part.cells.read_disturb_limit);
        // Told once, when the limit is passed.
        if reads == limit + 1 {
            let text = format!("DISTURB: {reads} reads of block {} since erase", at.block.0);
            let breach = Diagnostic::new(Rule::R10, self.now, text).of(lun);
            self.tell(breach.with(Quantity::Count(reads), Quantity::Count(limit)));
        }
    }

    fn end_of_read(
        &mut self,
        lun: LunIndex,
        start: floatgate_hal::units::Picoseconds,
        pages: &[PageAddress],
    ) -> floatgate_hal::units::Picoseconds {
        if self.hangs(lun) {
            return NEVER;
        }
        let spans = pages.iter().map(|&at| self.page_times_us(lun, at).0);
        let longest = spans.fold(0.0, f64::max);
        let timing = &self.part.timing;
        let span_us = match (self.settings.times, pages.len()) {
            (Times::Typical, _) => longest,
            (Times::Maximum, 0 | 1) => timing.t_r_max_us.into(),
            (Times::Maximum, _) => timing.t_r_max_us.max(timing.t_r_multi_plane_max_us).into(),
        };
        after(start, us(span_us))
    }

    /// Typical tR and tPROG of a page.
    pub(super) fn page_times_us(&self, lun: LunIndex, at: PageAddress) -> (f64, f64) {
        let cells = &self.part.cells;
        let page_type = match &cells.slc_mode {
            Some(slc) if self.lun(lun).array.view(at.block).slc => &slc.page_type,
            _ => {
                let position = cells.scheme.position(at.page, self.part.layout.pages_per_block);
                &cells.page_types[position.page_type]
            }
        };
        (page_type.t_r_us, page_type.t_prog_us)
    }

    /// Notes whether the work that begins on a LUN runs beside another one's.
    pub(super) fn note_interleaving(&mut self, lun: LunIndex) {
        let now = self.now;
        let works = |other: &crate::die::lun::Lun| {
            other.index != lun && (other.busy_at(now).is_some() || other.array_free() > now)
        };
        self.interleaved = self.luns.iter().any(works);
    }

    /// What every new job of the array ends: cache read, copyback, the status that nobody read.
    pub(super) fn begin_work(&mut self, lun: LunIndex) {
        self.note_interleaving(lun);
        let its = self.lun_mut(lun);
        its.cache_read = CacheRead::Closed;
        its.copyback = 0;
        its.output = None;
    }
}
