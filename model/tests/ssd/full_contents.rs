//! Drives whose data are kept as bytes, encoded and decoded: the same runs as with other contents,
//! codewords against the binomial distribution and the numbers of codewords that lie near each
//! other, and faults that are told.

use std::cell::{Cell, RefCell};
use std::future::{pending, ready};
use std::rc::Rc;
use std::sync::Arc;

use floatgate_firmware::ftl::Metadata;
use floatgate_hal::Decoded;
use floatgate_hal::FlashArray;
use floatgate_hal::array::{
    Extent, Level, Lpn, Origin, PageKind, PageMark, Ppa, Slot, Spare, Uncorrectable, UnitIndex,
};
use floatgate_hal::units::{BitCount, Cycles, Picoseconds, Strength};
use floatgate_model::array::{
    Array, ArrayTiming, Carried, Cells, ChannelEngine, CodewordCounts, Contents, Pending, Place,
    ReadErrors, Scheduling, Step,
};
use floatgate_model::calibration::Calibration;
use floatgate_model::config::{CodeConfig, DriveConfig, WriteBuffer};
use floatgate_model::ecc::Codec;
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::{KindWeights, Workload};
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::{Ready, RunResult, Ssd, Window, run};

use crate::contract::{mixed, small};
use crate::journal::{journaled, trimming};
use crate::ladder::{FIXED_24, LADDER, everywhere, raising, short_lived, with_errors};
use crate::power_cuts::{cut_everywhere_keeping, read_all, start, tight};
use crate::read_errors::{DIE, READS, WHOLE, errors, mean_of, project};

