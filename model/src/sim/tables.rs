//! What the kernel knows, without the futures' code: processes, the queue of ready ones, wait lists
//! and timers. Nothing in here calls out, so it can stand behind one `RefCell`.
//!
//! Whoever waits has a [`Node`], either in a wait list or under a timer; the future that waits owns
//! the node and frees it. Wait lists are doubly linked through the slab of nodes: leaving one,
//! as a dropped future does, takes constant time and leaves nothing behind.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::task::Waker;

use slab::Slab;

use super::deadlock::Waiting;
use super::process::{ProcessId, Processes};
use super::timers::Timers;

/// A name of a process or of what processes wait for.
pub(super) type Name = Cow<'static, str>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(pub(super) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListId(u32);

/// The end of a linked list.
const NONE: u32 = u32::MAX;

/// What a wait list is for, as a deadlock report words it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListKind {
    Event,
    FifoNotFull,
    FifoNotEmpty,
    Arbiter,
    ProcessEnd,
}

/// Who waits.
pub(super) struct Party {
    /// The process that has to be resumed.
    pub(super) process: ProcessId,
    /// How, where a combinator inside the process wants to know which of its futures may go on;
    /// none is the common case, in which it suffices to resume the process.
    pub(super) waker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting { list: ListId, previous: u32, next: u32, key: u32 },
    Timer { sequence: u64 },
    Notification { sequence: u64, list: ListId },
    Fired,
}

pub(super) struct Node {
    party: Option<Party>,
    state: State,
}

struct List {
    head: u32,
    tail: u32,
    kind: ListKind,
    name: Name,
    /// Notifications on timers.
    scheduled: u32,
    /// Processes that were granted what the others wait for.
    holders: Vec<ProcessId>,
}

/// What is left to do after a node has fired, outside of the kernel's `RefCell`.
#[must_use]
pub(super) enum Wake {
    Nothing,
    Waker(Waker),
    Event(ListId),
}

#[derive(Default)]
pub(super) struct Tables {
    pub(super) processes: Processes,
    pub(super) ready: VecDeque<ProcessId>,
    pub(super) timers: Timers,
    nodes: Slab<Node>,
    lists: Slab<List>,
    /// The simulation is gone: nothing runs any more.
    pub(super) closed: bool,
}

/// Slab keys as the 32 bits that links have room for.
fn short(key: usize) -> u32 {
    u32::try_from(key).ok().filter(|&key| key != NONE).expect("fewer than 2^32 - 1 at once")
}

impl Tables {
    /// Puts a process at the end of the ready queue, once.
    #[inline]
    pub(super) fn make_ready(&mut self, process: ProcessId) {
        if self.processes.mark_ready(process) {
            self.ready.push_back(process);
        }
    }

    // ---- Wait lists ----

    pub(super) fn new_list(&mut self, kind: ListKind, name: Name) -> ListId {
        let list = List { head: NONE, tail: NONE, kind, name, scheduled: 0, holders: Vec::new() };
        ListId(short(self.lists.insert(list)))
    }

    /// Frees a list that nobody waits in; its scheduled notifications are cancelled.
    pub(super) fn free_list(&mut self, list: ListId) {
        let freed = self.lists.remove(list.0 as usize);
        assert!(freed.head == NONE, "{:?} `{}` is dropped with waiters", freed.kind, freed.name);
        if freed.scheduled > 0 {
            let before = self.nodes.len();
            self.nodes.retain(|_, node| match node.state {
                State::Notification { list: notified, .. } => notified != list,
                _ => true,
            });
            self.timers.forget(before - self.nodes.len());
        }
    }

    #[inline]
    fn list(&mut self, list: ListId) -> &mut List {
        &mut self.lists[list.0 as usize]
    }

    #[inline]
    fn links(&mut self, node: u32) -> (&mut u32, &mut u32) {
        match &mut self.nodes[node as usize].state {
            State::Waiting { previous, next, .. } => (previous, next),
            _ => unreachable!("a node in a list waits"),
        }
    }

    /// Waits at the end of a list.
    #[inline]
    pub(super) fn wait(&mut self, list: ListId, key: u32, party: Party) -> NodeId {
        let tail = self.lists[list.0 as usize].tail;
        self.link(list, key, party, tail, NONE)
    }

    /// Waits behind all whose key is not greater.
    pub(super) fn wait_by_key(&mut self, list: ListId, key: u32, party: Party) -> NodeId {
        let mut previous = self.lists[list.0 as usize].tail;
        let mut next = NONE;
        while previous != NONE {
            match self.nodes[previous as usize].state {
                State::Waiting { key: other, previous: before, .. } if other > key => {
                    next = previous;
                    previous = before;
                }
                _ => break,
            }
        }
        self.link(list, key, party, previous, next)
    }

