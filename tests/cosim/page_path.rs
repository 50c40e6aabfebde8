//! The page path end to end: firmware on the channel controller RTL and the codec RTL, with dies
//! that wear and flip bits at the pins.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use floatgate_cosim::device::{RtlStoreReport, Waves, Window, store};
use floatgate_cosim::flash::Idle;
use floatgate_cosim::lockstep::{Entry, Recorder, compare};
use floatgate_cosim::wave::WaveFormat;
use floatgate_hal::units::Picoseconds;
use floatgate_model::config::{DieFault, FaultKind, SsdConfig};
use floatgate_model::device::{Device, Job, StoreReport, ecc_unit, transaction_bus};
use floatgate_model::die::Part;
use floatgate_model::sim::Simulation;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wellen::simple::{Waveform, read as read_wave};

use crate::{calibration, code};

/// A device, smaller than the shipped one so that it mounts soon, and a file for it.
fn job(name: &str, blocks: u32, file_bytes: usize) -> Job {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = SsdConfig::load(root.join(format!("configs/ssd/{name}.ron"))).unwrap();
    let part = Part::load(root.join(format!("configs/parts/{}.ron", config.part))).unwrap();
    let mut part = part.as_ref().clone();
    part.layout.blocks_per_lun = blocks;
    part.cells.factory_bad_blocks = 1;
    part.cells.max_bad_blocks = 2;
    let mut file = vec![0; file_bytes];
    ChaCha8Rng::seed_from_u64(config.seed).fill_bytes(&mut file);
    let code = code(&config.code);
    Job { code, part: Arc::new(part), config, file, interrupt: Arc::default() }
}

fn on_rtl(job: &Job, idle: Idle) -> RtlStoreReport {
    store(job, idle, None).unwrap()
}

fn on_model(job: &Job) -> (StoreReport, Vec<Entry>) {
    let mut simulation = Simulation::new(job.config.seed);
    let sim = simulation.sim();
    let bus = Recorder::new(transaction_bus(&sim, job, &calibration()), &sim);
    let log = bus.log();
    let ecc = ecc_unit(&sim, job, &calibration()).unwrap();
    let device = Rc::new(Device::new(&sim, bus, ecc, job).unwrap());
    let file = job.file.clone();
    let stored = simulation.block_on("store", async move {
        let mounted = device.mount().await?;
        device.store(mounted, &file).await
    });
    (stored.unwrap().unwrap(), log.take())
}

#[test]
fn a_file_goes_through_all_the_rtl_and_comes_back() {
    let job = job("mlc-nvddr5", 16, 40_000);
    let report = on_rtl(&job, Idle::Skipped).store;
    assert!(report.data == job.file, "the file comes back as something else");
    let corrected: u32 = report.corrected.iter().map(|bits| bits.0).sum();
    println!("{corrected} bits corrected in {} codewords", report.corrected.len());
    assert!(corrected > 0, "half-worn cells flip bits");
    assert!(report.breaches.is_empty());
}

/// Changes of a variable of a waveform: time in picoseconds and value.
fn changes(wave: &mut Waveform, scope: &[&str], name: &str) -> Vec<(u64, String)> {
    let variable = wave.hierarchy().lookup_var(scope, name).expect("the variable is there");
    let signal = wave.hierarchy()[variable].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table();
    let changes = wave.get_signal(signal).expect("it was just loaded").iter_changes();
    changes.map(|(at, value)| (times[at as usize], value.to_string())).collect()
}

/// A waveform into a folder.
fn waves(dir: &Path, name: &str, window: Window) -> Waves {
    let format = if name.ends_with(".fst") { WaveFormat::Fst } else { WaveFormat::Vcd };
    Waves { path: dir.join(name), format, window }
}

/// From the mount to the end.
const ALL: Window = Window::Between { from: None, to: None };

