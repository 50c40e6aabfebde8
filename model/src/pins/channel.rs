//! A channel: targets on one bus, each with its own CE# and R/B#. Puts together what host and
//! targets drive, and reports where two of them drive at a time.

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::DataInterface;
use floatgate_hal::units::Picoseconds;

use super::behind::{Behind, PinOptions};
use super::bus::{Bus, CONTROL_NAMES, Changes, FOREVER, Instant, ps};
use super::checker::in_ns;
use super::level::{BusLevels, DiePins, HostPins, Level, Octet, TARGETS_MAX, join, join_octets};
use super::monitor::{Monitor, Transaction};
use super::target::PinTarget;
use crate::die::{Diagnostic, Rule};

/// A breach of a rule, and the target that saw it; none where it is the bus's own.
#[derive(Clone, Debug, PartialEq)]
pub struct BusDiagnostic {
    /// The target.
    pub target: Option<DieIndex>,
    /// The breach.
    pub diagnostic: Diagnostic,
}

/// Host and a target driving the same wires.
#[derive(Clone, Copy, Debug)]
struct Clash {
    target: usize,
    from: Instant,
    until: Instant,
}

/// The targets at a glance, one bit each, so that a step looks at few of them.
#[derive(Clone, Copy, Debug, Default)]
struct Glance {
    selected: u8,
    /// Those whose drivers are on or were until lately.
    driving: u8,
    /// Those that hold R/B# low.
    busy: u8,
    /// When one of them will next change by itself.
    next_change: Instant,
}

/// The numbers of the bits that are set.
fn bits(mut mask: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (index < TARGETS_MAX).then_some(index)
    })
}

/// Targets on one bus.
#[derive(Clone, Debug)]
pub struct Channel<B> {
    bus: Bus,
    targets: Vec<PinTarget<B>>,
    glance: Glance,
    now: Instant,
    faults: Vec<Diagnostic>,
    clash: Option<Clash>,
}

impl<B: Behind> Channel<B> {
    /// A channel with these targets in the order of their CE#, all pins idle at time 0.
    ///
    /// # Panics
    /// On no target or more than [`TARGETS_MAX`].
    pub fn new(targets: impl IntoIterator<Item = (B, PinOptions)>) -> Self {
        let targets: Vec<_> = targets
            .into_iter()
            .enumerate()
            .map(|(index, (behind, options))| PinTarget::new(index, behind, options))
            .collect();
        let count = targets.len();
        assert!((1..=TARGETS_MAX).contains(&count), "{count} targets on one channel");
        let glance = Glance::default();
        Self { bus: Bus::new(), targets, glance, now: 0, faults: Vec::new(), clash: None }
    }