    #[inline]
    fn link(&mut self, list: ListId, key: u32, party: Party, previous: u32, next: u32) -> NodeId {
        let state = State::Waiting { list, previous, next, key };
        let node = short(self.nodes.insert(Node { party: Some(party), state }));
        match previous {
            NONE => self.list(list).head = node,
            _ => *self.links(previous).1 = node,
        }
        match next {
            NONE => self.list(list).tail = node,
            _ => *self.links(next).0 = node,
        }
        NodeId(node)
    }

    #[inline]
    fn unlink(&mut self, list: ListId, previous: u32, next: u32) {
        match previous {
            NONE => self.list(list).head = next,
            _ => *self.links(previous).1 = next,
        }
        match next {
            NONE => self.list(list).tail = previous,
            _ => *self.links(next).0 = previous,
        }
    }

    /// The first waiter and its key.
    pub(super) fn first(&self, list: ListId) -> Option<(NodeId, u32)> {
        let head = self.lists[list.0 as usize].head;
        match self.nodes.get(head as usize)?.state {
            State::Waiting { key, .. } => Some((NodeId(head), key)),
            _ => unreachable!("a node in a list waits"),
        }
    }

    /// The first waiter with the smallest key above `last`, or else with the smallest of all.
    pub(super) fn first_after(&self, list: ListId, last: u32) -> Option<(NodeId, u32)> {
        let mut best = None;
        let mut at = self.lists[list.0 as usize].head;
        while at != NONE {
            let State::Waiting { next, key, .. } = self.nodes[at as usize].state else { break };
            let distance = key.wrapping_sub(last).wrapping_sub(1);
            if best.is_none_or(|(_, _, least)| distance < least) {
                best = Some((NodeId(at), key, distance));
            }
            at = next;
        }
        best.map(|(node, key, _)| (node, key))
    }

    // ---- Nodes ----

    /// Ends the wait of a node: it leaves its list, and its process becomes ready.
    #[inline]
    pub(super) fn fire(&mut self, node: NodeId) -> Wake {
        let fired = &mut self.nodes[node.0 as usize];
        let state = std::mem::replace(&mut fired.state, State::Fired);
        let party = fired.party.as_mut().map(|party| (party.process, party.waker.take()));
        match state {
            State::Waiting { list, previous, next, .. } => self.unlink(list, previous, next),
            State::Timer { .. } => {}
            State::Notification { list, .. } => {
                self.nodes.remove(node.0 as usize);
                self.list(list).scheduled -= 1;
                return Wake::Event(list);
            }
            State::Fired => unreachable!("a node fires once"),
        }
        match party {
            Some((_, Some(waker))) => Wake::Waker(waker),
            Some((process, None)) => {
                self.make_ready(process);
                Wake::Nothing
            }
            None => Wake::Nothing,
        }
    }

    /// Fires the first node of a list, if there is one.
    #[inline]
    pub(super) fn fire_first(&mut self, list: ListId) -> Option<Wake> {
        let head = self.lists[list.0 as usize].head;
        (head != NONE).then(|| self.fire(NodeId(head)))
    }

    /// Fires the nodes of a list until none is left or a foreign waker is to be called.
    pub(super) fn fire_all(&mut self, list: ListId) -> Option<Waker> {
        while let Some(wake) = self.fire_first(list) {
            match wake {
                Wake::Waker(waker) => return Some(waker),
                Wake::Nothing => {}
                Wake::Event(_) => unreachable!("a notification waits in no list"),
            }
        }
        None
    }

    /// Frees the node if it has fired; the process is the one that waited.
    #[inline]
    pub(super) fn take_fired(&mut self, node: NodeId) -> Option<ProcessId> {
        if self.nodes[node.0 as usize].state != State::Fired {
            return None;
        }
        // Firing has taken the waker out, so no foreign code runs here.
        self.nodes.remove(node.0 as usize).party.map(|party| party.process)
    }

    /// Makes a waiting node wake another party; returns the one before, to be dropped outside.
    pub(super) fn rewake(&mut self, node: NodeId, party: Party) -> Option<Party> {
        self.nodes[node.0 as usize].party.replace(party)
    }

    /// Frees a node whose future is dropped; tells whether it had fired.
    pub(super) fn cancel(&mut self, node: NodeId) -> (bool, Option<Party>) {
        let Node { party, state } = self.nodes.remove(node.0 as usize);
        match state {
            State::Waiting { list, previous, next, .. } => self.unlink(list, previous, next),
            State::Timer { .. } => self.forget_timer(),
            State::Notification { list, .. } => {
                self.list(list).scheduled -= 1;
                self.forget_timer();
            }
            State::Fired => return (true, party),
        }
        (false, party)
    }

