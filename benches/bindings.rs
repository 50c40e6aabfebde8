//! Simulated clocks per second through the bindings, as ratios of one run.
//!
//! (a) is a C++ loop written by hand over the same model, (b) the batched call, once without and
//! once with a quarter of all clocks stalled, (c) each port and clock edge from Rust. The parts
//! alternate, the processor time of this thread counts, and of each part the best round: so other
//! load on the machine changes the ratios little.
//!
//! `cargo bench --bench bindings -- [PART-OF-A-NAME...]` prints a table.

use std::hint::black_box;

use floatgate_cosim::dut::{BchDecoderPorts, NAMES};
use floatgate_cosim::ecc::model_name;
use floatgate_model::config::{CodeConfig, NamedCode};
use rustix::time::{ClockId, clock_gettime};
use verilated::{Batch, Command, Input, Model, Output, Stalls, StreamOutput};
use verilated_echo::{ECHO_P8, ECHO_P64, EchoPorts};

const ROUNDS: usize = 12;
/// Codewords of a batch: about what the lockstep tests send at a time.
const CODEWORDS: usize = 16;
/// Processor time that a round of each part takes at least.
const ROUND_NS: f64 = 2e7;

/// The ports of the four streams.
struct Streams {
    cmd_valid: Input,
    cmd_ready: Output,
    cmd_strength: Input,
    cmd_bytes: Input,
    s_valid: Input,
    s_ready: Output,
    s_data: Input,
    m_valid: Output,
    m_ready: Input,
    m_data: Output,
    sts_valid: Output,
    sts_ready: Input,
}

macro_rules! streams {
    ($ports:expr) => {{
        let ports = $ports;
        Streams {
            cmd_valid: ports.cmd_valid_i,
            cmd_ready: ports.cmd_ready_o,
            cmd_strength: ports.cmd_strength_i,
            cmd_bytes: ports.cmd_bytes_i,
            s_valid: ports.s_valid_i,
            s_ready: ports.s_ready_o,
            s_data: ports.s_data_i,
            m_valid: ports.m_valid_o,
            m_ready: ports.m_ready_i,
            m_data: ports.m_data_o,
            sts_valid: ports.sts_valid_o,
            sts_ready: ports.sts_ready_i,
        }
    }};
}

fn main() {
    // Cargo passes --bench; anything else is a part of a model's name.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    println!(
        "{:<34} {:>10} {:>16} {:>16} {:>16}",
        "clocks/s", "(a) C++", "(b) batched", "(b) stalled", "(c) each edge"
    );
    let decoders = NAMES.iter().filter(|name| name.starts_with("bch_decoder"));
    for &name in [ECHO_P8, ECHO_P64].iter().chain(decoders) {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())) {
            measure(name);
        }
    }
}

/// Measures one model and prints its line.
fn measure(name: &str) {
    let mut model = Model::new(name, 1).expect("the model is linked");
    let streams = streams(&model);
    model.reset(2).expect("a reset fails nothing");
    let (commands, words) = load(&model, &streams);
    let batch = Batch::new(&commands, &words);
    let stalled = Batch { stalls: Stalls::uniform(64, 1), ..batch };
    let mut output = StreamOutput::default();

    let mut best = [f64::MAX; 4];
    for _ in 0..ROUNDS {
        let mut run = |index: usize, part: &mut dyn FnMut(&mut Model) -> u64| {
            best[index] = best[index].min(ns_per_clock(&mut model, part));
        };
        run(0, &mut |model| model.reference_loop(&batch).expect("it fails nothing"));
        for (index, batch) in [(1, &batch), (2, &stalled)] {
            run(index, &mut |model| {
                model.stream_into(batch, &mut output).expect("it fails nothing");
                output.clocks
            });
        }
        run(3, &mut |model| each_edge(model, &streams, &batch));
    }
    let rate = |index: usize| format!("{:.3} M {:.2}", 1e3 / best[index], best[0] / best[index]);
    println!("{name:<34} {:>8.3} M {:>16} {:>16} {:>16}", 1e3 / best[0], rate(1), rate(2), rate(3));
}

/// Runs a part until it has taken long enough to be measured.
fn ns_per_clock(model: &mut Model, part: &mut dyn FnMut(&mut Model) -> u64) -> f64 {
    let start = thread_ns();
    let mut clocks = 0;
    loop {
        clocks += part(model);
        let ns = thread_ns() - start;
        if ns >= ROUND_NS {
            return ns / clocks as f64;
        }
    }
}

/// Processor time of this thread.
fn thread_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn streams(model: &Model) -> Streams {
    match model.info().module.as_str() {
        "echo" => streams!(model.ports::<EchoPorts>().expect("it is an echo")),
        _ => streams!(model.ports::<BchDecoderPorts>().expect("it is a decoder")),
    }
}

/// Codewords of zeros for a decoder, which are codewords of every strength; mixed data for an echo.
fn load(model: &Model, streams: &Streams) -> (Vec<Command>, Vec<u64>) {
    let p = model.bits(streams.s_data);
    if model.info().module == "echo" {
        let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - p);
        let count = (CODEWORDS * 512 * 8) as u64 / u64::from(p);
        let command = Command { strength: 8, bytes: 512 };
        return (vec![command; CODEWORDS], (0..count).map(spread).collect());
    }
    let config = configuration(model.name()).config;
    let strength = if config.fixed { config.t_max } else { config.t_max.min(8) };
    let command = Command { strength: strength as u8, bytes: config.k_max_bytes as u16 };
    let parity_bits = config.m * strength;
    let words_each = config.k_max().0.div_ceil(p) + parity_bits.div_ceil(p);
    (vec![command; CODEWORDS], vec![0; CODEWORDS * words_each as usize])
}

/// The configuration of a decoder.
fn configuration(model: &str) -> NamedCode {
    let codes = CodeConfig::load_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/configs/ecc"));
    codes
        .expect("the build script has read them")
        .into_iter()
        .find(|code| model_name("bch_decoder", code) == model)
        .expect("the build script has made it")
}

/// The same batch, with each port and clock edge set from Rust. Returns the number of clocks.
fn each_edge(model: &mut Model, streams: &Streams, batch: &Batch<'_>) -> u64 {
    let (mut commands, mut words, mut statuses) = (0, 0, 0);
    let start = model.clock();
    model.set(streams.m_ready, 1);
    model.set(streams.sts_ready, 1);
    while statuses < batch.statuses {
        let command = batch.commands.get(commands);
        model.set(streams.cmd_valid, command.is_some().into());
        if let Some(command) = command {
            model.set(streams.cmd_strength, command.strength.into());
            model.set(streams.cmd_bytes, command.bytes.into());
        }
        let word = batch.words.get(words);
        model.set(streams.s_valid, word.is_some().into());
        model.set(streams.s_data, word.copied().unwrap_or(0));
        model.set_clock(false).expect("it fails nothing");
        commands += usize::from(command.is_some() && model.get(streams.cmd_ready) == 1);
        words += usize::from(word.is_some() && model.get(streams.s_ready) == 1);
        if model.get(streams.m_valid) == 1 {
            black_box(model.get(streams.m_data));
        }
        statuses += model.get(streams.sts_valid) as usize;
        model.set_clock(true).expect("it fails nothing");
    }
    for input in [streams.cmd_valid, streams.s_valid, streams.m_ready, streams.sts_ready] {
        model.set(input, 0);
    }
    model.clock() - start
}
