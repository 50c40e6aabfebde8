//! One point of a sweep: the RTL of a configuration, measured at one strength.

use floatgate_cosim::measure::{self, DecoderClocks, Load, MeasureError};
use floatgate_hal::units::{ByteCount, Strength};
use floatgate_model::config::NamedCode;
use floatgate_report::model::{
    Code, DecodeMeasure, EncodeMeasure, ErrorLoad, LatencyStats, Miscorrection, Point,
};

use crate::exit::{ExitCode, Failure, OrExit};

use super::config::SweepConfig;
use super::life::{self, DecoderPace};

/// A configuration as the report stores it.
pub(crate) fn code(named: &NamedCode) -> Code {
    let config = &named.config;
    Code {
        name: named.name.clone(),
        m: config.m,
        data_bytes_max: ByteCount(config.k_max_bytes),
        t_max: Strength(config.t_max as u16),
        p: config.p,
        p_c: config.p_c,
        kes_lanes: config.kes_lanes,
        crc: config.crc,
        fixed: config.fixed,
    }
}

/// Data for codewords: the bytes of a source, over and over.
pub(crate) fn chunks(source: &[u8], bytes: usize, count: usize) -> Vec<Vec<u8>> {
    let mut cycle = source.iter().copied().cycle();
    (0..count).map(|_| cycle.by_ref().take(bytes).collect()).collect()
}

/// Measures one strength of a configuration, all but its synthesis.
///
/// # Errors
/// The RTL's failure, its first wrong result, or an interruption, which is asked for between runs.
pub(crate) fn measure(
    sweep: &SweepConfig,
    named: &NamedCode,
    crc_code: Option<&NamedCode>,
    t: Strength,
    source: &[u8],
    interrupted: &dyn Fn() -> bool,
) -> Result<Point, Failure> {
    let go_on = || if interrupted() { Err(Failure::interrupted()) } else { Ok(()) };
    let config = &named.config;
    let data = chunks(source, config.k_max_bytes as usize, sweep.codewords_per_point as usize);
    let load = |errors| Load { strength: t, data: &data, errors, seed: sweep.seed };
    go_on()?;
    let encoder = measure::encoder(named, &load(0)).or_exit(ExitCode::Mismatch)?;
    let mut decode = Vec::new();
    let mut paces = Vec::new();
    for (kind, errors) in loads(t) {
        go_on()?;
        let clocks = measure::decoder(named, &load(errors)).or_exit(ExitCode::Mismatch)?;
        paces.push(pace(&clocks));
        decode.push(decode_measure(kind, errors, clocks));
    }
    go_on()?;
    let miscorrection = miscorrections(sweep, named, crc_code, t, source);
    Ok(Point {
        code: code(named),
        t,
        data_bytes: ByteCount(config.k_max_bytes),
        parity_bits: config.parity(t),
        encode: EncodeMeasure {
            latency: LatencyStats::from_samples(encoder.latencies).expect("codewords"),
            period_clocks: encoder.period_clocks,
        },
        decode,
        key_equation_clocks: config.key_equation(t),
        build: None,
        max_rber_at_uber_1e15: life::max_rber(config, t, 1e-15),
        max_rber_at_uber_1e16: life::max_rber(config, t, 1e-16),
        endurance: life::endurance(sweep, config, t),
        page_read: Some(life::page_read(
            &sweep.page,
            config,
            t,
            sweep.clock_mhz,
            paces[0],
            paces[paces.len() - 1],
        )),
        miscorrection: miscorrection.or_exit(ExitCode::Mismatch)?,
    })
}

/// Error counts that are measured, each once.
fn loads(t: Strength) -> Vec<(ErrorLoad, usize)> {
    let t = usize::from(t.0);
    let mut loads = vec![(ErrorLoad::Zero, 0)];
    if t > 1 {
        loads.push((ErrorLoad::One, 1));
    }
    if t > 3 {
        loads.push((ErrorLoad::Half, t / 2));
    }
    loads.push((ErrorLoad::Full, t));
    loads
}

fn pace(clocks: &DecoderClocks) -> DecoderPace {
    let sum: u64 = clocks.last_word.iter().map(|latency| latency.0).sum();
    DecoderPace {
        period_clocks: clocks.period_clocks,
        latency_clocks: sum as f64 / clocks.last_word.len() as f64,
    }
}

fn decode_measure(load: ErrorLoad, errors: usize, clocks: DecoderClocks) -> DecodeMeasure {
    let stats = |samples| LatencyStats::from_samples(samples).expect("codewords");
    DecodeMeasure {
        load,
        errors: errors as u16,
        first_word: stats(clocks.first_word),
        last_word: stats(clocks.last_word),
        status: stats(clocks.status),
        period_clocks: Some(clocks.period_clocks),
    }
}

/// Trials at one error more than the strength, and at twice as many.
fn miscorrections(
    sweep: &SweepConfig,
    named: &NamedCode,
    crc_code: Option<&NamedCode>,
    t: Strength,
    source: &[u8],
) -> Result<Vec<Miscorrection>, MeasureError> {
    let trials = sweep.miscorrection.codewords as usize;
    if trials == 0 {
        return Ok(Vec::new());
    }
    let data = chunks(source, named.config.k_max_bytes as usize, trials);
    let crc_code = crc_code.filter(|crc| {
        crc.config.k_max_bytes == named.config.k_max_bytes && u32::from(t.0) <= crc.config.t_max
    });
    let mut counts = vec![usize::from(t.0) + 1, 2 * usize::from(t.0)];
    counts.dedup();
    let tried = counts.into_iter().map(|errors| {
        let load = Load { strength: t, data: &data, errors, seed: sweep.seed };
        let without = measure::miscorrection(named, &load)?;
        let with = crc_code.map(|crc| measure::miscorrection(crc, &load)).transpose()?;
        Ok(Miscorrection {
            errors: errors as u16,
            codewords: without.codewords,
            passed_without_crc: without.passed,
            passed_with_crc: with.map(|with| with.passed),
        })
    });
    tried.collect()
}