    // ---- Holders of what an arbiter grants ----

    pub(super) fn add_holder(&mut self, list: ListId, process: ProcessId) {
        self.list(list).holders.push(process);
    }

    pub(super) fn add_holder_of(&mut self, list: ListId, node: NodeId) {
        if let Some(Party { process, .. }) = self.nodes[node.0 as usize].party {
            self.add_holder(list, process);
        }
    }

    pub(super) fn remove_holder(&mut self, list: ListId, process: ProcessId) {
        let holders = &mut self.list(list).holders;
        let at = holders.iter().position(|&holder| holder == process);
        holders.swap_remove(at.expect("a grant has its holder"));
    }

    // ---- Timers ----

    /// Wakes a party at a time.
    #[inline]
    pub(super) fn start_timer(&mut self, at_ps: u64, party: Party) -> NodeId {
        let sequence = self.timers.next_sequence();
        let state = State::Timer { sequence };
        let node = short(self.nodes.insert(Node { party: Some(party), state }));
        self.timers.push(at_ps, node);
        NodeId(node)
    }

    /// Notifies an event at a time; the sequence number tells this notification from later ones.
    pub(super) fn schedule(&mut self, at_ps: u64, list: ListId) -> (NodeId, u64) {
        let sequence = self.timers.next_sequence();
        let state = State::Notification { sequence, list };
        let node = short(self.nodes.insert(Node { party: None, state }));
        self.timers.push(at_ps, node);
        self.list(list).scheduled += 1;
        (NodeId(node), sequence)
    }

    /// Cancels a scheduled notification, if it is still to come.
    pub(super) fn unschedule(&mut self, node: NodeId, sequence: u64) -> bool {
        let is_pending = is_alive(&self.nodes, node.0, sequence);
        if is_pending {
            let (_, party) = self.cancel(node);
            assert!(party.is_none(), "a notification has no process");
        }
        is_pending
    }

    /// Drops all timers, of which nobody is left to hear.
    pub(super) fn drop_timers(&mut self) {
        self.timers.clear();
        self.nodes.retain(|_, node| !matches!(node.state, State::Notification { .. }));
    }

    fn forget_timer(&mut self) {
        self.timers.forget(1);
        let nodes = &self.nodes;
        self.timers.sweep(|node, sequence| is_alive(nodes, node, sequence));
    }

    /// The time of the next timer.
    #[inline]
    pub(super) fn next_timer_ps(&mut self) -> Option<u64> {
        let nodes = &self.nodes;
        self.timers.peek(|node, sequence| is_alive(nodes, node, sequence))
    }

    /// Takes the next timer; [`next_timer_ps`](Self::next_timer_ps) has just said that it is alive.
    #[inline]
    pub(super) fn fire_timer(&mut self) -> Wake {
        let node = self.timers.pop();
        self.fire(NodeId(node))
    }

    // ---- Deadlocks ----

    /// The processes that are no servers, with what they wait for.
    pub(super) fn blocked(&self) -> Vec<Waiting> {
        let mut blocked: Vec<(ProcessId, Waiting)> = self
            .processes
            .foreground()
            .map(|(id, name)| (id, Waiting { process: name.to_string(), awaited: Vec::new() }))
            .collect();
        for (_, node) in &self.nodes {
            let (State::Waiting { list, .. }, Some(party)) = (node.state, &node.party) else {
                continue;
            };
            if let Some((_, waiting)) = blocked.iter_mut().find(|(id, _)| *id == party.process) {
                waiting.awaited.push(self.describe(list));
            }
        }
        blocked.into_iter().map(|(_, waiting)| waiting).collect()
    }

    fn describe(&self, list: ListId) -> String {
        let List { kind, name, holders, .. } = &self.lists[list.0 as usize];
        match kind {
            ListKind::Event => format!("event `{name}`"),
            ListKind::FifoNotFull => format!("a place in FIFO `{name}`"),
            ListKind::FifoNotEmpty => format!("an item of FIFO `{name}`"),
            ListKind::ProcessEnd => format!("the end of `{name}`"),
            ListKind::Arbiter => {
                let name_of = |&id| self.processes.name(id).map_or("an ended process", |name| name);
                let holders: Vec<_> =
                    holders.iter().map(|id| format!("`{}`", name_of(id))).collect();
                format!("arbiter `{name}`, held by {}", holders.join(", "))
            }
        }
    }
}

/// Whether a timer's entry in the queue still stands for the node of that number.
#[inline]
fn is_alive(nodes: &Slab<Node>, node: u32, sequence: u64) -> bool {
    nodes.get(node as usize).is_some_and(|node| match node.state {
        State::Timer { sequence: s } | State::Notification { sequence: s, .. } => s == sequence,
        State::Waiting { .. } | State::Fired => false,
    })
}
