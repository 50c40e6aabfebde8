//! What `floatgate run` prints, as text and as JSON.

use std::fmt;

use floatgate_hal::array::Origin;
use floatgate_hal::units::Picoseconds;
use floatgate_model::config::DriveConfig;
use floatgate_model::sim::LatencyHistogram;
use floatgate_model::ssd::RunResult;
use serde::Serialize;

const GIB: f64 = (1u64 << 30) as f64;

/// What came of a run.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    title: String,
    drive: Size,
    requests: u64,
    failed: u64,
    simulated_s: f64,
    iops: f64,
    reads: Traffic,
    writes: Traffic,
    others: Traffic,
    firmware: Firmware,
    flash: Flash,
}

/// How large the drive is.
#[derive(Debug, Serialize)]
struct Size {
    user_bytes: u64,
    flash_bytes: u64,
    /// (T - U) / U, of T pages of flash and U of the host.
    over_provisioning_percent: f64,
    /// (T - U) / T, as others count it.
    spare_factor_percent: f64,
}

/// Requests of one kind.
#[derive(Debug, Serialize)]
struct Traffic {
    requests: u64,
    mb_per_s: f64,
    /// None without requests.
    latency_us: Option<Latency>,
}

#[derive(Debug, Serialize)]
struct Latency {
    mean: f64,
    p50: f64,
    p99: f64,
    p99_9: f64,
    p99_99: f64,
    max: f64,
}

#[derive(Debug, Serialize)]
struct Firmware {
    host_pages: u64,
    stored_pages: u64,
    moved_pages: u64,
    /// Pages programmed for each that the host wrote.
    write_amplification: Option<f64>,
    collections: u64,
    stalled_writes: u64,
    buffer_stalls: u64,
    unmapped_reads: u64,
    lost_pages: u64,
    bad_blocks: u64,
}

#[derive(Debug, Serialize)]
struct Flash {
    reads: u64,
    programs: u64,
    erases: u64,
    /// Shares of the run in which channels carried something.
    channels_used: Vec<f64>,
    /// Shares of the run in which the arrays of dies worked.
    dies_used: Vec<f64>,
}

impl Summary {
    /// Of a run on a drive.
    pub(super) fn new(title: String, drive: &DriveConfig, result: &RunResult) -> Self {
        let seconds = result.span.0 as f64 / 1e12;
        let traffic = |latencies: &LatencyHistogram, bytes: u64| Traffic {
            requests: latencies.count(),
            mb_per_s: bytes as f64 / 1e6 / seconds,
            latency_us: Latency::new(latencies),
        };
        let host = &result.host;
        Self {
            title,
            drive: Size::new(drive),
            requests: host.completed(),
            failed: host.failed,
            simulated_s: seconds,
            iops: result.iops(),
            reads: traffic(&host.reads, host.bytes_read),
            writes: traffic(&host.writes, host.bytes_written),
            others: traffic(&host.others, 0),
            firmware: Firmware::new(result),
            flash: Flash::new(result),
        }
    }
}

impl Size {
    fn new(drive: &DriveConfig) -> Self {
        let (user_bytes, flash_bytes) = (drive.user_bytes(), drive.flash_bytes());
        let (user, all) = (user_bytes as f64, flash_bytes as f64);
        Self {
            user_bytes,
            flash_bytes,
            over_provisioning_percent: 100.0 * (all - user) / user,
            spare_factor_percent: 100.0 * (all - user) / all,
        }
    }
}

impl Latency {
    fn new(latencies: &LatencyHistogram) -> Option<Self> {
        let us = |span: Picoseconds| span.0 as f64 / 1e6;
        let at = |percent| latencies.percentile(percent).map(us);
        Some(Self {
            mean: latencies.mean_ps()? / 1e6,
            p50: at(50.0)?,
            p99: at(99.0)?,
            p99_9: at(99.9)?,
            p99_99: at(99.99)?,
            max: latencies.max().map(us)?,
        })
    }
}

impl Firmware {
    fn new(result: &RunResult) -> Self {
        let counts = result.drive;
        Self {
            host_pages: counts.host_pages,
            stored_pages: counts.stored_pages,
            moved_pages: counts.moved_pages,
            write_amplification: result.write_amplification(),
            collections: counts.collections,
            stalled_writes: counts.stalls,
            buffer_stalls: counts.buffer_stalls,
            unmapped_reads: counts.unmapped_reads,
            lost_pages: counts.lost_pages,
            bad_blocks: counts.bad_blocks,
        }
    }
}

impl Flash {
    fn new(result: &RunResult) -> Self {
        let used = |busy: &[Picoseconds]| {
            busy.iter().map(|busy| busy.0 as f64 / result.span.0 as f64).collect()
        };
        let sum = |counts: [u64; Origin::ALL.len()]| counts.iter().sum();
        let counts = result.operations;
        Self {
            reads: sum(counts.reads),
            programs: sum(counts.programs),
            erases: sum(counts.erases),
            channels_used: used(&result.channels),
            dies_used: used(&result.dies),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, requests, failed, simulated_s, iops, .. } = self;
        writeln!(f, "{title}\n{}", self.drive)?;
        writeln!(
            f,
            "requests    {requests} in {simulated_s:.3} s of simulated time, {iops:.0} a second; \
             {failed} failed"
        )?;
        writeln!(
            f,
            "latency, us      mean        p50        p99      p99.9     p99.99        max"
        )?;
        for (name, traffic) in
            [("reads", &self.reads), ("writes", &self.writes), ("others", &self.others)]
        {
            if let Some(Latency { mean, p50, p99, p99_9, p99_99, max }) = traffic.latency_us {
                let Traffic { requests, mb_per_s, .. } = traffic;
                writeln!(
                    f,
                    "  {name:8} {mean:10.1} {p50:10.1} {p99:10.1} {p99_9:10.1} {p99_99:10.1} \
                     {max:10.1}   {requests} at {mb_per_s:.1} MB/s"
                )?;
            }
        }
        write!(f, "{}{}", self.firmware, self.flash)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "drive       {:.2} GiB of {:.2} GiB flash; over-provisioning (T-U)/U {:.1} %, \
             (T-U)/T {:.1} %",
            self.user_bytes as f64 / GIB,
            self.flash_bytes as f64 / GIB,
            self.over_provisioning_percent,
            self.spare_factor_percent
        )
    }
}

impl fmt::Display for Firmware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host_pages, stored_pages, moved_pages, collections, .. } = self;
        let Self { stalled_writes, buffer_stalls, .. } = self;
        if let Some(amplification) = self.write_amplification {
            writeln!(
                f,
                "writes      {host_pages} pages of the host, {stored_pages} stored and \
                 {moved_pages} moved, write amplification {amplification:.3}\n\
                 collection  {collections} blocks; {stalled_writes} writes waited for one, \
                 {buffer_stalls} for the buffer"
            )?;
        }
        let Self { unmapped_reads, lost_pages, bad_blocks, .. } = self;
        writeln!(
            f,
            "firmware    {unmapped_reads} reads of pages that hold nothing, {lost_pages} pages \
             lost, {bad_blocks} blocks bad"
        )
    }
}

impl fmt::Display for Flash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reads, programs, erases, .. } = self;
        let percent = |used: &[f64]| 100.0 * used.iter().sum::<f64>() / used.len() as f64;
        writeln!(
            f,
            "flash       {reads} pages read, {programs} programmed, {erases} blocks erased; \
             channels {:.1} % in use, dies {:.1} %",
            percent(&self.channels_used),
            percent(&self.dies_used)
        )
    }
}
