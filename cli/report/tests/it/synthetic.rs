//! A made-up sweep to lay the report out by. Its figures come from formulas, not from a codec.

use floatgate_hal::units::{BitCount, ByteCount, Cycles, Strength};
use floatgate_report::Report;
use floatgate_report::model::{
    BlockArea, Build, Code, DecodeMeasure, EncodeMeasure, Endurance, ErrorLoad, LatencyStats,
    Miscorrection, PageRead, PageSettings, Point, RberModel, RunInfo, Settings, SweepResult, Tool,
};

const CLOCK_MHZ: f64 = 100.0;
const BUS_MB_PER_S: f64 = 200.0;
const STRENGTHS: [u16; 8] = [1, 2, 4, 8, 12, 16, 24, 40];

/// A report over one configuration, complete.
pub(crate) fn report() -> Report {
    let code = code("k1-m14-t40", 14, 1024, 40, false);
    Report {
        sweep: SweepResult {
            name: "synthetic".into(),
            title: "Synthetic sample for the layout, not a measurement".into(),
            settings: settings(),
            points: STRENGTHS.map(|t| point(&code, t)).to_vec(),
            builds: [
                ("b512-m13-t8-fixed", 8, true),
                ("b512-m13-t12-fixed", 12, true),
                ("b512-m13-t24-fixed", 24, true),
                ("b512-m13-t24", 24, false),
            ]
            .map(|(name, t_max, fixed)| build(self::code(name, 13, 512, t_max, fixed)))
            .to_vec(),
            controllers: Vec::new(),
            notes: vec!["All figures on this page are made up by formulas.".into()],
        },
        run: run(),
    }
}

/// The same without synthesis, timing or page.
pub(crate) fn report_without_synthesis() -> Report {
    let mut report = report();
    report.sweep.builds.clear();
    report.sweep.settings.cell_library = None;
    report.sweep.settings.page = None;
    for point in &mut report.sweep.points {
        point.build = None;
        point.page_read = None;
    }
    for tool in &mut report.run.tools {
        if tool.name != "verilator" {
            tool.version = None;
        }
    }
    report
}

/// Several configurations, one of them with a single strength, one with its one shared build.
pub(crate) fn report_of_many_codes() -> Report {
    let mut report = report();
    let wide = code("b512-m13-t24-p32", 13, 512, 24, false);
    let shared = build(wide.clone());
    for t in [2, 8, 12, 24] {
        let built = Some(shared.clone());
        report.sweep.points.push(Point { build: built, ..point(&wide, t) });
    }
    let comparable = code("b512-m13-t24", 13, 512, 24, false);
    for t in [1, 2, 4, 8, 12, 16, 24] {
        let built = Some(build(comparable.clone()));
        report.sweep.points.push(Point { build: built, ..point(&comparable, t) });
    }
    let fixed = code("b512-m13-t8-fixed", 13, 512, 8, true);
    report.sweep.points.push(point(&fixed, 8));
    report
}

fn settings() -> Settings {
    Settings {
        clock_mhz: CLOCK_MHZ,
        codewords_per_point: 200,
        data_source: "a formula, no file".into(),
        uber_target: 1e-15,
        rber_models: vec![
            RberModel {
                name: "72L TLC".into(),
                conditions: "made-up wear, retention 0 days, 0 reads per page".into(),
            },
            RberModel {
                name: "2y-nm MLC".into(),
                conditions: "made-up wear, retention 0 days, 0 reads per page".into(),
            },
        ],
        page: Some(PageSettings { data_bytes: ByteCount(4096), bus_mb_per_s: BUS_MB_PER_S }),
        cell_library: Some("osu018".into()),
    }
}

fn run() -> RunInfo {
    let tool =
        |name: &str, version: &str| Tool { name: name.into(), version: Some(version.into()) };
    RunInfo {
        command: ["floatgate", "sweep", "--config", "configs/sweeps/default.ron"]
            .map(String::from)
            .to_vec(),
        seed: 1,
        git_revision: Some("0123456789ab".into()),
        started_utc: "2000-01-01T00:00:00Z".into(),
        wall_time_s: 12.3,
        jobs: 2,
        tools: vec![
            tool("verilator", "Verilator 0.0 (synthetic)"),
            tool("yosys", "Yosys 0.0 (synthetic)"),
            tool("sta", "OpenSTA 0.0 (synthetic)"),
        ],
    }
}

fn code(name: &str, m: u32, data_bytes: u32, t_max: u16, fixed: bool) -> Code {
    let p = if name.ends_with("p32") { 32 } else { 8 };
    Code {
        name: name.into(),
        m,
        data_bytes_max: ByteCount(data_bytes),
        t_max: Strength(t_max),
        p,
        p_c: p,
        kes_lanes: 2,
        crc: false,
        fixed,
    }
}

