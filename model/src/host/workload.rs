//! Synthetic workloads: a RON file enters, one [`RequestSource`](super::RequestSource) for each of
//! its flows leaves.
//!
//! A [`Workload`] has flows, which run side by side, each with its own queue; a [`Flow`] has
//! phases, one after the other; a [`Phase`] says where, how much, how often. Every phase of every
//! flow draws from a random stream of its own, named after both, so that nothing that is added or
//! changed elsewhere alters it.
//!
//! **Addresses.** A phase has a [`Region`] of the device. The [`Pattern`] picks one of the region's
//! units, whose size is the greatest common divisor of the alignments; the request starts there,
//! moved down to its own alignment, and further down where it would run out of the region. Starts
//! are aligned as counted from the region's start.
//!
//! **Popular addresses.** [`Pattern::Zipf`] draws a rank by rejection-inversion, which takes the
//! same time whatever the number of units, and maps it to a unit by a permutation that is
//! keyed by seed and flow: popular units are scattered over the region, and are the same ones in
//! every phase of a flow with that region. The other patterns do not scatter: the hot part of
//! [`Pattern::HotCold`] and the zones of [`Pattern::Jesd219Enterprise`] are contiguous and begin
//! with the region, as JESD219 has it.

mod address;
mod check;
mod description;
mod generator;
mod pace;
mod permutation;
mod size;
mod zipf;

pub use description::{
    Bound, Extent, Flow, Gaps, KindWeights, Pace, Pattern, Phase, Rate, Region, SizeWeight, Sizes,
    Workload,
};
pub use generator::Generator;
pub use permutation::Permutation;
