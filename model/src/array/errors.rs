//! Raw bit errors of pages that are read: how many of each codeword, and how long the codec takes.
//!
//! The rate follows from what a block has been through ([`ErrorModel`]), and the errors of a
//! codeword are drawn from it anew at each read, binomially. Where bytes are kept, they really have
//! so many (`bytes.rs`).

use std::cell::{Cell, RefCell};

use bytemuck::allocation::zeroed_slice_box;
use floatgate_hal::array::{BlockId, Extent, Level, Uncorrectable};
use floatgate_hal::units::{ByteCount, Picoseconds, Strength};
use rand_distr::{Binomial, Distribution};

use super::bytes::{Bytes, Received};
use crate::config::CodeConfig;
use crate::die::part::ErrorModel;
use crate::die::rber::Stress;
use crate::ecc::EccClocks;
use crate::sim::{RandomStream, Sim};

const PS_PER_DAY: f64 = 86_400e12;

/// What reads of the cells suffer from, and what corrects it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadErrors {
    /// The chip.
    pub model: ErrorModel,
    /// Factors of its rate for each page type.
    pub page_factors: Vec<f64>,
    /// Program/erase cycles of all blocks before the run.
    pub initial_cycles: u32,
    /// Days for which data were there that are there when the run begins.
    pub retention_days: f64,
    /// The codec, and what it takes beyond its words.
    pub codec: (CodeConfig, EccClocks),
    /// Bits that it corrects in each codeword, by level.
    pub strengths: Vec<Strength>,
    /// Period of its clock.
    pub codec_clock: Picoseconds,
}

impl ReadErrors {
    /// Sectors of a codeword.
    pub fn codeword_sectors(&self) -> u8 {
        (self.codec.0.k_max_bytes / 512) as u8
    }

    /// The codewords that a part of a page is in, in whole.
    pub(super) fn codewords(&self, part: Extent) -> Extent {
        let sectors = self.codeword_sectors();
        let first = part.first / sectors * sectors;
        Extent { first, sectors: part.end().next_multiple_of(sectors) - first }
    }

    /// Bits that are corrected in each codeword of a level.
    pub(super) fn strength(&self, level: Level) -> Strength {
        self.strengths[usize::from(level.0)]
    }

    /// Bits of a codeword, its parity among them.
    fn codeword_bits(&self, strength: Strength) -> u64 {
        let code = &self.codec.0;
        let message = code.message(ByteCount(code.k_max_bytes));
        u64::from(message.0 + code.parity(strength).0)
    }

    /// From the last word of a page until it is corrected. The codewords before it are by then.
    pub fn decode_time(&self, strength: Strength, has_errors: bool) -> Picoseconds {
        let (code, clocks) = &self.codec;
        let data = ByteCount(code.k_max_bytes);
        let solve = clocks.solve(code, strength, has_errors);
        let search = code.search(data, code.message(data));
        Picoseconds((solve.0 + search.0) * self.codec_clock.0)
    }
}

/// What has become of blocks.
#[derive(Clone)]
pub(super) struct History {
    /// When the block was programmed first since its erasure.
    programmed_ps: Box<[Cell<u64>]>,
    /// Pages read since then.
    reads: Box<[Cell<u32>]>,
}

impl History {
    pub(super) fn new(blocks: usize) -> Self {
        Self { programmed_ps: zeroed_slice_box(blocks), reads: zeroed_slice_box(blocks) }
    }

    pub(super) fn program(&self, block: BlockId, now: Picoseconds) {
        self.programmed_ps[block.0 as usize].set(now.0);
        self.reads[block.0 as usize].set(0);
    }

    /// Time since the block was programmed, none if that was before the run; and reads since then.
    fn read(&self, block: BlockId, now: Picoseconds) -> (Option<Picoseconds>, u32) {
        let programmed_ps = self.programmed_ps[block.0 as usize].get();
        let reads = &self.reads[block.0 as usize];
        reads.set(reads.get().saturating_add(1));
        let age = Picoseconds(now.0.saturating_sub(programmed_ps));
        ((programmed_ps > 0).then_some(age), reads.get() - 1)
    }
}

/// Errors, and the streams that they are drawn from.
pub(super) struct ErrorSource {
    pub(super) errors: ReadErrors,
    /// Their numbers.
    random: RefCell<RandomStream>,
    /// Their places, where bytes are kept: numbers do not depend on that.
    places: RefCell<RandomStream>,
}

/// A page that is read.
pub(super) struct Read {
    pub(super) block: BlockId,
    pub(super) page_type: usize,
    pub(super) cycles: u32,
    pub(super) pages_per_block: u32,
    pub(super) now: Picoseconds,
    pub(super) strength: Strength,
}

impl ErrorSource {
    pub(super) fn new(errors: ReadErrors, sim: &Sim) -> Self {
        let stream = |name| RefCell::new(sim.random(name));
        Self {
            errors,
            random: stream("raw bit errors"),
            places: stream("places of raw bit errors"),
        }
    }

    /// The most errors of so many codewords of a page, and those of each for who asks for them.
    pub(super) fn worst(
        &self,
        history: &History,
        read: &Read,
        codewords: u32,
        mut each: Option<&mut Vec<u64>>,
    ) -> u16 {
        let (age, reads) = history.read(read.block, read.now);
        let days = |span: Picoseconds| span.0 as f64 / PS_PER_DAY;
        let stress = Stress {
            pe_cycles: f64::from(self.errors.initial_cycles + read.cycles),
            retention_days: age.map_or_else(|| self.errors.retention_days + days(read.now), days),
            reads: f64::from(reads) / f64::from(read.pages_per_block),
        };
        let factor = self.errors.page_factors[read.page_type];
        let rate = self.errors.model.of_page_type(read.page_type).rber(stress) * factor;
        let bits = self.errors.codeword_bits(read.strength);
        let errors = Binomial::new(bits, rate.min(0.5)).expect("a rate is a probability");
        let random = &mut *self.random.borrow_mut();
        let drawn = (0..codewords).map(|_| errors.sample(random));
        let drawn = drawn.inspect(|&errors| each.iter_mut().for_each(|each| each.push(errors)));
        drawn.max().unwrap_or_default().min(u64::from(u16::MAX)) as u16
    }

    /// Decodes codewords into a slot. The most bits that were corrected of one.
    pub(super) fn decode(
        &self,
        bytes: &Bytes,
        received: &Received<'_>,
    ) -> Result<u16, Uncorrectable> {
        bytes.decode(received, &mut self.places.borrow_mut())
    }
}
