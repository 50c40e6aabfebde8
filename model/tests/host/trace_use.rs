//! What becomes of recorded requests: device, order, time and address.

use floatgate_hal::units::Picoseconds;
use floatgate_model::config::Check;
use floatgate_model::host::trace::{Devices, Fold, Order, Skip, Timing, TraceConfig, TraceSource};
use floatgate_model::host::{Capacity, Request, RequestKind, RequestSource};
use proptest::prelude::*;

use crate::{GIB, replay, requests, trace_file};

/// Sectors of each request.
fn sectors(requests: &[Request]) -> Vec<u64> {
    requests.iter().map(|request| request.sector.0).collect()
}

/// Arrivals of each request in ns.
fn arrivals(requests: &[Request]) -> Vec<u64> {
    requests.iter().map(|request| request.arrival.0 / 1000).collect()
}

/// The input of SimpleSSD issue 17, `tick offset length op`, whose strict mode displaced the times.
#[test]
fn requests_far_apart_keep_their_times() {
    let text = "1 0 0 48 0\n200 0 80 8 0\n15000 0 80 8 1\n";
    let requests = replay(text, |_| ()).unwrap();
    assert_eq!(arrivals(&requests), [0, 199, 14_999]);
    assert_eq!(sectors(&requests), [0, 80, 80]);
    let kinds: Vec<_> = requests.iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [RequestKind::Write, RequestKind::Write, RequestKind::Read]);
}

#[test]
fn a_trace_of_one_request_has_one() {
    let requests = replay("938513000 4 264 16 0", |_| ()).unwrap();
    assert_eq!((arrivals(&requests), sectors(&requests)), (vec![0], vec![264]));
}

/// The trace begins when its first request is asked for.
#[test]
fn a_trace_may_begin_late_in_a_run() {
    let (_dir, config) = trace_file("100 0 0 8 1\n160 0 0 8 1\n");
    let mut source = TraceSource::open(&config, Capacity(8)).unwrap();
    assert_eq!(source.queue_depth(), None);
    let mut next = || source.next_request(Picoseconds(7_000)).unwrap().map(|r| r.arrival.0);
    assert_eq!([next(), next(), next(), next()], [Some(7_000), Some(67_000), None, None]);
}

#[test]
fn times_are_scaled_by_a_factor() {
    let text = "1000 0 0 8 1\n1001 0 0 8 1\n9000 0 0 8 1\n";
    for (factor, expected) in [(0.5, [0, 500, 4_000_000]), (10.0, [0, 10_000, 80_000_000])] {
        let set = |config: &mut TraceConfig| config.timing = Timing::Recorded { factor };
        let requests = replay(text, set).unwrap();
        let ps: Vec<_> = requests.iter().map(|request| request.arrival.0).collect();
        assert_eq!(ps, expected);
    }
}

#[test]
fn a_closed_loop_ignores_the_recorded_times() {
    let (_dir, mut config) = trace_file("1000 0 0 8 1\n900000 0 8 8 1\n");
    config.timing = Timing::Closed { queue_depth: 4, think_ns: 5 };
    let mut source = TraceSource::open(&config, Capacity(16)).unwrap();
    assert_eq!(source.queue_depth().unwrap().get(), 4);
    let arrivals =
        [0, 20_000].map(|now| source.next_request(Picoseconds(now)).unwrap().unwrap().arrival.0);
    assert_eq!(arrivals, [5_000, 25_000]);
}

#[test]
fn a_window_sorts_what_it_holds() {
    let text = "30 0 3 1 1\n10 0 1 1 1\n20 0 2 1 1\n20 0 9 1 1\n50 0 5 1 1\n40 0 4 1 1\n";
    let set = |window| move |config: &mut TraceConfig| config.order = Order::Reordered { window };
    let requests = replay(text, set(2)).unwrap();
    assert_eq!(sectors(&requests), [1, 2, 9, 3, 4, 5], "equal times keep their order");
    assert_eq!(arrivals(&requests), [0, 10, 10, 20, 30, 40]);
    let text = "30 0 3 1 1\n31 0 1 1 1\n32 0 2 1 1\n10 0 9 1 1\n";
    let line = replay(text, set(2)).unwrap_err();
    assert_eq!(line, "t:4: field `arrival_ns`: is 20 ns too old for the window of 2 requests");
    assert_eq!(sectors(&replay(text, set(3)).unwrap()), [9, 3, 1, 2]);
}

#[test]
fn one_device_or_all_are_used() {
    let text = "1 7 100 8 1\n2 3 200 8 1\n3 7 5000 8 1\n4 3 0 8 1\n";
    let (_dir, mut config) = trace_file(text);
    let mut run = |devices| {
        config.devices = devices;
        let mut source = TraceSource::open(&config, Capacity::of_bytes(GIB)).unwrap();
        let requests = requests(&mut source).map_err(|error| error.to_string());
        (requests, source.counts().skipped(Skip::OtherDevice))
    };
    let (seven, skipped) = run(Devices::One("7".to_owned()));
    let seven = seven.unwrap();
    assert_eq!((sectors(&seven), arrivals(&seven)), (vec![100, 5000], vec![0, 2]));
    assert_eq!(skipped, 2);
    let (three, _) = run(Devices::One("3".to_owned()));
    assert_eq!(arrivals(&three.unwrap()), [0, 2], "its own first request is at 0");
    let (none, _) = run(Devices::One("4".to_owned()));
    let none = none.unwrap_err();
    assert!(
        none.ends_with("holds no request of device `4`; of 4 lines 4 of other devices skipped"),
        "{none}"
    );
    // Device 7 ends at 5008, rounded up to 6144.
    let (all, _) = run(Devices::Concatenated);
    assert_eq!(sectors(&all.unwrap()), [100, 6344, 5000, 6144]);
}

