//! One trace in all formats gives one list of requests.

use std::fs;
use std::path::PathBuf;

use floatgate_hal::units::Picoseconds;
use floatgate_model::host::trace::{Devices, Skip, TraceConfig, TraceFormat, TraceSource};
use floatgate_model::host::{Capacity, Lba, Request, RequestKind, SectorCount};

use crate::requests;

/// The forms, their formats, and the resolution of their times in picoseconds.
const FORMS: [(&str, TraceFormat, u64); 7] = [
    ("tpcc-small.mqsim", TraceFormat::MqSim, 1000),
    ("tpcc-small.msr.csv", TraceFormat::Msr, 100_000),
    ("tpcc-small.spc", TraceFormat::Spc1, 1_000_000),
    ("tpcc-small.systor17.csv", TraceFormat::Systor17, 1000),
    ("tpcc-small.fiu", TraceFormat::Fiu, 1000),
    ("tpcc-small.blkparse", TraceFormat::Blkparse, 1000),
    ("tpcc-small.iolog", TraceFormat::Iolog, 1_000_000_000),
];
/// The last request of tpcc-small comes so long after the first.
const TPCC_SPAN_NS: u64 = 136_489_000;
/// Room for all of its devices.
const LARGE: Capacity = Capacity::of_bytes(16 << 40);

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../traces").join(name)
}

fn concatenated(name: &str) -> (TraceSource, Vec<Request>) {
    let config = TraceConfig { devices: Devices::Concatenated, ..TraceConfig::new(sample(name)) };
    let mut source = TraceSource::open(&config, LARGE).unwrap();
    let all = requests(&mut source).unwrap();
    (source, all)
}

/// An independent reading of the MQSim form: (time in ns, device, kind, sector, sectors), its
/// devices laid one behind the other by the rule that is documented.
fn by_hand(name: &str) -> Vec<Request> {
    let text = fs::read_to_string(sample(name)).unwrap();
    let rows: Vec<[u64; 5]> = text
        .lines()
        .map(|line| {
            let numbers = line.split(' ').map(|word| word.parse().unwrap());
            numbers.collect::<Vec<u64>>().try_into().unwrap()
        })
        .collect();
    let mut devices: Vec<(u64, u64)> = Vec::new();
    for &[_, device, sector, sectors, _] in &rows {
        match devices.iter_mut().find(|(name, _)| *name == device) {
            Some((_, end)) => *end = (*end).max(sector + sectors),
            None => devices.push((device, sector + sectors)),
        }
    }
    let base = |device: u64| -> u64 {
        let before = devices.iter().take_while(|(name, _)| *name != device);
        before.map(|(_, end)| end.next_multiple_of(2048)).sum()
    };
    let request = |&[ns, device, sector, sectors, kind]: &[u64; 5]| Request {
        arrival: Picoseconds((ns - rows[0][0]) * 1000),
        kind: if kind == 1 { RequestKind::Read } else { RequestKind::Write },
        fua: false,
        sector: Lba(base(device) + sector),
        sectors: SectorCount(sectors as u32),
    };
    rows.iter().map(request).collect()
}

#[test]
fn all_forms_of_a_trace_give_the_same_requests() {
    let expected = by_hand("tpcc-small.mqsim");
    assert_eq!(expected.len(), 6999);
    assert_eq!(expected.iter().filter(|r| r.kind == RequestKind::Read).count(), 4381);
    assert_eq!(expected[6998].arrival, Picoseconds(TPCC_SPAN_NS * 1000));
    for (name, format, resolution_ps) in FORMS {
        let (source, requests) = concatenated(name);
        assert_eq!(source.format(), format, "{name}");
        assert_eq!(requests.len(), expected.len(), "{name}");
        for (index, (request, expected)) in requests.iter().zip(&expected).enumerate() {
            let apart = request.arrival.0.abs_diff(expected.arrival.0);
            assert!(apart < resolution_ps, "{name}, request {index}: {apart} ps apart");
            assert_eq!(
                Request { arrival: expected.arrival, ..*request },
                *expected,
                "{name}, request {index}"
            );
        }
        let counts = source.counts();
        assert_eq!((counts.requests, counts.widened, counts.folded), (6999, 0, 0));
        let skipped: u64 = Skip::ALL.iter().map(|&reason| counts.skipped(reason)).sum();
        assert_eq!(counts.lines, 6999 + skipped, "{name}");
        let expected_skips = match format {
            TraceFormat::Systor17 => 1,
            TraceFormat::Iolog => 1 + 3 * 16,
            _ => 0,
        };
        assert_eq!(skipped, expected_skips, "{name}");
    }
}

/// The times are microseconds, which four of the other forms keep exactly, and so does MSR.
#[test]
fn times_are_exact_where_the_format_can_hold_them() {
    let expected = by_hand("tpcc-small.mqsim");
    for (name, _, resolution_ps) in FORMS {
        if resolution_ps <= 1_000_000 {
            assert_eq!(concatenated(name).1, expected, "{name}");
        }
    }
}

#[test]
fn line_ends_of_other_systems_and_missing_ones_change_nothing() {
    for (name, ..) in FORMS {
        let text = fs::read_to_string(sample(name)).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let expected = concatenated(name).1;
        for other in [text.replace('\n', "\r\n"), text.trim_end().to_owned()] {
            fs::write(&path, other).unwrap();
            let mut config = TraceConfig::new(&path);
            config.devices = Devices::Concatenated;
            let mut source = TraceSource::open(&config, LARGE).unwrap();
            assert_eq!(requests(&mut source).unwrap(), expected, "{name}");
        }
    }
}

#[test]
fn a_trace_without_a_last_line_end_is_read_to_its_end() {
    let expected = by_hand("wsrch-small.mqsim");
    let (source, requests) = concatenated("wsrch-small.mqsim");
    assert_eq!(requests, expected);
    assert_eq!(source.counts().lines, 24_783);
    assert_eq!(requests.iter().filter(|r| r.kind == RequestKind::Read).count(), 24_779);
}
