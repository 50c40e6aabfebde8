//! A made-up run of a drive to lay its report out by. Its figures come from formulas.

use floatgate_report::drive::{
    CheckedData, CodewordFates, ComponentEnergy, DriveFacts, DriveReport, DriveResult,
    FirmwareCounts, FlashCounts, Ladder, LadderLevel, Latency, LatencyClass, PartMean, PhaseResult,
    Series, Traffic, Window,
};
use floatgate_report::model::RunInfo;

const PARTS: [&str; 10] = [
    "queue",
    "firmware",
    "host link",
    "buffer",
    "same page",
    "garbage collection",
    "die busy",
    "channel busy",
    "transfer",
    "flash array",
];
const WINDOWS: usize = 100;
const DIES: usize = 40;

/// Reads and writes in two phases, with energy.
pub(crate) fn report() -> DriveReport {
    let series = series(2.5);
    DriveReport {
        drive: DriveResult {
            name: "run-synthetic".into(),
            title: "Synthetic run for the layout, not a measurement".into(),
            drive: facts(),
            is_complete: true,
            requests: 200_000,
            failed: 0,
            simulated_s: 2.5,
            iops: 80_000.0,
            reads: traffic(120_000, 90.0),
            writes: traffic(80_000, 1200.0),
            others: traffic(0, 0.0),
            firmware: firmware(),
            flash: flash(&series),
            ladder: Some(Ladder { levels: ladder_levels(), raised_blocks: 12, retired_blocks: 1 }),
            checked: Some(checked()),
            energy: energy(1.0),
            phases: vec![phase("fill", 0.0, 1.0), phase("mixed", 1.0, 2.5)],
            series,
            rtl: Vec::new(),
            notes: vec!["All figures on this page are made up by formulas.".into()],
        },
        run: RunInfo {
            command: ["floatgate", "run", "CONFIG"].map(String::from).to_vec(),
            seed: 1,
            git_revision: Some("0123456789ab".into()),
            started_utc: "2000-01-01T00:00:00Z".into(),
            wall_time_s: 1.5,
            jobs: 1,
            tools: Vec::new(),
        },
    }
}

/// Reads alone, for a short time, interrupted, without energy.
pub(crate) fn report_of_reads() -> DriveReport {
    let mut report = report();
    let drive = &mut report.drive;
    drive.name = "run-synthetic-reads".into();
    drive.is_complete = false;
    drive.simulated_s = 0.0025;
    drive.series = series(0.0025);
    drive.writes = traffic(0, 0.0);
    drive.firmware.write_amplification = None;
    drive.energy.clear();
    drive.phases.truncate(1);
    drive.phases[0].energy.clear();
    for window in &mut drive.series.windows {
        *window = Window {
            write_iops: 0.0,
            write_mean_us: None,
            write_p99_us: None,
            write_amplification: None,
            power_w: None,
            ..*window
        };
    }
    report
}

fn ladder_levels() -> Vec<LadderLevel> {
    let level = |(strength_bits, blocks)| LadderLevel { strength_bits, blocks };
    [(8, 1000), (16, 10), (40, 1)].map(level).to_vec()
}

fn facts() -> DriveFacts {
    DriveFacts {
        name: "made-up".into(),
        user_bytes: 100 << 30,
        flash_bytes: 128 << 30,
        over_provisioning_percent: 28.0,
        spare_factor_percent: 21.9,
        channels: 8,
        dies_per_channel: 5,
        planes: 2,
        page_bytes: 16384,
        buffer_pages: 1024,
        workers: 64,
        link_mb_per_s: 4000.0,
        precondition: "in the steady state of uniform random writes".to_owned(),
    }
}

fn traffic(requests: u64, mean_us: f64) -> Traffic {
    let share = |index: usize| (index + 1) as f64 / 55.0;
    let part = |(index, part): (usize, &&str)| PartMean {
        part: (*part).into(),
        mean_us: share(index) * mean_us,
    };
    let class = |step: u32| {
        let from_us = mean_us / 4.0 * f64::from(1 << step);
        let parts = (0..PARTS.len()).map(|index| {
            let lean = if index == 5 { f64::from(step) } else { 1.0 };
            lean * share(index) * from_us
        });
        LatencyClass { from_us, requests: requests >> (step + 1), parts_us: parts.collect() }
    };
    Traffic {
        requests,
        mb_per_s: requests as f64 / 500.0,
        latency_us: (requests > 0).then(|| latency(mean_us)),
        parts: PARTS.iter().enumerate().map(part).collect(),
        classes: if requests > 0 { (0..8).map(class).collect() } else { Vec::new() },
    }
}

