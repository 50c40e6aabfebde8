//! Data as bytes, which go through the real code: those of buffer memory, and those of pages with
//! what their codec adds.
//!
//! Enters: what the host writes, as stamps; programs and reads of pages, with the raw bit errors
//! that were drawn for the codewords that are read. Leaves: bytes in the slots. The bytes of a
//! sector follow from its stamp and place ([`sector`]), and who has read one compares them.
//!
//! A page is encoded when it is programmed, at the strength of its block's level. Pages of zeros,
//! as all are that are there before a run, are not kept, and encoded when they are read. At a read
//! so many bits of a copy of each codeword are inverted as were drawn, and the copy is decoded.
//!
//! How many are drawn, and what the codec takes, does not depend on whether bytes are kept; the
//! places of the wrong bits come from a random stream of their own. Other runs say that a codeword
//! with more errors than its strength is uncorrectable. Here the decoder says so, or its CRC, with
//! the same outcome, for one such codeword is enough to lose what was read. Only where the decoder
//! takes each of them for another codeword, and no CRC tells, does the read end well, with wrong
//! bytes: that is counted as miscorrection, the run goes on otherwise than with other contents, and
//! who reads such a sector is told that it is wrong. A codeword with fewer errors comes back
//! exactly, or there is a fault in the codec, which ends the run.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use bytemuck::allocation::zeroed_slice_box;
use floatgate_hal::Decoded as Verdict;
use floatgate_hal::array::{Extent, Level, Ppa, Slot, Uncorrectable};
use floatgate_hal::units::Strength;
use rand::seq::index::sample;

use super::errors::ReadErrors;
use crate::ecc::{BchCode, Codec};
use crate::sim::RandomStream;

pub(super) const SECTOR_BYTES: usize = 512;

/// What the words of a sector behind its stamp are XORed with, so that all differ.
const SPREAD: u32 = 0x9E37_79B9;

/// The bytes of a sector of a page with a stamp; zeros of stamp 0, which no write has.
pub(super) fn sector(stamp: u32, place: u8) -> [u8; SECTOR_BYTES] {
    let mut bytes = [0; SECTOR_BYTES];
    if stamp > 0 {
        let first = u32::from(place) * (SECTOR_BYTES as u32 / 4);
        for (word, at) in bytes.as_chunks_mut().0.iter_mut().zip(first..) {
            *word = (stamp ^ at.wrapping_mul(SPREAD)).to_le_bytes();
        }
    }
    bytes
}

/// What became of the codewords that were decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodewordCounts {
    /// All of them.
    pub decoded: u64,
    /// Bits that were wrong in those that were corrected, and in those only.
    pub corrected_bits: u64,
    /// Codewords that the decoder could not correct.
    pub uncorrectable: u64,
    /// Codewords that the decoder took for other ones, which their CRC told.
    pub caught: u64,
    /// Codewords that the decoder took for other ones, which nothing told.
    pub miscorrected: u64,
}

/// The bytes of a drive's buffer memory and pages. Clones share those of pages.
#[derive(Clone)]
pub(super) struct Bytes {
    page_bytes: usize,
    slots: RefCell<Box<[u8]>>,
    /// Pages that hold something else than zeros.
    pages: RefCell<HashMap<Ppa, Rc<Page>>>,
    coder: OnceCell<Rc<Coder>>,
    counts: Cell<CodewordCounts>,
}

/// What is in a page.
struct Page {
    data: Box<[u8]>,
    /// What follows the data of each codeword, one after the other.
    check: Box<[u8]>,
    /// None without a codec.
    strength: Option<Strength>,
}

/// A codec, with its strengths by level.
struct Coder {
    codec: Codec,
    strengths: Vec<Strength>,
}

/// Codewords that are read.
pub(super) struct Received<'a> {
    pub(super) page: Ppa,
    /// In whole.
    pub(super) codewords: Extent,
    /// What of them is asked for.
    pub(super) part: Extent,
    pub(super) into: Slot,
    pub(super) strength: Strength,
    /// Wrong bits of each.
    pub(super) errors: &'a [u64],
}

fn range(part: Extent) -> Range<usize> {
    usize::from(part.first) * SECTOR_BYTES..usize::from(part.end()) * SECTOR_BYTES
}

impl Bytes {
    /// Zeros in so many slots, and in all pages.
    pub(super) fn new(sectors_per_page: u8, slots: u32) -> Self {
        let page_bytes = usize::from(sectors_per_page) * SECTOR_BYTES;
        Self {
            page_bytes,
            slots: RefCell::new(zeroed_slice_box(slots as usize * page_bytes)),
            pages: RefCell::default(),
            coder: OnceCell::new(),
            counts: Cell::default(),
        }
    }

    /// Pages are encoded from now on.
    pub(super) fn encode_with(&self, errors: &ReadErrors) {
        let coder = || {
            let codec = Codec::new(errors.codec.0.clone());
            Rc::new(Coder { codec, strengths: errors.strengths.clone() })
        };
        let coder = self.coder.get_or_init(coder);
        let is_same =
            (coder.codec.config(), &coder.strengths) == (&errors.codec.0, &errors.strengths);
        assert!(is_same, "the cells are encoded with another codec");
    }

