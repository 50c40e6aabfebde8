//! Figures that follow from a measured point: rates, times, limits and bounds.
//!
//! The limits are those of a syndrome / key equation / Chien pipeline in which the syndromes
//! are ready with the last word in (Strukov 2006, Choi et al. 2010): one clock per key-equation
//! iteration, one search step per output word, and two clocks of control.

use floatgate_hal::units::{BitCount, ByteCount, Cycles, Strength};

use crate::error::ReportError;
use crate::metrics::identifier;
use crate::model::{
    BlockArea, Build, Code, DecodeMeasure, ErrorLoad, LatencyStats, Point, SweepResult,
};

/// Bound on the clocks from the last word in to the first word out of an error-free codeword.
pub const FIRST_WORD_BOUND_CLOCKS: Cycles = Cycles(8);
/// Clocks that a decoder may add to key equation and search.
const DECODE_MARGIN_CLOCKS: u64 = 8;
/// Clocks that a codeword may add to its transfer.
const PERIOD_MARGIN_CLOCKS: u64 = 4;
const CRC_BITS: u32 = 32;

impl LatencyStats {
    /// The spread of `samples`, in clocks. `None` without samples.
    pub fn from_samples(samples: impl IntoIterator<Item = Cycles>) -> Option<Self> {
        let mut sorted: Vec<u64> = samples.into_iter().map(|sample| sample.0).collect();
        sorted.sort_unstable();
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let count = sorted.len();
        let rank = (count * 99).div_ceil(100);
        Some(Self {
            codewords: count as u64,
            min_clocks: Cycles(min),
            mean_clocks: sorted.iter().sum::<u64>() as f64 / count as f64,
            p99_clocks: Cycles(sorted[rank - 1]),
            max_clocks: Cycles(max),
        })
    }
}

impl ErrorLoad {
    /// All loads, from none to t errors.
    pub const ALL: [Self; 4] = [Self::Zero, Self::One, Self::Half, Self::Full];

    /// The load in words, for legends and headings.
    pub fn label(self) -> &'static str {
        match self {
            Self::Zero => "no errors",
            Self::One => "1 error",
            Self::Half => "t/2 errors",
            Self::Full => "t errors",
        }
    }

    /// The load as part of a metric or column name.
    pub fn key(self) -> &'static str {
        match self {
            Self::Zero => "errors_0",
            Self::One => "errors_1",
            Self::Half => "errors_half_t",
            Self::Full => "errors_t",
        }
    }
}

impl Point {
    /// Bits of the BCH message: data and, inside the codeword, the CRC.
    pub fn message_bits(&self) -> BitCount {
        let crc_bits = if self.code.crc { CRC_BITS } else { 0 };
        BitCount(self.data_bytes.bits().0 + crc_bits)
    }

    /// Bits of the codeword, n.
    pub fn codeword_bits(&self) -> BitCount {
        BitCount(self.message_bits().0 + self.parity_bits.0)
    }

    /// Parity bytes as stored in the spare area, the last one padded.
    pub fn parity_bytes(&self) -> ByteCount {
        ByteCount(self.parity_bits.0.div_ceil(8))
    }

    /// Data bits over codeword bits.
    pub fn code_rate(&self) -> f64 {
        f64::from(self.data_bytes.bits().0) / f64::from(self.codeword_bits().0)
    }

    /// Bits stored beyond the data, in per cent of the data.
    pub fn overhead_percent(&self) -> f64 {
        let data_bits = self.data_bytes.bits().0;
        f64::from(self.codeword_bits().0 - data_bits) / f64::from(data_bits) * 100.0
    }

    /// The measurement at `load`, if it was made.
    pub fn decode_at(&self, load: ErrorLoad) -> Option<&DecodeMeasure> {
        self.decode.iter().find(|measure| measure.load == load)
    }

    /// Architectural limit of the clocks from the last word in to the last word out with
    /// t errors: t + 1 + ceil(k / P_C) + 2.
    pub fn limit_clocks(&self) -> Cycles {
        Cycles(u64::from(self.t.0) + 1 + self.search_clocks() + 2)
    }

    /// What this project allows itself: key equation + ceil(k / P_C) + 8.
    pub fn bound_clocks(&self) -> Cycles {
        Cycles(self.key_equation_clocks.0 + self.search_clocks() + DECODE_MARGIN_CLOCKS)
    }

    /// Clocks that the codeword takes at the streams, one word each: ceil(k / P) + ceil(r / P).
    pub fn codeword_words(&self) -> Cycles {
        let words = self.message_bits().0.div_ceil(self.code.p);
        Cycles(u64::from(words + self.parity_bits.0.div_ceil(self.code.p)))
    }

