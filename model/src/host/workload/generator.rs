//! The requests of a flow.

use std::num::NonZeroU32;

use floatgate_hal::units::Picoseconds;
use rand::distr::{Bernoulli, Distribution, Uniform};

use super::address::Addresses;
use super::check::within;
use super::pace::Pacing;
use super::size::SizeTable;
use super::{Bound, KindWeights, Phase, Workload};
use crate::config::{Check, Fault};
use crate::host::trace::TraceError;
use crate::host::{Capacity, Request, RequestKind, RequestSource};
use crate::sim::{RandomStream, random_stream};

impl Workload {
    /// The sources of all flows, in their order, on a device of this capacity.
    ///
    /// # Errors
    /// A [`Fault`] where a value cannot be meant or does not fit the device;
    /// [`ConfigError::at`](crate::config::ConfigError::at) adds its place in the file.
    pub fn sources(&self, capacity: Capacity) -> Result<Vec<Generator>, Fault> {
        self.check()?;
        let flows = self.flows.iter().enumerate();
        flows
            .map(|(index, flow)| {
                let place = format!("flows[{index}]");
                let phases = flow.phases.iter().enumerate().map(|(index, phase)| {
                    let place = format!("{place}.phases[{index}]");
                    let stream = format!("host/{}/phase {index}", flow.name);
                    let random = random_stream(self.seed, &stream);
                    let mut ranks = random_stream(self.seed, &format!("host/{}/ranks", flow.name));
                    within(&place, Running::new(phase, random, &mut ranks, capacity))
                });
                Ok(Generator::new(flow.name.clone(), phases.collect::<Result<_, _>>()?))
            })
            .collect()
    }
}

/// A flow's requests, drawn one by one.
#[derive(Debug)]
pub struct Generator {
    name: String,
    /// Those that are not over, the present one last.
    phases: Vec<Running>,
    /// All of them, at first.
    phase_count: usize,
    /// Of the last request.
    phase: u32,
    /// When the next phase begins, unless a closed loop came before and it is later by now.
    begin: Picoseconds,
    follows_closed_loop: bool,
}

/// A phase at work.
#[derive(Debug)]
struct Running {
    random: RandomStream,
    addresses: Addresses,
    sizes: SizeTable,
    kinds: Kinds,
    pacing: Pacing,
    left: Left,
    /// When the next request of an open loop arrives; none before the first one of either loop.
    next: Option<Picoseconds>,
    flush_every_writes: u64,
    writes_since_flush: u64,
}

/// What is left of a phase.
#[derive(Clone, Copy, Debug)]
enum Left {
    Requests(u64),
    Bytes(u64),
    /// How long it lasts.
    Lasts(Picoseconds),
    /// Until when it lasts.
    Until(Picoseconds),
}

/// Draws kinds.
#[derive(Debug)]
struct Kinds {
    draw: Uniform<u64>,
    reads: u64,
    reads_and_writes: u64,
    /// None where no write has force unit access.
    fua: Option<Bernoulli>,
}

impl Kinds {
    fn new(KindWeights { read, write, trim }: KindWeights, fua_share: f64) -> Self {
        let [reads, writes, trims] = [read, write, trim].map(u64::from);
        Self {
            draw: Uniform::new(0, reads + writes + trims).expect("checked: not all 0"),
            reads,
            reads_and_writes: reads + writes,
            fua: (fua_share > 0.0).then(|| Bernoulli::new(fua_share).expect("checked: a share")),
        }
    }

    fn draw(&self, random: &mut RandomStream) -> (RequestKind, bool) {
        let at = self.draw.sample(random);
        if at < self.reads {
            (RequestKind::Read, false)
        } else if at < self.reads_and_writes {
            (RequestKind::Write, self.fua.is_some_and(|fua| fua.sample(random)))
        } else {
            (RequestKind::Trim, false)
        }
    }
}

