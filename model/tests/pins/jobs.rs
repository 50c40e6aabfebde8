//! The jobs of `sequences.csv`, driven by the ideal host against a die of the invented part in
//! every mode: data come back as they went, and nothing is diagnosed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use floatgate_hal::flash::address::{BlockIndex, DieIndex, Geometry, LunIndex, PageIndex};
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_model::die::{Part, Settings, Target};
use floatgate_model::pins::{Channel, MODE_MAX, PinDriver, PinOptions};

use crate::plain::{nvddr, sdr};

/// Bytes of a page that a job programs and reads.
const LENGTH: usize = 96;
/// Ready and not protected.
const READY: u8 = 0xE0;

/// An ideal host, a die and the mode in which they talk.
pub(crate) struct Bench {
    pub(crate) host: PinDriver<Target>,
    geometry: Geometry,
    mode: TimingMode,
}

type Job = fn(&mut Bench);

/// In the order of the table.
const JOBS: &[(&str, Job)] = &[
    ("power-up reset", power_up),
    ("reset", reset),
    ("read ID", read_id),
    ("read parameter page", read_parameter_page),
    ("get features", get_features),
    ("set features", set_features),
    ("timing mode switch (SDR to SDR)", switch_mode),
    ("interface switch (SDR to NV-DDR)", switch_interface),
    ("page read", page_read),
    ("change read column", change_read_column),
    ("cached read (sequential)", cached_read),
    ("page program", page_program),
    ("cached program", cached_program),
    ("multi-plane program", multi_plane_program),
    ("multi-plane read", multi_plane_read),
    ("block erase", block_erase),
    ("copyback", copyback),
    ("status of LUN 0 while LUN 1 busy", status_of_the_other_lun),
    ("two-die pipeline (program)", two_die_pipeline),
];

/// A part that makes no errors, so that data can be compared.
fn part() -> Arc<Part> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/parts/ix64mlc2lun-a.ron");
    let mut part = Part::load(path).expect("the part loads").as_ref().clone();
    part.cells.errors.model = None;
    part.cells.program_failure_rate = 0.0;
    part.cells.erase_failure_rate = 0.0;
    Arc::new(part)
}

fn bytes(seed: usize) -> Vec<u8> {
    (0..LENGTH).map(|index| (index * 7 + seed * 31) as u8).collect()
}

impl Bench {
    pub(crate) fn new(mode: TimingMode) -> Self {
        let settings = Settings { factory_bad_blocks: Some(0), ..Settings::default() };
        let part = part();
        let options = PinOptions::of(&part, &settings);
        let geometry = part.geometry();
        let target = Target::new(part, settings);
        let host = PinDriver::new(Channel::new([(target, options)]), options);
        Self { host, geometry, mode }
    }

    fn row(&self, lun: u8, block: u32, page: u16) -> [u8; 3] {
        let row = self.geometry.row(LunIndex(lun), BlockIndex(block), PageIndex(page));
        let [low, middle, high, _] = row.0.to_le_bytes();
        [low, middle, high]
    }

    /// A first command with column and row.
    fn open(&mut self, command: u8, column: u16, row: [u8; 3]) {
        let [low, high] = column.to_le_bytes();
        self.host.command(command);
        self.host.address(&[low, high, row[0], row[1], row[2]]);
    }

    fn confirm(&mut self, command: u8) {
        self.host.command(command);
        assert!(self.host.wait_ready(), "R/B# rises after {command:02X}h");
    }

    fn read(&mut self, count: usize) -> Vec<u8> {
        let bytes: Option<Vec<u8>> = self.host.data_out(count).into_iter().collect();
        bytes.unwrap_or_else(|| {
            let found = self.host.channel_mut().drain_diagnostics();
            panic!("{:?}: DQ is not valid where the host samples: {found:#?}", self.mode)
        })
    }

    fn status(&mut self) -> u8 {
        self.host.command(0x70);
        self.read(1)[0]
    }

    fn status_of(&mut self, row: [u8; 3]) -> u8 {
        self.host.command(0x78);
        self.host.address(&row);
        self.read(1)[0]
    }

