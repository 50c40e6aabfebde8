//! Random streams, each with a name, drawn from one seed.
//!
//! A stream's key is the SHA-256 of seed and name, so streams are independent of each other and of
//! the order in which they are asked for: a new one does not shift the others. The generator is
//! ChaCha with 8 rounds, whose output no version of its crate changes.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};

/// A stream of random numbers.
pub type RandomStream = ChaCha8Rng;

/// The stream of a name, from its start. Inside a simulation use
/// [`Sim::random`](super::Sim::random), which hands out every stream once.
pub fn random_stream(seed: u64, name: &str) -> RandomStream {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(name);
    ChaCha8Rng::from_seed(hash.finalize().into())
}