impl Running {
    fn new(
        phase: &Phase,
        random: RandomStream,
        ranks: &mut RandomStream,
        capacity: Capacity,
    ) -> Result<Self, Fault> {
        let sizes = SizeTable::new(&phase.sizes)?;
        Ok(Self {
            random,
            addresses: Addresses::new(phase.pattern, phase.region, &sizes, capacity, ranks)?,
            kinds: Kinds::new(phase.kinds, phase.fua_share),
            pacing: Pacing::new(phase.pace, &sizes),
            sizes,
            left: match phase.until {
                Bound::Requests(count) => Left::Requests(count),
                Bound::Bytes(bytes) => Left::Bytes(bytes),
                Bound::Microseconds(us) => Left::Lasts(Picoseconds(us * 1_000_000)),
            },
            next: None,
            flush_every_writes: phase.flush_every_writes,
            writes_since_flush: 0,
        })
    }

    /// Kind, place and length of the next request, with the index of its size unless it is a flush.
    fn draw(&mut self, arrival: Picoseconds) -> (Request, Option<usize>) {
        if self.flush_every_writes > 0 && self.writes_since_flush == self.flush_every_writes {
            self.writes_since_flush = 0;
            return (Request::flush(arrival), None);
        }
        let (kind, fua) = self.kinds.draw(&mut self.random);
        let index = self.sizes.draw(&mut self.random);
        let size = self.sizes.get(index);
        let sector = self.addresses.draw(size, &mut self.random);
        self.writes_since_flush += u64::from(kind == RequestKind::Write);
        (Request { arrival, kind, fua, sector, sectors: size.sectors }, Some(index))
    }

    fn is_over(&self) -> bool {
        matches!(self.left, Left::Requests(0) | Left::Bytes(0))
    }
}

impl Generator {
    fn new(name: String, mut phases: Vec<Running>) -> Self {
        phases.reverse();
        let (phase_count, begin) = (phases.len(), Picoseconds(0));
        Self { name, phases, phase_count, phase: 0, begin, follows_closed_loop: true }
    }

    /// The flow's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next request; see [`RequestSource::next_request`].
    pub fn next(&mut self, now: Picoseconds) -> Option<Request> {
        while let Some(phase) = self.phases.last_mut() {
            if phase.next.is_none() {
                let begin = if self.follows_closed_loop { self.begin.max(now) } else { self.begin };
                phase.next = Some(begin);
                if let Left::Lasts(time) = phase.left {
                    phase.left = Left::Until(Picoseconds(begin.0 + time.0));
                }
            }
            let next = phase.next.expect("set above");
            let arrival = match phase.pacing {
                Pacing::Closed { think, .. } => Picoseconds(now.max(next).0 + think.0),
                Pacing::Open(_) => next,
            };
            self.follows_closed_loop = matches!(phase.pacing, Pacing::Closed { .. });
            if let Left::Until(end) = phase.left
                && arrival >= end
            {
                self.begin = end;
                self.phases.pop();
                continue;
            }
            let (request, size) = phase.draw(arrival);
            self.begin = match &mut phase.pacing {
                Pacing::Closed { .. } => arrival,
                Pacing::Open(open) => {
                    let next = Picoseconds(arrival.0 + open.gap(size, &mut phase.random).0);
                    phase.next = Some(next);
                    next
                }
            };
            match &mut phase.left {
                Left::Requests(left) => *left -= 1,
                Left::Bytes(left) => *left = left.saturating_sub(request.sectors.bytes()),
                Left::Lasts(_) | Left::Until(_) => {}
            }
            let is_over = phase.is_over();
            self.phase = (self.phase_count - self.phases.len()) as u32;
            if is_over {
                self.phases.pop();
            }
            return Some(request);
        }
        None
    }
}

impl RequestSource for Generator {
    fn queue_depth(&self) -> Option<NonZeroU32> {
        match self.phases.last()?.pacing {
            Pacing::Closed { queue_depth, .. } => Some(queue_depth),
            Pacing::Open(_) => None,
        }
    }

    fn next_request(&mut self, now: Picoseconds) -> Result<Option<Request>, Box<TraceError>> {
        Ok(self.next(now))
    }

    fn phase(&self) -> u32 {
        self.phase
    }
}