/// A waveform read by a reader that is not ours: the bus shows a page's program and its read with
/// the commands of ONFI, and the RTL's CE# is low whenever it does.
#[test]
fn a_waveform_shows_the_pages_on_the_bus_beside_the_rtl() {
    let job = job("mlc-nvddr5", 8, 9_000);
    let dir = tempfile::tempdir().unwrap();
    let waves = waves(dir.path(), "page.vcd", ALL);
    let traced = store(&job, Idle::Skipped, Some(&waves));
    let (traced, plain) = (traced.unwrap(), on_rtl(&job, Idle::Skipped));
    assert_eq!(traced.log, plain.log, "a waveform changes what it shows");
    let mut wave = read_wave(&waves.path).unwrap();
    let shown = changes(&mut wave, &["channel", "die0"], "bus");
    let commands: Vec<&str> =
        shown.iter().filter_map(|(_, text)| text.strip_prefix("cmd:")).collect();
    for pair in [["60h", "D0h"], ["80h", "10h"], ["00h", "30h"]] {
        assert!(commands.windows(2).any(|two| two == pair), "{pair:?} in {commands:?}");
    }
    let burst = |way| shown.iter().find_map(|(_, text)| text.strip_prefix(way)?.split_once("]:"));
    let (programmed, read) = (burst("in[").expect("data in"), burst("out[8").expect("data out"));
    assert_eq!(programmed.0, format!("8{}", read.0), "bytes of the page");
    assert_eq!(programmed.1, read.1, "its first bytes");
    let selected = changes(&mut wave, &["TOP"], "ce_no");
    for (at, text) in shown.iter().filter(|(_, text)| text.starts_with("cmd:")) {
        let before = selected.iter().rev().find(|(time, _)| time <= at).expect("a level");
        assert!(before.1.ends_with('0'), "{text} at {at} ps with CE# {}", before.1);
    }
    let mounted_ps = traced.store.mount.0;
    assert!(shown[0].0 >= mounted_ps, "the trace begins when the dies are mounted");
}

/// The text of an ASCII vector; that of a string is itself.
fn text(value: &str) -> String {
    if value.is_empty() || !value.bytes().all(|bit| matches!(bit, b'0' | b'1')) {
        return value.to_owned();
    }
    let chars = value
        .as_bytes()
        .chunks(8)
        .map(|bits| bits.iter().fold(0, |char, &bit| 2 * char + u32::from(bit == b'1')));
    chars.filter(|&char| char != 0).filter_map(char::from_u32).collect()
}

/// A window gives what the whole waveform has there, and nothing else, in both formats.
#[test]
fn a_window_is_a_part_of_the_whole_waveform() {
    let job = job("slc-sdr4", 4, 9_000);
    let dir = tempfile::tempdir().unwrap();
    let traced = |name: &str, window| {
        let waves = waves(dir.path(), name, window);
        let report = store(&job, Idle::Skipped, Some(&waves)).unwrap();
        assert!(!dir.path().join(name).with_extension("raw.vcd").exists());
        (read_wave(&waves.path).unwrap(), std::fs::metadata(&waves.path).unwrap().len(), report)
    };
    let (mut whole, whole_bytes, report) = traced("whole.vcd", ALL);
    let mount_ps = report.store.mount.0;
    let (from, to) = (Picoseconds(mount_ps + 900_000_000), Picoseconds(mount_ps + 1_400_000_000));
    let window = Window::Between { from: Some(from), to: Some(to) };
    let rows = [(vec!["channel", "die0"], "bus"), (vec!["TOP"], "we_no"), (vec!["TOP"], "re_no")];
    for name in ["part.vcd", "part.fst"] {
        let (mut part, part_bytes, same) = traced(name, window);
        assert_eq!(same.log, report.log, "a waveform changes what it shows");
        assert!(part_bytes < whole_bytes, "{part_bytes} of {whole_bytes} bytes");
        let times = part.time_table();
        // An FST file has unknown values at time 0.
        let first = *times.iter().find(|&&time| time > 0).expect("it has times");
        let last = times[times.len() - 1];
        assert!(first + 10_000 >= from.0 && last <= to.0 + 10_000, "{first} to {last} ps");
        for (scope, row) in &rows {
            // Behind what the signals are at the first clock of the window.
            let inside = |(at, _): &(u64, String)| (first + 1..=to.0 - 50_000).contains(at);
            let of = |wave: &mut Waveform| -> Vec<(u64, String)> {
                let all = changes(wave, scope, row).into_iter().filter(inside);
                let is_text = scope[0] == "channel";
                let shown = |value: String| if is_text { text(&value) } else { value };
                all.map(|(at, value)| (at, shown(value).chars().take(24).collect())).collect()
            };
            let (ours, all) = (of(&mut part), of(&mut whole));
            let odd = ours.iter().zip(&all).find(|(ours, all)| ours != all);
            assert_eq!(odd, None, "{name} {row}");
            assert_eq!(ours.len(), all.len(), "{name} {row}");
        }
        assert!(!changes(&mut part, &["channel", "die0"], "bus").is_empty());
    }
}