fn run_keeping(contents: Contents, config: &DriveConfig, workload: &Workload) -> RunResult {
    let flows = workload.sources(Capacity::of_bytes(config.user_bytes())).expect("it fits");
    let result = run(config, contents, flows, workload.seed, &Arc::default());
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// Runs with each of the contents: all that is not about them is the same. The one with bytes.
fn the_same_with_all_contents(config: &DriveConfig, workload: &Workload) -> RunResult {
    let of = |contents| {
        let result = run_keeping(contents, config, workload);
        assert_eq!(result.breaches, [""; 0], "{contents:?}");
        let rest = format!("{:?}", RunResult { checked: None, ..result.clone() });
        (result, rest)
    };
    let (owner, stamps) = (of(Contents::Owner), of(Contents::Stamps));
    let bytes = of(Contents::Bytes);
    assert_eq!((&owner.1, &stamps.1), (&bytes.1, &bytes.1));
    assert_eq!(owner.0.checked, None);
    let (stamps, checked) = (stamps.0.checked.unwrap(), bytes.0.checked.unwrap());
    assert_eq!((stamps.compared.sectors, stamps.codewords), (checked.compared.sectors, None));
    assert_eq!(stamps.compared.in_full, 0);
    assert!(checked.compared.in_full > 0);
    println!("{checked:?}");
    bytes.0
}

/// With codewords that fail, blocks that are raised, a journal, a buffer, trims and flushes.
#[test]
fn a_run_is_the_same_whatever_is_kept() {
    the_same_with_all_contents(&journaled(2048), &trimming(2000, 4));
    let mut buffered = small();
    buffered.buffer = WriteBuffer { pages: 64, flushers: 4, flush_above: 48, flush_down_to: 40 };
    let result = the_same_with_all_contents(&buffered, &mixed(4000, 8, 1));
    assert!(result.drive.collections > 0);
    let weak = the_same_with_all_contents(&short_lived(FIXED_24, 1.0, 4000), &everywhere(5000));
    assert!(weak.drive.lost_pages + weak.host.failed > 10);
    let codewords = weak.checked.and_then(|checked| checked.codewords).expect("it has a codec");
    assert!(codewords.uncorrectable > 10 && codewords.miscorrected == 0, "{codewords:?}");
    let ladder = the_same_with_all_contents(&short_lived(LADDER, 1.0, 3000), &everywhere(5000));
    assert!(ladder.ladder.expect("it has one").counts.raised > 10);
}

/// What came of reads of a page.
struct Reads {
    /// The most bits that were corrected of a codeword, by read.
    worst: Vec<Result<u16, Uncorrectable>>,
    /// Wrong bytes in the slot after each.
    wrong: Vec<usize>,
    codewords: CodewordCounts,
}

/// Reads a part of a page of random data again and again.
fn read(errors: ReadErrors, part: Extent, times: usize) -> Reads {
    let mut simulation = Simulation::new(3);
    let none = Picoseconds(0);
    let timing =
        ArrayTiming { t_r: vec![none; 2], t_prog: vec![none; 2], ..ArrayTiming::immediate() };
    let cells = Rc::new(Cells::new(DIE.geometry(), Contents::Bytes, 2));
    let order = Scheduling::FirstCome;
    let array = Array::new(&simulation.sim(), DIE, timing, order, Rc::clone(&cells));
    let array = array.with_errors(errors);
    let page = array.geometry().page(array.geometry().block(UnitIndex(0), 0), 0);
    let spare = Spare { kind: PageKind::Data, lpn: Lpn(0), serial: 0, moves: 0, level: Level(0) };
    cells.stamp(Slot(0), WHOLE, |sector| 1000 + u32::from(sector));
    let held = Rc::clone(&cells);
    let reads = async move {
        array.program(page, Slot(0), spare, Origin::Host).await.expect("a good block");
        let (mut worst, mut wrong) = (Vec::new(), Vec::new());
        for _ in 0..times {
            held.stamp(Slot(1), WHOLE, |_| 7);
            let read = array.read(page, part, Slot(1), Origin::Host).await;
            worst.push(read.map(|report| report.worst_errors));
            let sectors = part.first..part.end();
            wrong.push(sectors.filter_map(|sector| held.wrong_bytes(Slot(1), sector)).sum());
        }
        (worst, wrong)
    };
    let (worst, wrong) = simulation.block_on("host", reads).expect("reads end");
    Reads { worst, wrong, codewords: cells.codewords().expect("there is a codec") }
}

/// The mean of the bits that are corrected in a codeword is n p.
#[test]
fn as_many_bits_are_corrected_as_are_wrong() {
    let one = Extent { first: 2, sectors: 2 };
    for (part, codewords) in [(one, 1), (Extent { first: 3, sectors: 1 }, 1), (WHOLE, 4)] {
        let Reads { worst, wrong, codewords: counts } = read(errors(40), part, READS);
        assert_eq!(wrong, vec![0; READS]);
        assert_eq!(counts.decoded, codewords * READS as u64);
        assert_eq!((counts.uncorrectable, counts.caught, counts.miscorrected), (0, 0, 0));
        let drawn: u64 = worst.iter().map(|read| u64::from(read.expect("t is 40"))).sum();
        if codewords == 1 {
            assert_eq!(counts.corrected_bits, drawn);
        }
        let mean = counts.corrected_bits as f64 / counts.decoded as f64;
        let wanted = mean_of(0, |rate| (8192.0 + 14.0 * 40.0) * rate);
        let error = 4.0 * (wanted / counts.decoded as f64).sqrt();
        println!("{mean:.4} bits corrected in a codeword, n p is {wanted:.4} +- {error:.4}");
        assert!((mean - wanted).abs() < error);
    }
}

/// A word that was changed in thousands of places is as good as a random one. It is taken for a
/// codeword if one lies within t bits of it: of 2^(m t) words with as many syndromes, one for each
/// pattern of up to t bits.
#[test]
fn codewords_are_miscorrected_as_often_as_others_lie_near() {
    let one = Extent { first: 2, sectors: 2 };
    for (t, reads) in [(1, 4000), (2, 8000), (3, 30_000)] {
        let mut worn = errors(t);
        worn.page_factors = vec![1e6; 2];
        let Reads { worst, wrong, codewords: counts } = read(worn, one, reads);
        let bits = 8192.0 + 14.0 * f64::from(t);
        let patterns: f64 = (0..=i32::from(t))
            .map(|errors| {
                (0..errors).map(|at| (bits - f64::from(at)) / f64::from(at + 1)).product::<f64>()
            })
            .sum();
        let wanted = patterns / 2f64.powi(14 * i32::from(t));
        let share = counts.miscorrected as f64 / reads as f64;
        let error = 4.0 * (wanted * (1.0 - wanted) / reads as f64).sqrt();
        println!("t {t}: {share:.4} miscorrected, closed form {wanted:.4} +- {error:.4}");
        assert!((share - wanted).abs() < error);
        assert_eq!(counts.miscorrected + counts.uncorrectable, reads as u64);
        let ended_well = worst.iter().filter(|read| read.is_ok()).count();
        assert_eq!(ended_well as u64, counts.miscorrected);
        assert!(worst.iter().all(|read| read.is_err() || read.is_ok_and(|bits| bits <= t)));
        assert!(wrong.iter().all(|&wrong| wrong > 900), "bytes are not as they came");
    }
}

/// A CRC tells what the code takes for another codeword.
#[test]
fn a_crc_tells_of_miscorrected_codewords() {
    let mut worn = errors(1);
    let code = CodeConfig::load(project().join("configs/ecc/k1-m14-t40-crc.ron"));
    let code = code.expect("it is shipped");
    let calibration = Calibration::load(project().join("configs/calibration"));
    let clocks = calibration.expect("it is shipped").codec(&code).expect("it was measured");
    worn.codec = (code.config, clocks);
    let counts = read(worn.clone(), WHOLE, 500).codewords;
    worn.page_factors = vec![1e6; 2];
    let Reads { worst, codewords: lost, .. } = read(worn, WHOLE, 500);
    println!("{counts:?}, {lost:?}");
    assert!(lost.caught > 500 && lost.miscorrected == 0);
    assert!(worst.iter().all(Result::is_err));
    assert!(counts.corrected_bits > 0 && counts.miscorrected == 0);
}

/// A drive with a code of one bit, whose host is given wrong bytes now and then.
#[test]
fn a_host_that_is_given_miscorrected_bytes_tells() {
    let config = with_errors(&small(), "strength: 1", 0.02, 3000).unwrap();
    let mut workload = everywhere(3000);
    workload.flows[0].phases[0].kinds = KindWeights { read: 3, write: 1, trim: 0 };
    let result = run_keeping(Contents::Bytes, &config, &workload);
    let checked = result.checked.expect("it was checked");
    println!("{} breaches, {checked:?}, {} failed", result.breaches.len(), result.host.failed);
    let codewords = checked.codewords.expect("there is a codec");
    assert!(codewords.miscorrected > 0 && codewords.corrected_bits > codewords.miscorrected);
    assert!(!result.breaches.is_empty() && result.breaches[0].ends_with("are wrong"));
}

/// A drive that was written and then read, with a change between the two.
fn read_after(change: impl FnOnce(&Cells, Ppa)) -> Vec<String> {
    let config = small();
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let ssd = Rc::new(Ssd::fresh(&sim, &config, Contents::Bytes, 2, 1).expect("there is room"));
    start(&sim, &ssd, &config, &mixed(1000, 4, 1));
    simulation.run().expect("it is served");
    let cells = ssd.drive().array().cells();
    let ftl = ssd.drive().ftl();
    let is_written = |page: &Ppa| match cells.mark(*page) {
        PageMark::Written(spare) => ftl.lookup(spare.lpn) == Some(*page),
        _ => false,
    };
    let mut pages = (0..ftl.geometry().pages()).map(Ppa).filter(is_written);
    change(cells, pages.nth(5).expect("pages are written"));
    start(&sim, &ssd, &config, &read_all(&config));
    simulation.run().expect("it is served");
    let host = ssd.drive().host();
    host.oracle().expect("contents are checked").breaches().to_vec()
}

#[test]
fn one_wrong_bit_on_flash_is_noticed() {
    assert_eq!(read_after(|_, _| {}), [""; 0]);
    let wrong = read_after(|cells, page| cells.invert(page, 8 * 512 + 77));
    let [line] = &wrong[..] else { panic!("{wrong:?}") };
    assert!(line.contains(" sector 1: 1 bytes of write ") && line.ends_with("are wrong"), "{line}");
}

/// Power cuts at every change; with a journal, and with codewords whose blocks are raised.
#[test]
fn nothing_is_lost_wherever_power_is_cut_with_bytes() {
    let keep = |config: &DriveConfig, workload: &Workload| {
        let (cuts, _) = cut_everywhere_keeping(Contents::Bytes, config, workload, |_| {});
        println!("{cuts} cuts");
    };
    keep(&tight(), &mixed(40, 4, 2));
    keep(&journaled(512), &trimming(20, 2));
    let (config, workload) = raising();
    assert!(matches!(config.ftl.metadata, Metadata::Journal { .. }));
    keep(&config, &workload);
}

#[test]
fn drives_whose_bytes_would_not_fit_into_memory_are_refused() {
    let mut config = small();
    config.topology.blocks_per_plane = 1 << 21;
    let flows = mixed(10, 1, 1).sources(Capacity::of_bytes(config.user_bytes())).unwrap();
    let refused = run(&config, Contents::Bytes, flows, 1, &Arc::default()).unwrap_err();
    let line = "the drive has 256 GiB of flash, and bytes are kept of 64 at most";
    assert_eq!(refused.to_string(), line);
}

const SECTOR_ON_BUS: usize = 560;

/// Dies that take no time and keep what they are given, and wrong bits of what is read.
#[derive(Default)]
struct Keeper {
    pages: RefCell<Vec<(Place, Vec<u8>)>>,
    programs: Cell<usize>,
    reads: Cell<usize>,
    /// The byte of a page that is wrong in one of a hundred reads.
    wrong: Option<usize>,
}

impl Keeper {
    fn out(&self, place: Place, columns: std::ops::Range<u32>) -> Carried {
        let first = columns.start as usize;
        let mut data = self.stored(place)[first..columns.end as usize].to_vec();
        self.reads.set(self.reads.get() + 1);
        if let Some(byte) = self.wrong.and_then(|at| data.get_mut(at.wrapping_sub(first)))
            && self.reads.get().is_multiple_of(100)
        {
            *byte ^= 1;
        }
        Carried { data, ..Carried::default() }
    }

    fn step(&self, step: Step) -> Carried {
        match step {
            Step::Read(place, columns) | Step::DataOut(place, columns) => self.out(place, columns),
            Step::Program(pages) | Step::ProgramCached(pages) => {
                self.programs.set(self.programs.get() + pages.len());
                pages.into_iter().for_each(|(place, bytes)| self.put(place, bytes));
                Carried::default()
            }
            Step::Load(_) | Step::Settle { .. } | Step::Erase(_) => Carried::default(),
        }
    }
}

impl ChannelEngine for Keeper {
    fn ready(&self) -> Pending<'_, ()> {
        Box::pin(ready(()))
    }

    fn carry(&self, step: Step) -> Pending<'_, Carried> {
        Box::pin(ready(self.step(step)))
    }

    fn put(&self, place: Place, bytes: Vec<u8>) {
        let mut pages = self.pages.borrow_mut();
        pages.retain(|(of, _)| *of != place);
        pages.push((place, bytes));
    }

    fn stored(&self, place: Place) -> Vec<u8> {
        let pages = self.pages.borrow();
        let page = pages.iter().find(|(of, _)| *of == place);
        page.expect("a page that was put or programmed").1.clone()
    }

    fn failure(&self) -> Pending<'_, String> {
        Box::pin(pending())
    }

    fn clocks(&self) -> Cycles {
        Cycles(0)
    }
}

