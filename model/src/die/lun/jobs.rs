//! Jobs of the array: they begin, end, or are cut short by reset and power loss.

use floatgate_hal::flash::address::{LunIndex, PageIndex};
use floatgate_hal::units::Picoseconds;

use super::{Held, Lun};
use crate::die::array::{EraseRecord, PageAddress, ProgramRecord, Progress};

/// What a job does.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Pages into registers, after the page registers of some planes have moved to their cache
    /// registers.
    Load {
        /// What is read.
        pages: Vec<(u8, PageAddress)>,
        /// Whether it goes on to the cache registers at once.
        into_cache: bool,
        /// Planes whose page register moves up first.
        moves_up: Vec<u8>,
    },
    /// Registers into pages.
    Program {
        /// What is programmed, with the plane.
        pages: Vec<(u8, ProgramRecord)>,
        /// Whether it follows another page of a cache program.
        continues: bool,
    },
    /// Blocks.
    Erase {
        /// What is erased, with the plane.
        blocks: Vec<(u8, EraseRecord)>,
    },
}

/// A job and its time.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) work: Work,
    pub(crate) start: Picoseconds,
    pub(crate) end: Picoseconds,
    pub(crate) begun: bool,
}

/// What a reset or a power loss did to a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CutShort {
    pub(crate) lun: LunIndex,
    pub(crate) at: PageAddress,
    /// Pages on the same cells that it spoilt.
    pub(crate) spoilt: Vec<PageIndex>,
}

impl Lun {
    /// Brings the jobs to `now`, and says how many bits were read wrong. `days` gives the target's
    /// age at a time.
    pub(crate) fn advance(&mut self, now: Picoseconds, days: impl Fn(Picoseconds) -> f64) -> u64 {
        let mut wrong_bits = 0;
        while let Some(mut job) = self.jobs.pop_front() {
            if !job.begun && job.start <= now {
                job.begun = true;
                self.begin(&job.work);
            }
            if job.end > now {
                self.jobs.push_front(job);
                break;
            }
            wrong_bits += self.finish(job.work, days(job.end));
        }
        if self.busy.is_some_and(|busy| busy.rises <= now) {
            self.busy = None;
        }
        wrong_bits
    }

    fn begin(&mut self, work: &Work) {
        match work {
            Work::Load { moves_up, .. } => {
                for &plane in moves_up {
                    let registers = &mut self.planes[usize::from(plane)];
                    registers.cache = registers.page.clone();
                    registers.held = Held::Data;
                }
            }
            Work::Program { continues: true, .. } => {
                self.results.before = self.results.last;
                self.results.last = 0;
            }
            Work::Program { .. } | Work::Erase { .. } => self.results = Default::default(),
        }
    }

    fn finish(&mut self, work: Work, days: f64) -> u64 {
        match work {
            Work::Load { pages, into_cache, .. } => {
                pages.iter().map(|&(plane, at)| self.load(plane, at, into_cache, days)).sum()
            }
            Work::Program { pages, .. } => {
                let failed = pages.iter().filter(|(_, record)| !record.passed);
                self.results.last = failed.fold(0, |set, (plane, _)| set | 1 << plane);
                0
            }
            Work::Erase { blocks } => {
                let failed = blocks.iter().filter(|(_, record)| !record.passed);
                self.results.last = failed.fold(0, |set, (plane, _)| set | 1 << plane);
                0
            }
        }
    }

    fn load(&mut self, plane: u8, at: PageAddress, into_cache: bool, days: f64) -> u64 {
        let (data, wrong_bits) = self.array.read(at, days);
        let registers = &mut self.planes[usize::from(plane)];
        if into_cache {
            registers.cache = data.clone();
            registers.held = Held::Data;
        }
        registers.page = data;
        wrong_bits.into()
    }

    /// Cuts all jobs short at `now`, and says what that did to pages.
    pub(crate) fn cut_jobs(&mut self, now: Picoseconds) -> Vec<CutShort> {
        let mut cuts = Vec::new();
        // The last one first, so that each finds what it left.
        while let Some(job) = self.jobs.pop_back() {
            let (done, whole) = (now.0.saturating_sub(job.start.0), job.end.0 - job.start.0);
            let progress = Progress(done as f64 / whole.max(1) as f64);
            match job.work {
                Work::Load { .. } => {}
                Work::Program { pages, .. } => {
                    for (_, record) in pages.into_iter().rev() {
                        let at = record.address;
                        if job.start > now {
                            self.array.undo_program(record);
                        } else {
                            let spoilt = self.array.cut_program(&record, progress);
                            cuts.push(CutShort { lun: self.index, at, spoilt });
                        }
                    }
                }
                Work::Erase { blocks } => {
                    for (_, record) in &blocks {
                        self.array.cut_erase(record, progress);
                    }
                }
            }
        }
        cuts
    }
}