    fn erase(&mut self, row: [u8; 3]) {
        self.host.command(0x60);
        self.host.address(&row);
        self.confirm(0xD0);
        assert_eq!(self.status_of(row), READY);
    }

    fn program(&mut self, row: [u8; 3], data: &[u8], confirm: u8) {
        self.open(0x80, 0, row);
        self.host.data_in(data);
        self.confirm(confirm);
    }

    fn page(&mut self, row: [u8; 3], column: u16, count: usize) -> Vec<u8> {
        self.open(0x00, column, row);
        self.confirm(0x30);
        self.read(count)
    }

    /// From SDR mode 0 to the mode of this bench.
    fn enter(&mut self) {
        if self.mode == sdr(0) {
            return;
        }
        self.set_timing(self.mode);
        let parameters = self.features();
        assert_eq!(parameters, [self.mode.feature(), 0, 0, 0]);
    }

    fn set_timing(&mut self, mode: TimingMode) {
        self.host.command(0xEF);
        self.host.address(&[0x01]);
        self.host.data_in(&[mode.feature(), 0, 0, 0]);
        if mode.interface == self.host.mode().interface {
            assert!(self.host.wait_ready());
            self.host.set_mode(mode);
            return;
        }
        self.host.deselect();
        assert!(self.host.wait_ready());
        self.host.set_mode(mode);
        self.host.select(DieIndex(0));
    }

    fn features(&mut self) -> Vec<u8> {
        self.host.command(0xEE);
        self.host.address(&[0x01]);
        assert!(self.host.wait_ready());
        self.read(4)
    }

    /// FFh, which ends in SDR mode 0.
    fn reset_only(&mut self) {
        self.host.command(0xFF);
        self.host.deselect();
        assert!(self.host.wait_ready());
        self.host.set_mode(sdr(0));
        self.host.select(DieIndex(0));
    }
}

pub(crate) fn power_up(bench: &mut Bench) {
    assert!(bench.host.wait_ready(), "power is good");
    bench.host.select(DieIndex(0));
    bench.reset_only();
    assert_eq!(bench.status(), READY);
    bench.enter();
}

fn reset(bench: &mut Bench) {
    bench.reset_only();
    assert_eq!(bench.status(), READY);
    bench.enter();
}

fn read_id(bench: &mut Bench) {
    bench.host.command(0x90);
    bench.host.address(&[0x20]);
    assert_eq!(bench.read(4), b"ONFI");
}

fn read_parameter_page(bench: &mut Bench) {
    bench.host.command(0xEC);
    bench.host.address(&[0x00]);
    assert!(bench.host.wait_ready());
    assert_eq!(bench.read(256)[..4], *b"ONFI");
    bench.host.command(0x05);
    bench.host.address(&[0, 2]);
    bench.host.command(0xE0);
    assert_eq!(bench.read(4), b"ONFI");
}

fn get_features(bench: &mut Bench) {
    let expected = [bench.mode.feature(), 0, 0, 0];
    assert_eq!(bench.features(), expected);
}

fn set_features(bench: &mut Bench) {
    bench.host.command(0xEF);
    bench.host.address(&[0x10]);
    bench.host.data_in(&[1, 0, 0, 0]);
    assert!(bench.host.wait_ready());
    bench.host.command(0xEE);
    bench.host.address(&[0x10]);
    assert!(bench.host.wait_ready());
    assert_eq!(bench.read(4), [1, 0, 0, 0]);
}

fn switch_mode(bench: &mut Bench) {
    bench.reset_only();
    for mode in (0..=MODE_MAX).rev() {
        bench.set_timing(sdr(mode));
        assert_eq!(bench.features(), [mode, 0, 0, 0]);
    }
    bench.enter();
}

fn switch_interface(bench: &mut Bench) {
    bench.reset_only();
    if bench.mode.interface == DataInterface::Sdr {
        bench.enter();
        bench.set_timing(nvddr(bench.mode.mode));
        assert_eq!(bench.features(), [nvddr(bench.mode.mode).feature(), 0, 0, 0]);
        bench.reset_only();
    }
    bench.enter();
}