    /// One target.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn target(&self, die: DieIndex) -> &PinTarget<B> {
        &self.targets[usize::from(die.0)]
    }

    /// One target, to change what stands behind it.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn target_mut(&mut self, die: DieIndex) -> &mut PinTarget<B> {
        &mut self.targets[usize::from(die.0)]
    }

    /// The targets behind the pins, for a channel that begins anew: after a power cut, say.
    pub fn into_behind(self) -> impl Iterator<Item = B> {
        self.targets.into_iter().map(|target| target.behind)
    }

    /// The host's pins as they are now.
    pub fn host_pins(&self) -> &HostPins {
        &self.bus.pins
    }

    /// Takes the host's pins as they are from `at` on. To be called on every change of one.
    ///
    /// # Panics
    /// If `at` is before the last call.
    pub fn step(&mut self, at: Picoseconds, pins: &HostPins) {
        let at = at.0 as Instant;
        assert!(at >= self.now, "time goes back from {} to {at} ps", self.now);
        self.watch_clash(at);
        let changes = self.bus.apply(at, pins);
        self.now = at;
        if self.bus.lost != 0 {
            self.report_lost_pins(at);
        }
        if changes.is_empty() {
            return;
        }
        let concerns_all = changes.has(Changes::CE) || changes.has(Changes::WP);
        let is_due = at >= self.glance.next_change;
        let all = !0 >> (TARGETS_MAX - self.targets.len());
        let concerned = if concerns_all || is_due { all } else { self.glance.selected };
        for index in bits(concerned) {
            self.targets[index].step(at, &self.bus, changes);
            self.look_at(index, at);
        }
        if is_due {
            let next = self.targets.iter().map(PinTarget::ready_changes);
            self.glance.next_change = next.min().unwrap_or(FOREVER);
        }
        if self.glance.driving.count_ones() > 1
            && (changes.has(Changes::RE_FELL) || changes.has(Changes::CE))
        {
            self.check_single_driver(at);
        }
    }

    /// Takes note of what a step has made of a target.
    #[inline]
    fn look_at(&mut self, index: usize, at: Instant) {
        let target = &self.targets[index];
        let glance = &mut self.glance;
        let set = |mask: &mut u8, is_set: bool| {
            *mask = *mask & !(1 << index) | u8::from(is_set) << index;
        };
        set(&mut glance.selected, target.is_selected());
        set(&mut glance.driving, target.drives().1 > at);
        set(&mut glance.busy, !target.ready.is_ready);
        glance.next_change = glance.next_change.min(target.ready_changes());
    }

    #[cold]
    fn report_lost_pins(&mut self, at: Instant) {
        for bit in 0..CONTROL_NAMES.len() + self.targets.len() {
            if self.bus.lost >> bit & 1 == 1 {
                let name = match CONTROL_NAMES.get(bit) {
                    Some(name) => (*name).to_owned(),
                    None => format!("CE{}#", bit - CONTROL_NAMES.len()),
                };
                let text = format!("XCTL: {name} unknown");
                self.faults.push(Diagnostic::new(Rule::P07, ps(at), text));
            }
        }
    }

    /// Looks for host and target driving together since the last step.
    #[inline]
    fn watch_clash(&mut self, at: Instant) {
        let pins = &self.bus.pins;
        let host_drives = pins.dq.driven != 0 || pins.dqs != Level::Floating;
        let mut clash = None;
        if host_drives {
            for index in bits(self.glance.driving) {
                let (from, until) = self.targets[index].drives();
                let (from, until) = (from.max(self.now), until.min(at));
                if from < until {
                    clash = Some(Clash { target: index, from, until });
                    break;
                }
            }
        }
        match (&mut self.clash, clash) {
            (None, None) => {}
            (Some(open), Some(next)) if open.target == next.target && open.until == next.from => {
                open.until = next.until;
            }
            (_, next) => {
                self.end_clash();
                self.clash = next;
            }
        }
    }

    fn end_clash(&mut self) {
        if let Some(Clash { target, from, until }) = self.clash.take() {
            let text = format!(
                "CONTENTION: DQ driven by host and die {target} from {} to {}",
                in_ns(from),
                in_ns(until)
            );
            self.faults.push(Diagnostic::new(Rule::P04, ps(from), text));
        }
    }

    /// Targets that drive at the same time, of which one has just begun.
    fn check_single_driver(&mut self, at: Instant) {
        let drives = |target: &PinTarget<B>| {
            let (from, until) = target.drives();
            from <= at && at < until
        };
        let mut driving = (0..self.targets.len()).filter(|&index| drives(&self.targets[index]));
        if let (Some(first), Some(second)) = (driving.next(), driving.next()) {
            let text = format!("CONTENTION: CE{first}# and CE{second}# both answer RE#");
            self.faults.push(Diagnostic::new(Rule::P05, ps(at), text));
        }
    }

    /// What one target drives at `at`, which is now or later.
    pub fn drive(&self, die: DieIndex, at: Picoseconds) -> DiePins {
        self.target(die).drive(at.0 as Instant)
    }

    /// What the wires carry at `at`, which is now or later, if the host leaves its pins alone.
    pub fn levels(&self, at: Picoseconds) -> BusLevels {
        let at = at.0 as Instant;
        let mut levels = BusLevels {
            dq: self.bus.pins.dq,
            dqs: self.bus.pins.dqs,
            rb_n: [Level::High; TARGETS_MAX],
        };
        for index in bits(self.glance.driving) {
            let (dq, dqs) = self.targets[index].outputs(at);
            levels.dq = join_octets(levels.dq, dq);
            levels.dqs = join(levels.dqs, dqs);
        }
        if at < self.glance.next_change {
            for index in bits(self.glance.busy) {
                levels.rb_n[index] = Level::Low;
            }
        } else {
            for (target, rb_n) in self.targets.iter().zip(&mut levels.rb_n) {
                if target.ready_busy(at).is_low() {
                    *rb_n = Level::Low;
                }
            }
        }
        levels
    }

    /// When [`levels`](Self::levels) will next differ after `at` without the host.
    pub fn next_change(&self, at: Picoseconds) -> Option<Picoseconds> {
        let at = at.0 as Instant;
        let next = self.targets.iter().map(|target| target.next_change(at)).min()?;
        (next < FOREVER).then(|| ps(next))
    }

    /// DQS at `at`, which is now or later, if the host leaves its pins alone.
    pub fn strobe(&self, at: Picoseconds) -> Level {
        let driven =
            bits(self.glance.driving).map(|index| self.targets[index].strobe(at.0 as Instant));
        driven.fold(self.bus.pins.dqs, join)
    }

    /// When R/B# of a target may next change after `at` without the host.
    pub fn next_ready(&self, at: Picoseconds) -> Option<Picoseconds> {
        let at = at.0 as Instant;
        let next = if at < self.glance.next_change {
            self.glance.next_change
        } else {
            self.targets.iter().map(|target| target.next_ready(at)).min()?
        };
        (next < FOREVER).then(|| ps(next))
    }

    /// When DQS may next change after `at` without the host.
    pub fn next_strobe(&self, at: Picoseconds) -> Option<Picoseconds> {
        let driving = bits(self.glance.driving);
        let next = driving.map(|index| self.targets[index].next_strobe(at.0 as Instant)).min()?;
        (next < FOREVER).then(|| ps(next))
    }

    /// The host takes in DQ at `at`: what it sees, after a report if it cannot rely on that.
    pub fn sample(&mut self, at: Picoseconds) -> Octet {
        let instant = at.0 as Instant;
        for target in &mut self.targets {
            let (from, until) = target.drives();
            let drives = from <= instant && instant < until;
            if !drives && !target.is_selected() {
                continue;
            }
            match target.timing_mode().interface {
                DataInterface::Sdr => target.check_sdr_sample(instant, &self.bus),
                DataInterface::NvDdr => target.check_nvddr_sample(instant),
            }
        }
        self.levels(at).dq
    }

    /// Collects transactions from now on.
    pub fn watch(&mut self) {
        for target in &mut self.targets {
            target.monitor.get_or_insert_default();
        }
    }

    /// Takes out the transactions of a target since [`watch`](Self::watch) or the last call.
    pub fn drain_transactions(&mut self, die: DieIndex) -> Vec<Transaction> {
        self.target_mut(die).monitor.as_mut().map(Monitor::drain).unwrap_or_default()
    }

    /// Takes out what host and targets did wrong since the last call, in the order of time.
    pub fn drain_diagnostics(&mut self) -> Vec<BusDiagnostic> {
        self.end_clash();
        let own = std::mem::take(&mut self.faults).into_iter();
        let mut all: Vec<_> =
            own.map(|diagnostic| BusDiagnostic { target: None, diagnostic }).collect();
        for (index, target) in self.targets.iter_mut().enumerate() {
            let theirs =
                target.checker.drain().into_iter().chain(target.behind.drain_diagnostics());
            let target = Some(DieIndex(index as u8));
            all.extend(theirs.map(|diagnostic| BusDiagnostic { target, diagnostic }));
        }
        all.sort_by_key(|one| one.diagnostic.at);
        all
    }
}
