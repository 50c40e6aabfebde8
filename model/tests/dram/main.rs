//! The buffer memory: times and energies worked by hand from the data sheets' rules, in clocks.
//!
//! In the sums, ACT, RD, WR, PRE and REF are the clocks of commands. DDR3-1600 has in clocks of
//! 1250 ps: tRCD, tRP and CL 11, CWL 8, tRAS 28, tRC 39, tRRD 5, tFAW 24, tWR 12, tWTR and tRTP 6,
//! tRFC 208, tREFI 6240, tXP 5; DDR2-667 in clocks of 3000 ps: tRCD, tRP and CL 4, CWL 3, tRAS 15,
//! tRC 19, tWR 5, tWTR and tRTP 3, tRFC 43, tREFI 2600, tXP 2. A burst takes 4 clocks on both.

mod energy;
mod files;
mod refresh;
mod sharing;
mod timing;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use floatgate_hal::units::{ByteCount, Picoseconds};
use floatgate_model::dram::{
    Access, Direction, Dram, DramAddress, DramPart, DramUsage, Requester, TurnOrder,
};
use floatgate_model::sim::Simulation;

use Direction::{Read, Write};
use Requester::{Firmware, Flash, Host};

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/dram")
}

/// A shipped part that stays awake.
fn awake(name: &str) -> DramPart {
    let mut part = DramPart::load(shipped().join(name)).unwrap();
    part.controller.power_down = false;
    part
}

/// Two devices, bursts of 16 bytes, rows of 2048 bytes, 8 banks.
fn ddr3() -> DramPart {
    awake("ddr3-1600-x8.ron")
}

/// Four devices, bursts of 32 bytes, rows of 4096 bytes, 8 banks.
fn ddr2() -> DramPart {
    awake("ddr2-667-x8.ron")
}

fn access(address: u64, bytes: u32, direction: Direction, requester: Requester) -> Access {
    Access { address: DramAddress(address), bytes: ByteCount(bytes), direction, requester }
}

/// A burst's access of the host.
fn burst(address: u64, direction: Direction) -> Access {
    access(address, 16, direction, Host)
}

/// What the accesses did that were asked for at these picoseconds, each by a process of its own:
/// their ends in picoseconds, and the usage.
fn run(part: &DramPart, accesses: &[(u64, Access)]) -> (Vec<u64>, DramUsage) {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let dram = Rc::new(Dram::new(&sim, part));
    let ends = Rc::new(RefCell::new(vec![0; accesses.len()]));
    for (index, &(asked_ps, access)) in accesses.iter().enumerate() {
        let (clock, dram, ends) = (sim.clone(), Rc::clone(&dram), Rc::clone(&ends));
        sim.spawn("requester", async move {
            clock.delay_until(Picoseconds(asked_ps)).await;
            dram.access(access).await;
            ends.borrow_mut()[index] = clock.now().0;
        });
    }
    simulation.run().unwrap();
    (ends.take(), dram.usage())
}

/// The same in clocks, with all accesses asked for at time 0, in order.
#[track_caller]
fn expect_ends(part: &DramPart, accesses: &[Access], ends_in_clocks: &[u64]) {
    let accesses: Vec<_> = accesses.iter().map(|&access| (0, access)).collect();
    let expected: Vec<_> = ends_in_clocks.iter().map(|end| end * part.timing.clock_ps).collect();
    assert_eq!(run(part, &accesses).0, expected);
}
