//! Operations at random on several dies, with the dies' checker on: what was programmed comes back,
//! every operation ends once, no rule of the bus is broken, and resets may come at any time.
//!
//! `FLOATGATE_SOAK_SCALE=50 cargo test --release --test cosim flash::soak` runs so much longer.

use std::collections::BTreeMap;

use floatgate_cosim::flash::{Finished, Idle, Ticket};
use floatgate_hal::flash::address::{ColumnAddress, RowAddress};
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::{BusOp, Outcome};
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::die::Severity;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, MS, Plan, US, op};

const BLOCKS: u32 = 3;
const PAGES: u16 = 6;
const BATCHES: u32 = 10;
/// Bursts are short, so that there are many of them.
const BURST_BYTES: usize = 400;

/// A block as the host knows it: its pages in order, or none where it has to be erased first.
#[derive(Clone, Debug, Default)]
struct Block {
    pages: Option<Vec<Vec<u8>>>,
}

#[derive(Clone, Debug)]
struct Die {
    blocks: Vec<Block>,
    mode: TimingMode,
}

/// What has to come of an operation.
enum Wanted {
    Data(Vec<u8>),
    /// It changes a block.
    Block(usize),
    Nothing,
}

struct Soak {
    bench: Bench,
    dies: Vec<Die>,
    random: ChaCha8Rng,
    wanted: BTreeMap<Ticket, (usize, Wanted)>,
    seed: u64,
    /// Operations that were done, and that a reset ended.
    done: u32,
    cut: u32,
}

impl Soak {
    fn new(dies: usize, idle: Idle, seed: u64) -> Self {
        let bench = Bench::ready(&Plan { dies, idle, ..Plan::default() });
        let die =
            Die { blocks: vec![Block::default(); BLOCKS as usize], mode: TimingMode::POWER_UP };
        let random = ChaCha8Rng::seed_from_u64(seed);
        let wanted = BTreeMap::new();
        Self { bench, dies: vec![die; dies], random, wanted, seed, done: 0, cut: 0 }
    }

    /// An even number below `end`: NV-DDR carries pairs.
    fn even(&mut self, end: usize) -> usize {
        self.random.random_range(0..end / 2) * 2
    }

    /// Asks for one operation, or two that belong together.
    fn ask(&mut self) {
        let die = self.random.random_range(0..self.dies.len());
        let block = self.random.random_range(0..BLOCKS as usize);
        match (self.dies[die].blocks[block].pages.clone(), self.random.random_range(0..10)) {
            (Some(pages), 0..4) if pages.len() < usize::from(PAGES) => {
                self.program(die, block, pages.len() as u16);
            }
            (Some(pages), 4..8) if !pages.is_empty() => self.read(die, block, &pages),
            (_, 8..10) => self.look(die),
            _ => {
                let erase = self.bench.page_op(OpKind::EraseBlock, die, block as u32, 0);
                self.submit(die, &erase, Vec::new(), Wanted::Block(block));
                self.dies[die].blocks[block].pages = Some(Vec::new());
            }
        }
    }

    fn submit(&mut self, die: usize, op: &BusOp, data: Vec<u8>, wanted: Wanted) {
        let ticket = self.bench.rtl.submit(op, data);
        self.wanted.insert(ticket, (die, wanted));
    }

    fn program(&mut self, die: usize, block: usize, page: u16) {
        let whole = self.bench.part.register_bytes();
        let mut data = vec![0; self.even(BURST_BYTES) + 2];
        self.random.fill_bytes(&mut data);
        let mut program = self.bench.page_op(OpKind::ProgramPage, die, block as u32, page);
        program.length = ByteCount(data.len() as u32);
        self.submit(die, &program, data.clone(), Wanted::Block(block));
        data.resize(whole, 0xFF);
        self.dies[die].blocks[block].pages.as_mut().expect("it is erased").push(data);
    }

    /// A part of a page, at once or from the register.
    fn read(&mut self, die: usize, block: usize, pages: &[Vec<u8>]) {
        let page = self.random.random_range(0..pages.len());
        // What was programmed, and a little of what was not.
        let column = self.even(2 * BURST_BYTES);
        let length = self.even(BURST_BYTES) + 2;
        let wanted = Wanted::Data(pages[page][column..column + length].to_vec());
        let at = |op: BusOp| BusOp {
            column: ColumnAddress(column as u16),
            length: ByteCount(length as u32),
            ..op
        };
        if self.random.random() {
            let read = self.bench.page_op(OpKind::ReadPage, die, block as u32, page as u16);
            self.submit(die, &at(read), Vec::new(), wanted);
        } else {
            let kind = OpKind::ReadPageToRegister;
            let load = self.bench.page_op(kind, die, block as u32, page as u16);
            let load = BusOp { length: ByteCount(0), ..load };
            self.submit(die, &load, Vec::new(), Wanted::Nothing);
            self.submit(die, &at(op(OpKind::ChangeReadColumn, die)), Vec::new(), wanted);
        }
    }

