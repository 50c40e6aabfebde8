//! A simulated instance of a top.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};

use cxx::UniquePtr;

use crate::ffi::bridge;
use crate::port::Slot;
use crate::{
    Batch, Deadlock, Error, Failure, FailureKind, Input, Output, PinBatch, PinRun, Port, Ports,
    StreamName, StreamOutput, StreamState, Trace, TraceFormat, TraceWindow,
};

/// Simulated nanoseconds of one clock, the unit of waveforms: clock k rises at 10 k + 5 ns.
pub const CLOCK_NS: u64 = 10;

/// A model that is linked into the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name of its row in the build script's table.
    pub name: String,
    /// The top module.
    pub module: String,
    /// Whether it records coverage.
    pub coverage: bool,
}

/// All models that are linked into the program.
pub fn models() -> Vec<ModelInfo> {
    bridge::list_models()
        .into_iter()
        .map(|bridge::ModelRecord { name, module, coverage }| ModelInfo { name, module, coverage })
        .collect()
}

/// One instance of a top, with its own simulated time.
///
/// After a failure the instance is poisoned: each further call that simulates gives
/// [`Error::Poisoned`]. Other instances go on.
pub struct Model {
    inner: UniquePtr<bridge::Model>,
    info: ModelInfo,
    /// Pointers into the model behind `inner`, which does not move and lives as long.
    ports: Vec<Slot>,
    failure: Option<Box<Failure>>,
}

// SAFETY: a model owns all it touches: its VerilatedContext, its top, its trace files. What it
// shares with others is in Verilator's runtime, and guarded as follows (checked with
// ThreadSanitizer, docs/decisions/0002-verilator-bindings.md):
// - The runtime finds the context and the listener of the running model by thread-local pointers;
//   each entry point sets both, so it does not matter which thread made the model.
// - The last context, the generator of the initial values and the date in an FST header are
//   shared by all threads; construction, rebinding a thread and opening a trace hold one lock.
// - `threads(1)` keeps the runtime from starting threads of its own.
// A model is not Sync: `&Model` reads port values without a lock.
unsafe impl Send for Model {}

impl Model {
    /// Makes an instance of the model of that name. Its registers start with values drawn from
    /// the seed, its inputs at zero (so that an active-low reset is asserted).
    ///
    /// # Errors
    /// [`Error::NoSuchModel`], or [`Error::Failed`] where an initial block fails.
    pub fn new(name: &str, seed: u64) -> Result<Self, Error> {
        let Some(info) = models().into_iter().find(|info| info.name == name) else {
            let mut known: Vec<String> = models().into_iter().map(|info| info.name).collect();
            known.sort();
            return Err(Error::NoSuchModel { name: name.to_owned(), known: known.join(", ") });
        };
        let inner = bridge::make_model(name, (seed ^ (seed >> 32)) as u32)
            .map_err(|e| Error::Unsupported { model: name.to_owned(), reason: e.to_string() })?;
        let ports = bridge::list_ports(&inner)
            .into_iter()
            .map(|port| {
                // SAFETY: the addresses are those of the top's own members, which have the type
                // that `bytes` tells, and the top lives in `inner` until `Model` is dropped.
                unsafe { Slot::new(port.name, port.input, port.bits, port.bytes, port.storage) }
            })
            .collect();
        let mut model = Self { inner, info, ports, failure: None };
        match model.recorded_failure() {
            Some(failure) => Err(Error::Failed(failure)),
            None => Ok(model),
        }
    }

    /// The name of the model's row in the build script's table.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// What is known of the model.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// The number of rising clock edges so far.
    pub fn clock(&self) -> u64 {
        self.inner.clock()
    }

    // ---- ports ----

    /// All ports of a module at once.
    ///
    /// # Errors
    /// [`Error::WrongModule`] where the model is of another module.
    pub fn ports<P: Ports>(&self) -> Result<P, Error> {
        if self.info.module == P::MODULE {
            return P::of(self);
        }
        Err(Error::WrongModule {
            model: self.info.name.clone(),
            module: self.info.module.clone(),
            wanted: P::MODULE,
        })
    }

    /// The input port of that name.
    ///
    /// # Errors
    /// [`Error::NoSuchPort`].
    pub fn input(&self, name: &str) -> Result<Input, Error> {
        self.find_port(name, true).map(Input)
    }

    /// The output port of that name.
    ///
    /// # Errors
    /// [`Error::NoSuchPort`].
    pub fn output(&self, name: &str) -> Result<Output, Error> {
        self.find_port(name, false).map(Output)
    }