fn point(code: &Code, t: u16) -> Point {
    let parity_bits = BitCount(code.m * u32::from(t));
    let rate = f64::from(code.p);
    let data_bits = f64::from(code.data_bytes_max.0) * 8.0;
    let words = ((data_bits + f64::from(parity_bits.0)) / rate).ceil();
    let search = (data_bits / rate).ceil() as u64;
    let key_equation_clocks = Cycles(u64::from(t) + 2 + u64::from(t) * u64::from(t) / 40);
    let max_rber =
        1.6e-3 * (f64::from(t) / 40.0).powf(1.35) * (1.0 - (-f64::from(t) / 2.5).exp()).powi(9);
    let own = Code { name: format!("{}-only-t{t}", code.name), t_max: Strength(t), ..code.clone() };
    let decode = ErrorLoad::ALL.map(|load| {
        let errors = match load {
            ErrorLoad::Zero => 0,
            ErrorLoad::One => 1,
            ErrorLoad::Half => t / 2,
            ErrorLoad::Full => t,
        };
        let clean = errors == 0;
        let solving = key_equation_clocks.0 * u64::from(errors + t) / u64::from(2 * t);
        let wait = if clean { 3 } else { solving + 4 };
        DecodeMeasure {
            load,
            errors,
            first_word: spread(wait),
            last_word: spread(wait + search),
            status: spread(wait + search + u64::from(!clean)),
            period_clocks: matches!(load, ErrorLoad::Zero | ErrorLoad::Full)
                .then(|| words + if clean { 1.0 } else { 3.0 }),
        }
    });
    let decode_us = |load: usize| decode[load].last_word.mean_clocks / CLOCK_MHZ;
    let transfer_bytes = 4096.0 * (1.0 + f64::from(parity_bits.0) / data_bits);
    Point {
        code: code.clone(),
        t: Strength(t),
        data_bytes: code.data_bytes_max,
        parity_bits,
        encode: EncodeMeasure { latency: spread(words as u64 + 1), period_clocks: words + 0.5 },
        key_equation_clocks,
        build: Some(build(own)),
        max_rber_at_uber_1e15: max_rber,
        max_rber_at_uber_1e16: max_rber * (0.93 - 0.5 / f64::from(t)),
        endurance: vec![
            Endurance { model: "72L TLC".into(), pe_cycles: 0.0 },
            Endurance {
                model: "2y-nm MLC".into(),
                pe_cycles: (((max_rber - 8e-5).max(0.0) / 3e-11).powf(0.58)).round(),
            },
        ],
        page_read: Some(PageRead {
            array_us: 50.0,
            transfer_us: transfer_bytes / BUS_MB_PER_S,
            decode_clean_us: decode_us(0),
            decode_full_us: decode_us(3),
        }),
        miscorrection: (t + 1..=2 * t)
            .step_by(usize::from(t.max(2) / 2))
            .map(|errors| Miscorrection {
                errors,
                codewords: 1000,
                passed_without_crc: 500 / (u64::from(t) * u64::from(t)),
                passed_with_crc: Some(0),
            })
            .collect(),
        decode: decode.to_vec(),
    }
}

fn spread(clocks: u64) -> LatencyStats {
    LatencyStats::from_samples((0..200).map(|i| Cycles(clocks + u64::from(i % 50 == 49))))
        .expect("200 samples")
}

fn build(code: Code) -> Build {
    let unit = f64::from(code.m) * f64::from(code.t_max.0);
    let price = if code.fixed { 1.0 } else { 1.15 };
    let block = |scale: f64, flip_flops: f64| BlockArea {
        nand2_equivalents: (unit * scale * price).round(),
        area_um2: (unit * scale * price).round() * 8.0,
        flip_flops: (unit * flip_flops) as u64,
    };
    Build {
        encoder: block(15.0, 1.1),
        decoder: block(120.0, 5.6),
        syndrome: Some(block(28.0, 1.0)),
        key_equation: Some(block(42.0, 3.1)),
        chien: Some(block(46.0, 1.2)),
        crc: code.crc.then(|| block(2.0, 0.1)),
        control: Some(block(6.0, 0.4)),
        memory_bits: BitCount(code.data_bytes_max.0 * 8 * 3),
        encoder_critical_path_ns: Some(2.0 + 0.03 * f64::from(code.t_max.0)),
        decoder_critical_path_ns: Some(2.5 + 0.05 * f64::from(code.t_max.0)),
        code,
    }
}
