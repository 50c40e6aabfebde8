//! Messages through the encoder RTL.

use floatgate_hal::units::{ByteCount, Strength};
use floatgate_model::config::{CodeConfig, NamedCode};
use verilated::{Batch, Command, Model, Stalls};

use super::words::{endless_clocks, push_words, take_bytes};
use super::{Passage, Split, Status, admission, model_name};

/// What is to be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Strength of its codeword.
    pub strength: Strength,
    /// Its data, any length in bytes.
    pub data: Vec<u8>,
}

/// A codeword as it left the encoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Outcome of the command.
    pub status: Status,
    /// The data, and with the CRC its four bytes.
    pub message: Vec<u8>,
    /// The parity, the last byte filled with zeros at its end.
    pub parity: Vec<u8>,
    /// When it passed.
    pub passage: Passage,
}

/// An instance of the encoder RTL.
pub struct RtlEncoder {
    code: NamedCode,
    model: Model,
}

impl RtlEncoder {
    /// Constructs and resets an instance; `seed` fills what has no reset.
    ///
    /// # Errors
    /// Where the configuration is not linked in, or the RTL fails an assertion.
    pub fn new(code: &NamedCode, seed: u64) -> Result<Self, verilated::Error> {
        let mut model = Model::new(&model_name("bch_encoder", code), seed)?;
        model.reset(2)?;
        Ok(Self { code: code.clone(), model })
    }

    /// The instance, for traces, ports and coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Encodes messages one behind the other.
    ///
    /// # Errors
    /// A failing assertion, or a stream that stands still.
    pub fn encode(
        &mut self,
        messages: &[Message],
        stalls: Stalls,
    ) -> Result<Vec<Encoded>, verilated::Error> {
        let config = &self.code.config;
        let mut words = Vec::new();
        let mut counts = Vec::with_capacity(messages.len());
        let mut packets = 0;
        for message in messages {
            let before = words.len();
            if admission(&self.code, message.strength, message.data.len()).is_none() {
                push_words(&mut words, &message.data, config.p);
                packets += 1;
            }
            counts.push(words.len() - before);
        }
        let commands: Vec<Command> =
            messages.iter().map(|m| command(m.strength, m.data.len())).collect();
        let limit_clocks = Some(endless_clocks(commands.len(), words.len()));
        let batch = Batch { packets, stalls, limit_clocks, ..Batch::new(&commands, &words) };
        let output = self.model.stream(&batch)?;
        assert!(output.complete, "the encoder does not come to an end");
        let mut split = Split::new(&output);
        let encoded = messages.iter().zip(counts).map(|(message, count)| {
            let (status, words, passage) = split.next(count);
            self.codeword(message, status, words, passage)
        });
        Ok(encoded.collect())
    }

    fn codeword(
        &self,
        message: &Message,
        status: Status,
        words: &[u64],
        passage: Passage,
    ) -> Encoded {
        if status.is_rejected() {
            return Encoded { status, message: Vec::new(), parity: Vec::new(), passage };
        }
        let length = message.data.len();
        let (message, parity) = bytes(&self.code.config, message.strength, length, words);
        Encoded { status, message, parity, passage }
    }
}

/// The message and the parity in the words of a packet from the encoder.
pub(super) fn bytes(
    config: &CodeConfig,
    strength: Strength,
    data_bytes: usize,
    words: &[u64],
) -> (Vec<u8>, Vec<u8>) {
    let data = ByteCount(u32::try_from(data_bytes).expect("lengths are 16 bits"));
    let message_bytes = (config.message(data).0 / 8) as usize;
    let parity_bytes = config.parity(strength).0.div_ceil(8) as usize;
    let (message_words, parity_words) =
        words.split_at(message_bytes.div_ceil(config.p as usize / 8));
    let bytes = |words, count| {
        take_bytes(words, count, config.p).expect("the packet ends where the parity does")
    };
    (bytes(message_words, message_bytes), bytes(parity_words, parity_bytes))
}

/// The command of a codeword; what does not fit its fields is sent as the largest value, which the
/// RTL refuses.
pub(super) fn command(strength: Strength, data_bytes: usize) -> Command {
    Command {
        strength: u8::try_from(strength.0).unwrap_or(u8::MAX),
        bytes: u16::try_from(data_bytes).unwrap_or(u16::MAX),
    }
}
