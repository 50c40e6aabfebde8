//! A file stored and read back on the transaction-level models.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use floatgate_firmware::page::{PageCodec, PageLayout};
use floatgate_firmware::policy::{FixedStrength, NoRetry};
use floatgate_firmware::{BadBlocks, Die, FlashStore, bring_up, scan_bad_blocks};
use floatgate_hal::flash::address::{DieIndex, Geometry};
use floatgate_hal::units::{BitCount, ByteCount, Picoseconds, Strength};
use floatgate_hal::{BusTiming, Ecc, FlashBus};

use super::error::StoreError;
use super::interrupt::Interruptible;
use super::pages::{Placed, read_pages, write_pages};
use super::timed::TimedEcc;
use crate::calibration::Calibration;
use crate::channel::{Controller, TransactionBus, Usage};
use crate::config::{DieFault, NamedCode, SsdConfig};
use crate::die::{Part, Settings, Severity, Target};
use crate::ecc::EccUnit;
use crate::sim::{JoinHandle, Sim, Simulation};

/// Where the time of pages went, summed over pages; those of different dies overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Pages of the file.
    pub pages: u32,
    /// Firmware's own.
    pub firmware: Picoseconds,
    /// The channel's.
    pub channel: Usage,
    /// With codewords in the codec, waiting for it included.
    pub ecc: Picoseconds,
    /// From the first page's beginning to the last one's end.
    pub span: Picoseconds,
}

/// What came of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreReport {
    /// The file as it was read back.
    pub data: Vec<u8>,
    /// Bits corrected in each codeword, in order of the file.
    pub corrected: Vec<BitCount>,
    /// Bring-up and the scan for bad blocks.
    pub mount: Picoseconds,
    /// Blocks that are bad.
    pub bad_blocks: u32,
    /// Programming, erasures included.
    pub write: Budget,
    /// Reading.
    pub read: Budget,
    /// Breaches of the protocol that are errors.
    pub breaches: Vec<String>,
}

/// A channel as a device has it: beside what firmware sees, what a report asks for.
pub trait DeviceBus: FlashBus + BusTiming {
    /// What the time has gone into so far.
    fn usage(&self) -> Usage;

    /// Looks at a die, or changes it, between operations.
    fn with_target<R>(&self, die: DieIndex, look: impl FnOnce(&mut Target) -> R) -> R;
}

impl DeviceBus for TransactionBus {
    fn usage(&self) -> Usage {
        self.usage()
    }

    fn with_target<R>(&self, die: DieIndex, look: impl FnOnce(&mut Target) -> R) -> R {
        look(&mut self.target_mut(die))
    }
}

/// A channel and a codec, on which firmware stores files; all its processes share it.
pub struct Device<B, E> {
    sim: Sim,
    bus: Interruptible<B>,
    /// As each die's firmware sees it.
    ecc: Vec<TimedEcc<E, Sim>>,
    config: SsdConfig,
    codeword: ByteCount,
}

/// Dies that firmware has brought up.
pub struct MountedDies {
    dies: Vec<Mounted>,
    at: Picoseconds,
}

/// What is known of a die that has been mounted.
struct Mounted {
    geometry: Geometry,
    table: Vec<u8>,
    placed: Vec<Placed>,
}

/// A device and a file for it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The device.
    pub config: SsdConfig,
    /// Its dies' part.
    pub part: Arc<Part>,
    /// Its codec.
    pub code: NamedCode,
    /// The file.
    pub file: Vec<u8>,
    /// Ends the run with its next operation, once it is set.
    pub interrupt: Arc<AtomicBool>,
}

/// Stores a file on the device of a configuration, lets the days pass, and reads it back.
///
/// # Errors
/// [`StoreError`], the first one in order of the dies.
pub fn store(job: &Job, calibration: &Calibration) -> Result<StoreReport, StoreError> {
    check_sizes(job)?;
    let mut simulation = Simulation::new(job.config.seed);
    let sim = simulation.sim();
    let device = Rc::new(assemble(&sim, job, calibration)?);
    let file = job.file.clone();
    simulation.block_on("store", async move {
        let mounted = device.mount().await?;
        device.store(mounted, &file).await
    })?
}

