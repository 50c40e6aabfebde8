//! The result of storing a file: as the report keeps it, and as a table.

use std::collections::BTreeMap;
use std::path::Path;

use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::{BitCount, ByteCount, Picoseconds, Strength};
use floatgate_model::device::{Budget, Job, PageLatency, StoreReport};
use floatgate_report::store::{
    CorrectedCount, DeviceFacts, EngineKind, EngineRun, Interface, ModeLatency, Steps, StoreResult,
    StrengthLatency,
};

use super::file_name;

/// Puts the result of a run together.
pub(super) fn result(
    name: String,
    job: &Job,
    file: &Path,
    runs: &[(EngineKind, StoreReport)],
    modes: Vec<ModeLatency>,
) -> StoreResult {
    let (_, first) = &runs[0];
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for &BitCount(bits) in &first.corrected {
        *counts.entry(bits).or_default() += 1;
    }
    let config = &job.config;
    let TimingMode { interface, mode } = config.timing_mode();
    let device = DeviceFacts {
        part: job.part.identity.model.clone(),
        dies: config.dies,
        mode: format!("{} {mode}", self::interface(interface).label()),
        code: job.code.name.clone(),
        strength: Strength(config.strength),
        codec_mhz: mhz(Picoseconds(config.codec_clock_ps)),
        controller_mhz: mhz(Picoseconds(config.controller_clock_ps)),
        initial_cycles: config.initial_cycles,
        retention_days: config.retention_days,
        file: file_name(file),
        file_bytes: job.file.len() as u64,
        pages: first.read.pages,
        page_bytes: ByteCount(job.part.layout.page_bytes),
        codewords: first.corrected.len() as u64,
    };
    StoreResult {
        name,
        device,
        engines: runs.iter().map(|(kind, report)| engine_run(*kind, report)).collect(),
        corrected: counts
            .into_iter()
            .map(|(bits, codewords)| CorrectedCount { bits, codewords })
            .collect(),
        modes,
        notes: Vec::new(),
    }
}

fn engine_run(engine: EngineKind, report: &StoreReport) -> EngineRun {
    EngineRun {
        engine,
        mount_us: us(report.mount),
        bad_blocks: report.bad_blocks,
        write: steps(&report.write),
        read: steps(&report.read),
        breaches: report.breaches.clone(),
    }
}

fn steps(budget: &Budget) -> Steps {
    let per_page = |span: Picoseconds| us(span) / f64::from(budget.pages);
    let channel = &budget.channel;
    let span_us = us(budget.span);
    Steps {
        firmware_us: per_page(budget.firmware),
        ecc_us: per_page(budget.ecc),
        command_address_us: per_page(channel.command()),
        transfer_us: per_page(channel.transfer),
        array_us: per_page(channel.array),
        waiting_us: per_page(channel.waiting),
        span_us,
        data_share: us(channel.transfer) / span_us,
        command_share: us(channel.command()) / span_us,
    }
}

/// Latencies of a mode.
pub(super) fn mode_latency(
    mode: TimingMode,
    clock: Picoseconds,
    points: Vec<StrengthLatency>,
) -> ModeLatency {
    let interface = interface(mode.interface);
    ModeLatency { interface, mode: mode.mode, controller_mhz: mhz(clock), points }
}

/// A latency at a strength.
pub(super) fn strength_latency(t: Strength, latency: &PageLatency) -> StrengthLatency {
    StrengthLatency { t, clean_us: us(latency.clean), corrected_us: us(latency.corrected) }
}

fn interface(interface: DataInterface) -> Interface {
    match interface {
        DataInterface::Sdr => Interface::Sdr,
        DataInterface::NvDdr => Interface::NvDdr,
    }
}

fn mhz(clock: Picoseconds) -> f64 {
    1e6 / clock.0 as f64
}

fn us(span: Picoseconds) -> f64 {
    span.0 as f64 / 1e6
}

/// Prints the table.
pub(super) fn print(store: &StoreResult) {
    let DeviceFacts { file_bytes, pages, codewords, dies, part, .. } = &store.device;
    println!("{file_bytes} bytes in {pages} pages, {codewords} codewords, on {dies} x {part}");
    for run in &store.engines {
        println!(
            "{}: read back identical; mounted in {:.0} us, {} bad blocks",
            run.engine.label(),
            run.mount_us,
            run.bad_blocks
        );
    }
    println!();
    print!("{:<22}", "us a page");
    for run in &store.engines {
        let label = run.engine.label();
        print!("{:>16}{:>16}", format!("program, {label}"), format!("read, {label}"));
    }
    println!();
    for (index, (name, _)) in store.engines[0].read.named().into_iter().enumerate() {
        line(store, name, 3, |steps| steps.named()[index].1);
    }
    line(store, "whole file, us", 0, |steps| steps.span_us);
    line(store, "share of bus used", 3, |steps| steps.data_share);
    println!();
    println!("{:<22}{:>16}", "bits corrected", "codewords");
    for CorrectedCount { bits, codewords } in &store.corrected {
        println!("{bits:<22}{codewords:>16}");
    }
    println!();
    let breaches = || store.engines.iter().flat_map(|run| &run.breaches);
    println!("protocol errors: {}", breaches().count());
    breaches().for_each(|breach| println!("{breach}"));
}

fn line(store: &StoreResult, name: &str, decimals: usize, figure: impl Fn(&Steps) -> f64) {
    print!("{name:<22}");
    for run in &store.engines {
        print!("{:>16.decimals$}{:>16.decimals$}", figure(&run.write), figure(&run.read));
    }
    println!();
}
