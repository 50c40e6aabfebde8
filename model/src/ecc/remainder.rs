//! The remainder of a message modulo the generator polynomial, which is the encoder and the first
//! half of the decoder: bytes enter, the parity leaves as words.
//!
//! Words are most significant bit first and the parity stands at their left, so that their bytes
//! are the parity bytes of the codeword. Inside, everything is modulo G(x) = x^s g(x), s being the
//! unused bits of the last word: M(x) x^(64 W) mod G(x) is x^s times the parity.
//!
//! Two engines, chosen when the code is made:
//! - carry-less multiplication: every message word is multiplied by x to the power of its place,
//!   reduced beforehand, and the sum is reduced once at the end (Gopal et al., Fast CRC
//!   Computation Using PCLMULQDQ, Intel 2009, carried over to generators of any length);
//! - eight bytes at a time through tables (Kounavis and Berry, slicing-by-8, ISCC 2005).

use super::generator::Polynomial;
use super::simd::Clmul;

/// Words of the largest parity: strength 255 over GF(2^16).
pub(crate) const MAX_WORDS: usize = 64;

/// Remainders modulo one generator polynomial.
#[derive(Debug)]
pub(crate) struct Remainder {
    words: usize,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Multiply(Clmul, Places),
    Slice(Slices),
}

/// What an implementation of the codec may use of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// The best that the processor has.
    Detected,
    /// Nothing that not every processor has.
    Portable,
}

impl Remainder {
    /// Tables for messages of up to `max_bits` bits.
    pub(crate) fn new(generator: &Polynomial, max_bits: usize, kernels: Kernels) -> Self {
        let modulus = Modulus::new(generator);
        let clmul = match kernels {
            Kernels::Detected => Clmul::detect(),
            Kernels::Portable => None,
        };
        let engine = match clmul {
            Some(clmul) => Engine::Multiply(clmul, Places::new(&modulus, max_bits.div_ceil(64))),
            None => Engine::Slice(Slices::new(&modulus)),
        };
        Self { words: modulus.low.len(), engine }
    }

    /// Number of words that [`Remainder::of`] fills.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The parity of a message, whose last bit is the last bit of its last byte.
    pub(crate) fn of(&self, message: &[u8], parity: &mut [u64]) {
        assert_eq!(parity.len(), self.words);
        match &self.engine {
            Engine::Multiply(clmul, places) => places.remainder(*clmul, message, parity),
            Engine::Slice(slices) => slices.remainder(message, parity),
        }
    }
}

/// G(x) without its leading term, x^(64 W).
#[derive(Debug)]
struct Modulus {
    low: Vec<u64>,
}

impl Modulus {
    fn new(generator: &Polynomial) -> Self {
        let degree = generator.len() - 1;
        let words = degree.div_ceil(64);
        assert!((1..=MAX_WORDS).contains(&words), "{degree} parity bits");
        let mut low = vec![0; words];
        for power in generator.iter_ones().filter(|&power| power < degree) {
            let from_left = degree - 1 - power;
            low[from_left / 64] |= 1 << (63 - from_left % 64);
        }
        Self { low }
    }

    /// Multiplies by x modulo G; the quotient is the bit that leaves.
    fn step(&self, state: &mut [u64]) -> bool {
        let leaves = state[0] >> 63 == 1;
        for i in 0..state.len() {
            let next = state.get(i + 1).map_or(0, |word| word >> 63);
            state[i] = state[i] << 1 | next;
        }
        if leaves {
            add(state, &self.low);
        }
        leaves
    }
}

fn add(sum: &mut [u64], term: &[u64]) {
    for (sum, term) in sum.iter_mut().zip(term) {
        *sum ^= term;
    }
}

