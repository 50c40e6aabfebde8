//! What accesses of the buffer memory cost in processor time, best of the rounds: by size and
//! place, by one requester alone and by three side by side.

use std::path::Path;
use std::rc::Rc;

use floatgate_hal::units::ByteCount;
use floatgate_model::dram::{Access, Direction, Dram, DramAddress, DramPart, Requester};
use floatgate_model::sim::Simulation;
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 3;
const ACCESSES: u64 = 3_000_000;
const REQUESTERS: [Requester; 3] = [Requester::Host, Requester::Flash, Requester::Firmware];
/// Odd, so that all slots are visited before one is visited again.
const STRIDE: u64 = 0x9E37_79B9;

fn main() {
    for file in ["ddr2-667-x8.ron", "ddr3-1600-x8.ron"] {
        let part = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/dram").join(file);
        let part = DramPart::load(part).unwrap_or_else(|error| panic!("{error}"));
        for (bytes, requesters) in [(64, 1), (64, 3), (4096, 1), (4096, 3), (8192, 1), (8192, 3)] {
            let round = |_| measure(&part, bytes, &REQUESTERS[..requesters]);
            let ns = (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min);
            println!(
                "{file:18} {bytes:4} B for {requesters} {ns:6.1} ns/access {:6.2} M accesses/s",
                1000.0 / ns
            );
        }
    }
}

/// Nanoseconds of processor time for an access.
fn measure(part: &DramPart, bytes: u32, requesters: &[Requester]) -> f64 {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let dram = Rc::new(Dram::new(&sim, part));
    let slots = part.capacity_bytes() / u64::from(bytes);
    let each = ACCESSES / requesters.len() as u64;
    for (place, &requester) in (0..).zip(requesters) {
        let dram = Rc::clone(&dram);
        sim.spawn("requester", async move {
            for index in 0..each {
                let slot = (place + index).wrapping_mul(STRIDE) % slots;
                dram.access(Access {
                    address: DramAddress(slot * u64::from(bytes)),
                    bytes: ByteCount(bytes),
                    direction: if index % 2 == 0 { Direction::Write } else { Direction::Read },
                    requester,
                })
                .await;
            }
        });
    }
    let begin = processor_time_ns();
    simulation.run().expect("all accesses end");
    (processor_time_ns() - begin) / (each * requesters.len() as u64) as f64
}

fn processor_time_ns() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
