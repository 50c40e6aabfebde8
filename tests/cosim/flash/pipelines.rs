//! What a channel moves when its dies are pipelined, beside what the times of its parts allow.

use std::sync::Arc;

use floatgate_hal::flash::mode::DataInterface;
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::{BusOp, Outcome};
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::die::Part;

use super::bench::{Bench, Plan, US, pattern};

/// Data of a page, without its spare bytes, as published rates count them.
const DATA_BYTES: u64 = 4096;
/// The largest share of a rate that may be lost to commands, status and gaps.
const LOSS_MAX: f64 = 0.05;

/// Dies with the times of MT29F32G08CBABA's data sheet: tR 50 us at most, tPROG 900 us.
fn dies(count: usize, interface: DataInterface, mode: u8) -> Bench {
    let times = |part: &mut Part| {
        for page_type in &mut part.cells.page_types {
            (page_type.t_r_us, page_type.t_prog_us) = (50.0, 900.0);
        }
    };
    let mut bench = Bench::ready(&Plan { dies: count, change: Some(times), ..Plan::default() });
    for die in 0..count {
        bench.set_mode(die, interface, mode);
    }
    bench
}

/// Runs operations side by side; from the first start to the last start and to the last end.
fn spans_us(bench: &mut Bench, ops: &[BusOp]) -> (f64, f64) {
    let data = pattern(3, bench.part.register_bytes());
    for op in ops {
        let is_program = !matches!(op.kind, OpKind::ReadPage | OpKind::EraseBlock);
        let bytes = if is_program { data.clone() } else { Vec::new() };
        bench.rtl.submit(op, bytes);
    }
    let finished = bench.finish();
    assert!(finished.iter().all(|one| one.completion.outcome == Outcome::Done));
    let starts = || finished.iter().map(|one| one.completion.started.0);
    let first = starts().min().expect("there are some");
    let last_end = finished.iter().map(|one| one.completion.finished.0).max();
    let since = |time: Option<u64>| (time.expect("there are some") - first) as f64 / US as f64;
    (since(starts().max()), since(last_end))
}

fn erase(bench: &mut Bench, dies: usize, blocks: u32) {
    let all = (0..dies).flat_map(|die| (0..blocks).map(move |block| (die, block)));
    let ops: Vec<BusOp> =
        all.map(|(die, block)| bench.page_op(OpKind::EraseBlock, die, block, 0)).collect();
    let ops: Vec<BusOp> = ops.into_iter().map(|op| BusOp { length: ByteCount(0), ..op }).collect();
    spans_us(bench, &ops);
}

/// A rate beside the one that the parts' times allow.
fn report(what: &str, rate: f64, bound: f64, loss_max: f64) {
    println!("{what}: {rate:.2} MB/s, the parts' times allow {bound:.2} ({:.4})", rate / bound);
    assert!((rate / bound - 1.0).abs() < loss_max, "{what}: {rate} {bound}");
}

/// A stream of page reads on two dies, with and without the cache; its rate.
fn read_rate(bench: &mut Bench, is_cached: bool) -> f64 {
    const PAGES: usize = 30;
    let kinds = (0..PAGES).map(|page| match (is_cached, page) {
        (false, _) => OpKind::ReadPage,
        (true, 0) => OpKind::ReadPageToRegister,
        (true, page) if page == PAGES - 1 => OpKind::ReadCacheEnd,
        (true, _) => OpKind::ReadCacheSequential,
    });
    let ops: Vec<BusOp> = kinds
        .flat_map(|kind| [0, 1].map(|die| (kind, die)))
        .map(|(kind, die)| {
            let op = bench.page_op(kind, die, 2, 0);
            let has_data = kind != OpKind::ReadPageToRegister;
            BusOp { length: if has_data { op.length } else { ByteCount(0) }, ..op }
        })
        .collect();
    let pages = ops.iter().filter(|op| op.length.0 > 0).count();
    let (_, span_us) = spans_us(bench, &ops);
    // The first page comes after its own tR.
    (pages as u64 * DATA_BYTES) as f64 / (span_us - 50.0)
}

