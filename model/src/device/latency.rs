//! The latency of one page read on the transaction-level models, with and without errors to
//! correct.
//!
//! A device, a mode and a strength enter; the time from firmware's request to corrected data
//! leaves. One die with fresh cells that flip no bits: what is wrong is put in on purpose.

use std::rc::Rc;
use std::sync::Arc;

use floatgate_firmware::page::PageLayout;
use floatgate_hal::flash::mode::{DataInterface, DieTiming, TimingMode};
use floatgate_hal::flash::timing::registers;
use floatgate_hal::units::{ByteCount, Picoseconds, Strength};
use floatgate_hal::{Decoded, Ecc, EccRefusal};

use super::error::StoreError;
use super::store::{Device, Job, ecc_unit, transaction_bus};
use crate::calibration::Calibration;
use crate::config::BusInterface;
use crate::die::Part;
use crate::sim::Simulation;

/// Clocks of the controller that are tried for a mode: from the device's own up to this.
const SLOWEST_CLOCK_PS: u64 = 25_000;
/// In steps of this.
const CLOCK_STEP_PS: usize = 500;

/// How long a page read takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLatency {
    /// No bit is wrong.
    pub clean: Picoseconds,
    /// A bit of every codeword is wrong.
    pub corrected: Picoseconds,
}

/// The modes that a part has, each with the controller's clock for it: the device's, or the first
/// slower one from which the mode's CLK can be made.
pub fn modes(job: &Job) -> Vec<(TimingMode, Picoseconds)> {
    let interfaces = &job.part.interfaces;
    let sdr = interfaces.sdr_modes.iter().map(|&mode| (DataInterface::Sdr, mode));
    let nv_ddr = interfaces.nv_ddr_modes.iter().map(|&mode| (DataInterface::NvDdr, mode));
    let with_clock = |(interface, mode)| {
        let mode = TimingMode { interface, mode };
        let timing = DieTiming { mode, ..DieTiming::default() };
        let clocks = (job.config.controller_clock_ps..=SLOWEST_CLOCK_PS).step_by(CLOCK_STEP_PS);
        let suits = |clock: &Picoseconds| registers(&timing, *clock).is_ok();
        Some((mode, clocks.map(Picoseconds).find(suits)?))
    };
    sdr.chain(nv_ddr).filter_map(with_clock).collect()
}

/// The strengths of a device's code whose codewords fit its page.
///
/// # Errors
/// [`StoreError::Uncalibrated`].
pub fn strengths(job: &Job, calibration: &Calibration) -> Result<Vec<Strength>, StoreError> {
    let simulation = Simulation::new(job.config.seed);
    let ecc = ecc_unit(&simulation.sim(), job, calibration)?;
    let (geometry, codeword) = (job.part.geometry(), ByteCount(job.code.config.k_max_bytes));
    let fits = |&t: &Strength| PageLayout::new(&geometry, &ecc, codeword, t).is_ok();
    Ok(job.code.config.strengths().filter(fits).collect())
}

/// Reads one page in a mode and at a strength.
///
/// # Errors
/// [`StoreError`].
pub fn page_latency(
    job: &Job,
    calibration: &Calibration,
    (mode, clock): (TimingMode, Picoseconds),
    strength: Strength,
) -> Result<PageLatency, StoreError> {
    let job = &on_one_die(job, mode, clock, strength);
    Ok(PageLatency {
        clean: read_once(job, calibration, false)?,
        corrected: read_once(job, calibration, true)?,
    })
}

/// The device with one small die whose cells are without fault, and a file of one page.
fn on_one_die(job: &Job, mode: TimingMode, clock: Picoseconds, strength: Strength) -> Job {
    let mut part: Part = job.part.as_ref().clone();
    part.layout.blocks_per_lun = 2 * u32::from(part.layout.planes);
    let cells = &mut part.cells;
    cells.errors.model = None;
    (cells.factory_bad_blocks, cells.program_failure_rate, cells.erase_failure_rate) =
        (0, 0.0, 0.0);
    let mut one = Job { part: Arc::new(part), ..job.clone() };
    one.config.dies = 1;
    one.config.interface = match mode.interface {
        DataInterface::Sdr => BusInterface::Sdr,
        DataInterface::NvDdr => BusInterface::NvDdr,
    };
    one.config.mode = mode.mode;
    one.config.controller_clock_ps = clock.0;
    one.config.strength = strength.0;
    one.config.initial_cycles = 0;
    one.config.retention_days = 0.0;
    one.config.faults.clear();
    one.file = vec![0x5A; one.part.layout.page_bytes as usize];
    one
}

fn read_once(
    job: &Job,
    calibration: &Calibration,
    is_spoiled: bool,
) -> Result<Picoseconds, StoreError> {
    let mut simulation = Simulation::new(job.config.seed);
    let sim = simulation.sim();
    let bus = transaction_bus(&sim, job, calibration);
    let ecc = Spoiled { ecc: ecc_unit(&sim, job, calibration)?, is_spoiled };
    let device = Rc::new(Device::new(&sim, bus, ecc, job)?);
    let file = job.file.clone();
    let report = simulation.block_on("page read", async move {
        let mounted = device.mount().await?;
        device.store(mounted, &file).await
    })??;
    Ok(report.read.span)
}

/// A codec whose codewords come with their first bit wrong, where asked for.
struct Spoiled<E> {
    ecc: E,
    is_spoiled: bool,
}

impl<E: Ecc> Ecc for Spoiled<E> {
    fn parity_bytes(&self, strength: Strength) -> ByteCount {
        self.ecc.parity_bytes(strength)
    }

    async fn encode(
        &self,
        strength: Strength,
        data: &[u8],
        parity: &mut [u8],
    ) -> Result<(), EccRefusal> {
        self.ecc.encode(strength, data, parity).await
    }

    async fn decode(
        &self,
        strength: Strength,
        data: &mut [u8],
        parity: &[u8],
    ) -> Result<Decoded, EccRefusal> {
        if self.is_spoiled {
            data[0] ^= 0x80;
        }
        self.ecc.decode(strength, data, parity).await
    }
}
