//! Runs of a whole drive one of whose channels is RTL for a part of the time, beside the same runs
//! without RTL.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use floatgate_cosim::engine::{EngineError, EnginePlan, RtlEngine};
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{ChannelEngine, Compared, Contents, PlanesTogether};
use floatgate_model::config::{
    BusInterface, CacheConfig, DieConfig, DriveConfig, Load, RunConfig, SuspendConfig,
};
use floatgate_model::die::Part;
use floatgate_model::host::Capacity;
use floatgate_model::sim::Sim;
use floatgate_model::ssd::{Ready, RunError, RunResult, Watch, Window};

const MS: u64 = 1_000_000_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn part() -> Arc<Part> {
    Part::load(root().join("configs/parts/mt29f32g08cbaba.ron")).expect("a shipped part")
}

fn shipped() -> (RunConfig, DriveConfig) {
    let path = root().join("configs/runs/mixed.ron");
    let run = RunConfig::load(&path).unwrap();
    let drive = run.load_drive(&path, &root().join("configs/drives")).unwrap();
    (run, drive)
}

/// Dies that do one page after the other, on a bus of single data rate.
fn plain(drive: &DriveConfig) -> DriveConfig {
    let mut drive = drive.clone();
    drive.dies = DieConfig { planes_together: PlanesTogether::Off, ..drive.dies };
    drive.dies.cache_program = CacheConfig::Off;
    let controller = drive.controller.as_mut().unwrap();
    (controller.interface, controller.mode) = (BusInterface::Sdr, 5);
    drive
}

/// The drive with raw bit errors, and a codec whose parity goes over the bus.
fn with_errors() -> DriveConfig {
    let errors = "errors: (model: Mlc2yNm, page_factors: [1.0], initial_cycles: 6000, \
                  retention_days: 30.0, code: \"../ecc/k1-m14-t40.ron\", \
                  calibration: \"../calibration\", strength: 24, codec_clock_ps: 5000),";
    let folder = root().join("configs/drives");
    let text = std::fs::read_to_string(folder.join("mlc-2ch.ron")).unwrap();
    let text = text.replacen("scheduling:", &format!("{errors} scheduling:"), 1);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text.replace("../", &format!("{}/../", folder.display()))).unwrap();
    DriveConfig::load(file.path()).unwrap()
}

fn window(from_ms: u64, until_ms: Option<u64>) -> Window {
    let until = until_ms.map(|until| Picoseconds(until * MS));
    Window { channel: 1, from: Picoseconds(from_ms * MS), until }
}

fn with_windows(
    run: &RunConfig,
    drive: &DriveConfig,
    contents: Contents,
    windows: &[Window],
) -> Result<RunResult, RunError> {
    let Load::Workload(load) = &run.load else { panic!("a workload") };
    let flows = load.sources(Capacity::of_bytes(drive.user_bytes())).unwrap();
    let mut ready = Ready::new(drive, contents, flows, run.seed)?;
    let plan = EnginePlan::new(drive, &part(), run.seed).unwrap();
    for &window in windows {
        let engine = |sim: &Sim| -> Result<Rc<dyn ChannelEngine>, verilated::Error> {
            Ok(RtlEngine::new(sim, &plan)?)
        };
        ready = ready.with_engine(window, engine).unwrap();
    }
    ready.run(&Arc::new(Watch::default()))
}

fn off(ours: f64, other: f64) -> f64 {
    ours / other - 1.0
}

fn is_within(what: &str, compared: &[Compared]) {
    for one in compared {
        let (mean, p99) = (one.mean_off(), one.p99_off());
        println!(
            "{what}, {} {}: mean {:.1} us on the RTL, {:.1} us in the model ({:+.3} %); p99 \
             {:.1} us, {:.1} us ({:+.3} %)",
            one.count,
            one.name,
            one.engine.mean_ps / 1e6,
            one.model.mean_ps / 1e6,
            100.0 * mean,
            one.engine.p99.0 as f64 / 1e6,
            one.model.p99.0 as f64 / 1e6,
            100.0 * p99
        );
        assert!(mean.abs() < 0.01 && p99.abs() < 0.03, "{what}: {one:?}");
    }
}