    /// Longest period allowed between codewords: ceil(n / P) + 4.
    pub fn period_bound_clocks(&self) -> Cycles {
        let words = self.codeword_bits().0.div_ceil(self.code.p);
        Cycles(u64::from(words) + PERIOD_MARGIN_CLOCKS)
    }

    /// Data bits per clock when a codeword takes `period_clocks`.
    pub fn throughput_bits_per_clock(&self, period_clocks: f64) -> f64 {
        f64::from(self.data_bytes.bits().0) / period_clocks
    }

    fn search_clocks(&self) -> u64 {
        u64::from(self.message_bits().0.div_ceil(self.code.p_c))
    }
}

/// 10^6 data bytes per second at `bits_per_clock` and `clock_mhz`.
pub fn mb_per_s(bits_per_clock: f64, clock_mhz: f64) -> f64 {
    bits_per_clock / 8.0 * clock_mhz
}

/// Nanoseconds of `clocks` at `clock_mhz`.
pub fn nanoseconds(clocks: f64, clock_mhz: f64) -> f64 {
    clocks * 1000.0 / clock_mhz
}

impl Build {
    /// The decoder's blocks by name, in the order of the data's path, as mapped apart.
    pub fn decoder_blocks(&self) -> Vec<(&'static str, BlockArea)> {
        let blocks = [
            ("syndrome", self.syndrome),
            ("key equation", self.key_equation),
            ("Chien", self.chien),
            ("CRC", self.crc),
            ("control", self.control),
        ];
        blocks.into_iter().filter_map(|(name, block)| Some((name, block?))).collect()
    }

    /// The decoder's blocks in NAND2 equivalents, scaled so that they add up to the whole.
    pub fn decoder_shares(&self) -> Vec<(&'static str, f64)> {
        let blocks = self.decoder_blocks();
        let sum: f64 = blocks.iter().map(|(_, block)| block.nand2_equivalents).sum();
        let scale = if sum > 0.0 { self.decoder.nand2_equivalents / sum } else { 0.0 };
        blocks.iter().map(|(name, block)| (*name, block.nand2_equivalents * scale)).collect()
    }

    /// Encoder and decoder.
    pub fn codec(&self) -> BlockArea {
        self.encoder.plus(self.decoder)
    }

    /// The longer of encoder's and decoder's critical path, where timing was run.
    pub fn critical_path_ns(&self) -> Option<f64> {
        match (self.encoder_critical_path_ns, self.decoder_critical_path_ns) {
            (Some(encoder), Some(decoder)) => Some(encoder.max(decoder)),
            (encoder, decoder) => encoder.or(decoder),
        }
    }
}

impl BlockArea {
    fn plus(self, other: Self) -> Self {
        Self {
            nand2_equivalents: self.nand2_equivalents + other.nand2_equivalents,
            area_um2: self.area_um2 + other.area_um2,
            flip_flops: self.flip_flops + other.flip_flops,
        }
    }
}

impl SweepResult {
    /// The configurations in the order of their first point.
    pub fn codes(&self) -> Vec<&Code> {
        let mut codes: Vec<&Code> = Vec::new();
        for point in &self.points {
            if codes.iter().all(|code| code.name != point.code.name) {
                codes.push(&point.code);
            }
        }
        codes
    }

    /// The points of one configuration, weakest first.
    pub fn points_of(&self, code_name: &str) -> Vec<&Point> {
        let mut points: Vec<_> =
            self.points.iter().filter(|point| point.code.name == code_name).collect();
        points.sort_by_key(|point| point.t);
        points
    }

    /// All builds, each once: those of the points, then those for comparison.
    pub fn all_builds(&self) -> Vec<&Build> {
        let mut builds: Vec<&Build> = Vec::new();
        for build in self.points.iter().filter_map(|p| p.build.as_ref()).chain(&self.builds) {
            if builds.iter().all(|known| known.code.name != build.code.name) {
                builds.push(build);
            }
        }
        builds
    }