/// The blocks of the jobs, so that each begins with an erased one.
fn page_read(bench: &mut Bench) {
    let row = bench.row(0, 10, 0);
    bench.erase(row);
    assert_eq!(bench.status(), READY);
    bench.program(row, &bytes(1), 0x10);
    assert_eq!(bench.status(), READY);
    bench.open(0x00, 0, row);
    bench.host.command(0x30);
    while bench.status() & 0x40 == 0 {}
    bench.host.command(0x00);
    let count = bench.geometry.register_bytes().0 as usize;
    let page = bench.read(count);
    assert_eq!(page[..LENGTH], bytes(1));
    assert!(page[LENGTH..].iter().all(|&byte| byte == 0xFF));
}

fn change_read_column(bench: &mut Bench) {
    let row = bench.row(0, 10, 0);
    assert_eq!(bench.page(row, 0, 8), bytes(1)[..8]);
    bench.host.command(0x05);
    bench.host.address(&[32, 0]);
    bench.host.command(0xE0);
    assert_eq!(bench.read(16), bytes(1)[32..48]);
}

fn cached_read(bench: &mut Bench) {
    let block = bench.row(0, 12, 0);
    bench.erase(block);
    for page in 0..3 {
        let row = bench.row(0, 12, page);
        bench.program(row, &bytes(page.into()), 0x10);
        assert_eq!(bench.status(), READY);
    }
    bench.open(0x00, 0, block);
    bench.confirm(0x30);
    for (page, command) in [(0, 0x31), (1, 0x31), (2, 0x3F)] {
        bench.confirm(command);
        assert_eq!(bench.read(LENGTH), bytes(page), "page {page}");
    }
}

fn page_program(bench: &mut Bench) {
    let row = bench.row(0, 14, 0);
    bench.erase(row);
    assert_eq!(bench.status(), READY);
    bench.open(0x80, 0, row);
    bench.host.data_in(&bytes(3)[..40]);
    bench.host.command(0x85);
    bench.host.address(&[40, 0]);
    bench.host.data_in(&bytes(3)[40..]);
    bench.confirm(0x10);
    assert_eq!(bench.status(), READY);
    assert_eq!(bench.page(row, 0, LENGTH), bytes(3));
}

fn cached_program(bench: &mut Bench) {
    let block = bench.row(0, 16, 0);
    bench.erase(block);
    for (page, command) in [(0, 0x15), (1, 0x15), (2, 0x10)] {
        let row = bench.row(0, 16, page);
        bench.program(row, &bytes(page.into()), command);
        assert_eq!(bench.status() & 0xC3, 0xC0, "ready, no page failed");
    }
    for page in 0..3 {
        let row = bench.row(0, 16, page);
        assert_eq!(bench.page(row, 0, LENGTH), bytes(page.into()));
    }
}

fn multi_plane_program(bench: &mut Bench) {
    let rows = [bench.row(0, 20, 0), bench.row(0, 21, 0)];
    for row in rows {
        bench.erase(row);
    }
    bench.program(rows[0], &bytes(4), 0x11);
    bench.program(rows[1], &bytes(5), 0x10);
    for row in rows {
        assert_eq!(bench.status_of(row), READY);
    }
}

fn multi_plane_read(bench: &mut Bench) {
    let rows = [bench.row(0, 20, 0), bench.row(0, 21, 0)];
    bench.open(0x00, 0, rows[0]);
    bench.confirm(0x32);
    bench.open(0x00, 0, rows[1]);
    bench.confirm(0x30);
    for (row, seed) in rows.into_iter().zip([4, 5]) {
        bench.open(0x06, 0, row);
        bench.host.command(0xE0);
        assert_eq!(bench.read(LENGTH), bytes(seed));
    }
}

fn block_erase(bench: &mut Bench) {
    let row = bench.row(0, 14, 0);
    bench.erase(row);
    assert_eq!(bench.status(), READY);
    assert_eq!(bench.page(row, 0, LENGTH), vec![0xFF; LENGTH]);
}

