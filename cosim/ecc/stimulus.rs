//! Seeded random codewords with errors where decoders go wrong: none, one, all that the strength
//! allows, one more, twice as many; at the first bit, at the last, in the parity only, in bursts.

use std::collections::HashMap;

use floatgate_hal::units::{BitCount, ByteCount, Strength};
use floatgate_model::config::{CodeConfig, NamedCode};
use floatgate_model::ecc::{BchCode, BitIndex, append_crc};
use rand::Rng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

use super::{Message, Received};

/// The software codes of every strength of a configuration, made when first asked for.
pub struct GoldenCodes {
    config: CodeConfig,
    codes: HashMap<Strength, BchCode>,
}

impl GoldenCodes {
    /// None yet.
    pub fn new(config: &CodeConfig) -> Self {
        Self { config: config.clone(), codes: HashMap::new() }
    }

    /// The code of a strength for messages of so many bytes.
    ///
    /// # Panics
    /// Where the configuration does not admit the strength or the length.
    pub fn code(&mut self, strength: Strength, message_bytes: usize) -> BchCode {
        let config = &self.config;
        let longest = self.codes.entry(strength).or_insert_with(|| {
            BchCode::new(config.m, strength, config.k_max()).expect("a checked configuration")
        });
        longest.shortened(ByteCount(message_bytes as u32).bits())
    }

    /// The message that carries `data`: itself, with the CRC where the configuration has it.
    pub fn message(&self, data: &[u8]) -> Vec<u8> {
        if self.config.crc { append_crc(data) } else { data.to_vec() }
    }

    /// The codeword of a message as it would be received without errors.
    pub fn received(&mut self, message: &Message) -> Received {
        let strength = message.strength;
        let message = self.message(&message.data);
        let code = self.code(strength, message.len());
        let mut parity = vec![0; code.parity_len()];
        code.encode(&message, &mut parity);
        Received { strength, message, parity }
    }

    /// Flips bits of a received codeword.
    pub fn flip(&mut self, received: &mut Received, positions: &[BitIndex]) {
        let code = self.code(received.strength, received.message.len());
        code.flip(&mut received.message, &mut received.parity, positions);
    }
}

/// How the errors of a codeword are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorPattern {
    /// None.
    Clean,
    /// 1 to t anywhere.
    Within,
    /// t anywhere.
    Full,
    /// t + 1 to 2t anywhere.
    Beyond,
    /// Up to t next to each other.
    Burst,
    /// Up to t in the parity.
    ParityOnly,
    /// The first bit, and others.
    FirstBit,
    /// The last bit of the data, the last of the parity, and others.
    LastBits,
}

impl ErrorPattern {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Clean,
        Self::Within,
        Self::Full,
        Self::Beyond,
        Self::Burst,
        Self::ParityOnly,
        Self::FirstBit,
        Self::LastBits,
    ];

    /// Positions of the errors in a codeword of `data` + `parity` bits.
    pub fn draw(
        self,
        rng: &mut ChaCha8Rng,
        t: Strength,
        data: BitCount,
        parity: BitCount,
    ) -> Vec<BitIndex> {
        let (t, k, r) = (usize::from(t.0), data.0 as usize, parity.0 as usize);
        let n = k + r;
        let some = rng.random_range(1..=t);
        let anywhere = |rng: &mut ChaCha8Rng, count: usize| index::sample(rng, n, count.min(n));
        let with = |rng: &mut ChaCha8Rng, fixed: &[usize]| {
            let mut all = fixed.to_vec();
            all.extend(
                anywhere(rng, some).into_iter().filter(|position| !fixed.contains(position)),
            );
            all.truncate(t.max(1));
            all
        };
        let positions = match self {
            Self::Clean => Vec::new(),
            Self::Within => anywhere(rng, some).into_vec(),
            Self::Full => anywhere(rng, t).into_vec(),
            Self::Beyond => {
                let count = rng.random_range(t + 1..=2 * t);
                anywhere(rng, count).into_vec()
            }
            Self::Burst => {
                let start = rng.random_range(0..=n - some.min(n));
                (start..start + some.min(n)).collect()
            }
            Self::ParityOnly => {
                index::sample(rng, r, some).into_iter().map(|position| k + position).collect()
            }
            Self::FirstBit => with(rng, &[0]),
            Self::LastBits => with(rng, &[n - 1, k - 1]),
        };
        positions.into_iter().map(|position| BitIndex(position as u32)).collect()
    }
}

/// A message of random strength and length, the extremes more often than others.
pub fn random_message(rng: &mut ChaCha8Rng, code: &NamedCode) -> Message {
    let config = &code.config;
    let strengths: Vec<Strength> = config.strengths().collect();
    let strength = match rng.random_range(0..4) {
        0 => strengths[strengths.len() - 1],
        1 => strengths[0],
        _ => strengths[rng.random_range(0..strengths.len())],
    };
    let longest = config.k_max_bytes as usize;
    let bytes = match rng.random_range(0..4) {
        0 => longest,
        1 => rng.random_range(1..=longest.min(16)),
        _ => rng.random_range(1..=longest),
    };
    let mut data = vec![0; bytes];
    rng.fill(&mut data[..]);
    Message { strength, data }
}
