//! A made-up stored file to lay its report out by. Its figures come from formulas.

use floatgate_hal::units::{ByteCount, Strength};
use floatgate_report::model::{RunInfo, Tool};
use floatgate_report::store::{
    CorrectedCount, DeviceFacts, EngineKind, EngineRun, Interface, ModeLatency, Steps, StoreReport,
    StoreResult, StrengthLatency,
};

/// Model and RTL beside each other.
pub(crate) fn report() -> StoreReport {
    let modes = |interface, megabytes: [f64; 6]| {
        (0..6).zip(megabytes).map(move |(mode, rate)| mode_latency(interface, mode, rate))
    };
    let sdr = modes(Interface::Sdr, [10.0, 20.0, 28.5, 33.0, 40.0, 50.0]);
    let nv_ddr = modes(Interface::NvDdr, [40.0, 66.0, 100.0, 133.0, 166.0, 200.0]);
    StoreReport {
        store: StoreResult {
            name: "store-synthetic".into(),
            device: device(),
            engines: vec![engine(EngineKind::Model, 1.0), engine(EngineKind::Rtl, 1.02)],
            corrected: (0..24)
                .map(|bits| CorrectedCount { bits, codewords: u64::from(100 * bits % 937) })
                .collect(),
            modes: sdr.chain(nv_ddr).collect(),
            notes: vec!["All figures on this page are made up by formulas.".into()],
        },
        run: RunInfo {
            command: ["floatgate", "store", "FILE", "--engine", "both"].map(String::from).to_vec(),
            seed: 1,
            git_revision: Some("0123456789ab".into()),
            started_utc: "2000-01-01T00:00:00Z".into(),
            wall_time_s: 12.3,
            jobs: 2,
            tools: vec![Tool { name: "verilator".into(), version: None }],
        },
    }
}

/// On the RTL alone, of a part without NV-DDR, with a breach of the protocol.
pub(crate) fn report_of_one_engine() -> StoreReport {
    let mut report = report();
    report.store.name = "store-synthetic-rtl".into();
    report.store.engines.remove(0);
    report.store.engines[0].breaches = vec!["0.1 us: tWB: made up".into()];
    report.store.modes.retain(|mode| mode.interface == Interface::Sdr);
    report.store.corrected.truncate(2);
    report
}

fn device() -> DeviceFacts {
    DeviceFacts {
        part: "SYNTHETIC-A".into(),
        dies: 2,
        mode: "NV-DDR 5".into(),
        code: "k1-m14-t40".into(),
        strength: Strength(40),
        codec_mhz: 200.0,
        controller_mhz: 200.0,
        initial_cycles: 1500,
        retention_days: 30.0,
        file: "FILE".into(),
        file_bytes: 1_000_000,
        pages: 123,
        page_bytes: ByteCount(8192),
        codewords: 984,
    }
}

fn engine(engine: EngineKind, factor: f64) -> EngineRun {
    let steps = |ecc: f64, array: f64| Steps {
        firmware_us: 2.0,
        ecc_us: ecc * factor,
        command_address_us: 0.9,
        transfer_us: 44.0,
        array_us: array,
        waiting_us: 3.0 * factor,
        span_us: (ecc + array) * 60.0,
        data_share: 0.6,
        command_share: 0.01,
    };
    EngineRun {
        engine,
        mount_us: 500_000.0,
        bad_blocks: 40,
        write: steps(50.0, 900.0),
        read: steps(90.0, 52.0),
        breaches: Vec::new(),
    }
}

fn mode_latency(interface: Interface, mode: u8, rate: f64) -> ModeLatency {
    let points = [1, 2, 4, 8, 12, 16, 24, 32, 40].map(|t| {
        let clean_us = 50.0 + (8192.0 + 14.0 * f64::from(t)) / rate;
        let corrected_us = clean_us + 10.0 + f64::from(t);
        StrengthLatency { t: Strength(t), clean_us, corrected_us }
    });
    ModeLatency { interface, mode, controller_mhz: 200.0, points: points.to_vec() }
}
