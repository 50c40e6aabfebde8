//! How much data passes per clock, and how much of what is stored is parity.

use super::{Figure, View, reference, series, verdict};
use crate::chart::{Ink, Scale};
use crate::derived::mb_per_s;
use crate::format;
use crate::model::{ErrorLoad, Point};
use crate::table::{Cell, Column};

/// Data bits per clock of encoder and decoder.
pub(super) fn throughput(view: &View) -> Option<Figure> {
    let encoder = |point: &Point| Some(point.throughput_bits_per_clock(point.encode.period_clocks));
    let decoder = |point: &Point, load| {
        let period_clocks = point.decode_at(load)?.period_clocks?;
        Some(point.throughput_bits_per_clock(period_clocks))
    };
    let clean = |point: &Point| decoder(point, ErrorLoad::Zero);
    let full = |point: &Point| decoder(point, ErrorLoad::Full);
    let limit = |point: &Point| f64::from(point.code.p) * point.code_rate();
    let bound =
        |point: &Point| point.throughput_bits_per_clock(point.period_bound_clocks().0 as f64);
    let slowest = full(view.last())?;
    let missed = view.points.iter().filter(|point| misses_period(point)).count();
    let caption = format!(
        "Data bits per clock when codewords follow without a gap. With t errors in every codeword \
         the decoder passes {} bits per clock at t = {}, {} MB/s at {} MHz; the stream itself \
         allows {}, because {} % of it is parity. For encoder and decoder, {}.",
        format::real(slowest, 2),
        view.last().t,
        format::real(mb_per_s(slowest, view.clock_mhz()), 0),
        format::real(view.clock_mhz(), 0),
        format::real(limit(view.last()), 2),
        format::real((1.0 - view.last().code_rate()) * 100.0, 1),
        verdict(missed),
    );
    let lines = vec![
        series(0, "encoder", view.line(encoder)),
        series(2, "decoder, no errors", view.line(clean)),
        series(1, "decoder, t errors", view.line(full)),
        reference(Ink::Series(3), "limit P × k/n", view.line(|p| Some(limit(p)))),
        reference(Ink::Series(4), "bound: period ⌈n/P⌉ + 4", view.line(|p| Some(bound(p)))),
    ];
    let columns = vec![
        Column::new("encoder_period_clocks", "Encoder period", "clocks"),
        Column::new("decoder_clean_period_clocks", "Decoder period, no errors", "clocks"),
        Column::new("decoder_full_period_clocks", "Decoder period, t errors", "clocks"),
        Column::new("period_bound_clocks", "Bound", "clocks"),
        Column::new("encoder_bits_per_clock", "Encoder", "bits/clock"),
        Column::new("decoder_clean_bits_per_clock", "Decoder, no errors", "bits/clock"),
        Column::new("decoder_full_bits_per_clock", "Decoder, t errors", "bits/clock"),
        Column::new("encoder_mb_per_s", "Encoder", "MB/s"),
        Column::new("decoder_clean_mb_per_s", "Decoder, no errors", "MB/s"),
        Column::new("decoder_full_mb_per_s", "Decoder, t errors", "MB/s"),
    ];
    let table = view.table(columns, |point| {
        let period = |load| point.decode_at(load).and_then(|measure| measure.period_clocks);
        let rates = [encoder(point), clean(point), full(point)];
        let mut row = vec![
            Cell::real(point.encode.period_clocks, 1),
            Cell::real_or_absent(period(ErrorLoad::Zero), 1),
            Cell::real_or_absent(period(ErrorLoad::Full), 1),
            Cell::Count(point.period_bound_clocks().0),
        ];
        row.extend(rates.map(|rate| Cell::real_or_absent(rate, 3)));
        let mb = rates.map(|rate| rate.map(|bits| mb_per_s(bits, view.clock_mhz())));
        row.extend(mb.map(|rate| Cell::real_or_absent(rate, 1)));
        row
    });
    let chart = view.over_strength("data bits per clock", Scale::Fitted, lines);
    Some(Figure { id: "throughput", title: "Sustained throughput", caption, chart, table })
}

/// Whether encoder or decoder takes longer per codeword than the bound at any error load.
fn misses_period(point: &Point) -> bool {
    let bound_clocks = point.period_bound_clocks().0 as f64;
    let decoder = point.decode.iter().filter_map(|measure| measure.period_clocks);
    decoder.chain([point.encode.period_clocks]).any(|period_clocks| period_clocks > bound_clocks)
}

/// Parity overhead and code rate.
pub(super) fn parity(view: &View) -> Option<Figure> {
    let (first, last) = (view.first(), view.last());
    let caption = format!(
        "Bits stored beyond the data. The code rate falls from {} at t = {} to {} at t = {}, where \
         {} parity bytes accompany {}.",
        format::real(first.code_rate(), 4),
        first.t,
        format::real(last.code_rate(), 4),
        last.t,
        last.parity_bytes().0,
        format::bytes(last.data_bytes.0),
    );
    let columns = vec![
        Column::new("parity_bits", "Parity", "bits"),
        Column::new("parity_bytes", "Parity", "bytes"),
        Column::new("overhead_percent", "Overhead", "%"),
        Column::new("code_rate", "Code rate", ""),
    ];
    let table = view.table(columns, |point| {
        vec![
            Cell::Count(u64::from(point.parity_bits.0)),
            Cell::Count(u64::from(point.parity_bytes().0)),
            Cell::real(point.overhead_percent(), 2),
            Cell::real(point.code_rate(), 4),
        ]
    });
    let line = series(0, "", view.line(|point| Some(point.overhead_percent())));
    let chart = view.over_strength("per cent of the data", Scale::FromZero, vec![line]);
    Some(Figure { id: "parity", title: "Parity overhead", caption, chart, table })
}
