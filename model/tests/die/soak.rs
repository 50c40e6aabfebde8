//! Cycles at random, legal and not: a target tells of them and goes on.

use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex};
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Cycle, Fault, Rule, Settings, Target};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::parts::part;

const OPCODES: &[u8] = &[
    0x00, 0x05, 0x06, 0x10, 0x11, 0x15, 0x30, 0x31, 0x32, 0x35, 0x3F, 0x60, 0x70, 0x78, 0x80, 0x85,
    0x90, 0xD0, 0xD1, 0xE0, 0xEC, 0xED, 0xEE, 0xEF, 0xFA, 0xFC,
];

struct Soak {
    target: Target,
    random: ChaCha8Rng,
    at_ps: u64,
}

impl Soak {
    fn new(name: &str, seed: u64) -> Self {
        let (lun, block) = (LunIndex(0), BlockIndex(1));
        let faults = vec![
            Fault::FailsProgram { lun, block, page: PageIndex(2) },
            Fault::StaysBusy { lun, at: Picoseconds(500_000_000_000) },
        ];
        let settings = Settings { seed, faults, initial_cycles: 2000, ..Settings::default() };
        let random = ChaCha8Rng::seed_from_u64(seed);
        let mut soak = Self { target: Target::new(part(name), settings), random, at_ps: 0 };
        soak.at_ps = 200_000_000;
        soak.cycle(Cycle::Command(0xFF));
        soak.at_ps += 2_000_000_000;
        soak
    }

    fn at(&self) -> Picoseconds {
        Picoseconds(self.at_ps)
    }

    fn cycle(&mut self, cycle: Cycle) {
        self.at_ps += 50_000;
        self.target.cycle(self.at(), cycle);
    }

    /// A sequence that means something, now and then cut short or spoilt.
    fn sequence(&mut self) {
        let layout = self.target.part().layout.clone();
        let first = match self.random.random_range(0..10) {
            0 => self.random.random(),
            _ => OPCODES[self.random.random_range(0..OPCODES.len())],
        };
        self.cycle(Cycle::Command(first));
        let lun = LunIndex(self.random.random_range(0..layout.luns));
        let block = BlockIndex(self.random.random_range(0..4));
        let page = PageIndex(self.random.random_range(0..4));
        let row = self.target.part().geometry().row(lun, block, page).0.to_le_bytes();
        let column: u16 = self.random.random_range(0..64);
        let mut address = column.to_le_bytes().to_vec();
        address.extend_from_slice(&row[..3]);
        match first {
            0x60 | 0x78 | 0xFA => drop(address.drain(..2)),
            0x05 => address.truncate(2),
            0x85 if self.random.random() => address.truncate(2),
            0x90 | 0xEC | 0xED | 0xEE | 0xEF => address.truncate(1),
            0x00 | 0x06 | 0x80 | 0x85 => {}
            _ => address.clear(),
        }
        if self.random.random_range(0..20) == 0 {
            address.push(self.random.random());
        }
        for byte in address {
            let noise = self.random.random_range(0..50) == 0;
            let byte = if noise { self.random.random() } else { byte };
            self.cycle(Cycle::Address(byte));
        }
        if matches!(first, 0x80 | 0x85 | 0xEF) || self.random.random_range(0..20) == 0 {
            let length = if first == 0xEF { 4 } else { self.random.random_range(0..3000) };
            let data: Vec<u8> = (0..length).map(|_| self.random.random()).collect();
            self.at_ps += 50_000;
            self.target.data_in(self.at(), &data);
        }
    }

    /// What the host does after a sequence.
    fn go_on(&mut self) {
        match self.random.random_range(0..12) {
            0..5 => self.check_ready(),
            5..8 => {
                self.at_ps += self.random.random_range(0..3_000_000);
                let mut into = vec![0; self.random.random_range(0..5000)];
                self.target.data_out(self.at(), &mut into);
            }
            8 => self.at_ps += self.random.random_range(0..5_000_000_000),
            9 => self.target = self.target.fork(),
            10 if self.random.random_range(0..20) == 0 => {
                self.target.power_cut(self.at());
                self.at_ps += 100_000_000;
                self.cycle(Cycle::Command(0xFF));
            }
            11 if self.random.random_range(0..10) == 0 => self.cycle(Cycle::Command(0xFF)),
            _ => {}
        }
    }

    /// R/B# changes when it says that it does, and not before.
    fn check_ready(&mut self) {
        let ready = self.target.is_ready(self.at());
        let Some(change) = self.target.next_change(self.at()) else { return };
        assert!(change > self.at());
        assert_eq!(self.target.is_ready(Picoseconds(change.0 - 1)), ready);
        assert_eq!(self.target.is_ready(change), !ready);
        self.at_ps = change.0;
    }
}

/// All diagnostics of a run, and the statistics at its end.
fn run(name: &str, seed: u64, sequences: u32) -> (Vec<Rule>, String) {
    let mut soak = Soak::new(name, seed);
    let mut rules = Vec::new();
    for _ in 0..sequences {
        soak.sequence();
        soak.go_on();
        for told in soak.target.drain_diagnostics() {
            assert!(told.at <= soak.at(), "{told}");
            rules.push(told.rule);
        }
    }
    (rules, format!("{:?}", soak.target.statistics()))
}

#[test]
fn random_cycles_are_survived_and_come_again() {
    for name in ["ix64mlc2lun-a", "mt29f64g08akaba", "mt29f2g08abbea"] {
        let first = run(name, 11, 3_000);
        assert!(first.0.len() > 500, "{name}: {} breaches", first.0.len());
        let kinds: std::collections::BTreeSet<_> = first.0.iter().collect();
        assert!(kinds.len() > 20, "{name}: {kinds:?}");
        assert_eq!(first, run(name, 11, 3_000), "{name}: the same seed, the same run");
    }
}
