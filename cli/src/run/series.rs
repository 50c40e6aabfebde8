//! A run over time, as the report keeps it.

use floatgate_hal::units::Picoseconds;
use floatgate_model::config::Load;
use floatgate_model::sim::LatencyHistogram;
use floatgate_model::ssd::{Energy, HostWindow, PhaseStart, RunResult, Sample, WindowTraffic};
use floatgate_report::drive::{PhaseResult, Series, Window};

use super::load::phase_name;
use super::result::{components, latency, seconds};

/// Shares are kept to four decimals.
fn rounded(share: f64) -> f64 {
    (1e4 * share).round() / 1e4
}

/// The windows of a run.
pub(super) fn series(result: &RunResult) -> Series {
    let (host, samples) = (result.series.host.records(), result.series.samples.records());
    let width = result.series.samples.width();
    let count = host.len().max(samples.len());
    let mut series = Series {
        window_s: seconds(width),
        windows: Vec::with_capacity(count),
        die_use: vec![Vec::with_capacity(count); result.dies.len()],
    };
    let none = HostWindow::default();
    let mut before = Sample::default();
    for index in 0..count {
        let from_ps = index as u64 * width.0;
        // The last window ends with the run.
        let span_ps = width.0.min(result.span.0.saturating_sub(from_ps)).max(1);
        let seen = host.get(index).unwrap_or(&none);
        let mut window = host_window(seen, span_ps as f64 / 1e12);
        // Where there is no sample, the next one tells of this window as well.
        let after = samples[index.min(samples.len())..].iter().flatten().next();
        let uses =
            after.map_or_else(Vec::new, |after| shares(&before.dies, &after.dies, &before, after));
        let channels = after.map_or_else(Vec::new, |after| {
            shares(&before.channels, &after.channels, &before, after)
        });
        window.die_use = rounded(mean(&uses));
        window.channel_use = rounded(mean(&channels));
        for (die, shares) in series.die_use.iter_mut().enumerate() {
            shares.push(rounded(uses.get(die).copied().unwrap_or(0.0)));
        }
        if result.energy_j.is_some() {
            window.power_w = after.map(|after| power_w(&before, after));
        }
        if let Some(Some(sample)) = samples.get(index) {
            window.write_amplification = write_amplification(&before, sample);
            before = sample.clone();
        }
        window.buffered_pages = before.buffered;
        window.free_blocks = before.free_blocks;
        series.windows.push(window);
    }
    series
}

fn host_window(seen: &HostWindow, span_s: f64) -> Window {
    let mean_us = |traffic: &WindowTraffic| traffic.mean_ps().map(|mean_ps| mean_ps / 1e6);
    let p99_us = |traffic: &WindowTraffic| traffic.percentile(99.0).map(|span| span.0 as f64 / 1e6);
    Window {
        read_iops: seen.reads.requests() as f64 / span_s,
        write_iops: seen.writes.requests() as f64 / span_s,
        read_mean_us: mean_us(&seen.reads),
        read_p99_us: p99_us(&seen.reads),
        write_mean_us: mean_us(&seen.writes),
        write_p99_us: p99_us(&seen.writes),
        ..Window::default()
    }
}

/// Shares of the time between two samples.
fn shares(
    busy_before: &[Picoseconds],
    busy_after: &[Picoseconds],
    before: &Sample,
    after: &Sample,
) -> Vec<f64> {
    let passed_ps = (after.at.0 - before.at.0).max(1) as f64;
    let at_first = |index: usize| busy_before.get(index).map_or(0, |busy| busy.0);
    let share =
        |(index, busy): (usize, &Picoseconds)| (busy.0 - at_first(index)) as f64 / passed_ps;
    busy_after.iter().enumerate().map(share).collect()
}

/// Mean power of all components between two samples.
fn power_w(before: &Sample, after: &Sample) -> f64 {
    let passed_s = seconds(Picoseconds((after.at.0 - before.at.0).max(1)));
    spent(before, after).iter().sum::<f64>() / passed_s
}

fn spent(before: &Sample, after: &Sample) -> Energy {
    std::array::from_fn(|component| after.energy_j[component] - before.energy_j[component])
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

fn write_amplification(before: &Sample, after: &Sample) -> Option<f64> {
    let host_pages = after.drive.host_pages - before.drive.host_pages;
    let programmed = |Sample { drive, .. }: &Sample| {
        drive.stored_pages + drive.moved_pages + drive.journal_pages
    };
    (host_pages > 0).then(|| (programmed(after) - programmed(before)) as f64 / host_pages as f64)
}

/// The phases of a load, those that begin together as one.
pub(super) fn phases(load: &Load, result: &RunResult) -> Vec<PhaseResult> {
    let Some(Some(end)) = result.series.samples.records().last() else { return Vec::new() };
    let mut starts: Vec<(String, Moment)> = Vec::new();
    for PhaseStart { flow, phase, sample, reads, writes } in &result.series.phases {
        let name = phase_name(load, *flow, *phase);
        match starts.last_mut() {
            Some((names, last)) if last.sample.at == sample.at => *names += &format!(" + {name}"),
            _ => starts.push((name, Moment { sample, reads, writes })),
        }
    }
    let (reads, writes) = (&result.host.reads, &result.host.writes);
    let end = Moment { sample: end, reads, writes };
    let ends: Vec<_> = starts.iter().skip(1).map(|(_, start)| *start).chain([end]).collect();
    let of_run = result.energy_j.unwrap_or_default();
    let phase = |((name, from), until): ((String, Moment), Moment)| PhaseResult {
        energy: components(&spent(from.sample, until.sample), &of_run),
        reads_us: latency(&until.reads.since(from.reads)),
        writes_us: latency(&until.writes.since(from.writes)),
        ..phase(name, from.sample, until.sample)
    };
    starts.into_iter().zip(ends).map(phase).collect()
}

/// What had been done by a time, and with which latencies.
#[derive(Clone, Copy)]
struct Moment<'a> {
    sample: &'a Sample,
    reads: &'a LatencyHistogram,
    writes: &'a LatencyHistogram,
}

fn phase(name: String, from: &Sample, until: &Sample) -> PhaseResult {
    let span_s = seconds(Picoseconds((until.at.0 - from.at.0).max(1)));
    let ended = |sample: &Sample| sample.host.reads + sample.host.writes + sample.host.others;
    let bytes = |sample: &Sample| sample.host.bytes_read + sample.host.bytes_written;
    PhaseResult {
        name,
        from_s: seconds(from.at),
        until_s: seconds(until.at),
        reads: until.host.reads - from.host.reads,
        writes: until.host.writes - from.host.writes,
        iops: (ended(until) - ended(from)) as f64 / span_s,
        mb_per_s: (bytes(until) - bytes(from)) as f64 / 1e6 / span_s,
        write_amplification: write_amplification(from, until),
        reads_us: None,
        writes_us: None,
        energy: Vec::new(),
    }
}
