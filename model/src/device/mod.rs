//! A device put together: firmware on a channel and a codec, and a file stored on it.
//!
//! A configuration and a file enter; what was read back, the bits that were corrected and the time
//! that each step took leave. The steps are generic over the channel and the codec, so that they
//! run on the RTL as they do on the models.

mod error;
mod interrupt;
mod latency;
mod pages;
mod store;
mod timed;

pub use error::StoreError;
pub use latency::{PageLatency, modes, page_latency, strengths};
pub use pages::{Placed, read_pages, write_pages};
pub use store::{
    Budget, Device, DeviceBus, Job, MountedDies, StoreReport, check_sizes, ecc_unit, settings,
    store, transaction_bus,
};
pub use timed::TimedEcc;
