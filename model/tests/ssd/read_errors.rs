//! Raw bit errors of pages that are read, against the binomial distribution at the rate of the
//! chip's model, and the time of the codec that corrects them.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use floatgate_hal::FlashArray;
use floatgate_hal::array::{
    Extent, Level, Lpn, Origin, PageKind, Slot, Spare, Uncorrectable, UnitIndex,
};
use floatgate_hal::units::{ByteCount, Picoseconds, Strength};
use floatgate_model::array::{
    Array, ArrayTiming, Cells, Contents, ReadErrors, Scheduling, Topology,
};
use floatgate_model::calibration::Calibration;
use floatgate_model::config::{CodeConfig, DriveConfig};
use floatgate_model::die::part::ErrorModel;
use floatgate_model::die::rber::{RberModel, Stress};
use floatgate_model::sim::Simulation;
use floatgate_model::ssd::Part;

use crate::contract::{mixed, small};

/// Pages of four codewords of 1 KiB, two page types.
pub(crate) const DIE: Topology = Topology {
    channels: 1,
    dies_per_channel: 1,
    planes: 1,
    blocks_per_plane: 2,
    pages_per_block: 4,
    sectors_per_page: 8,
    joined_planes: false,
};
const CODEWORDS: i32 = 4;
const CYCLES: u32 = 6000;
const DAYS: f64 = 30.0;
const FACTORS: [f64; 2] = [0.8, 1.2];
const CLOCK: Picoseconds = Picoseconds(5000);

pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn errors(strength: u16) -> ReadErrors {
    let code =
        CodeConfig::load(project().join("configs/ecc/k1-m14-t40.ron")).expect("it is shipped");
    let calibration = Calibration::load(project().join("configs/calibration"));
    let clocks = calibration.expect("it is shipped").codec(&code).expect("it was measured");
    ReadErrors {
        model: ErrorModel::Mlc2yNm,
        page_factors: FACTORS.to_vec(),
        initial_cycles: CYCLES,
        retention_days: DAYS,
        codec: (code.config, clocks),
        strengths: vec![Strength(strength)],
        codec_clock: CLOCK,
    }
}

/// Reads a page again and again: the worst codeword each time, none where it is lost; and how long
/// all of it took.
fn read(
    errors: ReadErrors,
    page: u32,
    part: Extent,
    times: usize,
) -> (Vec<Result<u16, Uncorrectable>>, Picoseconds) {
    let mut simulation = Simulation::new(3);
    let sim = simulation.sim();
    let none = Picoseconds(0);
    let timing =
        ArrayTiming { t_r: vec![none; 2], t_prog: vec![none; 2], ..ArrayTiming::immediate() };
    let cells = Rc::new(Cells::new(DIE.geometry(), Contents::Owner, 1));
    let array = Array::new(&sim, DIE, timing, Scheduling::FirstCome, cells).with_errors(errors);
    let geometry = array.geometry();
    let place = |page| geometry.page(geometry.block(UnitIndex(0), 0), page);
    let spare = Spare { kind: PageKind::Data, lpn: Lpn(0), serial: 0, moves: 0, level: Level(0) };
    (0..4).for_each(|page| array.preload(place(page), spare));
    let page = place(page);
    let end = simulation.block_on("host", async move {
        let mut reads = Vec::new();
        for _ in 0..times {
            let read = array.read(page, part, Slot(0), Origin::Host).await;
            reads.push(read.map(|report| report.worst_errors));
        }
        reads
    });
    (end.expect("reads end"), simulation.sim().now())
}

pub(crate) const WHOLE: Extent = Extent { first: 0, sectors: 8 };

/// The rate of a page after so many reads of its block.
fn rate(page: usize, reads: f64) -> f64 {
    let stress = Stress { pe_cycles: CYCLES.into(), retention_days: DAYS, reads: reads / 4.0 };
    RberModel::Mlc2yNm.rber(stress) * FACTORS[page % 2]
}

/// The probability of at most so many errors among bits.
fn at_most(errors: u16, bits: f64, rate: f64) -> f64 {
    let mut term = (bits * (-rate).ln_1p()).exp();
    let mut sum = term;
    for count in 1..=i32::from(errors) {
        let count = f64::from(count);
        term *= (bits - count + 1.0) / count * rate / (1.0 - rate);
        sum += term;
    }
    sum
}

pub(crate) const READS: usize = 2000;

/// The mean of something over the rates of a page in so many reads.
pub(crate) fn mean_of(page: usize, what: impl Fn(f64) -> f64) -> f64 {
    let reads = (25..READS).step_by(50);
    reads.clone().map(|read| what(rate(page, read as f64))).sum::<f64>() / reads.count() as f64
}

#[test]
fn the_worst_codeword_is_that_of_so_many_binomial_ones() {
    for page in [0, 1] {
        let (worst, _) = read(errors(40), page, WHOLE, READS);
        let worst: Vec<f64> =
            worst.into_iter().map(|read| f64::from(read.expect("t is 40"))).collect();
        let mean = worst.iter().sum::<f64>() / READS as f64;
        let bits = 8192.0 + 14.0 * 40.0;
        // The mean of a maximum is the sum of the chances that it is not below each count.
        let wanted = mean_of(page as usize, |rate| {
            (0..60).map(|errors| 1.0 - at_most(errors, bits, rate).powi(CODEWORDS)).sum()
        });
        let spread = worst.iter().map(|worst| (worst - mean).powi(2)).sum::<f64>() / READS as f64;
        let error = 4.0 * (spread / READS as f64).sqrt();
        println!("page {page}: worst of four {mean:.3}, expected {wanted:.3}");
        assert!((mean - wanted).abs() < error, "{mean} {wanted} {error}");
    }
}

