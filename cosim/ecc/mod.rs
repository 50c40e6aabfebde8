//! The BCH codec as RTL: codewords in, codewords and clock counts out.
//!
//! In: messages or received codewords of any strength and length that the configuration allows.
//! Out: for each the bytes, the status and the clocks at which it passed. Both tops speak the
//! protocol of `ecc-rtl/bch_encoder.sv` and `ecc-rtl/bch_decoder.sv`.

mod bench;
pub mod bounds;
pub mod corners;
mod decoder;
mod encoder;
mod engine;
pub mod lockstep;
mod pipeline;
pub mod stimulus;
mod streams;
mod words;

use floatgate_hal::units::{Cycles, Strength};
use floatgate_model::config::NamedCode;

pub use decoder::{Corrected, Received, RtlDecoder};
pub use encoder::{Encoded, Message, RtlEncoder};
pub use engine::RtlEcc;

/// A top of the codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Top {
    /// Messages in, codewords out.
    Encoder,
    /// Received codewords in, data out.
    Decoder,
}

impl Top {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Encoder, Self::Decoder];

    /// The module.
    pub fn module(self) -> &'static str {
        match self {
            Self::Encoder => "bch_encoder",
            Self::Decoder => "bch_decoder",
        }
    }
}

/// Name under which a top of a code's configuration is linked in; `build.rs` says the same.
pub fn model_name(top: &str, code: &NamedCode) -> String {
    format!("{top}_{}", code.name.replace('-', "_"))
}

/// Outcome of one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Encoded, or decoded with so many bits corrected (those in the parity included).
    Ok {
        /// Bits that were wrong.
        corrected_bits: u8,
    },
    /// More errors than the strength; the data may hold wrong flips, which are not counted.
    Uncorrectable,
    /// Corrected into another codeword, which the CRC noticed.
    CrcMismatch {
        /// Bits that were flipped.
        flipped_bits: u8,
    },
    /// The command's length is zero.
    LengthZero,
    /// The command's length is more than the configuration's.
    LengthOver,
    /// The command's strength is zero, or more than the configuration's, or not its fixed one.
    StrengthRange,
}

impl Status {
    /// Reads a word of the status stream: a code, and below it a count that is zero where the
    /// codeword was not corrected.
    ///
    /// # Panics
    /// On a word that the RTL must not send.
    pub fn from_word(word: u16) -> Self {
        let [code, count] = word.to_be_bytes();
        match (code, count) {
            (0, corrected_bits) => Self::Ok { corrected_bits },
            (1, 0) => Self::Uncorrectable,
            (2, flipped_bits) => Self::CrcMismatch { flipped_bits },
            (4, 0) => Self::LengthZero,
            (5, 0) => Self::LengthOver,
            (6, 0) => Self::StrengthRange,
            _ => panic!("there is no status word {word:#06x}"),
        }
    }

    /// The word of the status stream.
    pub fn word(self) -> u16 {
        u16::from_be_bytes(match self {
            Self::Ok { corrected_bits } => [0, corrected_bits],
            Self::Uncorrectable => [1, 0],
            Self::CrcMismatch { flipped_bits } => [2, flipped_bits],
            Self::LengthZero => [4, 0],
            Self::LengthOver => [5, 0],
            Self::StrengthRange => [6, 0],
        })
    }

    /// Whether the command was refused, so that it took and gave no words.
    pub fn is_rejected(self) -> bool {
        matches!(self, Self::LengthZero | Self::LengthOver | Self::StrengthRange)
    }
}

/// Clock numbers at which a codeword passed; each is the edge at which a beat was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// Its command.
    pub command_clock: u64,
    /// Its first word in.
    pub first_in_clock: u64,
    /// Its last word in.
    pub last_in_clock: u64,
    /// Its first word out.
    pub first_out_clock: u64,
    /// Its last word out.
    pub last_out_clock: u64,
    /// Its status.
    pub status_clock: u64,
}

impl Passage {
    /// From the clock that takes the command to the last word or the status, both clocks included.
    pub fn latency(&self) -> Cycles {
        Cycles(self.last_out_clock.max(self.status_clock) - self.command_clock + 1)
    }
}

/// Splits a batch's outcome by command.
struct Split<'a> {
    output: &'a verilated::StreamOutput,
    next_input: usize,
    next_packet: usize,
    next_command: usize,
}

impl<'a> Split<'a> {
    fn new(output: &'a verilated::StreamOutput) -> Self {
        Self { output, next_input: 0, next_packet: 0, next_command: 0 }
    }

    /// Status, words out and passage of the next command, which sent `words_in` words unless it is
    /// rejected.
    fn next(&mut self, words_in: usize) -> (Status, &'a [u64], Passage) {
        let output = self.output;
        let index = self.next_command;
        self.next_command += 1;
        let status = Status::from_word(output.statuses[index]);
        let mut passage = Passage {
            command_clock: output.command_clocks[index],
            status_clock: output.status_clocks[index],
            ..Passage::default()
        };
        if status.is_rejected() {
            return (status, &[], passage);
        }
        let input = &output.input_clocks[self.next_input..self.next_input + words_in];
        self.next_input += words_in;
        let end = output.packet_ends[self.next_packet];
        let start = match self.next_packet {
            0 => 0,
            before => output.packet_ends[before - 1],
        };
        self.next_packet += 1;
        let out = &output.word_clocks[start..end];
        passage.first_in_clock = input[0];
        passage.last_in_clock = input[words_in - 1];
        passage.first_out_clock = out[0];
        passage.last_out_clock = out[out.len() - 1];
        (status, &output.words[start..end], passage)
    }
}

/// Whether the configuration's RTL takes a command, and what it answers if not.
pub fn admission(code: &NamedCode, strength: Strength, data_bytes: usize) -> Option<Status> {
    let config = &code.config;
    let t = u32::from(strength.0);
    if data_bytes == 0 {
        Some(Status::LengthZero)
    } else if data_bytes > config.k_max_bytes as usize {
        Some(Status::LengthOver)
    } else if t == 0 || t > config.t_max || (config.fixed && t != config.t_max) {
        Some(Status::StrengthRange)
    } else {
        None
    }
}
