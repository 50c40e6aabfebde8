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
use super::simd::{Clmul, Kernels};

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

impl Remainder {
    /// Tables for messages of up to `max_bits` bits.
    pub(crate) fn new(generator: &Polynomial, max_bits: usize, kernels: Kernels) -> Self {
        let modulus = Modulus::new(generator);
        let engine = match Clmul::detect(kernels) {
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

/// Words of a group.
pub(crate) const GROUP: usize = 8;
/// Words that are multiplied together.
pub(crate) type Group = [u64; GROUP];

/// A message in groups of words, with zeros before it that fill the first group.
#[derive(Debug)]
pub(crate) struct Message<'a> {
    first: Option<[u8; 8 * GROUP]>,
    others: &'a [[u8; 8 * GROUP]],
}

impl<'a> Message<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let (odd, others) = bytes.as_rchunks();
        let first = (!odd.is_empty()).then(|| {
            let mut group = [0; 8 * GROUP];
            group[8 * GROUP - odd.len()..].copy_from_slice(odd);
            group
        });
        Self { first, others }
    }

    /// Number of groups.
    fn len(&self) -> usize {
        self.others.len() + usize::from(self.first.is_some())
    }

    /// The groups, in order of transmission.
    #[inline]
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for x86-64 only"))]
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[u8; 8 * GROUP]> {
        self.first.iter().chain(self.others)
    }
}

/// Factors of the engine that multiplies.
#[derive(Debug)]
struct Places {
    /// For each word of the remainder, that word of x^(64 W + 64 i) mod G, for the words i of a
    /// message counted from its end: the last one comes first.
    columns: Vec<Vec<Group>>,
    max_groups: usize,
    /// floor(x^(64 W + 64) / G) without its leading term, for the reduction of the sum.
    quotient: u64,
    low: Vec<u64>,
}

impl Places {
    fn new(modulus: &Modulus, max_words: usize) -> Self {
        let max_groups = max_words.div_ceil(GROUP);
        let mut columns = vec![vec![[0; GROUP]; max_groups]; modulus.low.len()];
        let mut factor = modulus.low.clone();
        let mut quotient = None;
        for place in (0..max_groups * GROUP).rev() {
            for (column, &word) in columns.iter_mut().zip(&factor) {
                column[place / GROUP][place % GROUP] = word;
            }
            let bits = (0..64).fold(0, |bits, _| bits << 1 | u64::from(modulus.step(&mut factor)));
            quotient.get_or_insert(bits);
        }
        let quotient = quotient.expect("a message has at least one word");
        Self { columns, max_groups, quotient, low: modulus.low.clone() }
    }

    fn remainder(&self, clmul: Clmul, message: &[u8], parity: &mut [u64]) {
        let message = Message::new(message);
        let skipped = self.max_groups.checked_sub(message.len()).expect("longer than the code");
        // The sum has one word more than the remainder, at its left.
        let mut carry = 0;
        parity.fill(0);
        for (first, columns) in
            (0..).step_by(Clmul::COLUMNS).zip(self.columns.chunks(Clmul::COLUMNS))
        {
            let mut factors = [&[] as &[Group]; Clmul::COLUMNS];
            let mut products = [0; Clmul::COLUMNS];
            for (factors, column) in factors.iter_mut().zip(columns) {
                *factors = &column[skipped..];
            }
            let products = &mut products[..columns.len()];
            clmul.dot_products(&message, &factors[..columns.len()], products);
            for (at, product) in (first..).zip(products) {
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
        let (odd, words) = message.as_rchunks::<8>();
        let first = odd.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let others = words.iter().map(|&bytes| u64::from_be_bytes(bytes));
        parity.fill(0);
        for word in std::iter::once(first).chain(others) {
            let top = (word ^ parity[0]).to_be_bytes();
            let [a, b, c, d, e, f, g, h] = std::array::from_fn(|byte| self.entry(byte, top[byte]));
            for i in 0..self.words {
                let shifted = parity.get(i + 1).copied().unwrap_or(0);
                parity[i] = shifted ^ a[i] ^ b[i] ^ c[i] ^ d[i] ^ e[i] ^ f[i] ^ g[i] ^ h[i];
            }
        }
    }
}