/// Whether a file and a code suit a device.
///
/// # Errors
/// [`StoreError`]: an empty file, one that is too large, a strength that the code lacks.
pub fn check_sizes(Job { config, part, code, file, .. }: &Job) -> Result<(), StoreError> {
    if file.is_empty() {
        return Err(StoreError::Empty);
    }
    let strength = Strength(config.strength);
    if !code.config.strengths().any(|its| its == strength) {
        return Err(StoreError::Strength { strength, most: code.config.t_max });
    }
    let Geometry { page_bytes, pages_per_block, blocks_per_lun, luns, .. } = part.geometry();
    let pages = u64::from(pages_per_block) * u64::from(blocks_per_lun) * u64::from(luns);
    let device = u64::from(page_bytes.0) * pages * u64::from(config.dies);
    let length = file.len() as u64;
    if length > device {
        let (dies, model) = (config.dies, part.identity.model.clone());
        return Err(StoreError::TooLarge { file: length, device, dies, model });
    }
    Ok(())
}

fn assemble(
    sim: &Sim,
    job: &Job,
    calibration: &Calibration,
) -> Result<Device<TransactionBus, EccUnit>, StoreError> {
    let bus = transaction_bus(sim, job, calibration);
    let ecc = ecc_unit(sim, job, calibration)?;
    Device::new(sim, bus, ecc, job)
}

/// The channel of a device's models.
pub fn transaction_bus(sim: &Sim, job: &Job, calibration: &Calibration) -> TransactionBus {
    let clock_period = Picoseconds(job.config.controller_clock_ps);
    let controller = Controller { clock_period, clocks: calibration.controller };
    let target = |settings| Target::new(Arc::clone(&job.part), settings);
    let targets = settings(&job.config).into_iter().map(target).collect();
    TransactionBus::new(sim, controller, targets)
}

/// The codec of a device's models.
///
/// # Errors
/// [`StoreError::Uncalibrated`].
pub fn ecc_unit(sim: &Sim, job: &Job, calibration: &Calibration) -> Result<EccUnit, StoreError> {
    let Job { config, code, .. } = job;
    let clocks = calibration.codec(code);
    let clocks = clocks.ok_or_else(|| StoreError::Uncalibrated { code: code.name.clone() })?;
    let clock_period = Picoseconds(config.codec_clock_ps);
    Ok(EccUnit::new(sim, code.config.clone(), clock_period, clocks))
}

/// What the dies of a configuration are made with.
pub fn settings(config: &SsdConfig) -> Vec<Settings> {
    let of_die = |target: u8| Settings {
        seed: config.seed,
        target: target.into(),
        initial_cycles: config.initial_cycles,
        faults: config.faults.iter().filter(|its| its.die == target).map(DieFault::fault).collect(),
        ..Settings::default()
    };
    (0..config.dies).map(of_die).collect()
}

/// Clock, channel and codec at some time.
struct Meter {
    now: Picoseconds,
    channel: Usage,
    ecc: Picoseconds,
}

impl<B: DeviceBus + 'static, E: Ecc + 'static> Device<B, E> {
    /// Puts a device together.
    ///
    /// # Errors
    /// The codewords do not fit the page.
    pub fn new(
        sim: &Sim,
        bus: B,
        ecc: E,
        Job { config, part, code, interrupt, .. }: &Job,
    ) -> Result<Self, StoreError> {
        let codeword = ByteCount(code.config.k_max_bytes);
        PageLayout::new(&part.geometry(), &ecc, codeword, Strength(config.strength))?;
        let (sim, config) = (sim.clone(), config.clone());
        let bus = Interruptible::new(bus, Arc::clone(interrupt));
        let ecc = Rc::new(ecc);
        let timed = || TimedEcc::new(Rc::clone(&ecc), sim.clone());
        let ecc = std::iter::repeat_with(timed).take(config.dies.into()).collect();
        Ok(Self { ecc, bus, sim, config, codeword })
    }

