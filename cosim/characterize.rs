//! What the RTL takes beyond what the models compute: their calibration, measured.
//!
//! In: a codec, the channel controller and a part. Out: the clocks that
//! [`Calibration`](floatgate_model::calibration::Calibration) keeps. Codewords of several
//! strengths, lengths and numbers of errors, and operations in both data interfaces, must all give
//! the same clocks: where they do not, the models' form is not the RTL's, and that is an error.

use std::sync::Arc;

use floatgate_hal::flash::address::{ColumnAddress, DieIndex, RowAddress};
use floatgate_hal::flash::mode::{BusTiming, DataInterface, DieTiming, TimingMode};
use floatgate_hal::flash::op::OpKind;
use floatgate_hal::flash::timing::TimeLimit;
use floatgate_hal::flash::{BusOp, FlashBus, Outcome, Transfer};
use floatgate_hal::units::{BitCount, ByteCount, Cycles, Picoseconds, Strength};
use floatgate_model::channel::ControllerClocks;
use floatgate_model::config::NamedCode;
use floatgate_model::die::{Part, Settings, Target};
use floatgate_model::ecc::EccClocks;
use floatgate_model::pins::PinOptions;
use floatgate_model::sim::{Deadlock, Sim, Simulation};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use verilated::Stalls;

