//! What the host of a run asks for.

use std::path::Path;

use floatgate_model::config::{ConfigError, Load};
use floatgate_model::host::trace::{TraceConfig, TraceSource};
use floatgate_model::host::workload::{Bound, Flow};
use floatgate_model::host::{Capacity, RequestSource};

use crate::exit::{ExitCode, Failure, OrExit};

/// Puts a trace in the place of a load, in the way of the load's trace if it has one.
pub(super) fn replace(load: &mut Load, path: &Path) {
    let trace = match load {
        Load::Trace(config) => TraceConfig { path: path.to_owned(), ..config.clone() },
        Load::Workload(_) => TraceConfig::new(path),
    };
    *load = Load::Trace(trace);
}

/// Where the requests come from, flow by flow.
///
/// # Errors
/// A load that does not fit the drive, a trace that cannot be opened.
pub(super) fn flows(
    path: &Path,
    load: &Load,
    capacity: Capacity,
) -> Result<Vec<Box<dyn RequestSource>>, Failure> {
    match load {
        Load::Trace(config) => {
            let source = TraceSource::open(config, capacity).or_exit(ExitCode::Input)?;
            Ok(vec![Box::new(source)])
        }
        Load::Workload(workload) => {
            let sources = workload.sources(capacity).map_err(|mut fault| {
                fault.field = format!("load.{}", fault.field);
                Failure::new(ExitCode::Input, ConfigError::at(path, fault))
            })?;
            Ok(sources.into_iter().map(|source| Box::new(source) as _).collect())
        }
    }
}

/// What a phase of a load is called: by its flow where that has one phase only.
pub(super) fn phase_name(load: &Load, flow: u32, phase: u32) -> String {
    let Load::Workload(workload) = load else { return "trace".to_owned() };
    let Flow { name, phases } = &workload.flows[flow as usize];
    let own = &phases[phase as usize].name;
    match (own.is_empty(), phases.len()) {
        (true, 1) => name.clone(),
        (true, _) => format!("{name} {}", phase + 1),
        (false, _) if workload.flows.len() == 1 => own.clone(),
        (false, _) => format!("{name} {own}"),
    }
}

/// How long a load is, where that can be told before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// So many requests.
    Requests(u64),
    /// So much simulated time.
    Microseconds(u64),
    /// It ends when it does.
    Unknown,
}

/// The length of a load.
pub(super) fn length(load: &Load) -> Length {
    let Load::Workload(workload) = load else { return Length::Unknown };
    let bounds = |flow: &Flow| flow.phases.iter().map(|phase| phase.until).collect::<Vec<_>>();
    let requests = |bound: &Bound| match bound {
        Bound::Requests(count) => Some(*count),
        _ => None,
    };
    let time = |bound: &Bound| match bound {
        Bound::Microseconds(us) => Some(*us),
        _ => None,
    };
    let all = || workload.flows.iter().map(bounds);
    let counts: Option<Vec<u64>> =
        all().map(|bounds| bounds.iter().map(requests).sum::<Option<u64>>()).collect();
    let times: Option<Vec<u64>> =
        all().map(|bounds| bounds.iter().map(time).sum::<Option<u64>>()).collect();
    match (counts, times) {
        (Some(counts), _) => Length::Requests(counts.iter().sum()),
        (_, Some(times)) => Length::Microseconds(times.into_iter().max().unwrap_or(0)),
        _ => Length::Unknown,
    }
}
