//! Devices of the configuration files: a file is stored and read back, or one line says why not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use floatgate_hal::units::{Picoseconds, Strength};
use floatgate_model::calibration::Calibration;
use floatgate_model::config::{BusInterface, CodeConfig, SsdConfig};
use floatgate_model::device::{
    Job, StoreError, StoreReport, modes, page_latency, store, strengths,
};
use floatgate_model::die::Part;

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs")
}

fn config(name: &str) -> SsdConfig {
    SsdConfig::load(configs().join(format!("ssd/{name}.ron"))).unwrap()
}

fn run(config: &SsdConfig, file: &[u8]) -> Result<StoreReport, StoreError> {
    let part = Part::load(configs().join(format!("parts/{}.ron", config.part))).unwrap();
    let code = CodeConfig::load(configs().join(format!("ecc/{}.ron", config.code))).unwrap();
    let job =
        Job { config: config.clone(), part, code, file: file.to_vec(), interrupt: Arc::default() };
    store(&job, &Calibration::load(configs().join("calibration")).unwrap())
}

fn file(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn line(config: &SsdConfig, bytes: usize) -> String {
    run(config, &file(bytes)).unwrap_err().to_string()
}

#[test]
fn every_configuration_stores_a_file() {
    let dir = configs().join("ssd");
    let names = dir.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut count = 0;
    for path in names {
        let config = SsdConfig::load(&path).unwrap();
        let report = run(&config, &file(300_001)).unwrap();
        assert!(report.data == file(300_001), "{}", path.display());
        assert!(report.breaches.is_empty(), "{}: {:?}", path.display(), report.breaches);
        assert!(report.corrected.iter().any(|bits| bits.0 > 0), "{}", path.display());
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn a_run_repeats_itself() {
    let config = config("mlc-nvddr5");
    let (first, again) =
        (run(&config, &file(70_000)).unwrap(), run(&config, &file(70_000)).unwrap());
    assert!(first == again);
    let other = run(&SsdConfig { seed: 2, ..config }, &file(70_000)).unwrap();
    assert_ne!(first.corrected, other.corrected);
}

/// With one die nothing overlaps: the steps add up to the whole, beside clocks that the controller
/// takes to accept and to complete an operation.
#[test]
fn the_steps_of_one_die_add_up() {
    let config = SsdConfig { dies: 1, ..config("mlc-nvddr5") };
    let report = run(&config, &file(20 * 8192)).unwrap();
    for budget in [report.write, report.read] {
        assert_eq!(budget.pages, 20);
        let channel = budget.channel;
        let steps = budget.firmware.0 + budget.ecc.0 + channel.bus_held.0 + channel.array.0;
        let rest = budget.span.0 - steps - channel.waiting.0;
        let per_operation = rest / channel.operations;
        assert!((1..=40_000).contains(&per_operation), "{per_operation} ps an operation");
    }
    let two = run(&SsdConfig { dies: 2, ..config }, &file(20 * 8192)).unwrap();
    assert!(two.write.span < report.write.span, "two dies are faster than one");
}

/// An error in each of a page's nine codewords costs the key equation, and saves the clocks in
/// which a clean codeword is told: in every mode the same. The metadata's codeword is decoded
/// first; the eight of the data follow each other through the stages, so that theirs is hidden
/// behind the words of the next one, but for the last.
#[test]
fn an_error_costs_the_key_equation_in_every_mode() {
    let config = config("mlc-nvddr5");
    let part = Part::load(configs().join(format!("parts/{}.ron", config.part))).unwrap();
    let code = CodeConfig::load(configs().join(format!("ecc/{}.ron", config.code))).unwrap();
    let calibration = Calibration::load(configs().join("calibration")).unwrap();
    let clocks = calibration.codec(&code).unwrap();
    let job = Job { config, part, code, file: Vec::new(), interrupt: Arc::default() };
    let modes = modes(&job);
    assert_eq!(modes.len(), 12, "SDR and NV-DDR, 0 to 5");
    let strengths = strengths(&job, &calibration).unwrap();
    assert_eq!((strengths.len(), strengths[39]), (40, Strength(40)));
    for t in [Strength(1), Strength(40)] {
        let beyond = job.code.config.key_equation(t).0 + clocks.correct.0 - clocks.decode.0;
        let mut slower = Picoseconds(u64::MAX);
        for &(mode, clock) in &modes {
            let latency = page_latency(&job, &calibration, (mode, clock), t).unwrap();
            let more = latency.corrected.0 - latency.clean.0;
            assert_eq!(more, 2 * beyond * job.config.codec_clock_ps, "{mode:?} t = {t}");
            if mode.mode == 0 {
                slower = Picoseconds(u64::MAX);
            }
            assert!(latency.clean <= slower, "{mode:?} is slower than the mode before");
            slower = latency.clean;
        }
    }
}

/// The flag is looked at before every operation.
#[test]
fn an_interrupted_run_says_so() {
    let config = config("mlc-nvddr5");
    let part = Part::load(configs().join(format!("parts/{}.ron", config.part))).unwrap();
    let code = CodeConfig::load(configs().join(format!("ecc/{}.ron", config.code))).unwrap();
    let calibration = Calibration::load(configs().join("calibration")).unwrap();
    let job = Job { config, part, code, file: file(9000), interrupt: Arc::default() };
    job.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(store(&job, &calibration), Err(StoreError::Interrupted)));
}

#[test]
fn what_cannot_be_is_said_in_one_line() {
    let base = config("mlc-nvddr5");
    assert_eq!(line(&base, 0), "there is nothing to store");
    let strong = SsdConfig { strength: 41, ..base.clone() };
    assert_eq!(line(&strong, 1), "strength 41: the code has 1 to 40");
    let spare = SsdConfig { part: "mt29f64g08akaba".to_owned(), strength: 40, ..base.clone() };
    assert_eq!(
        line(&spare, 1),
        "spare area of 224 B is too short for strength 40: 4 codewords need 70 B of parity each, \
         mark, metadata and their parity 88 B, in all 368 B"
    );
    let mode = SsdConfig {
        part: "mt29f64g08akaba".to_owned(),
        strength: 8,
        interface: BusInterface::NvDdr,
        ..base.clone()
    };
    assert_eq!(
        line(&mode, 1),
        "die 0: NvDdr mode 5 is not among its modes (000000b, bit n for mode n)"
    );
    let clock = SsdConfig { mode: 4, ..base.clone() };
    assert_eq!(line(&clock, 1), "die 0: the controller cannot keep NvDdr mode 4: ClockUnsuitable");
    let old = SsdConfig { initial_cycles: 3000, retention_days: 3000.0, ..base };
    assert!(line(&old, 8192).contains("has more errors than strength 40 corrects"));
}

#[test]
fn a_file_larger_than_the_device_is_refused() {
    let config = SsdConfig {
        part: "mt29f2g08abbea".to_owned(),
        dies: 1,
        interface: BusInterface::Sdr,
        mode: 0,
        code: "b512-m13-t24".to_owned(),
        strength: 4,
        ..config("mlc-nvddr5")
    };
    let bytes = (256 << 20) + 1;
    assert_eq!(
        line(&config, bytes),
        "268435457 bytes are more than the 268435456 of 1 dies of MT29F2G08ABBEAHC"
    );
}