    /// What became of the codewords so far; none without a codec.
    pub(super) fn counts(&self) -> Option<CodewordCounts> {
        self.coder.get().map(|_| self.counts.get())
    }

    /// Bytes of a slot from one on.
    fn place(&self, slot: Slot, at: usize) -> usize {
        slot.0 as usize * self.page_bytes + at
    }

    fn in_slot(&self, slot: Slot, part: Extent) -> Range<usize> {
        let Range { start, end } = range(part);
        self.place(slot, start)..self.place(slot, end)
    }

    /// A sector of a slot gets the bytes of a stamp.
    pub(super) fn fill(&self, slot: Slot, place: u8, stamp: u32) {
        let part = Extent { first: place, sectors: 1 };
        self.slots.borrow_mut()[self.in_slot(slot, part)].copy_from_slice(&sector(stamp, place));
    }

    /// How many bytes of a sector of a slot are not those of a stamp.
    pub(super) fn wrong_bytes(&self, slot: Slot, place: u8, stamp: u32) -> usize {
        let slots = self.slots.borrow();
        let held = &slots[self.in_slot(slot, Extent { first: place, sectors: 1 })];
        held.iter().zip(sector(stamp, place)).filter(|(held, wanted)| *held != wanted).count()
    }

    pub(super) fn copy(&self, part: Extent, from: Slot, to: Slot) {
        let to = self.in_slot(to, part).start;
        self.slots.borrow_mut().copy_within(self.in_slot(from, part), to);
    }

