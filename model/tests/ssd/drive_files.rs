//! Drives as files: channels whose times follow from a controller, and what is refused.

use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use floatgate_hal::FlashArray;
use floatgate_hal::array::{BlockId, Level, Lpn, Origin, PageKind, Ppa, Slot, Spare};
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{Array, Cells, Contents};
use floatgate_model::config::{DieConfig, DriveConfig, Precondition, WriteBuffer};
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::{
    Bound, Flow, KindWeights, Pace, Pattern, Phase, Region, Sizes, Workload,
};
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::run;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/drives");
/// What the shipped drive names beside itself.
const NAMED: [&str; 2] = ["../calibration/controller.ron", "../dram/ddr3-1600-x8.ron"];

fn shipped() -> String {
    fs::read_to_string(Path::new(FOLDER).join("mlc-4ch.ron")).expect("a shipped drive")
}

/// Loads a text as a drive that stands beside the shipped ones.
fn load(text: &str) -> Result<DriveConfig, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let quoted = |path: &Path| format!("\"{}\"", path.display());
    let text = NAMED.map(Path::new).into_iter().fold(text.to_owned(), |text, named| {
        text.replace(&quoted(named), &quoted(&Path::new(FOLDER).join(named)))
    });
    let path = folder.path().join("drive.ron");
    fs::write(&path, text).expect("a file");
    let prefix = format!("{}/", folder.path().display());
    DriveConfig::load(&path).map_err(|error| error.to_string().replace(&prefix, ""))
}

/// SDR mode 4 moves a byte in 25 ns. Command and address of a read are tCS of 100 ns, six more
/// cycles and tCH of 5 ns; the controller takes two clocks before and one behind.
#[test]
fn the_times_of_a_channel_follow_from_its_mode() {
    let drive = load(&shipped()).expect("a shipped drive");
    let timing = drive.timing();
    let bus = timing.bus;
    assert_eq!((bus.sector_in.0, bus.sector_out.0), (540 * 25_000, 540 * 25_000));
    assert_eq!(bus.read_command.0, 100_000 + 6 * 25_000 + 5_000 + 3 * 5_000);
    assert!(bus.brief_first && bus.erase_command < bus.read_command);
    // tWB of 100 ns comes before the array's time.
    let excess = timing.t_r[0].0 - 50_000_000;
    assert!((90_000..120_000).contains(&excess), "{excess} ps");
    let text = ron::to_string(&drive).expect("a configuration has a text");
    assert_eq!(load(&text).expect("the text is read back").timing(), timing);
}

#[test]
fn what_a_channel_is_must_be_told_once() {
    let text = shipped();
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        load(&text.replace(from, to)).expect_err("it is refused")
    };
    let bus = "bus: (mega_transfers_per_s: 40.0, read_command_ns: 0.0, program_command_ns: 0.0, \
               erase_command_ns: 0.0, status_ns: 0.0),\n    controller:";
    let both = refused("controller:", bus);
    assert!(
        both.ends_with("field `controller`: is given beside `bus`, must be one of them"),
        "{both}"
    );
    let cut = text.split("    controller:").next().expect("it has one");
    let rest = text.split("// ICC1").nth(1).expect("power follows");
    let neither = load(&format!("{cut} //{rest}")).expect_err("it is refused");
    assert!(neither.contains("field `bus`: is missing, as is `controller`"), "{neither}");
    let clock = refused("clock_ps: 5000", "clock_ps: 3");
    assert!(clock.ends_with("field `controller.clock_ps`: is 3, must be 500 to 100000"), "{clock}");
    let unsuitable =
        refused("interface: Sdr,\n        mode: 4", "interface: NvDdr,\n        mode: 4");
    assert!(
        unsuitable.contains("`controller.clock_ps`: is 5000, which does not suit"),
        "{unsuitable}"
    );
    let missing = refused("controller.ron", "nothing.ron");
    assert!(missing.contains("nothing.ron: cannot read"), "{missing}");
    let busy = refused("On(busy_us: 9.0)", "On(busy_us: -1.0)");
    assert!(busy.contains("field `dies.cache_read`: is -1, must be 0 to 1000000"), "{busy}");
    let volts = refused("vcc_v: 3.3", "vcc_v: 33.0");
    assert!(volts.contains("field `power.vcc_v`: is 33, must be 0 to 20"), "{volts}");
}

