//! What skipping of idle clocks is worth, and what pins and dies cost: ratios within one run.
//!
//! Page reads of a single die with tR = 50 us per second of processor time, with idle clocks
//! skipped and with the clock always running; and clocks per second of bursts of data between a die
//! and its controller, beside a plain C++ loop over the same model in the same bursts with nothing
//! at its pins. The parts alternate, and of each the best round counts.
//!
//! `cargo bench --bench page_path [-- PART-OF-A-LINE...]`

use std::path::Path;
use std::sync::Arc;

use floatgate_cosim::dut::OnfiControllerPorts;
use floatgate_cosim::flash::{Config, Idle, RtlBus, RtlController};
use floatgate_hal::flash::address::{ColumnAddress, DieIndex, RowAddress};
use floatgate_hal::flash::mode::{BusTiming, DataInterface, DieTiming, TimingMode};
use floatgate_hal::flash::op::{DataPhase, OpKind};
use floatgate_hal::flash::timing::registers;
use floatgate_hal::flash::{BusOp, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::die::{Part, Settings, Severity, Target};
use floatgate_model::pins::{BusDiagnostic, Channel, PinOptions};
use floatgate_model::sim::Simulation;
use rustix::time::{ClockId, clock_gettime};
use verilated::Model;

const CLOCK: Picoseconds = Picoseconds(5_000);
const MODEL: &str = "onfi_controller_x2";
const ROUNDS: usize = 5;
/// Part of a page with one codeword, of which a page has eight.
const SECTOR_BYTES: u32 = 540;
/// Bursts in a round.
const BURSTS: u32 = 6;
const BURST_BYTES: u32 = 4096;
/// Longer than power-up.
const POWER_UP: Picoseconds = Picoseconds(1_000_000_000);

const SDR: TimingMode = TimingMode { interface: DataInterface::Sdr, mode: 5 };
const NV_DDR: TimingMode = TimingMode { interface: DataInterface::NvDdr, mode: 5 };

fn main() {
    // Cargo passes --bench; anything else is a part of a line's name.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted =
        |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    println!("page reads per second of processor time, one die, tR = 50 us");
    println!("{:<24}{:>12}{:>12}{:>12}", "", "skipped", "clocked", "");
    let page = part().geometry().register_bytes().0;
    for (mode, bytes) in [(SDR, SECTOR_BYTES), (SDR, page), (NV_DDR, SECTOR_BYTES), (NV_DDR, page)]
    {
        let name = format!("{:?} 5, {bytes} B", mode.interface);
        if !is_wanted(&name) {
            continue;
        }
        let (mut skipped, mut clocked) = (0.0, 0.0);
        for _ in 0..ROUNDS {
            skipped = f64::max(skipped, reads_per_second(Idle::Skipped, mode, bytes, 30));
            clocked = f64::max(clocked, reads_per_second(Idle::Clocked, mode, bytes, 10));
        }
        println!("{name:<24}{skipped:>12.0}{clocked:>12.0}{:>12.2}", skipped / clocked);
    }
    println!("\nclocks per second in bursts of {BURST_BYTES} B");
    println!("{:<24}{:>12}{:>12}", "", "C++ loop", "with a die");
    for (mode, kind) in [
        (SDR, OpKind::ChangeReadColumn),
        (SDR, OpKind::ChangeWriteColumn),
        (NV_DDR, OpKind::ChangeReadColumn),
        (NV_DDR, OpKind::ChangeWriteColumn),
    ] {
        let name = format!("{:?} 5, {}", mode.interface, way(kind));
        if !is_wanted(&name) {
            continue;
        }
        let (mut plain, mut die) = (0.0, 0.0);
        for _ in 0..ROUNDS {
            plain = f64::max(plain, clocks_of_a_plain_loop(mode, kind));
            die = f64::max(die, clocks_with_a_die(mode, kind));
        }
        println!("{name:<24}{:>10.3} M{:>10.3} M{:>10.3}", plain / 1e6, die / 1e6, die / plain);
    }
}

fn way(kind: OpKind) -> &'static str {
    if kind == OpKind::ChangeReadColumn { "data out" } else { "data in" }
}

/// Processor time of this process.
fn cpu_s() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// A part whose pages take 50 us to read and have no errors.
fn part() -> Arc<Part> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let part = Part::load(root.join("configs/parts/mt29f32g08cbaba.ron")).expect("a shipped part");
    let mut part = part.as_ref().clone();
    part.cells.page_types.iter_mut().for_each(|page_type| page_type.t_r_us = 50.0);
    part.cells.errors.model = None;
    Arc::new(part)
}

fn die(part: &Arc<Part>) -> (Target, PinOptions) {
    let settings =
        Settings { factory_bad_blocks: Some(0), factory_erased: true, ..Settings::default() };
    let options = PinOptions::of(part, &settings);
    (Target::new(Arc::clone(part), settings), options)
}

fn op(kind: OpKind, bytes: u32) -> BusOp {
    let (row, column) = (RowAddress(0), ColumnAddress(0));
    BusOp { kind, die: DieIndex(0), row, column, length: ByteCount(bytes) }
}

fn timing(mode: TimingMode) -> DieTiming {
    DieTiming { mode, t_ccs: Picoseconds(500_000), fast_t_cad: false }
}

fn config(idle: Idle) -> Config {
    Config { model: MODEL, dies: 2, clock: CLOCK, seed: 1, idle }
}