fn firmware() -> FirmwareCounts {
    FirmwareCounts {
        host_pages: 80_000,
        stored_pages: 80_000,
        moved_pages: 100_000,
        write_amplification: Some(2.25),
        collections: 700,
        stalled_writes: 40,
        buffer_stalls: 5,
        unmapped_reads: 0,
        lost_pages: 0,
        bad_blocks: 0,
    }
}

fn flash(series: &Series) -> FlashCounts {
    let mean = |shares: &Vec<f64>| shares.iter().sum::<f64>() / shares.len() as f64;
    FlashCounts {
        reads: 220_000,
        programs: 180_000,
        erases: 700,
        channels_used: vec![0.3; 8],
        dies_used: series.die_use.iter().map(mean).collect(),
    }
}

fn energy(factor: f64) -> Vec<ComponentEnergy> {
    [("NAND", 1.8), ("bus", 0.4), ("DRAM", 0.6), ("ECC", 0.2), ("controller", 2.0)]
        .map(|(component, energy_j)| ComponentEnergy {
            component: component.into(),
            energy_j: factor * energy_j,
        })
        .to_vec()
}

fn latency(mean_us: f64) -> Latency {
    Latency {
        mean: mean_us,
        p50: 0.8 * mean_us,
        p90: 1.6 * mean_us,
        p99: 4.0 * mean_us,
        p99_9: 9.0 * mean_us,
        p99_99: 20.0 * mean_us,
        max: 30.0 * mean_us,
    }
}

fn phase(name: &str, from_s: f64, until_s: f64) -> PhaseResult {
    PhaseResult {
        name: name.into(),
        from_s,
        until_s,
        reads: 60_000,
        writes: 40_000,
        reads_us: Some(latency(80.0)),
        writes_us: None,
        iops: 100_000.0 / (until_s - from_s),
        mb_per_s: 400.0,
        write_amplification: Some(2.0 + from_s),
        energy: energy(0.4 * (until_s - from_s)),
    }
}

fn series(span_s: f64) -> Series {
    let wave = |window: usize, of: usize| ((window * (3 + of % 5)) as f64 / 9.0).sin();
    let window = |index: usize| Window {
        read_iops: 40_000.0 * (1.2 + wave(index, 0)),
        write_iops: 30_000.0 * (1.5 - wave(index, 1)),
        // A gap in the line, and a point alone.
        read_mean_us: (![40, 41, 43].contains(&index)).then_some(90.0 + 20.0 * wave(index, 2)),
        read_p99_us: Some(400.0 + 100.0 * wave(index, 3)),
        write_mean_us: Some(1200.0 + 300.0 * wave(index, 4)),
        write_p99_us: Some(9000.0 + 3000.0 * wave(index, 5)),
        write_amplification: Some(2.2 + 0.2 * wave(index, 6)),
        buffered_pages: (500.0 + 400.0 * wave(index, 7)) as u32,
        free_blocks: (300.0 + 20.0 * wave(index, 8)) as u32,
        channel_use: 0.3 + 0.05 * wave(index, 9),
        die_use: 0.6 + 0.2 * wave(index, 10),
        power_w: Some(2.0 + 0.3 * wave(index, 11)),
    };
    let shares = |die: usize| {
        (0..WINDOWS).map(|index| 0.5 + 0.45 * wave(index + die, die)).collect::<Vec<_>>()
    };
    Series {
        window_s: span_s / WINDOWS as f64,
        windows: (0..WINDOWS).map(window).collect(),
        die_use: (0..DIES).map(shares).collect(),
    }
}

fn checked() -> CheckedData {
    let codewords = CodewordFates {
        decoded: 4_000,
        corrected_bits: 12_345,
        uncorrectable: 3,
        caught: 2,
        miscorrected: 0,
    };
    CheckedData { sectors: 9_000, sectors_in_full: 8_000, codewords: Some(codewords) }
}
