//! The bridge to C++: one opaque model for all tops. Everything here has plain numbers; the safe
//! types stand in the other modules.

#[cxx::bridge(namespace = "verilated::bridge")]
pub(crate) mod bridge {
    /// A registered model.
    struct ModelRecord {
        name: String,
        module: String,
        coverage: bool,
    }

    /// A port and where its value lies.
    struct PortRecord {
        name: String,
        input: bool,
        bits: u32,
        bytes: u32,
        storage: *mut u8,
    }

    /// The first failure of a model; kind 0 is none.
    struct FailureRecord {
        kind: u8,
        message: String,
        file: String,
        line: u32,
        instance: String,
        clock: u64,
    }

    /// One codeword's command.
    struct CommandRecord {
        strength: u8,
        bytes: u16,
    }

    /// A batch, with streams in the order command, input, output, status.
    struct StreamCall<'a> {
        commands: Vec<CommandRecord>,
        words: &'a [u64],
        statuses: usize,
        packets: usize,
        idle_limit: u64,
        clock_limit: u64,
        stall_per_256: [u8; 4],
        stall_seeds: [u64; 4],
    }

    /// How a batch ended: 0 complete, 1 clock limit, 2 deadlock.
    struct StreamStatus {
        outcome: u8,
        clocks: u64,
        valid: [bool; 4],
        ready: [bool; 4],
    }

    /// An edge of DQS on its way to the controller.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct StrobeRecord {
        /// Edges of the clock in this batch before it.
        edges_before: u64,
        /// The level of DQS from then on.
        dqs: bool,
        /// DQ from then on.
        dq: u8,
    }

    /// A run of a top with pins.
    struct PinCall<'a> {
        edges: u64,
        bytes: &'a [u8],
        strobes: &'a [StrobeRecord],
        captures: bool,
        dq: u8,
    }

    /// How far it came.
    struct PinStatus {
        edges: u64,
        bytes: usize,
        strobes: usize,
    }

    /// A trace window; `ring_clocks` is 0 where it is written as it comes.
    struct TraceCall {
        path: String,
        format: u8,
        first_clock: u64,
        end_clock: u64,
        ring_clocks: u64,
    }

    unsafe extern "C++" {
        include!("bridge/bridge.hpp");

        #[namespace = "verilated"]
        type Model;

        fn list_models() -> Vec<ModelRecord>;
        fn make_model(name: &str, seed: u32) -> Result<UniquePtr<Model>>;
        fn list_ports(model: &Model) -> Vec<PortRecord>;

        fn eval(self: Pin<&mut Model>) -> Result<()>;
        fn set_clock(self: Pin<&mut Model>, level: bool) -> Result<()>;
        fn step(self: Pin<&mut Model>, clocks: u64) -> Result<()>;
        fn clock(self: &Model) -> u64;
        fn has_streams(self: &Model) -> bool;
        fn failure(model: &Model) -> FailureRecord;
        fn take_log(model: Pin<&mut Model>) -> String;

        fn stream(model: Pin<&mut Model>, call: &StreamCall) -> Result<StreamStatus>;
        fn reference_loop(model: Pin<&mut Model>, call: &StreamCall) -> Result<u64>;
        fn run_pins(model: Pin<&mut Model>, call: &PinCall) -> Result<PinStatus>;
        fn reference_pins(self: Pin<&mut Model>, clocks: u64) -> Result<()>;
        fn bytes(model: &Model) -> &[u16];
        fn command_clocks(model: &Model) -> &[u64];
        fn input_clocks(model: &Model) -> &[u64];
        fn words(model: &Model) -> &[u64];
        fn word_clocks(model: &Model) -> &[u64];
        fn packet_ends(model: &Model) -> &[u64];
        fn statuses(model: &Model) -> &[u16];
        fn status_clocks(model: &Model) -> &[u64];

        fn start_trace(model: Pin<&mut Model>, call: &TraceCall) -> Result<()>;
        fn end_trace(self: Pin<&mut Model>) -> Result<()>;
        fn written_trace(model: &Model) -> String;
        fn write_coverage(model: Pin<&mut Model>, path: &str) -> Result<()>;
    }
}
