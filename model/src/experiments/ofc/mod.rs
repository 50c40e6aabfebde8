//! OFC, an enterprise flash controller with firmware on an embedded processor (Pletka et al., IBM
//! Research Report RZ 3795, 2011): 4 channels of 2 pipelined dies, 32 GiB.
//!
//! Enters: [`OfcConfig`], and the drive that it names. Leaves: [`OfcResult`]. What is measured is a
//! list of [`Measurement`]s, each on a drive of its own, so that they can run side by side.

mod config;
mod cross_check;
mod load;
mod measure;
mod result;

pub use config::{Calibrated, Effort, OfcConfig, RtlCheck, Shape};
pub use cross_check::RtlLine;
pub use load::Load;
pub use measure::{
    Engines, Figures, HistoryPoint, Measurement, Outcome, RtlFigures, Span, measurements,
};
pub use result::{
    HistoryLine, OfcResult, OperationParts, OverProvisioningPoint, ScalingPoint, Times,
    WindowPoint, result,
};
