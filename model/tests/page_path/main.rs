//! The page path from end to end: firmware on the transaction-level channel, with dies of the part
//! files and the software codec. What is stored comes back, whatever the cells do within the code's
//! strength, at the same times in every run.

mod channel;
mod faults;
mod store;

use std::path::Path;
use std::sync::Arc;

use floatgate_firmware::page::{METADATA_BYTES, PageCodec, PageLayout};
use floatgate_firmware::policy::{FixedStrength, NoRetry};
use floatgate_firmware::{BadBlocks, Die, DieDescription, FlashStore};
use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::{ByteCount, Picoseconds, Strength};
use floatgate_model::calibration::Calibration;
use floatgate_model::channel::{Controller, TransactionBus};
use floatgate_model::config::CodeConfig;
use floatgate_model::die::{Part, Settings, Severity, Target};
use floatgate_model::ecc::EccUnit;
use floatgate_model::sim::Sim;

const NV_DDR_5: TimingMode = TimingMode { interface: DataInterface::NvDdr, mode: 5 };
const SDR_4: TimingMode = TimingMode { interface: DataInterface::Sdr, mode: 4 };
const T: Strength = Strength(40);
const CODEWORD: ByteCount = ByteCount(1024);
/// A clock of the codec and of the controller.
const CLOCK: Picoseconds = Picoseconds(5000);

type Store<'a> = FlashStore<'a, TransactionBus, EccUnit, FixedStrength, NoRetry>;

fn configs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs")
}

fn part(name: &str) -> Arc<Part> {
    Part::load(configs().join(format!("parts/{name}.ron"))).unwrap()
}

fn calibration() -> Calibration {
    Calibration::load(configs().join("calibration")).unwrap()
}

fn ecc(sim: &Sim) -> EccUnit {
    let code = CodeConfig::load(configs().join("ecc/k1-m14-t40.ron")).unwrap();
    let clocks = calibration().codec(&code).unwrap();
    EccUnit::new(sim, code.config, CLOCK, clocks)
}

/// A channel of the invented MLC part's dies.
fn channel(sim: &Sim, settings: &[Settings]) -> TransactionBus {
    let controller = Controller { clock_period: CLOCK, clocks: calibration().controller };
    channel_with(sim, controller, settings)
}

fn channel_with(sim: &Sim, controller: Controller, settings: &[Settings]) -> TransactionBus {
    let part = part("ix64mlc2lun-a");
    let target = |settings: &Settings| Target::new(Arc::clone(&part), settings.clone());
    TransactionBus::new(sim, controller, settings.iter().map(target).collect())
}

/// The memory that a mounted die is lent.
struct Memory {
    table: Vec<u8>,
    register: Vec<u8>,
}

impl Memory {
    fn new() -> Self {
        Self { table: vec![0; 1 << 16], register: vec![0; 1 << 15] }
    }
}

/// Mounts a die that is up.
fn mount<'a>(
    die: Die<'a, TransactionBus>,
    description: &DieDescription,
    ecc: &'a EccUnit,
    strength: Strength,
    memory: &'a mut Memory,
) -> Store<'a> {
    let geometry = description.page.geometry;
    let layout = PageLayout::new(&geometry, ecc, CODEWORD, T).unwrap();
    let bad_blocks = BadBlocks::new(geometry, &mut memory.table).unwrap();
    let strength = FixedStrength(strength);
    let codec = PageCodec { ecc, layout, strength, scrambled: true };
    FlashStore::new(die, geometry, codec, NoRetry, bad_blocks, &mut memory.register)
}

fn file(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// What the checkers of all dies found that is an error.
fn errors(bus: &TransactionBus) -> Vec<String> {
    let of_die = |die: usize| bus.target_mut(DieIndex(die as u8)).drain_diagnostics();
    let all = (0..bus.dies()).flat_map(of_die);
    all.filter(|d| d.severity == Severity::Error).map(|d| d.to_string()).collect()
}

/// The metadata of a page of a file.
fn metadata(page: u32) -> [u8; METADATA_BYTES] {
    let mut bytes = [0; METADATA_BYTES];
    bytes[..4].copy_from_slice(&page.to_le_bytes());
    bytes
}
