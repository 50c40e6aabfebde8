//! The result of a run of a whole drive, as it is kept and as the report reads it.

use serde::{Deserialize, Serialize};

use super::checked::CheckedData;
use super::rtl::RtlChannel;

/// What came of a run: the same for the same seed, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveResult {
    /// Name of the run, which is also the name of its folder.
    pub name: String,
    /// Heading of its report.
    pub title: String,
    /// The drive.
    pub drive: DriveFacts,
    /// Whether the run came to its end; otherwise it was interrupted.
    pub is_complete: bool,
    /// Requests that ended.
    pub requests: u64,
    /// Those of them that ended with an error.
    pub failed: u64,
    /// From the first request to the last one's end.
    pub simulated_s: f64,
    /// Requests a second of simulated time.
    pub iops: f64,
    /// Reads.
    pub reads: Traffic,
    /// Writes.
    pub writes: Traffic,
    /// Trims and flushes.
    pub others: Traffic,
    /// What firmware did.
    pub firmware: FirmwareCounts,
    /// What the flash did.
    pub flash: FlashCounts,
    /// Strengths of the code by block, where the drive has a ladder of them.
    #[serde(default)]
    pub ladder: Option<Ladder>,
    /// What was read and compared with what was written, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<CheckedData>,
    /// Energy by component; empty where the configuration has no power.
    pub energy: Vec<ComponentEnergy>,
    /// Phases of the load, one after the other; those that begin together have one line.
    pub phases: Vec<PhaseResult>,
    /// The run over time.
    pub series: Series,
    /// Channels that were RTL for a part of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rtl: Vec<RtlChannel>,
    /// Remarks the reader must see, one sentence each.
    pub notes: Vec<String>,
}

/// A drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveFacts {
    /// Its configuration.
    pub name: String,
    /// Bytes that the host sees.
    pub user_bytes: u64,
    /// Bytes of flash.
    pub flash_bytes: u64,
    /// (T - U) / U, of T pages of flash and U of the host.
    pub over_provisioning_percent: f64,
    /// (T - U) / T, as others count it.
    pub spare_factor_percent: f64,
    /// Channels.
    pub channels: u32,
    /// Dies of a channel.
    pub dies_per_channel: u32,
    /// Planes of a die.
    pub planes: u32,
    /// Data bytes of a page.
    pub page_bytes: u32,
    /// Pages of the write-back buffer.
    pub buffer_pages: u32,
    /// Pieces of requests that firmware has under way at most.
    pub workers: u32,
    /// Bandwidth of the link to the host, in either direction.
    pub link_mb_per_s: f64,
    /// What was on it when the run began.
    pub precondition: String,
}

/// Requests of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// How many ended.
    pub requests: u64,
    /// Their data over the time of the run.
    pub mb_per_s: f64,
    /// None without requests.
    pub latency_us: Option<Latency>,
    /// Mean of each part of the latency, in the order in which they come; they add up to the mean.
    pub parts: Vec<PartMean>,
    /// The same of requests that took about as long, ascending.
    pub classes: Vec<LatencyClass>,
}

/// Latencies in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// Mean.
    pub mean: f64,
    /// Half of the requests take no longer.
    pub p50: f64,
    /// 90 %.
    pub p90: f64,
    /// 99 %.
    pub p99: f64,
    /// 99.9 %.
    pub p99_9: f64,
    /// 99.99 %.
    pub p99_99: f64,
    /// The longest.
    pub max: f64,
}

impl Latency {
    /// Percentiles, with their names as headings and in metrics.
    pub fn percentiles(&self) -> [(&'static str, &'static str, f64); 6] {
        [
            ("p50", "p50", self.p50),
            ("p90", "p90", self.p90),
            ("p99", "p99", self.p99),
            ("p99.9", "p99_9", self.p99_9),
            ("p99.99", "p99_99", self.p99_99),
            ("max", "max", self.max),
        ]
    }
}

/// A part of a latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartMean {
    /// What the time goes into.
    pub part: String,
    /// Its mean.
    pub mean_us: f64,
}

