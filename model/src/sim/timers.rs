//! Timers: who is to be woken when, and which events are to be notified.
//!
//! Timers fire in the order (time, serial number), so a future knows by its timer's key whether
//! that has fired. A cancelled timer's entry stays in the queue until it comes up, or until such
//! entries are the majority and one pass removes them all; it neither moves time nor keeps the
//! simulation alive.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::task::Waker;

use super::process::Process;
use super::radix::RadixQueue;
use super::waits::{Party, WaitList};

/// When a timer fires, and which of those of that time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TimerKey {
    at_ps: u64,
    serial: u64,
}

struct Entry {
    serial: u64,
    /// Whom to wake; nobody where an event is to be notified.
    process: Option<Rc<Process>>,
}

/// What a timer does when it fires.
pub(super) enum Alarm {
    Wake(Party),
    Notify(Rc<WaitList>),
}

/// Below so many cancelled entries no pass is worth its while.
const SWEEP_MIN: usize = 64;

#[derive(Default)]
pub(super) struct Timers {
    queue: RadixQueue<Entry>,
    last_fired: Option<TimerKey>,
    serial: u64,
    /// By serial number, as are the two below: how to wake, where a process is not just resumed.
    wakers: HashMap<u64, Waker>,
    notifications: HashMap<u64, Rc<WaitList>>,
    /// Entries in the queue that are not to fire.
    cancelled: HashSet<u64>,
}

impl Timers {
    #[inline]
    fn add(&mut self, at_ps: u64, process: Option<Rc<Process>>) -> TimerKey {
        let serial = self.serial;
        self.serial += 1;
        self.queue.push(at_ps, Entry { serial, process });
        TimerKey { at_ps, serial }
    }

    /// Wakes a party at a time, which is not before now.
    #[inline]
    pub(super) fn start(&mut self, at_ps: u64, party: Party) -> TimerKey {
        let timer = self.add(at_ps, Some(party.process));
        if let Some(waker) = party.waker {
            self.wakers.insert(timer.serial, waker);
        }
        timer
    }

    /// Notifies a list at a time, which is not before now.
    pub(super) fn schedule(&mut self, at_ps: u64, list: Rc<WaitList>) -> TimerKey {
        let timer = self.add(at_ps, None);
        self.notifications.insert(timer.serial, list);
        timer
    }

    /// Cancels a notification, if it is still to come.
    pub(super) fn unschedule(&mut self, timer: TimerKey) -> bool {
        let is_pending = self.notifications.remove(&timer.serial).is_some();
        if is_pending {
            self.forget(timer.serial);
        }
        is_pending
    }

    /// Cancels all notifications of a list.
    pub(super) fn unschedule_all(&mut self, list: &Rc<WaitList>) {
        let of_list = self.notifications.iter().filter(|(_, other)| Rc::ptr_eq(list, other));
        let serials: Vec<u64> = of_list.map(|(&serial, _)| serial).collect();
        for serial in serials {
            self.notifications.remove(&serial);
            self.forget(serial);
        }
    }

    /// Whether a timer has fired.
    #[inline]
    pub(super) fn has_fired(&self, timer: TimerKey) -> bool {
        self.last_fired.is_some_and(|last| timer <= last)
    }

    /// Whether a running timer calls a waker.
    pub(super) fn has_waker(&self, timer: TimerKey) -> bool {
        self.wakers.contains_key(&timer.serial)
    }

    /// Makes a running timer call a waker; the one before is to be dropped outside.
    pub(super) fn rewake(&mut self, timer: TimerKey, waker: Waker) -> Option<Waker> {
        self.wakers.insert(timer.serial, waker)
    }

    /// Gives up a timer, whether or not it has fired; its waker is to be dropped outside.
    pub(super) fn cancel(&mut self, timer: TimerKey) -> Option<Waker> {
        if self.has_fired(timer) {
            return None;
        }
        self.forget(timer.serial);
        self.wakers.remove(&timer.serial)
    }

    fn forget(&mut self, serial: u64) {
        let cancelled = &mut self.cancelled;
        cancelled.insert(serial);
        if cancelled.len() >= SWEEP_MIN && 2 * cancelled.len() > self.queue.len() {
            self.queue.retain(|entry| !cancelled.remove(&entry.serial));
        }
    }

    /// Takes the next timer up to a time, and that time.
    #[inline]
    pub(super) fn fire_next(&mut self, limit_ps: u64) -> Option<(u64, Alarm)> {
        let cancelled = &mut self.cancelled;
        let filters = !cancelled.is_empty();
        let keep = |entry: &Entry| !cancelled.remove(&entry.serial);
        let (at_ps, Entry { serial, process }) = self.queue.pop(limit_ps, filters, keep)?;
        self.last_fired = Some(TimerKey { at_ps, serial });
        let alarm = match process {
            Some(process) => {
                let waker = if self.wakers.is_empty() { None } else { self.wakers.remove(&serial) };
                Alarm::Wake(Party { process, waker })
            }
            None => Alarm::Notify(self.notifications.remove(&serial).expect("it is scheduled")),
        };
        Some((at_ps, alarm))
    }

    /// No timer fires before this.
    pub(super) fn first_ps(&self) -> Option<u64> {
        self.queue.first_ps()
    }

    /// Whether a timer runs.
    pub(super) fn is_any(&self) -> bool {
        self.queue.len() > self.cancelled.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::waits::Subject;
    use super::*;

    /// Cancelled timers are removed before they come up, so their number stays bounded.
    #[test]
    fn cancelled_timers_do_not_pile_up() {
        let mut timers = Timers::default();
        let list = || Rc::new(WaitList::unregistered(Subject::Event, "e".into()));
        let keys: Vec<_> = (0..100).map(|at_ps| timers.schedule(at_ps, list())).collect();
        for round in 0..10_000 {
            let timer = timers.schedule(1_000_000 + round, list());
            assert!(timers.unschedule(timer));
            assert!(timers.queue.len() <= 2 * (keys.len() + SWEEP_MIN), "{}", timers.queue.len());
        }
        for (at_ps, key) in (0..).zip(keys) {
            assert!(!timers.has_fired(key));
            assert_eq!(timers.fire_next(u64::MAX).map(|(at_ps, _)| at_ps), Some(at_ps));
            assert!(timers.has_fired(key) && !timers.unschedule(key));
        }
        assert!(!timers.is_any() && timers.fire_next(u64::MAX).is_none());
    }

    /// A look at timers that have been cancelled does not move the queue's time to theirs.
    #[test]
    fn earlier_timers_follow_on_cancelled_ones() {
        let mut timers = Timers::default();
        let list = Rc::new(WaitList::unregistered(Subject::Event, "e".into()));
        let late = timers.schedule(1_000, Rc::clone(&list));
        let later = timers.schedule(1_001, Rc::clone(&list));
        assert!(timers.unschedule(late));
        assert!(timers.fire_next(1_000).is_none());
        assert!(timers.unschedule(later));
        assert!(timers.fire_next(u64::MAX).is_none());
        timers.schedule(10, Rc::clone(&list));
        timers.schedule(7, list);
        let times: Vec<u64> =
            std::iter::from_fn(|| timers.fire_next(u64::MAX)).map(|(at_ps, _)| at_ps).collect();
        assert_eq!(times, [7, 10]);
    }
}