/// The odd bytes at the start of a message as a word.
fn head_word(head: &[u8]) -> u64 {
    head.iter().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Factors of the engine that multiplies.
#[derive(Debug)]
struct Places {
    /// Columns of up to [`Clmul::COLUMNS`] words of the factors. Factor i, counted from the end
    /// of the message, is x^(64 W + 64 i) mod G; a column holds its part of all the factors, last
    /// first.
    columns: Vec<Column>,
    max_words: usize,
    /// floor(x^(64 W + 64) / G) without its leading term, for the reduction of the sum.
    quotient: u64,
    low: Vec<u64>,
}

#[derive(Debug)]
struct Column {
    first: usize,
    width: usize,
    factors: Vec<u64>,
}

impl Places {
    fn new(modulus: &Modulus, max_words: usize) -> Self {
        let words = modulus.low.len();
        let mut factors = Vec::with_capacity(max_words);
        let mut factor = modulus.low.clone();
        let mut quotient = None;
        for _ in 0..max_words {
            factors.push(factor.clone());
            let bits = (0..64).fold(0, |bits, _| bits << 1 | u64::from(modulus.step(&mut factor)));
            quotient.get_or_insert(bits);
        }
        let columns = (0..words).step_by(Clmul::COLUMNS).map(|first| {
            let width = Clmul::COLUMNS.min(words - first);
            let parts = factors.iter().rev().flat_map(|factor| &factor[first..first + width]);
            Column { first, width, factors: parts.copied().collect() }
        });
        let quotient = quotient.expect("a message has at least one word");
        Self { columns: columns.collect(), max_words, quotient, low: modulus.low.clone() }
    }

    fn remainder(&self, clmul: Clmul, message: &[u8], parity: &mut [u64]) {
        let words = message.len().div_ceil(8);
        assert!(words <= self.max_words, "{} bytes are more than the code holds", message.len());
        let (head, body) = message.as_rchunks::<8>();
        // The sum has one word more than the remainder, at its left.
        let mut carry = 0;
        parity.fill(0);
        for column in &self.columns {
            let skipped = (self.max_words - words) * column.width;
            let mut products = [0u128; Clmul::COLUMNS];
            let products = &mut products[..column.width];
            clmul.sum_of_products(head_word(head), body, &column.factors[skipped..], products);
            for (at, product) in (column.first..).zip(products) {
                let left = if at == 0 { &mut carry } else { &mut parity[at - 1] };
                *left ^= (*product >> 64) as u64;
                parity[at] ^= *product as u64;
            }
        }
        clmul.reduce(carry, self.quotient, &self.low, parity);
    }
}

/// Tables of the engine that looks up.
#[derive(Debug)]
struct Slices {
    words: usize,
    /// For byte b of a word (0 the first) and its value v, v x^(64 W + 56 - 8 b) mod G.
    table: Vec<u64>,
}

impl Slices {
    fn new(modulus: &Modulus) -> Self {
        let words = modulus.low.len();
        let mut table = vec![0; 8 * 256 * words];
        let mut power = modulus.low.clone();
        for bit in 0..64 {
            let byte = 7 - bit / 8;
            // Every value whose highest bit is this one is the value below it plus the power.
            let highest = 1 << (bit % 8);
            for value in highest..2 * highest {
                let (below, at) = (byte * 256 + value - highest, byte * 256 + value);
                table.copy_within(below * words..(below + 1) * words, at * words);
                add(&mut table[at * words..(at + 1) * words], &power);
            }
            modulus.step(&mut power);
        }
        Self { words, table }
    }

    fn entry(&self, byte: usize, value: u8) -> &[u64] {
        let at = (byte * 256 + usize::from(value)) * self.words;
        &self.table[at..at + self.words]
    }

    fn remainder(&self, message: &[u8], parity: &mut [u64]) {
        let (head, body) = message.as_rchunks::<8>();
        parity.fill(0);
        let first = head_word(head);
        let head = (!head.is_empty()).then_some(first);
        let body = body.iter().map(|&bytes| u64::from_be_bytes(bytes));
        for word in head.into_iter().chain(body) {
            let top = (word ^ parity[0]).to_be_bytes();
            let [a, b, c, d, e, f, g, h] = std::array::from_fn(|byte| self.entry(byte, top[byte]));
            for i in 0..self.words {
                let shifted = parity.get(i + 1).copied().unwrap_or(0);
                parity[i] = shifted ^ a[i] ^ b[i] ^ c[i] ^ d[i] ^ e[i] ^ f[i] ^ g[i] ^ h[i];
            }
        }
    }
}
