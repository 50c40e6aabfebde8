//! A run over time: what the host saw within windows of simulated time, and what the drive had done
//! at their ends. Memory has a bound whatever the length of the run.

use std::cell::{Cell, RefCell};

use floatgate_firmware::drive::DriveCounts;
use floatgate_hal::array::UnitIndex;
use floatgate_hal::units::Picoseconds;
use hdrhistogram::Histogram;

use super::{Energy, Ssd};
use crate::array::OperationCounts;
use crate::sim::{LatencyHistogram, Merge, Windows};

/// Significant decimal digits of a window's percentiles.
const DIGITS: u8 = 2;

/// Requests of one kind that ended within a window.
#[derive(Clone, Debug, Default)]
pub struct WindowTraffic {
    /// Their bytes.
    pub bytes: u64,
    latency_ps: u128,
    /// In nanoseconds; none without requests.
    latencies_ns: Option<Box<Histogram<u32>>>,
}

impl WindowTraffic {
    #[inline]
    pub(super) fn record(&mut self, latency: Picoseconds, bytes: u64) {
        self.bytes += bytes;
        self.latency_ps += u128::from(latency.0);
        let latencies = self.latencies_ns.get_or_insert_with(|| {
            Box::new(Histogram::new(DIGITS).expect("a legal number of digits"))
        });
        let noted = latencies.record(latency.0 / 1000);
        noted.expect("a histogram that grows takes every latency");
    }

    /// How many there were.
    pub fn requests(&self) -> u64 {
        self.latencies_ns.as_ref().map_or(0, |latencies| latencies.len())
    }

    /// Their mean latency in picoseconds, exact; none without requests.
    pub fn mean_ps(&self) -> Option<f64> {
        (self.requests() > 0).then(|| self.latency_ps as f64 / self.requests() as f64)
    }

    /// The latency that `percent` of them do not exceed, within 1 %; none without requests.
    pub fn percentile(&self, percent: f64) -> Option<Picoseconds> {
        let latencies = self.latencies_ns.as_ref()?;
        Some(Picoseconds(1000 * latencies.value_at_percentile(percent)))
    }
}

impl Merge for WindowTraffic {
    fn merge(&mut self, later: Self) {
        self.bytes += later.bytes;
        self.latency_ps += later.latency_ps;
        match (&mut self.latencies_ns, later.latencies_ns) {
            (Some(all), Some(more)) => {
                all.add(&*more).expect("a histogram that grows takes every latency");
            }
            (all @ None, more) => *all = more,
            (Some(_), None) => {}
        }
    }
}

/// What the host saw end within a window.
#[derive(Clone, Debug, Default)]
pub struct HostWindow {
    /// Reads.
    pub reads: WindowTraffic,
    /// Writes.
    pub writes: WindowTraffic,
}

impl Merge for HostWindow {
    fn merge(&mut self, later: Self) {
        self.reads.merge(later.reads);
        self.writes.merge(later.writes);
    }
}

/// Requests that have ended, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostTotals {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Others.
    pub others: u64,
    /// Bytes of reads.
    pub bytes_read: u64,
    /// Bytes of writes.
    pub bytes_written: u64,
}

/// What has been done by a time, and how the drive is then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The time.
    pub at: Picoseconds,
    /// What the host saw.
    pub host: HostTotals,
    /// What firmware did.
    pub drive: DriveCounts,
    /// Operations of the flash.
    pub operations: OperationCounts,
    /// For how long each channel has carried something.
    pub channels: Vec<Picoseconds>,
    /// For how long the array of each die has worked.
    pub dies: Vec<Picoseconds>,
    /// Pages in the buffer that are not on flash.
    pub buffered: u32,
    /// Free blocks of the drive.
    pub free_blocks: u32,
    /// Energy by component.
    pub energy_j: Energy,
}

impl Merge for Option<Sample> {
    fn merge(&mut self, later: Self) {
        if later.is_some() {
            *self = later;
        }
    }
}

/// A phase of a flow, from its first request on.
#[derive(Clone, Debug)]
pub struct PhaseStart {
    /// The flow.
    pub flow: u32,
    /// The phase, counted from 0 within the flow.
    pub phase: u32,
    /// What had been done before.
    pub sample: Sample,
    /// Latencies of the reads that had ended.
    pub reads: LatencyHistogram,
    /// Of the writes.
    pub writes: LatencyHistogram,
}

/// A run over time.
#[derive(Clone, Debug, Default)]
pub struct RunSeries {
    /// What the host saw within each window.
    pub host: Windows<HostWindow>,
    /// What had been done by the end of each window; none where it is as before.
    pub samples: Windows<Option<Sample>>,
    /// When phases began, in order.
    pub phases: Vec<PhaseStart>,
}

/// Takes samples while a run goes on.
#[derive(Default)]
pub(super) struct Sampler {
    /// When the window of the last sample is over.
    next_ps: Cell<u64>,
    samples: RefCell<Windows<Option<Sample>>>,
    phases: RefCell<Vec<PhaseStart>>,
}

impl Sampler {
    /// Whether a window is over, and so a sample is due.
    #[inline]
    pub(super) fn is_due(&self, now: Picoseconds) -> bool {
        now.0 >= self.next_ps.get()
    }

    /// Takes the sample at the end of a window.
    #[cold]
    pub(super) fn take(&self, ssd: &Ssd, now: Picoseconds) {
        let mut samples = self.samples.borrow_mut();
        samples.at(now);
        let width_ps = samples.width().0;
        let begin_ps = now.0 / width_ps * width_ps;
        if begin_ps > 0 {
            *samples.at(Picoseconds(begin_ps - 1)) = Some(ssd.sample(now));
        }
        self.next_ps.set(begin_ps + width_ps);
    }

    /// A phase of a flow begins.
    #[cold]
    pub(super) fn begin_phase(&self, ssd: &Ssd, now: Picoseconds, flow: u32, phase: u32) {
        let sample = ssd.sample(now);
        let host = ssd.drive().host().statistics();
        let (reads, writes) = (host.reads.clone(), host.writes.clone());
        let start = PhaseStart { flow, phase, sample, reads, writes };
        self.phases.borrow_mut().push(start);
    }

    /// The run is over.
    pub(super) fn finish(&self, ssd: &Ssd, now: Picoseconds) -> RunSeries {
        let mut samples = self.samples.take();
        *samples.at(now) = Some(ssd.sample(now));
        let mut host = ssd.drive().host().statistics().series.clone();
        let width = host.width().max(samples.width());
        host.widen(width);
        samples.widen(width);
        RunSeries { host, samples, phases: self.phases.take() }
    }
}

impl Ssd {
    /// What has been done so far.
    pub fn sample(&self, now: Picoseconds) -> Sample {
        let drive = self.drive();
        let (usage, ftl) = (drive.array().usage(), drive.ftl());
        let units = (0..ftl.geometry().units).map(UnitIndex);
        let host = drive.host().statistics();
        Sample {
            at: now,
            host: HostTotals {
                reads: host.reads.count(),
                writes: host.writes.count(),
                others: host.others.count(),
                bytes_read: host.bytes_read,
                bytes_written: host.bytes_written,
            },
            drive: drive.counts(),
            operations: usage.counts(),
            channels: usage.channels(now),
            dies: usage.dies(now),
            buffered: drive.buffered(),
            free_blocks: units.map(|unit| ftl.free_blocks(unit)).sum(),
            energy_j: self.energy(now),
        }
    }
}
