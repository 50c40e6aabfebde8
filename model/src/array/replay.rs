//! What an engine carried out, beside the model: the same turns at the same times.
//!
//! Enters: the operations of a channel while its engine was on, and the cells as they were before.
//! Leaves: how long each took on the engine, and takes in the model ([`Record`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use floatgate_hal::units::{Cycles, Picoseconds};

use super::cells::Cells;
use super::turns::{Job, Kind, Operation};
use super::{Array, Scheduling};
use crate::sim::Simulation;

/// An operation that an engine carried out.
#[derive(Clone, Copy)]
pub(super) struct Logged {
    pub(super) operation: Operation,
    /// When it was asked for, or the engine was on.
    pub(super) asked: Picoseconds,
    /// Its turn, and when that began.
    pub(super) turn: u64,
    pub(super) begun: Picoseconds,
    pub(super) ended: Picoseconds,
}

/// What the engine of a channel did.
#[derive(Clone, Debug)]
pub struct Record {
    /// The channel.
    pub channel: u32,
    /// When it was switched on ..
    pub from: Picoseconds,
    /// .. and off, or the run ended.
    pub until: Picoseconds,
    /// Clocks that the engine was simulated for.
    pub clocks: Cycles,
    pub(super) kinds: Vec<Kind>,
    pub(super) spans: Vec<Picoseconds>,
    pub(super) modelled: Vec<Picoseconds>,
}

/// Latencies of operations, waits for their die among them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spans {
    /// Mean, in picoseconds.
    pub mean_ps: f64,
    /// 99th percentile.
    pub p99: Picoseconds,
    /// Largest.
    pub max: Picoseconds,
}

/// Operations of a kind on an engine and in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// What they are called.
    pub name: &'static str,
    /// How many there were.
    pub count: usize,
    /// On the engine.
    pub engine: Spans,
    /// In the model.
    pub model: Spans,
}

impl Spans {
    fn of(mut spans: Vec<Picoseconds>) -> Option<Self> {
        spans.sort_unstable();
        let max = *spans.last()?;
        let mean_ps = spans.iter().map(|span| span.0 as f64).sum::<f64>() / spans.len() as f64;
        let p99 = spans[(99 * spans.len()).div_ceil(100) - 1];
        Some(Self { mean_ps, p99, max })
    }
}

impl Compared {
    /// How much more the mean is in the model, as a fraction of the engine's.
    pub fn mean_off(&self) -> f64 {
        self.model.mean_ps / self.engine.mean_ps - 1.0
    }

    /// The same of the 99th percentile.
    pub fn p99_off(&self) -> f64 {
        self.model.p99.0 as f64 / self.engine.p99.0 as f64 - 1.0
    }
}

impl Record {
    /// Operations by their kind, those of which there were some, and all of them.
    pub fn compared(&self) -> Vec<Compared> {
        let kinds = [
            ("read", Some(Kind::Read)),
            ("program", Some(Kind::Program)),
            ("erase", Some(Kind::Erase)),
            ("all", None),
        ];
        let compared = |(name, kind): (_, Option<Kind>)| {
            let of = |spans: &[Picoseconds]| {
                let all = self.kinds.iter().zip(spans);
                let of_kind = all.filter(|(its, _)| kind.is_none_or(|kind| kind == **its));
                Spans::of(of_kind.map(|(_, &span)| span).collect())
            };
            let count = self.kinds.iter().filter(|its| kind.is_none_or(|kind| kind == **its));
            Some(Compared {
                name,
                count: count.count(),
                engine: of(&self.spans)?,
                model: of(&self.modelled)?,
            })
        };
        kinds.into_iter().filter_map(compared).collect()
    }
}

impl Array {
    /// How long operations take in the model whose turns begin when they did on an engine, or as
    /// soon as their die takes them. Which operations make a turn, and in which order, stays, and
    /// so do their waits for it: with those of the model, a turn that ends late once would delay
    /// all that follow without a pause, and none could be early.
    pub(super) fn replay(&self, before: Cells, log: &[Logged]) -> Vec<Picoseconds> {
        let mut simulation = Simulation::new(0);
        let sim = simulation.sim();
        let (topology, timing) = (self.topology, self.timing.clone());
        let array = Self::new(&sim, topology, timing, Scheduling::FirstCome, Rc::new(before));
        let array = Rc::new(array);
        let mut turns: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, one) in log.iter().enumerate() {
            turns.entry(one.turn).or_default().push(at);
        }
        let mut running = Vec::new();
        for members in turns.into_values() {
            let (array, sim) = (Rc::clone(&array), sim.clone());
            let operations = members.iter().map(|&at| log[at]).collect();
            let turn = sim.clone().spawn("turn", async move { again(&array, operations).await });
            running.push((members, turn));
        }
        let count = log.len();
        let all = async move {
            let mut spans = vec![Picoseconds(0); count];
            for (members, turn) in running {
                members.into_iter().zip(turn.await).for_each(|(at, span)| spans[at] = span);
            }
            spans
        };
        let spans = simulation.block_on("replay", all).expect("what ended once ends again");
        let waited_ps = |one: &Logged| one.begun.0 - one.asked.0;
        log.iter().zip(spans).map(|(one, span)| Picoseconds(waited_ps(one) + span.0)).collect()
    }
}

/// Carries out a turn; how long its operations took.
async fn again(array: &Rc<Array>, operations: Vec<Logged>) -> Vec<Picoseconds> {
    let sim = array.sim.clone();
    sim.delay_until(operations[0].begun).await;
    let unit = array.geometry.unit(operations[0].operation.block);
    let at = array.topology.die(unit.0) as usize;
    let jobs: Vec<_> = operations.iter().map(|one| Job::new(&sim, one.operation)).collect();
    jobs.iter().for_each(|job| array.dies[at].enter(0, Rc::clone(job)));
    array.serve(&array.dies[at]);
    let carried = jobs.into_iter().map(|job| {
        let (array, sim) = (Rc::clone(array), sim.clone());
        sim.clone().spawn("operation", async move {
            if let Some(turn) = job.turn().await {
                array.carry_out(&array.dies[at], turn).await;
            }
            let Operation { kind, block, .. } = job.operation();
            if kind == Kind::Erase {
                // One that fails is not programmed again.
                let _ = array.cells.end_erase(block);
            }
            Picoseconds(sim.now().0 - job.begun().now.0)
        })
    });
    let carried: Vec<_> = carried.collect();
    let mut spans = Vec::new();
    for one in carried {
        spans.push(one.await);
    }
    spans
}