/// Reads of so many bytes of a page, one after the other.
fn reads_per_second(idle: Idle, mode: TimingMode, bytes: u32, count: u32) -> f64 {
    let part = part();
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let bus = RtlBus::new(&sim, &config(idle), [die(&part)]).expect("it is linked in");
    let host = bus.clone();
    let work = async move {
        sim.delay(POWER_UP).await;
        host.execute(op(OpKind::Reset, 0), Transfer::None).await;
        let set = BusOp { row: RowAddress(1), ..op(OpKind::SetFeatures, 4) };
        host.execute(set, Transfer::In(&[mode.feature(), 0, 0, 0])).await;
        host.set_timing(DieIndex(0), timing(mode)).expect("the clock suits the mode");
        let mut data = vec![0; bytes as usize];
        let began_s = cpu_s();
        for _ in 0..count {
            let read = host.execute(op(OpKind::ReadPage, bytes), Transfer::Out(&mut data)).await;
            assert_eq!(read.outcome, Outcome::Done);
        }
        f64::from(count) / (cpu_s() - began_s)
    };
    let rate = simulation.block_on("host", async move { bus.guard(work).await });
    rate.expect("no deadlock").expect("no breach")
}

/// Clocks a second while data go between a die and the controller.
fn clocks_with_a_die(mode: TimingMode, kind: OpKind) -> f64 {
    let part = part();
    let mut controller =
        RtlController::new(&config(Idle::Skipped), Channel::new([die(&part)])).unwrap();
    controller.run_to(POWER_UP).unwrap();
    let run = |controller: &mut RtlController<_>, op: BusOp, data: Vec<u8>| {
        controller.submit(&op, data);
        controller.run_until(Picoseconds(u64::MAX)).unwrap();
        assert!(
            controller.take_finished().iter().all(|one| one.completion.outcome == Outcome::Done)
        );
    };
    run(&mut controller, op(OpKind::Reset, 0), Vec::new());
    let set = BusOp { row: RowAddress(1), ..op(OpKind::SetFeatures, 4) };
    run(&mut controller, set, vec![mode.feature(), 0, 0, 0]);
    controller.set_timing(DieIndex(0), &timing(mode)).unwrap().expect("the clock suits the mode");
    let takes_data = kind.form().data == DataPhase::InAfterCcs;
    let opening =
        if takes_data { op(OpKind::LoadPage, 2) } else { op(OpKind::ReadPageToRegister, 0) };
    run(&mut controller, opening, vec![0x5A; opening.length.0 as usize]);
    let (began_s, before) = (cpu_s(), controller.clocks().0);
    for _ in 0..BURSTS {
        let data = if takes_data { vec![0x5A; BURST_BYTES as usize] } else { Vec::new() };
        run(&mut controller, op(kind, BURST_BYTES), data);
    }
    let breach = |one: &BusDiagnostic| one.diagnostic.severity == Severity::Error;
    assert!(!controller.wires().drain_diagnostics().iter().any(breach));
    (controller.clocks().0 - before) as f64 / (cpu_s() - began_s)
}

/// Clocks a second of a plain loop, in C++, in such bursts: the streams are always ready, the same
/// operation is always asked for, and at the pins DQS follows CLK and DQ is still.
fn clocks_of_a_plain_loop(mode: TimingMode, kind: OpKind) -> f64 {
    let mut model = Model::new(MODEL, 1).unwrap();
    let ports: OnfiControllerPorts = model.ports().unwrap();
    for level in [1, 0] {
        model.set(ports.rst_ni, level);
        model.eval().unwrap();
    }
    model.step_n(2).unwrap();
    model.set(ports.rst_ni, 1);
    let values = registers(&timing(mode), CLOCK).expect("the clock suits the mode").0;
    let bank_1 = values.into_iter().enumerate().map(|(index, value)| (32 + index as u64, value));
    for (address, value) in bank_1.chain([(0x90, 1)]) {
        model.set(ports.reg_write_i, 1);
        model.set(ports.reg_addr_i, address);
        model.set(ports.reg_data_i, value.into());
        model.step_n(1).unwrap();
    }
    model.set(ports.reg_write_i, 0);
    let levels = [
        (ports.rb_ni, 3),
        (ports.dq_i, 0x5A),
        (ports.m_ready_i, 1),
        (ports.cpl_ready_i, 1),
        (ports.s_valid_i, 1),
        (ports.s_data_i, 0x5A),
        (ports.cmd_op_i, kind as u64),
        (ports.cmd_length_i, BURST_BYTES.into()),
        (ports.cmd_valid_i, 1),
    ];
    levels.into_iter().for_each(|(port, level)| model.set(port, level));
    model.reference_pins(1000).unwrap();
    let moves = |model: &Model| match kind {
        OpKind::ChangeReadColumn => model.get(ports.m_valid_o),
        _ => model.get(ports.s_ready_o),
    };
    let mut bytes = 0;
    for _ in 0..400 {
        model.reference_pins(1).unwrap();
        bytes += moves(&model);
    }
    assert!(bytes > if mode == SDR { 95 } else { 300 }, "{bytes} bytes: there is no burst");
    let clocks = 25_000;
    let began_s = cpu_s();
    model.reference_pins(clocks).unwrap();
    clocks as f64 / (cpu_s() - began_s)
}
