//! What the pin level costs beside an RTL model: processor time per step of the host's pins and per
//! look at the bus, one of eight dies selected, in bursts of data out and data in.
//!
//! `cargo bench -p floatgate-model --bench pin_level`

use std::hint::black_box;
use std::path::Path;

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::{DataInterface, TimingMode};
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Part, Settings, Target};
use floatgate_model::pins::{Channel, HostPins, Level, MODE_MAX, Octet, PinDriver, PinOptions};

const DIES: u32 = 8;
const CYCLES: usize = 4_000;
const ROUNDS: usize = 50;

/// Eight dies of the invented part, the first one with a page in its register.
fn ready_to_read(mode: TimingMode) -> PinDriver<Target> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/parts/ix64mlc2lun-a.ron");
    let part = Part::load(path).expect("the part loads");
    let settings = |target| Settings { target, factory_erased: true, ..Settings::default() };
    let options = PinOptions::of(&part, &settings(0));
    let dies = (0..DIES).map(|die| (Target::new(part.clone(), settings(die)), options));
    let mut host = PinDriver::new(Channel::new(dies), options);
    host.wait_ready();
    host.select(DieIndex(0));
    host.command(0xFF);
    host.wait_ready();
    if mode != TimingMode::POWER_UP {
        host.command(0xEF);
        host.address(&[1]);
        host.data_in(&[mode.feature(), 0, 0, 0]);
        host.deselect();
        host.wait_ready();
        host.set_mode(mode);
        host.select(DieIndex(0));
    }
    host.command(0x00);
    host.address(&[0; 5]);
    host.command(0x30);
    host.wait_ready();
    host
}

/// Processor time of this process so far, in nanoseconds, as the kernel's scheduler counts it.
fn processor_ns() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux counts it");
    let first = text.split_whitespace().next();
    first.and_then(|ns| ns.parse().ok()).expect("a number")
}

/// Steps of one burst, and the nanoseconds that they and the looks after them took.
struct Cost {
    steps: usize,
    ns: f64,
}

/// Moves the pins through a burst `ROUNDS` times on copies of the channel. Each entry of `pattern`
/// is a step, so many picoseconds after the one before.
fn burst(
    channel: &Channel<Target>,
    from: Picoseconds,
    pattern: &[(u64, HostPins)],
    looks: bool,
) -> Cost {
    let mut cost = Cost { steps: 0, ns: 0.0 };
    for _ in 0..ROUNDS {
        let mut channel = channel.clone();
        let mut now = from.0 + 1_000_000;
        let begin = processor_ns();
        for _ in 0..CYCLES {
            for (gap, pins) in pattern {
                now += gap;
                channel.step(Picoseconds(now), pins);
                if looks {
                    black_box(channel.levels(Picoseconds(now)));
                }
            }
        }
        cost.ns += processor_ns() - begin;
        cost.steps += CYCLES * pattern.len();
    }
    cost
}

fn report(name: &str, channel: &Channel<Target>, from: Picoseconds, pattern: &[(u64, HostPins)]) {
    let steps = burst(channel, from, pattern, false);
    let both = burst(channel, from, pattern, true);
    let per_step = steps.ns / steps.steps as f64;
    let per_both = both.ns / both.steps as f64;
    println!("{name}: {per_step:.1} ns a step, {per_both:.1} ns a step and a look at the bus");
}

fn main() {
    let mode = TimingMode { interface: DataInterface::Sdr, mode: MODE_MAX };
    let mut host = ready_to_read(mode);
    host.idle(Picoseconds(1_000_000));
    let idle = *host.channel().host_pins();
    let low = HostPins { re_n: Level::Low, ..idle };
    let pattern = [(10_000, low), (10_000, idle)];
    report("SDR data out", host.channel(), host.now(), &pattern);

    host.command(0x80);
    host.address(&[0; 5]);
    host.idle(Picoseconds(1_000_000));
    let idle = *host.channel().host_pins();
    let low = HostPins { we_n: Level::Low, dq: Octet::driving(0x5A), ..idle };
    let high = HostPins { we_n: Level::High, ..low };
    let pattern = [(10_000, low), (10_000, high)];
    report("SDR data in", host.channel(), host.now(), &pattern);

    let mode = TimingMode { interface: DataInterface::NvDdr, mode: MODE_MAX };
    let mut host = ready_to_read(mode);
    host.idle(Picoseconds(1_000_000));
    let mut pins = *host.channel().host_pins();
    pins.re_n = Level::Low;
    let turn = Picoseconds(host.now().0 + 3_000);
    host.channel_mut().step(turn, &pins);
    (pins.cle, pins.ale) = (Level::High, Level::High);
    let low = HostPins { we_n: Level::Low, ..pins };
    let pattern = [(5_000, low), (5_000, pins)];
    report("NV-DDR data out", host.channel(), host.now(), &pattern[..]);
}
