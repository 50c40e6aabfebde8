//! A top of the codec in simulated time, with as many codewords in it as it takes.
//!
//! In: commands with their words, each as it is asked for. Out: statuses and words, after the clock
//! that gives the last of them. The RTL is clocked while it has a codeword and its clock starts
//! with the first; the clocks of idle time are left out.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use floatgate_hal::units::Picoseconds;
use floatgate_model::config::NamedCode;
use floatgate_model::sim::{Event, Sim};
use verilated::Command;

use super::streams::{Offer, Streams};
use super::words::endless_clocks;
use super::{Status, Top};
use crate::guard::Guard;

/// A top whose clock is a process of the simulation.
pub(super) struct Pipeline {
    island: Rc<Island>,
}

struct Island {
    sim: Sim,
    clock_period: Picoseconds,
    rtl: RefCell<Streams>,
    traffic: RefCell<Traffic>,
    asked: Event,
    ended: Event,
}

/// What waits to go in, and what is expected to come out.
#[derive(Default)]
struct Traffic {
    commands: VecDeque<Command>,
    words: VecDeque<u64>,
    inside: VecDeque<Codeword>,
    ended: BTreeMap<u64, (Status, Vec<u64>)>,
    next_number: u64,
    /// Clocks since something passed.
    still: u64,
}

/// A codeword that has not ended.
struct Codeword {
    number: u64,
    status: Option<Status>,
    words: Vec<u64>,
    /// Whether no word of it is still to come.
    is_whole: bool,
}

impl Pipeline {
    /// A top in its own clock; a failing assertion is noted in the guard.
    ///
    /// # Errors
    /// Where the configuration is not linked in, or the RTL fails an assertion in its reset.
    pub(super) fn new(
        sim: &Sim,
        top: Top,
        code: &NamedCode,
        clock_period: Picoseconds,
        seed: u64,
        guard: Guard<verilated::Error>,
    ) -> Result<Self, verilated::Error> {
        let island = Rc::new(Island {
            sim: sim.clone(),
            clock_period,
            rtl: RefCell::new(Streams::new(top, code, seed)?),
            traffic: RefCell::default(),
            asked: sim.event(format!("codewords for {}", top.module())),
            ended: sim.event(format!("codewords from {}", top.module())),
        });
        let process = Rc::clone(&island);
        sim.spawn_server(top.module(), async move {
            if let Err(error) = process.run().await {
                guard.fail(error);
            }
        });
        Ok(Self { island })
    }

    /// Sends a command and its words, none where it is refused, and waits for its status and the
    /// words that it gives.
    pub(super) async fn pass(&self, command: Command, words: &[u64]) -> (Status, Vec<u64>) {
        let Island { traffic, asked, ended, .. } = &*self.island;
        let number = traffic.borrow_mut().enter(command, words);
        asked.notify();
        ended.wait_until(|| traffic.borrow().ended.contains_key(&number)).await;
        traffic.borrow_mut().ended.remove(&number).expect("it was there just now")
    }
}

impl Island {
    async fn run(&self) -> Result<(), verilated::Error> {
        loop {
            self.asked.wait_until(|| !self.traffic.borrow().inside.is_empty()).await;
            while !self.traffic.borrow().inside.is_empty() {
                self.traffic.borrow_mut().clock(&mut self.rtl.borrow_mut())?;
                self.sim.delay(self.clock_period).await;
                if self.traffic.borrow_mut().leave() {
                    self.ended.notify();
                }
            }
        }
    }
}

impl Traffic {
    fn enter(&mut self, command: Command, words: &[u64]) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.commands.push_back(command);
        self.words.extend(words);
        let is_whole = words.is_empty();
        self.inside.push_back(Codeword { number, status: None, words: Vec::new(), is_whole });
        number
    }

    fn clock(&mut self, rtl: &mut Streams) -> Result<(), verilated::Error> {
        let command = self.commands.front().copied();
        let word = self.words.front().copied();
        let beats = rtl.clock(&Offer { command, word, ready: [true, true] })?;
        if beats.command {
            self.commands.pop_front();
        }
        if beats.word {
            self.words.pop_front();
        }
        if let Some((word, is_last)) = beats.output {
            let mut inside = self.inside.iter_mut();
            let codeword =
                inside.find(|codeword| !codeword.is_whole).expect("a word of a codeword");
            codeword.words.push(word);
            codeword.is_whole = is_last;
        }
        if let Some(status) = beats.status {
            let mut inside = self.inside.iter_mut();
            let codeword = inside.find(|codeword| codeword.status.is_none());
            codeword.expect("a status of a codeword").status = Some(Status::from_word(status));
        }
        self.still = if beats == Default::default() { self.still + 1 } else { 0 };
        let endless = endless_clocks(self.inside.len(), self.words.len());
        assert!(self.still < endless, "{} does not come to an end", rtl.model.name());
        Ok(())
    }

    /// Lets go of the codewords that have ended; whether there are any.
    fn leave(&mut self) -> bool {
        let mut any = false;
        while let Some(&Codeword { number, status: Some(status), is_whole: true, .. }) =
            self.inside.front()
        {
            let words = self.inside.pop_front().map_or_else(Vec::new, |codeword| codeword.words);
            self.ended.insert(number, (status, words));
            any = true;
        }
        any
    }
}
