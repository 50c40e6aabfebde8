//! When requests arrive: open and closed loops, and phases one after the other.

use floatgate_hal::units::Picoseconds;
use floatgate_model::host::{Capacity, Request, RequestKind, RequestSource};

use crate::{GIB, all, one_phase, workload};

const MS: u64 = 1_000_000_000;

fn reads(until: &str, pace: &str, bytes: u64) -> Vec<Request> {
    let fields = format!(
        "until: {until}, pace: {pace}, pattern: Uniform, sizes: Bytes({bytes}), kinds: (read: 1)"
    );
    all(&mut one_phase(&fields, Capacity::of_bytes(GIB)))
}

#[test]
fn a_run_of_one_request_has_one() {
    let fields = "until: Requests(1), pace: Closed(queue_depth: 16), pattern: Uniform,
                  sizes: Bytes(4096), kinds: (read: 1)";
    let mut source = one_phase(fields, Capacity::of_bytes(GIB));
    assert_eq!(source.queue_depth().map(|depth| depth.get()), Some(16));
    let request = source.next(Picoseconds(5)).unwrap();
    assert_eq!((request.arrival, request.kind), (Picoseconds(5), RequestKind::Read));
    assert_eq!(source.queue_depth(), None);
    assert_eq!(source.next(Picoseconds(6)), None);
    assert_eq!(source.next(Picoseconds(7)), None);
    let open = reads("Requests(1)", "Open(rate: RequestsPerSecond(1), gaps: Exponential)", 512);
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].arrival, Picoseconds(0));
}

/// 3 requests a second: no gap is a whole number of picoseconds, the sum is.
#[test]
fn a_fixed_rate_is_exact_over_time() {
    let requests = reads("Requests(3001)", "Open(rate: RequestsPerSecond(3), gaps: Fixed)", 512);
    for (index, request) in (0u128..).zip(&requests) {
        let exact = index * 1_000_000_000_000 / 3;
        assert_eq!(u128::from(request.arrival.0), exact, "request {index}");
    }
    assert_eq!(requests[3000].arrival.0, 1_000_000_000_000_000);
}

/// Rates above 2^32 and 2^31 bytes a second, at which 32-bit simulators break.
#[test]
fn high_rates_are_offered_in_full() {
    for rate in [2_147_483_648, 4_294_967_296, 8_000_000_000, 100_000_000_000u64] {
        for gaps in ["Fixed", "Exponential"] {
            let pace = format!("Open(rate: BytesPerSecond({rate}), gaps: {gaps})");
            let requests = reads("Bytes(1073741824)", &pace, 4096);
            assert_eq!(requests.len(), 262_144);
            let seconds = requests.last().unwrap().arrival.0 as f64 / 1e12;
            let offered = (requests.len() - 1) as f64 * 4096.0 / seconds;
            let error = offered / rate as f64 - 1.0;
            // A mean of 262,143 exponential gaps has a standard deviation of 0.195 %.
            let bound = if gaps == "Fixed" { 1e-9 } else { 4.0 * 0.00195 };
            assert!(error.abs() < bound, "{rate} {gaps}: {error}");
        }
    }
}

#[test]
fn exponential_gaps_have_the_mean_and_the_spread_of_an_exponential() {
    let pace = "Open(rate: RequestsPerSecond(200000), gaps: Exponential)";
    let requests = reads("Requests(400001)", pace, 4096);
    let gaps: Vec<f64> = requests
        .windows(2)
        .map(|pair| (pair[1].arrival.0 - pair[0].arrival.0) as f64 / 5e6)
        .collect();
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / n;
    let square = gaps.iter().map(|gap| gap * gap).sum::<f64>() / n;
    let longer = gaps.iter().filter(|&&gap| gap > 3.0).count() as f64 / n;
    // Means of gap, square and tail are 1, 2 and e^-3; four standard deviations of each.
    assert!((mean - 1.0).abs() < 4.0 / n.sqrt(), "{mean}");
    assert!((square - 2.0).abs() < 4.0 * (20.0 / n).sqrt(), "{square}");
    let tail = (-3.0f64).exp();
    assert!((longer - tail).abs() < 4.0 * (tail / n).sqrt(), "{longer}");
}