    fn find_port(&self, name: &str, input: bool) -> Result<usize, Error> {
        self.ports.iter().position(|port| port.name == name && port.input == input).ok_or_else(
            || Error::NoSuchPort {
                model: self.info.name.clone(),
                port: name.to_owned(),
                direction: if input { "input" } else { "output" },
            },
        )
    }

    /// The number of bits of a port.
    pub fn bits(&self, port: impl Into<Port>) -> u32 {
        self.ports[port.into().0].bits
    }

    /// The value of a port of at most 64 bits, as of the last evaluation.
    #[inline]
    pub fn get(&self, port: impl Into<Port>) -> u64 {
        self.ports[port.into().0].get()
    }

    /// Sets an input of at most 64 bits; the next evaluation sees it. A value that does not fit
    /// is a panic.
    #[inline]
    pub fn set(&mut self, input: Input, value: u64) {
        self.ports[input.0].set(value);
    }

    /// The value of a port of any width, as 32-bit words, lowest first.
    pub fn get_wide(&self, port: impl Into<Port>) -> Vec<u32> {
        self.ports[port.into().0].get_wide()
    }

    /// Sets an input of any width from 32-bit words, lowest first.
    pub fn set_wide(&mut self, input: Input, words: &[u32]) {
        self.ports[input.0].set_wide(words);
    }

    // ---- simulation ----

    /// Evaluates without a clock edge: outputs that depend on inputs without a register follow.
    ///
    /// # Errors
    /// [`Error::Failed`] or [`Error::Poisoned`], as for each call that simulates.
    pub fn eval(&mut self) -> Result<(), Error> {
        self.simulate(|model| model.eval())
    }

    /// Sets clk_i and evaluates; a rising edge completes a clock.
    ///
    /// # Errors
    /// As [`Self::eval`], and [`Error::Unsupported`] where the top has no clk_i.
    pub fn set_clock(&mut self, level: bool) -> Result<(), Error> {
        self.simulate(|model| model.set_clock(level))
    }

    /// One clock: the falling edge, at which the inputs set before settle, and the rising one.
    ///
    /// # Errors
    /// As [`Self::set_clock`].
    pub fn tick(&mut self) -> Result<(), Error> {
        self.step_n(1)
    }

    /// So many clocks with the inputs as they are.
    ///
    /// # Errors
    /// As [`Self::set_clock`].
    pub fn step_n(&mut self, clocks: u64) -> Result<(), Error> {
        self.simulate(|model| model.step(clocks))
    }

    /// Holds rst_ni low for so many clocks and then releases it.
    ///
    /// # Errors
    /// As [`Self::set_clock`], and [`Error::NoSuchPort`] where the top has no rst_ni.
    pub fn reset(&mut self, clocks: u64) -> Result<(), Error> {
        let reset = self.input("rst_ni")?;
        self.set(reset, 0);
        self.step_n(clocks)?;
        self.set(reset, 1);
        Ok(())
    }

    /// Sends a batch through the streams and collects what comes out.
    ///
    /// # Errors
    /// As [`Self::stream_into`].
    pub fn stream(&mut self, batch: &Batch<'_>) -> Result<StreamOutput, Error> {
        let mut output = StreamOutput::default();
        self.stream_into(batch, &mut output)?;
        Ok(output)
    }

    /// Like [`Self::stream`], into an output whose memory is used again. After an error it holds
    /// what came out until then.
    ///
    /// # Errors
    /// As [`Self::eval`]; [`Error::Deadlock`] where no stream moves for `idle_limit_clocks`;
    /// [`Error::Unsupported`] where the top does not have the four streams.
    pub fn stream_into(
        &mut self,
        batch: &Batch<'_>,
        output: &mut StreamOutput,
    ) -> Result<(), Error> {
        self.need_streams(batch)?;
        let call = stream_call(batch);
        let result = self.simulate(|model| bridge::stream(model, &call));
        copy_output(&self.inner, output);
        let status = result?;
        output.clocks = status.clocks;
        output.complete = status.outcome == 0;
        if status.outcome == 2 {
            return Err(Error::Deadlock(Box::new(self.deadlock(batch, &status, output))));
        }
        Ok(())
    }

    /// Drives a batch as a hand-written C++ test bench does, without stalls, clock numbers, traces
    /// and checks, until the statuses have come. It is the measure for [`Self::stream`]; returns
    /// the number of clocks.
    ///
    /// # Errors
    /// As [`Self::stream_into`], save for a deadlock, which it does not notice.
    pub fn reference_loop(&mut self, batch: &Batch<'_>) -> Result<u64, Error> {
        self.need_streams(batch)?;
        let call = stream_call(batch);
        self.simulate(|model| bridge::reference_loop(model, &call))
    }