    pub(super) fn set_word(&self, slot: Slot, at: u32, word: u32) {
        let at = self.place(slot, 4 * at as usize);
        self.slots.borrow_mut()[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    pub(super) fn word(&self, slot: Slot, at: u32) -> u32 {
        let at = self.place(slot, 4 * at as usize);
        let slots = self.slots.borrow();
        u32::from_le_bytes(slots[at..].first_chunk().copied().expect("a word of the slot"))
    }

    /// A page is programmed with what is in a slot.
    pub(super) fn program(&self, page: Ppa, from: Slot, level: Level) {
        let slots = self.slots.borrow();
        let data = &slots[self.place(from, 0)..][..self.page_bytes];
        let mut pages = self.pages.borrow_mut();
        if data.iter().all(|&byte| byte == 0) {
            pages.remove(&page);
        } else {
            pages.insert(page, Rc::new(self.encoded(data, level)));
        }
    }

    /// Pages are erased.
    pub(super) fn erase(&self, pages: Range<u32>) {
        let held = &mut *self.pages.borrow_mut();
        pages.map(Ppa).for_each(|page| drop(held.remove(&page)));
    }

    /// A part of a page goes into a slot, as it was programmed.
    pub(super) fn read(&self, page: Ppa, part: Extent, into: Slot) {
        let into = &mut self.slots.borrow_mut()[self.in_slot(into, part)];
        match self.pages.borrow().get(&page) {
            Some(page) => into.copy_from_slice(&page.data[range(part)]),
            None => into.fill(0),
        }
    }

    /// Inverts a bit of a page.
    ///
    /// # Panics
    /// If the page holds zeros, or a code would correct it.
    pub(super) fn invert(&self, page: Ppa, bit: u32) {
        assert!(self.coder.get().is_none(), "a code corrects a single bit");
        let mut pages = self.pages.borrow_mut();
        let page = pages.get_mut(&page).expect("a page that holds something");
        let mut data = page.data.clone();
        data[bit as usize / 8] ^= 0x80 >> (bit % 8);
        *page = Rc::new(Page { data, check: Box::default(), strength: None });
    }

    /// Data, and what a codec adds to them.
    fn encoded(&self, data: &[u8], level: Level) -> Page {
        let mut check = Vec::new();
        let coder = self.coder.get();
        if let Some(coder) = coder {
            let code = coder.code(coder.strength(level));
            let bytes = coder.check_bytes(coder.strength(level));
            for codeword in data.chunks(coder.data_bytes()) {
                let begin = check.len();
                check.resize(begin + bytes, 0);
                coder.codec.encode(&code, codeword, &mut check[begin..]);
            }
        }
        let strength = coder.map(|coder| coder.strength(level));
        Page { data: data.into(), check: check.into(), strength }
    }

    /// What is in a page; zeros are encoded now.
    fn page(&self, page: Ppa, level: impl FnOnce() -> Level) -> Rc<Page> {
        let held = self.pages.borrow().get(&page).cloned();
        held.unwrap_or_else(|| Rc::new(self.encoded(&vec![0; self.page_bytes], level())))
    }

    /// Receives codewords of a page with so many wrong bits and decodes them into a slot. What is
    /// not corrected goes there as it came. The most bits that were corrected of one.
    ///
    /// # Errors
    /// The decoder or a CRC says that a codeword is wrong.
    ///
    /// # Panics
    /// The codec does not correct what it has to.
    pub(super) fn decode(
        &self,
        received: &Received<'_>,
        random: &mut RandomStream,
    ) -> Result<u16, Uncorrectable> {
        let Received { strength, codewords, part, into, .. } = *received;
        let coder = self.coder.get().expect("reads have errors, so that there is a codec");
        let level = || coder.level(strength);
        let page = self.page(received.page, level);
        assert_eq!(page.strength, Some(strength), "page {} was encoded", received.page.0);
        let (code, bytes) = (coder.code(strength), coder.data_bytes());
        let first = range(codewords).start / bytes;
        let mut outcome = Ok(0);
        for (at, &errors) in (first..).zip(received.errors) {
            let sent = &page.data[at * bytes..][..bytes];
            let check_bytes = coder.check_bytes(strength);
            let mut came = [sent, &page.check[at * check_bytes..][..check_bytes]].concat();
            for bit in sample(random, code.codeword_bits().0 as usize, errors as usize) {
                came[bit / 8] ^= 0x80 >> (bit % 8);
            }
            let (data, check) = came.split_at_mut(bytes);
            let (verdict, _) = coder.codec.decode(&code, data, check);
            let end = self.judge(strength, errors, verdict, data == sent);
            outcome = outcome.and_then(|worst: u16| end.map(|bits| worst.max(bits)));
            let wanted = at * bytes..(at + 1) * bytes;
            let wanted = wanted.start.max(range(part).start)..wanted.end.min(range(part).end);
            let place = self.place(into, wanted.start);
            let decoded = &data[wanted.start - at * bytes..wanted.end - at * bytes];
            self.slots.borrow_mut()[place..][..decoded.len()].copy_from_slice(decoded);
        }
        outcome
    }

    /// Counts what became of a codeword with so many errors: the bits that were corrected.
    fn judge(
        &self,
        strength: Strength,
        errors: u64,
        verdict: Verdict,
        is_right: bool,
    ) -> Result<u16, Uncorrectable> {
        let is_within = errors <= strength.0.into();
        let is_as_it_must = match verdict {
            Verdict::Corrected(bits) if is_within => u64::from(bits.0) == errors && is_right,
            Verdict::Corrected(_) => !is_right,
            _ => !is_within,
        };
        assert!(
            is_as_it_must,
            "a codec of strength {strength} found {verdict:?} where {errors} bits were wrong"
        );
        let mut counts = self.counts.get();
        counts.decoded += 1;
        let end = match verdict {
            Verdict::Corrected(bits) => {
                counts.corrected_bits += if is_within { errors } else { 0 };
                counts.miscorrected += u64::from(!is_within);
                Ok(bits.0 as u16)
            }
            Verdict::Miscorrected => {
                counts.caught += 1;
                Err(Uncorrectable)
            }
            Verdict::Uncorrectable => {
                counts.uncorrectable += 1;
                Err(Uncorrectable)
            }
        };
        self.counts.set(counts);
        end
    }

    /// A slot's bytes as a page of a level has them on a bus.
    pub(super) fn slot_on_bus(&self, slot: Slot, level: Level, sector_bytes: usize) -> Vec<u8> {
        let data = self.slots.borrow()[self.place(slot, 0)..][..self.page_bytes].to_vec();
        self.on_bus(&self.encoded(&data, level), sector_bytes)
    }

    /// A page's bytes on a bus.
    pub(super) fn page_on_bus(&self, page: Ppa, level: Level, sector_bytes: usize) -> Vec<u8> {
        self.on_bus(&self.page(page, || level), sector_bytes)
    }

    /// So many bytes for each sector: its own, and a piece of what follows the data of its
    /// codeword, as far as there is room.
    fn on_bus(&self, page: &Page, sector_bytes: usize) -> Vec<u8> {
        let room = sector_bytes.saturating_sub(SECTOR_BYTES);
        let codewords = self.coder.get().map_or(1, |coder| self.page_bytes / coder.data_bytes());
        let sectors = self.page_bytes / SECTOR_BYTES / codewords;
        let check_bytes = page.check.len() / codewords;
        let mut bytes = Vec::new();
        for (at, sector) in page.data.chunks(SECTOR_BYTES).enumerate() {
            let check = &page.check[at / sectors * check_bytes..][..check_bytes];
            let piece = check.chunks(room.max(1)).nth(at % sectors).unwrap_or_default();
            let end = bytes.len() + sector_bytes;
            bytes.extend(sector.iter().chain(piece).take(sector_bytes));
            bytes.resize(end, 0);
        }
        bytes
    }
}

impl Coder {
    fn strength(&self, level: Level) -> Strength {
        self.strengths[usize::from(level.0)]
    }

    fn level(&self, strength: Strength) -> Level {
        let level = self.strengths.iter().position(|&its| its == strength);
        Level(level.expect("a strength of the codec") as u8)
    }

    fn data_bytes(&self) -> usize {
        self.codec.config().k_max_bytes as usize
    }

    fn check_bytes(&self, strength: Strength) -> usize {
        self.codec.check_bytes(strength).0 as usize
    }

    fn code(&self, strength: Strength) -> BchCode {
        self.codec.code(strength, self.data_bytes()).expect("a strength of the codec")
    }
}
