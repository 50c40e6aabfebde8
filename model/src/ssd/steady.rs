//! The steady state of a unit of flash under uniform random writes: how many valid pages its blocks
//! have, from the closed forms of its collection policy.
//!
//! Enters: geometry and policy. Leaves: numbers of valid pages, block by block, in the order in
//! which the blocks became full. The state is that of an idle drive: as many blocks are free as
//! collection keeps, and collection has just been, or was some writes ago, which is drawn.
//!
//! With greedy, random and best-of-d collection a block's future follows from its number of valid
//! pages alone, so numbers are drawn from the mean field's occupancy (Bux and Iliadis 2010, Van
//! Houdt 2013), one from each of as many equal shares of it as there are blocks. With FIFO it
//! follows from the age: after w writes of the host a page is still valid with the chance
//! exp(-w / U) (Desnoyers 2012).

use floatgate_firmware::ftl::{FtlConfig, VictimPolicy};
use floatgate_hal::array::ArrayGeometry;
use rand::Rng;
use rand_distr::{Binomial, Distribution};

use crate::closed_forms;
use crate::sim::RandomStream;

/// Whether there are closed forms of a policy's steady state.
pub(crate) fn is_known(victim: VictimPolicy) -> bool {
    form(victim, &Unit { pages_per_block: 2, written: 2.0, user_pages: 2.0 }).is_some()
}

/// A unit as the forms see it.
struct Unit {
    pages_per_block: u32,
    /// Blocks' worth of pages that are written when a block is chosen.
    written: f64,
    /// The host's pages in it.
    user_pages: f64,
}

/// What the blocks of a unit are like.
pub(super) struct SteadyState {
    pages_per_block: u32,
    full_blocks: u32,
    /// Of each frontier the fewest pages that are written.
    open: Vec<u32>,
    form: Form,
}

enum Form {
    /// The shares of blocks with 0, 1, .. valid pages.
    Occupancy(Vec<f64>),
    /// The share of a block's valid pages that is still valid when the next block becomes full.
    Survival(f64),
}

/// The form of a policy, and its write amplification.
fn form(victim: VictimPolicy, unit: &Unit) -> Option<(Form, f64)> {
    let pages = unit.pages_per_block;
    let a = unit.written * f64::from(pages) / unit.user_pages;
    let of_choices = |choices| {
        let occupancy = closed_forms::choices_occupancy(a, pages, choices);
        (Form::Occupancy(occupancy), closed_forms::choices(a, pages, choices))
    };
    match victim {
        VictimPolicy::Greedy => {
            let occupancy = closed_forms::greedy_occupancy(a, pages);
            Some((Form::Occupancy(occupancy), closed_forms::greedy(a, pages)))
        }
        VictimPolicy::Random => Some(of_choices(1)),
        VictimPolicy::Choices { choices } => Some(of_choices(choices)),
        VictimPolicy::Fifo => {
            let wa = closed_forms::fifo(a);
            // A block is full after this many writes of the host.
            let writes = f64::from(pages) / wa;
            Some((Form::Survival(f64::exp(-writes / unit.user_pages)), wa))
        }
        VictimPolicy::WindowedGreedy { .. } | VictimPolicy::CostBenefit => None,
    }
}

impl SteadyState {
    /// The state of each unit, of whose blocks so many are free when nothing is written.
    ///
    /// # Panics
    /// The policy has no closed form; configurations are checked for that.
    pub(super) fn new(geometry: &ArrayGeometry, config: &FtlConfig, usable: u32) -> Self {
        let pages_per_block = geometry.pages_per_block;
        let frontiers = if config.separate_moved { 2 } else { 1 };
        let full_blocks = usable - config.collect_below - frontiers;
        // When a block is chosen one frontier has just been opened and one block fewer is free; the
        // other frontier is half written in the mean.
        let written = f64::from(full_blocks + 1) + 0.5 * f64::from(frontiers - 1);
        let user_pages = f64::from(config.user_pages) / f64::from(geometry.units);
        let unit = Unit { pages_per_block, written, user_pages };
        let (form, wa) = form(config.victim, &unit).expect("a policy with a closed form");
        // In a frontier of both are the pages of the last victim, and then those of the host.
        let moved = (f64::from(pages_per_block) * (1.0 - 1.0 / wa)) as u32;
        let open = if config.separate_moved { vec![1, 1] } else { vec![moved.max(1)] };
        Self { pages_per_block, full_blocks, open, form }
    }

    /// The pages that are written at each frontier.
    pub(super) fn open(&self, random: &mut RandomStream) -> Vec<u32> {
        let written = |&least: &u32| random.random_range(least..=self.pages_per_block);
        self.open.iter().map(written).collect()
    }

    /// Of each full block the valid pages, `pages` in all, in the order in which they became full.
    pub(super) fn full(&self, pages: u32, random: &mut RandomStream) -> Vec<u32> {
        let mut valid = match &self.form {
            Form::Occupancy(shares) => self.stratified(shares, random),
            Form::Survival(share) => self.aged(*share, random),
        };
        self.settle(&mut valid, pages, random);
        valid
    }

    /// One number from each of equal shares of a distribution, the fewest valid pages first.
    fn stratified(&self, shares: &[f64], random: &mut RandomStream) -> Vec<u32> {
        let (mut valid, mut below) = (0, shares[0]);
        let shift = random.random::<f64>();
        let number = |block: u32| {
            let place = (f64::from(block) + shift) / f64::from(self.full_blocks);
            while place > below && valid < self.pages_per_block {
                valid += 1;
                below += shares[valid as usize];
            }
            valid
        };
        (0..self.full_blocks).map(number).collect()
    }

    /// What is left of blocks of so many ages, the oldest first. The last one became full half a
    /// block ago, and its pages were written half a block before that, in the mean.
    fn aged(&self, share: f64, random: &mut RandomStream) -> Vec<u32> {
        let left = |age: u32| {
            let valid = Binomial::new(self.pages_per_block.into(), share.powf(f64::from(age)));
            valid.expect("a share is a probability").sample(random) as u32
        };
        (1..=self.full_blocks).rev().map(left).collect()
    }

    /// Makes them as many as there are, page by page: each valid page is as likely to go as
    /// another, and each block with room to get one.
    fn settle(&self, valid: &mut [u32], pages: u32, random: &mut RandomStream) {
        let mut sum: u32 = valid.iter().sum();
        while sum != pages {
            let block = &mut valid[random.random_range(0..self.full_blocks as usize)];
            if sum > pages && random.random_range(0..self.pages_per_block) < *block {
                *block -= 1;
                sum -= 1;
            } else if sum < pages && *block < self.pages_per_block {
                *block += 1;
                sum += 1;
            }
        }
    }
}
