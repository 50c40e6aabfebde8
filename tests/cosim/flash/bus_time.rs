//! How long single operations take on the bus, beside an ideal host that keeps every gap at its
//! ONFI minimum.

use std::sync::Arc;

use floatgate_hal::flash::BusOp;
use floatgate_hal::flash::address::{DieIndex, RowAddress};
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::flash::op::{AddressForm, BusyPhase, DataPhase, OpKind};
use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::die::{Settings, Target};
use floatgate_model::pins::{Channel, Parameter, PinDriver, PinOptions};

use super::bench::{Bench, Plan, op, pattern};

/// More than this above the ideal host is too much.
const EXCESS_MAX: f64 = 0.05;

/// Long enough with CE# high that the long set-ups of ONFI 4 hold.
const REST: Picoseconds = Picoseconds(2_000_000);

/// Gaps that a controller counts in its clocks, and in NV-DDR in those of CLK.
const COUNTED: [Parameter; 7] = [
    Parameter::Adl,
    Parameter::Cad,
    Parameter::Ccs,
    Parameter::Rhw,
    Parameter::Rr,
    Parameter::Whr,
    Parameter::Wrck,
];

/// Set-ups and holds, which it counts in its own clocks.
const HELD: [Parameter; 3] = [Parameter::Cs, Parameter::Ch, Parameter::Calh];

/// Address cycles of an operation.
fn address_bytes(op: &BusOp) -> Vec<u8> {
    let column = op.column.0.to_le_bytes();
    let row = &op.row.0.to_le_bytes()[..3];
    match op.kind.form().address {
        AddressForm::None => Vec::new(),
        AddressForm::Byte => vec![row[0]],
        AddressForm::ColumnRow => [&column, row].concat(),
        AddressForm::Row => row.to_vec(),
        AddressForm::Column => column.to_vec(),
    }
}

/// The ideal host, and for how long it has selected the die.
struct Ideal {
    host: PinDriver<Target>,
    selected_ps: u64,
}

impl Ideal {
    fn new(bench: &Bench) -> Self {
        let settings =
            Settings { factory_bad_blocks: Some(0), factory_erased: true, ..Settings::default() };
        let options =
            PinOptions { long_chip_enable_setup: true, ..PinOptions::of(&bench.part, &settings) };
        let target = Target::new(Arc::clone(&bench.part), settings);
        let mut host = PinDriver::new(Channel::new([(target, options)]), options);
        host.idle(Picoseconds(200_000_000));
        let mut ideal = Self { host, selected_ps: 0 };
        ideal.run(&op(OpKind::Reset, 0), &[]);
        ideal
    }

    fn visit(&mut self, steps: impl FnOnce(&mut PinDriver<Target>)) {
        self.host.idle(REST);
        let before = self.host.now();
        self.host.select(DieIndex(0));
        steps(&mut self.host);
        self.host.deselect();
        self.selected_ps += self.host.now().0 - before.0;
    }

    fn run(&mut self, op: &BusOp, data: &[u8]) -> u64 {
        self.selected_ps = 0;
        let form = op.kind.form();
        let count = op.length.0 as usize;
        self.visit(|host| {
            host.command(form.first);
            host.address(&address_bytes(op));
            if matches!(form.data, DataPhase::InAfterAdl | DataPhase::InAfterCcs) {
                host.data_in(data);
            }
            if let Some(confirm) = form.confirm {
                host.command(confirm);
            }
            if matches!(form.data, DataPhase::OutAfterWhr | DataPhase::OutAfterCcs) {
                host.data_out(count);
            }
        });
        if form.busy != BusyPhase::None {
            self.host.wait_ready();
            self.host.deselect();
        }
        if form.busy == BusyPhase::WaitThenStatus {
            self.visit(|host| {
                host.command(0x70);
                host.data_out(1);
            });
        } else if form.data == DataPhase::OutAfterBusy {
            self.visit(|host| {
                host.data_out(count);
            });
        }
        self.selected_ps
    }