/// Requests that took from so long on, up to twice as long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyClass {
    /// From here on.
    pub from_us: f64,
    /// How many.
    pub requests: u64,
    /// Means of their parts, in the order of [`Traffic::parts`].
    pub parts_us: Vec<f64>,
}

/// What firmware did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmwareCounts {
    /// Pages that the host wrote, in whole or in part.
    pub host_pages: u64,
    /// Pages programmed with them.
    pub stored_pages: u64,
    /// Pages moved by collection.
    pub moved_pages: u64,
    /// Pages programmed for each that the host wrote; none where it wrote nothing.
    pub write_amplification: Option<f64>,
    /// Blocks collected.
    pub collections: u64,
    /// Writes that waited for a free block.
    pub stalled_writes: u64,
    /// Writes that waited for a place in the buffer.
    pub buffer_stalls: u64,
    /// Reads of pages that hold nothing.
    pub unmapped_reads: u64,
    /// Pages lost.
    pub lost_pages: u64,
    /// Blocks taken out of use.
    pub bad_blocks: u64,
}

/// What the flash did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlashCounts {
    /// Pages read.
    pub reads: u64,
    /// Pages programmed.
    pub programs: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Shares of the run in which channels carried something.
    pub channels_used: Vec<f64>,
    /// Shares of the run in which the arrays of dies worked.
    pub dies_used: Vec<f64>,
}

impl FlashCounts {
    /// Mean share of the channels.
    pub fn mean_channel_use(&self) -> f64 {
        mean(&self.channels_used)
    }

    /// Mean share of the dies.
    pub fn mean_die_use(&self) -> f64 {
        mean(&self.dies_used)
    }
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

/// A ladder of strengths at the end of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ladder {
    /// The strengths, ascending.
    pub levels: Vec<LadderLevel>,
    /// Blocks that outgrew a strength and got the next one.
    pub raised_blocks: u32,
    /// Blocks that outgrew the last one and were taken out of use.
    pub retired_blocks: u32,
}

/// A strength of a ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderLevel {
    /// Bits that are corrected in a codeword.
    pub strength_bits: u16,
    /// Blocks for data that have it.
    pub blocks: u32,
}

/// Energy of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentEnergy {
    /// What used it.
    pub component: String,
    /// How much.
    pub energy_j: f64,
}

/// A stretch of the load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseResult {
    /// Flow and phase; several where they begin together.
    pub name: String,
    /// When it began.
    pub from_s: f64,
    /// When the next one began, or the run ended.
    pub until_s: f64,
    /// Reads that ended meanwhile.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Latency of these reads in microseconds; none without reads.
    pub reads_us: Option<Latency>,
    /// Of the writes.
    pub writes_us: Option<Latency>,
    /// Requests a second, of any kind.
    pub iops: f64,
    /// Data read and written.
    pub mb_per_s: f64,
    /// Pages programmed for each that the host wrote; none where it wrote nothing.
    pub write_amplification: Option<f64>,
    /// Energy by component, as that of the run.
    pub energy: Vec<ComponentEnergy>,
}

/// The run over time, in windows of equal width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Width of a window; the last one ends with the run.
    pub window_s: f64,
    /// What happened in each.
    pub windows: Vec<Window>,
    /// For each die, the share of each window in which its array worked.
    pub die_use: Vec<Vec<f64>>,
}

/// A window of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Reads a second.
    pub read_iops: f64,
    /// Writes a second.
    pub write_iops: f64,
    /// Mean latency of reads; none without any.
    pub read_mean_us: Option<f64>,
    /// 99 % of the reads took no longer.
    pub read_p99_us: Option<f64>,
    /// Mean latency of writes.
    pub write_mean_us: Option<f64>,
    /// 99 % of the writes took no longer.
    pub write_p99_us: Option<f64>,
    /// Pages programmed for each that the host wrote; none where it wrote nothing.
    pub write_amplification: Option<f64>,
    /// Pages in the buffer at the end.
    pub buffered_pages: u32,
    /// Free blocks of the drive at the end.
    pub free_blocks: u32,
    /// Mean share of the channels in use.
    pub channel_use: f64,
    /// Mean share of the dies at work.
    pub die_use: f64,
    /// Mean power; none where the configuration has none.
    pub power_w: Option<f64>,
}
