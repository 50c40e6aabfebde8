//! What `floatgate run` prints for people.

use std::fmt;

use floatgate_report::drive::{
    DriveFacts, DriveResult, FirmwareCounts, FlashCounts, RtlChannel, Traffic,
};

const GIB: f64 = (1u64 << 30) as f64;
/// Parts of a latency that are less than this share of it are left out.
const SHARE_LEAST: f64 = 0.005;

/// A result as a table.
pub(super) struct Table<'a>(pub(super) &'a DriveResult);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.0;
        writeln!(f, "{}", result.title)?;
        size(f, &result.drive)?;
        writeln!(
            f,
            "requests    {} in {:.3} s of simulated time, {:.0} a second; {} failed",
            result.requests, result.simulated_s, result.iops, result.failed
        )?;
        writeln!(
            f,
            "latency, us      mean        p50        p99      p99.9     p99.99        max"
        )?;
        for (kind, traffic) in result.kinds() {
            latency(f, kind, traffic)?;
        }
        for (kind, traffic) in result.kinds() {
            parts(f, kind, traffic)?;
        }
        firmware(f, &result.firmware)?;
        flash(f, &result.flash)?;
        ladder(f, result)?;
        if let Some(checked) = &result.checked {
            writeln!(f, "checked     {checked}")?;
        }
        in_rtl(f, &result.rtl)?;
        energy(f, result)
    }
}

fn size(f: &mut fmt::Formatter<'_>, drive: &DriveFacts) -> fmt::Result {
    writeln!(
        f,
        "drive       {:.2} GiB of {:.2} GiB flash; over-provisioning (T-U)/U {:.1} %, \
         (T-U)/T {:.1} %\n\
         begun       {}",
        drive.user_bytes as f64 / GIB,
        drive.flash_bytes as f64 / GIB,
        drive.over_provisioning_percent,
        drive.spare_factor_percent,
        drive.precondition
    )
}

fn latency(f: &mut fmt::Formatter<'_>, kind: &str, traffic: &Traffic) -> fmt::Result {
    let Some(latency) = traffic.latency_us else { return Ok(()) };
    write!(f, "  {kind:8}")?;
    let shown =
        [latency.mean, latency.p50, latency.p99, latency.p99_9, latency.p99_99, latency.max];
    for us in shown {
        write!(f, " {us:10.1}")?;
    }
    writeln!(f, "   {} at {:.1} MB/s", traffic.requests, traffic.mb_per_s)
}

fn parts(f: &mut fmt::Formatter<'_>, kind: &str, traffic: &Traffic) -> fmt::Result {
    let Some(latency) = traffic.latency_us else { return Ok(()) };
    let shown = traffic.parts.iter().filter(|part| part.mean_us > SHARE_LEAST * latency.mean);
    let shown: Vec<String> =
        shown.map(|part| format!("{} {:.1}", part.part, part.mean_us)).collect();
    writeln!(f, "{kind:11} {} us", shown.join(", "))
}

fn firmware(f: &mut fmt::Formatter<'_>, counts: &FirmwareCounts) -> fmt::Result {
    if let Some(amplification) = counts.write_amplification {
        writeln!(
            f,
            "written     {} pages of the host, {} stored and {} moved, write amplification \
             {amplification:.3}\n\
             collection  {} blocks; {} writes waited for one, {} for the buffer",
            counts.host_pages,
            counts.stored_pages,
            counts.moved_pages,
            counts.collections,
            counts.stalled_writes,
            counts.buffer_stalls,
        )?;
    }
    writeln!(
        f,
        "firmware    {} reads of pages that hold nothing, {} pages lost, {} blocks bad",
        counts.unmapped_reads, counts.lost_pages, counts.bad_blocks
    )
}

fn flash(f: &mut fmt::Formatter<'_>, counts: &FlashCounts) -> fmt::Result {
    writeln!(
        f,
        "flash       {} pages read, {} programmed, {} blocks erased; channels {:.1} % in use, \
         dies {:.1} %",
        counts.reads,
        counts.programs,
        counts.erases,
        100.0 * counts.mean_channel_use(),
        100.0 * counts.mean_die_use()
    )
}

fn ladder(f: &mut fmt::Formatter<'_>, result: &DriveResult) -> fmt::Result {
    let Some(ladder) = &result.ladder else { return Ok(()) };
    let levels = ladder.levels.iter();
    let levels = levels.map(|level| format!("{} of t {}", level.blocks, level.strength_bits));
    writeln!(
        f,
        "strengths   {} blocks; {} raised, {} taken out of use",
        levels.collect::<Vec<_>>().join(", "),
        ladder.raised_blocks,
        ladder.retired_blocks
    )
}

fn in_rtl(f: &mut fmt::Formatter<'_>, channels: &[RtlChannel]) -> fmt::Result {
    for channel in channels {
        writeln!(
            f,
            "in RTL      channel {} from {:.3} ms to {:.3} ms, {} clocks; us on RTL, in the model",
            channel.channel,
            channel.from_us / 1e3,
            channel.until_us / 1e3,
            channel.clocks
        )?;
        for of in &channel.operations {
            let [mean, p99] = of.off_percent();
            writeln!(
                f,
                "  {:8} {:6}  mean {:.2}, {:.2} ({mean:+.2} %); p99 {:.2}, {:.2} ({p99:+.2} %)",
                of.kind,
                of.operations,
                of.rtl.mean_us,
                of.model.mean_us,
                of.rtl.p99_us,
                of.model.p99_us
            )?;
        }
    }
    Ok(())
}

fn energy(f: &mut fmt::Formatter<'_>, result: &DriveResult) -> fmt::Result {
    if result.energy.is_empty() {
        return Ok(());
    }
    let parts: Vec<String> = result
        .energy
        .iter()
        .map(|part| format!("{} {:.4}", part.component, part.energy_j))
        .collect();
    writeln!(
        f,
        "energy      {:.4} J, {:.3} W: {} J",
        result.energy_j(),
        result.energy_j() / result.simulated_s,
        parts.join(", ")
    )
}