    /// Takes host and die to a mode, the gaps rounded up to clocks: of NV-DDR's CLK for what counts
    /// in those.
    fn set_mode(&mut self, mode: TimingMode, clock: Picoseconds) {
        let set = BusOp { row: RowAddress(1), length: ByteCount(4), ..op(OpKind::SetFeatures, 0) };
        self.run(&set, &[mode.feature(), 0, 0, 0]);
        self.host.set_mode(mode);
        let gaps = self.host.gaps_mut();
        let unit_ps = match mode.interface {
            DataInterface::Sdr => clock.0,
            DataInterface::NvDdr => gaps.min(Parameter::Ck).expect("it has a CLK").0,
        };
        let counted = COUNTED.map(|parameter| (parameter, unit_ps));
        for (parameter, unit_ps) in counted.into_iter().chain(HELD.map(|held| (held, clock.0))) {
            if let Some(gap) = gaps.min(parameter) {
                gaps.set_min(parameter, Picoseconds(gap.0.next_multiple_of(unit_ps)));
            }
        }
    }
}

/// Operations whose time on the bus is compared, with a partial page among them.
fn operations(bench: &Bench) -> Vec<BusOp> {
    let page = |kind| bench.page_op(kind, 0, 6, 0);
    let some = |kind, length| BusOp { length: ByteCount(length), ..op(kind, 0) };
    vec![
        some(OpKind::ReadId, 6),
        some(OpKind::ReadStatus, 1),
        page(OpKind::EraseBlock),
        page(OpKind::ProgramPage),
        page(OpKind::ReadPage),
        BusOp { length: ByteCount(512), ..page(OpKind::ReadPage) },
        BusOp { length: ByteCount(512), ..page(OpKind::ChangeReadColumn) },
        BusOp { row: RowAddress(1), ..some(OpKind::GetFeatures, 4) },
    ]
}

/// Compares all operations in a mode; gives the largest excess.
fn compare(interface: DataInterface, mode: u8, clock: Picoseconds) -> f64 {
    let mut bench = Bench::ready(&Plan { clock, ..Plan::default() });
    let mut ideal = Ideal::new(&bench);
    bench.set_mode(0, interface, mode);
    ideal.set_mode(TimingMode { interface, mode }, clock);
    let mut worst = f64::MIN;
    for op in operations(&bench) {
        let takes_data = matches!(op.kind.form().data, DataPhase::InAfterAdl);
        let data = if takes_data { pattern(9, op.length.0 as usize) } else { Vec::new() };
        bench.rtl.run_to(Picoseconds(bench.rtl.now().0 + REST.0)).unwrap();
        bench.rtl.wires().selected_ps = 0;
        bench.good(&op, &data);
        let rtl_ps = bench.rtl.wires().selected_ps;
        let ideal_ps = ideal.run(&op, &data);
        let excess = rtl_ps as f64 / ideal_ps as f64 - 1.0;
        println!(
            "{interface:?} mode {mode}, {:?} of {} B: {:.1} ns, ideal host {:.1} ns, {:+.2} %",
            op.kind,
            op.length.0,
            rtl_ps as f64 / 1e3,
            ideal_ps as f64 / 1e3,
            excess * 100.0
        );
        worst = worst.max(excess);
    }
    worst
}

#[test]
fn sdr_operations_take_hardly_longer_than_the_minima() {
    for mode in 0..=5 {
        let excess = compare(DataInterface::Sdr, mode, Picoseconds(5_000));
        assert!(excess <= EXCESS_MAX, "mode {mode}: {:.1} % too long", excess * 100.0);
    }
}

#[test]
fn nv_ddr_operations_take_hardly_longer_than_the_minima() {
    for (mode, clock_ps) in [5_000, 5_000, 5_000, 7_500, 6_000, 5_000].into_iter().enumerate() {
        let excess = compare(DataInterface::NvDdr, mode as u8, Picoseconds(clock_ps));
        assert!(excess <= EXCESS_MAX, "mode {mode}: {:.1} % too long", excess * 100.0);
    }
}
