//! The page path end to end: firmware on the channel controller RTL and the codec RTL, with dies
//! that wear and flip bits at the pins.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use floatgate_cosim::device::{RtlStoreReport, store};
use floatgate_cosim::flash::Idle;
use floatgate_cosim::lockstep::{Entry, Recorder, compare};
use floatgate_hal::units::Picoseconds;
use floatgate_model::channel::{Controller, TransactionBus};
use floatgate_model::config::{NamedCode, SsdConfig};
use floatgate_model::device::{Device, StoreReport, settings};
use floatgate_model::die::{Part, Target};
use floatgate_model::ecc::{EccClocks, EccUnit};
use floatgate_model::sim::Simulation;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::code;

/// A device, smaller than the shipped one so that it mounts soon, and a file for it.
struct Plan {
    config: SsdConfig,
    part: Arc<Part>,
    code: NamedCode,
    file: Vec<u8>,
}

fn plan(name: &str, blocks: u32, file_bytes: usize) -> Plan {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = SsdConfig::load(root.join(format!("configs/ssd/{name}.ron"))).unwrap();
    let part = Part::load(root.join(format!("configs/parts/{}.ron", config.part))).unwrap();
    let mut part = part.as_ref().clone();
    part.layout.blocks_per_lun = blocks;
    part.cells.factory_bad_blocks = 1;
    part.cells.max_bad_blocks = 2;
    let mut file = vec![0; file_bytes];
    ChaCha8Rng::seed_from_u64(config.seed).fill_bytes(&mut file);
    Plan { code: code(&config.code), part: Arc::new(part), config, file }
}

impl Plan {
    fn on_rtl(&self, idle: Idle) -> RtlStoreReport {
        store(&self.config, &self.part, &self.code, &self.file, idle, None).unwrap()
    }

    fn on_model(&self) -> (StoreReport, Vec<Entry>) {
        let config = &self.config;
        let mut simulation = Simulation::new(config.seed);
        let sim = simulation.sim();
        let target = |settings| Target::new(Arc::clone(&self.part), settings);
        let targets = settings(config).into_iter().map(target).collect();
        let clock_period = Picoseconds(config.controller_clock_ps);
        let controller = Controller { clock_period, ..Controller::default() };
        let bus = Recorder::new(TransactionBus::new(&sim, controller, targets), &sim);
        let log = bus.log();
        let clock = Picoseconds(config.codec_clock_ps);
        let code = &self.code.config;
        let ecc = EccUnit::new(&sim, code.clone(), clock, EccClocks::default());
        let device = Rc::new(Device::new(&sim, bus, ecc, config, &self.part, code).unwrap());
        let file = self.file.clone();
        let stored = simulation.block_on("store", async move { device.store(&file).await });
        (stored.unwrap().unwrap(), log.take())
    }
}

#[test]
fn a_file_goes_through_all_the_rtl_and_comes_back() {
    let plan = plan("mlc-nvddr5", 16, 40_000);
    let report = plan.on_rtl(Idle::Skipped).store;
    assert!(report.data == plan.file, "the file comes back as something else");
    let corrected: u32 = report.corrected.iter().map(|bits| bits.0).sum();
    println!("{corrected} bits corrected in {} codewords", report.corrected.len());
    assert!(corrected > 0, "half-worn cells flip bits");
    assert!(report.breaches.is_empty());
}

/// With the clock always running, every completion and the whole report are the same.
#[test]
fn skipped_idle_time_changes_nothing() {
    let plan = plan("slc-sdr4", 4, 9_000);
    let skipped = plan.on_rtl(Idle::Skipped);
    let clocked = plan.on_rtl(Idle::Clocked);
    assert_eq!(skipped.log, clocked.log);
    assert_eq!(skipped.store, clocked.store);
    assert!(3 * skipped.clocks.0 < clocked.clocks.0, "{} {}", skipped.clocks, clocked.clocks);
}

/// The same run on the models: every completion has the same outcome, status and data.
#[test]
fn the_models_answer_as_the_rtl_does() {
    for (name, blocks) in [("mlc-nvddr5", 8), ("slc-sdr4", 8)] {
        let plan = plan(name, blocks, 30_000);
        let rtl = plan.on_rtl(Idle::Skipped);
        let (model, log) = plan.on_model();
        assert_eq!(rtl.store.data, model.data);
        assert_eq!(rtl.store.corrected, model.corrected);
        let clock = Picoseconds(plan.config.controller_clock_ps);
        let pairs = compare(&rtl.log, &log, clock).unwrap();
        assert!(pairs.len() > 30);
        let span = |report: &StoreReport| (report.write.span.0, report.read.span.0);
        println!("{name}: {} operations, {:?} {:?}", pairs.len(), span(&rtl.store), span(&model));
    }
}
