//! Timers: who is to be woken when, and which events are to be notified.

use std::collections::HashMap;
use std::rc::Rc;
use std::task::Waker;

use slab::Slab;

use super::process::Process;
use super::radix::RadixQueue;
use super::waits::{Party, WaitList};

/// A timer in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimerId(u32);

enum Timer {
    Delay(Rc<Process>),
    Notification {
        list: Rc<WaitList>,
        serial: u64,
    },
    /// Its future has not seen yet that it has fired.
    Fired,
    /// The queue frees the place.
    Cancelled,
}

/// What a timer does when it fires.
pub(super) enum Alarm {
    Wake(Party),
    Notify(Rc<WaitList>),
}

#[derive(Default)]
pub(super) struct Timers {
    table: Slab<Timer>,
    /// Of the delays that have one: there rarely are any.
    wakers: HashMap<u32, Waker>,
    queue: RadixQueue,
    notifications: u64,
}

/// Whether a timer is still wanted; frees its place if not.
#[inline]
fn keep_or_free(table: &mut Slab<Timer>, timer: u32) -> bool {
    let is_alive = !matches!(table[timer as usize], Timer::Cancelled);
    if !is_alive {
        table.remove(timer as usize);
    }
    is_alive
}

impl Timers {
    #[inline]
    fn add(&mut self, at_ps: u64, timer: Timer) -> TimerId {
        let id = u32::try_from(self.table.insert(timer)).expect("fewer than 2^32 timers at once");
        self.queue.push(at_ps, id);
        TimerId(id)
    }

    /// Wakes a party at a time, which is not before now.
    #[inline]
    pub(super) fn start(&mut self, at_ps: u64, party: Party) -> TimerId {
        let timer = self.add(at_ps, Timer::Delay(party.process));
        if let Some(waker) = party.waker {
            self.wakers.insert(timer.0, waker);
        }
        timer
    }

    /// Notifies a list at a time; the serial number tells this notification from all others.
    pub(super) fn schedule(&mut self, at_ps: u64, list: Rc<WaitList>) -> (TimerId, u64) {
        let serial = self.notifications;
        self.notifications += 1;
        (self.add(at_ps, Timer::Notification { list, serial }), serial)
    }

    /// Cancels a notification, if it is still to come.
    pub(super) fn unschedule(&mut self, timer: TimerId, serial: u64) -> bool {
        let is_pending = matches!(
            self.table.get(timer.0 as usize),
            Some(Timer::Notification { serial: pending, .. }) if *pending == serial
        );
        if is_pending {
            self.forget(timer.0);
        }
        is_pending
    }

    /// Cancels all notifications of a list.
    pub(super) fn unschedule_all(&mut self, list: &Rc<WaitList>) {
        let of_list = |timer: &Timer| match timer {
            Timer::Notification { list: other, .. } => Rc::ptr_eq(list, other),
            _ => false,
        };
        let timers = self.table.iter().filter(|(_, timer)| of_list(timer));
        let timers: Vec<u32> = timers.map(|(timer, _)| timer as u32).collect();
        timers.into_iter().for_each(|timer| drop(self.forget(timer)));
    }

    fn forget(&mut self, timer: u32) -> Timer {
        let table = &mut self.table;
        let before = std::mem::replace(&mut table[timer as usize], Timer::Cancelled);
        self.queue.cancel(|timer| keep_or_free(table, timer));
        before
    }

    #[inline]
    fn party(&mut self, timer: u32, process: Rc<Process>) -> Party {
        let waker = if self.wakers.is_empty() { None } else { self.wakers.remove(&timer) };
        Party { process, waker }
    }

    /// Frees the place of a timer if it has fired.
    #[inline]
    pub(super) fn take_fired(&mut self, timer: TimerId) -> bool {
        let has_fired = matches!(self.table[timer.0 as usize], Timer::Fired);
        if has_fired {
            self.table.remove(timer.0 as usize);
        }
        has_fired
    }

    /// Makes a running timer wake another party; the one before is to be dropped outside.
    pub(super) fn rewake(&mut self, timer: TimerId, party: Party) -> Party {
        let Timer::Delay(process) = &mut self.table[timer.0 as usize] else {
            unreachable!("a future has a delay, which runs")
        };
        let before = std::mem::replace(process, party.process);
        let before = self.party(timer.0, before);
        self.wakers.extend(party.waker.map(|waker| (timer.0, waker)));
        before
    }

    /// Gives up a timer whose future is dropped; what it would have woken is to be dropped outside.
    pub(super) fn cancel(&mut self, timer: TimerId) -> Option<Party> {
        if self.take_fired(timer) {
            return None;
        }
        match self.forget(timer.0) {
            Timer::Delay(process) => Some(self.party(timer.0, process)),
            _ => unreachable!("a future has a delay"),
        }
    }

    /// Takes the next timer up to a time, and that time.
    #[inline]
    pub(super) fn fire_next(&mut self, limit_ps: u64) -> Option<(u64, Alarm)> {
        let table = &mut self.table;
        let (at_ps, timer) = self.queue.pop(limit_ps, |timer| keep_or_free(table, timer))?;
        match std::mem::replace(&mut table[timer as usize], Timer::Fired) {
            Timer::Delay(process) => Some((at_ps, Alarm::Wake(self.party(timer, process)))),
            Timer::Notification { list, .. } => {
                table.remove(timer as usize);
                Some((at_ps, Alarm::Notify(list)))
            }
            Timer::Fired | Timer::Cancelled => unreachable!("the queue has dropped it"),
        }
    }

    /// Whether a timer runs.
    pub(super) fn is_any(&self) -> bool {
        self.queue.any_alive()
    }

    /// Places in use, of which some may wait for the queue to free them.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }
}
