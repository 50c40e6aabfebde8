//! Named random streams.

use floatgate_model::sim::{Simulation, random_stream};
use rand::RngCore;

#[test]
fn streams_depend_on_seed_and_name_alone() {
    let sim = Simulation::new(7).sim();
    let (mut host, mut die) = (sim.random("host"), sim.random("die 0"));
    let first: Vec<u64> = (0..4).map(|_| host.next_u64()).collect();
    assert_ne!(first[0], die.next_u64());
    // In another simulation, in another order and among others.
    let sim = Simulation::new(7).sim();
    let _ = sim.random("new");
    let _ = sim.random("die 0");
    let mut host = sim.random("host");
    assert_eq!((0..4).map(|_| host.next_u64()).collect::<Vec<_>>(), first);
    assert_eq!(random_stream(7, "host").next_u64(), first[0]);
    assert_ne!(random_stream(8, "host").next_u64(), first[0]);
}

/// Computed with Python: hashlib for the key, and ChaCha with 8 rounds written after RFC 8439.
#[test]
fn a_stream_is_chacha8_under_the_hash_of_seed_and_name() {
    assert_eq!(random_stream(1, "die 0").next_u64(), 0x1362_fd37_60ca_641e);
}

#[test]
#[should_panic(expected = "the random stream `die 0` is asked for twice")]
fn a_stream_is_handed_out_once() {
    let sim = Simulation::new(7).sim();
    let _ = (sim.random("die 0"), sim.random("die 0"));
}