    /// Brings the dies up and looks for their bad blocks.
    ///
    /// # Errors
    /// [`StoreError`], the first one in order of the dies.
    pub async fn mount(self: &Rc<Self>) -> Result<MountedDies, StoreError> {
        let mut dies = Vec::new();
        for handle in self.of_each_die("mount", |device, die, ()| mount(device, die), |_| ()) {
            dies.push(handle.await.map_err(|error| self.cause(error))?);
        }
        Ok(MountedDies { dies, at: self.sim.now() })
    }

    /// Stores a file, lets the days pass, and reads it back.
    ///
    /// # Errors
    /// [`StoreError`], the first one in order of the dies.
    pub async fn store(
        self: &Rc<Self>,
        MountedDies { dies: mounted, at: mount }: MountedDies,
        file: &[u8],
    ) -> Result<StoreReport, StoreError> {
        let page_bytes = mounted[0].geometry.page_bytes.0 as usize;
        let pages = file.len().div_ceil(page_bytes) as u32;
        let before = self.meter();
        let stripes = stripes(file, page_bytes, mounted.len());
        let mut inputs = mounted.into_iter().zip(stripes);
        let writers = self.of_each_die("write", write, |_| inputs.next().expect("one a die"));
        let mut mounted = Vec::new();
        for handle in writers {
            mounted.push(handle.await.map_err(|error| self.cause(error))?);
        }
        let between = self.meter();
        (0..self.config.dies).for_each(|die| {
            self.bus.with_target(DieIndex(die), |target| target.age(self.config.retention_days));
        });
        let bad_blocks = mounted.iter().map(Mounted::bad_blocks).sum();
        let mut inputs = mounted.into_iter();
        let readers = self.of_each_die("read", read, |_| inputs.next().expect("one a die"));
        let mut read = Vec::new();
        for handle in readers {
            read.extend(handle.await.map_err(|error| self.cause(error))?);
        }
        let after = self.meter();
        read.sort_by_key(|(page, ..)| *page);
        let mut data: Vec<u8> = read.iter().flat_map(|(_, bytes, _)| bytes).copied().collect();
        data.truncate(file.len());
        Ok(StoreReport {
            data,
            corrected: read.into_iter().flat_map(|(_, _, corrected)| corrected).collect(),
            mount,
            bad_blocks,
            write: self.budget(pages, &before, &between),
            read: self.budget(pages, &between, &after),
            breaches: self.breaches(),
        })
    }

    /// Starts a process of firmware for each die.
    fn of_each_die<I, T, F>(
        self: &Rc<Self>,
        name: &str,
        process: impl Fn(Rc<Self>, DieIndex, I) -> F,
        mut input: impl FnMut(DieIndex) -> I,
    ) -> Vec<JoinHandle<Result<T, StoreError>>>
    where
        T: 'static,
        F: Future<Output = Result<T, StoreError>> + 'static,
    {
        let dies = (0..self.config.dies).map(DieIndex);
        dies.map(|die| {
            let future = process(Rc::clone(self), die, input(die));
            self.sim.spawn(format!("{name} die {}", die.0), future)
        })
        .collect()
    }

    /// Why a die's firmware ended: operations of an interrupted run are refused.
    fn cause(&self, error: StoreError) -> StoreError {
        if self.bus.is_interrupted() { StoreError::Interrupted } else { error }
    }

    fn own_time(&self) -> Picoseconds {
        Picoseconds(1000 * u64::from(self.config.firmware_ns_per_page))
    }

    fn meter(&self) -> Meter {
        let ecc = Picoseconds(self.ecc.iter().map(|ecc| ecc.spent().0).sum());
        Meter { now: self.sim.now(), channel: self.bus.usage(), ecc }
    }

    fn budget(&self, pages: u32, from: &Meter, to: &Meter) -> Budget {
        Budget {
            pages,
            firmware: Picoseconds(self.own_time().0 * u64::from(pages)),
            channel: to.channel.since(&from.channel),
            ecc: Picoseconds(to.ecc.0 - from.ecc.0),
            span: Picoseconds(to.now.0 - from.now.0),
        }
    }

    fn breaches(&self) -> Vec<String> {
        let of_die = |die| self.bus.with_target(DieIndex(die), Target::drain_diagnostics);
        let all = (0..self.config.dies).flat_map(of_die);
        all.filter(|found| found.severity == Severity::Error).map(|d| d.to_string()).collect()
    }

