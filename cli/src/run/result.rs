//! The result of a run, as the report keeps it.

use floatgate_firmware::drive::DriveCounts;
use floatgate_hal::array::Origin;
use floatgate_hal::units::{Picoseconds, Strength};
use floatgate_model::config::{DriveConfig, RunConfig};
use floatgate_model::sim::LatencyHistogram;
use floatgate_model::ssd::{
    Breakdown, Checked, Compared, Component, Energy, LadderUse, Part, RunResult,
};
use floatgate_report::drive::{
    CheckedData, CodewordFates, ComponentEnergy, DriveFacts, DriveResult, FirmwareCounts,
    FlashCounts, Ladder, LadderLevel, Latency, LatencyClass, PartMean, Traffic,
};

use super::{rtl, series};

/// Puts the result of a run together.
pub(super) fn result(
    name: &str,
    run: &RunConfig,
    drive: &DriveConfig,
    result: &RunResult,
) -> DriveResult {
    let seconds = seconds(result.span);
    let traffic = |latencies: &LatencyHistogram, parts: &Breakdown, bytes: u64| Traffic {
        requests: latencies.count(),
        mb_per_s: bytes as f64 / 1e6 / seconds,
        latency_us: latency(latencies),
        parts: part_means(parts),
        classes: classes(parts),
    };
    let host = &result.host;
    DriveResult {
        name: name.to_owned(),
        title: run.title.clone(),
        drive: facts(run, drive),
        is_complete: !result.is_interrupted,
        requests: host.completed(),
        failed: host.failed,
        simulated_s: seconds,
        iops: result.iops(),
        reads: traffic(&host.reads, &host.read_parts, host.bytes_read),
        writes: traffic(&host.writes, &host.write_parts, host.bytes_written),
        others: traffic(&host.others, &host.other_parts, 0),
        firmware: firmware(result),
        flash: flash(result),
        ladder: result.ladder.as_ref().map(ladder),
        checked: result.checked.as_ref().map(checked),
        energy: result.energy_j.map_or_else(Vec::new, |energy| components(&energy, &energy)),
        phases: series::phases(&run.load, result),
        series: series::series(result),
        rtl: result.engines.iter().map(rtl::result).collect(),
        notes: Vec::new(),
    }
}

pub(super) fn seconds(span: Picoseconds) -> f64 {
    span.0 as f64 / 1e12
}

/// Energy of the components that take any in the whole run.
pub(super) fn components(energy: &Energy, of_run: &Energy) -> Vec<ComponentEnergy> {
    let taking = Component::ALL.into_iter().filter(|component| of_run[*component as usize] > 0.0);
    let of = |component: Component| ComponentEnergy {
        component: component.label().to_owned(),
        energy_j: energy[component as usize],
    };
    taking.map(of).collect()
}

fn facts(run: &RunConfig, drive: &DriveConfig) -> DriveFacts {
    let (user_bytes, flash_bytes) = (drive.user_bytes(), drive.flash_bytes());
    let (user, all) = (user_bytes as f64, flash_bytes as f64);
    DriveFacts {
        name: run.drive.clone(),
        user_bytes,
        flash_bytes,
        over_provisioning_percent: 100.0 * (all - user) / user,
        spare_factor_percent: 100.0 * (all - user) / all,
        channels: drive.topology.channels,
        dies_per_channel: drive.topology.dies_per_channel,
        planes: drive.topology.planes,
        page_bytes: drive.topology.page_bytes,
        buffer_pages: drive.buffer.pages,
        workers: drive.firmware.workers,
        link_mb_per_s: drive.link.mb_per_s,
        precondition: drive.precondition.to_string(),
    }
}

pub(super) fn latency(latencies: &LatencyHistogram) -> Option<Latency> {
    let us = |span: Picoseconds| span.0 as f64 / 1e6;
    let at = |percent| latencies.percentile(percent).map(us);
    Some(Latency {
        mean: latencies.mean_ps()? / 1e6,
        p50: at(50.0)?,
        p90: at(90.0)?,
        p99: at(99.0)?,
        p99_9: at(99.9)?,
        p99_99: at(99.99)?,
        max: latencies.max().map(us)?,
    })
}

fn part_means(parts: &Breakdown) -> Vec<PartMean> {
    let all = parts.all();
    let mean =
        |part: Part| PartMean { part: part.label().to_owned(), mean_us: all.mean_ps(part) / 1e6 };
    Part::ALL.map(mean).to_vec()
}

fn classes(parts: &Breakdown) -> Vec<LatencyClass> {
    let class = |(from, sums): (Picoseconds, floatgate_model::ssd::PartSums)| LatencyClass {
        from_us: from.0 as f64 / 1e6,
        requests: sums.requests,
        parts_us: Part::ALL.map(|part| sums.mean_ps(part) / 1e6).to_vec(),
    };
    parts.classes().map(class).collect()
}

fn firmware(result: &RunResult) -> FirmwareCounts {
    let DriveCounts { host_pages, stored_pages, moved_pages, .. } = result.drive;
    FirmwareCounts {
        host_pages,
        stored_pages,
        moved_pages,
        write_amplification: result.write_amplification(),
        collections: result.drive.collections,
        stalled_writes: result.drive.stalls,
        buffer_stalls: result.drive.buffer_stalls,
        unmapped_reads: result.drive.unmapped_reads,
        lost_pages: result.drive.lost_pages,
        bad_blocks: result.drive.bad_blocks,
    }
}

fn ladder(of: &LadderUse) -> Ladder {
    let level = |&(Strength(strength_bits), blocks)| LadderLevel { strength_bits, blocks };
    Ladder {
        levels: of.blocks.iter().map(level).collect(),
        raised_blocks: of.counts.raised,
        retired_blocks: of.counts.retired,
    }
}

fn checked(of: &Checked) -> CheckedData {
    let codewords = of.codewords.map(|codewords| CodewordFates {
        decoded: codewords.decoded,
        corrected_bits: codewords.corrected_bits,
        uncorrectable: codewords.uncorrectable,
        caught: codewords.caught,
        miscorrected: codewords.miscorrected,
    });
    let Compared { sectors, in_full } = of.compared;
    CheckedData { sectors, sectors_in_full: in_full, codewords }
}

fn flash(result: &RunResult) -> FlashCounts {
    let used = |busy: &[Picoseconds]| {
        busy.iter().map(|busy| busy.0 as f64 / result.span.0 as f64).collect()
    };
    let sum = |counts: [u64; Origin::ALL.len()]| counts.iter().sum();
    let counts = result.operations;
    FlashCounts {
        reads: sum(counts.reads),
        programs: sum(counts.programs),
        erases: sum(counts.erases),
        channels_used: used(&result.channels),
        dies_used: used(&result.dies),
    }
}
