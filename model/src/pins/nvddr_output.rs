//! What a target drives in NV-DDR: DQS and DQ follow each edge of CLK by tDQSCK, so that several
//! edges are on their way at a time.

use super::bus::{FOREVER, Instant, NEVER};
use super::level::{Level, Octet};
use super::timing::Parameter;
use super::window::Window;

/// Edges that can be on their way; tDQSCK is at most three clocks.
const EDGES: usize = 16;

/// An edge of DQS and the byte that goes with it.
#[derive(Clone, Copy, Debug)]
struct Edge {
    at: Instant,
    level: Level,
    data: Window,
}

/// DQS and DQ of one target.
#[derive(Clone, Debug)]
pub(super) struct DdrOutput {
    edges: [Edge; EDGES],
    /// How many edges there have been; the ring holds the last of them.
    count: usize,
    /// The second byte of a cycle waits for CLK to fall.
    second: Option<u8>,
    driven_from: Instant,
    /// From when on DQS is low and no longer on its way there.
    settled: Instant,
    /// When W/R# took the bus away.
    turned: Instant,
    driven_until: Instant,
}

/// Times of the output, as the mode in force and the part have them.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputTimes {
    /// From a CLK edge to the DQS edge.
    pub(super) access: Instant,
    /// tDQSQ.
    pub(super) skew: Instant,
    /// tQH.
    pub(super) hold: Instant,
}

impl DdrOutput {
    pub(super) const fn new() -> Self {
        const NONE: Edge = Edge { at: NEVER, level: Level::Low, data: Window::NONE };
        Self {
            edges: [NONE; EDGES],
            count: 0,
            second: None,
            driven_from: NEVER,
            settled: NEVER,
            turned: NEVER,
            driven_until: NEVER,
        }
    }

    pub(super) fn drives(&self) -> (Instant, Instant) {
        (self.driven_from, self.driven_until)
    }

    /// W/R# gives the bus to the target: between `from` and `settled` it takes it.
    pub(super) fn turn_on(&mut self, from: Instant, settled: Instant) {
        *self = Self::new();
        self.driven_from = from;
        self.settled = settled;
        self.turned = FOREVER;
        self.driven_until = FOREVER;
    }

    /// W/R# or CE# takes the bus away; the drivers are off at `until`.
    pub(super) fn turn_off(&mut self, at: Instant, until: Instant) {
        if self.turned == FOREVER {
            self.turned = at;
            self.driven_until = until;
        }
    }

    /// A data-out cycle: CLK rose.
    pub(super) fn cycle(&mut self, at: Instant, bytes: [u8; 2], times: OutputTimes) {
        self.push(at, Level::High, bytes[0], times);
        self.second = Some(bytes[1]);
    }

    pub(super) fn clock_fell(&mut self, at: Instant, times: OutputTimes) {
        if let Some(byte) = self.second.take() {
            self.push(at, Level::Low, byte, times);
        }
    }

    fn push(&mut self, clock: Instant, level: Level, byte: u8, times: OutputTimes) {
        let at = clock + times.access;
        let data = Window {
            byte,
            from: at + times.skew,
            until: at + times.hold,
            opens: (at, Parameter::Dqsq),
            closes: (at, Parameter::Qh),
        };
        self.edges[self.count % EDGES] = Edge { at, level, data };
        self.count += 1;
    }

    /// The last edge at or before `at`.
    fn last_edge(&self, at: Instant) -> Option<&Edge> {
        let known = self.count.min(EDGES);
        let edges = (self.count - known..self.count).rev().map(|index| &self.edges[index % EDGES]);
        edges.into_iter().find(|edge| edge.at <= at)
    }

    /// DQ and DQS at `at`.
    pub(super) fn drive(&self, at: Instant) -> (Octet, Level) {
        if at < self.driven_from || at >= self.driven_until {
            return (Octet::FLOATING, Level::Floating);
        }
        if at < self.settled || at > self.turned {
            return (Octet::changing_to(0xFF), Level::Unknown);
        }
        match self.last_edge(at) {
            None => (Octet::changing_to(0xFF), Level::Low),
            Some(edge) if edge.data.holds(at) => (Octet::driving(edge.data.byte), edge.level),
            Some(edge) => (Octet::changing_to(edge.data.byte), edge.level),
        }
    }

    /// When that next changes after `at`.
    pub(super) fn next(&self, at: Instant) -> Instant {
        if at >= self.driven_until {
            return FOREVER;
        }
        let later = |time: Instant| if time > at { time } else { FOREVER };
        let ends = [self.driven_from, self.settled, self.turned.saturating_add(1)];
        let known = self.count.min(EDGES);
        let edges = self.edges[..known].iter();
        let edges = edges.map(|edge| later(edge.at).min(edge.data.next(at)));
        let ends = ends.into_iter().chain([self.driven_until]).map(later);
        edges.chain(ends).min().unwrap_or(FOREVER)
    }

    /// When DQS next changes after `at`, at the earliest.
    pub(super) fn next_strobe(&self, at: Instant) -> Instant {
        if at >= self.driven_until {
            return FOREVER;
        }
        let later = |time: Instant| if time > at { time } else { FOREVER };
        let ends = [self.driven_from, self.settled, self.turned.saturating_add(1)];
        let mut next = later(self.driven_until);
        for end in ends {
            next = next.min(later(end));
        }
        // The newest edges are those to come.
        let known = self.count.min(EDGES);
        for index in (self.count - known..self.count).rev() {
            let edge = self.edges[index % EDGES].at;
            if edge <= at {
                break;
            }
            next = next.min(edge);
        }
        next
    }

    /// The window of the byte that is on DQ at `at`, valid or not.
    pub(super) fn window(&self, at: Instant) -> Option<Window> {
        self.last_edge(at).map(|edge| edge.data)
    }
}