/// A run in which the RTL has a channel from the first to the last request.
#[test]
fn a_channel_in_rtl_changes_no_result() {
    let (run, drive) = shipped();
    // With planes, a request that comes a moment sooner is carried out with another one or is not,
    // so that runs part in the share of their requests that wait.
    let cases = [("planes and caches", drive.clone(), 0.05), ("plain", plain(&drive), 0.01)];
    for (name, drive, share) in cases {
        let modelled = with_windows(&run, &drive, Contents::Owner, &[]).unwrap();
        let in_rtl = with_windows(&run, &drive, Contents::Owner, &[window(0, None)]).unwrap();
        let [record] = &in_rtl.engines[..] else { panic!("one channel") };
        is_within(name, &record.compared());
        assert!(record.from < Picoseconds(MS), "{}", record.from);
        assert_eq!(modelled.submitted, in_rtl.submitted);
        let energy = |of: &RunResult| of.energy_j.unwrap().iter().sum::<f64>();
        let channel = |of: &RunResult| of.channels[1].0 as f64 / of.span.0 as f64;
        let dies = |of: &RunResult| (of.dies[1].0 + of.dies[3].0) as f64 / of.span.0 as f64;
        let operations = |of: &RunResult| {
            let of = of.operations;
            let all = of.reads.iter().chain(&of.programs).chain(&of.erases);
            all.sum::<u64>() as f64
        };
        let figures: [(&str, f64, f64, f64); 7] = [
            ("IOPS", modelled.iops(), in_rtl.iops(), 0.01),
            (
                "mean latency of reads",
                modelled.host.reads.mean_ps().unwrap(),
                in_rtl.host.reads.mean_ps().unwrap(),
                share,
            ),
            (
                "mean latency of writes",
                modelled.host.writes.mean_ps().unwrap(),
                in_rtl.host.writes.mean_ps().unwrap(),
                share,
            ),
            ("energy", energy(&modelled), energy(&in_rtl), 0.01),
            ("use of the channel", channel(&modelled), channel(&in_rtl), 0.02),
            ("use of its dies", dies(&modelled), dies(&in_rtl), 0.01),
            ("operations", operations(&modelled), operations(&in_rtl), 0.01),
        ];
        for (what, modelled, in_rtl, tolerance) in figures {
            let off = off(in_rtl, modelled);
            println!("{name}, {what}: {modelled:.4}, with RTL {in_rtl:.4} ({:+.3} %)", 100.0 * off);
            assert!(off.abs() < tolerance, "{name}, {what}: {modelled}, with RTL {in_rtl}");
        }
        let parts = |of: &RunResult| of.host.read_parts.all();
        let (modelled, in_rtl) = (parts(&modelled), parts(&in_rtl));
        for part in floatgate_model::ssd::Part::ALL {
            let (model_us, rtl_us) = (modelled.mean_ps(part) / 1e6, in_rtl.mean_ps(part) / 1e6);
            println!("{name}, reads, {}: {model_us:.2} us, with RTL {rtl_us:.2} us", part.label());
        }
    }
}

