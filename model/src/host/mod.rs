//! The host: what asks the device for something.
//!
//! A description of a [`workload`] or a [`trace`] enters, [`Request`]s leave, one at a time and in
//! order of their arrival, from a [`RequestSource`] whose memory does not grow. Addresses are
//! sectors of 512 bytes, times are picoseconds from the start of the run, and every size has 64
//! bits.

pub mod request;
pub mod trace;
pub mod workload;

use std::num::NonZeroU32;

use floatgate_hal::units::Picoseconds;

pub use request::{Capacity, Lba, Request, RequestKind, SectorCount};
use trace::TraceError;

/// Where requests come from, in order of their arrival.
pub trait RequestSource {
    /// How many requests may be outstanding when the next one is asked for: in a closed loop the
    /// queue depth, in an open loop none is waited for. It may change from one request to the next,
    /// where a phase ends.
    fn queue_depth(&self) -> Option<NonZeroU32>;

    /// The next request, or none at the end. `now` is the simulated time at which it is asked for,
    /// which never goes back. In a closed loop that is when one of the outstanding requests
    /// completes, and the request arrives a think time later; in an open loop the arrival does not
    /// depend on it and may lie before it.
    ///
    /// # Errors
    /// [`TraceError`] where a trace cannot be read or understood. Generators never fail.
    fn next_request(&mut self, now: Picoseconds) -> Result<Option<Request>, Box<TraceError>>;

    /// The phase of the last request, counted from 0; a source without phases is in its first.
    fn phase(&self) -> u32 {
        0
    }
}

impl<S: RequestSource + ?Sized> RequestSource for Box<S> {
    fn queue_depth(&self) -> Option<NonZeroU32> {
        (**self).queue_depth()
    }

    fn next_request(&mut self, now: Picoseconds) -> Result<Option<Request>, Box<TraceError>> {
        (**self).next_request(now)
    }

    fn phase(&self) -> u32 {
        (**self).phase()
    }
}
