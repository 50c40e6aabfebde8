//! Records over time: a bound on their number, and sums that hold.

use floatgate_hal::units::Picoseconds;
use floatgate_model::sim::{Merge, Windows};

#[derive(Clone, Debug, Default, PartialEq)]
struct Count(u64);

impl Merge for Count {
    fn merge(&mut self, later: Self) {
        self.0 += later.0;
    }
}

const MOST: usize = Windows::<Count>::MOST;

/// An event each 1/8 ms, then one much later.
#[test]
fn windows_are_put_together_by_twos_and_lose_nothing() {
    let mut windows: Windows<Count> = Windows::default();
    let first = windows.width();
    for time in (0..1000).map(|event| Picoseconds(event * first.0)) {
        windows.at(time).0 += 1;
    }
    assert_eq!(windows.width().0, 8 * first.0);
    assert_eq!(windows.records(), vec![Count(8); 125]);
    windows.at(Picoseconds(123 * first.0)).0 += 1;
    assert_eq!(windows.records()[15], Count(9));
    windows.at(Picoseconds(1_000_000 * first.0)).0 += 1;
    let counts: Vec<u64> = windows.records().iter().map(|count| count.0).collect();
    assert!((MOST / 2..=MOST).contains(&counts.len()));
    assert_eq!((counts[0], counts[counts.len() - 1]), (1001, 1));
    assert_eq!(counts.iter().sum::<u64>(), 1002);
    assert_eq!(windows.end().0, windows.width().0 * counts.len() as u64);
}

#[test]
fn windows_can_be_made_as_wide_as_others() {
    let mut windows: Windows<Count> = Windows::default();
    let first = windows.width();
    for time in (0..7).map(|event| Picoseconds(event * first.0)) {
        *windows.at(time) = Count(1);
    }
    windows.widen(Picoseconds(4 * first.0));
    assert_eq!(windows.records(), [Count(4), Count(3)]);
    assert_eq!(windows.end(), Picoseconds(8 * first.0));
    windows.widen(first);
    assert_eq!(windows.width(), Picoseconds(4 * first.0));
}