/// Pages that were written before, in and after a window are read on either side of its ends.
#[test]
fn contents_go_through_the_pins_and_back() {
    let (run, drive) = shipped();
    for (drive, contents) in [
        (drive.clone(), Contents::Stamps),
        (plain(&drive), Contents::Stamps),
        (with_errors(), Contents::Bytes),
    ] {
        let windows = [window(5, Some(60))];
        let result = with_windows(&run, &drive, contents, &windows).unwrap();
        assert_eq!(result.breaches, Vec::<String>::new());
        let codewords = result.checked.and_then(|checked| checked.codewords);
        assert_eq!(codewords.is_some(), contents == Contents::Bytes);
        assert!(codewords.is_none_or(|codewords| codewords.corrected_bits > 1000), "{codewords:?}");
        let [record] = &result.engines[..] else { panic!("one channel") };
        println!("{} to {}, {}", record.from, record.until, record.clocks);
        // The channel is drained within the longest operations of its dies.
        let late = |is: Picoseconds, wanted_ms: u64| is.0.checked_sub(wanted_ms * MS);
        for late_ps in [late(record.from, 5), late(record.until, 60)] {
            assert!(late_ps.is_some_and(|late_ps| late_ps < 4 * MS), "{late_ps:?}");
        }
        assert!(result.span > record.until, "requests come after the window");
        assert!(record.compared().iter().any(|one| one.name == "program" && one.count > 30));
    }
}

/// Both channels, with other windows; and the same once more.
#[test]
fn windows_of_several_channels_give_one_result_each_time() {
    let (run, drive) = shipped();
    let windows = [
        Window { channel: 0, ..window(3, Some(20)) },
        Window { channel: 1, ..window(10, Some(30)) },
    ];
    let once = || with_windows(&run, &drive, Contents::Stamps, &windows).unwrap();
    let (first, second) = (once(), once());
    assert_eq!(first.breaches, Vec::<String>::new());
    assert_eq!(first.engines.len(), 2);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}

#[test]
fn a_window_after_the_run_is_told() {
    let (run, drive) = shipped();
    let windows = [window(100_000, None)];
    let error = with_windows(&run, &drive, Contents::Owner, &windows).unwrap_err().to_string();
    let (begin, end) = ("the window of channel 1 begins at 100000000 us, ", " us");
    assert!(error.starts_with(begin) && error.ends_with(end), "{error}");
}

#[test]
fn what_the_rtl_does_not_do_is_refused() {
    let (_, drive) = shipped();
    type Change<'a> = &'a dyn Fn(&mut DriveConfig);
    let cases: [(&str, Change); 9] = [
        ("bus: has no controller; RTL needs `controller`", &|drive| drive.controller = None),
        ("dies.cache_read: is on; RTL has no cache reads here", &|drive| {
            drive.dies.cache_read = CacheConfig::On { busy_us: 3.0 };
        }),
        ("dies.suspend: is on; ONFI has no suspension", &|drive| {
            drive.dies.suspend =
                SuspendConfig::On { suspend_us: 1.0, resume_us: 1.0, least_run_us: 1.0, limit: 1 };
        }),
        ("dies.planes_together: is Any; ONFI joins the same pages", &|drive| {
            drive.dies.planes_together = PlanesTogether::Any;
        }),
        ("topology.dies_per_channel: is 9, the controller RTL has 8 chip enables", &|drive| {
            drive.topology.dies_per_channel = 9;
        }),
        ("topology.planes: is 3, must be a power of two", &|drive| drive.topology.planes = 3),
        ("topology: has rows of more than 24 bits", &|drive| {
            drive.topology.blocks_per_plane = 1 << 20;
        }),
        ("controller.sector_bytes: makes pages of 69120 bytes, must be below 65536", &|drive| {
            drive.topology.page_bytes = 1 << 16;
        }),
        ("cells.page_order: is InTurn of 2 page types, which dies at pins do not do", &|drive| {
            drive.cells.t_r_us.push(70.0)
        }),
    ];
    for (message, change) in cases {
        let mut drive = drive.clone();
        change(&mut drive);
        let error: EngineError = EnginePlan::new(&drive, &part(), 1).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let mut slow = part().as_ref().clone();
    slow.interfaces.nv_ddr_modes = vec![0, 1];
    let error = EnginePlan::new(&drive, &slow, 1).unwrap_err().to_string();
    assert_eq!(error, "controller.mode: is 5, which the dies at the pins do not have");
}