    /// Clock edges, falling and rising in turn, until one with which something happens at the pins
    /// or streams of the channel controller that somebody outside has to see: a change of a
    /// pin, of quiet_o or of the ask_* ports; a beat of cmd_* or cpl_* to come, after a falling
    /// edge; capture_o up after a rising one; and the end of a clock in which s_* took the last of
    /// the batch's bytes, or m_* gave a last one.
    ///
    /// # Errors
    /// As [`Self::eval`]; [`Error::Unsupported`] where the top is another one.
    #[inline]
    pub fn run_pins(&mut self, batch: &PinBatch<'_>) -> Result<PinRun, Error> {
        let call = bridge::PinCall {
            edges: batch.edges,
            bytes: batch.bytes,
            strobes: batch.strobes,
            captures: batch.captured.is_some(),
            dq: batch.captured.unwrap_or(0),
        };
        let status = self.simulate(|model| bridge::run_pins(model, &call))?;
        Ok(PinRun { edges: status.edges, bytes: status.bytes, strobes: status.strobes })
    }

    /// What the channel controller has sent in the last [`Self::run_pins`]: tag and byte.
    pub fn bytes_out(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        bridge::bytes(&self.inner).iter().map(|&word| ((word >> 8) as u8, word as u8))
    }

    /// Clocks the channel controller as a hand-written C++ test bench does, with a die of a few
    /// lines and without traces and checks: the measure for [`Self::run_pins`].
    ///
    /// # Errors
    /// As [`Self::run_pins`].
    pub fn reference_pins(&mut self, clocks: u64) -> Result<(), Error> {
        self.simulate(|model| model.reference_pins(clocks))
    }

    /// The text that the RTL has printed since the last call, the newest 64 KiB of it at least.
    pub fn take_log(&mut self) -> String {
        bridge::take_log(self.inner.pin_mut())
    }

    // ---- waveforms and coverage ----

    /// Starts a waveform, in place of one that is running.
    ///
    /// # Errors
    /// [`Error::Trace`] where the file cannot be written.
    pub fn start_trace(&mut self, trace: &Trace) -> Result<(), Error> {
        let (first_clock, end_clock, ring_clocks) = match &trace.window {
            TraceWindow::All => (0, u64::MAX, 0),
            TraceWindow::Clocks(clocks) => (clocks.start, clocks.end, 0),
            TraceWindow::LastClocks(clocks) => (0, u64::MAX, (*clocks).max(1)),
        };
        let call = bridge::TraceCall {
            path: trace.path.to_string_lossy().into_owned(),
            format: match trace.format {
                TraceFormat::Vcd => 0,
                TraceFormat::Fst => 1,
            },
            first_clock,
            end_clock,
            ring_clocks,
        };
        bridge::start_trace(self.inner.pin_mut(), &call)
            .map_err(|e| Error::Trace { path: trace.path.clone(), reason: e.to_string() })
    }

    /// Ends the waveform and closes its file; last clocks held in memory are written now. Gives
    /// the file of the last waveform, if one was written.
    ///
    /// # Errors
    /// [`Error::Trace`] where the file cannot be written.
    pub fn end_trace(&mut self) -> Result<Option<PathBuf>, Error> {
        let result = self.inner.pin_mut().end_trace();
        let path = self.written_trace();
        match result {
            Ok(()) => Ok(path),
            Err(e) => Err(Error::Trace { path: path.unwrap_or_default(), reason: e.to_string() }),
        }
    }

    fn written_trace(&self) -> Option<PathBuf> {
        let path = bridge::written_trace(&self.inner);
        if path.is_empty() { None } else { Some(path.into()) }
    }

    /// Writes the coverage so far, for `verilator_coverage`.
    ///
    /// # Errors
    /// [`Error::Coverage`] where the model was built without coverage.
    pub fn write_coverage(&mut self, path: &Path) -> Result<(), Error> {
        bridge::write_coverage(self.inner.pin_mut(), &path.to_string_lossy())
            .map_err(|e| Error::Coverage { path: path.to_owned(), reason: e.to_string() })
    }

    // ---- errors ----

    /// Runs a call that simulates, and turns its exception into an error.
    fn simulate<T>(
        &mut self,
        call: impl FnOnce(Pin<&mut bridge::Model>) -> Result<T, cxx::Exception>,
    ) -> Result<T, Error> {
        if let Some(failure) = &self.failure {
            return Err(Error::Poisoned(failure.clone()));
        }
        call(self.inner.pin_mut()).map_err(|exception| match self.recorded_failure() {
            Some(failure) => Error::Failed(failure),
            None => {
                Error::Unsupported { model: self.info.name.clone(), reason: exception.to_string() }
            }
        })
    }

