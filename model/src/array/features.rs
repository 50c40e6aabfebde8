//! What dies can do beyond one page or block after the other (ONFI 2.x, multi-plane and cache
//! operations).

use floatgate_hal::units::Picoseconds;

use super::suspend::Suspend;

/// Which operations of one kind on different planes a die carries out as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanesTogether {
    /// None: planes take turns.
    #[default]
    Off,
    /// Pages of the same number in their blocks, as ONFI asks for; erasures of any blocks.
    SamePage,
    /// Any, as parts with independent planes can.
    Any,
}

/// What a die does beside one page or block after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DieFeatures {
    /// What the planes do together.
    pub planes_together: PlanesTogether,
    /// Busy between the planes of an operation, tDBSY.
    pub plane_busy: Picoseconds,
    /// Cache program, if there is: the next data come in while the array programs. Its time is
    /// that from the confirmation until the registers are free, tCBSY.
    pub cache_program: Option<Picoseconds>,
    /// Cache read, if there is: data go out while the array reads the next page. Its time is that
    /// from the next command until the data are in the register, tRCBSY.
    pub cache_read: Option<Picoseconds>,
    /// Whether programs and erasures make way for reads of the host.
    pub suspend: Option<Suspend>,
}
