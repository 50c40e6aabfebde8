//! An array that lets other operations go before a read: the page may have been moved, its block
//! erased and written again when the read's turn comes.

use std::rc::Rc;

use bytemuck::allocation::zeroed_slice_box;
use floatgate_firmware::drive::{BufferConfig, Drive, Worker, slots};
use floatgate_firmware::ftl::Ftl;
use floatgate_hal::FlashArray;
use floatgate_hal::array::{
    ArrayGeometry, BlockId, Extent, FlashFailure, Origin, PageMark, Ppa, ReadReport, Slot, Spare,
    Uncorrectable, UnitIndex,
};
use floatgate_hal::host::Access;
use floatgate_hal::units::Picoseconds;
use floatgate_model::array::{Array, Cells, Contents};
use floatgate_model::sim::{Sim, Simulation, random_stream};
use floatgate_model::ssd::{Command, Cpu, HostInterface, Oracle};
use rand::Rng;

use crate::contract::small;

/// So long is a read of the host held back: blocks are written and erased meanwhile.
const LATE: Picoseconds = Picoseconds(40_000_000_000);

struct LateArray {
    array: Array,
    sim: Sim,
}

impl FlashArray for LateArray {
    fn geometry(&self) -> ArrayGeometry {
        self.array.geometry()
    }

    fn clear(&self, slot: Slot) {
        self.array.clear(slot);
    }

    fn copy(&self, part: Extent, from: Slot, to: Slot) {
        self.array.copy(part, from, to);
    }

    fn set_word(&self, slot: Slot, at: u32, word: u32) {
        self.array.set_word(slot, at, word);
    }

    fn word(&self, slot: Slot, at: u32) -> u32 {
        self.array.word(slot, at)
    }

    async fn read(
        &self,
        page: Ppa,
        part: Extent,
        into: Slot,
        origin: Origin,
    ) -> Result<ReadReport, Uncorrectable> {
        if origin == Origin::Host {
            self.sim.delay(LATE).await;
        }
        self.array.read(page, part, into, origin).await
    }

    async fn read_mark(&self, page: Ppa) -> PageMark {
        self.array.read_mark(page).await
    }

    async fn program(
        &self,
        page: Ppa,
        from: Slot,
        spare: Spare,
        origin: Origin,
    ) -> Result<(), FlashFailure> {
        self.array.program(page, from, spare, origin).await
    }

    async fn erase(&self, block: BlockId, origin: Origin) -> Result<(), FlashFailure> {
        self.array.erase(block, origin).await
    }
}

#[test]
fn a_read_that_comes_late_finds_its_page_again() {
    const WORKERS: u32 = 16;
    let config = small();
    let (topology, geometry) = (config.topology(), config.topology().geometry());
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let slots = slots(&geometry, WORKERS, &BufferConfig::default(), 1);
    let cells = Rc::new(Cells::new(geometry, Contents::Bytes, slots));
    let array = Array::new(&sim, topology, config.timing(), config.scheduling, Rc::clone(&cells));
    let host = HostInterface::new(&sim, config.link(), 1);
    let host = host.with_oracle(Oracle::default(), cells);
    let cpu = Cpu::new(&sim, 1, config.costs());
    let words = |words| zeroed_slice_box(words as usize);
    let ftl = Ftl::new(geometry, config.ftl(1), words).expect("there is room");
    let array = LateArray { array, sim: sim.clone() };
    let buffer = BufferConfig::default();
    let drive = Rc::new(Drive::new(array, host, cpu, ftl, (WORKERS, buffer), words));
    for worker in (0..WORKERS).map(Worker) {
        let drive = Rc::clone(&drive);
        sim.spawn_server("worker", async move { drive.serve(worker).await });
    }
    for unit in (0..geometry.units).map(UnitIndex) {
        let drive = Rc::clone(&drive);
        sim.spawn_server("collection", async move { drive.collect(unit).await });
    }
    let (shared, pages, clock) = (Rc::clone(&drive), config.user_pages(), sim.clone());
    let end = simulation.block_on("host", async move {
        let mut random = random_stream(1, "pages");
        for _ in 0..6000 {
            let is_read = random.random_bool(0.2);
            let access = if is_read { Access::Read } else { Access::Write };
            let sector = u64::from(4 * random.random_range(0..pages));
            let wanted = clock.now();
            shared.host().submit(Command { access, sector, sectors: 4, wanted, flow: 0 }).await;
        }
        shared.host().drain().await;
    });
    end.expect("every request is served");
    let host = drive.host();
    assert_eq!(host.oracle().expect("contents are checked").breaches(), [""; 0]);
    assert_eq!(host.statistics().failed, 0);
    assert!(drive.counts().collections > 100, "{:?}", drive.counts());
}
