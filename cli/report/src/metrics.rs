//! Flat metrics: one name per figure, with the unit last, for gates and comparisons.
//!
//! Names read `stage__subject__metric`: the stage is `code`, `encode`, `decode`, `life`, `read`
//! or `synth`; the subject is the configuration with its strength, or the build.

use std::collections::BTreeMap;

use serde_json::Number;

use crate::derived::{mb_per_s, nanoseconds};
use crate::format;
use crate::knee::recommend;
use crate::model::{BlockArea, Build, ControllerBuild, LatencyStats, Point, SweepResult};

/// All flat metrics of a sweep, sorted by name.
///
/// # Panics
/// When `sweep` does not pass [`SweepResult::check`].
pub fn flat_metrics(sweep: &SweepResult) -> BTreeMap<String, Number> {
    let mut metrics = Metrics::default();
    let clock_mhz = sweep.settings.clock_mhz;
    for point in &sweep.points {
        let subject = format!("{}_t{}", identifier(&point.code.name), point.t);
        metrics.code(&subject, point);
        metrics.encode(&subject, point, clock_mhz);
        metrics.decode(&subject, point, clock_mhz);
        metrics.life(&subject, point);
    }
    for build in sweep.all_builds() {
        metrics.synthesis(build);
    }
    for build in &sweep.controllers {
        metrics.controller(build);
    }
    for code in sweep.codes() {
        if let Some(found) = recommend(&sweep.points_of(&code.name), &sweep.settings) {
            let chosen = u64::from(found.choice().t.0);
            metrics.count(format!("life__{}__chosen_t", identifier(&code.name)), chosen);
        }
    }
    metrics.0
}

/// Figures as flat metrics, sorted by name.
///
/// # Panics
/// Where a figure is not finite.
pub(crate) fn flat(figures: impl IntoIterator<Item = (String, f64)>) -> BTreeMap<String, Number> {
    figures.into_iter().map(|(name, value)| (name, number(value))).collect()
}

/// A figure with the places that a page shows.
fn number(value: f64) -> Number {
    let rounded: f64 = format::plain(value).parse().expect("a printed float parses");
    Number::from_f64(rounded).expect("a checked result has finite figures")
}

#[derive(Default)]
struct Metrics(BTreeMap<String, Number>);

impl Metrics {
    fn count(&mut self, name: String, value: u64) {
        self.insert(name, value.into());
    }

    fn real(&mut self, name: String, value: f64) {
        self.insert(name, number(value));
    }

    fn insert(&mut self, name: String, value: Number) {
        let twin = self.0.insert(name.clone(), value);
        assert!(twin.is_none(), "metric {name} is named once");
    }

    fn code(&mut self, subject: &str, point: &Point) {
        let name = |metric: &str| format!("code__{subject}__{metric}");
        self.count(name("data_bytes"), point.data_bytes.0.into());
        self.count(name("parity_bytes"), point.parity_bytes().0.into());
        self.count(name("parity_bits"), point.parity_bits.0.into());
        self.real(name("rate_ratio"), point.code_rate());
    }

    fn encode(&mut self, subject: &str, point: &Point, clock_mhz: f64) {
        let stage = format!("encode__{subject}__");
        self.latency(&format!("{stage}latency"), &point.encode.latency, clock_mhz);
        self.rate(&stage, point, point.encode.period_clocks, clock_mhz);
    }

    fn decode(&mut self, subject: &str, point: &Point, clock_mhz: f64) {
        for measure in &point.decode {
            let stage = format!("decode__{subject}_{}__", measure.load.key());
            self.latency(&format!("{stage}first_word"), &measure.first_word, clock_mhz);
            self.latency(&format!("{stage}last_word"), &measure.last_word, clock_mhz);
            self.latency(&format!("{stage}status"), &measure.status, clock_mhz);
            if let Some(period_clocks) = measure.period_clocks {
                self.rate(&stage, point, period_clocks, clock_mhz);
            }
        }
        let name = |metric: &str| format!("decode__{subject}__{metric}");
        self.count(name("key_equation_clocks"), point.key_equation_clocks.0);
        self.count(name("limit_clocks"), point.limit_clocks().0);
        self.count(name("bound_clocks"), point.bound_clocks().0);
        self.count(name("period_bound_clocks"), point.period_bound_clocks().0);
        for row in &point.miscorrection {
            let name = |part: &str| {
                format!("decode__{subject}_errors_{}__miscorrected_{part}_codewords", row.errors)
            };
            self.count(name("without_crc"), row.passed_without_crc);
            if let Some(passed) = row.passed_with_crc {
                self.count(name("with_crc"), passed);
            }
        }
    }