    /// Asserts what types do not: plain names, nothing measured twice, known wear models, and
    /// finite figures.
    ///
    /// # Errors
    /// [`ReportError::Name`] or [`ReportError::Inconsistent`], naming the first fault.
    pub fn check(&self) -> Result<(), ReportError> {
        check_name(&self.name)?;
        if self.points.is_empty() {
            return Err(ReportError::Inconsistent("a sweep without points".into()));
        }
        let keys = self.points.iter().map(|point| (identifier(&point.code.name), point.t));
        if let Some((code, t)) = twin(keys) {
            let fault = format!("{code} at t = {t}: more than one point");
            return Err(ReportError::Inconsistent(fault));
        }
        for point in &self.points {
            check_name(&point.code.name)?;
            self.check_point(point).map_err(|fault| {
                let place = format!("{} at t = {}", point.code.name, point.t);
                ReportError::Inconsistent(format!("{place}: {fault}"))
            })?;
        }
        let builds = self.all_builds();
        let names = builds.iter().map(|build| identifier(&build.code.name));
        if let Some(name) = twin(names) {
            return Err(ReportError::Inconsistent(format!("more than one build named {name}")));
        }
        if builds.into_iter().flat_map(build_figures).any(is_no_figure) {
            let fault = "a build has a figure that is negative or not finite";
            return Err(ReportError::Inconsistent(fault.into()));
        }
        Ok(())
    }

    fn check_point(&self, point: &Point) -> Result<(), String> {
        let Point { code, decode, endurance, miscorrection, .. } = point;
        if point.t == Strength(0) || point.data_bytes == ByteCount(0) {
            return Err("strength and data length must not be zero".into());
        }
        if code.p == 0 || code.p_c == 0 {
            return Err("a width of zero bits per clock".into());
        }
        let known = |name: &str| self.settings.rber_models.iter().any(|m| m.name == name);
        if let Some(unknown) = endurance.iter().find(|e| !known(&e.model)) {
            return Err(format!("unknown wear model \"{}\"", unknown.model));
        }
        if let Some(load) = twin(decode.iter().map(|measure| measure.load)) {
            return Err(format!("more than one decoder measurement with {}", load.label()));
        }
        if let Some(model) = twin(endurance.iter().map(|e| identifier(&e.model))) {
            return Err(format!("more than one endurance under {model}"));
        }
        if let Some(errors) = twin(miscorrection.iter().map(|row| row.errors)) {
            return Err(format!("more than one miscorrection count with {errors} errors"));
        }
        if point_figures(point).into_iter().any(is_no_figure) {
            return Err("a figure is negative or not finite".into());
        }
        Ok(())
    }
}

/// The first of `keys` that comes twice.
fn twin<K: PartialEq>(keys: impl Iterator<Item = K>) -> Option<K> {
    let mut seen = Vec::new();
    for key in keys {
        if seen.contains(&key) {
            return Some(key);
        }
        seen.push(key);
    }
    None
}

fn is_no_figure(figure: f64) -> bool {
    !(0.0..f64::INFINITY).contains(&figure)
}

fn build_figures(build: &Build) -> Vec<f64> {
    let apart = build.decoder_blocks().into_iter().map(|(_, block)| block);
    let areas = apart.chain([build.encoder, build.decoder]);
    let paths = [build.encoder_critical_path_ns, build.decoder_critical_path_ns];
    let sizes = areas.flat_map(|area| [area.nand2_equivalents, area.area_um2]);
    sizes.chain(paths.into_iter().flatten()).collect()
}

/// The floating-point figures of a point, for the check that they are finite.
fn point_figures(point: &Point) -> Vec<f64> {
    let mut figures = vec![
        point.encode.latency.mean_clocks,
        point.encode.period_clocks,
        point.max_rber_at_uber_1e15,
        point.max_rber_at_uber_1e16,
    ];
    figures.extend(point.endurance.iter().map(|e| e.pe_cycles));
    for measure in &point.decode {
        figures.extend([&measure.first_word, &measure.last_word].map(|s| s.mean_clocks));
        figures.push(measure.status.mean_clocks);
        figures.extend(measure.period_clocks);
    }
    if let Some(page) = &point.page_read {
        figures.extend([page.array_us, page.transfer_us]);
        figures.extend([page.decode_clean_us, page.decode_full_us]);
    }
    figures
}

/// Asserts that `name` stays inside the folder it is written to.
pub(crate) fn check_name(name: &str) -> Result<(), ReportError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(ReportError::Name(name.into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_is_the_nearest_rank() {
        let stats = LatencyStats::from_samples((1..=200).map(Cycles)).unwrap();
        assert_eq!(stats.p99_clocks, Cycles(198));
        assert_eq!(stats.mean_clocks, 100.5);
        assert_eq!((stats.min_clocks, stats.max_clocks), (Cycles(1), Cycles(200)));
        let single = LatencyStats::from_samples([Cycles(7)]).unwrap();
        assert_eq!((single.p99_clocks, single.codewords), (Cycles(7), 1));
        assert_eq!(LatencyStats::from_samples([]), None);
    }

    #[test]
    fn names_stay_inside_their_folder() {
        for good in ["sweep-default", "k1-m14-t40", "a.b_c"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "..", ".hidden", "a/b", "a b", "ä"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