    /// What changes nothing.
    fn look(&mut self, die: usize) {
        let some = |kind, length| BusOp { length: ByteCount(length), ..op(kind, die) };
        let id = self.bench.part.identity.id_bytes[..4].to_vec();
        let mode = [self.dies[die].mode.feature(), 0, 0, 0].to_vec();
        let (op, wanted) = match self.random.random_range(0..4) {
            0 => (some(OpKind::ReadId, 4), Wanted::Data(id)),
            1 => (some(OpKind::ReadStatus, 1), Wanted::Data(vec![0xE0])),
            2 => (some(OpKind::ReadParameterPage, 4), Wanted::Data(b"ONFI".to_vec())),
            _ => {
                let get = BusOp { row: RowAddress(1), ..some(OpKind::GetFeatures, 4) };
                (get, Wanted::Data(mode))
            }
        };
        self.submit(die, &op, Vec::new(), wanted);
    }

    /// A batch of operations, in some a reset, and its end.
    fn batch(&mut self) {
        for _ in 0..self.random.random_range(1..24) {
            self.ask();
        }
        let reset = self.random.random_bool(0.5).then(|| {
            let span_us = self.random.random_range(0..1_500);
            let until = self.bench.rtl.now().0 + span_us * US;
            self.bench.rtl.run_to(Picoseconds(until)).unwrap();
            let die = self.random.random_range(0..self.dies.len());
            let reset = op(OpKind::Reset, die);
            self.submit(die, &reset, Vec::new(), Wanted::Nothing);
            die
        });
        let limit = Picoseconds(self.bench.rtl.now().0 + 2_000 * MS);
        let seed = self.seed;
        assert!(self.bench.rtl.run_until(limit).unwrap(), "seed {seed}: operations do not end");
        for told in self.bench.diagnostics() {
            let what = &told.diagnostic;
            assert!(what.severity != Severity::Error, "seed {seed}: die {:?}: {what}", told.target);
        }
        for finished in self.bench.rtl.take_finished() {
            self.check(&finished, reset);
        }
        assert!(self.wanted.is_empty(), "seed {seed}: operations that never ended");
        if let Some(die) = reset {
            self.dies[die].mode = TimingMode::POWER_UP;
            self.bench.follow(die, TimingMode::POWER_UP);
        }
    }

    fn check(&mut self, finished: &Finished, reset: Option<usize>) {
        let seed = self.seed;
        let (die, wanted) = self.wanted.remove(&finished.ticket).expect("it ends once");
        match finished.completion.outcome {
            Outcome::Done => {
                self.done += 1;
                if let Wanted::Data(data) = wanted {
                    assert!(finished.data == data, "seed {seed}: {:?}", finished.ticket);
                }
            }
            Outcome::TimedOut if reset == Some(die) => {
                self.cut += 1;
                if let Wanted::Block(block) = wanted {
                    self.dies[die].blocks[block].pages = None;
                }
            }
            outcome => panic!("seed {seed}: {:?} ends as {outcome:?}", finished.ticket),
        }
    }

    /// Takes a die that has nothing to do to another mode.
    fn change_mode(&mut self) {
        let die = self.random.random_range(0..self.dies.len());
        let (interface, mode) = match self.random.random_range(0..9) {
            mode @ 0..6 => (DataInterface::Sdr, mode),
            6 => (DataInterface::NvDdr, 0),
            7 => (DataInterface::NvDdr, 2),
            _ => (DataInterface::NvDdr, 5),
        };
        // Three banks of timings besides mode 0's: dies share them.
        let mode = TimingMode { interface, mode };
        let others = self.dies.iter().enumerate().filter(|(other, _)| *other != die);
        let held: std::collections::BTreeSet<u8> =
            others.map(|(_, other)| other.mode.feature()).collect();
        if held.len() < 3 || held.contains(&mode.feature()) {
            self.bench.set_mode(die, interface, mode.mode);
            self.dies[die].mode = mode;
        }
    }

    fn run(&mut self, batches: u32) {
        for _ in 0..batches {
            self.batch();
            if self.random.random_bool(0.3) {
                self.change_mode();
            }
        }
        println!("seed {}: {} operations done, {} cut", self.seed, self.done, self.cut);
        assert!(self.done > 4 * batches, "{} done", self.done);
    }
}

#[test]
fn random_operations_do_what_they_ask_for() {
    let scale = std::env::var("FLOATGATE_SOAK_SCALE").ok();
    let scale: u32 = scale.map_or(1, |text| text.parse().expect("a number"));
    let mut cut = 0;
    for (dies, seed) in [(2, 1), (4, 2), (8, 3)] {
        let mut soak = Soak::new(dies, Idle::Skipped, seed);
        soak.run(BATCHES * scale);
        cut += soak.cut;
    }
    assert!(cut > 0, "no reset has ended anything");
}
