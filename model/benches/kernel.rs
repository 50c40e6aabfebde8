//! The simulation kernel against SystemC's threads: the same process graphs, 10 M events each, in
//! one run on processor time.
//!
//! The SystemC side is `benches/systemc/kernel.cpp`, compiled here against Debian's
//! libsystemc-dev; where that is missing, a line says so and the kernel is measured alone. The two
//! take turns; each figure is the best of the rounds. Both must end at the same simulated time and
//! have seen the same values. Arguments: names of graphs, none means all; `alone` leaves SystemC
//! out.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::rc::Rc;

use floatgate_hal::units::Picoseconds;
use floatgate_model::sim::{Fifo, Sim, Simulation};
use rustix::time::{ClockId, clock_gettime};

const EVENTS: u64 = 10_000_000;
const PROCESSES: u64 = 1000;
const ROUNDS: usize = 5;
/// How much faster than SystemC's the kernel is meant to be.
const GOAL: f64 = 3.0;
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const INCREMENT: u64 = 1_442_695_040_888_963_407;

/// What stands in a graph, what counts as an event in it, and whether the goal is meant for it.
struct Graph {
    name: &'static str,
    what: &'static str,
    has_goal: bool,
    build: fn(&Sim, &Checksum),
}

const GRAPHS: [Graph; 4] = [
    Graph {
        name: "random-delays",
        what: "1,000 processes, delays of 1 to 1000 ns",
        has_goal: true,
        build: |sim, sum| sleepers(sim, sum, true),
    },
    Graph {
        name: "ping-pong",
        what: "transfers through two FIFOs of depth 1, no time passes",
        has_goal: true,
        build: ping_pong,
    },
    Graph {
        name: "fifo-16",
        what: "producer and consumer, depth 16, delays of 10 ns",
        has_goal: true,
        build: producer_consumer,
    },
    Graph {
        name: "equal-delays",
        what: "1,000 processes, delays of 10 ns",
        has_goal: false,
        build: |sim, sum| sleepers(sim, sum, false),
    },
];

/// What the processes saw.
#[derive(Clone, Default)]
struct Checksum(Rc<Cell<u64>>);

impl Checksum {
    fn mix(&self, value: u64) {
        self.0.set(self.0.get().wrapping_mul(MULTIPLIER).wrapping_add(value));
    }
}

fn ns(count: u64) -> Picoseconds {
    Picoseconds(count * 1000)
}

fn sleepers(sim: &Sim, sum: &Checksum, is_random: bool) {
    for index in 0..PROCESSES {
        let (clock, sum) = (sim.clone(), sum.clone());
        sim.spawn("sleeper", async move {
            let mut state = index;
            for _ in 0..EVENTS / PROCESSES {
                state = state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
                let span_ns = if is_random { 1 + (state >> 33) % 1000 } else { 10 };
                clock.delay(ns(span_ns)).await;
            }
            sum.mix(clock.now().0);
        });
    }
}

fn ping_pong(sim: &Sim, sum: &Checksum) {
    let there: Fifo<u64> = sim.fifo("there", 1);
    let back: Fifo<u64> = sim.fifo("back", 1);
    let (input, output, sum_here) = (back.clone(), there.clone(), sum.clone());
    sim.spawn("ping", async move {
        let mut ball = 0;
        for _ in 0..EVENTS / 2 {
            output.send(ball + 1).await;
            ball = input.recv().await;
        }
        sum_here.mix(ball);
    });
    let sum = sum.clone();
    sim.spawn("pong", async move {
        let mut ball = 0;
        for _ in 0..EVENTS / 2 {
            ball = there.recv().await;
            back.send(ball + 1).await;
        }
        sum.mix(ball);
    });
}

