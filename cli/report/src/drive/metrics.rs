//! Flat metrics of a run of a drive: `stage__subject__metric`, the unit last.

use super::model::{DriveResult, FirmwareCounts, FlashCounts, Traffic};
use super::{checked, rtl};
use crate::metrics::identifier;

/// Names and figures.
pub(super) fn figures(result: &DriveResult) -> Vec<(String, f64)> {
    let mut all = vec![
        ("host__all__requests".to_owned(), result.requests as f64),
        ("host__all__failed".to_owned(), result.failed as f64),
        ("host__all__simulated_s".to_owned(), result.simulated_s),
        ("host__all__iops".to_owned(), result.iops),
        ("drive__size__user_bytes".to_owned(), result.drive.user_bytes as f64),
        ("drive__size__over_provisioning_percent".to_owned(), over_provisioning(result)),
    ];
    for (kind, traffic) in result.kinds() {
        all.extend(of_traffic(kind, traffic));
    }
    all.extend(of_firmware(&result.firmware));
    all.extend(of_flash(&result.flash));
    if let Some(ladder) = &result.ladder {
        for level in &ladder.levels {
            let name = format!("ladder__t{}__blocks", level.strength_bits);
            all.push((name, level.blocks.into()));
        }
        all.push(("ladder__all__raised_blocks".to_owned(), ladder.raised_blocks.into()));
        all.push(("ladder__all__retired_blocks".to_owned(), ladder.retired_blocks.into()));
    }
    for component in &result.energy {
        let name = format!("energy__{}__j", identifier(&component.component));
        all.push((name, component.energy_j));
    }
    if !result.energy.is_empty() {
        all.push(("energy__all__j".to_owned(), result.energy_j()));
        all.push(("energy__all__w".to_owned(), result.energy_j() / result.simulated_s));
    }
    all.extend(result.checked.iter().flat_map(checked::figures));
    all.extend(rtl::figures(&result.rtl));
    for (index, phase) in result.phases.iter().enumerate() {
        let subject = format!("phase__{}_{}__", index + 1, identifier(&phase.name));
        all.push((format!("{subject}iops"), phase.iops));
        all.push((format!("{subject}mb_per_s"), phase.mb_per_s));
        if let Some(ratio) = phase.write_amplification {
            all.push((format!("{subject}write_amplification_ratio"), ratio));
        }
    }
    all
}

fn over_provisioning(result: &DriveResult) -> f64 {
    result.drive.over_provisioning_percent
}

fn of_traffic(kind: &str, traffic: &Traffic) -> Vec<(String, f64)> {
    let Some(latency) = &traffic.latency_us else { return Vec::new() };
    let name = |metric: &str| format!("host__{kind}__{metric}");
    let mut all = vec![
        (name("requests"), traffic.requests as f64),
        (name("mb_per_s"), traffic.mb_per_s),
        (name("latency_mean_us"), latency.mean),
    ];
    for (_, key, value) in latency.percentiles() {
        all.push((name(&format!("latency_{key}_us")), value));
    }
    for part in &traffic.parts {
        all.push((name(&format!("part_{}_mean_us", identifier(&part.part))), part.mean_us));
    }
    all
}

fn of_firmware(counts: &FirmwareCounts) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> = [
        ("host_pages", counts.host_pages),
        ("stored_pages", counts.stored_pages),
        ("moved_pages", counts.moved_pages),
        ("collected_blocks", counts.collections),
        ("stalled_writes", counts.stalled_writes),
        ("buffer_stalls", counts.buffer_stalls),
        ("unmapped_reads", counts.unmapped_reads),
        ("lost_pages", counts.lost_pages),
        ("bad_blocks", counts.bad_blocks),
    ]
    .into_iter()
    .map(|(name, count)| (format!("firmware__all__{name}"), count as f64))
    .collect();
    if let Some(ratio) = counts.write_amplification {
        all.push(("firmware__all__write_amplification_ratio".to_owned(), ratio));
    }
    all
}

fn of_flash(counts: &FlashCounts) -> [(String, f64); 5] {
    [
        ("pages_read", counts.reads as f64),
        ("pages_programmed", counts.programs as f64),
        ("blocks_erased", counts.erases as f64),
        ("channels_used_ratio", counts.mean_channel_use()),
        ("dies_used_ratio", counts.mean_die_use()),
    ]
    .map(|(name, value)| (format!("flash__all__{name}"), value))
}