/// Two dies in SDR mode 4 (tRC = tWC = 25 ns), as on a channel of the published system, whose
/// rates are 28.75 MB/s read and 18 MB/s written. A die's next read begins when the other's data
/// are through, so a pair of pages takes two transfers and a tR; with cache reads the bus is the
/// bound, 4320 B of 25 ns a page. Programs of two planes are bound by the array, two pages of
/// 4 KiB a tPROG, with cache programs hidden behind it, and without them after their transfers.
#[test]
fn two_pipelined_dies_reach_the_published_rates() {
    let mut bench = dies(2, DataInterface::Sdr, 4);
    let page_us = bench.part.register_bytes() as f64 * 0.025;
    let plain = read_rate(&mut bench, false);
    println!("reads, SDR 4, 2 dies: {plain:.2} MB/s, published 28.75");
    assert!(plain > 28.75, "{plain}");
    let cached = read_rate(&mut bench, true);
    report("cache reads, SDR 4, 2 dies", cached, DATA_BYTES as f64 / page_us, LOSS_MAX);

    // Without the cache a die also waits for the bus while the other has it.
    for (last, transfers, loss_max) in
        [(OpKind::ProgramPageCache, 0.0, LOSS_MAX), (OpKind::ProgramPage, 2.0, 3.0 * LOSS_MAX)]
    {
        const PAIRS: u16 = 12;
        erase(&mut bench, 2, 2);
        let order = (0..PAIRS).flat_map(|page| (0..2).map(move |die| (die, page)));
        let pairs = order.flat_map(|(die, page)| {
            [(OpKind::ProgramPageMultiPlane, 0), (last, 1)]
                .map(|(kind, block)| (kind, die, block, page))
        });
        let programs: Vec<BusOp> =
            pairs.map(|(kind, die, block, page)| bench.page_op(kind, die, block, page)).collect();
        let (span_us, _) = spans_us(&mut bench, &programs);
        // From the first start to that of the last pair: all pairs but one of each die.
        let rate = f64::from(PAIRS - 1) * (4 * DATA_BYTES) as f64 / span_us;
        let bound = (4 * DATA_BYTES) as f64 / (900.0 + transfers * page_us);
        report(&format!("two planes, {last:?}, SDR 4, 2 dies"), rate, bound, loss_max);
        bench.rtl.run_to(Picoseconds(bench.rtl.now().0 + 4_000 * US)).unwrap();
    }
}

/// In NV-DDR mode 5 a page crosses the bus in 22 us, and eight dies are too few to fill it with
/// programs: the array's time bounds the share.
#[test]
fn programs_in_nv_ddr_are_bound_by_the_array() {
    let mut bench = Bench::ready(&Plan { dies: 8, ..Plan::default() });
    (0..8).for_each(|die| bench.set_mode(die, DataInterface::NvDdr, 5));
    let part = Arc::clone(&bench.part);
    erase(&mut bench, 8, 6);
    let transfer_us = part.register_bytes() as f64 * 0.005;
    let t_prog_us = part.cells.page_types[0].t_prog_us;
    let programs: Vec<BusOp> =
        (0..48).map(|i| bench.page_op(OpKind::ProgramPage, i % 8, (i / 8) as u32, 0)).collect();
    let (span_us, _) = spans_us(&mut bench, &programs);
    // The last program of the first die starts after five whole rounds, that of the eighth later.
    let share = 47.0 * transfer_us / span_us;
    let bound = 47.0 * transfer_us / (5.0 * (t_prog_us + transfer_us) + 7.0 * transfer_us);
    println!(
        "programs, NV-DDR 5, 8 dies: data cross the bus {share:.4} of the time, at most {bound:.4}"
    );
    assert!(share > (1.0 - LOSS_MAX) * bound && share <= bound, "{share} {bound}");
}
