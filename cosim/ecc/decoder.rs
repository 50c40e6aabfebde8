//! Received codewords through the decoder RTL.

use floatgate_hal::units::Strength;
use floatgate_model::config::NamedCode;
use verilated::{Batch, Command, Model, Stalls};

use super::encoder::command;
use super::words::{endless_clocks, push_words, take_bytes};
use super::{Passage, Split, Status, admission, model_name};

/// A codeword with whatever errors it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Its strength.
    pub strength: Strength,
    /// Its message: the data, and with the CRC its four bytes.
    pub message: Vec<u8>,
    /// Its parity, left-aligned in bytes.
    pub parity: Vec<u8>,
}

/// What the decoder made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrected {
    /// Outcome of the command.
    pub status: Status,
    /// The data, without a CRC.
    pub data: Vec<u8>,
    /// When it passed.
    pub passage: Passage,
}

/// An instance of the decoder RTL.
pub struct RtlDecoder {
    code: NamedCode,
    model: Model,
}

impl RtlDecoder {
    /// Constructs and resets an instance; `seed` fills what has no reset.
    ///
    /// # Errors
    /// Where the configuration is not linked in, or the RTL fails an assertion.
    pub fn new(code: &NamedCode, seed: u64) -> Result<Self, verilated::Error> {
        let mut model = Model::new(&model_name("bch_decoder", code), seed)?;
        model.reset(2)?;
        Ok(Self { code: code.clone(), model })
    }

    /// The instance, for traces, ports and coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Length of the data in a received message.
    fn data_bytes(&self, received: &Received) -> usize {
        received.message.len().saturating_sub(if self.code.config.crc { 4 } else { 0 })
    }

    /// Decodes codewords one behind the other.
    ///
    /// # Errors
    /// A failing assertion, or a stream that stands still.
    pub fn decode(
        &mut self,
        codewords: &[Received],
        stalls: Stalls,
    ) -> Result<Vec<Corrected>, verilated::Error> {
        let p = self.code.config.p;
        let mut words = Vec::new();
        let mut commands: Vec<Command> = Vec::with_capacity(codewords.len());
        let mut counts = Vec::with_capacity(codewords.len());
        let mut packets = 0;
        for received in codewords {
            let data_bytes = self.data_bytes(received);
            let before = words.len();
            if admission(&self.code, received.strength, data_bytes).is_none() {
                push_words(&mut words, &received.message, p);
                push_words(&mut words, &received.parity, p);
                packets += 1;
            }
            commands.push(command(received.strength, data_bytes));
            counts.push(words.len() - before);
        }
        let limit_clocks = Some(endless_clocks(commands.len(), words.len()));
        let batch = Batch { packets, stalls, limit_clocks, ..Batch::new(&commands, &words) };
        let output = self.model.stream(&batch)?;
        assert!(output.complete, "the decoder does not come to an end");
        let mut split = Split::new(&output);
        let corrected = codewords.iter().zip(counts).map(|(received, count)| {
            let (status, words, passage) = split.next(count);
            let bytes = if status.is_rejected() { 0 } else { self.data_bytes(received) };
            let data = take_bytes(words, bytes, self.code.config.p_c)
                .expect("the packet ends where the data does");
            Corrected { status, data, passage }
        });
        Ok(corrected.collect())
    }
}
