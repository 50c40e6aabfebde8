//! What of a workload can be told to be wrong without knowing the device.

use std::collections::BTreeSet;

use super::size::SizeTable;
use super::{Bound, Extent, Flow, Gaps, KindWeights, Pace, Pattern, Phase, Rate, Region, Workload};
use crate::config::{Check, Fault};
use crate::host::request::SECTOR_BYTES;

/// Simulated time ends after 213 days; a workload is to leave room for its last requests.
const SPAN_MAX_S: f64 = 100.0 * 86_400.0;
/// The longest pause that is taken for meant.
const PAUSE_MAX_S: f64 = 3600.0;
/// Beyond it Zipf's first rank has all but everything.
const THETA_MAX: f64 = 20.0;
const PS_PER_S: u64 = 1_000_000_000_000;

/// What holds, or a fault of a field.
type Checked = Result<(), Fault>;

fn require(holds: bool, field: &str, message: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(Fault::new(field, message())) }
}

/// Puts the path that leads to it before a fault's field.
pub(super) fn within<T>(place: &str, result: Result<T, Fault>) -> Result<T, Fault> {
    result.map_err(|Fault { field, message }| Fault::new(format!("{place}.{field}"), message))
}

impl Check for Workload {
    fn check(&self) -> Checked {
        require(!self.flows.is_empty(), "flows", || "is empty".to_owned())?;
        let mut names = BTreeSet::new();
        for (index, flow) in self.flows.iter().enumerate() {
            let place = format!("flows[{index}]");
            let name = &flow.name;
            let is_new = names.insert(name);
            let message = || format!("`{name}` is the name of a flow before it");
            within(&place, require(is_new, "name", message))?;
            within(&place, flow.check())?;
        }
        Ok(())
    }
}

impl Check for Flow {
    fn check(&self) -> Checked {
        require(!self.name.is_empty(), "name", || "is empty".to_owned())?;
        require(!self.phases.is_empty(), "phases", || "is empty".to_owned())?;
        let mut span_s = 0.0;
        for (index, phase) in self.phases.iter().enumerate() {
            let place = format!("phases[{index}]");
            within(&place, phase.check())?;
            span_s += phase.span_s()?;
            within(
                &place,
                require(span_s <= SPAN_MAX_S, "until", || {
                    format!("the flow lasts {:.0} days by then, at most 100", span_s / 86_400.0)
                }),
            )?;
        }
        Ok(())
    }
}

impl Check for Phase {
    fn check(&self) -> Checked {
        let (Bound::Requests(bound) | Bound::Bytes(bound) | Bound::Microseconds(bound)) =
            self.until;
        require(bound > 0, "until", || "is 0, must be 1 or more".to_owned())?;
        let sizes = SizeTable::new(&self.sizes)?;
        check_pace(self.pace, &sizes)?;
        check_region(self.region)?;
        check_pattern(self.pattern)?;
        let KindWeights { read, write, trim } = self.kinds;
        let any = read > 0 || write > 0 || trim > 0;
        require(any, "kinds", || "all weights are 0".to_owned())?;
        check_fraction("fua_share", self.fua_share)
    }
}

impl Phase {
    /// About how long the phase takes in seconds, where that does not depend on the device.
    fn span_s(&self) -> Result<f64, Fault> {
        let mean_bytes = SizeTable::new(&self.sizes)?.mean_bytes();
        Ok(match (self.until, self.pace) {
            (Bound::Microseconds(us), _) => us as f64 / 1e6,
            (_, Pace::Closed { .. }) => 0.0,
            (bound, Pace::Open { rate, .. }) => match (bound, rate) {
                (Bound::Requests(n), Rate::RequestsPerSecond(rate)) => n as f64 / rate as f64,
                (Bound::Requests(n), Rate::BytesPerSecond(rate)) => {
                    n as f64 * mean_bytes / rate as f64
                }
                (Bound::Bytes(n), Rate::RequestsPerSecond(rate)) => {
                    n as f64 / mean_bytes / rate as f64
                }
                (Bound::Bytes(n), Rate::BytesPerSecond(rate)) => n as f64 / rate as f64,
                (Bound::Microseconds(us), _) => us as f64 / 1e6,
            },
        })
    }
}

fn check_pace(pace: Pace, sizes: &SizeTable) -> Checked {
    match pace {
        Pace::Closed { queue_depth, think_ns } => {
            let message = || "is 0, must be 1 or more".to_owned();
            require(queue_depth > 0, "pace.queue_depth", message)?;
            let message = || format!("is {think_ns}, more than an hour");
            require(think_ns as f64 <= PAUSE_MAX_S * 1e9, "pace.think_ns", message)
        }
        Pace::Open { rate, gaps: Gaps::Fixed | Gaps::Exponential } => {
            let (Rate::RequestsPerSecond(per_second) | Rate::BytesPerSecond(per_second)) = rate;
            let message = || "is 0, must be 1 or more".to_owned();
            require(per_second > 0, "pace.rate", message)?;
            match rate {
                Rate::RequestsPerSecond(n) => require(n <= PS_PER_S, "pace.rate", || {
                    format!("is {n} requests a second, must be at most one a picosecond")
                }),
                Rate::BytesPerSecond(n) => {
                    let longest_s = sizes.largest_bytes() as f64 / n as f64;
                    require(longest_s <= PAUSE_MAX_S, "pace.rate", || {
                        format!("at {n} bytes a second the largest request takes over an hour")
                    })
                }
            }
        }
    }
}

fn check_region(Region { offset, size }: Region) -> Checked {
    for (field, extent) in [("region.offset", offset), ("region.size", size)] {
        match extent {
            Extent::Fraction(fraction) => check_fraction(field, fraction)?,
            Extent::Bytes(bytes) => {
                require(bytes % SECTOR_BYTES == 0, field, || {
                    format!("is {bytes} bytes, must be whole sectors of 512")
                })?;
            }
        }
    }
    Ok(())
}

fn check_pattern(pattern: Pattern) -> Checked {
    match pattern {
        Pattern::Sequential | Pattern::Uniform | Pattern::Jesd219Enterprise => Ok(()),
        Pattern::Zipf { theta } => {
            let message = || format!("is {theta}, must be 0 to {THETA_MAX}");
            require((0.0..=THETA_MAX).contains(&theta), "pattern.theta", message)
        }
        Pattern::HotCold { space, accesses } => {
            let is_part = space > 0.0 && space < 1.0;
            let message = || format!("is {space}, must lie between 0 and 1");
            require(is_part, "pattern.space", message)?;
            check_fraction("pattern.accesses", accesses)
        }
    }
}

fn check_fraction(field: &str, fraction: f64) -> Checked {
    let message = || format!("is {fraction}, must be 0 to 1");
    require((0.0..=1.0).contains(&fraction), field, message)
}
