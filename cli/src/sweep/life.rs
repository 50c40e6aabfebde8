//! What a strength buys: the raw bit error rate that it survives, and the wear.

use floatgate_model::config::CodeConfig;
use floatgate_model::ecc::uber::{CodeSize, ErrorSpread};
use floatgate_report::model::{Endurance, PageRead, RberModel};

use super::config::{Page, SweepConfig, Wear};
use floatgate_hal::units::{ByteCount, Strength};

/// Name and conditions of a wear model, as the report prints them.
pub(crate) fn rber_model(wear: &Wear) -> RberModel {
    let (model, _) = wear.model();
    let Wear { retention_days, reads_per_page, .. } = wear;
    let conditions = match wear.chip {
        super::config::Chip::Tlc25Nm => {
            "OpenNVM measurements, mean over page types, fresh data".to_owned()
        }
        _ => format!(
            "FAST'19 fit, {retention_days} days of retention, {reads_per_page} reads per page"
        ),
    };
    RberModel { name: model.to_string(), conditions }
}

/// Lengths of a configuration's longest codeword at a strength.
pub(crate) fn code_size(config: &CodeConfig, t: Strength) -> CodeSize {
    let message = config.message(ByteCount(config.k_max_bytes));
    let codeword = floatgate_hal::units::BitCount(message.0 + config.parity(t).0);
    CodeSize { data: ByteCount(config.k_max_bytes).bits(), codeword, strength: t }
}

/// The largest raw bit error rate at an uncorrectable one.
pub(crate) fn max_rber(config: &CodeConfig, t: Strength, uber: f64) -> f64 {
    code_size(config, t).max_rber(uber, ErrorSpread::Binomial)
}

/// Cycles reached under each wear model of the sweep.
pub(crate) fn endurance(sweep: &SweepConfig, config: &CodeConfig, t: Strength) -> Vec<Endurance> {
    let limit = max_rber(config, t, sweep.uber_target);
    let reached = |wear: &Wear| {
        let (model, stress) = wear.model();
        Endurance { model: model.to_string(), pe_cycles: model.pe_cycles_at(limit, stress) }
    };
    sweep.wear.iter().map(reached).collect()
}

/// Clocks of the decoder that a page read depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecoderPace {
    /// Between codewords that follow without a gap.
    pub(crate) period_clocks: f64,
    /// From a codeword's last word in to its last word out.
    pub(crate) latency_clocks: f64,
}

/// Parts of a page read: the codewords come over the bus one behind the other into one decoder,
/// which falls behind where it is slower than the bus.
pub(crate) fn page_read(
    page: &Page,
    config: &CodeConfig,
    t: Strength,
    clock_mhz: f64,
    clean: DecoderPace,
    full: DecoderPace,
) -> PageRead {
    let codewords = f64::from(page.data_bytes) / f64::from(config.k_max_bytes);
    let codeword_bytes = f64::from(code_size(config, t).codeword.0.div_ceil(8));
    let transfer_us = codewords * codeword_bytes / page.bus_mb_per_s;
    let behind = |pace: DecoderPace| {
        let pacing_us = codewords * pace.period_clocks / clock_mhz;
        (pacing_us - transfer_us).max(0.0) + pace.latency_clocks / clock_mhz
    };
    PageRead {
        array_us: page.t_r_us,
        transfer_us,
        decode_clean_us: behind(clean),
        decode_full_us: behind(full),
    }
}
