//! Traces: a file of recorded requests enters, a [`RequestSource`](super::RequestSource) leaves.
//!
//! A [`TraceFormat`] is named or recognised from the first lines. Lines are read one by one, in
//! constant memory. A line that is not what its format says is an error with file, line and field;
//! those that a format has beside requests are counted by [`Skip`]. CRLF and a last line without
//! its end are accepted, empty lines are not.
//!
//! What becomes of a recorded request, in this order:
//! 1. **Device.** One is chosen, or all are laid one behind the other ([`Devices`]).
//! 2. **Order.** A time stamp below the one before it is an error, or requests are sorted within a
//!    bounded window ([`Order`]). Requests of one time keep the order of the file.
//! 3. **Time.** The first request arrives when it is asked for; the others keep their distance to
//!    it, times a factor, or come in a closed loop ([`Timing`]).
//! 4. **Address.** What lies beyond the device is refused, wrapped or scaled ([`Fold`]).
//!
//! Addresses and lengths in bytes that are not whole sectors become all sectors that they touch;
//! [`Counts::widened`] says how many.

mod blkparse;
mod columns;
mod description;
mod device;
mod error;
mod fields;
mod fold;
mod format;
mod iolog;
mod lines;
mod order;
mod reader;
mod source;

pub use description::{
    BlkparseAction, Devices, Fold, FormatChoice, Order, Timing, TraceConfig, TraceFormat,
};
pub use error::TraceError;
pub use reader::{Counts, Skip};
pub use source::TraceSource;