#[test]
fn devices_are_called_what_the_file_calls_them() {
    for (text, name) in [
        ("1,usr,0,Read,0,512,9\n2,usr,1,Read,512,512,9\n", "usr,1"),
        ("1 9 p 0 1 R 8 0 m\n2 9 p 1 1 R 8 16 m\n", "8 16"),
        ("8,0 0 1 0.0 9 D R 0 + 1 [p]\n8,16 0 1 0.1 9 D R 1 + 1 [p]\n", "8,16"),
        ("fio version 3 iolog\n0 a add\n0 b add\n0 a read 0 512\n1 b read 512 512\n", "b"),
        ("0,0,512,R,0.0\n1,1,512,R,0.1\n", "1"),
    ] {
        let set = |config: &mut TraceConfig| config.devices = Devices::One(name.to_owned());
        assert_eq!(sectors(&replay(text, set).unwrap()), [1], "{text}");
    }
}

/// Requests of this trace on a device of this capacity.
fn folded(text: &str, fold: Fold, capacity: u64) -> (Vec<u64>, u64) {
    let (_dir, mut config) = trace_file(text);
    config.fold = fold;
    let mut source = TraceSource::open(&config, Capacity(capacity)).unwrap();
    let sectors = sectors(&requests(&mut source).unwrap());
    (sectors, source.counts().folded)
}

#[test]
fn addresses_wrap_and_scale_by_the_stated_rules() {
    let text = "1 0 0 8 1\n2 0 96 8 1\n3 0 1003 8 1\n4 0 92 8 1\n5 0 1992 8 1\n";
    // 96 + 8 runs out of 100 sectors, and so would 1992 mod 100 = 92 not.
    assert_eq!(folded(text, Fold::Wrap, 100), (vec![0, 92, 3, 92, 92], 3));
    // 250 pages onto 25: page 12 becomes 1, page 125 with 3 sectors beyond it 12, 11 becomes 1.
    assert_eq!(folded(text, Fold::Scale, 200), (vec![0, 8, 99, 12, 192], 4));
    assert_eq!(folded(text, Fold::Scale, 2000), (vec![0, 96, 1003, 92, 1992], 0));
}

#[test]
fn options_out_of_range_are_refused() {
    let message = |set: &dyn Fn(&mut TraceConfig)| {
        let mut config = TraceConfig::new("t");
        set(&mut config);
        let fault = config.check().unwrap_err();
        format!("{}: {}", fault.field, fault.message)
    };
    let window = message(&|config| config.order = Order::Reordered { window: 0 });
    assert_eq!(window, "order.window: is 0, must be 1 or more");
    let factor = message(&|config| config.timing = Timing::Recorded { factor: 0.0 });
    assert_eq!(factor, "timing.factor: is 0, must be above 0");
    let depth = message(&|config| config.timing = Timing::Closed { queue_depth: 0, think_ns: 0 });
    assert_eq!(depth, "timing.queue_depth: is 0, must be 1 or more");
    let (_dir, mut config) = trace_file("1 0 0 8 1\n");
    config.timing = Timing::Recorded { factor: f64::NAN };
    let error = TraceSource::open(&config, Capacity(8)).unwrap_err().to_string();
    assert!(error.ends_with("/t: option `timing.factor`: is NaN, must be above 0"), "{error}");
}

proptest! {
    /// Any order within a window comes out sorted, and nothing is lost.
    #[test]
    fn a_window_as_long_as_the_disorder_sorts(
        times in prop::collection::vec(0u64..1000, 1..200),
        window in 1usize..20,
    ) {
        // Blocks of the window's length are shuffled, so none is further away from its place.
        let mut sorted = times.clone();
        sorted.sort_unstable();
        let mut shuffled = sorted.clone();
        for (index, block) in shuffled.chunks_mut(window).enumerate() {
            block.rotate_left(times[index % times.len()] as usize % block.len());
        }
        let lines: Vec<_> = shuffled.iter().map(|ns| format!("{ns} 0 {ns} 1 1\n")).collect();
        let set = |config: &mut TraceConfig| config.order = Order::Reordered { window };
        let requests = replay(lines.concat(), set).unwrap();
        prop_assert_eq!(sectors(&requests), sorted);
    }

    /// Whatever is folded lies on the device, and its position within 4 KiB is kept by scaling
    /// unless the device ends there.
    #[test]
    fn folded_requests_lie_on_the_device(
        rows in prop::collection::vec((0u64..1 << 40, 1u64..64), 1..50),
        capacity in 64u64..100_000,
        scale: bool,
    ) {
        let lines: Vec<_> = rows.iter().map(|(s, n)| format!("1 0 {s} {n} 1\n")).collect();
        let fold = if scale { Fold::Scale } else { Fold::Wrap };
        let (sectors, _) = folded(&lines.concat(), fold, capacity);
        for (sector, &(before, length)) in sectors.into_iter().zip(&rows) {
            prop_assert!(sector + length <= capacity);
            let kept = !scale || sector % 8 == before % 8 || sector + length == capacity;
            prop_assert!(kept, "{before} became {sector}");
        }
    }
}
