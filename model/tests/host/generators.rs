//! What generators draw, against closed forms.

use floatgate_hal::units::Picoseconds;
use floatgate_model::host::{Capacity, Lba, Request, RequestKind, RequestSource, SectorCount};

use crate::{all, one_phase};

const GIB: u64 = 1 << 30;

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
}

#[test]
fn sequential_addresses_follow_each_other_and_wrap() {
    let fields = "until: Requests(5), pace: Closed(queue_depth: 1), pattern: Sequential,
                  region: (offset: Bytes(1024), size: Bytes(12288)),
                  sizes: Bytes(4096), kinds: (write: 1)";
    let starts: Vec<_> =
        all(&mut one_phase(fields, Capacity(100))).iter().map(|request| request.sector.0).collect();
    assert_eq!(starts, [2, 10, 18, 2, 10]);
}

#[test]
fn a_request_is_three_words() {
    assert_eq!(size_of::<Request>(), 24);
    assert_eq!(size_of::<Option<Request>>(), 24);
    let request =
        Request { sector: Lba(7), sectors: SectorCount(8), ..Request::flush(Picoseconds(0)) };
    assert_eq!(request.end(), Lba(15));
}