    /// Puts firmware on a die, with the memory that it works in.
    fn firmware<'a>(
        &'a self,
        die: DieIndex,
        geometry: Geometry,
        bad_blocks: BadBlocks<'a>,
        register: &'a mut [u8],
    ) -> Result<DieStore<'a, B, E>, StoreError> {
        let strength = Strength(self.config.strength);
        let (ecc, scrambled) = (&self.ecc[usize::from(die.0)], self.config.scrambled);
        let layout = PageLayout::new(&geometry, ecc, self.codeword, strength)?;
        let codec = PageCodec { ecc, layout, strength: FixedStrength(strength), scrambled };
        let die = Die::new(&self.bus, die);
        Ok(FlashStore::new(die, geometry, codec, NoRetry, bad_blocks, register))
    }
}

type DieStore<'a, B, E> =
    FlashStore<'a, Interruptible<B>, TimedEcc<E, Sim>, FixedStrength, NoRetry>;

impl Mounted {
    fn bad_blocks(&self) -> u32 {
        self.table.iter().map(|byte| byte.count_ones()).sum()
    }
}

/// Brings a die up and finds its bad blocks.
async fn mount<B: DeviceBus + 'static, E: Ecc + 'static>(
    device: Rc<Device<B, E>>,
    index: DieIndex,
) -> Result<Mounted, StoreError> {
    let die = Die::new(&device.bus, index);
    let wanted = device.config.timing_mode();
    let description = bring_up(die, &device.sim, wanted).await?;
    if description.timing.mode != wanted {
        return Err(StoreError::Mode(index));
    }
    let geometry = description.page.geometry;
    let blocks = geometry.blocks_per_lun * u32::from(geometry.luns);
    let mut table = vec![0; blocks.div_ceil(8) as usize];
    let mut bad_blocks = BadBlocks::new(geometry, &mut table).expect("a bit for each block");
    scan_bad_blocks(die, &mut bad_blocks).await?;
    Ok(Mounted { geometry, table, placed: Vec::new() })
}

/// The pages of a stripe, with their numbers.
type Stripe = Vec<(u32, Vec<u8>)>;
/// Pages as they were read: number, data, wrong bits of each codeword.
type ReadPages = Vec<(u32, Vec<u8>, Vec<BitCount>)>;

async fn write<B: DeviceBus + 'static, E: Ecc + 'static>(
    device: Rc<Device<B, E>>,
    die: DieIndex,
    (mut mounted, stripe): (Mounted, Stripe),
) -> Result<Mounted, StoreError> {
    let (geometry, mut register) = (mounted.geometry, register_of(&mounted.geometry));
    let table = BadBlocks::restored(geometry, &mut mounted.table).expect("a bit for each block");
    let mut store = device.firmware(die, geometry, table, &mut register)?;
    let own_time = device.own_time();
    mounted.placed = write_pages(&mut store, &geometry, &stripe, &device.sim, own_time).await?;
    Ok(mounted)
}

async fn read<B: DeviceBus + 'static, E: Ecc + 'static>(
    device: Rc<Device<B, E>>,
    die: DieIndex,
    mut mounted: Mounted,
) -> Result<ReadPages, StoreError> {
    let (geometry, mut register) = (mounted.geometry, register_of(&mounted.geometry));
    let table = BadBlocks::restored(geometry, &mut mounted.table).expect("a bit for each block");
    let mut store = device.firmware(die, geometry, table, &mut register)?;
    let own_time = device.own_time();
    read_pages(&mut store, &geometry, &mounted.placed, &device.sim, own_time).await
}

fn register_of(geometry: &Geometry) -> Vec<u8> {
    vec![0; geometry.register_bytes().0 as usize]
}

/// The pages of a file in turn to each die; the last page is filled up with zeros.
fn stripes(file: &[u8], page_bytes: usize, dies: usize) -> Vec<Stripe> {
    let mut stripes = vec![Stripe::new(); dies];
    for (page, bytes) in file.chunks(page_bytes).enumerate() {
        let mut bytes = bytes.to_vec();
        bytes.resize(page_bytes, 0);
        stripes[page % dies].push((page as u32, bytes));
    }
    stripes
}
