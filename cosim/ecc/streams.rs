//! The four streams of a top, one clock at a time.
//!
//! In: what is offered in a clock, and which outputs are taken. Out: what was taken and came.

use floatgate_model::config::NamedCode;
use verilated::{Command, Input, Model, Output};

use super::{Top, model_name};

/// A top with its ports.
pub(super) struct Streams {
    pub(super) model: Model,
    cmd: [Input; 3],
    s: [Input; 2],
    ready: [Input; 2],
    taken: [Output; 2],
    m: [Output; 3],
    sts: [Output; 2],
}

/// What is offered in a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) command: Option<Command>,
    pub(super) word: Option<u64>,
    /// Whether a word out and a status are taken.
    pub(super) ready: [bool; 2],
}

/// What passes in a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Beats {
    /// Whether the command was taken.
    pub(super) command: bool,
    /// Whether the word was taken.
    pub(super) word: bool,
    /// A word out with its last mark.
    pub(super) output: Option<(u64, bool)>,
    pub(super) status: Option<u16>,
}

impl Streams {
    /// Constructs and resets a top; `seed` fills what has no reset.
    ///
    /// # Errors
    /// Where the configuration is not linked in, or the RTL fails an assertion.
    pub(super) fn new(top: Top, code: &NamedCode, seed: u64) -> Result<Self, verilated::Error> {
        let mut model = Model::new(&model_name(top.module(), code), seed)?;
        model.reset(2)?;
        Ok(Self {
            cmd: [
                model.input("cmd_valid_i")?,
                model.input("cmd_strength_i")?,
                model.input("cmd_bytes_i")?,
            ],
            s: [model.input("s_valid_i")?, model.input("s_data_i")?],
            ready: [model.input("m_ready_i")?, model.input("sts_ready_i")?],
            taken: [model.output("cmd_ready_o")?, model.output("s_ready_o")?],
            m: [model.output("m_valid_o")?, model.output("m_data_o")?, model.output("m_last_o")?],
            sts: [model.output("sts_valid_o")?, model.output("sts_data_o")?],
            model,
        })
    }

    /// Lets a clock pass.
    ///
    /// # Errors
    /// A failing assertion.
    pub(super) fn clock(&mut self, offer: &Offer) -> Result<Beats, verilated::Error> {
        let model = &mut self.model;
        model.set(self.cmd[0], offer.command.is_some().into());
        if let Some(command) = offer.command {
            model.set(self.cmd[1], command.strength.into());
            model.set(self.cmd[2], command.bytes.into());
        }
        model.set(self.s[0], offer.word.is_some().into());
        model.set(self.s[1], offer.word.unwrap_or(0));
        let [m_ready, sts_ready] = offer.ready;
        model.set(self.ready[0], m_ready.into());
        model.set(self.ready[1], sts_ready.into());
        model.set_clock(false)?;
        let is = |port: Output| model.get(port) != 0;
        let beats = Beats {
            command: offer.command.is_some() && is(self.taken[0]),
            word: offer.word.is_some() && is(self.taken[1]),
            output: (m_ready && is(self.m[0])).then(|| (model.get(self.m[1]), is(self.m[2]))),
            status: (sts_ready && is(self.sts[0])).then(|| model.get(self.sts[1]) as u16),
        };
        model.set_clock(true)?;
        Ok(beats)
    }
}