use crate::ecc::lockstep::errors_anywhere;
use crate::ecc::stimulus::GoldenCodes;
use crate::ecc::{Message, RtlDecoder, RtlEncoder, Status};
use crate::flash::{BusError, Config, Idle, RtlBus};
use crate::lockstep::{Entry, Latency, Recorder};

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum CharacterizeError {
    /// The RTL failed, or is not linked in.
    #[error(transparent)]
    Rtl(#[from] verilated::Error),
    /// The channel's RTL failed, or broke the protocol.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// Nothing can happen any more.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    /// Two measurements of one figure differ.
    #[error("{what}: {one} clocks, and {other} elsewhere: the models' form is not the RTL's")]
    Form {
        /// What was measured.
        what: String,
        /// Clocks beyond the form.
        one: i64,
        /// Clocks beyond the form, measured before.
        other: i64,
    },
    /// The RTL did not do what was measured.
    #[error("{what}: ended otherwise than it should")]
    Wrong {
        /// What was measured.
        what: String,
    },
}

/// One figure, which all measurements of it must give.
#[derive(Default)]
struct Figure(Option<i64>);

impl Figure {
    fn measured(&mut self, one: i64, what: impl Fn() -> String) -> Result<(), CharacterizeError> {
        match *self.0.get_or_insert(one) {
            other if other == one => Ok(()),
            other => Err(CharacterizeError::Form { what: what(), one, other }),
        }
    }

    fn clocks(&self) -> Cycles {
        let clocks = self.0.expect("it was measured");
        Cycles(u64::try_from(clocks).expect("no codeword is faster than its words"))
    }
}

/// Measures a codec at its weakest, a middle and its strongest code, with its longest, a middle and
/// its shortest data, and with none, one and as many errors as it corrects.
///
/// # Errors
/// [`CharacterizeError`].
pub fn codec(code: &NamedCode, seed: u64) -> Result<EccClocks, CharacterizeError> {
    let config = &code.config;
    let mut encoder = RtlEncoder::new(code, seed)?;
    let mut decoder = RtlDecoder::new(code, seed)?;
    let mut golden = GoldenCodes::new(config);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let [mut encode, mut decode, mut correct] = [(); 3].map(|()| Figure::default());
    for (strength, bytes) in cases(code) {
        let place = |kind: &str, errors: usize| {
            format!("{}: {kind} of {bytes} B at t = {strength}, {errors} errors", code.name)
        };
        let data: Vec<u8> = (0..bytes).map(|i| (i * 31) as u8).collect();
        let message = Message { strength, data };
        let length = ByteCount(bytes);
        let words_in = config.words_in(strength, length).0 as i64;
        let encoded = encoder.encode(std::slice::from_ref(&message), Stalls::default())?;
        let spent = encoded[0].passage.latency().0 as i64;
        encode.measured(spent - words_in, || place("encoding", 0))?;
        for errors in [0, 1, usize::from(strength.0)] {
            let mut received = golden.received(&message);
            let bits = golden.code(strength, received.message.len()).codeword_bits();
            let positions = errors_anywhere(&mut rng, bits.0, errors);
            let wrong = BitCount(positions.iter().map(|bit| bit.0 + 1).max().unwrap_or(0));
            golden.flip(&mut received, &positions);
            let decoded = &decoder.decode(&[received], Stalls::default())?[0];
            if decoded.status != (Status::Ok { corrected_bits: errors as u8 }) {
                return Err(CharacterizeError::Wrong { what: place("decoding", errors) });
            }
            let words = words_in + config.search(length, wrong).0 as i64;
            let rest = decoded.passage.latency().0 as i64 - words;
            if errors == 0 {
                decode.measured(rest, || place("decoding", errors))?;
            } else {
                let beyond = rest - config.key_equation(strength).0 as i64;
                correct.measured(beyond, || place("decoding", errors))?;
            }
        }
    }
    Ok(EccClocks { encode: encode.clocks(), decode: decode.clocks(), correct: correct.clocks() })
}

/// Strengths and lengths that are measured.
fn cases(code: &NamedCode) -> Vec<(Strength, u32)> {
    let strengths: Vec<Strength> = code.config.strengths().collect();
    let mut picked = [0, strengths.len() / 2, strengths.len() - 1].map(|i| strengths[i]).to_vec();
    picked.dedup();
    let most = code.config.k_max_bytes;
    let mut lengths = vec![most, most.div_ceil(2), 1];
    lengths.dedup();
    picked.into_iter().flat_map(|t| lengths.iter().map(move |&bytes| (t, bytes))).collect()
}

/// Clock of the controller while it is measured: one at which it keeps both interfaces.
pub const CONTROLLER_CLOCK: Picoseconds = Picoseconds(5_000);
/// Longer than any time-out: an operation of such a die never ends by itself.
const NEVER_US: f64 = 10e6;
/// Longer than any gap that an operation leaves to the next.
const REST: Picoseconds = Picoseconds(3_000_000);

/// Measures the channel controller with dies of a part that has both data interfaces.
///
/// # Errors
/// [`CharacterizeError`].
pub fn controller(part: &Arc<Part>, seed: u64) -> Result<ControllerClocks, CharacterizeError> {
    let [mut accept, mut complete] = [(); 2].map(|()| Figure::default());
    for interface in [DataInterface::Sdr, DataInterface::NvDdr] {
        let mode = TimingMode { interface, mode: 5 };
        for entry in run(part, seed, Probe::Idle(mode))? {
            let latency = Latency::of(&entry, CONTROLLER_CLOCK);
            let place = || format!("{:?} in {interface:?} mode 5", entry.op.kind);
            accept.measured(latency.start.0 as i64, place)?;
            complete.measured(latency.answer.0 as i64, place)?;
        }
    }
    let mut time_limits = [0; 5];
    for limit in TimeLimit::ALL {
        time_limits[limit as usize] = time_out_units(part, seed, limit)?;
    }
    Ok(ControllerClocks { accept: accept.clocks(), complete: complete.clocks(), time_limits })
}

/// What is run on a channel of one die.
#[derive(Clone, Copy)]
enum Probe {
    /// Operations that stand alone, in a mode.
    Idle(TimingMode),
    /// An operation that its time-out ends.
    TimeOut(OpKind),
}

/// The time-out of a class of operations.
fn time_out_units(part: &Arc<Part>, seed: u64, limit: TimeLimit) -> Result<u16, CharacterizeError> {
    let mut slow = part.as_ref().clone();
    let kind = match limit {
        TimeLimit::Short => {
            slow.timing.t_feat_us = NEVER_US;
            OpKind::GetFeatures
        }
        TimeLimit::Reset => {
            slow.timing.t_rst_first_us = NEVER_US;
            OpKind::Reset
        }
        TimeLimit::Read => {
            slow.cells.page_types.iter_mut().for_each(|page| page.t_r_us = NEVER_US);
            OpKind::ReadPageToRegister
        }
        TimeLimit::Program => {
            slow.cells.page_types.iter_mut().for_each(|page| page.t_prog_us = NEVER_US);
            OpKind::ProgramPage
        }
        TimeLimit::Erase => {
            slow.timing.t_bers_us = NEVER_US;
            OpKind::EraseBlock
        }
    };
    let log = run(&Arc::new(slow), seed, Probe::TimeOut(kind))?;
    let last = log.last().expect("it is logged");
    if last.completion.outcome != Outcome::TimedOut {
        return Err(CharacterizeError::Wrong { what: format!("{kind:?} without an end") });
    }
    // Its visit of the bus is much shorter than a unit.
    let units = Latency::of(last, CONTROLLER_CLOCK).run.0 / 1024;
    Ok(u16::try_from(units).expect("a time-out register has sixteen bits"))
}

/// Runs a probe on a channel of its own; the operations of it.
fn run(part: &Arc<Part>, seed: u64, probe: Probe) -> Result<Vec<Entry>, CharacterizeError> {
    let mut simulation = Simulation::new(seed);
    let sim = simulation.sim();
    let (clock, model) = (CONTROLLER_CLOCK, "onfi_controller_x2");
    let config = Config { model, dies: 2, clock, seed, idle: Idle::Skipped };
    let settings =
        Settings { seed, factory_bad_blocks: Some(0), factory_erased: true, ..Settings::default() };
    let options = PinOptions::of(part, &settings);
    let die = (Target::new(Arc::clone(part), settings), options);
    let bus = RtlBus::new(&sim, &config, [die])?;
    let recorder = Recorder::new(bus.clone(), &sim);
    let log = recorder.log();
    let host = Host { bus: recorder, sim, part: Arc::clone(part) };
    simulation.block_on("host", async move { bus.guard(host.run(probe)).await })??;
    Ok(log.take())
}

/// Who asks for operations.
struct Host {
    bus: Recorder<RtlBus>,
    sim: Sim,
    part: Arc<Part>,
}

impl Host {
    async fn run(&self, probe: Probe) {
        self.sim.delay(Picoseconds(1_000_000_000)).await;
        match probe {
            Probe::Idle(mode) => {
                self.alone(OpKind::Reset, 0, 0).await;
                self.follow(mode).await;
                for (kind, bytes) in [
                    (OpKind::ReadId, 5),
                    (OpKind::ReadStatus, 1),
                    (OpKind::EraseBlock, 0),
                    (OpKind::ProgramPage, 64),
                    (OpKind::ReadPage, 64),
                ] {
                    self.alone(kind, 0, bytes).await;
                }
            }
            Probe::TimeOut(OpKind::Reset) => self.alone(OpKind::Reset, 0, 0).await,
            Probe::TimeOut(kind) => {
                self.alone(OpKind::Reset, 0, 0).await;
                let bytes = match kind {
                    OpKind::ProgramPage => 16,
                    OpKind::GetFeatures => 4,
                    _ => 0,
                };
                self.alone(kind, u32::from(kind == OpKind::GetFeatures), bytes).await;
            }
        }
    }

    /// Brings the die and the controller to a mode.
    async fn follow(&self, mode: TimingMode) {
        self.sim.delay(REST).await;
        let op = self.op(OpKind::SetFeatures, 1, 4);
        self.bus.execute(op, Transfer::In(&[mode.feature(), 0, 0, 0])).await;
        let timing = DieTiming {
            mode,
            t_ccs: Picoseconds(1_000 * u64::from(self.part.timing.t_ccs_ns)),
            fast_t_cad: self.part.interfaces.fast_t_cad,
        };
        self.bus.set_timing(DieIndex(0), timing).expect("the clock suits both interfaces");
    }

    /// One operation, when nothing of the one before is left.
    async fn alone(&self, kind: OpKind, row: u32, bytes: u32) {
        self.sim.delay(REST).await;
        let op = self.op(kind, row, bytes);
        let mut data = vec![0; bytes as usize];
        let transfer = match kind {
            _ if bytes == 0 => Transfer::None,
            OpKind::ProgramPage => Transfer::In(&data),
            _ => Transfer::Out(&mut data),
        };
        self.bus.execute(op, transfer).await;
    }

    fn op(&self, kind: OpKind, row: u32, bytes: u32) -> BusOp {
        BusOp {
            kind,
            die: DieIndex(0),
            row: RowAddress(row),
            column: ColumnAddress(0),
            length: ByteCount(bytes),
        }
    }
}