fn copyback(bench: &mut Bench) {
    let (from, to) = (bench.row(0, 10, 0), bench.row(0, 22, 0));
    bench.erase(to);
    assert_eq!(bench.status(), READY);
    bench.open(0x00, 0, from);
    bench.confirm(0x35);
    assert_eq!(bench.read(LENGTH), bytes(1));
    bench.open(0x85, 0, to);
    bench.host.data_in(&[0xAA, 0x55]);
    bench.confirm(0x10);
    assert_eq!(bench.status(), READY);
    let copy = bench.page(to, 0, LENGTH);
    assert_eq!(copy[..2], [0xAA, 0x55]);
    assert_eq!(copy[2..], bytes(1)[2..]);
}

fn status_of_the_other_lun(bench: &mut Bench) {
    let (idle, busy) = (bench.row(0, 10, 0), bench.row(1, 10, 0));
    bench.open(0x00, 0, idle);
    bench.confirm(0x30);
    bench.host.command(0x60);
    bench.host.address(&busy);
    bench.host.command(0xD0);
    assert_eq!(bench.status_of(idle), READY);
    bench.host.command(0x00);
    assert_eq!(bench.read(LENGTH), bytes(1));
    assert_eq!(bench.status_of(busy) & 0x40, 0, "still busy");
    assert!(bench.host.wait_ready());
    assert_eq!(bench.status_of(busy), READY);
}

fn two_die_pipeline(bench: &mut Bench) {
    for lun in 0..2 {
        let row = bench.row(lun, 30, 0);
        bench.erase(row);
    }
    for page in 0..3 {
        for lun in 0..2 {
            let row = bench.row(lun, 30, page);
            if page > 0 {
                while bench.status_of(row) & 0x40 == 0 {}
            }
            bench.open(0x80, 0, row);
            bench.host.data_in(&bytes(usize::from(page) + usize::from(lun)));
            bench.host.command(0x10);
        }
    }
    assert!(bench.host.wait_ready());
    for lun in 0..2 {
        let row = bench.row(lun, 30, 2);
        assert_eq!(bench.status_of(row), READY);
        bench.open(0x00, 0, row);
        bench.confirm(0x30);
        assert_eq!(bench.status_of(row), READY);
        bench.host.command(0x00);
        assert_eq!(bench.read(LENGTH), bytes(2 + usize::from(lun)));
    }
}

#[test]
fn the_jobs_are_those_of_the_table() {
    let table = include_str!("../data/onfi/sequences.csv");
    let names = table.lines().skip(1).map(|line| line.split(',').next().unwrap_or_default());
    let expected: BTreeSet<&str> = names.collect();
    let there: BTreeSet<&str> = JOBS.iter().map(|job| job.0).collect();
    assert_eq!(there, expected);
    assert_eq!(JOBS.len(), 19);
}

#[test]
fn all_jobs_run_clean_in_every_mode() {
    for mode in (0..=MODE_MAX).flat_map(|mode| [sdr(mode), nvddr(mode)]) {
        let mut bench = Bench::new(mode);
        for (name, job) in JOBS {
            job(&mut bench);
            bench.host.flush();
            let found = bench.host.channel_mut().drain_diagnostics();
            assert!(found.is_empty(), "{mode:?}: {name}: {found:#?}");
        }
        assert_eq!(bench.host.channel().target(DieIndex(0)).timing_mode(), mode);
    }
}

#[test]
fn a_channel_begins_anew_with_its_dies_after_a_power_cut() {
    let mut bench = Bench::new(nvddr(3));
    power_up(&mut bench);
    page_read(&mut bench);
    let now = bench.host.now();
    let mut dies: Vec<Target> = bench.host.channel().clone().into_behind().collect();
    dies[0].power_cut(now);
    let options = PinOptions::default();
    let channel = Channel::new(dies.into_iter().map(|die| (die, options)));
    bench.host = PinDriver::new(channel, options);
    bench.host.idle(now);
    power_up(&mut bench);
    let row = bench.row(0, 10, 0);
    assert_eq!(bench.page(row, 0, LENGTH), bytes(1));
    bench.host.flush();
    assert_eq!(bench.host.channel_mut().drain_diagnostics(), []);
}