#[test]
fn pages_are_lost_as_often_as_a_codeword_has_more_errors_than_its_strength() {
    for (strength, part, codewords) in [
        (5, WHOLE, 4),
        (8, WHOLE, 4),
        (5, Extent { first: 3, sectors: 1 }, 1),
        (5, Extent { first: 1, sectors: 2 }, 2),
    ] {
        let (reads, _) = read(errors(strength), 1, part, READS);
        let lost = reads.iter().filter(|read| read.is_err()).count() as f64 / READS as f64;
        let bits = 8192.0 + 14.0 * f64::from(strength);
        let wanted = mean_of(1, |rate| 1.0 - at_most(strength, bits, rate).powi(codewords));
        let error = 4.0 * (wanted * (1.0 - wanted) / READS as f64).sqrt();
        println!("t {strength}, {codewords} codewords: {lost:.4} lost, expected {wanted:.4}");
        assert!((lost - wanted).abs() < error, "t {strength}: {lost} {wanted} {error}");
    }
}

/// Wear, age and reads each add errors.
#[test]
fn what_a_block_has_been_through_adds_errors() {
    let sum = |change: &dyn Fn(&mut ReadErrors)| -> u32 {
        let mut errors = errors(40);
        change(&mut errors);
        read(errors, 0, WHOLE, 500)
            .0
            .into_iter()
            .map(|read| u32::from(read.expect("t is 40")))
            .sum()
    };
    let aged = sum(&|_| ());
    assert!(sum(&|errors| errors.initial_cycles = 0) < aged);
    assert!(sum(&|errors| errors.retention_days = 0.0) < aged);
    let (reads, _) = read(errors(40), 0, WHOLE, 40_000);
    let of = |reads: &[Result<u16, Uncorrectable>]| -> u32 {
        reads.iter().map(|read| u32::from(read.expect("t is 40"))).sum()
    };
    assert!(of(&reads[..4000]) < of(&reads[36_000..]), "reads disturb");
}

/// The key equation is skipped where there are no errors, and the search is not.
#[test]
fn a_read_takes_the_time_of_its_codec() {
    let strength = 40;
    let mut clean = errors(strength);
    clean.page_factors = vec![0.0; 2];
    let (code, clocks) = clean.codec.clone();
    let search = code.search(ByteCount(1024), code.message(ByteCount(1024))).0;
    let (_, span) = read(clean, 0, WHOLE, 10);
    assert_eq!(span.0, 10 * CLOCK.0 * (clocks.decode.0 + search));
    for t in [strength, 20] {
        let (reads, span) = read(errors(t), 0, WHOLE, 10);
        assert!(reads.iter().all(|read| read.is_ok_and(|worst| worst > 0)), "{reads:?}");
        let solve = code.key_equation(Strength(t)).0 + clocks.correct.0;
        assert_eq!(span.0, 10 * CLOCK.0 * (solve + search));
    }
}

/// A drive with a code that is strong enough loses nothing; with one that is not, its host is told.
#[test]
fn a_drive_tells_its_host_of_pages_that_are_lost() {
    let text = "(model: Mlc2yNm, page_factors: [0.8, 1.2], initial_cycles: 6000, \
                retention_days: 30.0, code: \"../ecc/k1-m14-t40.ron\", \
                calibration: \"../calibration\", strength: T, codec_clock_ps: 5000)";
    let folder = project().join("configs/drives");
    let load = |strength: &str| {
        let text = text.replace("strength: T", &format!("strength: {strength}"));
        let text = text.replace("../", &format!("{}/../", folder.display()));
        let drive = ron::to_string(&small()).expect("a configuration has a text");
        let drive = drive.replacen('(', &format!("(errors:{text},"), 1);
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), drive).expect("a file");
        DriveConfig::load(file.path()).map_err(|error| error.to_string())
    };
    let failed = |strength: &str| {
        let config = load(strength).expect("it is right");
        let flows = mixed(1000, 4, 1)
            .sources(floatgate_model::host::Capacity::of_bytes(config.user_bytes()))
            .expect("a workload that fits");
        let result = floatgate_model::ssd::run(
            &config,
            Contents::Stamps,
            flows,
            1,
            &std::sync::Arc::default(),
        );
        let result = result.expect("every request is served");
        assert!(result.breaches.is_empty(), "{:#?}", result.breaches);
        assert!(result.host.read_parts.all().mean_ps(Part::Ecc) > 0.0);
        result.host.failed
    };
    assert_eq!(failed("40"), 0);
    assert!(failed("1") > 0);
    let refused = load("41").expect_err("the code has no such strength");
    assert!(
        refused.ends_with("field `errors.strength`: is 41, which `k1-m14-t40` does not have"),
        "{refused}"
    );
}