    /// The failure that C++ has noted; the model is poisoned from then on.
    fn recorded_failure(&mut self) -> Option<Box<Failure>> {
        let record = bridge::failure(&self.inner);
        let kind = match record.kind {
            0 => return None,
            1 => FailureKind::Assertion,
            2 => FailureKind::Stop,
            3 => FailureKind::Finish,
            _ => FailureKind::Runtime,
        };
        let failure = Box::new(Failure {
            kind,
            model: self.info.name.clone(),
            instance: record.instance,
            message: record.message,
            file: record.file,
            line: record.line,
            clock: record.clock,
            trace: self.written_trace(),
        });
        self.failure = Some(failure.clone());
        Some(failure)
    }

    fn need_streams(&self, batch: &Batch<'_>) -> Result<(), Error> {
        if !self.inner.has_streams() {
            return Err(Error::Unsupported {
                model: self.info.name.clone(),
                reason: "the top does not have the streams cmd, s, m and sts".to_owned(),
            });
        }
        let bits = self.bits(self.input("s_data_i")?);
        let used = batch.words.iter().fold(0, |all, word| all | word);
        assert!(bits == 64 || used >> bits == 0, "an input word does not fit {bits} bits");
        Ok(())
    }

    fn deadlock(
        &self,
        batch: &Batch<'_>,
        status: &bridge::StreamStatus,
        output: &StreamOutput,
    ) -> Deadlock {
        let state = |index: usize, stream, done, wanted| StreamState {
            stream,
            valid: status.valid[index],
            ready: status.ready[index],
            done,
            wanted,
        };
        Deadlock {
            model: self.info.name.clone(),
            clock: self.clock(),
            idle_clocks: batch.idle_limit_clocks,
            streams: [
                state(0, StreamName::Command, output.command_clocks.len(), batch.commands.len()),
                state(1, StreamName::Input, output.input_clocks.len(), batch.words.len()),
                state(2, StreamName::Output, output.packet_ends.len(), batch.packets),
                state(3, StreamName::Status, output.statuses.len(), batch.statuses),
            ],
            trace: self.written_trace(),
        }
    }
}

/// Where $VERILATED_COVERAGE_DIR is set, a model that records coverage leaves it there.
impl Drop for Model {
    fn drop(&mut self) {
        static INSTANCES: AtomicU64 = AtomicU64::new(0);
        if !self.info.coverage {
            return;
        }
        if let Some(dir) = std::env::var_os("VERILATED_COVERAGE_DIR") {
            let instance = INSTANCES.fetch_add(1, Ordering::Relaxed);
            let file = format!("{}-{}-{instance}.dat", self.info.name, std::process::id());
            if let Err(error) = self.write_coverage(&PathBuf::from(dir).join(file)) {
                eprintln!("{error}");
            }
        }
    }
}

fn stream_call<'a>(batch: &Batch<'a>) -> bridge::StreamCall<'a> {
    let stalls =
        [batch.stalls.command, batch.stalls.input, batch.stalls.output, batch.stalls.status];
    bridge::StreamCall {
        commands: batch
            .commands
            .iter()
            .map(|c| bridge::CommandRecord { strength: c.strength, bytes: c.bytes })
            .collect(),
        words: batch.words,
        statuses: batch.statuses,
        packets: batch.packets,
        idle_limit: batch.idle_limit_clocks,
        clock_limit: batch.limit_clocks.unwrap_or(u64::MAX),
        stall_per_256: stalls.map(|stall| stall.per_256),
        stall_seeds: stalls.map(|stall| stall.seed),
    }
}

fn copy_output(model: &bridge::Model, output: &mut StreamOutput) {
    fn refill<T: Copy>(target: &mut Vec<T>, source: &[T]) {
        target.clear();
        target.extend_from_slice(source);
    }
    refill(&mut output.command_clocks, bridge::command_clocks(model));
    refill(&mut output.input_clocks, bridge::input_clocks(model));
    refill(&mut output.words, bridge::words(model));
    refill(&mut output.word_clocks, bridge::word_clocks(model));
    output.packet_ends.clear();
    output.packet_ends.extend(bridge::packet_ends(model).iter().map(|&end| end as usize));
    refill(&mut output.statuses, bridge::statuses(model));
    refill(&mut output.status_clocks, bridge::status_clocks(model));
}