/// The last microseconds before a failure, and a window that the run does not reach.
#[test]
fn the_last_of_a_run_is_kept_and_a_window_outside_it_is_told() {
    let mut job = job("slc-sdr4", 4, 9_000);
    let dir = tempfile::tempdir().unwrap();
    let late = Window::Between { from: Some(Picoseconds(u64::MAX / 4)), to: None };
    let outside = store(&job, Idle::Skipped, Some(&waves(dir.path(), "late.vcd", late)));
    let line = outside.unwrap_err().to_string();
    assert!(line.starts_with("the waveform's window shows nothing: the run ended at "), "{line}");
    job.config.faults = vec![DieFault { die: 0, at_us: 3_500, kind: FaultKind::Dies }];
    let last = waves(dir.path(), "last.vcd", Window::Last(Picoseconds(20_000_000)));
    let failed = store(&job, Idle::Skipped, Some(&last)).unwrap_err();
    println!("{failed}");
    let mut wave = read_wave(&last.path).unwrap();
    let firmware = changes(&mut wave, &["channel", "die0"], "firmware");
    assert_eq!(firmware.last().unwrap().1, "TimedOut", "{firmware:?}");
    assert!(firmware.len() < 20, "{firmware:?}");
}

/// With the clock always running, every completion and the whole report are the same.
#[test]
fn skipped_idle_time_changes_nothing() {
    let job = job("slc-sdr4", 4, 9_000);
    let skipped = on_rtl(&job, Idle::Skipped);
    let clocked = on_rtl(&job, Idle::Clocked);
    assert_eq!(skipped.log, clocked.log);
    assert_eq!(skipped.store, clocked.store);
    assert!(6 * skipped.clocks.0 < clocked.clocks.0, "{} {}", skipped.clocks, clocked.clocks);
}

/// The same run on the models: every completion has the same outcome, status and data.
#[test]
fn the_models_answer_as_the_rtl_does() {
    for (name, blocks) in [("mlc-nvddr5", 8), ("slc-sdr4", 8)] {
        let job = job(name, blocks, 30_000);
        let rtl = on_rtl(&job, Idle::Skipped);
        let (model, log) = on_model(&job);
        assert_eq!(rtl.store.data, model.data);
        assert_eq!(rtl.store.corrected, model.corrected);
        let clock = Picoseconds(job.config.controller_clock_ps);
        let pairs = compare(&rtl.log, &log, clock).unwrap();
        assert!(pairs.len() > 30);
        let spans = |report: &StoreReport| [report.write.span.0, report.read.span.0];
        let (on_rtl, on_model) = (spans(&rtl.store), spans(&model));
        println!("{name}: {} operations, {on_rtl:?} {on_model:?}", pairs.len());
        // One die's steps are calibrated. Those of two meet within a few clocks.
        let apart = if job.config.dies == 1 { 0 } else { 1_000 };
        for (rtl, model) in on_rtl.into_iter().zip(on_model) {
            assert!(rtl.abs_diff(model) * 1_000_000 <= model * apart, "{name}: {rtl} {model}");
        }
    }
}