fn producer_consumer(sim: &Sim, sum: &Checksum) {
    let fifo: Fifo<u64> = sim.fifo("fifo", 16);
    let (clock, output) = (sim.clone(), fifo.clone());
    sim.spawn("producer", async move {
        for item in 0..EVENTS / 2 {
            output.send(item).await;
            clock.delay(ns(10)).await;
        }
    });
    let (clock, sum) = (sim.clone(), sum.clone());
    sim.spawn("consumer", async move {
        for _ in 0..EVENTS / 2 {
            sum.mix(fifo.recv().await);
            clock.delay(ns(10)).await;
        }
    });
}

/// One run: how fast it was, and what has to be the same in both kernels.
struct Run {
    events_per_s: f64,
    end_ps: u64,
    checksum: u64,
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

fn run_ours(graph: &Graph) -> Run {
    let mut simulation = Simulation::new(0);
    let sum = Checksum::default();
    (graph.build)(&simulation.sim(), &sum);
    let start = cpu_seconds();
    let end = simulation.run().expect("all processes end");
    let seconds = cpu_seconds() - start;
    Run { events_per_s: EVENTS as f64 / seconds, end_ps: end.0, checksum: sum.0.get() }
}

fn run_systemc(program: &Path, graph: &Graph) -> io::Result<Run> {
    let output = Command::new(program)
        .args([graph.name, &EVENTS.to_string()])
        .env("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1")
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let fields: Vec<&str> = text.split_whitespace().collect();
    let parse = |at: usize| fields.get(at).and_then(|field| field.parse().ok());
    let seconds: Option<f64> = fields.get(1).and_then(|field| field.parse().ok());
    match (parse(0), seconds, parse(2), parse(3)) {
        (Some(events), Some(seconds), Some(end_ps), Some(checksum)) if output.status.success() => {
            let events: u64 = events;
            Ok(Run { events_per_s: events as f64 / seconds, end_ps, checksum })
        }
        _ => Err(io::Error::other(format!("{}: {text}", graph.name))),
    }
}

/// Compiles the SystemC side, if SystemC is installed.
fn build_systemc() -> io::Result<Option<PathBuf>> {
    if !Path::new("/usr/include/systemc").exists() {
        println!("SystemC is not installed (Debian: libsystemc-dev): the kernel is measured alone");
        return Ok(None);
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/systemc/kernel.cpp");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("systemc-kernel");
    let status = Command::new("g++")
        .args(["-std=c++17", "-O3", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-lsystemc")
        .status()?;
    if status.success() {
        Ok(Some(program))
    } else {
        Err(io::Error::other(format!("g++: {status}")))
    }
}

fn measure(graph: &Graph, systemc: Option<&Path>) -> io::Result<()> {
    let (mut ours, mut theirs) = (0f64, 0f64);
    for _ in 0..ROUNDS {
        let run = run_ours(graph);
        ours = ours.max(run.events_per_s);
        if let Some(program) = systemc {
            let other = run_systemc(program, graph)?;
            theirs = theirs.max(other.events_per_s);
            assert_eq!(run.end_ps, other.end_ps, "{}: end of simulated time", graph.name);
            assert_eq!(run.checksum, other.checksum, "{}: values seen", graph.name);
        }
    }
    print!("{:<14} {:>7.1}", graph.name, ours / 1e6);
    if systemc.is_some() {
        let mark = if graph.has_goal && ours < GOAL * theirs { "*" } else { " " };
        print!(" {:>8.1} {:>6.2}{mark}", theirs / 1e6, ours / theirs);
    }
    println!("  {}", graph.what);
    Ok(())
}

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_alone = asked.iter().any(|name| name == "alone");
    let asked: Vec<String> = asked.into_iter().filter(|name| name != "alone").collect();
    let systemc = if is_alone { Ok(None) } else { build_systemc() };
    let result = systemc.and_then(|systemc| {
        println!("M events per processor second: kernel, SystemC threads, ratio (* below {GOAL})");
        GRAPHS
            .iter()
            .filter(|graph| asked.is_empty() || asked.iter().any(|name| name == graph.name))
            .try_for_each(|graph| measure(graph, systemc.as_deref()))
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kernel: {error}");
            ExitCode::FAILURE
        }
    }
}