fn on_keeper(wrong: Option<usize>) -> (RunResult, Rc<Keeper>) {
    let mut config = small();
    config.bus.as_mut().expect("it is given").sector_bytes = SECTOR_ON_BUS as u32;
    let config = with_errors(&config, LADDER, 1.0, 3000).unwrap();
    let flows = mixed(3000, 8, 1).sources(Capacity::of_bytes(config.user_bytes())).unwrap();
    let keeper = Rc::new(Keeper { wrong, ..Keeper::default() });
    let engine: Rc<dyn ChannelEngine> = Rc::clone(&keeper) as _;
    let (from, until) = (Picoseconds(50_000_000_000), Some(Picoseconds(300_000_000_000)));
    let window = Window { channel: 1, from, until };
    let ready = Ready::new(&config, Contents::Bytes, flows, 1).unwrap();
    let ready = ready.with_engine(window, |_| Ok::<_, ()>(engine)).unwrap();
    (ready.run(&Arc::default()).expect("it is served"), keeper)
}

/// What the pins of an engine carry of a page are the codewords themselves: of a sector its bytes,
/// and its piece of their parity.
#[test]
fn an_engine_has_the_codewords_on_its_bus() {
    let (result, keeper) = on_keeper(None);
    assert_eq!(result.breaches, [""; 0]);
    assert!(result.span > result.engines[0].until, "requests come after the window");
    let codec = Codec::new(errors(24).codec.0);
    let strengths = [24, 32, 40].map(Strength);
    let mut found = [0; 3];
    for (_, bytes) in keeper.pages.borrow().iter() {
        for codeword in bytes.chunks(2 * SECTOR_ON_BUS) {
            let sectors = codeword.chunks(SECTOR_ON_BUS).map(|sector| sector.split_at(512));
            let (data, spare): (Vec<_>, Vec<_>) = sectors.unzip();
            let (data, spare) = (data.concat(), spare.concat());
            let is_of = |strength: &Strength| {
                let code = codec.code(*strength, data.len()).expect("it has the strength");
                let check = codec.check_bytes(*strength).0 as usize;
                let verdict = codec.decode(&code, &mut data.clone(), &spare[..check]).0;
                verdict == Decoded::Corrected(BitCount(0))
                    && spare[check..].iter().all(|&byte| byte == 0)
            };
            let level = strengths.iter().position(is_of).expect("a codeword of a level");
            found[level] += usize::from(data.iter().any(|&byte| byte != 0));
        }
    }
    println!(
        "codewords by level {found:?}; {} programs, {:?}",
        keeper.programs.get(),
        result.ladder
    );
    assert!(keeper.programs.get() > 100 && found[0] > 0 && found[1] > 0);
}

/// Although a code would correct it.
#[test]
fn a_wrong_bit_on_an_engines_bus_is_noticed() {
    for byte in [700, 530] {
        let (result, _) = on_keeper(Some(byte));
        println!("byte {byte}: {} breaches", result.breaches.len());
        assert!(!result.breaches.is_empty(), "byte {byte} of a page");
    }
}