    fn life(&mut self, subject: &str, point: &Point) {
        let name = |metric: &str| format!("life__{subject}__{metric}");
        self.real(name("max_rber_at_uber_1e15_ratio"), point.max_rber_at_uber_1e15);
        self.real(name("max_rber_at_uber_1e16_ratio"), point.max_rber_at_uber_1e16);
        for endurance in &point.endurance {
            let model = identifier(&endurance.model);
            self.real(name(&format!("{model}_pe_cycles")), endurance.pe_cycles);
        }
        if let Some(read) = &point.page_read {
            let name = |metric: &str| format!("read__{subject}__{metric}");
            self.real(name("array_us"), read.array_us);
            self.real(name("transfer_us"), read.transfer_us);
            self.real(name("decode_clean_us"), read.decode_clean_us);
            self.real(name("decode_full_us"), read.decode_full_us);
        }
    }

    fn synthesis(&mut self, build: &Build) {
        let subject = identifier(&build.code.name);
        let mut block = |part: &str, area: BlockArea| {
            let name = |metric: &str| format!("synth__{subject}__{}_{metric}", identifier(part));
            self.real(name("nand2eq"), area.nand2_equivalents);
            self.real(name("area_um2"), area.area_um2);
            self.count(name("flip_flops"), area.flip_flops);
        };
        block("encoder", build.encoder);
        for (part, area) in build.decoder_blocks() {
            block(part, area);
        }
        block("decoder", build.decoder);
        block("codec", build.codec());
        self.count(format!("synth__{subject}__memory_bits"), build.memory_bits.0.into());
        let paths = [
            ("encoder", build.encoder_critical_path_ns),
            ("decoder", build.decoder_critical_path_ns),
        ];
        for (part, path) in paths {
            if let Some(ns) = path {
                self.real(format!("synth__{subject}__{part}_critical_path_ns"), ns);
                self.real(format!("synth__{subject}__{part}_mhz"), 1000.0 / ns);
            }
        }
    }

    fn controller(&mut self, build: &ControllerBuild) {
        let name = |metric: &str| format!("synth__onfi_controller_{}_dies__{metric}", build.dies);
        self.count(name("cells"), build.cells);
        self.count(name("flip_flops"), build.area.flip_flops);
        self.real(name("nand2eq"), build.area.nand2_equivalents);
        self.real(name("area_um2"), build.area.area_um2);
        if let Some(ns) = build.critical_path_ns {
            self.real(name("critical_path_ns"), ns);
            self.real(name("mhz"), 1000.0 / ns);
        }
    }

    fn latency(&mut self, name: &str, stats: &LatencyStats, clock_mhz: f64) {
        self.count(format!("{name}_min_clocks"), stats.min_clocks.0);
        self.real(format!("{name}_mean_clocks"), stats.mean_clocks);
        self.count(format!("{name}_p99_clocks"), stats.p99_clocks.0);
        self.count(format!("{name}_max_clocks"), stats.max_clocks.0);
        self.real(format!("{name}_mean_ns"), nanoseconds(stats.mean_clocks, clock_mhz));
    }

    fn rate(&mut self, stage: &str, point: &Point, period_clocks: f64, clock_mhz: f64) {
        let bits_per_clock = point.throughput_bits_per_clock(period_clocks);
        self.real(format!("{stage}period_clocks"), period_clocks);
        self.real(format!("{stage}throughput_bits_per_clock"), bits_per_clock);
        self.real(format!("{stage}throughput_mb_per_s"), mb_per_s(bits_per_clock, clock_mhz));
    }
}

/// `name` in lower-case letters, digits and single underscores.
pub(crate) fn identifier(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn identifiers_are_plain() {
        assert_eq!(identifier("k1-m14-t40"), "k1_m14_t40");
        assert_eq!(identifier("2y-nm MLC (90 d)"), "2y_nm_mlc_90_d");
        assert_eq!(identifier("key equation"), "key_equation");
    }
}