#[test]
fn a_rate_in_bytes_makes_gaps_as_long_as_requests() {
    let fields = "until: Requests(1000), pace: Open(rate: BytesPerSecond(512000000), gaps: Fixed),
                  pattern: Uniform, sizes: Mix([(bytes: 512), (bytes: 65536)]), kinds: (write: 1),
                  flush_every_writes: 10";
    let requests = all(&mut one_phase(fields, Capacity::of_bytes(GIB)));
    for pair in requests.windows(2) {
        let gap = pair[1].arrival.0 - pair[0].arrival.0;
        assert_eq!(gap, u64::from(pair[0].sectors.0) * 1_000_000, "{pair:?}");
    }
}

#[test]
fn a_closed_loop_waits_and_thinks() {
    let fields = "until: Requests(3), pace: Closed(queue_depth: 2, think_ns: 7), pattern: Uniform,
                  sizes: Bytes(4096), kinds: (read: 1)";
    let mut source = one_phase(fields, Capacity::of_bytes(GIB));
    let arrivals = [0, 10_000, 10_000].map(|now| source.next(Picoseconds(now)).unwrap().arrival.0);
    assert_eq!(arrivals, [7_000, 17_000, 17_000]);
}

#[test]
fn a_phase_ends_with_its_requests_bytes_or_time() {
    let pace = "Open(rate: RequestsPerSecond(1000000), gaps: Fixed)";
    assert_eq!(reads("Requests(17)", pace, 4096).len(), 17);
    assert_eq!(reads("Bytes(40961)", pace, 4096).len(), 11);
    // One each microsecond from 0 to 99 us, and none at 100 us.
    assert_eq!(reads("Microseconds(100)", pace, 4096).len(), 100);
}

const THREE_PHASES: &str = "(seed: 1, flows: [(name: \"f\", phases: [
    (until: Microseconds(1000), pace: Open(rate: RequestsPerSecond(10000), gaps: Fixed),
     pattern: Uniform, sizes: Bytes(512), kinds: (read: 1)),
    (until: Requests(2), pace: Closed(queue_depth: 4), pattern: Uniform, sizes: Bytes(1024),
     kinds: (write: 1)),
    (until: Microseconds(1000), pace: Closed(queue_depth: 9), pattern: Sequential,
     sizes: Bytes(2048), kinds: (trim: 1)),
])])";

#[test]
fn phases_follow_each_other() {
    let mut sources = workload(THREE_PHASES).sources(Capacity::of_bytes(GIB)).unwrap();
    let source = &mut sources[0];
    for index in 0..10 {
        assert_eq!(source.queue_depth(), None);
        let request = source.next(Picoseconds(0)).unwrap();
        assert_eq!((request.kind, request.arrival.0), (RequestKind::Read, index * MS / 10));
    }
    // The time of the open phase is over at 1 ms, whenever the next request is asked for.
    let first = source.next(Picoseconds(0)).unwrap();
    assert_eq!((first.kind, first.arrival.0), (RequestKind::Write, MS));
    assert_eq!(source.queue_depth().unwrap().get(), 4);
    let second = source.next(Picoseconds(3 * MS)).unwrap();
    assert_eq!((second.kind, second.arrival.0), (RequestKind::Write, 3 * MS));
    assert_eq!(source.queue_depth().unwrap().get(), 9);
    let third = source.next(Picoseconds(4 * MS)).unwrap();
    assert_eq!((third.kind, third.arrival.0, third.sector.0), (RequestKind::Trim, 4 * MS, 0));
    let last = source.next(Picoseconds(5 * MS - 1)).unwrap();
    assert_eq!((last.arrival.0, last.sector.0), (5 * MS - 1, 4));
    assert_eq!(source.next(Picoseconds(5 * MS)), None);
}
