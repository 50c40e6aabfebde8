//! Channels that are RTL for a part of a run: `--rtl channel=0,from=1ms,until=2ms`.

use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;

use floatgate_cosim::engine::{EngineError, EnginePlan, RtlEngine};
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{ChannelEngine, Record, Spans};
use floatgate_model::config::{ConfigError, DriveConfig, Fault};
use floatgate_model::die::Part;
use floatgate_model::host::RequestSource;
use floatgate_model::sim::Sim;
use floatgate_model::ssd::{Ready, Window};
use floatgate_report::drive::{RtlChannel, RtlOperations, RtlSpans};

use crate::exit::{ExitCode, Failure, OrExit};
use crate::project;

/// Its name.
const PART: &str = "mt29f32g08cbaba";

/// A channel and when it is RTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RtlWindow(Window);

impl FromStr for RtlWindow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut channel, mut from, mut until) = (None, Picoseconds(0), None);
        for item in text.split(',') {
            match item.split_once('=') {
                Some(("channel", number)) => {
                    let number = number.parse().map_err(|_| format!("`{number}` is no channel"))?;
                    channel = Some(number);
                }
                Some(("from", time)) => from = span(time)?,
                Some(("until", time)) => until = Some(span(time)?),
                _ => return Err(format!("`{item}` is none of channel=, from= and until=")),
            }
        }
        let channel = channel.ok_or("channel= is missing")?;
        if until.is_some_and(|until| until <= from) {
            return Err("until= is not after from=".to_owned());
        }
        Ok(Self(Window { channel, from, until }))
    }
}

/// A time with its unit.
fn span(text: &str) -> Result<Picoseconds, String> {
    let units = [("ns", 1e3), ("us", 1e6), ("ms", 1e9), ("s", 1e12)];
    let number = |(unit, ps): (&str, f64)| {
        let count: f64 = text.strip_suffix(unit)?.parse().ok()?;
        let is_time = (0.0..1e18).contains(&(count * ps));
        is_time.then(|| Picoseconds((count * ps).round() as u64))
    };
    let time = units.into_iter().find_map(number);
    time.ok_or_else(|| format!("`{text}` is no time; 250ns, 10us, 1.5ms and 2s are"))
}

/// What a drive's channels need to be RTL; none where none is to be.
///
/// # Errors
/// A channel that is not there, or twice; what the RTL does not do.
pub(super) fn plan(
    windows: &[RtlWindow],
    drive: &DriveConfig,
    name: &str,
    seed: u64,
) -> Result<Option<EnginePlan>, Failure> {
    let channels = drive.topology.channels;
    for (at, RtlWindow(window)) in windows.iter().enumerate() {
        let channel = window.channel;
        let refuse = |what: String| {
            Err(Failure::new(ExitCode::Input, format!("--rtl: drive {name} {what}")))
        };
        if channel >= channels {
            return refuse(format!("has no channel {channel}, the last one is {}", channels - 1));
        }
        if windows[..at].iter().any(|RtlWindow(other)| other.channel == channel) {
            return refuse(format!("has one window for a channel, channel {channel} has two"));
        }
    }
    if windows.is_empty() {
        return Ok(None);
    }
    let part = part()?;
    let file = project::root().join(format!("configs/drives/{name}.ron"));
    let plan = EnginePlan::new(drive, &part, seed).map_err(|error| {
        let line = match error {
            EngineError::Unsupported { field, message } => {
                ConfigError::at(&file, Fault::new(field, message)).to_string()
            }
            error => error.to_string(),
        };
        Failure::new(ExitCode::Input, format!("--rtl: {line}"))
    })?;
    Ok(Some(plan))
}

/// The part that the dies at the pins are like.
///
/// # Errors
/// It is not there, or wrong.
pub(crate) fn part() -> Result<Arc<Part>, Failure> {
    let path = project::root().join(format!("configs/parts/{PART}.ron"));
    Part::load(path).or_exit(ExitCode::Input)
}

/// Puts the RTL behind the channels of a run.
///
/// # Errors
/// The RTL fails an assertion.
pub(super) fn attach<S: RequestSource + 'static>(
    mut ready: Ready<S>,
    windows: &[RtlWindow],
    plan: &EnginePlan,
) -> Result<Ready<S>, Failure> {
    for &RtlWindow(window) in windows {
        let engine = |sim: &Sim| -> Result<Rc<dyn ChannelEngine>, _> {
            Ok::<_, verilated::Error>(RtlEngine::new(sim, plan)?)
        };
        ready = ready.with_engine(window, engine).or_exit(ExitCode::Unexpected)?;
    }
    Ok(ready)
}

/// What came of a channel, for the report.
pub(super) fn result(record: &Record) -> RtlChannel {
    let us = |span: Picoseconds| span.0 as f64 / 1e6;
    let spans = |of: Spans| RtlSpans { mean_us: of.mean_ps / 1e6, p99_us: us(of.p99) };
    let operations = record.compared().into_iter().map(|of| RtlOperations {
        kind: of.name.to_owned(),
        operations: of.count as u64,
        rtl: spans(of.engine),
        model: spans(of.model),
    });
    RtlChannel {
        channel: record.channel,
        from_us: us(record.from),
        until_us: us(record.until),
        clocks: record.clocks.0,
        operations: operations.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_and_wrong_ones_told() {
        let window = |text: &str| text.parse::<RtlWindow>().map(|RtlWindow(window)| window);
        let times = |from_ps, until| Window { channel: 3, from: Picoseconds(from_ps), until };
        assert_eq!(window("channel=3"), Ok(times(0, None)));
        let until = Some(Picoseconds(2_500_000_000));
        assert_eq!(window("channel=3,from=10us,until=2.5ms"), Ok(times(10_000_000, until)));
        let wrong = [
            ("from=1ms", "channel= is missing"),
            ("channel=x", "`x` is no channel"),
            ("channel=3,from=5", "`5` is no time; 250ns, 10us, 1.5ms and 2s are"),
            ("channel=3,from=-1ms", "`-1ms` is no time; 250ns, 10us, 1.5ms and 2s are"),
            ("channel=3,from=2ms,until=2000us", "until= is not after from="),
            ("channel=3,to=1s", "`to=1s` is none of channel=, from= and until="),
        ];
        for (text, message) in wrong {
            assert_eq!(window(text), Err(message.to_owned()), "{text}");
        }
    }
}
