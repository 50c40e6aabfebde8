//! A drive put together at transaction level: host interface, firmware, flash array.
//!
//! Enters: the parts' configurations. Leaves: a [`Ssd`] whose tasks run in a simulation, to which
//! the host submits commands. A power cut is to drop the simulation and to keep the cells.

mod breakdown;
mod energy;
mod host_port;
mod memory;
mod oracle;
mod precondition;
mod processor;
mod run;
mod series;
mod session;
mod steady;
mod watch;

use std::cell::Cell;
use std::rc::Rc;

use bytemuck::allocation::zeroed_slice_box;
use floatgate_firmware::drive::{BufferConfig, Drive, Worker};
use floatgate_firmware::ftl::{Ftl, FtlConfig, FtlError, JournalDamaged};
use floatgate_hal::FlashArray;
use floatgate_hal::array::UnitIndex;

use crate::array::{Array, Cells, Contents};
use crate::config::{DriveConfig, PowerConfig};
use crate::sim::Sim;

pub use breakdown::{Breakdown, Part, PartSums};
pub use energy::{Component, Energy};
pub use host_port::{Command, HostInterface, HostStatistics, LinkConfig};
pub use memory::BufferMemory;
pub use oracle::{Compared, Kept, Oracle};
pub use processor::{Cpu, TaskEvent};
pub use run::{Checked, LadderUse, Ready, RunError, RunResult, Window, run, start_flows};
pub use series::{HostTotals, HostWindow, PhaseStart, RunSeries, Sample, WindowTraffic};
pub use session::{Session, Stage};
pub(crate) use steady::is_known as has_steady_state;
pub use watch::Watch;

/// The memory of firmware's tables.
pub type Words = Box<[Cell<u32>]>;

/// A drive in a simulation.
pub struct Ssd {
    drive: Rc<Drive<Array, HostInterface, Cpu, Words>>,
    workers: u32,
    buffer: BufferConfig,
    power: Option<PowerConfig>,
}

impl Ssd {
    /// The drive of a configuration, with what is on it before a run, ready to serve. Where
    /// contents are kept, what is read is checked.
    ///
    /// # Errors
    /// [`FtlError`]: the flash has no room for the user's pages and for collection.
    pub fn fresh(
        sim: &Sim,
        config: &DriveConfig,
        contents: Contents,
        flows: u32,
        seed: u64,
    ) -> Result<Self, FtlError> {
        let geometry = config.topology().geometry();
        let cells = Rc::new(Cells::new(geometry, contents, config.slots()));
        let has_oracle = contents != Contents::Owner;
        let oracle = has_oracle.then(Oracle::default);
        let ssd = Self::on_cells(sim, config, cells, oracle, flows, seed)?;
        ssd.precondition(config.precondition, seed);
        ssd.start(sim);
        Ok(ssd)
    }

    /// The drive of a configuration on cells that there are: to be [`mount`](Self::mount)ed, then
    /// [`start`](Self::start)ed.
    ///
    /// # Errors
    /// [`FtlError`]: the flash has no room for the user's pages and for collection.
    pub fn on_cells(
        sim: &Sim,
        config: &DriveConfig,
        cells: Rc<Cells>,
        oracle: Option<Oracle>,
        flows: u32,
        seed: u64,
    ) -> Result<Self, FtlError> {
        let mut host = HostInterface::new(sim, config.link(), flows);
        if let Some(oracle) = oracle {
            host = host.with_oracle(oracle, Rc::clone(&cells));
        }
        let (topology, scheduling) = (config.topology(), config.scheduling);
        let mut array = Array::new(sim, topology, config.timing(), scheduling, cells);
        if let Some(errors) = &config.errors {
            array = array.with_errors(errors.errors());
        }
        if let Some(dram) = &config.dram {
            let memory = BufferMemory::new(sim, dram.loaded(), config.topology.page_bytes);
            let memory = Rc::new(memory);
            host = host.with_memory(Rc::clone(&memory));
            array = array.with_memory(memory);
        }
        let cpu = Cpu::new(sim, config.firmware.cores, config.costs());
        let workers = config.firmware.workers;
        let ssd = Self::assemble(array, host, cpu, config.ftl(seed), workers, config.buffer())?;
        Ok(Self { power: config.power, ..ssd })
    }

    /// Puts a drive together that knows of no data on its flash.
    ///
    /// # Errors
    /// [`FtlError`]: the flash has no room for the user's pages and for collection.
    pub fn assemble(
        array: Array,
        host: HostInterface,
        cpu: Cpu,
        ftl: FtlConfig,
        workers: u32,
        buffer: BufferConfig,
    ) -> Result<Self, FtlError> {
        let words = |words| zeroed_slice_box(words as usize);
        let ftl = Ftl::new(array.geometry(), ftl, words)?;
        let drive = Drive::new(array, host, cpu, ftl, (workers, buffer), words);
        Ok(Self { drive: Rc::new(drive), workers, buffer, power: None })
    }

    /// Starts the tasks. They are servers: they wait for the host for ever.
    pub fn start(&self, sim: &Sim) {
        for worker in (0..self.workers).map(Worker) {
            let drive = Rc::clone(&self.drive);
            let task = async move { drive.serve(worker).await };
            sim.spawn_server(format!("worker {}", worker.0), task);
        }
        for flusher in 0..self.buffer.flushers {
            let drive = Rc::clone(&self.drive);
            let task = async move { drive.flush(flusher).await };
            sim.spawn_server(format!("flusher {flusher}"), task);
        }
        for unit in self.units() {
            let drive = Rc::clone(&self.drive);
            let task = async move { drive.collect(unit).await };
            sim.spawn_server(format!("collection of unit {}", unit.0), task);
        }
        if self.drive.ftl().journal().is_some() {
            let drive = Rc::clone(&self.drive);
            sim.spawn_server("journal", async move { drive.keep_journal().await });
        }
    }

    /// Finds out what is on the flash, all units side by side.
    ///
    /// # Errors
    /// The journal does not tell it.
    pub async fn mount(&self, sim: &Sim) -> Result<(), JournalDamaged> {
        let mount = |unit: UnitIndex| {
            let drive = Rc::clone(&self.drive);
            sim.spawn(format!("mount of unit {}", unit.0), async move { drive.mount(unit).await })
        };
        let handles: Vec<_> = self.units().map(mount).collect();
        for handle in handles {
            handle.await?;
        }
        Ok(())
    }

    /// The firmware, with what it runs on.
    pub fn drive(&self) -> &Drive<Array, HostInterface, Cpu, Words> {
        &self.drive
    }

    fn units(&self) -> impl Iterator<Item = UnitIndex> {
        (0..self.drive.ftl().geometry().units).map(UnitIndex)
    }
}