/// MB/s of a sequential load on the shipped drive, with fewer blocks and what it changes.
fn sequential(kinds: KindWeights, change: impl FnOnce(&mut DriveConfig)) -> f64 {
    let mut drive = load(&shipped()).expect("a shipped drive");
    drive.topology.blocks_per_plane = 64;
    drive.buffer = WriteBuffer::default();
    drive.firmware.workers = 128;
    if kinds.read == 0 {
        drive.precondition = Precondition::Empty;
    }
    change(&mut drive);
    let phase = Phase {
        name: String::new(),
        until: Bound::Requests(256),
        pace: Pace::Closed { queue_depth: 16, think_ns: 0 },
        region: Region::default(),
        pattern: Pattern::Sequential,
        sizes: Sizes::Bytes(131_072),
        kinds,
        flush_every_writes: 0,
        fua_share: 0.0,
    };
    let workload =
        Workload { seed: 1, flows: vec![Flow { name: "host".into(), phases: vec![phase] }] };
    let flows = workload.sources(Capacity::of_bytes(drive.user_bytes())).expect("it fits");
    let result = run(&drive, Contents::Owner, flows, 1, &Arc::default());
    let result = result.expect("every request is served");
    let bytes = result.host.bytes_read + result.host.bytes_written;
    bytes as f64 / (result.span.0 as f64 / 1e6)
}

/// Firmware asks for pages one by one; the array finds those that go together. A published
/// controller with such dies writes 72 MB/s.
#[test]
fn sequential_loads_reach_what_planes_and_caches_allow() {
    let (write, read) =
        (KindWeights { read: 0, write: 1, trim: 0 }, KindWeights { read: 1, write: 0, trim: 0 });
    let plain = |drive: &mut DriveConfig| drive.dies = DieConfig::default();
    let (written, written_plain) = (sequential(write, |_| ()), sequential(write, plain));
    let (got, got_plain) = (sequential(read, |_| ()), sequential(read, plain));
    println!(
        "MB/s written: {written:.1}, {written_plain:.1} without planes and caches; \
         read: {got:.1}, {got_plain:.1}"
    );
    // Eight dies, each with a page or two of 4 KiB in 900 us; 4320 bytes of 25 ns for 4096, which
    // two dies of a channel send in turn, waiting for tR together where they cannot read ahead.
    let bounds = [
        (written, 8.0 * 2.0 * 4096.0 / 900.0),
        (written_plain, 8.0 * 4096.0 / (900.0 + 108.0)),
        (got, 4.0 * 4096.0 / 108.0),
        (got_plain, 4.0 * 2.0 * 4096.0 / (2.0 * 108.0 + 50.0)),
    ];
    for (rate, bound) in bounds {
        assert!((0.9..1.0).contains(&(rate / bound)), "{rate} MB/s, the parts allow {bound}");
    }
}

/// A page programmed and read and a block erased: 25 mA of 3.3 V while the array works, and 316 pJ
/// for each of 4320 bytes, twice.
#[test]
fn energy_is_power_times_the_work_of_the_array() {
    let drive = load(&shipped()).expect("a shipped drive");
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let cells = Rc::new(Cells::new(drive.topology().geometry(), Contents::Owner, 1));
    let array = Array::new(&sim, drive.topology(), drive.timing(), drive.scheduling, cells);
    let array = Rc::new(array);
    let works = Rc::clone(&array);
    let end = simulation.block_on("host", async move {
        let spare =
            Spare { kind: PageKind::Data, lpn: Lpn(0), serial: 0, moves: 0, level: Level(0) };
        let (page, whole) = (Ppa(0), works.geometry().whole_page());
        works.program(page, Slot(0), spare, Origin::Host).await.expect("it works");
        works.read(page, whole, Slot(0), Origin::Host).await.expect("it is there");
        works.erase(BlockId(0), Origin::Host).await.expect("it works");
    });
    end.expect("they end");
    let power = drive.power.expect("it is given").power();
    let dies = array.usage().die_energy_j(Picoseconds(u64::MAX), &power);
    let worked_s = (50.0 + 900.0 + 3000.0) / 1e6;
    assert!((dies[0] / (0.0825 * worked_s) - 1.0).abs() < 1e-3, "{} J", dies[0]);
    assert_eq!(dies[1..], [0.0; 7]);
    let channels = array.usage().channel_energy_j(&power);
    assert_eq!(array.usage().channel_bytes(), [2 * 4320, 0, 0, 0]);
    assert!((channels[0] - 2.0 * 4320.0 * 316e-12).abs() < 1e-15, "{} J", channels[0]);
}
